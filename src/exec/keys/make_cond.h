/*
 * make_cond.h
 *		Makes conditions of DynamoDB (dynamodb/expression.h) in
 *		CurrentMemoryContext.
 */
#ifndef DYN_EXEC_MAKE_COND_H
#define DYN_EXEC_MAKE_COND_H

#include "../../dynamodb/expression.h"

/*
 * Returns a condition.  `path` is NULL for constants and junctions.  The
 * values must live as long as the condition.
 */
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

/* Returns an AND, OR or NOT without arguments, with `space` for them. */
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

/* Returns an AND or OR of two conditions. */
static inline DynCond *
dyn_make_both(DynCondKind kind, DynCond *a, DynCond *b)
{
	DynCond    *cond = dyn_make_junction(kind, 2);

	dyn_cond_add(cond, a);
	dyn_cond_add(cond, b);
	return cond;
}

#endif
