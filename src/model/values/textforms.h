/*
 * textforms.h
 *		Numbers and bytes as texts of one form: digits of a width, base64.
 *
 * These functions know texts and values only, neither attributes nor columns.
 * Each value has one text, and each text of the form one value.
 */
#ifndef DYN_MODEL_TEXTFORMS_H
#define DYN_MODEL_TEXTFORMS_H

/* ---- padded(n): whole numbers from 0 on, of exactly n digits ---- */

#define DYN_PADDED_MAX_DIGITS	38

extern bool dyn_is_padded(const char *text, size_t len, int digits);

/*
 * Prints a canonical number (base/number.h) into dst, of digits + 1 bytes.
 * Returns false if it is negative, has a fraction or too many digits.
 */
extern bool dyn_padded_print(const char *number, int digits, char *dst);

/* Where the number of a bound is among those of the form. */
typedef enum DynPaddedPlace
{
	DYN_PADDED_BELOW,			/* less than all of them */
	DYN_PADDED_AT,				/* one of them */
	DYN_PADDED_BEHIND,			/* greater than the one printed, less than the
								 * next */
	DYN_PADDED_ABOVE			/* greater than all of them */
} DynPaddedPlace;

/*
 * Prints the greatest number of the form that is not greater than the number,
 * if there is one.  `number` is decimal text without an exponent, as of
 * numeric_out; NaN is above, like Infinity.
 */
extern DynPaddedPlace dyn_padded_place(const char *number, int digits,
									   char *dst);

/* ---- base64: the standard alphabet, with padding ---- */

/* Bytes of the text, without a NUL. */
#define DYN_BASE64_LEN(len)		(((len) + 2) / 3 * 4)

extern void dyn_base64_encode(const unsigned char *src, size_t len, char *dst);

/*
 * dst has len / 4 * 3 + 3 bytes; returns the bytes written, or -1 if it is not
 * the text of any bytes.  The bits that do not belong to a byte must be zero.
 */
extern long dyn_base64_decode(const char *text, size_t len,
							  unsigned char *dst);

#endif
