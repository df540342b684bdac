/*
 * match_keys.h
 *		Matches classified clauses to the keys of a table or index.
 *
 * dyn_match_keys builds the access plan that reads a table or index by key
 * with a set of clauses, if that is possible; dyn_match_scan builds a Scan.
 */
#ifndef DYN_PLAN_MATCH_KEYS_H
#define DYN_PLAN_MATCH_KEYS_H

#include "terms.h"

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
 * If the index may turn out to be incomplete (index_complete.c), or run-time
 * values to be unusable for the keys, sets the access plan of the table that is
 * then used instead: by those keys for which values are always usable, else a
 * Scan.  All clauses are rechecked, and the rows are sorted if the access plan
 * provides an order.
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

/* ---- match_template.c ---- */

/*
 * Limits for the number of combinations of enumerated values that no clause
 * restricts: in a partition key, and in a sort key, where each combination
 * needs another Query.
 */
#define DYN_MAX_MEMBERS			1000
#define DYN_MAX_SORT_MEMBERS	25

/*
 * Returns the predicate that the clauses imply for the attribute's text.  It
 * is a DYN_PRED_TEMPLATED.  Its args belong to the leading parts: each is an
 * AND of predicates on the part, or DYN_PRED_EACH.  It is true for all rows
 * that satisfy the clauses and have the attribute.  With `points`, it allows
 * finitely many texts, otherwise infinitely many.  Returns NULL if the
 * attribute has no template, or the clauses imply nothing.  `index` is the
 * index that has the attribute in its key; NULL for the table or for a filter.
 * Parts that no clause restricts are enumerated if the number of combinations
 * is within the limits above.  Adds to *used the clauses that the predicate
 * uses.
 */
extern DynPred *dyn_match_template(const DynRelPlan *plan,
								   const DynKeyAttr *attr, const DynIndexMeta *index,
								   List *clauses, bool points,
								   int most_members, List **used);

/*
 * Returns the conditions that the clauses impose on the attribute's text in
 * rows whose columns are read from it: a predicate DYN_PRED_TEMPLATED with an
 * AND for each part, some of which are empty.  Used by index_complete.c.  It
 * does not match a key, since parts without a condition may precede others.
 * Returns NULL if no clause imposes a condition.
 */
extern DynPred *dyn_template_demands(const DynRelPlan *plan,
									 const DynKeyAttr *attr, List *clauses);

/*
 * Returns why bounds of a column do not give values for the attribute's text,
 * if the clauses give values for all other parts; else NULL.
 */
extern const char *dyn_template_lacks_values(const DynRelPlan *plan,
											 const DynKeyAttr *attr,
											 const DynIndexMeta *index, List *clauses);

/*
 * Returns true if the clauses would determine the partition key of an
 * untrusted index if it were trusted.
 */
extern bool dyn_index_lacks_trust(const DynRelPlan *plan,
								  const DynIndexMeta *index, List *clauses);

/*
 * Returns the access plan of a Scan that reads all columns, except that of
 * segments.
 */
extern DynAccess *dyn_match_all_columns(DynRelation *relation,
										const DynTableMeta *meta);

/* ---- index_complete.c ---- */

/* Size limits of a value in a partition key, and in a sort key */
#define DYN_MAX_HASH_BYTES	2048
#define DYN_MAX_RANGE_BYTES	1024

/* The declaration that would make an index complete. */
typedef struct DynIndexLack
{
	const char *column;			/* column that is not declared NOT NULL, or
								 * NULL */
	bool		trust;			/* true if trusted_indexes is sufficient */
} DynIndexLack;

/*
 * Returns true if the index may be read, and can be complete for the clauses.
 * If not, stores in *lack (unless NULL) what would make it complete.  `full`
 * is true for a Scan.  There NOT NULL is not always sufficient, because an
 * empty value is not NULL.
 */
extern bool dyn_index_is_usable(const DynRelPlan *plan,
								const DynIndexMeta *index, bool full,
								List *clauses, DynIndexLack *lack);

/* Sets the conditions of an access plan that depend on run-time values. */
extern void dyn_index_conditions_add(const DynRelPlan *plan, const DynIndexMeta *index,
									 List *clauses, DynAccess *access);

/*
 * Returns true if the index is complete with these values, which are indexed
 * by the positions in fdw_exprs.  Allocates in CurrentMemoryContext.
 */
extern bool dyn_index_conditions_hold(const DynAccess *access,
									  const DynRelation *relation,
									  const Datum *values, const bool *nulls);

#endif
