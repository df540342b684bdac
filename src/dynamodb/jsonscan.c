/*
 * jsonscan.c
 *		Reads rare tokens, validates values that are skipped, and detects
 *		duplicate names.
 *
 * The grammar is exactly RFC 8259: control characters must be escaped, UTF-8
 * must be well formed (no overlong forms, no surrogates, nothing above
 * U+10FFFF), and a surrogate in a \u escape must be one half of a pair.
 */
#include "jsonscan.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../base/text.h"

#define FIRST_NAMES		32		/* initial capacity; a power of two */

DYN_COLD const char *
dyn_scan_fail(DynJson *scan, const char *at, const char *reason)
{
	if (scan->err == NULL)
	{
		scan->err = at;
		scan->reason = reason;
	}
	return NULL;
}

static inline bool
is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

DYN_NOINLINE const char *
dyn_scan_skip_slow(DynJson *scan, const char *p)
{
	while (p < scan->end && is_space(*p))
		p++;
	if (p == scan->end)
		return dyn_scan_fail(scan, p, "unexpected end");
	return p;
}

/* ---- Strings ---- */

#ifndef DYN_SCAN_SSE2
#define ONES(byte)	(UINT64_C(0x0101010101010101) * (byte))

/* Returns true if all eight bytes are plain ASCII text inside of a string. */
static inline bool
plain_word(const char *p)
{
	uint64_t	w;
	uint64_t	quote;
	uint64_t	slash;

	memcpy(&w, p, sizeof(w));
	quote = w ^ ONES('"');
	slash = w ^ ONES('\\');
	/* subtracting from a smaller byte wraps around, which sets the top bit */
	return (((w - ONES(0x20)) | (quote - ONES(1)) | (slash - ONES(1)) | w) &
			ONES(0x80)) == 0;
}
#endif

/* Skips plain ASCII text; returns the position after it (at most `end`). */
static inline const char *
skip_plain(const char *p, const char *end)
{
#ifdef DYN_SCAN_SSE2
	while (end - p >= 16)
	{
		uint32_t	hits = dyn_scan_specials(p);

		if (hits != 0)
			return p + __builtin_ctz(hits);
		p += 16;
	}
#else
	while (end - p >= 8 && plain_word(p))
		p += 8;
#endif
	for (; p < end; p++)
	{
		unsigned char c = (unsigned char) *p;

		if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\')
			break;
	}
	return p;
}

static inline const char *
skip_utf8(DynJson *scan, const char *p)
{
	while (p < scan->end && (unsigned char) *p >= 0x80)
	{
		int			n = dyn_utf8_length(p, scan->end - p);

		if (n == 0)
			return dyn_scan_fail(scan, p, "malformed UTF-8");
		p += n;
	}
	return p;
}

/* Returns the code unit of the \uXXXX at `p`, or -1 if there is none. */
static int
code_unit(const char *p, const char *end)
{
	if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
		return -1;
	return dyn_escape_hex4(p + 2);
}

static const char *
skip_unicode_escape(DynJson *scan, const char *p, uint8_t *flags)
{
	int			unit = code_unit(p, scan->end);
	int			second;

	if (unit < 0)
		return dyn_scan_fail(scan, p, "malformed \\u escape");
	if (unit == 0)
	{
		scan->nuls++;
		*flags |= DYN_VALUE_HAS_NUL;
	}
	if (unit < 0xd800 || unit > 0xdfff)
		return p + 6;
	second = unit < 0xdc00 ? code_unit(p + 6, scan->end) : -1;
	if (second < 0xdc00 || second > 0xdfff)
		return dyn_scan_fail(scan, p, "lone surrogate");
	return p + 12;
}

static const char *
skip_escape(DynJson *scan, const char *p, uint8_t *flags)
{
	*flags |= DYN_VALUE_ESCAPED;
	if (scan->end - p < 2)
		return dyn_scan_fail(scan, p, "unterminated string");
	switch (p[1])
	{
		case '"':
		case '\\':
		case '/':
		case 'b':
		case 'f':
		case 'n':
		case 'r':
		case 't':
			return p + 2;
		case 'u':
			return skip_unicode_escape(scan, p, flags);
		default:
			return dyn_scan_fail(scan, p, "invalid escape");
	}
}

DYN_NOINLINE const char *
dyn_scan_string_slow(DynJson *scan, const char *p, uint8_t *flags)
{
	for (;;)
	{
		p = skip_plain(p, scan->end);
		if (p == scan->end)
			return dyn_scan_fail(scan, p, "unterminated string");
		if (*p == '"')
			return p;
		if (*p == '\\')
			p = skip_escape(scan, p, flags);
		else if ((unsigned char) *p >= 0x80)
			p = skip_utf8(scan, p);
		else
			return dyn_scan_fail(scan, p, "control character in string");
		if (p == NULL)
			return NULL;
	}
}

/* ---- Numbers ---- */

/* Skips digits, of which there must be at least one. */
static const char *
skip_digits(DynJson *scan, const char *p)
{
	const char *start = p;

	while (p < scan->end && *p >= '0' && *p <= '9')
		p++;
	return p > start ? p : dyn_scan_fail(scan, start, "malformed number");
}

const char *
dyn_scan_number(DynJson *scan, const char *p)
{
	const char *end = scan->end;

	if (p < end && *p == '-')
		p++;
	/* no other digit may follow a leading zero */
	if (p < end && *p == '0')
		p++;
	else if ((p = skip_digits(scan, p)) == NULL)
		return NULL;
	if (p < end && *p == '.')
	{
		p = skip_digits(scan, p + 1);
		if (p == NULL)
			return NULL;
	}
	if (p < end && (*p == 'e' || *p == 'E'))
	{
		p++;
		if (p < end && (*p == '+' || *p == '-'))
			p++;
		p = skip_digits(scan, p);
	}
	return p;
}

/* ---- Complete values ---- */

static const char *
scan_scalar(DynJson *scan, const char *p)
{
	uint8_t		flags = 0;

	switch (*p)
	{
		case '"':
			p = dyn_scan_string(scan, p + 1, &flags);
			return p == NULL ? NULL : p + 1;
		case 't':
			return dyn_scan_literal(scan, p, "true");
		case 'f':
			return dyn_scan_literal(scan, p, "false");
		case 'n':
			return dyn_scan_literal(scan, p, "null");
		default:
			if (*p == '-' || (*p >= '0' && *p <= '9'))
				return dyn_scan_number(scan, p);
			return dyn_scan_fail(scan, p, "a value was expected");
	}
}

const char *
dyn_scan_double(DynJson *scan, const char *p, double *value)
{
	const char *start = p;
	char		text[64];

	p = dyn_scan_number(scan, p);
	if (p == NULL)
		return NULL;
	snprintf(text, sizeof(text), "%.*s", (int) (p - start), start);
	*value = strtod(text, NULL);
	return p;
}

const char *
dyn_scan_end(DynJson *scan, const char *p)
{
	while (p < scan->end && is_space(*p))
		p++;
	if (p < scan->end)
		return dyn_scan_fail(scan, p, "unexpected text after the value");
	return p;
}

/* ---- Names of open objects ---- */

/*
 * The hash table uses linear probing.  Names are removed in the reverse order
 * of their insertion, so the slot of a removed name can simply be cleared.
 * When the table grows, the names are inserted again in their original order.
 *
 * Anyone who can write to the DynamoDB table chooses the names.  The hash has a
 * secret seed and mixes all bits, so that names cannot be crafted to collide.
 */
static inline uint64_t
mix(uint64_t x)
{
	x ^= x >> 32;
	x *= UINT64_C(0x9e3779b97f4a7c15);
	x ^= x >> 29;
	x *= UINT64_C(0xd6e8feb86659fd93);
	return x ^ x >> 32;
}

void
dyn_duplicate_names_init(DynDuplicateNames *set)
{
	struct timespec now;

	memset(set, 0, sizeof(*set));
	/* seed from the clock and from addresses of memory */
	clock_gettime(CLOCK_MONOTONIC, &now);
	set->seed = mix((uint64_t) now.tv_nsec << 32 ^ (uint64_t) now.tv_sec ^
					(uint64_t) (uintptr_t) set ^
					mix((uint64_t) (uintptr_t) &now));
}

void
dyn_duplicate_names_free(DynDuplicateNames *set)
{
	free(set->names);
	free(set->table);
	free(set->text);
}

size_t
dyn_duplicate_names_memory(const DynDuplicateNames *set)
{
	return set->cap * (sizeof(DynOpenName) + 2 * sizeof(uint32_t)) + set->text_cap;
}

uint32_t
dyn_duplicate_names_hash(const DynDuplicateNames *set, const char *text, size_t len)
{
	uint64_t	h = set->seed ^ len;
	uint64_t	w;

	for (; len >= 8; text += 8, len -= 8)
	{
		memcpy(&w, text, 8);
		h = mix(h ^ w);
	}
	w = 0;
	memcpy(&w, text, len);
	h = mix(h ^ w);
	return (uint32_t) (h ^ h >> 32);
}

static void
enter(DynDuplicateNames *set, uint32_t index)
{
	uint32_t	slot = set->names[index].hash & set->mask;

	while (set->table[slot] != 0)
		slot = (slot + 1) & set->mask;
	set->table[slot] = index + 1;
	set->names[index].place = slot;
}

static bool
grow_names(DynDuplicateNames *set)
{
	uint32_t	cap = set->cap == 0 ? FIRST_NAMES : set->cap * 2;
	DynOpenName *names;
	uint32_t   *table;

	names = realloc(set->names, cap * sizeof(*names));
	if (names == NULL)
		return false;
	set->names = names;
	table = calloc((size_t) cap * 2, sizeof(*table));
	if (table == NULL)
		return false;
	free(set->table);
	set->table = table;
	set->cap = cap;
	set->mask = cap * 2 - 1;
	for (uint32_t i = 0; i < set->count; i++)
		enter(set, i);
	return true;
}

/* Returns true if the name in *open, after unescaping, is equal to `text`. */
static bool
reads_as(const DynOpenName *open, const char *text, size_t len)
{
	char	   *undone;
	bool		same;

	if (open->len == len && memcmp(open->name, text, len) == 0)
		return memchr(text, '\\', len) == NULL;
	if (open->len < len || memchr(open->name, '\\', open->len) == NULL)
		return false;

	/* rare: equal hashes almost always mean a duplicate, which is an error */
	undone = malloc(open->len);
	same = undone != NULL &&
		dyn_escape_undo(open->name, open->len, undone) == len &&
		memcmp(undone, text, len) == 0;
	free(undone);
	return same;
}

bool
dyn_duplicate_names_has(const DynDuplicateNames *set, uint32_t base,
						const char *text, size_t len, uint32_t hash)
{
	uint32_t	entry;

	if (set->count == base)
		return false;
	for (uint32_t slot = hash & set->mask; (entry = set->table[slot]) != 0;
		 slot = (slot + 1) & set->mask)
	{
		const DynOpenName *open = &set->names[entry - 1];

		if (entry > base && open->hash == hash && reads_as(open, text, len))
			return true;
	}
	return false;
}

bool
dyn_duplicate_names_push(DynDuplicateNames *set, const char *name, size_t len,
						 uint32_t hash)
{
	DynOpenName *open;

	if (set->count == set->cap && !grow_names(set))
		return false;
	open = &set->names[set->count];
	open->name = name;
	open->len = (uint32_t) len;
	open->hash = hash;
	enter(set, set->count);
	set->count++;
	return true;
}

void
dyn_duplicate_names_truncate(DynDuplicateNames *set, uint32_t base)
{
	while (set->count > base)
		set->table[set->names[--set->count].place] = 0;
}

/* ---- Members ---- */

/* Decodes a name into set->text; returns NULL if memory runs out. */
static const char *
unescaped(DynDuplicateNames *set, const char *name, size_t len,
		  size_t *text_len)
{
	if (len > set->text_cap)
	{
		char	   *text = realloc(set->text, len);

		if (text == NULL)
			return NULL;
		set->text = text;
		set->text_cap = len;
	}
	*text_len = dyn_escape_undo(name, len, set->text);
	return set->text;
}

const char *
dyn_scan_text(DynJson *scan, const char *p, DynJsonText *text,
			  const char *expected)
{
	const char *start = p + 1;
	uint8_t		flags;

	if (*p != '"')
		return dyn_scan_fail(scan, p, expected);
	p = dyn_scan_string(scan, start, &flags);
	if (p == NULL)
		return NULL;
	text->value = (DynValue) {start, (uint32_t) (p - start), DYN_TYPE_S, flags};
	text->text = start;
	text->len = p - start;
	if (flags & DYN_VALUE_ESCAPED)
		text->text = unescaped(scan->names, start, text->len, &text->len);
	if (text->text == NULL)
		return dyn_scan_fail(scan, start, "out of memory");
	return p + 1;
}

const char *
dyn_scan_colon(DynJson *scan, const char *p)
{
	p = dyn_scan_skip(scan, p);
	return p == NULL ? NULL
		: dyn_scan_expect(scan, p, ':', "a colon was expected");
}

const char *
dyn_scan_separator(DynJson *scan, const char *p, char closer, bool *done)
{
	p = dyn_scan_skip(scan, p);
	if (p == NULL)
		return NULL;
	if (*p == ',')
		return dyn_scan_skip(scan, p + 1);
	if (*p != closer)
		return dyn_scan_fail(scan, p, "a comma or bracket was expected");
	*done = true;
	return p + 1;
}

/* Reads the name of a member, and adds it to the names of the open object. */
static const char *
read_name(DynJson *scan, const char *p, uint32_t base, DynJsonText *name)
{
	DynDuplicateNames *names = scan->names;
	const char *quoted = p + 1;
	uint32_t	hash;

	p = dyn_scan_text(scan, p, name, "a name was expected");
	if (p == NULL)
		return NULL;
	hash = dyn_duplicate_names_hash(names, name->text, name->len);
	if (dyn_duplicate_names_has(names, base, name->text, name->len, hash))
		return dyn_scan_fail(scan, quoted, "duplicate name");
	if (!dyn_duplicate_names_push(names, quoted, name->value.len, hash))
		return dyn_scan_fail(scan, quoted, "out of memory");
	return dyn_scan_colon(scan, p);
}

const char *
dyn_scan_object(DynJson *scan, const char *p, DynMemberReader read, void *arg)
{
	uint32_t	base = scan->names->count;
	bool		done = false;
	DynJsonText name;

	p = dyn_scan_expect(scan, p, '{', "an object was expected");
	if (p != NULL && *p == '}')
		return p + 1;
	while (p != NULL && !done)
	{
		p = read_name(scan, p, base, &name);
		if (p != NULL)
			p = read(arg, p, &name);
		if (p != NULL)
			p = dyn_scan_separator(scan, p, '}', &done);
	}
	dyn_duplicate_names_truncate(scan->names, base);
	return p;
}

static const char *
skip_inside(void *arg, const char *p, const DynJsonText *name)
{
	return dyn_scan_value(arg, p);
}

const char *
dyn_scan_value(DynJson *scan, const char *p)
{
	if (*p != '{' && *p != '[')
		return scan_scalar(scan, p);
	if (scan->depth == DYN_SCAN_MAX_DEPTH)
		return dyn_scan_fail(scan, p, "nested too deeply");
	scan->depth++;
	p = *p == '{' ? dyn_scan_object(scan, p, skip_inside, scan)
		: dyn_scan_array(scan, p, skip_inside, scan, "");
	scan->depth--;
	return p;
}
