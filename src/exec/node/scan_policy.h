/*
 * scan_policy.h
 *		The policy of reading whole tables: the option scan_policy.
 */
#ifndef DYN_EXEC_SCAN_POLICY_H
#define DYN_EXEC_SCAN_POLICY_H

#include "../../plan/keys/access.h"

/* What a Scan costs by the description alone. */
extern void dyn_scan_describe(const DynRelation *relation,
							  const DynTableMeta *meta, DynEstimate *estimate);

/*
 * The relation, or its index, is about to be read by a Scan that is expected to
 * use what EXPLAIN shows: warns, or raises an error.  `advice` is that of the
 * access plan, or NULL, here and below.
 */
extern void dyn_scan_policy_apply(const DynRelation *relation, const char *index,
								  const DynEstimate *estimate,
								  const char *advice);

/*
 * Only so many items of it are about to be read, for a LIMIT: says so where a
 * Scan would warn.
 */
extern void dyn_scan_policy_small_read(const DynRelation *relation,
									   const char *index,
									   const DynEstimate *estimate, int items);

/*
 * One page of at most so many items is about to be read, nothing after it.
 * Returns false if the policy does not allow that; warns of what is no bounded
 * read.
 */
extern bool dyn_scan_policy_page(const DynRelation *relation,
								 const DynTableMeta *meta, int items);

/*
 * Such a Scan is about to be read to the end, and the statement has used some
 * read units of its limit: raises an error if what is left is known not to be
 * enough.
 */
extern void dyn_scan_check_units(const DynRelation *relation, const char *index,
								 const DynEstimate *estimate,
								 const char *advice, double used, double limit);

#endif
