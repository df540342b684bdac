/*
 * textforms.h
 *		Converts numbers and bytes to texts of one form: fixed-width digits,
 *		base64.
 *
 * These functions handle texts and values only, neither attributes nor
 * columns.  Each value has one text, and each text of the form one value.
 */
#ifndef DYN_MODEL_TEXTFORMS_H
#define DYN_MODEL_TEXTFORMS_H

/* ---- padded(n): integers from 0 up, of exactly n digits ---- */

#define DYN_PADDED_MAX_DIGITS	38

extern bool dyn_is_padded(const char *text, size_t len, int digits);

/* Position of a bound among the numbers of the form. */
typedef enum DynPaddedPlace
{
	DYN_PADDED_BELOW,			/* less than all of them */
	DYN_PADDED_AT,				/* one of them */
	DYN_PADDED_AFTER,			/* greater than the one printed, less than the
								 * next */
	DYN_PADDED_ABOVE			/* greater than all of them */
} DynPaddedPlace;

/*
 * Returns the position of `number`, and prints the greatest number of the form
 * not above it, if there is one.  `number` is decimal text without an
 * exponent, like the output of numeric_out; NaN is above, like Infinity.
 */
extern DynPaddedPlace dyn_padded_place(const char *number, int digits,
									   char *dst);

/*
 * Prints a number of the form.  Returns false for any other, which is negative,
 * has a fraction or too many digits.
 */
static inline bool
dyn_padded_print(const char *number, int digits, char *dst)
{
	return dyn_padded_place(number, digits, dst) == DYN_PADDED_AT;
}

/* ---- base64: the standard alphabet, with padding ---- */

/* Length of the text in bytes, without a NUL. */
#define DYN_BASE64_LEN(len)		(((len) + 2) / 3 * 4)

extern void dyn_base64_encode(const unsigned char *src, size_t len, char *dst);

/*
 * Decodes into `dst`, which has len / 4 * 3 + 3 bytes.  Returns the bytes
 * written, or -1 if the text does not encode any bytes.  Unused bits of the
 * last group must be zero.
 */
extern long dyn_base64_decode(const char *text, size_t len,
							  unsigned char *dst);

#endif
