/*
 * scan_policy.h
 *		Applies scan_policy, the option for full scans.
 */
#ifndef DYN_EXEC_SCAN_POLICY_H
#define DYN_EXEC_SCAN_POLICY_H

#include "input.h"

/*
 * Applies the scan policy before the requests of `scandesc` are sent: allows
 * them, warns, or raises an error.  If the read has a bound (DynReadBound), at
 * most warns, because the read may end before the bound; the policy is applied
 * when the bound is reached.
 */
extern void dyn_permit_requests(DynInput *input, DynScanDesc *scandesc);

/* Returns true if the next requests would have a bound (DynReadBound). */
extern bool dyn_is_bounded(const DynInput *input);

/*
 * Applies the policy before an execution of `input` uses a shared read.
 * `access` is an access plan for the table or index that is read.  If the read
 * units of the shared read are counted for `input`, `inputs` lists all scans
 * that share the read; otherwise it is NIL.  If scan_policy is "error", raises
 * an error.  If it is "warn", warns unless *warned is true, and sets *warned.
 */
extern void dyn_permit_shared(DynInput *input, const DynAccess *access,
							  const List *inputs, bool *warned);

/*
 * Applies the policy to a page of at most `items` items.  Returns false if
 * scan_policy is "error", and warns if it is "warn".  Small reads
 * (dyn_is_small_read) are always allowed, without a warning.
 */
extern bool dyn_scan_policy_page(const DynRelation *relation,
								 const DynTableMeta *meta, int items);

#endif
