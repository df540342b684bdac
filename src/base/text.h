/*
 * text.h
 *		Helper functions for bytes: UTF-8, base64, hashing, JSON string output.
 */
#ifndef DYN_BASE_TEXT_H
#define DYN_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"

/*
 * Returns true if the bytes are well-formed UTF-8 (no overlong forms, no
 * surrogates, at most U+10FFFF).
 */
extern bool dyn_utf8_valid(const char *s, size_t len);

/* True for an ASCII letter or digit. */
static inline bool
dyn_is_alphanumeric(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		(c >= '0' && c <= '9');
}

/* True for a UTF-8 byte that is not the first of its character. */
static inline bool
dyn_utf8_continues(char c)
{
	return ((unsigned char) c & 0xC0) == 0x80;
}

/*
 * Writes a character, at most U+10FFFF, in up to four bytes, and returns their
 * number.
 */
extern size_t dyn_utf8_put(char *dst, uint32_t code);

/* Appends a number in decimal digits. */
extern bool dyn_append_number(DynBuffer *buf, unsigned long number);

/* Appends ,"name": for a name without anything to escape. */
extern bool dyn_append_json_member(DynBuffer *buf, const char *name);

/* Appends ,"name":"text", or nothing if the text is NULL or "". */
extern bool dyn_append_json_text_member(DynBuffer *buf, const char *name,
										const char *text);

/* Appends `s` as a quoted JSON string; `s` must be valid UTF-8. */
extern bool dyn_append_json_string(DynBuffer *buf, const char *s, size_t len);

/* Appends a NUL-terminated text in the same way. */
extern bool dyn_append_json_text(DynBuffer *buf, const char *s);

/* Appends base64 with padding, without quotes. */
extern bool dyn_append_base64(DynBuffer *buf, const void *bytes, size_t len);

/* Returns a 64-bit hash of the bytes; not safe against chosen collisions. */
extern uint64_t dyn_hash_bytes(const void *bytes, size_t len);

#endif
