/*
 * scan_policy.h
 *		The policy of reading whole tables: the option scan_policy.
 */
#ifndef DYN_EXEC_SCAN_POLICY_H
#define DYN_EXEC_SCAN_POLICY_H

#include "../model/relation.h"

/* The relation is about to be read by a Scan: warns, or raises an error. */
extern void dyn_scan_policy_apply(const DynRelation *relation);

#endif
