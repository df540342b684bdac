/*
 * escape.h
 *		Decodes the escapes of JSON strings.
 *
 * The strings have been validated (jsonscan.h); nothing is checked here.
 */
#ifndef DYN_DYNAMODB_ESCAPE_H
#define DYN_DYNAMODB_ESCAPE_H

#include <stddef.h>

/* Returns the value of the four hexadecimal digits at `p`, or -1. */
extern int	dyn_escape_hex4(const char *p);

/*
 * Unescapes a valid string into `dst`, which needs len bytes.  Returns the
 * number of bytes written.
 */
extern size_t dyn_escape_undo(const char *src, size_t len, char *dst);

#endif
