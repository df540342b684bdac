/*
 * item_filter.c
 *		Evaluates filters on items.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "../../dynamodb/item_match.h"
#include "../keys/resolve_keys.h"
#include "item_filter.h"

static void
free_scratch(void *arg)
{
	dyn_buffer_free(arg);
}

void
dyn_item_filter_init(DynItemFilter *filter)
{
	MemoryContextCallback *callback = palloc(sizeof(*callback));

	filter->contradiction = false;
	filter->cond = NULL;
	dyn_buffer_init(&filter->scratch, 0);
	callback->func = free_scratch;
	callback->arg = &filter->scratch;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
}

static bool
compares_fields(DynPred *pred, void *arg)
{
	(void) arg;
	return pred->kind == DYN_PRED_FIELDS;
}

bool
dyn_item_filter_can(List *filters)
{
	ListCell   *lc;

	foreach(lc, filters)
	{
		if (dyn_pred_walk(lfirst(lc), compares_fields, NULL))
			return false;
	}
	return true;
}

/* ---- items ---- */

void
dyn_item_filter_resolve(DynItemFilter *filter, const DynAccess *access,
						const DynRelation *relation, const DynValues *values,
						const DynRows *rows)
{
	DynResolvedAccess *resolved = palloc(sizeof(DynResolvedAccess));

	Assert(access->kind == DYN_ACCESS_SCAN);
	dyn_resolve_access(access, relation, values, resolved);
	filter->contradiction = resolved->contradiction;
	filter->cond = filter->contradiction ? NULL : resolved->filter;
	if (filter->cond != NULL &&
		!dyn_cond_bind(filter->cond, rows->paths, rows->npaths))
		elog(ERROR, "a field of a filter is not kept");
}

bool
dyn_item_filter_passes(DynItemFilter *filter, const DynValue *item)
{
	bool		passes = filter->cond == NULL ||
		dyn_item_matches(filter->cond, item, &filter->scratch);

	Assert(!filter->contradiction);
	if (filter->scratch.failed)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	return passes;
}
