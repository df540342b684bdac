/*
 * looked_up.h
 *		Source for the executions of a scan that lookups serve (lookup.h).
 *
 * It returns rows: the cache of the lookups usually has them decoded.
 */
#ifndef DYN_EXEC_LOOKED_UP_H
#define DYN_EXEC_LOOKED_UP_H

#include "../lookup/lookup.h"
#include "items.h"

typedef struct DynLookedUp
{
	DynItems	items;			/* source of the open execution (must be
								 * first) */
	DynLookups *lookups;
} DynLookedUp;

/* Creates lookups, as dyn_lookups_create; dyn_looked_up_free frees them. */
extern DynLookedUp *dyn_looked_up_create(DynScanDesc *scandesc, TupleDesc desc);

/*
 * Returns the source of the execution with these values; NULL if it cannot be
 * served.  It cannot be rewound.
 */
extern DynItems *dyn_looked_up_open(DynLookedUp *looked_up, const DynValues *values);

extern void dyn_looked_up_free(DynLookedUp *looked_up);

#endif
