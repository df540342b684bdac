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
	bool		paid;			/* true if the read units count for another
								 * scan */
	bool	   *warned;			/* set when one of these scans has warned;
								 * NULL: the read is not shared */
} DynPermit;

/*
 * Called before one of the scan's descriptors starts its own requests; applies
 * the policy, and may raise an error.  A bounded Scan that is executed once may
 * first read up to its bound.
 */
extern void dyn_permit_requests(DynInput *input, DynScanDesc *scandesc);

/*
 * Does the same for an execution that a shared read serves.  If scans that
 * share a read may not read all of it, each of them is refused, but only one of
 * them warns.
 */
extern void dyn_permit_shared(DynInput *input, const DynPermit *permit);

/* Describes the cost of a Scan, from the table's description alone. */
extern void dyn_scan_describe(const DynRelation *relation,
							  const DynTableMeta *meta, DynEstimate *estimate);

/*
 * Applies the policy before a Scan of the relation, or of an index: warns, or
 * raises an error.  `estimate` is the expected cost, as in EXPLAIN.  `advice`
 * is that of the access plan, or NULL, here and below.  `previewed` is the
 * number of read units that a preview has already used; 0 if there was none.
 */
extern void dyn_scan_policy_apply(const DynRelation *relation, const char *index,
								  const DynEstimate *estimate,
								  const char *advice, double previewed);

/*
 * Applies the policy to one page of at most `items` items.  Returns false if
 * the policy does not allow it; warns if the read is not bounded.
 */
extern bool dyn_scan_policy_page(const DynRelation *relation,
								 const DynTableMeta *meta, int items);

/*
 * Checks the limit of the statement before such a Scan is read to the end.
 * Raises an error if the read units that remain are known to be insufficient.
 */
extern void dyn_scan_check_units(const DynRelation *relation, const char *index,
								 const DynEstimate *estimate,
								 const char *advice, double used, double limit);

#endif
