/*
 * error.h
 *		Why credentials could not be obtained, in words.
 */
#ifndef DYN_AWS_ERROR_H
#define DYN_AWS_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/attributes.h"

/*
 * Zero-initialise it.  The texts are UTF-8, and contain no secrets.  What
 * others have written (a reply, the error output of a program) is only in
 * `excerpt`, which only superusers see.
 */
typedef struct DynError
{
	bool		passing;		/* another attempt may succeed */
	bool		out_of_memory;	/* the other members are not set */
	char		message[512];	/* a phrase, such as "file \"x\" cannot be
								 * read: ...", without a full stop */
	char		hint[512];		/* a sentence, or "" */
	char		excerpt[512];	/* printable, or "" */
} DynError;

/*
 * Each sets one text; too long a text is truncated.  The first sets `passing`
 * to false and clears the others.  All return false, for callers that report
 * failure so.
 */
extern bool dyn_error_set(DynError *err, const char *fmt,...) DYN_PRINTF(2, 3);
extern bool dyn_error_hint(DynError *err, const char *fmt,...) DYN_PRINTF(2, 3);
extern bool dyn_error_memory(DynError *err);

/* "2026-01-02 03:04:05 UTC"; "an unknown time" for 0 and beyond year 9999. */
#define DYN_ERROR_TIME_SIZE	32
extern void dyn_error_time_text(int64_t seconds, char *text);

/* Copies `len` bytes, whatever they are; what is not printable becomes '?'. */
extern bool dyn_error_excerpt(DynError *err, const char *text, size_t len);

/*
 * The text of an errno, in English: that of the session's locale need not be
 * UTF-8.
 */
extern void dyn_error_errno_text(int error, char *text, size_t size);

#endif
