/*
 * items.c
 *		Common functions of all sources, and the two simplest sources.
 */
#include "postgres.h"

#include "items.h"
#include "listed.h"

/* ---- all sources ---- */

double
dyn_items_pause(const DynItems *items)
{
	DynFetch   *fetch = dyn_items_awaited(items);

	if (fetch == NULL ||
		(items->methods->has_next != NULL && items->methods->has_next(items)))
		return 0;
	return dyn_fetch_pause(fetch);
}

bool
dyn_items_rewind(DynItems *items)
{
	if (items->methods->rewind == NULL || !items->methods->rewind(items))
		return false;
	if (items->rows != NULL)
		dyn_rows_end(items->rows);
	return true;
}

uint64
dyn_items_count(DynItems *items)
{
	uint64		count = 0;

	if (items->methods->count != NULL)
		return items->methods->count(items);
	while (items->methods->next(items) != NULL)
		count++;
	return count;
}

void
dyn_items_close(DynItems *items)
{
	if (items->rows != NULL)
		dyn_rows_end(items->rows);
	if (items->methods->close != NULL)
		items->methods->close(items);
}

/* ---- empty ---- */

static const DynValue *
empty_next(DynItems *items)
{
	(void) items;
	return NULL;
}

static bool
empty_rewind(DynItems *items)
{
	(void) items;
	return true;
}

static const DynItemsMethods empty_methods = {
	.next = empty_next,
	.rewind = empty_rewind,
};

DynItems *
dyn_items_empty(DynRows *rows)
{
	DynItems   *items = palloc(sizeof(DynItems));

	items->methods = &empty_methods;
	items->rows = rows;
	return items;
}

/* ---- fetched ---- */

typedef struct Fetched
{
	DynItems	items;			/* must be first */
	DynScanDesc *scandesc;
	DynFetch   *fetch;
} Fetched;

static const DynValue *
fetched_next(DynItems *items)
{
	return dyn_fetch_next(((Fetched *) items)->fetch);
}

static bool
fetched_would_wait(DynItems *items)
{
	return dyn_fetch_poll(((Fetched *) items)->fetch) == DYN_FETCH_WAITS;
}

static DynFetch *
fetched_awaited(const DynItems *items)
{
	return ((const Fetched *) items)->fetch;
}

static bool
fetched_rewind(DynItems *items)
{
	return dyn_fetch_rewind(((Fetched *) items)->fetch);
}

static uint64
fetched_count(DynItems *items)
{
	return dyn_fetch_count(((Fetched *) items)->fetch);
}

static void
fetched_close(DynItems *items)
{
	Fetched    *fetched = (Fetched *) items;

	dyn_scandesc_set_origin(fetched->scandesc, NULL, NULL);
	dyn_fetch_stop(fetched->fetch);
}

static const DynItemsMethods fetched_methods = {
	.next = fetched_next,
	.would_wait = fetched_would_wait,
	.awaited = fetched_awaited,
	.rewind = fetched_rewind,
	.count = fetched_count,
	.close = fetched_close,
};

/* ---- start ---- */

DynItems *
dyn_items_start(DynScanDesc *scandesc, const DynResolvedAccess *resolved)
{
	const DynRows *rows = scandesc->index_rows ? scandesc->index_rows : scandesc->rows;
	DynRequests *requests;
	DynFetch   *fetch;
	Fetched    *fetched;

	if (resolved->contradiction)
		return dyn_items_empty(scandesc->rows);
	requests = dyn_requests_of_access(scandesc->relation, scandesc->access, resolved,
									  rows->projection, rows->nprojection,
									  dyn_scandesc_segments(scandesc));
	fetch = dyn_scandesc_start(scandesc, requests, rows, false);
	if (scandesc->index_rows != NULL)
		return dyn_listed_create(scandesc, fetch);
	fetched = palloc(sizeof(Fetched));
	*fetched = (Fetched) {{&fetched_methods, scandesc->rows}, scandesc, fetch};
	return &fetched->items;
}
