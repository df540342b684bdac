/*
 * resolve_keys.h
 *		Run-time values put into an access plan: which keys to read, under which
 *		conditions.
 *
 * Here NULLs, values that no item can hold, contradictions and duplicates are
 * resolved, so that what remains is a list of distinct keys and conditions
 * that DynamoDB accepts; or nothing at all, and then no request is sent.
 */
#ifndef DYN_EXEC_RESOLVE_KEYS_H
#define DYN_EXEC_RESOLVE_KEYS_H

#include "../../dynamodb/expression.h"
#include "../../plan/keys/access.h"
#include "../statement/values.h"

typedef struct DynResolvedAccess
{
	bool		contradiction;	/* no item can qualify: send no request */
	bool		incomplete;		/* the index may lack items that qualify;
								 * nothing else is set then */

	/* GET: whole keys.  QUERY: one for each request.  nkeys * nparts parts. */
	int			nkeys;
	int			nparts;
	DynKeyPart *keys;

	DynCond   **sort;			/* QUERY: of each key the condition on the first
								 * range attribute, in place of `range`; then a
								 * partition is there several times */
	int			nrange;			/* QUERY: conditions on range attributes */
	DynCond    *range[DYN_MAX_KEY_ATTRS];
	DynCond    *filter;			/* NULL: none */
	DynCond    *enforced;		/* what the plan relies on of the filter,
								 * which always fits into a request; NULL:
								 * nothing */
} DynResolvedAccess;

/* Allocates in CurrentMemoryContext; `values` must live as long. */
extern void dyn_resolve_access(const DynAccess *access, const DynRelation *relation,
							   const DynValues *values, DynResolvedAccess *resolved);

/*
 * Do both ask for the same keys, under the same conditions on range attributes?
 * Neither is a contradiction or incomplete; filters are not compared.
 */
extern bool dyn_resolved_same_keys(const DynResolvedAccess *a,
								   const DynResolvedAccess *b);

/* Have both conditions, if there are any, the same tree, names and values? */
extern bool dyn_cond_same(const DynCond *a, const DynCond *b);

#endif
