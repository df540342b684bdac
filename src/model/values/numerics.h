/*
 * numerics.h
 *		PostgreSQL's numeric of a number in text.
 *
 * The numbers have a plain varlena header, and as many decimal places as the
 * text.  Those that are not written where the caller says are allocated in
 * CurrentMemoryContext.
 */
#ifndef DYN_MODEL_NUMERICS_H
#define DYN_MODEL_NUMERICS_H

#include "utils/numeric.h"

/*
 * Bytes of the numeric of such a text, at most; it is enough for the canonical
 * text of any number of DynamoDB whose own text has that length, too.
 */
#define DYN_NUMERIC_SIZE(len)	((len) + 12)

/*
 * Fast path for at most 38 digits with an optional point, and a minus sign.
 * Writes the numeric to dst, which is aligned to four bytes; returns its size,
 * or 0 for any other text.
 */
extern size_t dyn_plain_numeric_write(const char *p, size_t len, char *dst);

/* The same, in memory of its own; false for any other text. */
extern bool dyn_plain_numeric(const char *p, size_t len, Numeric *result);

/* Of any NUL-terminated text that numeric_in accepts. */
extern Numeric dyn_numeric_from_text(const char *text, size_t len);

#endif
