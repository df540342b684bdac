/*
 * rel_plan.h
 *		Planning state of one foreign table
 */
#ifndef DYN_PLAN_REL_PLAN_H
#define DYN_PLAN_REL_PLAN_H

#include "nodes/pathnodes.h"

#include "../../dynamodb/metadata.h"
#include "../../model/tables/relation.h"

/* Ways to read items */
typedef enum DynAccessKind
{
	DYN_ACCESS_GET,				/* full primary keys: GetItem, BatchGetItem */
	DYN_ACCESS_QUERY,			/* one or several Queries for each partition
								 * key value */
	DYN_ACCESS_UNION,			/* several accesses by key, for the arms of an
								 * OR */
	DYN_ACCESS_SCAN
} DynAccessKind;

struct DynAccess;				/* keys/access.h */

/* Stored in baserel->fdw_private */
typedef struct DynRelPlan
{
	PlannerInfo *root;
	RelOptInfo *rel;
	Index		relid;			/* range table index of the relation */
	DynRelation *relation;
	const DynTableMeta *meta;
	List	   *clauses;		/* DynClause * for baserestrictinfo */
	List	   *checks;			/* DynClause * of the table's CHECK
								 * constraints, which are true or NULL for
								 * every row */
	List	   *classified;		/* DynClause *, cached results; private to
								 * quals.c */
	struct DynAccess *keyed;	/* access plan by the table's key, from the
								 * table's own clauses; NULL if these do not
								 * match the key */
	List	   *fields;			/* DynField *: fields that the query may
								 * need */
	List	   *join_clauses;	/* DynClause *: clauses of all parameterized
								 * paths that were tried */
	const char *advice;			/* advice on keys or an index that cannot be
								 * used (paths.c, union_path.c), or NULL */
	bool		sure_only;		/* true to match only keys that can be used
								 * with all run-time values */
	bool		limited;		/* true if a LIMIT may leave rows unread */
	bool		analyzed;		/* true if the number of rows is from
								 * ANALYZE */
	int			segments;		/* number of segments of a Scan if the
								 * statement reads the segment column; else
								 * 0 */
	List	   *bounds;			/* RestrictInfo *: partition constraint on the
								 * segment column, which determines which items
								 * are rows */
	List	   *lists;			/* RestrictInfo *: column = ANY (array),
								 * derived from equal columns of joined
								 * relations (rewrite_class.c) */
	double		items;			/* number of items in the table; its number of
								 * rows is baserel->tuples */
	double		item_rows;		/* rows per item that passes the item filter; 1
								 * unless the table is unnested */
	double		fetched;		/* fraction of an item's bytes that `fields`
								 * take */
	List	   *choices;		/* DynPathChoice *: choices of the paths
								 * (paths/planner.h) */
	Cost		direct[DYN_ACCESS_SCAN];	/* for each kind, least total cost
											 * of a path with the table's own
											 * clauses; 0: no such path */
	Cost		direct_startup[DYN_ACCESS_SCAN];
	bool		direct_unknown[DYN_ACCESS_SCAN];	/* true if the number of
													 * rows of that path is
													 * unknown */
} DynRelPlan;

#endif
