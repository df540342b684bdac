/*
 * make_cond.c
 *		Makes conditions of DynamoDB in CurrentMemoryContext.
 */
#include "postgres.h"

#include "make_cond.h"

DynCond *
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

DynCond *
dyn_make_junction(DynCondKind kind, int space)
{
	DynCond    *cond = dyn_make_cond(kind, NULL, NULL, 0);

	cond->args = palloc(Max(space, 1) * sizeof(DynCond *));
	return cond;
}

DynCond *
dyn_make_both(DynCondKind kind, DynCond *a, DynCond *b)
{
	DynCond    *cond = dyn_make_junction(kind, 2);

	dyn_cond_add(cond, a);
	dyn_cond_add(cond, b);
	return cond;
}
