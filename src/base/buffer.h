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

#include "attributes.h"

typedef struct DynBuffer
{
	char	   *data;			/* malloc'd, owned by the buffer */
	size_t		len;			/* bytes in use */
	size_t		cap;			/* bytes allocated */
	size_t		max;			/* bytes allowed; 0 means no bound */
	bool		failed;			/* an append did not fit */
} DynBuffer;

extern void dyn_buffer_init(DynBuffer *buf, size_t max);

/* Gives the memory back; the buffer may be used again afterwards. */
extern void dyn_buffer_free(DynBuffer *buf);

/* Forgets the contents and the failure, keeps the memory. */
extern void dyn_buffer_reset(DynBuffer *buf);

/* Makes room for `extra` more bytes without using them. */
extern bool dyn_buffer_reserve(DynBuffer *buf, size_t extra);

extern bool dyn_buffer_append(DynBuffer *buf, const void *bytes, size_t len);
extern bool dyn_buffer_append_str(DynBuffer *buf, const char *str);
extern bool dyn_buffer_append_char(DynBuffer *buf, char c);
extern bool dyn_buffer_printf(DynBuffer *buf, const char *fmt,...) DYN_PRINTF(2, 3);

/* Puts a NUL behind the contents (not counted in `len`); NULL on failure. */
extern const char *dyn_buffer_terminate(DynBuffer *buf);

#endif
