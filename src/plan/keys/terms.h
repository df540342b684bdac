/*
 * terms.h
 *		Derives point and range predicates on a key attribute, or on one
 *		placeholder (part) of its template, and counts their values.
 *
 * A *point* predicate allows finitely many values: =, IN, a boolean column, a
 * term of the item filter, or an OR of such predicates.  A *range* predicate
 * allows an interval or a prefix.
 */
#ifndef DYN_PLAN_TERMS_H
#define DYN_PLAN_TERMS_H

#include "access.h"

/* A key attribute, or a part of its template, that predicates are matched to */
typedef struct DynTarget
{
	const DynRelPlan *plan;
	const DynKeyAttr *attr;
	const DynPart *part;		/* NULL for the full attribute */
	const DynTemplatePart *modifier;	/* specification of the part */
} DynTarget;

/*
 * Returns true if the predicate is on the target's column.  If the target is
 * an entire attribute, not a template part, also requires that the column has
 * the attribute's type and can be used in keys.
 */
extern bool dyn_is_on_target(const DynTarget *target, const DynPred *pred);

/*
 * Returns true if the predicate is <> or NOT IN on the target, with values
 * that are the same in all executions.  The target must be a template's part.
 */
extern bool dyn_excludes_points(const DynTarget *target, const DynPred *pred);

extern bool dyn_is_range_pred(const DynTarget *target, const DynPred *pred);

/*
 * Returns a point predicate that `pred` implies for the target, or NULL.
 * Clears *fully_consumed unless the result is equivalent to `pred`.
 */
extern DynPred *dyn_implied_points(const DynTarget *target, DynPred *pred,
								   bool *fully_consumed);

/*
 * Returns the range that `pred` implies for the target, which must be a full
 * attribute; NULL if there is none.  If the range is an OR, only one arm has
 * columns; the others are conditions such as $1 IS NULL.  Clears
 * *fully_consumed if the key condition may select more than `pred`, since one
 * key condition may be unable to express several bounds or values.
 */
extern DynPred *dyn_implied_range(const DynTarget *target, DynPred *pred,
								  bool *fully_consumed);

/*
 * Returns the predicate that `pred` implies for the segment column; NULL if
 * there is none.  It contains points, ranges, NULL tests and conditions
 * without columns.  Clears *fully_consumed unless the result is equivalent to
 * `pred`.
 */
extern DynPred *dyn_implied_segments(const DynTarget *target, DynPred *pred,
									 bool *fully_consumed);

/*
 * Counts the values that `pred` allows for an attribute, or for a part of an
 * attribute if `part` is true.
 */
extern DynCount dyn_count(const DynRelPlan *plan, const DynPred *pred, bool part);

/*
 * Returns the number of keys that the access plan reads.  In a Query without
 * access->per_value, or if more than DYN_MAX_SORT_RANGES values of the sort
 * key are expected, all values and ranges of the sort key count as one.
 */
extern DynCount dyn_count_keys(const DynRelPlan *plan, const DynAccess *access);

/*
 * Returns the lists that several parts of the key share.  A list is a
 * predicate column = ANY (array).  For example, the column c may be in the
 * partition key C#${c} and in the sort key O#${c}.  A row has one element in
 * both, so keys are computed for each element, not for all combinations.
 * `arm` is the searched arm of access->row_keys (an OR); NULL if that is NULL.
 * Works in planner and executor.
 */
extern List *dyn_shared_lists(const DynAccess *access, const DynPred *arm);

/* Returns true if dyn_shared_lists finds a list, at least in one arm. */
extern bool dyn_access_shares_lists(const DynAccess *access);

/* Returns true if both predicates compare one column with equal arrays. */
extern bool dyn_same_list(const DynPred *a, const DynPred *b);

/*
 * Maximum number of values and ranges of a sort key that get a Query each.  A
 * plan with an order has no such maximum (exec/keys/resolve_keys.c).
 */
#define DYN_MAX_SORT_RANGES	100

/* ---- enumerate.c ---- */

/* Maximum number of values that are enumerated between two bounds */
#define DYN_MAX_EACH	1000

/*
 * Returns the DYN_PRED_EACH that the clauses (DynClause *) imply for the
 * target, with at most `most` values (most * JOIN_FACTOR if bounds change
 * between executions).  Adds the used clauses to *used.  Returns NULL if
 * clauses and CHECK constraints do not bound the target on both sides, if the
 * target's values cannot be enumerated, or if the bounds leave none or too
 * many.
 */
extern DynPred *dyn_match_each(const DynTarget *target, List *clauses, int most,
							   List **used);

/*
 * Returns the reason why the key named `key` is not used, if this is because
 * the values between the bounds of the target's column are not enumerated;
 * otherwise NULL.  Also returns NULL if there is no bound, or if the target is
 * a full attribute (not a template part) and only one side is bounded.
 */
extern const char *dyn_why_not_each(const DynTarget *target, List *clauses, const char *key);

/*
 * Returns the column in whose order the partitions can be read; 0 if there is
 * none.  The column contains times: each partition has the items of one unit
 * of time (such as a day), and the partition keys sort like these units.
 */
extern AttrNumber dyn_column_of_units(const DynRelPlan *plan, const DynAccess *access);

#endif
