/*
 * kept_read.c
 *		Answers executions from items that an earlier one received.
 *
 * The access plan is divided in two: one whose filters have the same values in
 * all executions, which is read and kept, and the filters whose values change,
 * which are resolved anew for each execution.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "../../model/session/guc.h"
#include "../../plan/tree/plantree.h"
#include "item_filter.h"
#include "item_store.h"
#include "kept_read.h"

struct DynKept
{
	Bitmapset **value_params;	/* of each run-time value: its parameters */
	Bitmapset  *changed;		/* parameters that have changed so far */
	Bitmapset  *divided_by;		/* those when the access plan was divided */
	bool		refused;		/* it cannot be divided */
	uint64		executions;		/* served */

	/* the access plan, divided; gone when another parameter changes */
	MemoryContext context;		/* NULL: not divided yet */
	DynReader  *reader;			/* of what is kept */
	DynAccess	changing;		/* only the filters that change, no keys */
	bool	   *used;			/* of each run-time value: by the reader */
	DynValue   *slots;			/* of the item at hand */

	/* the read, of the values that it uses; gone when another one begins */
	MemoryContext read_context; /* NULL: no values yet */
	DynValues	values;
	DynFetch   *fetch;			/* the read goes on; NULL: all is kept */
	DynItemStore *store;		/* NULL: not begun */

	DynItemFilter filter;		/* of the execution */
};

/* ---- making ---- */

/* A converted value changes with the operands of its conversion. */
static void
add_operands(Bitmapset **params, List *conversions)
{
	ListCell   *lc,
			   *lc2;

	foreach(lc, conversions)
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
}

static DynKept *
make_kept(DynScan *scan)
{
	ForeignScan *plan = (ForeignScan *) scan->input.node->ss.ps.plan;
	DynKept    *kept = palloc0(sizeof(DynKept));
	ListCell   *lc;

	kept->value_params = palloc0(Max(list_length(plan->fdw_exprs), 1) *
								 sizeof(Bitmapset *));
	foreach(lc, plan->fdw_exprs)
		kept->value_params[foreach_current_index(lc)] =
			dyn_running_params(lfirst(lc));
	add_operands(kept->value_params, scan->input.conversions);
	dyn_item_filter_init(&kept->filter);
	return kept;
}

static bool
may_be_kept(const DynScan *scan)
{
	const DynAccess *access = scan->input.reader->access;

	return dyn_guc_enable_kept_reads &&
		(access->kind == DYN_ACCESS_QUERY || access->kind == DYN_ACCESS_SCAN) &&
		!access->fetch_base_items && !access->contradiction &&
		access->nproofs == 0 &&
		scan->input.node->ss.ps.state->es_epq_active == NULL;
}

/* ---- dividing the access plan ---- */

/* Does the predicate use a value that changes? */
static bool
visit_value(DynPred *pred, void *arg)
{
	const DynKept *kept = arg;

	return pred->param >= 0 &&
		bms_overlap(kept->value_params[pred->param], kept->changed);
}

static bool
changes(DynPred *pred, const DynKept *kept)
{
	return dyn_pred_walk_parts(pred, visit_value, unconstify(DynKept *, kept));
}

/* Divides the filters; false if one that changes cannot be evaluated here. */
static bool
divide_filters(DynKept *kept, const DynAccess *whole, DynAccess *constant)
{
	ListCell   *lc;

	constant->filters = NIL;
	foreach(lc, whole->filters)
	{
		if (changes(lfirst(lc), kept))
			kept->changing.filters = lappend(kept->changing.filters, lfirst(lc));
		else
			constant->filters = lappend(constant->filters, lfirst(lc));
	}
	return dyn_item_filter_can(kept->changing.filters);
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
mark_used(List *preds, bool *used)
{
	ListCell   *lc;

	foreach(lc, preds)
		(void) dyn_pred_walk_parts(lfirst(lc), visit_used, used);
}

/* Which values the requests of an access plan use. */
static bool *
used_values(const DynAccess *access, int nvalues)
{
	bool	   *used = palloc0(Max(nvalues, 1) * sizeof(bool));

	mark_used(access->filters, used);
	if (access->row_keys != NULL)
		(void) dyn_pred_walk_parts(access->row_keys, visit_used, used);
	for (int i = 0; i < access->nhash; i++)
		mark_used(access->hash[i].preds, used);
	for (int i = 0; i < access->nrange; i++)
		mark_used(access->range[i].preds, used);
	return used;
}

static void
forget_read(DynKept *kept)
{
	if (kept->store != NULL)
		dyn_item_store_free(kept->store);
	if (kept->reader != NULL)
		dyn_reader_set_origin(kept->reader, NULL, NULL);
	if (kept->read_context != NULL)
		MemoryContextDelete(kept->read_context);
	kept->read_context = NULL;
	kept->store = NULL;
	kept->fetch = NULL;
}

static void
forget_division(DynKept *kept)
{
	forget_read(kept);
	if (kept->context != NULL)
		MemoryContextDelete(kept->context);
	kept->context = NULL;
	kept->reader = NULL;
}

static void
divide(DynScan *scan)
{
	DynKept    *kept = scan->input.kept;
	const DynAccess *whole = scan->input.reader->access;
	MemoryContext oldcontext;
	DynAccess  *constant;

	forget_division(kept);
	kept->context = AllocSetContextCreate(scan->input.node->ss.ps.state->es_query_cxt,
										  "dynamo_fdw kept read",
										  ALLOCSET_DEFAULT_SIZES);
	oldcontext = MemoryContextSwitchTo(kept->context);
	kept->divided_by = bms_copy(kept->changed);
	constant = palloc(sizeof(DynAccess));
	*constant = *whole;
	constant->count_only = false;
	memset(&kept->changing, 0, sizeof(DynAccess));
	kept->changing.kind = DYN_ACCESS_SCAN;
	kept->refused = !divide_filters(kept, whole, constant);
	if (!kept->refused)
	{
		kept->reader = dyn_reader_create(scan->input.reader->statement,
										 scan->input.reader->relation, constant);
		kept->reader->count_into = scan->input.reader->count_into;
		dyn_reader_set_kept_rows(kept->reader, kept->changing.filters);
		kept->slots = palloc0(kept->reader->rows->npaths * sizeof(DynValue));
		kept->used = used_values(constant, scan->input.values.n);
		kept->refused = !dyn_rows_limit_parts(kept->reader->rows,
											  scan->input.reader->own_rows,
											  kept->reader->rows);
	}
	MemoryContextSwitchTo(oldcontext);
}

/* ---- beginning an execution ---- */

/* Is this the read that is kept, or that the last execution was one of? */
static bool
is_same_read(const DynKept *kept, const DynValues *values)
{
	if (kept->read_context == NULL)
		return false;
	for (int i = 0; i < values->n; i++)
	{
		const DynValueType *type = &values->types[i];

		if (kept->used[i] &&
			(kept->values.nulls[i] != values->nulls[i] ||
			 (!values->nulls[i] &&
			  !datum_image_eq(kept->values.values[i], values->values[i],
							  type->byval, type->len))))
			return false;
	}
	return true;
}

/* Forgets the read there was. */
static void
note_values(DynKept *kept, const DynValues *values)
{
	MemoryContext oldcontext;

	forget_read(kept);
	kept->read_context = AllocSetContextCreate(kept->context, "dynamo_fdw kept items",
											   ALLOCSET_DEFAULT_SIZES);
	oldcontext = MemoryContextSwitchTo(kept->read_context);
	kept->values = dyn_values_copy(values);
	MemoryContextSwitchTo(oldcontext);
}

/* At the first rescan: the execution that ends had these values. */
static void
note_execution(DynScan *scan)
{
	divide(scan);
	if (!scan->input.kept->refused)
		note_values(scan->input.kept, &scan->input.values);
}

void
dyn_kept_rescan(DynScan *scan)
{
	bool		first = (scan->input.kept == NULL);
	MemoryContext oldcontext;

	if (first && !may_be_kept(scan))
		return;
	oldcontext = MemoryContextSwitchTo(scan->input.node->ss.ps.state->es_query_cxt);
	if (first)
		scan->input.kept = make_kept(scan);
	scan->input.kept->changed = bms_add_members(scan->input.kept->changed,
												scan->input.node->ss.ps.chgParam);
	MemoryContextSwitchTo(oldcontext);
	if (first && scan->input.running && scan->input.requested > 0)
		note_execution(scan);
}

/* Starts the read; false if no item can qualify. */
static bool
start_read(DynScan *scan)
{
	DynKept    *kept = scan->input.kept;
	DynReader  *reader = kept->reader;
	MemoryContext oldcontext = MemoryContextSwitchTo(kept->read_context);
	DynResolvedAccess *resolved = palloc(sizeof(DynResolvedAccess));
	bool		may_rewind = true;

	dyn_reader_check_schema(reader);
	dyn_resolve_access(reader->access, reader->relation, &kept->values, resolved);
	Assert(!resolved->incomplete);
	if (!resolved->contradiction)
	{
		DynRequests *requests =
			dyn_requests_of_access(reader->relation, reader->access, resolved,
								   reader->rows->projection,
								   reader->rows->nprojection,
								   dyn_reader_segments(reader));

		kept->fetch = dyn_reader_start(reader, requests, reader->rows, false);
	}
	kept->store = dyn_item_store_create(reader->rows->npaths, 1, &may_rewind);
	MemoryContextSwitchTo(oldcontext);
	return !resolved->contradiction;
}

/*
 * The first execution is answered as if it were the only one: its filters may
 * leave little to receive.
 */
bool
dyn_kept_open(DynScan *scan)
{
	DynKept    *kept = scan->input.kept;
	bool		same;

	if (kept == NULL || scan->input.has_prefetcher || scan->group != NULL)
		return false;
	if (kept->context == NULL || !bms_equal(kept->divided_by, kept->changed))
		divide(scan);
	if (kept->refused)
		return false;
	same = is_same_read(kept, &scan->input.values);
	if (!same)
		note_values(kept, &scan->input.values);
	/* whatever its values, a Scan reads the whole table */
	if (scan->input.requested == 0 ||
		(!same && scan->input.reader->access->kind != DYN_ACCESS_SCAN))
		return false;
	kept->executions++;
	dyn_item_filter_resolve(&kept->filter, &kept->changing,
							scan->input.reader->relation, &scan->input.values,
							kept->reader->rows);
	if (kept->filter.contradiction)
		return true;
	if (kept->store == NULL)
		kept->filter.contradiction = !start_read(scan);
	else
		dyn_item_store_rewind(kept->store, 0);
	return true;
}

/* ---- items and rows ---- */

/* The next item of the read: kept before, or received and kept now. */
static const DynValue *
next_item(DynKept *kept)
{
	const DynValue *item;

	if (dyn_item_store_next(kept->store, 0, kept->slots))
		return kept->slots;
	if (kept->fetch == NULL)
		return NULL;
	item = dyn_fetch_next(kept->fetch);
	if (item != NULL)
	{
		memcpy(kept->slots, item, kept->reader->rows->npaths * sizeof(DynValue));
		dyn_item_store_add(kept->store, 0, kept->slots);
		return kept->slots;
	}
	dyn_reader_set_origin(kept->reader, NULL, NULL);
	dyn_fetch_stop(kept->fetch);
	kept->fetch = NULL;
	return NULL;
}

/* The next item that the changing filters select, too. */
static const DynValue *
next_match(DynKept *kept)
{
	const DynValue *item;

	if (kept->filter.contradiction)
		return NULL;
	while ((item = next_item(kept)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		if (dyn_item_filter_passes(&kept->filter, item))
			return item;
	}
	return NULL;
}

bool
dyn_kept_next(DynScan *scan, TupleTableSlot *slot)
{
	DynKept    *kept = scan->input.kept;
	DynRows    *rows = kept->reader->rows;

	Assert(scan->kept_open);
	while (!dyn_rows_next(rows, slot))
	{
		const DynValue *item = next_match(kept);

		if (item == NULL)
			return false;
		dyn_rows_begin(rows, item);
	}
	return true;
}

uint64
dyn_kept_count(DynScan *scan)
{
	uint64		count = 0;

	Assert(scan->kept_open);
	while (next_match(scan->input.kept) != NULL)
		count++;
	return count;
}

void
dyn_kept_rewind(DynScan *scan)
{
	Assert(scan->kept_open);
	dyn_rows_end(scan->input.kept->reader->rows);
	if (!scan->input.kept->filter.contradiction)
		dyn_item_store_rewind(scan->input.kept->store, 0);
}

void
dyn_kept_close(DynScan *scan)
{
	Assert(scan->kept_open);
	dyn_rows_end(scan->input.kept->reader->rows);
	scan->input.kept->filter.cond = NULL;
}

void
dyn_kept_free(DynScan *scan)
{
	if (scan->input.kept != NULL)
		forget_division(scan->input.kept);
	scan->input.kept = NULL;
}

bool
dyn_kept_figures(const DynScan *scan, DynKeptFigures *figures)
{
	const DynKept *kept = scan->input.kept;

	memset(figures, 0, sizeof(*figures));
	if (kept == NULL || kept->executions == 0)
		return false;
	figures->executions = kept->executions;
	if (kept->store != NULL)
	{
		figures->items = dyn_item_store_items(kept->store);
		figures->bytes = dyn_item_store_bytes(kept->store);
		figures->on_disk = !dyn_item_store_is_in_memory(kept->store);
	}
	return true;
}
