/*
 * match_keys.h
 *		Matches classified clauses to the keys of a table or index.
 *
 * dyn_match_keys builds the access plan that reads a table or index by key
 * with a set of clauses, if that is possible; dyn_match_scan builds a Scan.
 * Both also return the clauses that are pushed exactly, which need no local
 * check.
 */
#ifndef DYN_PLAN_MATCH_KEYS_H
#define DYN_PLAN_MATCH_KEYS_H

#include "access.h"

/* What planning knows about one foreign table; in baserel->fdw_private. */
typedef struct DynRelPlan
{
	Index		relid;			/* of the RelOptInfo */
	DynRelation *relation;
	const DynTableMeta *meta;
	List	   *clauses;		/* DynClause * of baserestrictinfo */
	List	   *classified;		/* private to quals.c */
	DynAccess  *keyed;			/* the table by its key with these clauses;
								 * NULL: impossible */
	List	   *fields;			/* DynField * that the query may need */
	const char *advice;			/* an index unused for lack of NOT NULL */
	bool		limited;		/* a LIMIT may leave rows unread */
	bool		analysed;		/* the rows are from statistics */
	double		items;			/* of the table; baserel->tuples are its rows */
	double		item_rows;		/* of an item that passes the row test: 1
								 * unless unnested */
	double		fetched;		/* part of an item's bytes that fields take */
	List	   *estimates;		/* DynEstimate * of paths, by position */
	Cost		direct[DYN_ACCESS_SCAN];	/* least cost of each kind by the
											 * table's own clauses; 0: none */
	Cost		direct_startup[DYN_ACCESS_SCAN];
	bool		direct_guessed[DYN_ACCESS_SCAN];	/* their number of rows is */
} DynRelPlan;

/*
 * `index` NULL is the table.  Returns NULL if the clauses do not match the
 * key.  Sets *pushed_exactly to the RestrictInfos that need no local check.
 */
extern DynAccess *dyn_match_keys(const DynRelPlan *plan, const DynIndexMeta *index,
								 List *clauses, List **pushed_exactly);

/* Likewise `index`: it must have all fields that the query may need. */
extern DynAccess *dyn_match_scan(const DynRelPlan *plan, const DynIndexMeta *index,
								 List *clauses, List **pushed_exactly);

/*
 * The access plan of the table that replaces an index which turns out to be
 * incomplete (presence.h): by key if the clauses match it, else a Scan.  All
 * clauses are rechecked.
 */
extern DynAccess *dyn_match_fallback(const DynRelPlan *plan, List *clauses);

/* Does reading the index yield all fields that the query may need? */
extern bool dyn_index_covers(const DynRelPlan *plan, const DynIndexMeta *index);

/* Sets what to fetch: DynAccess.fields, and .scalars. */
extern void dyn_set_fields(const DynRelPlan *plan, DynAccess *access,
						   List *fields);

/* Adds the fields that the expression refers to. */
extern void dyn_collect_fields(Node *node, Index relid,
							   const DynRelation *relation, List **fields);

#endif
