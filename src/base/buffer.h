/*
 * buffer.h
 *		A growable byte buffer with an upper bound, on malloc.
 *
 * The buffer is the one container in which bytes cross the rooms below the
 * PostgreSQL wall: request bodies are written into one, responses arrive in
 * one.  It never raises an error and never exits: an append that would pass
 * `max` or that runs out of memory sets `failed`, and every later append is a
 * no-op, so a writer appends freely and looks at `failed` once, at the end.
 *
 * `data` is NULL while `cap` is 0.  The contents are not NUL-terminated unless
 * dyn_buffer_terminate() was called.
 */
#ifndef DYN_BASE_BUFFER_H
#define DYN_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "attributes.h"

typedef struct DynBuffer
{
	char	   *data;			/* malloc'd, owned by the buffer */
	size_t		len;			/* bytes in use */
	size_t		cap;			/* bytes allocated */
	size_t		max;			/* bytes allowed; 0 means no bound */
	bool		failed;			/* an append did not fit */
	bool		out_of_memory;	/* and not for its bound; until reset */
} DynBuffer;

extern void dyn_buffer_init(DynBuffer *buf, size_t max);

/* Gives the memory back; the buffer may be used again afterwards. */
extern void dyn_buffer_free(DynBuffer *buf);

/* Forgets the contents and the failure, keeps the memory. */
extern void dyn_buffer_reset(DynBuffer *buf);

/* Makes room for `extra` more bytes without using them. */
extern bool dyn_buffer_reserve(DynBuffer *buf, size_t extra);

/* Appends where there is no room yet. */
extern bool dyn_buffer_grow_and_append(DynBuffer *buf, const void *bytes,
									   size_t len);

/* Most appends are of a few bytes, for which there is room. */
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

/* Puts a NUL behind the contents (not counted in `len`); NULL on failure. */
extern const char *dyn_buffer_terminate(DynBuffer *buf);

#endif
