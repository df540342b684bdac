/*
 * number.h
 *		Decimal numbers as text, within the limits of DynamoDB.
 *
 * DynamoDB stores 38 significant digits and magnitudes from 1E-130 to
 * 9.99...E+125 (developer guide, "Data types", Number).  This extension
 * handles numbers as decimal text only, never as binary floats.
 *
 * The canonical form is the one that the service returns: no exponent, no
 * leading zeros except the one before a point, no trailing zeros after it, no
 * plus sign, no negative zero.
 */
#ifndef DYN_BASE_NUMBER_H
#define DYN_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#define DYN_NUMBER_MAX_DIGITS	38
#define DYN_NUMBER_MAX_EXP		125 /* exponent of the leading digit */
#define DYN_NUMBER_MIN_EXP		(-130)

/* Enough for any canonical number: sign, "0.", 129 zeros, 38 digits, NUL. */
#define DYN_NUMBER_BUFSIZE		192

typedef enum DynNumberStatus
{
	DYN_NUMBER_OK,
	DYN_NUMBER_SYNTAX,			/* not a decimal number (NaN, hex ...) */
	DYN_NUMBER_PRECISION,		/* more than 38 significant digits */
	DYN_NUMBER_OVERFLOW,		/* magnitude of 1E126 or more */
	DYN_NUMBER_UNDERFLOW		/* not zero, magnitude below 1E-130 */
} DynNumberStatus;

/* Direction of rounding, if DynamoDB cannot store the value itself. */
typedef enum DynRounding
{
	DYN_ROUND_DOWN,				/* largest storable number <= the value */
	DYN_ROUND_UP				/* smallest storable number >= the value */
} DynRounding;

/*
 * Converts decimal text (sign, digits, point, exponent) to its canonical form.
 * If the result is DYN_NUMBER_OK, this form is in `dst` (DYN_NUMBER_BUFSIZE
 * bytes), NUL-terminated, and *dst_len is its length.
 */
extern DynNumberStatus dyn_number_canonical(const char *text, size_t len,
											char *dst, size_t *dst_len);

/*
 * Rounds a range bound in direction `dir`: writes the canonical form of the
 * nearest number that DynamoDB can store.  Returns false if no such number
 * exists (1E126 rounded up, -1E126 rounded down) or the text is not a number.
 */
extern bool dyn_number_round(const char *text, size_t len, DynRounding dir,
							 char *dst, size_t *dst_len);

/* Compares two canonical numbers; returns -1, 0 or 1. */
extern int	dyn_number_compare(const char *a, size_t alen,
							   const char *b, size_t blen);

#endif
