/*
 * check_table.h
 *		What dynamo_fdw_check_table() compares, and what it finds.
 */
#ifndef DYN_COMMAND_CHECK_TABLE_H
#define DYN_COMMAND_CHECK_TABLE_H

#include "nodes/execnodes.h"

#include "item_scan.h"
#include "never_seen.h"
#include "other_case.h"

/* How many items; the key of the first one, and what was said of it. */
typedef struct DynFinding
{
	uint64		items;
	uint64		last_item;		/* its number: items count once */
	char	   *example;		/* JSON; NULL: none that jsonb can hold */
	char	   *detail;
} DynFinding;

/*
 * What trusted_indexes promises of an index: a row that has these columns, which
 * are all in the templates of the index's key, has these attributes, spelled by
 * the templates.
 */
typedef struct DynPromise
{
	const char *index;
	Bitmapset  *columns;		/* attnums */
	DynView    *view;			/* where the templates decide about rows, too */
	DynFinding	broken;
} DynPromise;

/* A foreign table that is compared. */
typedef struct DynCheckReader
{
	struct DynCheck *check;
	Oid			relid;
	Oid			owner;
	const char *name;
	char	   *fault;			/* of its definition: it is not compared */
	const char *fault_column;
	DynRelation *relation;
	DynView    *view;
	DynView    *untimed;		/* without the option ttl; NULL: it is not set */
	List	   *promises;		/* of DynPromise * */
	DynAbsence *absence;
	DynFolded  *folded;
	bool		named;			/* by the caller */
	bool		templated;		/* its rows have a key that templates compose */
	bool		left_out;
	bool		selective;		/* shows only items of some entity */
	TupleTableSlot *slot;
	DynFinding *mismatches;		/* by attnum; 0: of no column */
	DynFinding *nulls;
	DynFinding	ambiguous;
} DynCheckReader;

/* Items that are rows of both foreign tables. */
typedef struct DynSharedItems
{
	int			first;			/* position of the reader */
	int			second;
	DynFinding	finding;
} DynSharedItems;

typedef struct DynCheck
{
	ReturnSetInfo *rsinfo;
	DynItemScan *scan;
	List	   *readers;		/* of DynCheckReader * */
	List	   *named;			/* OIDs of tables that the caller names */
	bool		only_named;		/* compare no others */
	Oid			schema;			/* those in it; InvalidOid: all */
	bool		selective;		/* one of them is */
	MemoryContext context;		/* of the findings */
	MemoryContext item_context;
	DynCodec	jsonb;			/* of examples */
	int			whole;			/* the slot of the item */

	/* the item in hand */
	const DynValue *values;		/* the first ones are of its key */
	uint64		item;			/* its number, from 1 */
	bool		undecided;		/* a fault hides whether it is a row */
	bool		quiet;			/* faults do not count */

	DynFinding	unclaimed;
	DynFinding	expired;
	List	   *shared;			/* of DynSharedItems * */
	const char *emitting;		/* the kind of result */
} DynCheck;

/*
 * Stores the results, those first that make statements wrong; raises a NOTICE
 * for names in other case.
 */
extern void dyn_check_report(DynCheck *check);

#endif
