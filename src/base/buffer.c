/*
 * buffer.c
 *		Implements the growable byte buffer.
 *
 * An empty buffer allocates exactly the reserved size (at least SMALLEST_CAP),
 * since the caller usually knows the final size.  A buffer with contents at
 * least doubles its capacity, so that a response of unknown length is copied
 * only a few times.  `max` does not count the NUL of dyn_buffer_terminate.
 */
#include "buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST_CAP	256

void
dyn_buffer_init(DynBuffer *buf, size_t max)
{
	memset(buf, 0, sizeof(*buf));
	buf->max = max;
}

void
dyn_buffer_free(DynBuffer *buf)
{
	free(buf->data);
	dyn_buffer_init(buf, buf->max);
}

void
dyn_buffer_reset(DynBuffer *buf)
{
	buf->len = 0;
	buf->failed = false;
	buf->out_of_memory = false;
}

static bool
fail(DynBuffer *buf)
{
	buf->failed = true;
	return false;
}

/* Frees an empty buffer's memory first, so that realloc copies nothing. */
static bool
set_capacity(DynBuffer *buf, size_t cap)
{
	char	   *data;

	if (buf->len == 0)
	{
		free(buf->data);
		buf->data = NULL;
		buf->cap = 0;
	}
	data = realloc(buf->data, cap);
	if (data == NULL)
	{
		buf->out_of_memory = true;
		return fail(buf);
	}
	buf->data = data;
	buf->cap = cap;
	return true;
}

/* Ensures capacity for `bytes` more bytes, even beyond `max`. */
static bool
ensure(DynBuffer *buf, size_t bytes)
{
	size_t		need = buf->len + bytes;
	size_t		least = buf->len == 0 ? SMALLEST_CAP : buf->cap * 2;

	if (bytes > SIZE_MAX / 4 - buf->len)
		return fail(buf);
	return need <= buf->cap || set_capacity(buf, need < least ? least : need);
}

bool
dyn_buffer_enlarge(DynBuffer *buf, size_t cap)
{
	if (buf->failed)
		return false;
	return cap <= buf->cap || set_capacity(buf, cap);
}

bool
dyn_buffer_reserve(DynBuffer *buf, size_t extra)
{
	if (buf->failed)
		return false;
	if (buf->max > 0 && (buf->len > buf->max || extra > buf->max - buf->len))
		return fail(buf);
	return ensure(buf, extra);
}

bool
dyn_buffer_grow_and_append(DynBuffer *buf, const void *bytes, size_t len)
{
	if (!dyn_buffer_reserve(buf, len))
		return false;
	if (len > 0)
		memcpy(buf->data + buf->len, bytes, len);
	buf->len += len;
	return true;
}

/* The NUL that vsnprintf writes does not count toward `max`. */
bool
dyn_buffer_printf(DynBuffer *buf, const char *fmt,...)
{
	va_list		args;
	int			len;

	va_start(args, fmt);
	len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (len < 0)
		return fail(buf);
	if (!dyn_buffer_reserve(buf, (size_t) len) ||
		!ensure(buf, (size_t) len + 1))
		return false;
	va_start(args, fmt);
	vsnprintf(buf->data + buf->len, (size_t) len + 1, fmt, args);
	va_end(args);
	buf->len += (size_t) len;
	return true;
}

const char *
dyn_buffer_terminate(DynBuffer *buf)
{
	if (buf->failed || !ensure(buf, 1))
		return NULL;
	buf->data[buf->len] = '\0';
	return buf->data;
}
