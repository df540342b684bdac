/*
 * number.h
 *		Decimal numbers as DynamoDB holds them, as text.
 *
 * DynamoDB keeps 38 significant digits and magnitudes from 1E-130 to
 * 9.99...E+125 (shared facts: developer guide, "Data types", Number).  Numbers
 * cross this extension as decimal text only; nothing here goes through a
 * binary float.
 *
 * The canonical form is the one the service answers with: no exponent, no
 * leading zeros but the one before a point, no trailing zeros behind it, no
 * plus sign, no negative zero.
 */
#ifndef DYN_BASE_NUMBER_H
#define DYN_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#define DYN_NUMBER_MAX_DIGITS	38
#define DYN_NUMBER_MAX_EXP		125 /* of the leading digit */
#define DYN_NUMBER_MIN_EXP		(-130)

/* Longest canonical text: sign, "0.", 130 places, 38 digits, NUL and slack. */
#define DYN_NUMBER_BUFSIZE		192

typedef enum DynNumberStatus
{
	DYN_NUMBER_OK,
	DYN_NUMBER_SYNTAX,			/* not a decimal number (NaN, Infinity, hex...) */
	DYN_NUMBER_PRECISION,		/* more than 38 significant digits */
	DYN_NUMBER_OVERFLOW,		/* magnitude of 1E126 or more */
	DYN_NUMBER_UNDERFLOW		/* not zero, magnitude below 1E-130 */
} DynNumberStatus;

/* Which neighbour to take when the value itself cannot be held. */
typedef enum DynRounding
{
	DYN_ROUND_DOWN,				/* the largest number held that is not greater */
	DYN_ROUND_UP				/* the smallest number held that is not less */
} DynRounding;

/*
 * Writes the canonical form of the decimal text (sign, digits, point,
 * exponent) into dst (DYN_NUMBER_BUFSIZE bytes, NUL-terminated), and its length
 * into *dst_len.
 */
extern DynNumberStatus dyn_number_canonical(const char *text, size_t len,
											char *dst, size_t *dst_len);

/*
 * The nearest number DynamoDB can hold in the given direction, for a range
 * bound.  False if there is none (rounding 1E126 up, -1E126 down) or the text is
 * no number.
 */
extern bool dyn_number_round(const char *text, size_t len, DynRounding dir,
							 char *dst, size_t *dst_len);

/* Compares two canonical numbers: -1, 0 or 1. */
extern int	dyn_number_compare(const char *a, size_t alen,
							   const char *b, size_t blen);

#endif
