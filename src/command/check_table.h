/*
 * check_table.h
 *		The state and the results of dynamo_fdw_check_table().
 */
#ifndef DYN_COMMAND_CHECK_TABLE_H
#define DYN_COMMAND_CHECK_TABLE_H

#include "nodes/execnodes.h"

#include "item_scan.h"
#include "other_case.h"

/*
 * An issue: the number of items with this issue, and details of the first such
 * item.
 */
typedef struct DynIssue
{
	uint64		items;
	uint64		last_item;		/* number of the last item counted, so that
								 * each item counts once */
	char	   *example;		/* key of an example (JSON); NULL if jsonb
								 * cannot represent it */
	char	   *detail;			/* message */
} DynIssue;

/*
 * An assertion that trusted_indexes makes about an index: if a row has values
 * in all columns that are in the templates of the index's key, its item has
 * the attributes of that key, with the strings that the templates compose.
 */
typedef struct DynAssertion
{
	const char *index;
	Bitmapset  *columns;		/* attnums of the columns in these templates */
	DynView    *view;			/* view in which only items that match these
								 * templates are rows */
	DynIssue	broken;
} DynAssertion;

/*
 * An attribute with a template, or the path of the unnested elements.  If no
 * item has a value at `path`, the path is usually misspelled.
 */
typedef struct DynCheckedPath
{
	const DynPath *path;
	int			slot;
	bool		unnested;
	bool		seen;
} DynCheckedPath;

/*
 * A foreign table over the DynamoDB table.  It is compared unless left_out is
 * true or `err` is set.
 */
typedef struct DynCheckedTable
{
	struct DynCheck *check;
	Oid			relid;
	Oid			owner;
	const char *name;
	char	   *err;			/* error in the definition, because of which
								 * the table is not compared; NULL: none */
	const char *error_column;
	DynRelation *relation;
	DynView    *view;
	DynView    *untimed;		/* view without ttl_attribute, or NULL */
	List	   *assertions;		/* list of DynAssertion * */
	uint64		rows;			/* number of items that are, or have, rows */
	bool	   *seen;			/* array by attnum: true if a row has a value
								 * in the column, or no value is expected */
	int			npaths;
	DynCheckedPath *paths;
	DynFolded  *folded;
	bool		named;			/* true if the caller named the table */
	bool		has_template;	/* true if templates compose the key of its
								 * rows */
	bool		left_out;
	bool		selective;		/* true if templates of the key, or
								 * item_filter, select its rows */
	TupleTableSlot *slot;
	DynIssue   *mismatches;		/* issues by attnum; [0]: without a column */
	DynIssue   *nulls;
	DynIssue	ambiguous;
} DynCheckedTable;

/* Items that are rows of two foreign tables. */
typedef struct DynSharedItems
{
	int			first;			/* positions in DynCheck.tables */
	int			second;
	DynIssue	issue;
} DynSharedItems;

typedef struct DynCheck
{
	ReturnSetInfo *rsinfo;
	DynItemScan *scan;
	List	   *tables;			/* list of DynCheckedTable * */
	List	   *named;			/* OIDs of the tables that the caller names */
	bool		only_named;		/* true if only `named` tables are compared */
	Oid			schema;			/* schema of the tables; InvalidOid: any */
	bool		selective;		/* true if one of the compared tables is
								 * selective */
	MemoryContext context;		/* memory of the issues */
	MemoryContext item_context;
	DynCodec	jsonb;			/* codec of the examples */
	int			full;			/* slot of the full item */

	/* values of the current item */
	const DynValue *values;		/* values of the item's slots; the key comes
								 * first */
	uint64		item;			/* number of the item, from 1 */
	bool		undecided;		/* true if an error prevents deciding whether
								 * the item is a row */
	bool		quiet;			/* true if errors are not recorded */

	DynIssue	unclaimed;
	DynIssue	expired;
	List	   *shared;			/* list of DynSharedItems * */
	const char *emitting;		/* kind of result that is being emitted */
} DynCheck;

/*
 * Adds the results to the function's result set, in the order of `kinds`
 * (check_report.c).  Raises a NOTICE for attribute names that differ only in
 * case (other_case.h).
 */
extern void dyn_check_report(DynCheck *check);

#endif
