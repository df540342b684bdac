/*
 * key_values.h
 *		Computes the values of a key attribute that satisfy predicates, given
 *		the run-time values of the predicates.
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

/* Maximum number of keys; see dyn_too_many_keys. */
#define DYN_MAX_KEYS	10000000

/*
 * An array that restricts several parts of the key, such as `id = ANY ($1)` if
 * the templates of both key attributes contain ${id} (dyn_shared_lists).  In
 * each row, all of these parts have the same element of the array.  So values
 * are computed for one element at a time, as if the array had only the element
 * at position `current`.
 */
typedef struct DynElement
{
	const DynPred *list;		/* column = ANY (array) */
	DynArrayElements elements;
	int			current;
} DynElement;

typedef struct DynResolveContext
{
	const DynRelation *relation;
	const DynValues *values;
	const DynElement *shared;	/* arrays that restrict several parts */
	int			nshared;
	bool	   *unusable;		/* set to true if the values cannot be used as
								 * a key; may be NULL if may_widen is true */
	bool		has_fallback;	/* true if too many keys are not an error */
	bool		may_widen;		/* true if the result may be a superset */
	const DynPart *part;		/* placeholder whose values are computed, or
								 * NULL for the full attribute */
	const DynTemplatePart *shape;	/* specification of `part` */
} DynResolveContext;

/*
 * Returns the values, of at most `max_bytes` bytes each, that all matched
 * predicates of an attribute allow.  If template parts have too many
 * combinations, raises an error or, if context->has_fallback, sets *unusable.
 */
extern DynSpans dyn_key_values(const DynResolveContext *context,
							   const DynKeyMatch *match, size_t max_bytes);

/*
 * Removes from element->elements those that do not satisfy all predicates on a
 * template part that element->list restricts.  `preds` has all predicates of
 * the key.  Must be called before dyn_key_values, which computes the values of
 * such a part from the array alone.
 */
extern void dyn_keep_elements(const DynResolveContext *context, const List *preds,
							  DynElement *element);

/*
 * Returns a key condition for a non-empty set of values; NULL if the set
 * restricts nothing.  Key conditions have no IN, so several spans become one,
 * from the lower limit of the first to the upper limit of the last.
 */
extern DynCond *dyn_key_cond(const DynSpans *spans, const DynPath *path);

/*
 * Returns a filter condition for a predicate on an attribute with a template
 * (kind TEMPLATED).  The condition may be constant.  The plan must not rely on
 * the condition, which may be true for strings that the predicate rejects.
 */
extern DynCond *dyn_templated_cond(const DynRelation *relation,
								   const DynPred *pred, const DynValues *values);

/* Returns true if a condition without columns (DYN_PRED_GIVEN) is true. */
extern bool dyn_given_holds(const DynValues *values, const DynPred *pred);

/*
 * If there are more than DYN_MAX_KEYS keys, raises an error or, if the access
 * has a fallback, sets *unusable and returns true.
 */
extern bool dyn_too_many_keys(const DynResolveContext *context, double nkeys);

#endif
