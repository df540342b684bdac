/*
 * looked_up.h
 *		The executions of a scan that lookups answer (lookup.h), as a source.
 *
 * It gives rows: the cache of the lookups keeps most of them decoded.
 */
#ifndef DYN_EXEC_LOOKED_UP_H
#define DYN_EXEC_LOOKED_UP_H

#include "../lookup/lookup.h"
#include "items.h"

typedef struct DynLookedUp
{
	DynItems	items;			/* first: of the execution that is open */
	DynLookups *lookups;
} DynLookedUp;

/* As dyn_lookups_create; dyn_looked_up_free frees them. */
extern DynLookedUp *dyn_looked_up_create(DynScanDesc *scandesc, TupleDesc desc);

/*
 * The source of the execution with these values; NULL if it cannot be served.  It
 * cannot be rewound.
 */
extern DynItems *dyn_looked_up_open(DynLookedUp *looked_up, const DynValues *values);

extern void dyn_looked_up_free(DynLookedUp *looked_up);

#endif
