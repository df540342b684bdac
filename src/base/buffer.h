/*
 * buffer.h
 *		A growable byte buffer with an upper bound, in malloc'd memory.
 *
 * The functions never raise an error.  An append that would exceed `max`, or
 * that runs out of memory, sets `failed`, and all later appends do nothing.
 * So a writer checks `failed` once, at the end.
 *
 * `data` is NULL while `cap` is 0.  The contents are not NUL-terminated unless
 * dyn_buffer_terminate() was called.
 */
#ifndef DYN_BASE_BUFFER_H
#define DYN_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "macros.h"

typedef struct DynBuffer
{
	char	   *data;			/* malloc'd, owned by the buffer */
	size_t		len;			/* bytes in use */
	size_t		cap;			/* bytes allocated */
	size_t		max;			/* maximum of `len`; 0 means no bound */
	bool		failed;			/* true if a function of this file failed */
	bool		out_of_memory;	/* true if a function ran out of memory */
} DynBuffer;

/* Initializes an empty buffer.  A zeroed DynBuffer is empty and unbounded. */
extern void dyn_buffer_init(DynBuffer *buf, size_t max);

/* Frees the memory; the buffer may be used again afterwards. */
extern void dyn_buffer_free(DynBuffer *buf);

/* Discards contents and clears the error flags; the memory stays allocated. */
extern void dyn_buffer_reset(DynBuffer *buf);

/* Discards contents; unlike dyn_buffer_reset, keeps the error flags. */
static inline void
dyn_buffer_empty(DynBuffer *buf)
{
	buf->len = 0;
}

/* Ensures capacity for `extra` more bytes, within `max`. */
extern bool dyn_buffer_reserve(DynBuffer *buf, size_t extra);

/* Enlarges the capacity to exactly `cap` if it is less, even beyond `max`. */
extern bool dyn_buffer_enlarge(DynBuffer *buf, size_t cap);

/* Enlarges the buffer and appends: the slow path of dyn_buffer_append. */
extern bool dyn_buffer_grow_and_append(DynBuffer *buf, const void *bytes,
									   size_t len);

/* Appends `len` bytes; returns false on failure. */
static inline bool
dyn_buffer_append(DynBuffer *buf, const void *bytes, size_t len)
{
	if (buf->failed || len > buf->cap - buf->len ||
		(buf->max > 0 && buf->len + len > buf->max))
		return dyn_buffer_grow_and_append(buf, bytes, len);
	if (len > 0)
		memcpy(buf->data + buf->len, bytes, len);
	buf->len += len;
	return true;
}

static inline bool
dyn_buffer_append_str(DynBuffer *buf, const char *str)
{
	return dyn_buffer_append(buf, str, strlen(str));
}

static inline bool
dyn_buffer_append_char(DynBuffer *buf, char c)
{
	return dyn_buffer_append(buf, &c, 1);
}

extern bool dyn_buffer_printf(DynBuffer *buf, const char *fmt,...) DYN_PRINTF(2, 3);

/* Appends a NUL beyond `len`; returns the contents, or NULL on failure. */
extern const char *dyn_buffer_terminate(DynBuffer *buf);

#endif
