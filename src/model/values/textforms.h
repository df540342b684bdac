/*
 * textforms.h
 *		Converts decimal text to numeric, and to digits of a fixed width.
 */
#ifndef DYN_MODEL_TEXTFORMS_H
#define DYN_MODEL_TEXTFORMS_H

#include "utils/numeric.h"

/* ---- numeric, with a 4-byte varlena header, and the scale of the text ---- */

/* Maximum size (bytes) of a numeric from `len` bytes of canonical text. */
#define DYN_NUMERIC_SIZE(len)	((len) + 12)

/*
 * Converts text of at most 38 digits, with an optional point and minus sign,
 * to a numeric in `dst`, which is aligned to four bytes.  Returns the numeric's
 * size (bytes); 0 for any other text, such as one with an exponent.
 */
extern size_t dyn_plain_numeric_write(const char *p, size_t len, char *dst);

/* Calls dyn_plain_numeric_write; returns a palloc'd numeric, or NULL. */
extern Numeric dyn_plain_numeric(const char *p, size_t len);

/* Returns NUL-terminated text as a palloc'd numeric, like numeric_in. */
extern Numeric dyn_numeric_from_text(const char *text, size_t len);

/* ---- padded(n): non-negative integers of exactly n digits ---- */

#define DYN_PADDED_MAX_DIGITS	38

/* Position of a number among the numbers that padded(n) can represent. */
typedef enum DynPaddedPlace
{
	DYN_PADDED_BELOW,			/* less than all padded numbers */
	DYN_PADDED_AT,				/* equal to a padded number */
	DYN_PADDED_AFTER,			/* between two padded numbers */
	DYN_PADDED_ABOVE			/* greater than all padded numbers */
} DynPaddedPlace;

/*
 * Returns the position of `number` among the numbers of padded(digits).  For
 * AT and AFTER, prints the greatest of them that is <= `number` into `dst`,
 * which has digits + 1 bytes.  `number` is decimal text without an exponent,
 * as from numeric_out; NaN and Infinity are greater than all numbers.
 */
extern DynPaddedPlace dyn_padded_place(const char *number, int digits,
									   char *dst);

#endif
