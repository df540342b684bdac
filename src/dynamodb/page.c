/*
 * page.c
 *		Parses responses and returns their items.
 *
 * A response is an object with a few members in any order.  The array
 * `members` lists the known members, most with a function that validates the
 * value and sets the fields of DynPage.  All other values are validated and
 * skipped; unknown members are accepted, because the service adds members
 * without notice.  A member that is null counts as absent.
 */
#include "page.h"

#include <stdlib.h>

#include "../base/macros.h"
#include "item.h"

/* ---- Items ---- */

static const char *
read_item(void *arg, const char *p, const DynJsonText *name)
{
	DynItemParser *r = arg;

	if (*p != '{')
		return dyn_scan_fail(&r->scan, p, "an item was expected");
	p = dyn_item_read(r, p, true);
	if (p != NULL)
		r->page->nitems++;
	return p;
}

static const char *
read_items(void *arg, const char *p, const DynJsonText *name)
{
	DynItemParser *r = arg;

	return dyn_scan_array(&r->scan, p, read_item, r,
						  "an array of items was expected");
}

static void
note_table(DynItemParser *r, const DynJsonText *name)
{
	if (r->page->ntables++ == 0)
		r->page->table = name->value;
}

static const char *
read_table_items(void *arg, const char *p, const DynJsonText *name)
{
	note_table(arg, name);
	return read_items(arg, p, name);
}

/* Reads Responses, an object with an array of items for each table. */
static const char *
read_responses(void *arg, const char *p, const DynJsonText *name)
{
	DynItemParser *r = arg;

	return dyn_scan_object(&r->scan, p, read_table_items, r);
}

/* ---- Members other than items ---- */

static const char *
read_count(void *arg, const char *p, const DynJsonText *name)
{
	DynItemParser *r = arg;
	DynJson    *scan = &r->scan;
	uint64_t   *count = dyn_member_is(name, "Count") ? &r->page->count
		: &r->page->scanned_count;
	const char *start = p;

	p = dyn_scan_number(scan, p);
	if (p == NULL)
		return NULL;
	if (p - start > 18)
		return dyn_scan_fail(scan, start, "a count was expected");
	*count = 0;
	for (; start < p; start++)
	{
		if (*start < '0' || *start > '9')
			return dyn_scan_fail(scan, start, "a count was expected");
		*count = *count * 10 + (uint64_t) (*start - '0');
	}
	return p;
}

/* Returns true if the object at `p`, which is valid, has no members. */
static bool
is_empty_object(DynJson *scan, const char *p)
{
	return *dyn_scan_skip(scan, p + 1) == '}';
}

/* Validates LastEvaluatedKey like an item, and records its position. */
static const char *
read_last_key(void *arg, const char *p, const DynJsonText *name)
{
	DynItemParser *r = arg;
	const char *key = p;

	if (*p != '{')
		return dyn_scan_fail(&r->scan, p, "a key was expected");
	p = dyn_item_read(r, p, false);
	if (p == NULL)
		return NULL;
	if (is_empty_object(&r->scan, key))
	{
		r->page->members |= DYN_PAGE_EMPTY_LAST_KEY;
		return p;
	}
	r->page->last_key = key;
	r->page->last_key_len = p - key;
	return p;
}

static const char *
read_unprocessed(void *arg, const char *p, const DynJsonText *name)
{
	DynItemParser *r = arg;
	const char *keys = p;

	if (*p != '{')
		return dyn_scan_fail(&r->scan, p, "an object was expected");
	p = dyn_scan_value(&r->scan, p);
	if (p != NULL && !is_empty_object(&r->scan, keys))
	{
		r->page->unprocessed = keys;
		r->page->unprocessed_len = p - keys;
	}
	return p;
}

/*
 * Adds CapacityUnits, which include the other members of ConsumedCapacity.
 * Ignores impossibly large units, because they would distort the totals.
 */
static const char *
read_units_member(void *arg, const char *p, const DynJsonText *name)
{
	DynItemParser *r = arg;
	double		units;

	if (!dyn_member_is(name, "CapacityUnits") || *p == 'n')
		return dyn_scan_value(&r->scan, p);
	p = dyn_scan_double(&r->scan, p, &units);
	if (p != NULL && units >= 0 && units <= DYN_PAGE_MOST_UNITS)
	{
		r->page->units += units;
		r->page->units_reported = true;
	}
	return p;
}

static const char *
read_table_units(void *arg, const char *p, const DynJsonText *name)
{
	DynItemParser *r = arg;

	return dyn_scan_object(&r->scan, p, read_units_member, r);
}

static const char *
read_units(void *arg, const char *p, const DynJsonText *name)
{
	DynItemParser *r = arg;

	return *p == '[' ? dyn_scan_array(&r->scan, p, read_table_units, r, "")
		: read_table_units(r, p, name);
}

/* ---- The response ---- */

typedef struct Member
{
	const char *name;
	DynMemberReader read;
	unsigned	bit;			/* bit in DynPage.members */
} Member;

static const Member members[] =
{
	{"Items", read_items, DYN_PAGE_ITEMS},
	{"Item", read_item, DYN_PAGE_ITEM},
	{"Responses", read_responses, DYN_PAGE_RESPONSES},
	{"Count", read_count, DYN_PAGE_COUNT},
	{"ScannedCount", read_count, DYN_PAGE_SCANNED_COUNT},
	{"LastEvaluatedKey", read_last_key, DYN_PAGE_LAST_KEY},
	{"UnprocessedKeys", read_unprocessed, DYN_PAGE_UNPROCESSED},
	{"ConsumedCapacity", read_units, DYN_PAGE_UNITS},
	{"Attributes", NULL, DYN_PAGE_ATTRIBUTES},
	{"__type", NULL, DYN_PAGE_TYPE},
};

static const char *
read_member(void *arg, const char *p, const DynJsonText *name)
{
	static const Member other = {"", NULL, DYN_PAGE_OTHER};
	DynItemParser *r = arg;
	const Member *member = members;

	while (member < members + LENGTHOF(members) &&
		   !dyn_member_is(name, member->name))
		member++;
	if (member == members + LENGTHOF(members))
		member = &other;
	if (*p != 'n')
		r->page->members |= member->bit;
	else if (member->bit == DYN_PAGE_LAST_KEY)
		r->page->members |= DYN_PAGE_EMPTY_LAST_KEY;
	if (member->read == NULL || *p == 'n')
		return dyn_scan_value(&r->scan, p);
	return member->read(r, p, name);
}

/* ---- UnprocessedKeys: an object with a request for each table ---- */

static const char *
read_keys_member(void *arg, const char *p, const DynJsonText *name)
{
	DynItemParser *r = arg;

	return dyn_member_is(name, "Keys") ? read_items(r, p, name)
		: dyn_scan_value(&r->scan, p);
}

static const char *
read_table_keys(void *arg, const char *p, const DynJsonText *name)
{
	DynItemParser *r = arg;

	note_table(r, name);
	return dyn_scan_object(&r->scan, p, read_keys_member, r);
}

/* ---- The page ---- */

void
dyn_page_free(DynPage *page)
{
	DynPageTape *tape = page->tape;

	if (tape != NULL)
	{
		free(tape->entries);
		dyn_duplicate_names_free(&tape->names);
		free(tape->name_cache.entries);
		free(tape);
	}
	memset(page, 0, sizeof(*page));
}

size_t
dyn_page_memory(const DynPage *page)
{
	const DynPageTape *tape = page->tape;

	if (tape == NULL)
		return 0;
	return sizeof(*tape) + tape->cap * sizeof(DynTapeEntry) +
		dyn_duplicate_names_memory(&tape->names) +
		tape->name_cache.cap * sizeof(DynNameEntry);
}

/* Empties the page, keeping its memory; returns false if memory runs out. */
static bool
clear_page(DynPage *page, const DynPathTree *tree, const char *buf)
{
	DynPageTape *tape = page->tape;

	memset(page, 0, sizeof(*page));
	if (tape == NULL)
	{
		tape = calloc(1, sizeof(*tape));
		if (tape == NULL)
			return false;
		dyn_duplicate_names_init(&tape->names);
	}
	page->tape = tape;
	dyn_duplicate_names_truncate(&tape->names, 0);
	tape->count = 0;
	tape->tree = tree;
	tape->buf = buf;
	return dyn_name_cache_reset(&tape->name_cache, tree);
}

static bool
fail(DynPageError *error, size_t offset, const char *reason)
{
	*error = (DynPageError) {offset, reason};
	return false;
}

bool
dyn_page_parse(DynPage *page, DynPageDocument document, const DynPathTree *tree,
			   const char *buf, size_t len, DynPageError *error)
{
	DynItemParser r;
	const char *p;

	if (!clear_page(page, tree, buf))
		return fail(error, 0, "out of memory");
	if (len > UINT32_MAX)
		return fail(error, 0, "the response is too large");
	r.scan = (DynJson) {.buf = buf, .end = buf + len, .names = &page->tape->names};
	r.page = page;
	r.tape = page->tape;
	r.tree = tree;
	r.objects = 0;

	p = dyn_scan_skip(&r.scan, buf);
	if (p != NULL)
		p = document == DYN_PARSE_ITEM ? read_item(&r, p, NULL)
			: dyn_scan_object(&r.scan, p, document == DYN_PARSE_KEYS ?
							  read_table_keys : read_member, &r);
	if (p != NULL && dyn_scan_end(&r.scan, p) != NULL)
		return true;
	/* a page that cannot be parsed is empty */
	clear_page(page, tree, buf);
	return fail(error, r.scan.err - buf, r.scan.reason);
}

void
dyn_page_cursor_init(DynPageCursor *cursor, const DynPage *page)
{
	*cursor = (DynPageCursor) {.page = page};
}

/*
 * Values are prefetched into the CPU cache this many tape entries ahead, since
 * they are read long after parsing, when the page has left the cache.
 */
#define PREFETCH_AHEAD	16

static DYN_HOT void
fill_slots(DynPageCursor *cursor, const DynPageTape *tape, DynValue *slots)
{
	const DynTapeEntry *entry = &tape->entries[cursor->entry];
	const DynTapeEntry *end = tape->entries + tape->count;
	const char *buf = tape->buf;
	uint8_t		flags;

	do
	{
		DynValue   *value = &slots[entry->slot];

		if (end - entry > PREFETCH_AHEAD)
			__builtin_prefetch(buf + entry[PREFETCH_AHEAD].offset);
		flags = entry->flags;
		value->data = buf + entry->offset;
		value->len = entry->len;
		value->type = entry->type;
		value->flags = flags & ~DYN_TAPE_LAST;
		entry++;
	} while ((flags & DYN_TAPE_LAST) == 0);
	cursor->entry = entry - tape->entries;
}

bool
dyn_page_next(DynPageCursor *cursor, DynValue *slots)
{
	const DynPageTape *tape = cursor->page->tape;

	if (tape == NULL || cursor->entry == tape->count)
		return false;
	cursor->given++;
	memset(slots, 0, tape->tree->nslots * sizeof(*slots));
	if (tape->entries[cursor->entry].type == DYN_TYPE_ABSENT)
	{
		/* the item belongs to a run of items without wanted attributes */
		if (++cursor->run == tape->entries[cursor->entry].len)
		{
			cursor->entry++;
			cursor->run = 0;
		}
		return true;
	}
	fill_slots(cursor, tape, slots);
	for (int i = 0; i < tape->tree->naliases; i++)
		slots[tape->tree->aliases[i].to] = slots[tape->tree->aliases[i].from];
	return true;
}
