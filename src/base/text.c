/*
 * text.c
 *		Validates UTF-8; writes JSON strings, base64 and hashes.
 *
 * These functions process every byte that is sent to DynamoDB, so each has a
 * fast path for the common case.  UTF-8 is checked eight ASCII bytes at a
 * time.  JSON strings are copied in runs between the few bytes that need an
 * escape.  Base64 is written directly into reserved space.  Functions that
 * append record a failure in the buffer (buffer.h).
 */
#include <string.h>

#include "lengthof.h"
#include "text.h"

/*
 * The well-formed sequences of more than one byte (Unicode standard, table
 * 3-7): range of the lead byte, length, range of the second byte.  All later
 * bytes are 80..BF.
 */
typedef struct Utf8Form
{
	unsigned char lead_lo;
	unsigned char lead_hi;
	unsigned char length;
	unsigned char second_lo;
	unsigned char second_hi;
} Utf8Form;

static const Utf8Form utf8_forms[] = {
	{0xC2, 0xDF, 2, 0x80, 0xBF},
	{0xE0, 0xE0, 3, 0xA0, 0xBF},
	{0xE1, 0xEC, 3, 0x80, 0xBF},
	{0xED, 0xED, 3, 0x80, 0x9F},
	{0xEE, 0xEF, 3, 0x80, 0xBF},
	{0xF0, 0xF0, 4, 0x90, 0xBF},
	{0xF1, 0xF3, 4, 0x80, 0xBF},
	{0xF4, 0xF4, 4, 0x80, 0x8F},
};

static size_t
ascii_run(const unsigned char *p, const unsigned char *end)
{
	const unsigned char *start = p;

	while (end - p >= 8)
	{
		uint64_t	word;

		memcpy(&word, p, 8);
		if (word & UINT64_C(0x8080808080808080))
			break;
		p += 8;
	}
	while (p < end && *p < 0x80)
		p++;
	return (size_t) (p - start);
}

/*
 * Returns the length of the multibyte sequence at p, 0 if it is not
 * well-formed.
 */
static size_t
sequence_length(const unsigned char *p, const unsigned char *end)
{
	const Utf8Form *form = utf8_forms;
	size_t		i;

	while (*p < form->lead_lo || *p > form->lead_hi)
		if (++form == utf8_forms + LENGTHOF(utf8_forms))
			return 0;
	if (end - p < form->length ||
		p[1] < form->second_lo || p[1] > form->second_hi)
		return 0;
	for (i = 2; i < form->length; i++)
	{
		if (!dyn_utf8_continues((char) p[i]))
			return 0;
	}
	return form->length;
}

bool
dyn_utf8_valid(const char *s, size_t len)
{
	const unsigned char *p = (const unsigned char *) s;
	const unsigned char *end = len > 0 ? p + len : p;

	while (p < end)
	{
		size_t		n = ascii_run(p, end);

		if (n == 0)
			n = sequence_length(p, end);
		if (n == 0)
			return false;
		p += n;
	}
	return true;
}

size_t
dyn_utf8_put(char *dst, uint32_t code)
{
	static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
	size_t		n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	size_t		i;

	for (i = n; i-- > 1; code >>= 6)
		dst[i] = (char) (0x80 | (code & 0x3F));
	dst[0] = (char) (lead[n] | code);
	return n;
}

/* 0: not escaped; 'u': \u00XX; else the letter after the backslash. */
static const char escapes[256] = {
	'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'b', 't', 'n', 'u', 'f', 'r', 'u',
	'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u',
	'u', 'u',
	['"'] = '"',
	['\\'] = '\\',
};

static void
append_escape(DynBuffer *buf, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	char		text[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};

	text[1] = escapes[c];
	dyn_buffer_append(buf, text, text[1] == 'u' ? 6 : 2);
}

bool
dyn_append_number(DynBuffer *buf, unsigned long number)
{
	char		digits[24];
	char	   *first = digits + sizeof(digits);

	do
		*--first = (char) ('0' + number % 10);
	while ((number /= 10) > 0);
	return dyn_buffer_append(buf, first, (size_t) (digits + sizeof(digits) - first));
}

bool
dyn_append_json_member(DynBuffer *buf, const char *name)
{
	return dyn_buffer_append_str(buf, ",\"") &&
		dyn_buffer_append_str(buf, name) &&
		dyn_buffer_append_str(buf, "\":");
}

bool
dyn_append_json_string(DynBuffer *buf, const char *s, size_t len)
{
	size_t		i = 0;

	dyn_buffer_reserve(buf, len + 2);
	dyn_buffer_append_char(buf, '"');
	while (i < len)
	{
		size_t		run = i;

		while (i < len && escapes[(unsigned char) s[i]] == 0)
			i++;
		if (i > run)
			dyn_buffer_append(buf, s + run, i - run);
		if (i < len)
			append_escape(buf, (unsigned char) s[i++]);
	}
	return dyn_buffer_append_char(buf, '"');
}

bool
dyn_append_json_text(DynBuffer *buf, const char *s)
{
	return dyn_append_json_string(buf, s, strlen(s));
}

static const char base64_digits[] =
"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Writes four digits for the three low bytes of `bits`. */
static void
put_base64_group(char *dst, uint32_t bits)
{
	dst[0] = base64_digits[bits >> 18 & 63];
	dst[1] = base64_digits[bits >> 12 & 63];
	dst[2] = base64_digits[bits >> 6 & 63];
	dst[3] = base64_digits[bits & 63];
}

bool
dyn_append_base64(DynBuffer *buf, const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	char	   *dst;

	if (len == 0)
		return !buf->failed;
	if (!dyn_buffer_reserve(buf, (len + 2) / 3 * 4))
		return false;
	dst = buf->data + buf->len;
	for (; len >= 3; len -= 3, p += 3, dst += 4)
		put_base64_group(dst, (uint32_t) p[0] << 16 | (uint32_t) p[1] << 8 |
						 p[2]);
	/* the last one or two bytes are padded with '=' */
	if (len > 0)
	{
		put_base64_group(dst, (uint32_t) p[0] << 16 |
						 (len == 2 ? (uint32_t) p[1] << 8 : 0));
		dst[3] = '=';
		if (len == 1)
			dst[2] = '=';
		dst += 4;
	}
	buf->len = (size_t) (dst - buf->data);
	return true;
}

/* Arbitrary odd constants without a bit pattern. */
#define HASH_SEED	UINT64_C(0xB5297A4D3F84D5A3)
#define HASH_MUL	UINT64_C(0x8A91A6D40BF42041)

/*
 * Mixes a word into the hash.  Multiplication only carries upward, so fold the
 * high half down.
 */
static uint64_t
hash_mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * HASH_MUL;
	return h ^ h >> 31;
}

uint64_t
dyn_hash_bytes(const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	uint64_t	h = hash_mix(HASH_SEED, len);
	uint64_t	word;

	for (; len >= 8; len -= 8, p += 8)
	{
		memcpy(&word, p, 8);
		h = hash_mix(h, word);
	}
	if (len > 0)
	{
		word = 0;
		memcpy(&word, p, len);
		h = hash_mix(h, word);
	}
	return hash_mix(h, h >> 17);
}

bool
dyn_append_json_text_member(DynBuffer *buf, const char *name, const char *text)
{
	if (text == NULL || text[0] == '\0')
		return !buf->failed;
	dyn_append_json_member(buf, name);
	return dyn_append_json_text(buf, text);
}
