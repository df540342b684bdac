/*
 * page.h
 *		Reads responses that contain items, in one pass.
 *
 * dyn_page_parse reads the response of GetItem, BatchGetItem, Query or Scan
 * once, validates all of it (JSON grammar, UTF-8, escapes, attribute values,
 * duplicate names, depth), and records the positions of the wanted attributes.
 * Then dyn_page_next returns the items one by one as slots.  So a page is
 * accepted or rejected completely before its first row is returned.  Parsing
 * also finds LastEvaluatedKey, so the next request can be sent early.
 *
 * A DynPage owns these positions (the tape, 12 bytes each), a cache of
 * attribute names (at most 68 kB), and up to 64 bytes for each name that is not
 * in this cache (item.h).  Later pages reuse the memory.  The response buffer
 * and the path tree belong to the caller, and must not move or change while
 * the page is read.
 *
 * The rules are stricter than JSON's: duplicate names in an object, and JSON
 * escapes in N, are errors.  The consumer checks that B is valid base64
 * (dyn_value_bytes), and the range of N.
 */
#ifndef DYN_DYNAMODB_PAGE_H
#define DYN_DYNAMODB_PAGE_H

#include "attrvalue.h"

/* A step of a document path: a member name, or an index if `name` is NULL */
typedef struct DynStep
{
	const char *name;			/* name (UTF-8, unescaped, without U+0000) */
	uint32_t	name_len;
	uint32_t	index;
} DynStep;

/*
 * A document path, such as info.rating and tags[0], which have two steps
 * each.  A path without steps is the item itself, as a map.
 */
typedef struct DynPath
{
	const DynStep *steps;
	int			nsteps;			/* number of steps; steps[0] is a name */
} DynPath;

extern bool dyn_path_equal(const DynPath *a, const DynPath *b);

/* Returns true if `path` is equal to `above`, or inside it. */
extern bool dyn_path_is_inside(const DynPath *path, const DynPath *above);

/* Returns the position of `path` among the `n` paths, or -1. */
extern int	dyn_path_position(const DynPath *path, const DynPath *paths, int n);

typedef struct DynPathTree DynPathTree;

/*
 * Returns a tree compiled from `npaths` paths, with one slot for each path;
 * the caller frees it.  Paths are copied, may repeat, and may be prefixes of
 * other paths (info and info.rating).  Returns NULL if memory runs out or
 * there are more than 65535 paths.  If `npaths` is 0, items are only counted.
 */
extern DynPathTree *dyn_path_tree_create(const DynPath *paths, int npaths);
extern void dyn_path_tree_free(DynPathTree *tree);

typedef struct DynPageError
{
	size_t		offset;			/* position in the response (bytes) */
	const char *reason;			/* static string, e.g. "duplicate name" */
} DynPageError;

/* Bits of DynPage.members: members that are present and not null */
#define DYN_PAGE_ITEMS			0x001
#define DYN_PAGE_ITEM			0x002
#define DYN_PAGE_RESPONSES		0x004
#define DYN_PAGE_COUNT			0x008
#define DYN_PAGE_SCANNED_COUNT	0x010
#define DYN_PAGE_LAST_KEY		0x020
#define DYN_PAGE_UNPROCESSED	0x040
#define DYN_PAGE_UNITS			0x080	/* ConsumedCapacity */
#define DYN_PAGE_TYPE			0x100	/* __type, as in an error document */
#define DYN_PAGE_OTHER			0x200	/* unknown member */
#define DYN_PAGE_EMPTY_LAST_KEY 0x400	/* LastEvaluatedKey is null or {} */
#define DYN_PAGE_ATTRIBUTES		0x800	/* Attributes, which only responses to
										 * writes contain */

/* Maximum plausible units of a response; larger figures are ignored. */
#define DYN_PAGE_MOST_UNITS		1e7

/* A parsed response; must be zero-initialized. */
typedef struct DynPage
{
	/* valid after a successful dyn_page_parse */
	unsigned	members;		/* set of DYN_PAGE_... */
	uint64_t	nitems;			/* number of items in this response */
	int			ntables;		/* number of tables in Responses */
	DynValue	table;			/* first table name in Responses (type S) */
	uint64_t	count;			/* Count; with Select=COUNT, nitems is 0 */
	uint64_t	scanned_count;	/* ScannedCount; 0 if absent */
	double		units;			/* sum of CapacityUnits */
	bool		units_reported; /* false if the units are absent or
								 * implausible; then `units` is 0 */
	const char *last_key;		/* LastEvaluatedKey; NULL if absent or {} */
	size_t		last_key_len;
	const char *unprocessed;	/* UnprocessedKeys; NULL if absent or {} */
	size_t		unprocessed_len;

	/* private */
	struct DynPageTape *tape;
} DynPage;

extern void dyn_page_free(DynPage *page);

typedef enum DynPageDocument
{
	DYN_PARSE_RESPONSE,

	/*
	 * the UnprocessedKeys of a response (page->unprocessed): each key is read
	 * as an item, and page->ntables and page->table describe the keys' tables
	 */
	DYN_PARSE_KEYS,
	DYN_PARSE_ITEM			/* an item, such as the Attributes of a write */
} DynPageDocument;

/*
 * Parses a complete document.  Returns false, with *error set, on illegal
 * input or if memory runs out (reason "out of memory").
 */
extern bool dyn_page_parse(DynPage *page, DynPageDocument document,
						   const DynPathTree *tree, const char *buf,
						   size_t len, DynPageError *error);

/* Returns the number of bytes that the page has allocated. */
extern size_t dyn_page_memory(const DynPage *page);

/*
 * A position among the items of a page.  Several scans may each have a cursor
 * on one page.  A cursor is valid until the page is parsed again or freed.
 */
typedef struct DynPageCursor
{
	const DynPage *page;
	uint64_t	given;			/* number of items returned so far */

	/* private */
	size_t		entry;			/* index of the next entry on the tape */
	uint32_t	run;			/* number of items returned so far from the run
								 * (item.h) at this entry */
} DynPageCursor;

/* Positions the cursor at the first item. */
extern void dyn_page_cursor_init(DynPageCursor *cursor, const DynPage *page);

/*
 * Stores the next item in `slots`, one DynValue for each slot of the tree;
 * returns false after the last item.  A slot is DYN_TYPE_ABSENT if the item
 * has no such attribute, or if the path leads through a value that is not a
 * map or list.
 */
extern bool dyn_page_next(DynPageCursor *cursor, DynValue *slots);

#endif
