/*
 * scan_policy.h
 *		Applies scan_policy, the option for full scans.
 */
#ifndef DYN_EXEC_SCAN_POLICY_H
#define DYN_EXEC_SCAN_POLICY_H

#include "../../plan/keys/access.h"

/* Describes the cost of a Scan, from the table's description alone. */
extern void dyn_scan_describe(const DynRelation *relation,
							  const DynTableMeta *meta, DynEstimate *estimate);

/*
 * Applies the policy before the relation, or its index, is read by a Scan that
 * is expected to use what EXPLAIN shows: warns, or raises an error.  `advice`
 * is that of the access plan, or NULL, here and below.  A preview has used
 * `previewed` units before; 0: it is not one.
 */
extern void dyn_scan_policy_apply(const DynRelation *relation, const char *index,
								  const DynEstimate *estimate,
								  const char *advice, double previewed);

/*
 * Reports a bounded read in place of a warning: a Scan that reads only `items`
 * items, because of a LIMIT; or, if this is 0, only those units.
 */
extern void dyn_scan_policy_bounded_read(const DynRelation *relation,
										 const char *index,
										 const DynEstimate *estimate,
										 long items, double units);

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
