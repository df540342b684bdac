/*
 * key_values.h
 *		The values that predicates leave a key attribute, with their run-time
 *		values.
 *
 * DynamoDB's rules for keys hold here: no empty values, at most 2048 bytes in a
 * partition key and 1024 in a sort key, one condition on a sort key, no BETWEEN
 * with reversed bounds.
 *
 * Allocates in CurrentMemoryContext.
 */
#ifndef DYN_EXEC_KEY_VALUES_H
#define DYN_EXEC_KEY_VALUES_H

#include "../../dynamodb/expression.h"
#include "../../dynamodb/spans.h"
#include "../../plan/keys/access.h"
#include "../statement/values.h"

/* More keys than this are refused rather than collected. */
#define DYN_MAX_KEYS	10000000

typedef struct DynResolveContext
{
	const DynRelation *relation;
	const DynValues *values;
	const DynPart *part;		/* the predicates are on it; or NULL */
} DynResolveContext;

/*
 * What all predicates matched to an attribute leave, in a part of a key of this
 * size.  Raises an error for more values than can be collected.
 */
extern DynSpans dyn_key_values(const DynResolveContext *context,
							   const DynKeyMatch *match, size_t max_bytes);

/*
 * A key condition for a set that is not empty; NULL if it excludes nothing.  Of
 * several spans it is one from the first to the last: keys have no IN.
 */
extern DynCond *dyn_key_cond(const DynSpans *spans, const DynPath *path);

/*
 * A condition for a filter that a predicate of kind SPELLED implies, which may
 * hold for other texts, too: nothing relies on it.  It may be constant.
 */
extern DynCond *dyn_templated_cond(const DynRelation *relation,
								   const DynPred *pred, const DynValues *values);

/* Is a condition without columns (DYN_PRED_GIVEN) true? */
extern bool dyn_given_holds(const DynValues *values, const DynPred *pred);

/* Raises an error for more keys than can be collected. */
extern void dyn_refuse_too_many(double nkeys);

#endif
