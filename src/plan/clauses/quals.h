/*
 * quals.h
 *		Defines the planning state of a foreign table.
 *		Translates SQL conditions into predicates for DynamoDB, and determines
 *		whether these predicates are exact.
 *
 * dyn_quals_classify translates each clause into a predicate over fields of
 * the item, if possible; model/definition/exact.c decides its exactness.
 *
 * A predicate selects every row that the clause selects.  It is exact if it
 * selects no other row, for all values that may be stored and all run-time
 * values.  Only then can the local check of the clause be omitted.
 *
 * Run-time values (constants, parameters, stable expressions, columns of other
 * tables) remain expressions until execution.  The args of an OR are its arms.
 */
#ifndef DYN_PLAN_QUALS_H
#define DYN_PLAN_QUALS_H

#include "nodes/pathnodes.h"

#include "../../dynamodb/metadata.h"
#include "../../model/tables/relation.h"
#include "preds.h"

/* Ways to read items */
typedef enum DynAccessKind
{
	DYN_ACCESS_GET,				/* full primary keys: GetItem, BatchGetItem */
	DYN_ACCESS_QUERY,			/* Queries, at least one for each partition */
	DYN_ACCESS_UNION,			/* accesses by key, for the arms of an OR */
	DYN_ACCESS_SCAN
} DynAccessKind;

struct DynAccess;				/* keys/access.h */

/* Stored in baserel->fdw_private */
typedef struct DynRelPlan
{
	PlannerInfo *root;
	RelOptInfo *rel;
	DynRelation *relation;
	const DynTableMeta *meta;
	List	   *clauses;		/* DynClause * from dyn_row_clauses, `bounds`
								 * and baserestrictinfo */
	List	   *checks;			/* DynClause * of CHECK constraints, which are
								 * true or NULL for every row */
	List	   *classified;		/* DynClause *: cache, private to quals.c */
	struct DynAccess *keyed;	/* access plan by the table's key, matched from
								 * `clauses`; or NULL */
	List	   *fields;			/* DynField *: what the query may need */
	List	   *join_clauses;	/* DynClause *: clauses of all parameterized
								 * paths that were tried */
	const char *advice;			/* advice on keys or an index that cannot be
								 * used (paths.c, union_path.c), or NULL */
	const char *join_advice;	/* advice on an index that join clauses could
								 * use; or NULL */
	bool		sure_only;		/* true to match only keys that can be used
								 * whatever the run-time values are */
	bool		limited;		/* true if a LIMIT may leave rows unread */
	bool		rechecked;		/* true if full-row Vars are only for EvalPlanQual
								 * (dyn_full_row_is_for_recheck) */
	bool		analyzed;		/* true if ANALYZE counted the rows */
	int			segments;		/* number of Scan segments, if the statement
								 * reads the segment column; else 0 */
	List	   *bounds;			/* RestrictInfo *: partition constraint on the
								 * segment column (partition_bounds) */
	List	   *lists;			/* RestrictInfo *: column = ANY (array),
								 * derived from equal columns of joined
								 * relations (rewrite_class.c) */
	double		items;			/* number of items; rel->tuples counts rows */
	double		item_rows;		/* rows per item that passes the item filter; 1
								 * unless the table is unnested */
	double		fetched;		/* fraction of an item's bytes in `fields` */
	List	   *choices;		/* DynPathChoice *, one for each path */
	/* costs of the cheapest unparameterized path of each kind; 0: no path */
	Cost		direct[DYN_ACCESS_SCAN];
	Cost		direct_startup[DYN_ACCESS_SCAN];
	Cost		direct_margin[DYN_ACCESS_SCAN];	/* see yield_to_direct */
	/* true if the number of rows of this cheapest path is unknown */
	bool		direct_unknown[DYN_ACCESS_SCAN];
	double		direct_requests[DYN_ACCESS_SCAN];	/* number of its requests */
	double		keyed_requests; /* number of requests of the path that was last
								 * stored in `direct`; 0: none */
} DynRelPlan;

typedef struct DynClause
{
	RestrictInfo *rinfo;		/* RestrictInfo of the clause; NULL if there is
								 * none (dyn_row_clauses) */
	DynPred    *pred;			/* predicate; NULL: checked locally only */
	bool		exact;
	bool		sized;			/* true if a filter with the predicate cannot
								 * exceed the size limit of a request */
	bool		implied;		/* true if rinfo implies the predicate, but
								 * need not be equivalent to it */
	bool		keys_only;		/* true if the predicate is only matched to
								 * keys; `implied` is then true, too */
	Node	   *condition;		/* SQL expression of the predicate; set only if
								 * keys_only is true, and the expression is
								 * false or NULL for a NULL column; else a null
								 * pointer */
} DynClause;

/* Returns the DynClauses of the RestrictInfos; caches their predicates. */
extern List *dyn_quals_classify(DynRelPlan *plan, List *rinfos);

/*
 * Returns DynClauses for the lists in plan->lists.  These clauses only provide
 * key values; they are never sent as filters or checked.
 */
extern List *dyn_classify_lists(DynRelPlan *plan);

/*
 * Returns the conditions that an item must satisfy to be a row (DynClause *):
 * one for each term of the item filter, and one for each template of the
 * table's key.  The latter have no predicate, so they are checked locally.
 */
extern List *dyn_row_clauses(const DynRelation *relation);

#endif
