/*
 * inflate.c
 *		Decompresses gzip bodies, up to a bound.
 *
 * A few hundred bytes of gzip can expand to gigabytes, so the output never
 * exceeds the bound of the buffer: when it is full, inflating into one spare
 * byte shows whether the stream ends there.
 *
 * A gzip stream ends with the length of its contents.  We do not trust that
 * length; but it is nearly always right, so the output is usually allocated
 * once.
 *
 * Layer: aws.  Knows zlib.
 */
#include "inflate.h"

#include <limits.h>
#include <string.h>

#include <zlib.h>

#define GZIP_ONLY		(15 + 16)
#define GZIP_TRAILER	4
#define FIRST_GUESS		(64 * 1024)

/* The maximum compression ratio of deflate. */
#define LARGEST_RATIO	1032

static size_t
hinted_length(const DynBuffer *packed)
{
	const unsigned char *end;
	size_t		hint;

	if (packed->len < GZIP_TRAILER)
		return FIRST_GUESS;
	end = (const unsigned char *) packed->data + packed->len - GZIP_TRAILER;
	hint = (size_t) end[0] | (size_t) end[1] << 8 | (size_t) end[2] << 16 |
		(size_t) end[3] << 24;
	return hint / LARGEST_RATIO <= packed->len ? hint : FIRST_GUESS;
}

static DynFailure
inflate_all(z_stream *stream, DynBuffer *out, size_t hint)
{
	int			status;

	do
	{
		Bytef		spare;
		size_t		space;

		/* at the bound, no space is left: the stream may end there */
		if (out->max > 0 && hint > out->max - out->len)
			hint = out->max - out->len;
		if (hint > 0 && !dyn_buffer_reserve(out, hint))
			return DYN_FAIL_MEMORY;
		space = out->cap - out->len;
		if (out->max > 0 && space > out->max - out->len)
			space = out->max - out->len;
		if (space > UINT_MAX)
			space = UINT_MAX;
		stream->next_out = space > 0 ? (Bytef *) out->data + out->len : &spare;
		stream->avail_out = space > 0 ? (uInt) space : 1;
		status = inflate(stream, Z_NO_FLUSH);
		if (space == 0 && stream->avail_out == 0)
			return DYN_FAIL_TOO_LARGE;
		if (space > 0)
			out->len += space - stream->avail_out;
		if (out->len == out->cap)
			hint = out->cap;
	} while (status == Z_OK);
	if (status == Z_MEM_ERROR)
		return DYN_FAIL_MEMORY;
	return status == Z_STREAM_END && stream->avail_in == 0 ?
		DYN_FAIL_NONE : DYN_FAIL_ENCODING;
}

DynFailure
dyn_inflate(const DynBuffer *packed, DynBuffer *out)
{
	z_stream	stream;
	DynFailure	failure;

	memset(&stream, 0, sizeof(stream));
	if (packed->len > UINT_MAX)
		return DYN_FAIL_TOO_LARGE;
	if (inflateInit2(&stream, GZIP_ONLY) != Z_OK)
		return DYN_FAIL_MEMORY;
	stream.next_in = (Bytef *) packed->data;
	stream.avail_in = (uInt) packed->len;
	failure = inflate_all(&stream, out, hinted_length(packed) + 1);
	inflateEnd(&stream);
	return failure;
}
