/*
 * key_counts.h
 *		Numbers of keys, for estimates.
 */
#ifndef DYN_PLAN_KEY_COUNTS_H
#define DYN_PLAN_KEY_COUNTS_H

#include "access.h"

/* Estimated maximum number of keys that the access plan reads. */
extern double dyn_access_keys(PlannerInfo *root, const DynAccess *access);

#endif
