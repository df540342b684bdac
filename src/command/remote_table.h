/*
 * remote_table.h
 *		Lists, scans and samples DynamoDB tables for commands; declares the
 *		callbacks for ANALYZE and IMPORT FOREIGN SCHEMA.
 *
 * One Scan can serve several foreign tables.  First call dyn_item_scan_create,
 * and then dyn_item_scan_read and dyn_item_scan_view for all values that are
 * needed.  Then dyn_item_scan_start returns a fetch.  The fetch returns an
 * array of these values for each item; a slot is a position in this array.
 */
#ifndef DYN_COMMAND_REMOTE_TABLE_H
#define DYN_COMMAND_REMOTE_TABLE_H

#include "foreign/fdwapi.h"
#include "nodes/pg_list.h"

#include "../exec/fetch/fetch.h"
#include "../exec/rows/rows.h"

/*
 * Sends ListTables.  Returns the names (char *) that begin with the server's
 * table_prefix, but without the prefix, in CurrentMemoryContext.
 */
extern List *dyn_list_tables(DynConnection *connection);

/* ---- scans ---- */

typedef struct DynItemScan
{
	DynRelation *relation;
	const DynTableMeta *meta;
	DynAccess  *access;			/* access plan for all columns of `relation` */
	DynPath    *paths;			/* paths to read in an item, indexed by slot */
	int			npaths;
	DynRequests *requests;
	DynCounters counters;
} DynItemScan;

/* The conversion of a Scan's items to rows of one foreign table. */
typedef struct DynView
{
	DynRows    *rows;
	int			first;			/* first slot of the view in the Scan */
} DynView;

/* Returns a Scan of `relation` with no paths yet, in CurrentMemoryContext. */
extern DynItemScan *dyn_item_scan_create(DynRelation *relation,
										 const DynTableMeta *meta);

/*
 * Returns a Scan of a DynamoDB table, for which no foreign table is needed.
 * `options` are table options, which override the server's options, or NIL.
 */
extern DynItemScan *dyn_item_scan_of_table(DynConnection *connection,
										   const char *table,
										   const DynTableMeta *meta, List *options);

/* Adds adjacent slots for the values at `n` paths; returns the first slot. */
extern int	dyn_item_scan_read(DynItemScan *scan, const DynPath *paths, int n);

/* Adds slots for all columns of a foreign table; returns the table's view. */
extern DynView *dyn_item_scan_view(DynItemScan *scan, DynRelation *relation);

/* Begins to convert an item to rows (rows.h); `values` is indexed by slot. */
static inline void
dyn_view_begin(const DynView *view, const DynValue *values)
{
	dyn_rows_begin(view->rows, values + view->first);
}

/*
 * Starts a fetch.  If `limit` is 0, it reads the full table, in segments.
 * Otherwise, the caller may stop after a first page of at most `limit` items.
 */
extern DynFetch *dyn_item_scan_start(DynItemScan *scan, DynStatement *statement,
									 int limit);

/* Returns parameters for a fetch of scan->requests, without a page limit. */
extern DynFetchParams dyn_item_scan_params(DynItemScan *scan);

/* ---- samples ---- */

typedef struct DynSampleItem
{
	DynValue	map;			/* palloc'd copy of the full item */
	DynType		tag_type;		/* type of the tag attribute, or ABSENT */
	const char *tag;			/* value of the tag attribute: S in UTF-8, N in
								 * canonical form, or "true" or "false".  NULL
								 * for other types, and for an S with U+0000 */
} DynSampleItem;

typedef struct DynSample
{
	DynConnection *connection;
	const char *table;			/* table name in DynamoDB */
	EState	   *estate;			/* executor state for dyn_sample_take */
	const char *tag;			/* attribute (UTF-8) whose value is stored in
								 * DynSampleItem.tag, or NULL */
	int			limit;			/* maximum number of items */

	const DynTableMeta *meta;	/* description; NULL if not read yet */
	List	   *items;			/* items (DynSampleItem *) */
	bool		taken;			/* true if dyn_sample_take has set `items` */
} DynSample;

/*
 * dyn_sample_describe and dyn_sample_take are callbacks for dyn_attempt(), so
 * that the caller can handle denied requests.  `sample` is a DynSample *.
 * Results are in CurrentMemoryContext.
 */

/* Sends DescribeTable, even if a description is cached; sets `meta`. */
extern void dyn_sample_describe(void *sample);

/* Returns false if DynamoDB allows no reads in the table's current state. */
extern bool dyn_sample_is_readable(const DynSample *sample);

/* If the table is readable, reads one page of items, and sets `items`. */
extern void dyn_sample_take(void *sample);

/* Returns the palloc'd text (UTF-8) of an S; NULL if it contains U+0000. */
extern char *dyn_sample_text(const DynValue *value);

typedef struct DynAttribute
{
	const char *name;			/* name (UTF-8); if `has_nul`, a text that
								 * messages show instead of the name */
	bool		has_nul;		/* true if the name contains U+0000; all
								 * attributes with such names are one entry */
	bool		in_key;			/* true if in the key of the table */
	bool		in_any_key;		/* true if in the table's or an index's key */
	unsigned	types;			/* bit mask of the DynTypes of its values */
	int			items;			/* number of items that have it */
	int			last_item;		/* position of the last item with it, or -1 */
} DynAttribute;

/*
 * Returns an array of *n attributes in CurrentMemoryContext: first those of
 * all keys, in the order of the keys, and then all others in `items` (a List
 * of DynSampleItem *), sorted bytewise by name.
 */
extern DynAttribute *dyn_sample_attributes(const DynTableMeta *meta,
										   const List *items, int *n);

/*
 * ---- columns with folded names (other_case.c) ----
 *
 * PostgreSQL folds names without double quotes to lower case, so a column that
 * is declared as createdAt is read from attribute "createdat".  If the items
 * have "createdAt" instead, the column is NULL in every row, and
 * dyn_folded_report raises a notice.
 */

typedef struct DynFolded DynFolded;

/*
 * Starts a search for columns with folded names.  Unless `reader` is
 * InvalidOid, considers only columns that this role may read.  All memory,
 * also for later records, comes from the CurrentMemoryContext of this call.
 */
extern DynFolded *dyn_folded_create(const DynRelation *relation, Oid reader);

/* Records all attributes of an item, except those of DynamoDB's type NULL. */
extern void dyn_folded_see_item(DynFolded *folded, const DynValue *item);

/*
 * Raises a NOTICE for each column whose attribute was in no item, if some item
 * had an attribute whose name differs only in case.
 */
extern void dyn_folded_report(const DynFolded *folded);

/* ---- callbacks (analyze.c, import.c) ---- */

/* Prepares ANALYZE, which uses the credentials of the table's owner. */
extern bool dynAnalyzeForeignTable(Relation rel, AcquireSampleRowsFunc *func,
								   BlockNumber *totalpages);

/*
 * Returns the CREATE FOREIGN TABLE commands (char *) for the tables that the
 * current user's access key can list.  Ignores the name of the remote schema.
 */
extern List *dynImportForeignSchema(ImportForeignSchemaStmt *stmt, Oid serverid);

#endif
