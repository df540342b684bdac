/*
 * keeping.c
 *		Answers executions from items that an earlier one received.
 *
 * The access plan is divided in two: one whose filters have the same values in
 * all executions, which is read and kept, and the filters whose values change,
 * which are resolved anew for each execution.
 */
#include "postgres.h"

#include "utils/datum.h"
#include "utils/memutils.h"

#include "../../model/session/guc.h"
#include "../../plan/tree/plantree.h"
#include "keeping.h"
#include "shared.h"

struct DynKeeping
{
	Bitmapset **value_params;	/* of each run-time value: its parameters */
	Bitmapset  *changed;		/* parameters that have changed so far */
	Bitmapset  *divided_by;		/* those when the access plan was divided */
	uint64		executions;		/* served */

	/* the access plan, divided; gone when another parameter changes */
	MemoryContext context;		/* NULL: not divided yet */
	DynMember  *member;			/* of the read; evaluates what changes; NULL: it
								 * cannot be divided */
	bool	   *used;			/* of each run-time value: by the requests */

	/* the read, of the values that it uses; gone when another one begins */
	MemoryContext read_context; /* NULL: no values yet */
	DynValues	values;
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

static DynKeeping *
make_kept(DynInput *input)
{
	ForeignScan *plan = (ForeignScan *) input->node->ss.ps.plan;
	DynKeeping *kept = palloc0(sizeof(DynKeeping));
	ListCell   *lc;

	kept->value_params = palloc0(Max(list_length(plan->fdw_exprs), 1) *
								 sizeof(Bitmapset *));
	foreach(lc, plan->fdw_exprs)
		kept->value_params[foreach_current_index(lc)] =
			dyn_running_params(lfirst(lc));
	add_operands(kept->value_params, input->conversions);
	return kept;
}

/* ---- dividing the access plan ---- */

/* Does the predicate use a value that changes? */
static bool
visit_value(DynPred *pred, void *arg)
{
	const DynKeeping *kept = arg;

	return pred->param >= 0 &&
		bms_overlap(kept->value_params[pred->param], kept->changed);
}

static List *
changing_filters(const DynKeeping *kept, const DynAccess *whole)
{
	List	   *changing = NIL;
	ListCell   *lc;

	foreach(lc, whole->filters)
	{
		if (dyn_pred_walk_parts(lfirst(lc), visit_value,
								unconstify(DynKeeping *, kept)))
			changing = lappend(changing, lfirst(lc));
	}
	return changing;
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
forget_read(DynKeeping *kept)
{
	if (kept->member != NULL)
		dyn_shared_stop(kept->member->read);
	if (kept->read_context != NULL)
		MemoryContextDelete(kept->read_context);
	kept->read_context = NULL;
}

static void
forget_division(DynKeeping *kept)
{
	forget_read(kept);
	if (kept->context != NULL)
		MemoryContextDelete(kept->context);
	kept->context = NULL;
	kept->member = NULL;
}

/* NULL if what is read would show too much of documents. */
static DynMember *
make_member(DynInput *input, List *changing)
{
	DynMember  *member = palloc0(sizeof(DynMember));
	DynSharedRead *read = palloc0(sizeof(DynSharedRead));

	member->expected = member->may_rewind = member->comes_again = true;
	dyn_member_init(member, input, changing);
	dyn_shared_add(read, member);
	return dyn_shared_limit_parts(read) ? member : NULL;
}

static void
divide(DynInput *input)
{
	DynKeeping *kept = input->keeping;
	MemoryContext oldcontext;
	List	   *changing;

	forget_division(kept);
	kept->context = AllocSetContextCreate(input->node->ss.ps.state->es_query_cxt,
										  "dynamo_fdw kept read",
										  ALLOCSET_DEFAULT_SIZES);
	oldcontext = MemoryContextSwitchTo(kept->context);
	kept->divided_by = bms_copy(kept->changed);
	changing = changing_filters(kept, input->reader->access);

	/*
	 * Filters of an index keep items of the table from being read: without them
	 * one execution could read more than all would.
	 */
	if (dyn_member_can_filter(changing) &&
		(changing == NIL || !input->reader->access->fetch_base_items))
		kept->member = make_member(input, changing);
	if (kept->member != NULL)
		kept->used = used_values(&kept->member->asked, input->values.n);
	MemoryContextSwitchTo(oldcontext);
}

/* ---- beginning an execution ---- */

/* Is this the read that is kept, or that the last execution was one of? */
static bool
is_same_read(const DynKeeping *kept, const DynValues *values)
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
note_values(DynKeeping *kept, const DynValues *values)
{
	MemoryContext oldcontext;

	forget_read(kept);
	kept->read_context = AllocSetContextCreate(kept->context, "dynamo_fdw kept items",
											   ALLOCSET_DEFAULT_SIZES);
	oldcontext = MemoryContextSwitchTo(kept->read_context);
	kept->values = dyn_values_copy(values);
	MemoryContextSwitchTo(oldcontext);
}

void
dyn_keeping_rescan(DynInput *input)
{
	bool		first = (input->keeping == NULL);
	MemoryContext oldcontext;

	if (first && (!dyn_guc_enable_kept_reads ||
				  !dyn_access_can(input->reader->access, DYN_CAN_KEEP) ||
				  input->node->ss.ps.state->es_epq_active != NULL))
		return;
	oldcontext = MemoryContextSwitchTo(input->node->ss.ps.state->es_query_cxt);
	if (first)
		input->keeping = make_kept(input);
	input->keeping->changed = bms_add_members(input->keeping->changed,
											  input->node->ss.ps.chgParam);
	MemoryContextSwitchTo(oldcontext);
	if (!first || !input->running || !input->requested)
		return;
	/* the execution that ends had these values */
	divide(input);
	if (input->keeping->member != NULL)
		note_values(input->keeping, &input->values);
}

static void
start_read(DynKeeping *kept)
{
	DynReader  *reader = kept->member->reader;
	MemoryContext oldcontext = MemoryContextSwitchTo(kept->read_context);
	DynResolvedAccess *resolved = palloc(sizeof(DynResolvedAccess));

	dyn_reader_check_schema(reader);
	dyn_resolve_access(reader->access, reader->relation, &kept->values, resolved);
	Assert(!resolved->incomplete);
	dyn_shared_start(kept->member->read, resolved);
	MemoryContextSwitchTo(oldcontext);
}

/*
 * The first execution is answered as if it were the only one: its filters may
 * leave little to receive.
 */
DynItems *
dyn_keeping_open(DynInput *input)
{
	DynKeeping *kept = input->keeping;
	bool		same;

	if (kept == NULL || input->has_prefetcher ||
		!dyn_input_is_complete(input, &input->values))
		return NULL;
	if (kept->context == NULL || !bms_equal(kept->divided_by, kept->changed))
		divide(input);
	if (kept->member == NULL)
		return NULL;
	same = is_same_read(kept, &input->values);
	if (!same)
		note_values(kept, &input->values);
	/* whatever its values, a Scan reads the whole table */
	if (!input->requested ||
		(!same && input->reader->access->kind != DYN_ACCESS_SCAN))
		return NULL;
	kept->executions++;
	dyn_member_resolve(kept->member, &input->values);
	if (kept->member->contradiction)
		return dyn_items_empty(kept->member->reader->rows);
	if (kept->member->read->store == NULL)
		start_read(kept);
	return dyn_member_open(kept->member);
}

void
dyn_keeping_free(DynInput *input)
{
	if (input->keeping != NULL)
		forget_division(input->keeping);
	input->keeping = NULL;
}

bool
dyn_keeping_figures(const DynInput *input, DynKeptFigures *figures)
{
	const DynKeeping *kept = input->keeping;
	const DynItemStore *store;

	memset(figures, 0, sizeof(*figures));
	if (kept == NULL || kept->executions == 0)
		return false;
	figures->executions = kept->executions;
	store = kept->member != NULL ? kept->member->read->store : NULL;
	if (store != NULL)
	{
		figures->items = dyn_item_store_items(store);
		figures->bytes = dyn_item_store_bytes(store);
		figures->on_disk = !dyn_item_store_is_in_memory(store);
	}
	return true;
}
