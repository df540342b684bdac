/*
 * match_keys.h
 *		Matches classified clauses to the keys of a table or index.
 *
 * dyn_match_keys builds the access plan that reads a table or index by key
 * with a set of clauses, if that is possible; dyn_match_scan builds a Scan.
 */
#ifndef DYN_PLAN_MATCH_KEYS_H
#define DYN_PLAN_MATCH_KEYS_H

#include "../clauses/rel_plan.h"
#include "access.h"

/*
 * Returns the access plan, or NULL if the clauses do not match the key.
 * `index` is NULL for the table.
 */
extern DynAccess *dyn_match_keys(const DynRelPlan *plan, const DynIndexMeta *index,
								 List *clauses);

/*
 * Returns the access plan of a Scan; `index` is NULL for the table.  The index
 * must have all fields that the query may need.
 */
extern DynAccess *dyn_match_scan(const DynRelPlan *plan, const DynIndexMeta *index,
								 List *clauses);

/*
 * If the index may turn out to be incomplete (index_complete.h), sets the
 * access plan of the table that then replaces it: by key if the clauses match
 * the key, else a Scan.  All clauses are rechecked, and the rows are sorted if
 * the index provides an order.
 */
extern void dyn_add_fallback(const DynRelPlan *plan, const DynIndexMeta *index,
							 List *clauses, DynAccess *access);

/*
 * Returns true if reading the index yields all fields that the query may need.
 */
extern bool dyn_index_covers(const DynRelPlan *plan, const DynIndexMeta *index);

/* Sets the fields to fetch: DynAccess.fields, and .scalars. */
extern void dyn_set_fields(const DynRelPlan *plan, DynAccess *access,
						   List *fields);

/* Adds the fields that the expression refers to. */
extern void dyn_collect_fields(const DynRelPlan *plan, Node *node,
							   List **fields);

/*
 * Sets access->sort to the attributes of the sort key, or parts of their
 * texts, that determine the order of rows.  Several requests can be merged by
 * them.  `from` is the access plan of that table or index.
 */
extern void dyn_sort_attributes(const DynRelPlan *plan, const DynIndexMeta *index,
								const DynAccess *from, DynAccess *access);

#endif
