/*
 * looked_up.c
 *		Returns the rows that lookups serve.
 */
#include "postgres.h"

#include "looked_up.h"

static DynLookups *
lookups_of(const DynItems *items)
{
	return ((const DynLookedUp *) items)->lookups;
}

/*
 * Waits even without `wait`: the requests of other executions are in flight at
 * the same time.
 */
static DynFetchState
looked_up_next_row(DynItems *items, TupleTableSlot *slot, bool wait)
{
	(void) wait;
	return dyn_lookups_next(lookups_of(items), slot) ? DYN_FETCH_ITEM
		: DYN_FETCH_END;
}

static uint64
looked_up_count(DynItems *items)
{
	return dyn_lookups_count(lookups_of(items));
}

static void
looked_up_close(DynItems *items)
{
	dyn_lookups_close(lookups_of(items));
}

static const DynItemsMethods looked_up_methods = {
	.next_row = looked_up_next_row,
	.count = looked_up_count,
	.close = looked_up_close,
};

DynLookedUp *
dyn_looked_up_create(DynScanDesc *scandesc, TupleDesc desc)
{
	DynLookedUp *looked_up = palloc(sizeof(DynLookedUp));

	looked_up->items.methods = &looked_up_methods;
	looked_up->items.rows = scandesc->rows;
	looked_up->lookups = dyn_lookups_create(scandesc, desc);
	return looked_up;
}

DynItems *
dyn_looked_up_open(DynLookedUp *looked_up, const DynValues *values)
{
	return dyn_lookups_open(looked_up->lookups, values) ? &looked_up->items : NULL;
}

void
dyn_looked_up_free(DynLookedUp *looked_up)
{
	dyn_lookups_free(looked_up->lookups);
}
