/*
 * numerics.h
 *		PostgreSQL's numeric of a number in text.
 *
 * The numbers are allocated in CurrentMemoryContext, with a plain varlena
 * header, and have as many decimal places as the text.
 */
#ifndef DYN_MODEL_NUMERICS_H
#define DYN_MODEL_NUMERICS_H

#include "utils/numeric.h"

/*
 * Fast path for at most 18 digits with an optional point, and a minus sign.
 * Returns false for any other text.
 */
extern bool dyn_plain_numeric(const char *p, size_t len, Numeric *result);

/* Of any NUL-terminated text that numeric_in accepts. */
extern Numeric dyn_numeric_from_text(const char *text, size_t len);

#endif
