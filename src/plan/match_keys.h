/*
 * match_keys.h
 *		Binds classified clauses to the keys of a table or index.
 *
 * Given a set of clauses that a path enforces, dyn_match_keys tells whether a table
 * or index can be read by key with them, and how; dyn_match_scan makes the Scan
 * that remains.  Both also tell which clauses the requests enforce exactly, so
 * that their local check may be left out.
 */
#ifndef DYN_PLAN_MATCH_KEYS_H
#define DYN_PLAN_MATCH_KEYS_H

#include "access.h"

/* What planning knows about one foreign table; in baserel->fdw_private. */
typedef struct DynRelPlan
{
	DynRelation *relation;
	const DynTableMeta *meta;
	List	   *clauses;		/* DynClause * of baserestrictinfo */
	List	   *fields;			/* DynField * that the query may need */
	const char *advice;			/* an index that lacks only a promise */
	bool		limited;		/* a LIMIT may leave rows unread */
} DynRelPlan;

/*
 * `index` NULL is the table.  NULL if the key is not bound.  *pushed_exactly receives
 * the RestrictInfos that need no local check.
 */
extern DynAccess *dyn_match_keys(const DynRelPlan *plan, const DynIndexMeta *index,
								 List *clauses, List **pushed_exactly);

extern DynAccess *dyn_match_scan(const DynRelPlan *plan, List *clauses,
								 List **pushed_exactly);

/*
 * How the table answers what an index turns out not to hold (presence.h): by its
 * key if that is bound, else by a Scan.  What it enforces is checked again.
 */
extern DynAccess *dyn_bind_fallback(const DynRelPlan *plan, List *clauses);

/* Does reading the index yield all fields that the query may need? */
extern bool dyn_index_covers(const DynRelPlan *plan, const DynIndexMeta *index);

/* Adds to *fields what the expression refers to. */
extern void dyn_collect_fields(Node *node, Index relid,
							   const DynRelation *relation, List **fields);

#endif
