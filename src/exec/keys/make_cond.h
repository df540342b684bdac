/*
 * make_cond.h
 *		Makes conditions of DynamoDB (dynamodb/expression.h) in
 *		CurrentMemoryContext.
 */
#ifndef DYN_EXEC_MAKE_COND_H
#define DYN_EXEC_MAKE_COND_H

#include "../../dynamodb/expression.h"

/*
 * Returns a condition on a path (NULL for TRUE and FALSE).  The values must
 * live as long as the condition.
 */
extern DynCond *dyn_make_cond(DynCondKind kind, const DynPath *path,
							  const DynScalar *values, int nvalues);

/* Returns an AND, OR or NOT without arguments, with space for some. */
extern DynCond *dyn_make_junction(DynCondKind kind, int space);

/* Adds an argument, for which there must be space. */
static inline void
dyn_cond_add(DynCond *junction, DynCond *arg)
{
	junction->args[junction->nargs++] = arg;
}

/* Returns an AND or OR of two conditions. */
extern DynCond *dyn_make_both(DynCondKind kind, DynCond *a, DynCond *b);

#endif
