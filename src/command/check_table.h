/*
 * check_table.h
 *		Defines what dynamo_fdw_check_table() compares, and what it finds.
 */
#ifndef DYN_COMMAND_CHECK_TABLE_H
#define DYN_COMMAND_CHECK_TABLE_H

#include "nodes/execnodes.h"

#include "item_scan.h"
#include "other_case.h"

/* An issue: the number of items, the key of the first one, and its message. */
typedef struct DynIssue
{
	uint64		items;
	uint64		last_item;		/* number of the last item: items count once */
	char	   *example;		/* example key (JSON); NULL: none that jsonb
								 * can represent */
	char	   *detail;
} DynIssue;

/*
 * An assertion made by trusted_indexes about an index.  A row that has these
 * columns, which are all in the templates of the index's key, has these
 * attributes, encoded by the templates.
 */
typedef struct DynAssertion
{
	const char *index;
	Bitmapset  *columns;		/* attnums */
	DynView    *view;			/* view in which the templates decide about
								 * rows, too */
	DynIssue	broken;
} DynAssertion;

/*
 * An attribute of a template, or the unnested one.  It is usually misspelled if
 * no item has it.
 */
typedef struct DynCheckedPath
{
	const DynPath *path;
	int			slot;
	bool		unnested;
	bool		seen;
} DynCheckedPath;

/* A foreign table that is compared. */
typedef struct DynCheckedTable
{
	struct DynCheck *check;
	Oid			relid;
	Oid			owner;
	const char *name;
	char	   *err;			/* error in its definition: it is not compared;
								 * or NULL */
	const char *error_column;
	DynRelation *relation;
	DynView    *view;
	DynView    *untimed;		/* view without the option ttl; NULL if ttl is
								 * not set */
	List	   *assertions;		/* list of DynAssertion * */
	uint64		rows;			/* number of items that are rows */
	bool	   *seen;			/* true if a row has a value, or none is
								 * expected; by attnum */
	int			npaths;
	DynCheckedPath *paths;
	DynFolded  *folded;
	bool		named;			/* true if the caller named it */
	bool		has_template;	/* true if its rows have a key that templates
								 * compose */
	bool		left_out;
	bool		selective;		/* true if it shows only items of some
								 * entities */
	TupleTableSlot *slot;
	DynIssue   *mismatches;		/* issues by attnum; 0: no column */
	DynIssue   *nulls;
	DynIssue	ambiguous;
} DynCheckedTable;

/* Items that are rows of both foreign tables. */
typedef struct DynSharedItems
{
	int			first;			/* positions of the foreign tables */
	int			second;
	DynIssue	issue;
} DynSharedItems;

typedef struct DynCheck
{
	ReturnSetInfo *rsinfo;
	DynItemScan *scan;
	List	   *tables;			/* list of DynCheckedTable * */
	List	   *named;			/* OIDs of tables that the caller names */
	bool		only_named;		/* true to compare no others */
	Oid			schema;			/* schema of the tables; InvalidOid: all */
	bool		selective;		/* true if one of the foreign tables is
								 * selective */
	MemoryContext context;		/* memory of the findings */
	MemoryContext item_context;
	DynCodec	jsonb;			/* codec of the examples */
	int			full;			/* slot of the item */

	/* values of the current item */
	const DynValue *values;		/* values; the first ones are those of its
								 * key */
	uint64		item;			/* number of the item, from 1 */
	bool		undecided;		/* true if an error hides whether it is a
								 * row */
	bool		quiet;			/* true if errors do not count */

	DynIssue	unclaimed;
	DynIssue	expired;
	List	   *shared;			/* list of DynSharedItems * */
	const char *emitting;		/* kind of result that is being emitted */
} DynCheck;

/*
 * Stores the results, with those that make statements wrong first.  Raises a
 * NOTICE for names in other case.
 */
extern void dyn_check_report(DynCheck *check);

#endif
