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

/* `index` NULL is the table.  Returns NULL if the clauses do not match the key. */
extern DynAccess *dyn_match_keys(const DynRelPlan *plan, const DynIndexMeta *index,
								 List *clauses);

/* Likewise `index`: it must have all fields that the query may need. */
extern DynAccess *dyn_match_scan(const DynRelPlan *plan, const DynIndexMeta *index,
								 List *clauses);

/*
 * Where the index may turn out to be incomplete (index_complete.h), sets the
 * access plan of the table that replaces it then: by key if the clauses match
 * it, else a Scan.  All clauses are rechecked, and the rows are sorted if the
 * index provides an order.
 */
extern void dyn_add_fallback(const DynRelPlan *plan, const DynIndexMeta *index,
							 List *clauses, DynAccess *access);

/* Does reading the index yield all fields that the query may need? */
extern bool dyn_index_covers(const DynRelPlan *plan, const DynIndexMeta *index);

/* Sets what to fetch: DynAccess.fields, and .scalars. */
extern void dyn_set_fields(const DynRelPlan *plan, DynAccess *access,
						   List *fields);

/* Adds the fields that the expression refers to. */
extern void dyn_collect_fields(const DynRelPlan *plan, Node *node,
							   List **fields);

/*
 * Sets access->sort to what the rows are ordered by, and several requests can be
 * merged by: attributes of the sort key, or parts of their texts.  `from` is
 * the access plan of that table or index.
 */
extern void dyn_sort_attributes(const DynRelPlan *plan, const DynIndexMeta *index,
								const DynAccess *from, DynAccess *access);

#endif
