/*
 * escape.h
 *		Escapes in JSON strings: what they stand for.
 *
 * The strings are known to be valid (jsonscan.h); nothing is checked here.
 */
#ifndef DYN_DYNAMODB_ESCAPE_H
#define DYN_DYNAMODB_ESCAPE_H

#include <stddef.h>

/* The number of the four hexadecimal digits at p, or -1. */
extern int	dyn_escape_hex4(const char *p);

/*
 * Undoes the escapes of a valid string; dst needs len bytes.  Returns the bytes
 * written.
 */
extern size_t dyn_escape_undo(const char *src, size_t len, char *dst);

#endif
