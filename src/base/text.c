/*
 * text.c
 *		Validates UTF-8; writes JSON strings, base64 and hashes.
 *
 * Most bytes that are sent to DynamoDB pass through this file, so the check of
 * UTF-8 has a fast path.  If an append fails, the buffer records the failure.
 */
#include <string.h>

#include "text.h"

bool
dyn_utf8_valid(const char *s, size_t len)
{
	size_t		i = 0;

	while (i < len)
	{
		uint64_t	word;
		int			n = 1;

		if (len - i >= 8)
		{
			memcpy(&word, s + i, 8);
			if ((word & UINT64_C(0x8080808080808080)) == 0)
				n = 8;
		}
		if (n == 1 && (unsigned char) s[i] >= 0x80)
			n = dyn_utf8_length(s + i, len - i);
		if (n == 0)
			return false;
		i += (size_t) n;
	}
	return true;
}

int
dyn_compare_ignoring_case(const char *a, const char *b)
{
	for (; *a && dyn_ascii_lower(*a) == dyn_ascii_lower(*b); a++)
		b++;
	return dyn_ascii_lower(*a) - dyn_ascii_lower(*b);
}

size_t
dyn_utf8_put(char *dst, uint32_t code)
{
	static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
	size_t		n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (size_t i = n; i-- > 1; code >>= 6)
		dst[i] = (char) (0x80 | (code & 0x3F));
	dst[0] = (char) (lead[n] | code);
	return n;
}

/* The character after the backslash in the JSON escape of each byte, or 0 */
static const char escapes[256] = {
	'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'b', 't', 'n', 'u', 'f', 'r', 'u',
	'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u',
	'u', 'u',
	['"'] = '"',
	['\\'] = '\\',
};

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
	static const char hex[] = "0123456789abcdef";
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
		{
			unsigned char c = (unsigned char) s[i++];
			const char	text[] = {'\\', escapes[c], '0', '0', hex[c >> 4],
			hex[c & 15]};

			dyn_buffer_append(buf, text, text[1] == 'u' ? 6 : 2);
		}
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

static void
put_base64_group(char *dst, uint32_t bits)
{
	dst[0] = base64_digits[bits >> 18 & 63];
	dst[1] = base64_digits[bits >> 12 & 63];
	dst[2] = base64_digits[bits >> 6 & 63];
	dst[3] = base64_digits[bits & 63];
}

void
dyn_base64_encode(const void *bytes, size_t len, char *dst)
{
	const unsigned char *p = bytes;

	for (; len >= 3; len -= 3, p += 3, dst += 4)
		put_base64_group(dst, (uint32_t) p[0] << 16 | (uint32_t) p[1] << 8 |
						 p[2]);
	if (len == 0)
		return;
	put_base64_group(dst, (uint32_t) p[0] << 16 |
					 (len == 2 ? (uint32_t) p[1] << 8 : 0));
	dst[3] = '=';
	if (len == 1)
		dst[2] = '=';
}

bool
dyn_append_base64(DynBuffer *buf, const void *bytes, size_t len)
{
	if (len == 0)
		return !buf->failed;
	if (!dyn_buffer_reserve(buf, DYN_BASE64_LEN(len)))
		return false;
	dyn_base64_encode(bytes, len, buf->data + buf->len);
	buf->len += DYN_BASE64_LEN(len);
	return true;
}

/* Arbitrary odd constants without a visible bit pattern. */
#define HASH_SEED	UINT64_C(0xB5297A4D3F84D5A3)
#define HASH_MUL	UINT64_C(0x8A91A6D40BF42041)

/*
 * Mixes a word into the hash.  In a product, no bit of a factor affects lower
 * bits, so the high half is then mixed into the low half.
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
