/*
 * resolve_keys.h
 *		Computes the keys and conditions of an access plan from its run-time
 *		values.
 *
 * The result is a list of distinct keys and conditions that DynamoDB accepts,
 * or a contradiction, for which no request is sent.
 */
#ifndef DYN_EXEC_RESOLVE_KEYS_H
#define DYN_EXEC_RESOLVE_KEYS_H

#include "../../dynamodb/expression.h"
#include "../../plan/keys/access.h"
#include "../statement/values.h"

typedef struct DynQuery
{
	const DynKeyPart *key;		/* partition key, and the first range
								 * attribute if each row of (a, b) IN (...)
								 * includes it (row_keys in access.h) */
	DynCond   **range;			/* conditions on range attributes */
	int			nrange;
	DynCond    *filter;			/* filter or NULL */
	DynCond    *enforced;		/* part of `filter` that PostgreSQL does not
								 * check again, or NULL; always small enough
								 * for a request */
} DynQuery;

typedef struct DynResolvedAccess
{
	bool		contradiction;	/* true if no item can qualify */
	bool		incomplete;		/* true if the index may lack items that
								 * qualify, or the values cannot be used as
								 * keys; then the other fields are not set */

	/* full keys (GET) or partition keys; key i begins at keys[i * nparts] */
	int			nkeys;
	int			nparts;
	DynKeyPart *keys;

	int			nqueries;		/* QUERY: number of Queries; several may have
								 * the same key, with different conditions */
	DynQuery   *queries;
	int			nsegments;		/* SCAN: number of `segments` */
	int		   *segments;		/* SCAN: segments, ascending; NULL for all */
	DynCond    *filter;			/* filter or NULL; also in each DynQuery */
	DynCond    *enforced;
} DynResolvedAccess;

/*
 * Resolves the access plan, in CurrentMemoryContext; *resolved points into
 * `values`.  If there are too many keys, sets `incomplete` if access->unsure,
 * and raises an error otherwise.
 */
extern void dyn_resolve_access(const DynAccess *access, const DynRelation *relation,
							   const DynValues *values, DynResolvedAccess *resolved);

extern void dyn_resolved_set_filter(DynResolvedAccess *resolved, DynCond *filter,
									DynCond *enforced);

/*
 * Returns true if both accesses read the same keys or segments, with the same
 * conditions on range attributes.  Filters are not compared.  Neither access
 * may be a contradiction or incomplete.
 */
extern bool dyn_resolved_same_keys(const DynResolvedAccess *a,
								   const DynResolvedAccess *b);

/* Returns true if both are NULL, or have equal trees, names and values. */
extern bool dyn_cond_same(const DynCond *a, const DynCond *b);

#endif
