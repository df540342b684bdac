/*
 * terms.h
 *		What a predicate says of a key attribute, or of one part of its text.
 *
 * A *point* predicate allows finitely many values: =, IN, a boolean column, a
 * term of the row test, or an OR of such.  A *range* predicate allows an
 * interval or a prefix.
 */
#ifndef DYN_PLAN_TERMS_H
#define DYN_PLAN_TERMS_H

#include "../clauses/quals.h"

/* What predicates are matched to. */
typedef struct DynTarget
{
	const DynRelation *relation;
	const DynKeyAttr *attr;
	const DynPart *part;		/* of its template; NULL: a column shows the
								 * attribute itself */
	const DynTemplatePart *spec;	/* of the part */
} DynTarget;

extern bool dyn_is_range_pred(const DynTarget *target, const DynPred *pred);

/*
 * The points that a predicate implies for the target: the predicate itself,
 * one member of an AND, the union over all arms of an OR.  NULL if there are
 * none.  Clears *pure unless the points are equivalent to the predicate.
 */
extern DynPred *dyn_implied_points(const DynTarget *target, DynPred *pred,
								   bool *fully_consumed);

/*
 * The range that a predicate implies for the target: the predicate itself, or of
 * an OR whose other arms depend on no column, the OR with what its arm says of
 * the target (DYN_PRED_GIVEN and leaves of one attribute, in ANDs and ORs of
 * which one arm has leaves).  NULL if there is none.  Clears *pure unless a key
 * condition of this range alone is equivalent to the predicate: it is not if
 * something else is left out, or of several bounds or values.
 */
extern DynPred *dyn_implied_range(const DynTarget *target, DynPred *pred,
								  bool *fully_consumed);

/*
 * The values of an integer column that constant bounds leave, at most so many: a
 * predicate DYN_PRED_IN of integers, whose number of values is *n.  NULL if the
 * clauses (of DynClause *) do not bound the target on both sides, or the column
 * has other values than integers.  Adds the clauses to *used.
 */
extern DynPred *dyn_range_points(const DynTarget *target, List *clauses,
								 uint64 most, uint64 *n, List **used);

/* Ranges of one sort key that are asked for by a Query each. */
#define DYN_MAX_SORT_RANGES	100

#endif
