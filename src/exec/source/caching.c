/*
 * caching.c
 *		Caches a read for executions that would repeat it.
 *
 * Some scans are executed again and again with values that their requests use
 * only in filters.  Examples are a correlated subquery or LATERAL with
 * conditions on columns outside of the key, and the inner side of a nested
 * loop.  Such a scan would read the same items each time.  So the second
 * execution requests the items without the filters whose values change, and
 * caches them for the statement (shared.h).  From then on, these filters are
 * evaluated on the cached items, with the values of each execution.
 *
 * At a rescan, the executor marks the parameters that change (chgParam).  When
 * a parameter changes for the first time, the items are requested again,
 * without the filters whose values depend on this parameter.  So a Scan is
 * repeated at most once for each parameter.
 *
 * Queries are cached, too: an execution uses cached items if it has the same
 * keys as the previous execution.  The fallback (requested.c) of a scan, or of
 * an arm of an OR, has a cache of its own.
 *
 * A read is not cached in EvalPlanQual, or if a changing filter compares two
 * attributes.  If a lookup join sends requests, only fallbacks are cached.
 */
#include "postgres.h"

#include "commands/explain.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "../../model/server/pg_compat.h"
#include "../../model/session/guc.h"
#include "scan_policy.h"
#include "shared.h"

typedef struct Caching
{
	DynInput   *input;
	DynScanDesc *scandesc;		/* scan descriptor of the scan or fallback */
	Bitmapset **value_params;	/* parameters that each run-time value depends
								 * on; NULL before the first rescan */
	Bitmapset  *changed;		/* parameters that have changed so far */
	Bitmapset  *divided_by;		/* `changed` as of the last call of divide() */
	uint64		executions;		/* number of executions that used the cache */

	/*
	 * The following three fields are set by divide().  It omits filters with
	 * changing values from the requests, and is called again when another
	 * parameter changes for the first time.
	 */
	MemoryContext context;		/* context of the divided plan, or NULL */
	DynMember  *member;			/* only member of the cached read; NULL before
								 * divide(), or if divide() rejects the plan */
	bool	   *used;			/* used[i]: true if the requests of the cached
								 * read use run-time value i */

	/*
	 * context of the cached read and of its run-time values (member->values);
	 * freed when another read begins; NULL if no values are stored
	 */
	MemoryContext read_context;
} Caching;

static Bitmapset **
find_params(const DynInput *input)
{
	ForeignScan *plan = (ForeignScan *) input->node->ss.ps.plan;
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
	return params;
}

/* ---- dividing the access plan ---- */

static bool
visit_value(DynPred *pred, void *arg)
{
	const Caching *cached = arg;

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

static void
forget_read(Caching *cached)
{
	if (cached->member != NULL)
		dyn_shared_stop(cached->member->read);
	if (cached->read_context != NULL)
		MemoryContextDelete(cached->read_context);
	cached->read_context = NULL;
}

static void
forget_division(void *state)
{
	Caching    *cached = state;

	forget_read(cached);
	if (cached->context != NULL)
		MemoryContextDelete(cached->context);
	cached->context = NULL;
	cached->member = NULL;
}

static void
divide(Caching *cached)
{
	DynInput   *input = cached->input;
	MemoryContext oldcontext;
	List	   *changing = NIL;
	ListCell   *lc;

	forget_division(cached);
	cached->context = AllocSetContextCreate(input->node->ss.ps.state->es_query_cxt,
											"dynamo_fdw cached scan",
											ALLOCSET_DEFAULT_SIZES);
	oldcontext = MemoryContextSwitchTo(cached->context);
	cached->divided_by = bms_copy(cached->changed);
	foreach(lc, cached->scandesc->access->filters)
	{
		if (dyn_pred_visit(lfirst(lc), true, visit_value, cached))
			changing = lappend(changing, lfirst(lc));
	}

	/*
	 * A cached read leaves out the filters that change, so it finds more index
	 * entries.  With fetch_base_items, it would read the item of each entry
	 * from the table.  This could cost more than to send all filters in each
	 * execution, so do not cache.
	 */
	if (!dyn_preds_compare_fields(changing) &&
		(changing == NIL || !cached->scandesc->access->fetch_base_items))
	{
		DynMember  *member = palloc0(sizeof(DynMember));
		DynSharedRead *read = palloc0(sizeof(DynSharedRead));

		member->expected = member->may_rewind = true;
		dyn_member_init(member, input, cached->scandesc, changing);
		dyn_shared_add(read, member);
		/*
		 * Do not cache if the rows would also convert the parts of documents
		 * that are read only for filters, because these could raise errors.
		 */
		if (dyn_shared_limit_parts(read))
			cached->member = member;
		cached->used = palloc0(Max(input->values.n, 1) * sizeof(bool));
		(void) dyn_preds_visit(list_concat(dyn_access_key_preds(&member->own_access),
										   member->own_access.filters),
							   true, visit_used, cached->used);
	}
	MemoryContextSwitchTo(oldcontext);
}

/* ---- start of an execution ---- */

static void
note_values(Caching *cached, const DynValues *values)
{
	MemoryContext oldcontext;

	forget_read(cached);
	cached->read_context = AllocSetContextCreate(cached->context, "dynamo_fdw cached items",
												 ALLOCSET_DEFAULT_SIZES);
	oldcontext = MemoryContextSwitchTo(cached->read_context);
	cached->member->values = dyn_values_copy(values);
	MemoryContextSwitchTo(oldcontext);
}

static void
rescan_cached(void *state)
{
	Caching    *cached = state;
	DynInput   *input = cached->input;
	bool		first = (cached->value_params == NULL);
	MemoryContext oldcontext = MemoryContextSwitchTo(input->node->ss.ps.state->es_query_cxt);

	if (first)
		cached->value_params = find_params(input);
	cached->changed = bms_add_members(cached->changed, input->node->ss.ps.chgParam);
	MemoryContextSwitchTo(oldcontext);
	if (!first || !input->running || !input->requested)
		return;
	/* input->values are still those of the execution that ends */
	divide(cached);
	if (cached->member != NULL)
		note_values(cached, &input->values);
}

/*
 * Returns a source of cached items.  Returns NULL up to the first execution
 * that sends requests: it may be the only one, so it sends all filters, and
 * caches nothing.  Also returns NULL if divide() has rejected the access plan,
 * or if the keys differ from those of the previous execution.
 */
static DynItems *
open_cached(void *state)
{
	Caching    *cached = state;
	DynInput   *input = cached->input;
	DynMember  *member;
	bool		same;

	if (cached->value_params == NULL ||
		(cached->scandesc == input->scandesc &&
		 (input->has_prefetcher || !dyn_input_is_complete(input, &input->values))))
		return NULL;
	if (cached->context == NULL || !bms_equal(cached->divided_by, cached->changed))
		divide(cached);
	member = cached->member;
	if (member == NULL)
		return NULL;
	/* without a cached read, member->values are those of the last execution */
	same = cached->read_context != NULL &&
		dyn_values_equal(&member->values, &input->values, cached->used);
	/*
	 * A new read uses the current values, so note them.  If the read is of an
	 * index, the index has all items for these values, as checked above.
	 */
	if (!same || member->read->stored == NULL)
		note_values(cached, &input->values);
	/* other values may be other keys, except in a Scan of all segments */
	if (!input->requested ||
		(!same && (cached->scandesc->access->kind != DYN_ACCESS_SCAN ||
				   cached->scandesc->access->nhash > 0)))
		return NULL;
	cached->executions++;
	dyn_member_resolve(member, &input->values);
	if (member->contradiction)
		return dyn_items_empty(member->scandesc->rows);
	if (member->read->stored == NULL)
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(cached->read_context);

		dyn_resolve_access(&member->own_access, input->scandesc->relation,
						   &member->values, &member->resolved);
		Assert(!member->resolved.incomplete);
		dyn_shared_start(member->read);
		MemoryContextSwitchTo(oldcontext);
	}
	return dyn_member_open(member);
}

static void
explain_cached(const void *state, ExplainState *es)
{
	const Caching *cached = state;
	const DynSharedRead *read = cached->member ? cached->member->read : NULL;
	bool		stores = read != NULL && read->stored != NULL;
	uint64		items = stores ? read->nstored : 0;
	uint64		kilobytes = stores ? (read->stored_bytes + 1023) / 1024 : 0;
	const char *place = stores && !tuplestore_in_memory(read->stored) ? "Disk" : "Memory";

	/* EXPLAIN does not show the cache of a fallback */
	if (cached->executions == 0 || cached->scandesc != cached->input->scandesc)
		return;
	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		appendStringInfoSpaces(es->str, es->indent * 2);
		appendStringInfo(es->str, "Cached: " UINT64_FORMAT " items  %s: " UINT64_FORMAT
						 "kB  Executions Served: " UINT64_FORMAT "\n",
						 items, place, kilobytes, cached->executions);
		return;
	}
	ExplainPropertyUInteger("Cached Items", NULL, items, es);
	ExplainPropertyText("Cached Space Type", place, es);
	ExplainPropertyUInteger("Cached Space Used", "kB", kilobytes, es);
	ExplainPropertyUInteger("Cached Executions Served", NULL, cached->executions, es);
}

Caching *
dyn_add_caching(DynInput *input, DynScanDesc *scandesc)
{
	Caching    *cached;

	if (!dyn_guc_enable_cached_reads || input->node->ss.ps.state->es_epq_active != NULL ||
		!dyn_access_can(scandesc->access, DYN_CAN_CACHE))
		return NULL;
	cached = palloc(sizeof(Caching));
	*cached = (Caching) {.input = input,.scandesc = scandesc};
	dyn_input_add_opener(input, &(DynOpener) {.open = scandesc == input->scandesc ? open_cached : NULL,
		.rescan = rescan_cached,.explain = explain_cached,.free = forget_division,.state = cached});
	return cached;
}

DynItems *
dyn_start_fallback(DynInput *input, DynScanDesc *scandesc, Caching *caching,
				   const DynResolvedAccess *resolved)
{
	DynItems   *items = NULL;

	dyn_permit_requests(input, scandesc);
	if (input->fallbacks++ > 0 && caching != NULL)
		items = open_cached(caching);
	return items != NULL ? items : dyn_items_start(scandesc, resolved);
}
