/*
 * inflate.h
 *		gzip bodies, with a bound on what they may become.
 */
#ifndef DYN_AWS_INFLATE_H
#define DYN_AWS_INFLATE_H

#include "client.h"

/*
 * Appends the contents of the gzip stream to `out`, whose `max` bounds them.
 * DYN_FAIL_NONE, DYN_FAIL_ENCODING (damaged, cut, followed by something),
 * DYN_FAIL_TOO_LARGE or DYN_FAIL_MEMORY.
 */
extern DynFailure dyn_inflate(const DynBuffer *packed, DynBuffer *out);

#endif
