/*
 * check_table.h
 *		The state and the results of dynamo_fdw_check_table().
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
	uint64		last_item;		/* number of the last item, so that each item
								 * counts once */
	char	   *example;		/* key of an example (JSON); NULL if jsonb
								 * cannot represent it */
	char	   *detail;
} DynIssue;

/*
 * An assertion made by trusted_indexes about an index.  It asserts: a row with
 * values in these columns (all those in the templates of the index's key) has
 * these attributes, with the texts that the templates compose.
 */
typedef struct DynAssertion
{
	const char *index;
	Bitmapset  *columns;		/* attnums */
	DynView    *view;			/* view in which these templates also decide
								 * which items are rows */
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
	char	   *err;			/* error in its definition, because of which it
								 * is not compared; or NULL */
	const char *error_column;
	DynRelation *relation;
	DynView    *view;
	DynView    *untimed;		/* view without the option ttl; NULL if ttl is
								 * not set */
	List	   *assertions;		/* list of DynAssertion * */
	uint64		rows;			/* number of items that are rows */
	bool	   *seen;			/* true (for an attnum) if a row has a value in
								 * the column, or if none is expected */
	int			npaths;
	DynCheckedPath *paths;
	DynFolded  *folded;
	bool		named;			/* true if the caller named it */
	bool		has_template;	/* true if templates compose the key of its
								 * rows */
	bool		left_out;
	bool		selective;		/* true if only items of some entities are its
								 * rows */
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
	List	   *named;			/* OIDs of the tables that the caller names */
	bool		only_named;		/* true to compare no others */
	Oid			schema;			/* schema of the tables; InvalidOid: all */
	bool		selective;		/* true if one of the foreign tables is
								 * selective */
	MemoryContext context;		/* memory of the findings */
	MemoryContext item_context;
	DynCodec	jsonb;			/* codec of the examples */
	int			full;			/* slot of the item */

	/* values of the current item */
	const DynValue *values;		/* values of its slots; the first ones are
								 * those of its key */
	uint64		item;			/* number of the item, from 1 */
	bool		undecided;		/* true if it is unknown whether the item is a
								 * row, because of an error */
	bool		quiet;			/* true if errors are not recorded */

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
