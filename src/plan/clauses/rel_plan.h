/*
 * rel_plan.h
 *		Planning state of one foreign table
 */
#ifndef DYN_PLAN_REL_PLAN_H
#define DYN_PLAN_REL_PLAN_H

#include "nodes/pathnodes.h"

#include "../../dynamodb/metadata.h"
#include "../../model/tables/relation.h"

/* Methods of reading items */
typedef enum DynAccessKind
{
	DYN_ACCESS_GET,				/* full primary keys: GetItem, BatchGetItem */
	DYN_ACCESS_QUERY,			/* one Query for each partition key value */
	DYN_ACCESS_UNION,			/* several of these, for the arms of an OR */
	DYN_ACCESS_SCAN
} DynAccessKind;

struct DynAccess;				/* keys/access.h */

/* Stored in baserel->fdw_private */
typedef struct DynRelPlan
{
	PlannerInfo *root;
	RelOptInfo *rel;
	Index		relid;			/* position of the RelOptInfo */
	DynRelation *relation;
	const DynTableMeta *meta;
	List	   *clauses;		/* DynClause * for baserestrictinfo */
	List	   *checks;			/* DynClause * for CHECK constraints of the
								 * table that always hold */
	List	   *classified;		/* list of DynClause; private to quals.c */
	struct DynAccess *keyed;	/* access plan that reads the table by its key
								 * with the table's own clauses; NULL:
								 * impossible */
	List	   *fields;			/* DynField * that the query may need */
	const char *advice;			/* advice about an index that is not used
								 * because a column is not declared NOT NULL */
	bool		sure_only;		/* true if only keys are matched that run-time
								 * values cannot make unusable */
	bool		limited;		/* true if a LIMIT may leave rows unread */
	bool		analysed;		/* true if the rows are from statistics */
	int			segments;		/* number of segments of a Scan, if the
								 * statement reads the column that shows them;
								 * else 0 */
	List	   *bounds;			/* RestrictInfo *: partition constraint on that
								 * column, which defines the rows */
	List	   *lists;			/* RestrictInfo *: lists of equal columns,
								 * which hold for all rows that can be joined */
	double		items;			/* items in the table (baserel->tuples: its
								 * rows) */
	double		item_rows;		/* rows per item that passes the item filter: 1
								 * unless unnested */
	double		fetched;		/* fraction of an item's bytes that the fields
								 * take */
	List	   *choices;		/* list of DynPathChoice for paths
								 * (paths/planner.h) */
	Cost		direct[DYN_ACCESS_SCAN];	/* least cost of each kind with the
											 * table's own clauses; 0: none */
	Cost		direct_startup[DYN_ACCESS_SCAN];
	bool		direct_unknown[DYN_ACCESS_SCAN];	/* true if the number of
													 * rows of that access is
													 * unknown */
} DynRelPlan;

#endif
