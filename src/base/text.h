/*
 * text.h
 *		Helper functions for bytes: UTF-8, base64, hashing, JSON.
 */
#ifndef DYN_BASE_TEXT_H
#define DYN_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"

/* Returns true for well-formed UTF-8 (no overlong forms, no surrogates). */
extern bool dyn_utf8_valid(const char *s, size_t len);

static inline bool
dyn_is_alphanumeric(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		(c >= '0' && c <= '9');
}

/* Unlike tolower(), does not depend on the locale. */
static inline char
dyn_ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c;
}

/* Compares like strcmp(), but ignores the case of ASCII letters. */
extern int	dyn_compare_ignoring_case(const char *a, const char *b);

/* Returns true for the second, third or fourth byte of a character. */
static inline bool
dyn_utf8_continues(char c)
{
	return ((unsigned char) c & 0xC0) == 0x80;
}

/*
 * Returns the length of the UTF-8 sequence of 2 to 4 bytes at `p`; 0 if it is
 * not well-formed (Unicode standard, table 3-7) or longer than `space` bytes.
 */
static inline int
dyn_utf8_length(const char *p, size_t space)
{
	unsigned char lead = (unsigned char) p[0];
	unsigned char second = space > 1 ? (unsigned char) p[1] : 0;

	if (lead < 0xe0)
		return lead >= 0xc2 && dyn_utf8_continues(second) ? 2 : 0;
	/* E0 80..9F is overlong, ED A0..BF a surrogate */
	if (lead < 0xf0)
		return space > 2 && dyn_utf8_continues(second) &&
			dyn_utf8_continues(p[2]) && (lead != 0xe0 || second >= 0xa0) &&
			(lead != 0xed || second < 0xa0) ? 3 : 0;
	/* F0 80..8F is overlong, F4 90..BF lies above U+10FFFF */
	return lead <= 0xf4 && space > 3 && dyn_utf8_continues(second) &&
		dyn_utf8_continues(p[2]) && dyn_utf8_continues(p[3]) &&
		(lead != 0xf0 || second >= 0x90) && (lead != 0xf4 || second < 0x90) ?
		4 : 0;
}

/* Writes a character as UTF-8; returns the number of bytes. */
extern size_t dyn_utf8_put(char *dst, uint32_t code);

extern bool dyn_append_number(DynBuffer *buf, unsigned long number);

/* Appends ,"name": for a name that needs no escapes. */
extern bool dyn_append_json_member(DynBuffer *buf, const char *name);

/* Appends ,"name":"text", or nothing if the text is NULL or "". */
extern bool dyn_append_json_text_member(DynBuffer *buf, const char *name,
										const char *text);

/* Appends `s` as a quoted JSON string; `s` must be valid UTF-8. */
extern bool dyn_append_json_string(DynBuffer *buf, const char *s, size_t len);

extern bool dyn_append_json_text(DynBuffer *buf, const char *s);

/* Length of the base64 text of `len` bytes, without a NUL. */
#define DYN_BASE64_LEN(len)		(((len) + 2) / 3 * 4)

/* Writes base64 text with padding to `dst`, or appends the text to `buf`. */
extern void dyn_base64_encode(const void *bytes, size_t len, char *dst);
extern bool dyn_append_base64(DynBuffer *buf, const void *bytes, size_t len);

/*
 * Returns true if the UTF-8 text is JSON without duplicate names in an object.
 * Otherwise *err is a malloc'd string that describes the error and its
 * position, or NULL if memory runs out.  Declared here because jsonload.h
 * cannot be included together with PostgreSQL's headers.
 */
extern bool dyn_json_check(const char *text, size_t len, char **err);

/* Continues a CRC-32 (IEEE 802.3) from `crc`, initially 0 (as in zlib). */
extern uint32_t dyn_crc32(uint32_t crc, const void *bytes, size_t len);

/* Returns a 64-bit hash of the bytes; not safe against chosen collisions. */
extern uint64_t dyn_hash_bytes(const void *bytes, size_t len);

#endif
