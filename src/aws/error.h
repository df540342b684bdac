/*
 * error.h
 *		Error records for credentials that could not be obtained.
 */
#ifndef DYN_AWS_ERROR_H
#define DYN_AWS_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/macros.h"

/*
 * An error that has not been passed to ereport yet; zero-initialize it.  The
 * strings are UTF-8 and contain no secrets.  Text from outside (a reply, the
 * error output of a program) is only in `excerpt`, which only superusers see.
 */
typedef struct DynError
{
	bool		passing;		/* true if another attempt may succeed */
	bool		out_of_memory;	/* if true, all other members are unset */
	char		message[512];	/* phrase, without a period */
	char		hint[512];		/* full sentence, or "" */
	char		excerpt[512];	/* printable text that was received, or "" */
} DynError;

/*
 * Set the message, the hint, or out_of_memory; strings that are too long are
 * truncated.  dyn_error_set and dyn_error_memory first clear the record.  All
 * three return false, so that a caller that fails can return their result.
 */
extern bool dyn_error_set(DynError *err, const char *fmt,...) DYN_PRINTF(2, 3);
extern bool dyn_error_hint(DynError *err, const char *fmt,...) DYN_PRINTF(2, 3);
extern bool dyn_error_memory(DynError *err);

/*
 * Writes a time (s since the epoch) as "2026-01-02 03:04:05 UTC"; writes "an
 * unknown time" if `seconds` is not positive, or beyond the year 9999.
 */
#define DYN_ERROR_TIME_SIZE	32
extern void dyn_error_time_text(int64_t seconds, char *text);

/* Writes an errno's text in English: the locale's text may not be UTF-8. */
extern void dyn_error_errno_text(int error, char *text, size_t size);

#endif
