/*
 * rel_plan.h
 *		What planning knows about one foreign table.
 */
#ifndef DYN_PLAN_REL_PLAN_H
#define DYN_PLAN_REL_PLAN_H

#include "nodes/pathnodes.h"

#include "../../dynamodb/metadata.h"
#include "../../model/tables/relation.h"

/* How items are read. */
typedef enum DynAccessKind
{
	DYN_ACCESS_GET,				/* whole primary keys: GetItem, BatchGetItem */
	DYN_ACCESS_QUERY,			/* one Query for each partition key value */
	DYN_ACCESS_UNION,			/* several of these, for the arms of an OR */
	DYN_ACCESS_SCAN
} DynAccessKind;

struct DynAccess;				/* keys/access.h */

/* In baserel->fdw_private. */
typedef struct DynRelPlan
{
	Index		relid;			/* of the RelOptInfo */
	DynRelation *relation;
	const DynTableMeta *meta;
	List	   *clauses;		/* DynClause * of baserestrictinfo */
	List	   *classified;		/* DynClause *; private to quals.c */
	struct DynAccess *keyed;	/* the table by its key with these clauses;
								 * NULL: impossible */
	List	   *fields;			/* DynField * that the query may need */
	const char *advice;			/* an index unused for lack of NOT NULL */
	bool		limited;		/* a LIMIT may leave rows unread */
	bool		analysed;		/* the rows are from statistics */
	double		items;			/* of the table; baserel->tuples are its rows */
	double		item_rows;		/* of an item that passes the row test: 1
								 * unless unnested */
	double		fetched;		/* part of an item's bytes that fields take */
	List	   *choices;		/* DynPathChoice * of paths (paths/planner.h) */
	Cost		direct[DYN_ACCESS_SCAN];	/* least cost of each kind by the
											 * table's own clauses; 0: none */
	Cost		direct_startup[DYN_ACCESS_SCAN];
	bool		direct_unknown[DYN_ACCESS_SCAN];	/* their number of rows is */
} DynRelPlan;

#endif
