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

/* The key and conditions of one Query. */
typedef struct DynQuery
{
	const DynKeyPart *key;		/* key of the partition */
	DynCond   **range;			/* conditions on range attributes */
	int			nrange;
	DynCond    *filter;			/* filter or NULL */
	DynCond    *enforced;		/* conditions of the filter that the plan
								 * relies on, which are always small enough for
								 * a request; or NULL */
} DynQuery;

typedef struct DynResolvedAccess
{
	bool		contradiction;	/* true if no item can qualify, so that no
								 * request is sent */
	bool		incomplete;		/* true if the index may lack items that
								 * qualify, or values cannot be used for its
								 * keys; then the other fields are not set */

	/*
	 * GET: full keys; QUERY: partition keys.  Key i begins at keys[i *
	 * nparts].
	 */
	int			nkeys;
	int			nparts;
	DynKeyPart *keys;

	int			nqueries;		/* QUERY: requests; several have the same key
								 * if they differ in their conditions */
	DynQuery   *queries;
	int			nsegments;		/* SCAN: number of segments to read, and these,
								 * in ascending order... */
	int		   *segments;		/* ...NULL: all */
	DynCond    *filter;			/* as in each Query */
	DynCond    *enforced;
} DynResolvedAccess;

/*
 * Resolves the access plan.  Allocates in CurrentMemoryContext; `values` must
 * live as long.
 */
extern void dyn_resolve_access(const DynAccess *access, const DynRelation *relation,
							   const DynValues *values, DynResolvedAccess *resolved);

/* Sets the filter, also of each Query. */
extern void dyn_resolved_set_filter(DynResolvedAccess *resolved, DynCond *filter,
									DynCond *enforced);

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
