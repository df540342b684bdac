/*
 * check_table.h
 *		What dynamo_fdw_check_table() compares, and what it finds.
 */
#ifndef DYN_COMMAND_CHECK_TABLE_H
#define DYN_COMMAND_CHECK_TABLE_H

#include "nodes/execnodes.h"

#include "item_scan.h"
#include "unused_columns.h"
#include "other_case.h"

/* How many items; the key of the first one, and what was said of it. */
typedef struct DynIssue
{
	uint64		items;
	uint64		last_item;		/* its number: items count once */
	char	   *example;		/* JSON; NULL: none that jsonb can hold */
	char	   *detail;
} DynIssue;

/*
 * What trusted_indexes promises of an index: a row that has these columns, which
 * are all in the templates of the index's key, has these attributes, spelled by
 * the templates.
 */
typedef struct DynAssertion
{
	const char *index;
	Bitmapset  *columns;		/* attnums */
	DynView    *view;			/* where the templates decide about rows, too */
	DynIssue	broken;
} DynAssertion;

/* A foreign table that is compared. */
typedef struct DynCheckScan
{
	struct DynCheck *check;
	Oid			relid;
	Oid			owner;
	const char *name;
	char	   *err;			/* of its definition: it is not compared */
	const char *error_column;
	DynRelation *relation;
	DynView    *view;
	DynView    *untimed;		/* without the option ttl; NULL: it is not set */
	List	   *promises;		/* of DynAssertion * */
	DynUnusedColumns *unused;
	DynFolded  *folded;
	bool		named;			/* by the caller */
	bool		has_template;	/* its rows have a key that templates compose */
	bool		left_out;
	bool		selective;		/* shows only items of some entity */
	TupleTableSlot *slot;
	DynIssue   *mismatches;		/* by attnum; 0: of no column */
	DynIssue   *nulls;
	DynIssue	ambiguous;
} DynCheckScan;

/* Items that are rows of both foreign tables. */
typedef struct DynSharedItems
{
	int			first;			/* position of the reader */
	int			second;
	DynIssue	issue;
} DynSharedItems;

typedef struct DynCheck
{
	ReturnSetInfo *rsinfo;
	DynItemScan *scan;
	List	   *scandescs;		/* of DynCheckScan * */
	List	   *named;			/* OIDs of tables that the caller names */
	bool		only_named;		/* compare no others */
	Oid			schema;			/* those in it; InvalidOid: all */
	bool		selective;		/* one of them is */
	MemoryContext context;		/* of the findings */
	MemoryContext item_context;
	DynCodec	jsonb;			/* of examples */
	int			full;			/* the slot of the item */

	/* the item in hand */
	const DynValue *values;		/* the first ones are of its key */
	uint64		item;			/* its number, from 1 */
	bool		undecided;		/* a fault hides whether it is a row */
	bool		quiet;			/* faults do not count */

	DynIssue	unclaimed;
	DynIssue	expired;
	List	   *shared;			/* of DynSharedItems * */
	const char *emitting;		/* the kind of result */
} DynCheck;

/*
 * Stores the results, those first that make statements wrong; raises a NOTICE
 * for names in other case.
 */
extern void dyn_check_report(DynCheck *check);

#endif
