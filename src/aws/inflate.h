/*
 * inflate.h
 *		Decompresses gzip bodies, up to a bound.
 */
#ifndef DYN_AWS_INFLATE_H
#define DYN_AWS_INFLATE_H

#include "client.h"

/*
 * Appends the contents of the gzip stream to `out`, up to its `max`.  Returns
 * DYN_FAIL_NONE, DYN_FAIL_ENCODING (damaged, truncated or followed by other
 * bytes), DYN_FAIL_TOO_LARGE or DYN_FAIL_MEMORY.
 */
extern DynFailure dyn_inflate(const DynBuffer *packed, DynBuffer *out);

#endif
