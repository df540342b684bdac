/*
 * scan_policy.h
 *		Applies scan_policy, the option for full scans.
 */
#ifndef DYN_EXEC_SCAN_POLICY_H
#define DYN_EXEC_SCAN_POLICY_H

#include "input.h"

/* The read that serves an execution. */
typedef struct DynPermit
{
	const DynAccess *access;	/* access plan that is read */
	List	   *inputs;			/* DynInput * of the scans that share the read */
	bool		paid;			/* true if the read units are counted for
								 * another of `inputs` */
	bool	   *warned;			/* flag of a shared read: true if one of its
								 * scans has warned; NULL: the read is not
								 * shared */
} DynPermit;

/*
 * Applies the policy before a descriptor of the scan starts its requests:
 * warns, or raises an error.  If the Scan is bounded and executed once, the
 * policy applies only beyond its bound.
 */
extern void dyn_permit_requests(DynInput *input, DynScanDesc *scandesc);

/* True if the scan's next requests would have a bound (DynReadBound). */
extern bool dyn_is_bounded(const DynInput *input);

/*
 * Applies the policy before a shared read serves an execution.  Under "error",
 * each of the scans raises an error; under "warn", only one of them warns.
 */
extern void dyn_permit_shared(DynInput *input, const DynPermit *permit);

/* Estimates the cost of a full Scan from the table's description. */
extern void dyn_scan_describe(const DynRelation *relation,
							  const DynTableMeta *meta, DynEstimate *estimate);

/*
 * Applies the policy before a Scan of the relation, or of an index: warns, or
 * raises an error.  `estimate` is the expected cost, as in EXPLAIN.  Here and
 * below, `advice` is the advice of the access plan, or NULL.  `previewed` is
 * the number of read units that a LIMIT scan (preview_units) has used; 0:
 * none.
 */
extern void dyn_scan_policy_apply(const DynRelation *relation, const char *index,
								  const DynEstimate *estimate,
								  const char *advice, double previewed);

/*
 * Applies the policy to one page of at most `items` items.  Returns false
 * under "error", and warns under "warn"; a small read (dyn_is_small_read) is
 * always allowed.
 */
extern bool dyn_scan_policy_page(const DynRelation *relation,
								 const DynTableMeta *meta, int items);

/*
 * Raises an error if the estimated read units of a Scan to its end, added to
 * the `used` ones, exceed the statement's `limit`.  Raises none if the size of
 * the table is unknown.
 */
extern void dyn_scan_check_units(const DynRelation *relation, const char *index,
								 const DynEstimate *estimate,
								 const char *advice, double used, double limit);

#endif
