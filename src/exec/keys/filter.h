/*
 * filter.h
 *		Makes conditions of DynamoDB (dynamodb/expression.h): from their parts,
 *		or from predicates with run-time values.
 *
 * Allocates in CurrentMemoryContext.  A converted condition is true for every
 * item whose row satisfies the predicate.  If an operand is NULL, the
 * condition is FALSE, since SQL rejects the row as well.  If no item can store
 * the compared value, `=` becomes FALSE, and `<>` becomes a test of the type.
 */
#ifndef DYN_EXEC_FILTER_H
#define DYN_EXEC_FILTER_H

#include "resolve_keys.h"

/* Returns an unsimplified condition for `pred`. */
extern DynCond *dyn_filter_cond(const DynRelation *relation, const DynPred *pred,
								const DynValues *values);

/* Return the condition for one or all terms of the option item_filter. */
extern DynCond *dyn_filter_term_cond(const DynFilterTerm *term);
extern DynCond *dyn_item_filter_cond(const DynItemFilter *test);

/* ---- parts of conditions ---- */

/* `path` is NULL for constants, AND, OR and NOT; `values` are not copied. */
static inline DynCond *
dyn_make_cond(DynCondKind kind, const DynPath *path, const DynScalar *values,
			  int nvalues)
{
	DynCond    *cond = palloc0(sizeof(DynCond));

	cond->kind = kind;
	cond->path = path;
	cond->values = values;
	cond->nvalues = nvalues;
	return cond;
}

static inline DynCond *
dyn_make_constant(bool value)
{
	return dyn_make_cond(value ? DYN_COND_TRUE : DYN_COND_FALSE, NULL, NULL, 0);
}

/* Returns an AND, OR or NOT with space for `space` arguments. */
static inline DynCond *
dyn_make_junction(DynCondKind kind, int space)
{
	DynCond    *cond = dyn_make_cond(kind, NULL, NULL, 0);

	cond->args = palloc(Max(space, 1) * sizeof(DynCond *));
	return cond;
}

/* Adds an argument, for which there must be space. */
static inline void
dyn_cond_add(DynCond *junction, DynCond *arg)
{
	junction->args[junction->nargs++] = arg;
}

static inline DynCond *
dyn_make_both(DynCondKind kind, DynCond *a, DynCond *b)
{
	DynCond    *cond = dyn_make_junction(kind, 2);

	dyn_cond_add(cond, a);
	dyn_cond_add(cond, b);
	return cond;
}

#endif
