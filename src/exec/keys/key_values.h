/*
 * key_values.h
 *		Computes the values that predicates, with their run-time values, allow
 *		for a key attribute.
 *
 * DynamoDB's rules for keys apply here.  Values are not empty, and have at
 * most 2048 bytes in a partition key and 1024 in a sort key.  A sort key has
 * one condition, and BETWEEN never has reversed bounds.
 *
 * Allocates in CurrentMemoryContext.
 */
#ifndef DYN_EXEC_KEY_VALUES_H
#define DYN_EXEC_KEY_VALUES_H

#include "../../dynamodb/expression.h"
#include "../../dynamodb/spans.h"
#include "../../plan/keys/access.h"
#include "../statement/values.h"

/* Maximum number of keys; more raise an error. */
#define DYN_MAX_KEYS	10000000

typedef struct DynResolveContext
{
	const DynRelation *relation;
	const DynValues *values;
	bool	   *unusable;		/* set if the values cannot be a key */
	bool		may_widen;		/* true if more values than these are allowed */
	const DynPart *part;		/* part that the predicates compare, or NULL */
	const DynTemplatePart *shape;	/* its specification */
} DynResolveContext;

/*
 * Returns the values that all predicates matched to an attribute allow, and
 * that are not longer than this part of the key permits.  Raises an error for
 * more values than can be collected.
 */
extern DynSpans dyn_key_values(const DynResolveContext *context,
							   const DynKeyMatch *match, size_t max_bytes);

/*
 * Returns a key condition for a set that is not empty; NULL if it includes
 * every value.  Several spans become one, from the first to the last, because
 * key conditions have no IN.
 */
extern DynCond *dyn_key_cond(const DynSpans *spans, const DynPath *path);

/*
 * Returns a filter condition that a predicate of kind TEMPLATED implies.  It
 * may be true for other texts, too, so the plan must not rely on it.  It may
 * be TRUE or FALSE.
 */
extern DynCond *dyn_templated_cond(const DynRelation *relation,
								   const DynPred *pred, const DynValues *values);

/* True if a condition without columns (DYN_PRED_GIVEN) is true. */
extern bool dyn_given_holds(const DynValues *values, const DynPred *pred);

/* Raises an error for more keys than can be collected. */
extern void dyn_refuse_too_many(double nkeys);

#endif
