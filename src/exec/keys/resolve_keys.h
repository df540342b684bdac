/*
 * resolve_keys.h
 *		Computes the keys and conditions of an access plan from its run-time
 *		values.
 *
 * Here NULLs, values that no item can have, contradictions and duplicates are
 * resolved.  The result is a list of distinct keys and conditions that
 * DynamoDB accepts, or a contradiction, for which a request is not sent.
 */
#ifndef DYN_EXEC_RESOLVE_KEYS_H
#define DYN_EXEC_RESOLVE_KEYS_H

#include "../../dynamodb/expression.h"
#include "../../plan/keys/access.h"
#include "../statement/values.h"

typedef struct DynResolvedAccess
{
	bool		contradiction;	/* true if no item can qualify, so that no
								 * request is sent */
	bool		incomplete;		/* true if the index may lack items that
								 * qualify, or values cannot be used for its
								 * keys; then the other fields are not set */

	/*
	 * GET: full keys; QUERY: the partition key of each request.  Key i begins
	 * at keys[i * nparts].
	 */
	int			nkeys;
	int			nparts;
	DynKeyPart *keys;

	DynCond   **sort;			/* QUERY: condition on the first range
								 * attribute for each key, in place of `range`;
								 * a partition may then occur several times */
	int			nrange;			/* QUERY: number of conditions on range
								 * attributes */
	DynCond    *range[DYN_MAX_KEY_ATTRS];
	int			nsegments;		/* SCAN: number of segments to read, and these,
								 * in ascending order... */
	int		   *segments;		/* ...NULL: all */
	DynCond    *filter;			/* filter or NULL */
	DynCond    *enforced;		/* conditions of the filter that the plan
								 * relies on, which are always small enough for
								 * a request; or NULL */
} DynResolvedAccess;

/*
 * Resolves the access plan.  Allocates in CurrentMemoryContext; `values` must
 * live as long.
 */
extern void dyn_resolve_access(const DynAccess *access, const DynRelation *relation,
							   const DynValues *values, DynResolvedAccess *resolved);

/* Returns the predicates on keys (list of DynPred *), row-wise keys first. */
extern List *dyn_access_key_preds(const DynAccess *access);

/*
 * True if both read the same keys or segments, under the same conditions on range
 * attributes.  Neither may be a contradiction or incomplete; filters are not
 * compared.
 */
extern bool dyn_resolved_same_keys(const DynResolvedAccess *a,
								   const DynResolvedAccess *b);

/* True if both have the same tree, names and values, or are NULL. */
extern bool dyn_cond_same(const DynCond *a, const DynCond *b);

#endif
