/*
 * numerics.h
 *		Converts decimal text to PostgreSQL's numeric.
 *
 * The numbers have a plain varlena header, and the same number of decimal
 * places as the text.  They are allocated in CurrentMemoryContext, unless the
 * caller passes a destination.
 */
#ifndef DYN_MODEL_NUMERICS_H
#define DYN_MODEL_NUMERICS_H

#include "utils/numeric.h"

/*
 * Maximum bytes of the numeric of a text with `len` bytes.  This also suffices
 * for the canonical text of any DynamoDB number whose own text has that
 * length.
 */
#define DYN_NUMERIC_SIZE(len)	((len) + 12)

/*
 * Fast path for at most 38 digits with an optional point, and a minus sign.
 * Writes the numeric to dst, which is aligned to four bytes; returns its size,
 * or 0 for any other text.
 */
extern size_t dyn_plain_numeric_write(const char *p, size_t len, char *dst);

/*
 * Converts like dyn_plain_numeric_write, into palloc'd memory.  Returns false
 * for any other text.
 */
extern bool dyn_plain_numeric(const char *p, size_t len, Numeric *result);

/* Converts any NUL-terminated text that numeric_in accepts. */
extern Numeric dyn_numeric_from_text(const char *text, size_t len);

#endif
