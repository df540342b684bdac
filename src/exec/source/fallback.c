/*
 * fallback.c
 *		Answers executions from the table instead of an index.
 *
 * A value that no index can hold mostly selects nothing, and a join may come
 * with it again and again.  So the values of executions that found nothing are
 * remembered for the statement, within the limit of memory: each different list
 * of such values costs one Scan.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "../../plan/keys/match_keys.h"
#include "checked.h"
#include "fallback.h"
#include "../statement/memory.h"

struct DynFallback
{
	const DynInput *input;
	DynReader  *reader;			/* of the table */
	DynChecker	checker;		/* of executions, if there were any */
	DynSortOrder order;
	uint64		executions;

	/* values that are known to select nothing, with their hashes */
	MemoryContext empty_context;
	int			nempty;
	int			empty_space;
	DynValues  *empty_values;
	uint32	   *empty_hashes;
};

/* ---- making ---- */

/*
 * By the columns that show the sort attributes, in the index's direction.  An
 * order of texts that an index gives goes by bytes, whatever the column's own
 * collation: the statement has named another.
 */
static void
init_sort(DynFallback *fallback)
{
	const DynRelation *relation = fallback->reader->relation;
	const DynAccess *access = fallback->reader->access;
	DynSortOrder *order = &fallback->order;

	order->n = access->nsort;
	order->columns = palloc(Max(access->nsort, 1) * sizeof(AttrNumber));
	order->operators = palloc(Max(access->nsort, 1) * sizeof(Oid));
	order->collations = palloc(Max(access->nsort, 1) * sizeof(Oid));
	order->nulls_first = palloc(Max(access->nsort, 1) * sizeof(bool));
	for (int i = 0; i < access->nsort; i++)
	{
		AttrNumber	attnum = dyn_sort_column(relation, &access->sort[i],
											 access->sort_parts[i]);
		const DynColumn *column = dyn_relation_column(relation, attnum);
		TypeCacheEntry *type = lookup_type_cache(column->codec.basetype,
												 TYPECACHE_LT_OPR |
												 TYPECACHE_GT_OPR);

		order->columns[i] = attnum;
		order->operators[i] = access->backward ? type->gt_opr : type->lt_opr;
		order->collations[i] = OidIsValid(column->collation) ? C_COLLATION_OID
			: InvalidOid;
		order->nulls_first[i] = access->backward;
	}
}

/* A count's scan tuple has the columns behind the number. */
static int *
count_positions(const DynInput *input, const DynRows *rows)
{
	ForeignScan *plan = (ForeignScan *) input->node->ss.ps.plan;
	int		   *positions = palloc0(Max(rows->ncolumns, 1) * sizeof(int));
	ListCell   *lc;

	foreach(lc, plan->fdw_scan_tlist)
	{
		const TargetEntry *entry = lfirst(lc);

		for (int i = 0; i < rows->ncolumns && IsA(entry->expr, Var); i++)
		{
			if (rows->attnums[i] == ((Var *) entry->expr)->varattno)
				positions[i] = entry->resno - 1;
		}
	}
	return positions;
}

DynFallback *
dyn_fallback_create(const DynInput *input)
{
	DynReader  *reader = input->reader;
	DynFallback *fallback;

	if (reader->access->fallback == NULL)
		return NULL;
	fallback = palloc0(sizeof(DynFallback));
	fallback->input = input;
	fallback->reader = dyn_reader_create(reader->statement, reader->relation,
										 reader->access->fallback);
	fallback->reader->count_into = &reader->counters;
	fallback->reader->keeps = reader->keeps;
	fallback->reader->access->may_stop_early &= reader->access->may_stop_early;
	if (reader->access->count_only)
		fallback->reader->rows->positions =
			count_positions(input, fallback->reader->rows);
	init_sort(fallback);
	return fallback;
}

/* ---- values that select nothing ---- */

static bool
is_known_empty(const DynFallback *fallback, const DynValues *values)
{
	uint32		hash = fallback->nempty > 0 ? dyn_values_hash(values) : 0;

	for (int i = 0; i < fallback->nempty; i++)
	{
		if (fallback->empty_hashes[i] == hash &&
			dyn_values_equal(values, &fallback->empty_values[i]))
			return true;
	}
	return false;
}

/* All are forgotten when there is no memory for more. */
static void
make_empty_space(DynFallback *fallback)
{
	if (MemoryContextMemAllocated(fallback->empty_context, true) >
		get_hash_memory_limit())
	{
		MemoryContextReset(fallback->empty_context);
		fallback->nempty = fallback->empty_space = 0;
		fallback->empty_values = NULL;
		fallback->empty_hashes = NULL;
	}
	if (fallback->nempty < fallback->empty_space)
		return;
	fallback->empty_space = Max(8, fallback->empty_space * 2);
	fallback->empty_values = dyn_grown(fallback->empty_values,
									   fallback->empty_space * sizeof(DynValues));
	fallback->empty_hashes = dyn_grown(fallback->empty_hashes,
									   fallback->empty_space * sizeof(uint32));
}

/* An execution has found nothing. */
static void
remember_empty(void *arg)
{
	DynFallback *fallback = arg;
	const DynValues *values = &fallback->input->values;
	EState	   *estate = fallback->input->node->ss.ps.state;
	MemoryContext oldcontext;

	if (fallback->empty_context == NULL)
		fallback->empty_context = AllocSetContextCreate(estate->es_query_cxt,
														"dynamo_fdw fallback",
														ALLOCSET_SMALL_SIZES);
	oldcontext = MemoryContextSwitchTo(fallback->empty_context);
	make_empty_space(fallback);
	fallback->empty_values[fallback->nempty] = dyn_values_copy(values);
	fallback->empty_hashes[fallback->nempty] = dyn_values_hash(values);
	fallback->nempty++;
	MemoryContextSwitchTo(oldcontext);
}

/* ---- an execution ---- */

DynReader *
dyn_fallback_start(DynFallback *fallback)
{
	const DynInput *input = fallback->input;

	fallback->executions++;
	if (is_known_empty(fallback, &input->values))
		return NULL;
	dyn_reader_check_schema(fallback->reader);
	fallback->reader->group_in_flight = input->reader->group_in_flight;
	return fallback->reader;
}

/* A contradiction need not be remembered. */
DynItems *
dyn_fallback_open(DynFallback *fallback, DynItems *items)
{
	ForeignScanState *node = fallback->input->node;
	DynCheckedSpec spec = {&fallback->checker, &fallback->order, NULL, fallback};

	if (fallback->checker.node == NULL)
		dyn_checker_init(&fallback->checker, node, node->fdw_recheck_quals, false);
	if (dyn_items_awaited(items) != NULL)
		spec.found_nothing = remember_empty;
	return dyn_checked_create(&spec, items);
}

uint64
dyn_fallback_executions(const DynFallback *fallback)
{
	return fallback->executions;
}
