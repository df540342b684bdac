/*
 * item.c
 *		Reads attribute values in one pass, the extension's innermost loop.
 *
 * An attribute value is a JSON object with exactly one member, such as
 * {"S":"x"}.  The member's name is the type tag, and its value the payload.
 *
 * Each step first tries the bytes that DynamoDB itself would send: no white
 * space, no escapes in tags, the names of the previous item.  If the bytes
 * differ, general code reads any legal JSON, and leads to the same state.
 *
 * Between steps, the position is before the end of the text, because
 * dyn_scan_skip, which moves to the next token, fails at the end.  Only after
 * an item can the position be the end of the text.
 */
#include "item.h"

#include <stdlib.h>

/* The place of a value in the path tree, and in the name cache (item.h) */
typedef struct Place
{
	const DynPathNode *want;	/* node in the path tree, or NULL */
	uint16_t	context;		/* index of the value's name in the name
								 * cache: the context of names inside it */
} Place;

#define FIRST_ENTRIES	64
#define INITIAL_ENTRIES		32
#define DYN_NAME_GUESSES	4	/* expected names compared before a lookup */

/* ---- The tape ---- */

static DYN_NOINLINE bool
grow_tape(DynPageTape *tape)
{
	size_t		cap = tape->cap == 0 ? FIRST_ENTRIES :
		tape->cap + tape->cap / 2;
	DynTapeEntry *entries = realloc(tape->entries, cap * sizeof(*entries));

	if (entries == NULL)
		return false;
	tape->entries = entries;
	tape->cap = cap;
	return true;
}

static DYN_HOT bool
put(DynItemParser *r, const DynPathNode *want, DynType type, uint8_t flags,
	const char *data, const char *end)
{
	DynPageTape *tape = r->tape;
	DynTapeEntry *entry;

	if (want == NULL || want->slot == DYN_PATH_TREE_NO_SLOT)
		return true;
	/* analyzer: tape->entries is not leaked: dyn_page_free frees it */
	if (DYN_UNLIKELY(tape->count == tape->cap) && !grow_tape(tape))
		return dyn_scan_fail(&r->scan, data, "out of memory") != NULL;
	entry = &tape->entries[tape->count++];
	entry->offset = (uint32_t) (data - r->scan.buf);
	entry->len = (uint32_t) (end - data);
	entry->slot = (uint16_t) want->slot;
	entry->type = (uint8_t) type;
	entry->flags = flags;
	return true;
}

/*
 * Ends the item whose tape entries begin at `first`, and marks its last entry.
 * An item without entries is counted in the entry of a run (item.h).
 */
static DYN_HOT bool
end_item(DynItemParser *r, size_t first, const char *at)
{
	DynPageTape *tape = r->tape;
	DynTapeEntry *entry;

	if (DYN_LIKELY(tape->count > first))
	{
		tape->entries[tape->count - 1].flags |= DYN_TAPE_LAST;
		return true;
	}
	if (first > 0)
	{
		entry = &tape->entries[first - 1];
		if (entry->type == DYN_TYPE_ABSENT)
		{
			entry->len++;
			return true;
		}
	}
	if (tape->count == tape->cap && !grow_tape(tape))
		return dyn_scan_fail(&r->scan, at, "out of memory") != NULL;
	entry = &tape->entries[tape->count++];
	memset(entry, 0, sizeof(*entry));
	entry->len = 1;
	return true;
}

/* ---- The name cache ---- */

static bool
grow_cache(DynNameCache *name_cache)
{
	uint32_t	cap = name_cache->cap == 0 ? INITIAL_ENTRIES : name_cache->cap * 2;
	DynNameEntry *entries = realloc(name_cache->entries, cap * sizeof(*entries));

	if (entries == NULL)
		return false;
	name_cache->entries = entries;
	name_cache->cap = cap;
	return true;
}

bool
dyn_name_cache_reset(DynNameCache *name_cache, const DynPathTree *tree)
{
	if (name_cache->cap == 0 && !grow_cache(name_cache))
		return false;
	if (name_cache->count > 1)
		memset(name_cache->table, 0, sizeof(name_cache->table));
	memset(&name_cache->entries[0], 0, sizeof(name_cache->entries[0]));
	name_cache->entries[0].want = &tree->nodes[0];
	name_cache->count = 1;
	return true;
}

static inline uint32_t
first_slot(uint16_t context, uint32_t hash)
{
	return (hash + context * UINT32_C(0x9e3779b1)) % DYN_NAME_CACHE_SLOTS;
}

/* Returns the index of the name's entry; DYN_NAME_ROOT if it has no entry. */
static uint16_t
find_entry(const DynNameCache *name_cache, uint16_t context, const char *name,
		   size_t len, uint32_t hash)
{
	uint32_t	slot = first_slot(context, hash);
	uint16_t	index;

	while ((index = name_cache->table[slot]) != 0)
	{
		const DynNameEntry *entry = &name_cache->entries[index];

		if (entry->hash == hash && entry->parent == context &&
			entry->len == len && memcmp(entry->name, name, len) == 0)
			return index;
		slot = (slot + 1) % DYN_NAME_CACHE_SLOTS;
	}
	return DYN_NAME_ROOT;
}

/* Returns the index of a new entry; DYN_NAME_ROOT if there is no space. */
static uint16_t
add_entry(DynNameCache *name_cache, uint16_t context, const char *name,
		  size_t len, uint32_t hash, const DynPathNode *want)
{
	uint32_t	slot = first_slot(context, hash);
	size_t		size = len + 3;
	DynNameEntry *entry;

	if (name_cache->count == DYN_NAME_CACHE_MAX ||
		(name_cache->count == name_cache->cap && !grow_cache(name_cache)))
		return DYN_NAME_ROOT;
	while (name_cache->table[slot] != 0)
		slot = (slot + 1) % DYN_NAME_CACHE_SLOTS;
	name_cache->table[slot] = (uint16_t) name_cache->count;

	entry = &name_cache->entries[name_cache->count];
	memset(entry, 0, sizeof(*entry));
	entry->name = name;
	entry->len = (uint32_t) len;
	entry->hash = hash;
	entry->parent = context;
	entry->want = want;
	if (size <= sizeof(entry->prefix))
	{
		entry->prefix[0] = '"';
		memcpy(entry->prefix + 1, name, len);
		entry->prefix[size - 2] = '"';
		entry->prefix[size - 1] = ':';
		entry->mask = (UINT32_C(1) << size) - 1;
	}
	return (uint16_t) name_cache->count++;
}

/* Returns true if `"name":` is at `p`, where 32 bytes must be readable. */
static DYN_HOT bool
entry_matches(const DynNameEntry *entry, const char *p, const char *end)
{
#ifdef DYN_SCAN_SSE2
	const __m128i *want = (const __m128i *) entry->prefix;
	const __m128i *have = (const __m128i *) p;
	uint32_t	same;

	same = (uint32_t) _mm_movemask_epi8(
		_mm_cmpeq_epi8(_mm_loadu_si128(have), _mm_loadu_si128(want)));
	/* entry->mask has no bits for bytes 24 to 31 (`mask` and `seen`) */
	same |= (uint32_t) _mm_movemask_epi8(
		_mm_cmpeq_epi8(_mm_loadu_si128(have + 1),
					   _mm_loadu_si128(want + 1))) << 16;
	if (DYN_LIKELY(entry->mask != 0))
		return (same & entry->mask) == entry->mask;
#else
	if (DYN_LIKELY(entry->mask != 0))
		return memcmp(p, entry->prefix, entry->len + 3) == 0;
#endif
	return entry->len > 0 && (size_t) (end - p) >= entry->len + 3 &&
		memcmp(p + 1, entry->name, entry->len) == 0 &&
		p[0] == '"' && p[entry->len + 1] == '"' && p[entry->len + 2] == ':';
}

/* ---- Names ---- */

/*
 * Takes the name in entry `index` of the name cache as the next name of the
 * frame (an open object), and sets *place; returns false if the frame already
 * has this name.
 */
static DYN_HOT bool
take_entry(DynItemParser *r, DynFrame *f, uint16_t index, const char *at,
		   Place *place)
{
	DynNameEntry *entry = &r->tape->name_cache.entries[index];

	if (DYN_UNLIKELY(entry->seen == f->object))
		return dyn_scan_fail(&r->scan, at, "duplicate name") != NULL;
	entry->seen = f->object;
	f->prev = index;
	f->guess = entry->next;
	place->want = entry->want;
	place->context = index;
	return true;
}

/* Takes an entry that was not expected, and records it as expected here. */
static bool
take_found_entry(DynItemParser *r, DynFrame *f, uint16_t index, const char *at,
				 Place *place)
{
	DynNameEntry *entries = r->tape->name_cache.entries;

	if (f->prev == DYN_NAME_ROOT)
		entries[f->context].first = index;
	else
		entries[f->prev].next = index;
	return take_entry(r, f, index, at, place);
}

/* Looks up (or caches) a name, and sets *place; returns false on error. */
static bool
look_up(DynItemParser *r, DynFrame *f, const DynJsonText *name, Place *place)
{
	DynNameCache *name_cache = &r->tape->name_cache;
	DynDuplicateNames *names = &r->tape->names;
	const char *at = name->value.data;
	uint32_t	hash = dyn_duplicate_names_hash(names, name->text, name->len);
	uint16_t	index = DYN_NAME_ROOT;

	if (f->context != DYN_NAME_NONE)
		index = find_entry(name_cache, f->context, name->text, name->len, hash);
	if (index != DYN_NAME_ROOT)
		return take_found_entry(r, f, index, at, place);
	if (dyn_duplicate_names_has(names, f->base, name->text, name->len, hash))
		return dyn_scan_fail(&r->scan, at, "duplicate name") != NULL;

	place->want = dyn_path_tree_member(r->tree, f->want, name->text, name->len);
	place->context = DYN_NAME_NONE;
	if (f->context != DYN_NAME_NONE && name->text == at)
		index = add_entry(name_cache, f->context, at, name->len, hash,
						  place->want);
	if (index != DYN_NAME_ROOT)
		return take_found_entry(r, f, index, at, place);
	return dyn_duplicate_names_push(names, at, name->value.len, hash) ||
		dyn_scan_fail(&r->scan, at, "out of memory") != NULL;
}

/* Reads any name and the colon; returns the position of the value. */
static DYN_NOINLINE const char *
read_name_slow(DynItemParser *r, DynFrame *f, const char *p, Place *place)
{
	DynJsonText name;

	p = dyn_scan_text(&r->scan, p, &name, "an attribute name was expected");
	if (p == NULL || !look_up(r, f, &name, place))
		return NULL;
	return dyn_scan_colon(&r->scan, p);
}

static DYN_HOT const char *
read_name(DynItemParser *r, DynFrame *f, const char *p, Place *place)
{
	const DynNameEntry *entries = r->tape->name_cache.entries;
	const char *end = r->scan.end;
	uint16_t	index = f->guess;

	if (DYN_UNLIKELY(end - p < 32))
		return read_name_slow(r, f, p, place);
	for (int i = 0; i < DYN_NAME_GUESSES; i++)
	{
		if (DYN_LIKELY(entry_matches(&entries[index], p, end)))
		{
			if (!take_entry(r, f, index, p + 1, place))
				return NULL;
			return dyn_scan_skip(&r->scan, p + entries[index].len + 3);
		}
		index = entries[index].next;
	}
	return read_name_slow(r, f, p, place);
}

/* ---- Type tags ---- */

/* Reads any valid {"TAG": and returns the position of the payload. */
static DYN_NOINLINE const char *
read_tag_slow(DynItemParser *r, const char *p, DynType *type)
{
	DynJsonText tag;

	p = dyn_scan_expect(&r->scan, p, '{', "an attribute value was expected");
	if (p != NULL)
		p = dyn_scan_text(&r->scan, p, &tag, "a type tag was expected");
	if (p == NULL)
		return NULL;
	*type = dyn_type_of_name(tag.text, tag.len);
	if (*type == DYN_TYPE_ABSENT)
		return dyn_scan_fail(&r->scan, tag.value.data, "unrecognized type tag");
	return dyn_scan_colon(&r->scan, p);
}

/* True if the string literal `text` is at `p` */
#define STANDS(p, text)	(memcmp(p, text, sizeof(text) - 1) == 0)

static DYN_HOT const char *
read_tag(DynItemParser *r, const char *p, DynType *type)
{
	if (DYN_LIKELY(r->scan.end - p >= 16))
	{
		if (STANDS(p, "{\"S\":\""))
		{
			*type = DYN_TYPE_S;
			return p + 5;
		}
		if (STANDS(p, "{\"N\":\""))
		{
			*type = DYN_TYPE_N;
			return p + 5;
		}
		if (STANDS(p, "{\"M\":{"))
		{
			*type = DYN_TYPE_M;
			return p + 5;
		}
		if (STANDS(p, "{\"L\":["))
		{
			*type = DYN_TYPE_L;
			return p + 5;
		}
		if (STANDS(p, "{\"BOOL\":"))
		{
			*type = DYN_TYPE_BOOL;
			return dyn_scan_skip(&r->scan, p + 8);
		}
		if (STANDS(p, "{\"NULL\":"))
		{
			*type = DYN_TYPE_NULL;
			return dyn_scan_skip(&r->scan, p + 8);
		}
	}
	return read_tag_slow(r, p, type);
}

/* ---- Payloads ---- */

static DYN_NOINLINE const char *
read_decimal_slow(DynJson *scan, const char *p)
{
	const char *start = p;
	int			digits = 0;

	if (p < scan->end && (*p == '-' || *p == '+'))
		p++;
	for (; p < scan->end && *p >= '0' && *p <= '9'; p++)
		digits++;
	if (p < scan->end && *p == '.')
		p++;
	for (; p < scan->end && *p >= '0' && *p <= '9'; p++)
		digits++;
	if (digits > 0 && p < scan->end && (*p == 'e' || *p == 'E'))
	{
		p++;
		if (p < scan->end && (*p == '-' || *p == '+'))
			p++;
		for (digits = 0; p < scan->end && *p >= '0' && *p <= '9'; p++)
			digits++;
	}
	if (digits == 0 || p == scan->end || *p != '"')
		return dyn_scan_fail(scan, start, "malformed number");
	return p;
}

/*
 * Reads the number after an opening quote; returns the position of the closing
 * quote.  Checks only the syntax; base/number.h checks the range.
 */
static DYN_HOT const char *
read_decimal(DynJson *scan, const char *p)
{
#ifdef DYN_SCAN_SSE2
	if (DYN_LIKELY(scan->end - p >= 32))
	{
		const char *q = p + (*p == '-');
		__m128i		v = _mm_sub_epi8(_mm_loadu_si128((const __m128i *) q),
									 _mm_set1_epi8('0'));
		__m128i		digit = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(9)), v);
		uint32_t	others = ~(uint32_t) _mm_movemask_epi8(digit);
		int			full = __builtin_ctz(others);

		if (DYN_LIKELY(full > 0 && q[full] == '"'))
			return q + full;
		if (full > 0 && full < 15 && q[full] == '.')
		{
			int			all = full + 1 + __builtin_ctz(others >> (full + 1));

			if (all > full + 1 && q[all] == '"')
				return q + all;
		}
	}
#endif
	return read_decimal_slow(scan, p);
}

static DYN_HOT const char *
read_string(DynItemParser *r, const char *p, DynType type, uint8_t *flags)
{
	if (DYN_UNLIKELY(*p != '"'))
		return dyn_scan_fail(&r->scan, p, "a string was expected");
	if (type == DYN_TYPE_N)
	{
		*flags = 0;
		return read_decimal(&r->scan, p + 1);
	}
	return dyn_scan_string(&r->scan, p + 1, flags);
}

static DYN_HOT const char *
read_text(DynItemParser *r, const char *p, const Place *place, DynType type)
{
	const char *data = p + 1;
	uint8_t		flags;

	p = read_string(r, p, type, &flags);
	/* analyzer: `flags` is set if p is not NULL; the caller has set *place */
	if (DYN_UNLIKELY(p == NULL) ||
		DYN_UNLIKELY(!put(r, place->want, type, flags, data, p)))
		return NULL;
	return p + 1;
}

/* Reads the word of a BOOL (true or false) or of a NULL (true). */
static const char *
read_word(DynItemParser *r, const char *p, const Place *place, DynType type)
{
	const char *data = p;
	bool		is_false = type == DYN_TYPE_BOOL && *p != 't';
	uint8_t		flags = type == DYN_TYPE_BOOL && !is_false ? DYN_VALUE_TRUE : 0;

	/* constant strings let the compiler compare machine words */
	p = is_false ? dyn_scan_literal(&r->scan, p, "false")
		: dyn_scan_literal(&r->scan, p, "true");
	/* analyzer: place->want is initialized: the caller has set *place */
	if (p == NULL || !put(r, place->want, type, flags, data, data))
		return NULL;
	return p;
}

/* Reads the payload of an SS, NS or BS, which has at least one string. */
static DYN_NOINLINE const char *
read_set(DynItemParser *r, const char *p, const Place *place, DynType type)
{
	const char *data = p;
	uint32_t	nuls = r->scan.nuls;
	uint8_t		flags;

	p = dyn_scan_expect(&r->scan, p, '[', "an array was expected");
	while (p != NULL)
	{
		p = read_string(r, p, type == DYN_TYPE_NS ? DYN_TYPE_N : DYN_TYPE_S,
						&flags);
		if (p != NULL)
			p = dyn_scan_skip(&r->scan, p + 1);
		if (p == NULL || *p != ',')
			break;
		p = dyn_scan_skip(&r->scan, p + 1);
	}
	if (p == NULL)
		return NULL;
	if (*p != ']')
		return dyn_scan_fail(&r->scan, p, "a comma or bracket was expected");
	p++;
	flags = r->scan.nuls != nuls ? DYN_VALUE_HAS_NUL : 0;
	return put(r, place->want, type, flags, data, p) ? p : NULL;
}

/* ---- Frames ---- */

/* Opens the list or map at `p`; returns the position of its first token. */
static DYN_HOT const char *
open_frame(DynItemParser *r, const char *p, const Place *place, bool map)
{
	DynFrame   *f;

	if (DYN_UNLIKELY(*p != (map ? '{' : '[')))
		return dyn_scan_fail(&r->scan, p, map ? "an object was expected" :
							 "an array was expected");
	if (DYN_UNLIKELY(r->depth == DYN_MAX_DEPTH))
		return dyn_scan_fail(&r->scan, p, "nested too deeply");
	f = &r->frames[++r->depth];
	/* analyzer: place->want is initialized: the caller has set *place */
	f->want = place->want;
	f->start = p;
	f->nuls = r->scan.nuls;
	f->object = ++r->objects;
	f->base = r->tape->names.count;
	f->index = 0;
	f->context = place->context;
	f->prev = f->guess = DYN_NAME_ROOT;
	f->map = map;
	if (f->context != DYN_NAME_NONE)
	{
		if (map)
			f->guess = r->tape->name_cache.entries[f->context].first;
		else if (f->want != NULL && (f->want->has_names || f->want->has_indexes))
			f->context = DYN_NAME_NONE;
	}
	return dyn_scan_skip(&r->scan, p + 1);
}

static DYN_HOT const char *
end_value(DynItemParser *r, const char *p)
{
	p = dyn_scan_skip(&r->scan, p);
	if (DYN_UNLIKELY(p == NULL))
		return NULL;
	return dyn_scan_expect(&r->scan, p, '}',
						   "an attribute value must have exactly one member");
}

static DYN_HOT bool
at_closer(const DynFrame *f, const char *p)
{
	return *p == (f->map ? '}' : ']');
}

/* Closes the innermost frame, whose bracket is at `p`. */
static DYN_HOT const char *
close_frame(DynItemParser *r, const char *p)
{
	DynFrame   *f = &r->frames[r->depth--];

	p++;
	if (DYN_UNLIKELY(r->tape->names.count > f->base))
		dyn_duplicate_names_truncate(&r->tape->names, f->base);
	if (!put(r, f->want, f->map ? DYN_TYPE_M : DYN_TYPE_L,
			 r->scan.nuls != f->nuls ? DYN_VALUE_HAS_NUL : 0, f->start, p))
		return NULL;
	/* the item itself is not inside the braces of an attribute value */
	return r->depth < 0 ? p : end_value(r, p);
}

/* Reads a scalar or set, or opens a list or map, which increments r->depth. */
static DYN_HOT const char *
read_value(DynItemParser *r, const char *p, const Place *place)
{
	DynType		type;

	p = read_tag(r, p, &type);
	if (DYN_UNLIKELY(p == NULL))
		return NULL;
	switch (type)
	{
		case DYN_TYPE_S:
		case DYN_TYPE_B:
			p = read_text(r, p, place, type);
			break;
		case DYN_TYPE_N:
			p = read_text(r, p, place, DYN_TYPE_N);
			break;
		case DYN_TYPE_BOOL:
		case DYN_TYPE_NULL:
			p = read_word(r, p, place, type);
			break;
		case DYN_TYPE_L:
		case DYN_TYPE_M:
			return open_frame(r, p, place, type == DYN_TYPE_M);
		default:
			p = read_set(r, p, place, type);
			break;
	}
	return DYN_LIKELY(p != NULL) ? end_value(r, p) : NULL;
}

/* Reads the next member or element, but only opens a list or map. */
static DYN_HOT const char *
read_member(DynItemParser *r, const char *p)
{
	DynFrame   *f = &r->frames[r->depth];
	Place		place;

	if (f->map)
	{
		p = read_name(r, f, p, &place);
		if (DYN_UNLIKELY(p == NULL))
			return NULL;
	}
	else
	{
		place.want = dyn_path_tree_element(r->tree, f->want, f->index++);
		place.context = f->context;
	}
	return read_value(r, p, &place);
}

/* Moves to the next member or element; r->depth is -1 if the item ends. */
static DYN_HOT const char *
next_member(DynItemParser *r, const char *p)
{
	while (*p != ',')
	{
		if (DYN_UNLIKELY(!at_closer(&r->frames[r->depth], p)))
			return dyn_scan_fail(&r->scan, p,
								 "a comma or bracket was expected");
		p = close_frame(r, p);
		if (DYN_UNLIKELY(p == NULL) || r->depth < 0)
			return p;
	}
	return dyn_scan_skip(&r->scan, p + 1);
}

static const char *
read_frames(DynItemParser *r, const char *p, const Place *root)
{
	r->depth = -1;
	p = open_frame(r, p, root, true);
	if (p != NULL && *p == '}')
		return close_frame(r, p);
	while (p != NULL)
	{
		int			depth = r->depth;

		p = read_member(r, p);
		if (DYN_UNLIKELY(p == NULL))
			return NULL;
		if (r->depth > depth && !at_closer(&r->frames[r->depth], p))
			continue;			/* opened a list or map that is not empty */
		p = next_member(r, p);
		if (r->depth < 0)
			break;
	}
	return p;
}

const char *
dyn_item_read(DynItemParser *r, const char *p, bool wanted)
{
	DynNameCache *name_cache = &r->tape->name_cache;
	size_t		first = r->tape->count;
	Place		root;

	if (DYN_UNLIKELY(name_cache->count == DYN_NAME_CACHE_MAX) &&
		!dyn_name_cache_reset(name_cache, r->tree))
		return dyn_scan_fail(&r->scan, p, "out of memory");
	root.want = wanted ? r->tree->nodes : NULL;
	root.context = wanted ? DYN_NAME_ROOT : DYN_NAME_NONE;
	p = read_frames(r, p, &root);
	if (p == NULL || !wanted)
		return p;
	return end_item(r, first, p) ? p : NULL;
}
