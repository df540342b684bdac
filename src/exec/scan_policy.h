/*
 * scan_policy.h
 *		The policy of reading whole tables: the option scan_policy.
 */
#ifndef DYN_EXEC_SCAN_POLICY_H
#define DYN_EXEC_SCAN_POLICY_H

#include "../model/relation.h"

/* The relation is about to be read by a Scan: warns, or raises an error. */
extern void dyn_scan_policy_apply(const DynRelation *relation);

/*
 * The relation, or its index, is about to be read to the end by a Scan, and the
 * statement has used some read units of its limit: raises an error if what is
 * left is known not to be enough.
 */
extern void dyn_scan_check_units(const DynRelation *relation, const char *index,
								 double used, double limit);

#endif
