/*
 * shared_read.c
 *		Finds the scans that read the same, and answers them from one read.
 *
 * The scan that begins first is the reader: the read goes by its access plan,
 * without its filters, and counts as its own.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "../../model/session/guc.h"
#include "../../plan/clauses/failure.h"
#include "../../plan/tree/plantree.h"
#include "../statement/run.h"
#include "item_filter.h"
#include "item_store.h"
#include "shared_read.h"

typedef enum SharingState
{
	SHARING_WAITS,				/* its execution has not begun */
	SHARING_OPEN,
	SHARING_LEFT				/* it reads no more from this */
} SharingState;

typedef struct SharedRead SharedRead;

/* A scan's part in a read. */
struct DynSharing
{
	SharedRead *read;
	DynScan    *scan;
	int			number;			/* among the read's scans; 0: the reader */
	SharingState state;
	bool		opened;			/* some time */
	bool		expected;		/* to begin, unless an input is empty */
	bool		may_rewind;

	/* the access plan, divided */
	DynAccess	keys;			/* without filters */
	DynAccess	filters;		/* without keys */
	DynReader  *reader;			/* of rows, by `keys` */
	DynValues	values;
	bool		awaits_values;	/* of filters: an initplan's */
	DynResolvedAccess resolved; /* of `keys` */
	DynItemFilter filter;

	int			nslots;			/* of the rows; the read's own may have more */
	int		   *slots;			/* of the read's items, for each of the rows' */
	DynValue   *item;			/* the item at hand, with the rows' slots */
	bool		found;			/* it was not handed out yet */
	uint64		count;			/* of items that were found */
};

struct SharedRead
{
	MemoryContext context;
	List	   *scans;			/* of DynSharing * */
	DynRows    *rows;			/* what is read: the reader's, and more */
	DynValue   *slots;			/* of an item */
	DynFetch   *fetch;			/* NULL: everything was received */
	DynItemStore *store;
	bool		warned;
};

/* ---- scans that can share ---- */

/* Parameters in the scan's values. */
static Bitmapset *
params_of(const DynScan *scan)
{
	return dyn_running_params((Node *) ((ForeignScan *)
										scan->input.node->ss.ps.plan)->fdw_exprs);
}

/* The plan or subplan that it belongs to. */
static Plan *
tree_of(const DynScan *scan)
{
	return dyn_plan_tree_of(scan->input.node->ss.ps.state->es_plannedstmt,
							scan->input.node->ss.ps.plan);
}

/* Is it executed once, with those parameters (of initplans) at most? */
static bool
is_executed_once(const DynScan *scan, const Bitmapset *initial)
{
	return bms_is_subset(tree_of(scan)->extParam, initial) &&
		bms_is_subset(params_of(scan), initial);
}

static bool
can_share(const DynScan *scan)
{
	const DynAccess *access = scan->input.reader->access;

	return scan->input.sharing == NULL && scan->input.requested == 0 &&
		!scan->input.has_prefetcher && !access->contradiction &&
		!access->fetch_base_items && access->nproofs == 0 &&
		(access->kind == DYN_ACCESS_SCAN || !access->multi_partition) &&
		dyn_item_filter_can(access->filters);
}

/* From the same place, in the same way? */
static bool
reads_alike(const DynReader *a, const DynReader *b)
{
	const DynRelation *one = a->relation;
	const DynRelation *other = b->relation;

	return one->connection == other->connection &&
		strcmp(one->table, other->table) == 0 &&
		dyn_access_same_index(a->access, b->access) &&
		a->access->kind == b->access->kind &&
		a->access->backward == b->access->backward &&
		one->consistent == other->consistent &&
		one->max_read_units == other->max_read_units &&
		one->options.read_capacity == other->options.read_capacity &&
		one->options.read_percent == other->options.read_percent;
}

/* Does it use all that it could read, if it runs? */
static bool
is_read_whole(const DynAccess *access)
{
	return access->kind == DYN_ACCESS_GET ||
		(access->limit_hint == 0 &&
		 (!access->may_stop_early || access->one_request));
}

/* Scans of the statement that have not begun and might read the same. */
static List *
find_candidates(const DynScan *scan, const Bitmapset *initial)
{
	List	   *found = NIL;
	ListCell   *lc;

	foreach(lc, scan->input.reader->statement->scans)
	{
		DynScan    *other = lfirst(lc);

		if (other != scan && !other->input.running && !other->input.begun &&
			reads_alike(scan->input.reader, other->input.reader) && can_share(other) &&
			is_executed_once(other, initial))
			found = lappend(found, other);
	}
	return found;
}

/*
 * A scan that might stop early does not begin to read more than it needs unless
 * another one, which is expected to run, reads all of it anyway.
 */
static bool
is_worth_while(const DynScan *scan, List *candidates)
{
	const PlannedStmt *statement = scan->input.node->ss.ps.state->es_plannedstmt;
	Plan	   *tree;
	List	   *expected;
	ListCell   *lc;

	if (candidates == NIL || is_read_whole(scan->input.reader->access))
		return candidates != NIL;
	tree = tree_of(scan);
	expected = dyn_plan_scans_unless_empty(tree, tree != statement->planTree);
	foreach(lc, candidates)
	{
		const DynScan *other = lfirst(lc);

		if (is_read_whole(other->input.reader->access) &&
			list_member_ptr(expected, other->input.node->ss.ps.plan))
			return true;
	}
	return false;
}

/* Is it executed exactly once, unless an input is empty? */
static bool
is_expected(const DynScan *scan)
{
	return list_member_ptr(dyn_plan_scans_unless_empty(tree_of(scan), false),
						   scan->input.node->ss.ps.plan);
}

/* ---- setting up ---- */

static void
divide(DynSharing *sharing)
{
	const DynAccess *whole = sharing->scan->input.reader->access;

	sharing->keys = *whole;
	sharing->keys.filters = NIL;
	sharing->keys.count_only = false;
	sharing->keys.may_stop_early = false;
	sharing->keys.limit_hint = 0;
	sharing->filters.kind = DYN_ACCESS_SCAN;
	sharing->filters.filters = whole->filters;
}

/* The rows have slots for all that the filters read. */
static void
make_reader(DynSharing *sharing)
{
	DynScan    *scan = sharing->scan;
	DynReader  *reader = dyn_reader_create(scan->input.reader->statement,
										   scan->input.reader->relation, &sharing->keys);

	reader->count_into = scan->input.reader->count_into;
	dyn_reader_set_kept_rows(reader, sharing->filters.filters);
	sharing->reader = reader;
}

/* The values that are known; false if that cannot be found out yet. */
static bool
take_values(DynSharing *sharing)
{
	DynScan    *scan = sharing->scan;
	ForeignScan *plan = (ForeignScan *) scan->input.node->ss.ps.plan;

	if (scan->input.running)
		sharing->values = dyn_values_copy(&scan->input.values);
	else if (params_of(scan) != NULL)
	{
		sharing->awaits_values = true;
		return sharing->keys.kind == DYN_ACCESS_SCAN;
	}
	else if (dyn_may_fail((Node *) plan->fdw_exprs))
		return false;
	else
	{
		dyn_values_evaluate(&scan->input.next_values, scan->input.exprs, scan->input.conversions,
							scan->input.node->ss.ps.ps_ExprContext);
		sharing->values = dyn_values_copy(&scan->input.next_values);
	}
	return true;
}

/* Takes the scan's part apart; NULL if it cannot or need not share. */
static DynSharing *
make_sharing(DynScan *scan)
{
	DynSharing *sharing = palloc0(sizeof(DynSharing));

	sharing->scan = scan;
	sharing->expected = is_expected(scan);
	sharing->may_rewind = scan->input.reader->keeps || !sharing->expected;
	divide(sharing);
	if (!take_values(sharing))
		return NULL;
	if (!sharing->awaits_values)
		dyn_resolve_access(&sharing->keys, scan->input.reader->relation,
						   &sharing->values, &sharing->resolved);
	if (sharing->resolved.contradiction)
		return NULL;
	make_reader(sharing);
	dyn_item_filter_init(&sharing->filter);
	if (!sharing->awaits_values)
		dyn_item_filter_resolve(&sharing->filter, &sharing->filters,
								scan->input.reader->relation, &sharing->values,
								sharing->reader->rows);
	return sharing->filter.contradiction ? NULL : sharing;
}

static void
add_sharing(SharedRead *read, DynSharing *sharing)
{
	DynRows    *rows = sharing->reader->rows;

	sharing->read = read;
	sharing->number = list_length(read->scans);
	sharing->nslots = rows->npaths;
	sharing->slots = palloc(rows->npaths * sizeof(int));
	sharing->item = palloc0(rows->npaths * sizeof(DynValue));
	if (read->scans == NIL)
		read->rows = rows;
	dyn_rows_add_rows(read->rows, rows, sharing->slots);
	read->scans = lappend(read->scans, sharing);
}

/* Nobody sees what is read for others; false if that cannot be done. */
static bool
limit_parts(SharedRead *read)
{
	ListCell   *lc;

	foreach(lc, read->scans)
	{
		DynSharing *sharing = lfirst(lc);

		if (!dyn_rows_limit_parts(sharing->reader->rows,
								  sharing->scan->input.reader->own_rows, read->rows))
			return false;
	}
	return true;
}

/* The scans that read the same, of those that might; NULL: the scan alone. */
static SharedRead *
gather(DynScan *scan, List *candidates)
{
	SharedRead *read = palloc0(sizeof(SharedRead));
	DynSharing *first = make_sharing(scan);
	ListCell   *lc;

	read->context = CurrentMemoryContext;
	if (first == NULL)
		return NULL;
	add_sharing(read, first);
	foreach(lc, candidates)
	{
		DynSharing *sharing = make_sharing(lfirst(lc));

		if (sharing != NULL &&
			dyn_resolved_same_keys(&first->resolved, &sharing->resolved))
			add_sharing(read, sharing);
	}
	return list_length(read->scans) > 1 && limit_parts(read) ? read : NULL;
}

/* ---- the requests ---- */

static bool
has_arg(const DynCond *any, const DynCond *cond)
{
	for (int i = 0; i < any->nargs; i++)
	{
		if (dyn_cond_same(any->args[i], cond))
			return true;
	}
	return false;
}

/* What one of the scans selects; NULL: one of them selects all items. */
static DynCond *
common_filter(const SharedRead *read)
{
	DynCond    *any = palloc0(sizeof(DynCond));
	ListCell   *lc;

	any->kind = DYN_COND_OR;
	any->args = palloc(list_length(read->scans) * sizeof(DynCond *));
	foreach(lc, read->scans)
	{
		const DynSharing *sharing = lfirst(lc);

		if (sharing->filter.cond == NULL)
			return NULL;
		if (!has_arg(any, sharing->filter.cond))
			any->args[any->nargs++] = sharing->filter.cond;
	}
	return any->nargs == 1 ? any->args[0] : any;
}

static void
start_read(SharedRead *read)
{
	DynSharing *first = linitial(read->scans);
	DynReader  *reader = first->reader;
	int			n = list_length(read->scans);
	bool	   *may_rewind = palloc(n * sizeof(bool));
	ListCell   *lc;

	foreach(lc, read->scans)
	{
		DynSharing *sharing = lfirst(lc);

		may_rewind[sharing->number] = sharing->may_rewind;
		sharing->scan->input.sharing = sharing;
	}
	read->slots = palloc0(read->rows->npaths * sizeof(DynValue));
	read->store = dyn_item_store_create(read->rows->npaths, n, may_rewind);
	first->resolved.filter = common_filter(read);
	dyn_reader_check_schema(reader);
	read->fetch =
		dyn_reader_start(reader,
						 dyn_requests_of_access(reader->relation, &first->keys,
												&first->resolved,
												read->rows->projection,
												read->rows->nprojection,
												dyn_reader_segments(reader)),
						 read->rows, false);
}

/* Shares the scan's read with others, if there are any. */
static void
begin_sharing(DynScan *scan)
{
	EState	   *estate = scan->input.node->ss.ps.state;
	Bitmapset  *initial;
	List	   *candidates;
	MemoryContext context;
	MemoryContext oldcontext;
	SharedRead *read;

	if (list_length(scan->input.reader->statement->scans) < 2 || !can_share(scan) ||
		estate->es_epq_active != NULL)
		return;
	initial = dyn_plan_initplan_params(estate->es_plannedstmt);
	if (!is_executed_once(scan, initial))
		return;
	candidates = find_candidates(scan, initial);
	if (!is_worth_while(scan, candidates))
		return;
	context = AllocSetContextCreate(estate->es_query_cxt, "dynamo_fdw shared read",
									ALLOCSET_DEFAULT_SIZES);
	oldcontext = MemoryContextSwitchTo(context);
	read = gather(scan, candidates);
	if (read != NULL)
		start_read(read);
	MemoryContextSwitchTo(oldcontext);
	if (read == NULL)
		MemoryContextDelete(context);
}

static void
find_sharing(DynScan *scan)
{
	if (scan->input.sharing == NULL && !scan->input.reads_alone)
		begin_sharing(scan);
	scan->input.reads_alone = (scan->input.sharing == NULL);
}

/* ---- executions ---- */

static void
end_fetch(SharedRead *read)
{
	DynSharing *first = linitial(read->scans);

	dyn_reader_set_origin(first->reader, NULL, NULL);
	if (read->fetch != NULL)
		dyn_fetch_stop(read->fetch);
	read->fetch = NULL;
}

/* What nobody reads is given up. */
static void
leave(DynSharing *sharing)
{
	SharedRead *read = sharing->read;
	ListCell   *lc;

	if (sharing->state == SHARING_LEFT)
		return;
	sharing->state = SHARING_LEFT;
	dyn_item_store_leave(read->store, sharing->number);
	foreach(lc, read->scans)
	{
		const DynSharing *other = lfirst(lc);

		if (other->state != SHARING_LEFT)
			return;
	}
	end_fetch(read);
	dyn_item_store_free(read->store);
	read->store = NULL;
}

/* In the read's context: the filter, if it could not be known before. */
static void
complete_filter(DynSharing *sharing)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(sharing->read->context);

	sharing->values = dyn_values_copy(&sharing->scan->input.values);
	dyn_item_filter_resolve(&sharing->filter, &sharing->filters,
							sharing->scan->input.reader->relation, &sharing->values,
							sharing->reader->rows);
	MemoryContextSwitchTo(oldcontext);
}

bool
dyn_shared_open(DynScan *scan)
{
	DynSharing *sharing;

	if (!dyn_guc_enable_shared_reads)
		return false;
	find_sharing(scan);
	sharing = scan->input.sharing;
	if (sharing == NULL || sharing->state != SHARING_WAITS)
		return false;
	if (scan->input.has_prefetcher ||
		(!sharing->awaits_values &&
		 !dyn_values_equal(&sharing->values, &scan->input.values)))
	{
		leave(sharing);
		return false;
	}
	if (sharing->awaits_values)
		complete_filter(sharing);
	if (sharing->filter.contradiction)
	{
		leave(sharing);
		return false;
	}
	sharing->state = SHARING_OPEN;
	sharing->opened = true;
	scan->input.requested++;
	return true;
}

bool
dyn_shared_is_paid(const DynScan *scan)
{
	return scan->input.sharing != NULL && scan->shared_open && scan->input.sharing->number > 0;
}

bool
dyn_shared_is_read_whole(const DynScan *scan)
{
	const PlannedStmt *statement = scan->input.node->ss.ps.state->es_plannedstmt;
	ListCell   *lc;

	if (!scan->shared_open)
		return false;
	foreach(lc, scan->input.sharing->read->scans)
	{
		const DynSharing *sharing = lfirst(lc);

		if (tree_of(sharing->scan) == tree_of(scan) &&
			dyn_plan_is_read_whole(statement, sharing->scan->input.node->ss.ps.plan,
								   dyn_run_is_to_end(sharing->scan->input.node->ss.ps.state)))
			return true;
	}
	return false;
}

bool
dyn_shared_warns(DynScan *scan)
{
	bool		warned = false;

	if (scan->shared_open)
	{
		warned = scan->input.sharing->read->warned;
		scan->input.sharing->read->warned = true;
	}
	return !warned;
}

/* ---- items ---- */

static bool
is_kept_for_anybody(const DynSharing *sharing)
{
	ListCell   *lc;

	foreach(lc, sharing->read->scans)
	{
		const DynSharing *other = lfirst(lc);

		if (other->state != SHARING_LEFT &&
			(other != sharing || other->may_rewind))
			return true;
	}
	return false;
}

/*
 * Copies the item that was received for those that have not come to it.  Before
 * work_mem is used up, scans that may never begin are given up: they have read
 * nothing yet, and can send requests of their own.
 */
static void
keep_item(DynSharing *sharing)
{
	SharedRead *read = sharing->read;
	ListCell   *lc;

	dyn_item_store_add(read->store, sharing->number, read->slots);
	if (dyn_item_store_bytes(read->store) / 1024 < (uint64) work_mem / 4)
		return;
	foreach(lc, read->scans)
	{
		DynSharing *other = lfirst(lc);

		if (other->state == SHARING_WAITS && !other->expected)
			leave(other);
	}
}

/*
 * The next item of the read in read->slots: kept before, or received now.  A scan
 * that has to wait does so for itself, others together with peers (async.c).
 */
static DynFetchState
take_item(DynSharing *sharing, bool wait)
{
	SharedRead *read = sharing->read;
	const DynValue *item;

	if (dyn_item_store_next(read->store, sharing->number, read->slots))
		return DYN_FETCH_ITEM;
	if (read->fetch == NULL)
		return DYN_FETCH_END;
	dyn_fetch_set_group(read->fetch,
						wait ? NULL : sharing->scan->input.reader->group_in_flight);
	if (!wait && dyn_fetch_poll(read->fetch) == DYN_FETCH_WAITS)
		return DYN_FETCH_WAITS;
	item = dyn_fetch_next(read->fetch);
	if (item == NULL)
	{
		end_fetch(read);
		return DYN_FETCH_END;
	}
	memcpy(read->slots, item, read->rows->npaths * sizeof(DynValue));
	if (is_kept_for_anybody(sharing))
		keep_item(sharing);
	return DYN_FETCH_ITEM;
}

/* The next item that the scan's filters select, in sharing->item. */
static DynFetchState
find_item(DynSharing *sharing, bool wait)
{
	const SharedRead *read = sharing->read;
	DynFetchState state;

	while ((state = take_item(sharing, wait)) == DYN_FETCH_ITEM)
	{
		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < sharing->nslots; i++)
			sharing->item[i] = read->slots[sharing->slots[i]];
		if (dyn_item_filter_passes(&sharing->filter, sharing->item))
		{
			sharing->count++;
			break;
		}
	}
	return state;
}

bool
dyn_shared_is_ready(DynScan *scan)
{
	DynSharing *sharing = scan->input.sharing;
	DynFetchState state = DYN_FETCH_ITEM;

	if (sharing->found || dyn_rows_has_more(sharing->reader->rows))
		return true;
	while (state == DYN_FETCH_ITEM)
	{
		state = find_item(sharing, false);
		sharing->found = (state == DYN_FETCH_ITEM);
		if (!scan->input.reader->access->count_only)
			break;
	}
	return state != DYN_FETCH_WAITS;
}

double
dyn_shared_pause(const DynScan *scan)
{
	const DynSharing *sharing = scan->input.sharing;

	if (sharing->read->fetch == NULL ||
		dyn_item_store_has_next(sharing->read->store, sharing->number))
		return 0;
	return dyn_fetch_pause(sharing->read->fetch);
}

DynFetch *
dyn_shared_fetch(const DynScan *scan)
{
	return scan->input.sharing->read->fetch;
}

bool
dyn_shared_next(DynScan *scan, TupleTableSlot *slot)
{
	DynSharing *sharing = scan->input.sharing;
	DynRows    *rows = sharing->reader->rows;

	Assert(scan->shared_open);
	while (!dyn_rows_next(rows, slot))
	{
		if (!sharing->found &&
			find_item(sharing, true) != DYN_FETCH_ITEM)
			return false;
		sharing->found = false;
		dyn_rows_begin(rows, sharing->item);
	}
	return true;
}

uint64
dyn_shared_count(DynScan *scan)
{
	DynSharing *sharing = scan->input.sharing;

	Assert(scan->shared_open);
	while (find_item(sharing, true) == DYN_FETCH_ITEM)
		;
	return sharing->count;
}

/* ---- repeating and ending ---- */

bool
dyn_shared_rewind(DynScan *scan)
{
	DynSharing *sharing = scan->input.sharing;

	Assert(scan->shared_open);
	if (!sharing->may_rewind)
		return false;
	dyn_rows_end(sharing->reader->rows);
	dyn_item_store_rewind(sharing->read->store, sharing->number);
	sharing->found = false;
	sharing->count = 0;
	return true;
}

void
dyn_shared_close(DynScan *scan)
{
	Assert(scan->shared_open);
	dyn_rows_end(scan->input.sharing->reader->rows);
	leave(scan->input.sharing);
}

void
dyn_shared_free(DynScan *scan)
{
	if (scan->input.sharing != NULL)
		leave(scan->input.sharing);
}

bool
dyn_shared_figures(const DynScan *scan, DynSharedFigures *figures)
{
	const DynSharing *sharing = scan->input.sharing;
	const DynSharing *first;

	if (sharing == NULL || !sharing->opened)
		return false;
	first = linitial(sharing->read->scans);
	figures->scans = list_length(sharing->read->scans);
	figures->reader = sharing == first ? NULL : first->scan->input.reader->relation->name;
	return true;
}
