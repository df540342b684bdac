/*
 * caching.c
 *		Serves executions from items that an earlier execution received.
 *
 * The access plan is divided in two.  The first part has the filters whose
 * values are the same in all executions; its items are read and cached.  The
 * second part has the filters whose values change; these are resolved again
 * for each execution, and evaluated on the cached items.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "../../model/session/guc.h"
#include "../../plan/tree/plantree.h"
#include "caching.h"
#include "shared.h"

struct DynCaching
{
	Bitmapset **value_params;	/* parameters of each run-time value */
	Bitmapset  *changed;		/* parameters that have changed so far */
	Bitmapset  *divided_by;		/* value of `changed` when the access plan was
								 * divided */
	uint64		executions;		/* number of executions served */

	/* the divided access plan; freed when another parameter changes */
	MemoryContext context;		/* NULL: not divided yet */
	DynMember  *member;			/* member of the read; evaluates the changing
								 * filters; NULL: the plan cannot be divided */
	bool	   *used;			/* run-time values that requests use */

	/* the cached read and its values; freed when another read begins */
	MemoryContext read_context; /* NULL: no values yet */
	DynValues	values;
};

/* ---- creation ---- */

/*
 * Finds the parameters of each value.  A converted value also depends on the
 * parameters of its operands.
 */
static DynCaching *
make_cached(DynInput *input)
{
	ForeignScan *plan = (ForeignScan *) input->node->ss.ps.plan;
	DynCaching *cached = palloc0(sizeof(DynCaching));
	Bitmapset **params = palloc0(Max(list_length(plan->fdw_exprs), 1) *
								 sizeof(Bitmapset *));
	ListCell   *lc,
			   *lc2;

	foreach(lc, plan->fdw_exprs)
		params[foreach_current_index(lc)] = dyn_running_params(lfirst(lc));
	foreach(lc, input->conversions)
	{
		const DynConversion *conversion = lfirst(lc);

		foreach(lc2, conversion->steps)
		{
			const DynConversionStep *step = lfirst(lc2);

			if (step->param >= 0)
				params[conversion->param] =
					bms_add_members(params[conversion->param], params[step->param]);
		}
	}
	cached->value_params = params;
	return cached;
}

/* ---- dividing the access plan ---- */

static bool
visit_value(DynPred *pred, void *arg)
{
	const DynCaching *cached = arg;

	return pred->param >= 0 &&
		bms_overlap(cached->value_params[pred->param], cached->changed);
}

static bool
visit_used(DynPred *pred, void *arg)
{
	bool	   *used = arg;

	if (pred->param >= 0)
		used[pred->param] = true;
	return false;
}

static bool *
used_values(const DynAccess *access, int nvalues)
{
	bool	   *used = palloc0(Max(nvalues, 1) * sizeof(bool));
	ListCell   *lc;

	foreach(lc, list_concat(dyn_access_key_preds(access), access->filters))
		(void) dyn_pred_visit_parts(lfirst(lc), visit_used, used);
	return used;
}

static void
forget_read(DynCaching *cached)
{
	if (cached->member != NULL)
		dyn_shared_stop(cached->member->read);
	if (cached->read_context != NULL)
		MemoryContextDelete(cached->read_context);
	cached->read_context = NULL;
}

static void
forget_division(DynCaching *cached)
{
	forget_read(cached);
	if (cached->context != NULL)
		MemoryContextDelete(cached->context);
	cached->context = NULL;
	cached->member = NULL;
}

static void
divide(DynInput *input)
{
	DynCaching *cached = input->caching;
	MemoryContext oldcontext;
	List	   *changing = NIL;
	ListCell   *lc;

	forget_division(cached);
	cached->context = AllocSetContextCreate(input->node->ss.ps.state->es_query_cxt,
											"dynamo_fdw cached scan",
											ALLOCSET_DEFAULT_SIZES);
	oldcontext = MemoryContextSwitchTo(cached->context);
	cached->divided_by = bms_copy(cached->changed);
	foreach(lc, input->scandesc->access->filters)
	{
		if (dyn_pred_visit_parts(lfirst(lc), visit_value, cached))
			changing = lappend(changing, lfirst(lc));
	}

	/*
	 * Filters of an index reduce the items that are read from the table.
	 * Without such a filter, one execution could read more items than all
	 * executions with it.
	 */
	if (dyn_member_can_filter(changing) &&
		(changing == NIL || !input->scandesc->access->fetch_base_items))
	{
		DynMember  *member = palloc0(sizeof(DynMember));
		DynSharedRead *read = palloc0(sizeof(DynSharedRead));

		member->expected = member->may_rewind = member->comes_again = true;
		dyn_member_init(member, input, changing);
		dyn_shared_add(read, member);
		/* the items read must not expose too much of documents */
		if (dyn_shared_limit_parts(read))
			cached->member = member;
		cached->used = used_values(&member->own_access, input->values.n);
	}
	MemoryContextSwitchTo(oldcontext);
}

/* ---- start of an execution ---- */

/* Drops the existing read, and records the values for a new one. */
static void
note_values(DynCaching *cached, const DynValues *values)
{
	MemoryContext oldcontext;

	forget_read(cached);
	cached->read_context = AllocSetContextCreate(cached->context, "dynamo_fdw cached items",
												 ALLOCSET_DEFAULT_SIZES);
	oldcontext = MemoryContextSwitchTo(cached->read_context);
	cached->values = dyn_values_copy(values);
	MemoryContextSwitchTo(oldcontext);
}

void
dyn_caching_rescan(DynInput *input)
{
	bool		first = (input->caching == NULL);
	MemoryContext oldcontext;

	if (first && (!dyn_guc_enable_cached_reads ||
				  !dyn_access_can(input->scandesc->access, DYN_CAN_CACHE) ||
				  input->node->ss.ps.state->es_epq_active != NULL))
		return;
	oldcontext = MemoryContextSwitchTo(input->node->ss.ps.state->es_query_cxt);
	if (first)
		input->caching = make_cached(input);
	input->caching->changed = bms_add_members(input->caching->changed,
											  input->node->ss.ps.chgParam);
	MemoryContextSwitchTo(oldcontext);
	if (!first || !input->running || !input->requested)
		return;
	/* the execution that has just ended had these values */
	divide(input);
	if (input->caching->member != NULL)
		note_values(input->caching, &input->values);
}

/*
 * The first execution sends requests of its own, as if it were the only one,
 * because its filters may reduce the number of items that are received.
 */
DynItems *
dyn_caching_open(DynInput *input)
{
	DynCaching *cached = input->caching;
	bool		same;

	if (cached == NULL || input->has_prefetcher ||
		!dyn_input_is_complete(input, &input->values))
		return NULL;
	if (cached->context == NULL || !bms_equal(cached->divided_by, cached->changed))
		divide(input);
	if (cached->member == NULL)
		return NULL;
	/*
	 * can the cached read, or the read of the last execution, serve this one?
	 */
	same = cached->read_context != NULL &&
		dyn_values_equal(&cached->values, &input->values, cached->used);
	if (!same)
		note_values(cached, &input->values);
	/* a Scan that is not restricted to segments reads the same for any values */
	if (!input->requested ||
		(!same && (input->scandesc->access->kind != DYN_ACCESS_SCAN ||
				   input->scandesc->access->nhash > 0)))
		return NULL;
	cached->executions++;
	dyn_member_resolve(cached->member, &input->values);
	if (cached->member->contradiction)
		return dyn_items_empty(cached->member->scandesc->rows);
	if (cached->member->read->store == NULL)
	{
		DynScanDesc *scandesc = cached->member->scandesc;
		MemoryContext oldcontext = MemoryContextSwitchTo(cached->read_context);
		DynResolvedAccess *resolved = palloc(sizeof(DynResolvedAccess));

		dyn_resolve_access(scandesc->access, scandesc->relation, &cached->values, resolved);
		Assert(!resolved->incomplete);
		dyn_shared_start(cached->member->read, resolved);
		MemoryContextSwitchTo(oldcontext);
	}
	return dyn_member_open(cached->member);
}

void
dyn_caching_free(DynInput *input)
{
	if (input->caching != NULL)
		forget_division(input->caching);
	input->caching = NULL;
}

bool
dyn_caching_figures(const DynInput *input, DynCachedFigures *figures)
{
	const DynCaching *cached = input->caching;
	const DynItemStore *store;

	memset(figures, 0, sizeof(*figures));
	if (cached == NULL || cached->executions == 0)
		return false;
	figures->executions = cached->executions;
	store = cached->member != NULL ? cached->member->read->store : NULL;
	if (store != NULL)
	{
		figures->items = dyn_item_store_items(store);
		figures->bytes = dyn_item_store_bytes(store);
		figures->on_disk = !dyn_item_store_is_in_memory(store);
	}
	return true;
}
