/*
 * sharing.c
 *		Finds the scans of a statement that can share a read.
 *
 * Scans that would read the same full table or index, or the same keys, send
 * the requests only once (shared.h).  Examples are several foreign tables for
 * the entities of one DynamoDB table, the branches of a UNION, the subqueries
 * of a statement, or items and their unnested elements.
 *
 * The decision is made when the first of these scans begins, and does not
 * change the plan.  The shared read follows the access plan of the first scan,
 * and its requests are counted for this scan.  If each scan has a filter, the
 * OR of all filters is sent.  Scans that read an index and then fetch the
 * items from the table share a read only if this OR is small enough to be
 * sent.  If one scan reads the full table in any case, scans that would read
 * an index of the table use the items of that scan.
 *
 * These are not shared:
 * - scans that are executed for each row of another node
 * - scans whose keys depend on other rows
 * - merged Queries of several partitions
 * - executions of EvalPlanQual
 * - scans with filters that compare two attributes
 * - Scans with a bound (DynReadBound), which a shared read would not have
 */
#include "postgres.h"

#include "commands/explain.h"
#include "utils/memutils.h"

#include "../../model/server/pg_compat.h"
#include "../../model/session/guc.h"
#include "../../plan/clauses/classify.h"
#include "../keys/filter.h"
#include "scan_policy.h"
#include "shared.h"

/* ---- scans that can share ---- */

static Bitmapset *
params_of(const DynInput *input)
{
	const ForeignScan *plan = (ForeignScan *) input->node->ss.ps.plan;

	return dyn_running_params((Node *) plan->fdw_exprs);
}

/*
 * Returns true if the scan is executed once, and depends on no parameters
 * other than those of initplans (`initial`).
 */
static bool
is_executed_once(const DynInput *input, const Bitmapset *initial)
{
	return bms_is_subset(dyn_input_tree(input)->extParam, initial) &&
		bms_is_subset(params_of(input), initial);
}

static bool
reads_alike(const DynScanDesc *a, const DynScanDesc *b)
{
	const DynRelation *one = a->relation;
	const DynRelation *other = b->relation;

	return one->connection == other->connection &&
		strcmp(one->table, other->table) == 0 &&
		/* a and b read the same index, or both can read the table instead */
		(dyn_access_same_index(a->access, b->access) ||
		 (dyn_access_can(a->access, DYN_CAN_READ_TABLE) &&
		  dyn_access_can(b->access, DYN_CAN_READ_TABLE))) &&
		/* a Query of the partition can replace a read by full key */
		(a->access->kind == b->access->kind ||
		 (a->access->index == NULL && b->access->index == NULL &&
		  a->access->kind != DYN_ACCESS_SCAN && b->access->kind != DYN_ACCESS_SCAN)) &&
		a->access->fetch_base_items == b->access->fetch_base_items &&
		a->access->backward == b->access->backward &&
		a->access->segments == b->access->segments &&
		one->consistent == other->consistent &&
		one->max_read_units_per_second == other->max_read_units_per_second &&
		one->options.read_capacity == other->options.read_capacity &&
		one->options.read_percent == other->options.read_percent;
}

static List *
find_candidates(const DynInput *input, const Bitmapset *initial)
{
	List	   *found = NIL;
	ListCell   *lc;

	foreach(lc, input->scandesc->statement->scans)
	{
		DynInput   *other = lfirst(lc);

		if (other != input && !other->running && !other->begun && other->member == NULL &&
			dyn_input_can(other, DYN_CAN_SHARE) && !dyn_is_bounded(other) &&
			reads_alike(input->scandesc, other->scandesc) &&
			is_executed_once(other, initial))
			found = lappend(found, other);
	}
	return found;
}

/*
 * Returns the access plan of a candidate that reads the entire table in any
 * case, so that scans of an index can use the candidate's items; or NULL.
 */
static const DynAccess *
find_table_scan(const DynInput *input, List *candidates)
{
	List	   *sure = dyn_plan_scans_once(dyn_input_tree(input), NIL);
	ListCell   *lc;

	foreach(lc, candidates)
	{
		const DynInput *other = lfirst(lc);
		const DynAccess *access = other->scandesc->access;

		if (access->index == NULL && dyn_access_can(access, DYN_CAN_USE_ALL) &&
			list_member_ptr(sure, other->node->ss.ps.plan))
			return access;
	}
	return NULL;
}

/*
 * Returns true if the scan will certainly be executed exactly once, apart from
 * the case that the other input of a join is empty.  Returns false in a
 * subplan, which may never run.
 */
static bool
is_expected(const DynInput *input)
{
	Plan	   *tree = dyn_input_tree(input);

	return tree == input->node->ss.ps.state->es_plannedstmt->planTree &&
		list_member_ptr(dyn_plan_scans_unless_empty(tree, false),
						input->node->ss.ps.plan);
}

/*
 * Returns true if sharing can save requests.  A scan that might stop early, or
 * only counts, does not need all items that a shared read returns.  So such a
 * scan shares only with one that is expected to read all of them in any case.
 */
static bool
is_worth_while(const DynInput *input, List *candidates)
{
	const PlannedStmt *statement = input->node->ss.ps.state->es_plannedstmt;
	Plan	   *tree;
	List	   *expected;
	ListCell   *lc;

	if (candidates == NIL ||
		(dyn_access_can(input->scandesc->access, DYN_CAN_USE_ALL) &&
		 !input->scandesc->access->count_only))
		return candidates != NIL;
	tree = dyn_input_tree(input);
	expected = dyn_plan_scans_unless_empty(tree, tree != statement->planTree);
	foreach(lc, candidates)
	{
		const DynInput *other = lfirst(lc);

		if (dyn_access_can(other->scandesc->access, DYN_CAN_USE_ALL) &&
			dyn_access_same_index(input->scandesc->access, other->scandesc->access) &&
			(list_member_ptr(expected, other->node->ss.ps.plan) ||
			 is_expected(other)))
			return true;
	}
	return false;
}

/*
 * Creates the scan's member of a shared read.  Returns NULL if the scan cannot
 * share, or selects no items.  If the members share a Scan of the table,
 * `table` is its access plan; otherwise, `table` is NULL.  The member does not
 * stop the read early, because other members need the remaining items.
 */
static DynMember *
make_member(DynInput *input, const DynAccess *table)
{
	const DynAccess *access = input->scandesc->access;
	Node	   *exprs = (Node *) ((ForeignScan *) input->node->ss.ps.plan)->fdw_exprs;
	DynMember  *member = palloc0(sizeof(DynMember));
	DynAccess  *own_access = &member->own_access;

	if (table != NULL && !dyn_access_can(access, DYN_CAN_READ_TABLE))
		return NULL;
	member->awaits_values = !input->running && params_of(input) != NULL;
	if (member->awaits_values && (access->kind != DYN_ACCESS_SCAN || access->nhash > 0))
		return NULL;
	if (!input->running && !member->awaits_values)
	{
		if (dyn_may_fail(exprs))
			return NULL;
		dyn_input_evaluate(input, &input->next_values);
	}
	if (!member->awaits_values)
		member->values = dyn_values_copy(input->running ? &input->values
										 : &input->next_values);
	member->expected = is_expected(input);
	member->may_rewind = input->scandesc->keeps || !member->expected;
	dyn_member_init(member, input, input->scandesc, access->filters);
	if (table != NULL)
	{
		Assert(table->index == NULL);
		own_access->index = NULL;
		own_access->global = false;
		own_access->schema = table->schema;
		own_access->key_names = table->key_names;
		own_access->estimate = table->estimate;
	}
	own_access->may_stop_early = false;
	own_access->limit_hint = 0;
	if (member->awaits_values)
		return member;
	if (!dyn_input_is_complete(input, &member->values))
		return NULL;
	dyn_resolve_access(own_access, input->scandesc->relation, &member->values,
					   &member->resolved);
	if (member->resolved.contradiction)
		return NULL;
	dyn_member_resolve(member, &member->values);
	return member->contradiction ? NULL : member;
}

/* ---- setting up a read ---- */

/* Returns the OR of the scans' filters; NULL if a scan selects all items. */
static DynCond *
common_filter(const DynSharedRead *read)
{
	DynCond    *any = dyn_make_junction(DYN_COND_OR, list_length(read->members));
	ListCell   *lc;

	foreach(lc, read->members)
	{
		const DynMember *member = lfirst(lc);
		int			i = 0;

		if (member->cond == NULL)
			return NULL;
		while (i < any->nargs && !dyn_cond_same(any->args[i], member->cond))
			i++;
		if (i == any->nargs)
			dyn_cond_add(any, member->cond);
	}
	return any->nargs == 1 ? any->args[0] : any;
}

/*
 * Sets the common filter.  If items are read from the table after an index,
 * the filter reduces these reads, so it must be sent.  Returns false if it is
 * too large for that.
 */
static bool
set_filter(DynSharedRead *read)
{
	DynMember  *first = linitial(read->members);
	DynCond    *filter = common_filter(read);
	DynTokens  *tokens;
	DynBuffer	text;
	bool		can_send;

	dyn_resolved_set_filter(&first->resolved, filter, NULL);
	if (filter == NULL || !first->own_access.fetch_base_items)
		return true;
	tokens = dyn_tokens_create();
	dyn_buffer_init(&text, 0);
	can_send = tokens != NULL && dyn_expr_condition(tokens, filter, &text);
	dyn_buffer_free(&text);
	dyn_tokens_free(tokens);
	return can_send;
}

/* ---- one Query for several conditions on the sort key ---- */

/*
 * Returns true if the scan can share a Query with scans of the same partition
 * that have different conditions on the sort key.  Such a Query reads more
 * items than each scan selects, so the scan must be expected to use all items
 * that it selects.
 */
static bool
names_partition(const DynMember *member)
{
	const DynAccess *access = &member->own_access;

	return access->index == NULL && access->nbase == 2 &&
		(access->kind == DYN_ACCESS_QUERY || access->kind == DYN_ACCESS_GET) &&
		access->row_keys == NULL && member->resolved.nkeys == 1 &&
		member->resolved.nqueries <= 1 && member->expected &&
		!member->input->scandesc->access->count_only &&
		dyn_access_can(member->input->scandesc->access, DYN_CAN_USE_ALL);
}

static DynCond *
sort_condition(const DynMember *member)
{
	const DynResolvedAccess *resolved = &member->resolved;

	if (resolved->nparts == 1)
		return resolved->queries[0].nrange > 0 ? resolved->queries[0].range[0] : NULL;
	return dyn_make_cond(DYN_COND_EQ, dyn_path_of_attribute(resolved->keys[1].name),
						 &resolved->keys[1].value, 1);
}

/*
 * Shortens the prefix, by full characters, until all values that satisfy the
 * condition begin with it.  The prefix may become empty.
 */
static void
shorten_prefix(DynScalar *prefix, const DynCond *cond)
{
	bool		bounded = cond != NULL &&
		(cond->kind == DYN_COND_EQ || cond->kind == DYN_COND_BEGINS_WITH ||
		 cond->kind == DYN_COND_BETWEEN);

	if (!bounded || cond->values[0].type != DYN_TYPE_S)
		prefix->len = 0;
	for (int v = 0; prefix->len > 0 && v < cond->nvalues; v++)
	{
		size_t		n = 0;
		size_t		most = Min(prefix->len, cond->values[v].len);

		while (n < most && prefix->data[n] == cond->values[v].data[n])
			n++;
		while (n > 0 && n < prefix->len && (prefix->data[n] & 0xC0) == 0x80)
			n--;
		prefix->len = n;
	}
}

static DynCond *
common_condition(List *members)
{
	DynCond    *first = sort_condition(linitial(members));
	DynScalar  *prefix = palloc0(sizeof(DynScalar));
	ListCell   *lc;

	if (first == NULL)
		return NULL;
	*prefix = first->values[0];
	foreach(lc, members)
		shorten_prefix(prefix, sort_condition(lfirst(lc)));
	if (prefix->len == 0)
		return NULL;
	return dyn_make_cond(DYN_COND_BEGINS_WITH, first->path, prefix, 1);
}

/*
 * Returns true if one Query with the common condition costs less than a Query
 * for each scan.  This is certain if one of the scans has this condition.
 * Otherwise assumes the worst case, a Query of the full partition.
 */
static bool
is_cheaper(List *members, const DynCond *common)
{
	double		separate = 0;
	double		together = 0;
	bool		known = true;
	ListCell   *lc;

	foreach(lc, members)
	{
		const DynMember *member = lfirst(lc);
		const DynEstimate *estimate = &member->own_access.estimate;

		if (dyn_cond_same(sort_condition(member), common))
			return true;
		separate += estimate->reads.units;
		together = Max(together, estimate->partition_units);
		known &= estimate->partition_units > 0;
	}
	return known && together < separate;
}

/*
 * Makes the first member read the partition with the condition `common`, which
 * may be NULL.  A member with another sort condition checks it on the items.
 */
static void
read_partition(DynSharedRead *read, DynCond *common)
{
	DynMember  *first = linitial(read->members);
	DynCond   **range = palloc(sizeof(DynCond *));
	ListCell   *lc;

	*range = common;
	foreach(lc, read->members)
	{
		DynMember  *member = lfirst(lc);
		const DynRows *rows = member->scandesc->rows;
		DynCond    *cond = sort_condition(member);

		if (cond != NULL && !dyn_cond_same(cond, common))
		{
			if (!dyn_cond_bind(cond, rows->paths, rows->npaths))
				elog(ERROR, "a key attribute is not cached");
			member->cond = member->cond == NULL ? cond
				: dyn_make_both(DYN_COND_AND, cond, member->cond);
		}
	}
	first->own_access.kind = DYN_ACCESS_QUERY;
	first->resolved.nparts = first->resolved.nqueries = 1;
	first->resolved.queries = palloc(sizeof(DynQuery));
	*first->resolved.queries = (DynQuery) {.key = first->resolved.keys,.range = range,
		.nrange = common != NULL ? 1 : 0,.filter = first->resolved.filter};
}

/*
 * Returns a read for the scan and those candidates that read the same keys or,
 * if that is cheaper, the same partition; NULL if the scan reads alone.
 */
static DynSharedRead *
gather(DynInput *input, List *candidates, const DynAccess *table)
{
	DynSharedRead *read = palloc0(sizeof(DynSharedRead));
	DynMember  *first = make_member(input, table);
	List	   *of_partition;
	DynCond    *common = NULL;
	bool		partition;
	ListCell   *lc;

	if (first == NULL)
		return NULL;
	of_partition = list_make1(first);
	dyn_shared_add(read, first);
	foreach(lc, candidates)
	{
		DynMember  *member = make_member(lfirst(lc), table);

		if (member != NULL &&
			dyn_resolved_same_keys(&first->resolved, &member->resolved))
			dyn_shared_add(read, member);
		else if (member != NULL && names_partition(first) && names_partition(member) &&
				 dyn_scalar_compare(&first->resolved.keys[0].value,
									&member->resolved.keys[0].value) == 0)
			of_partition = lappend(of_partition, member);
	}
	common = list_length(of_partition) > 1 ? common_condition(of_partition) : NULL;
	partition = list_length(of_partition) > 1 && is_cheaper(of_partition, common);
	for_each_from(lc, of_partition, partition ? 1 : list_length(of_partition))
		dyn_shared_add(read, lfirst(lc));
	if (list_length(read->members) < 2 || !dyn_shared_limit_parts(read) ||
		!set_filter(read))
		return NULL;
	if (partition)
		read_partition(read, common);
	return read;
}

/*
 * Returns false if the scan should read alone.  The candidates are scans that
 * might share its read.  If a Scan of the table can serve them all, sets
 * *table to the access plan of this Scan.  Otherwise sets *table to NULL, and
 * removes the candidates that read another index.
 */
static bool
choose_read(const DynInput *input, List **candidates, const DynAccess **table)
{
	const DynAccess *access = input->scandesc->access;
	List	   *of_same_index = NIL;
	ListCell   *lc;

	*table = NULL;
	if (access->kind == DYN_ACCESS_SCAN)
		*table = access->index == NULL ? access : find_table_scan(input, *candidates);
	if (*table != NULL)
		return *table != access || is_worth_while(input, *candidates);
	foreach(lc, *candidates)
	{
		const DynInput *other = lfirst(lc);

		if (dyn_access_same_index(access, other->scandesc->access))
			of_same_index = lappend(of_same_index, lfirst(lc));
	}
	*candidates = of_same_index;
	return is_worth_while(input, of_same_index);
}

static void
begin_sharing(DynInput *input)
{
	EState	   *estate = input->node->ss.ps.state;
	Bitmapset  *initial;
	List	   *candidates;
	const DynAccess *table;
	MemoryContext context;
	MemoryContext oldcontext;
	DynSharedRead *read;
	ListCell   *lc;

	if (list_length(input->scandesc->statement->scans) < 2 ||
		!dyn_input_can(input, DYN_CAN_SHARE) || dyn_is_bounded(input) ||
		estate->es_epq_active != NULL)
		return;
	initial = dyn_plan_initplan_params(estate->es_plannedstmt);
	if (!is_executed_once(input, initial))
		return;
	candidates = find_candidates(input, initial);
	if (!choose_read(input, &candidates, &table))
		return;
	context = AllocSetContextCreate(estate->es_query_cxt, "dynamo_fdw shared scan",
									ALLOCSET_DEFAULT_SIZES);
	oldcontext = MemoryContextSwitchTo(context);
	read = gather(input, candidates, table);
	foreach(lc, read != NULL ? read->members : NIL)
	{
		DynMember  *member = lfirst(lc);

		member->input->member = member;
	}
	if (read != NULL)
		dyn_shared_start(read);
	MemoryContextSwitchTo(oldcontext);
	if (read == NULL)
		MemoryContextDelete(context);
}

/* ---- executions ---- */

static DynItems *
open_shared(void *state)
{
	DynInput   *input = state;
	const DynAccess *access = input->scandesc->access;
	const DynAccess *read;
	DynMember  *member;
	DynItems   *items;
	List	   *inputs = NIL;
	ListCell   *lc;

	if (input->member == NULL && !input->reads_alone && dyn_guc_enable_shared_reads)
		begin_sharing(input);
	input->reads_alone = (input->member == NULL);
	member = input->member;
	if (member == NULL || member->state != DYN_MEMBER_WAITS)
		return NULL;
	if (!input->has_prefetcher && member->awaits_values)
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(member->read->context);

		/* the values of the filters were unknown when the read was set up */
		member->values = dyn_values_copy(&input->values);
		dyn_member_resolve(member, &member->values);
		MemoryContextSwitchTo(oldcontext);
	}
	/* leave the read if it is of no use, for example if values have changed */
	if (input->has_prefetcher ||
		(!member->awaits_values &&
		 !dyn_values_equal(&member->values, &input->values, NULL)) ||
		member->contradiction ||
		!dyn_input_is_complete(input, &input->values))
	{
		dyn_member_leave(member);
		return NULL;
	}
	input->was_member = true;
	input->requested = true;
	input->scandesc->nsegments = member->resolved.nsegments;
	items = dyn_member_open(member);
	read = &((DynMember *) linitial(member->read->members))->own_access;
	/* the policy counts the read units once, for the first member */
	foreach(lc, member->number == 0 ? member->read->members : NIL)
		inputs = lappend(inputs, ((const DynMember *) lfirst(lc))->input);
	dyn_permit_shared(input, dyn_access_same_index(read, access) ? access : read,
					  inputs, &member->read->warned);
	return items;
}

static void
explain_shared(const void *state, ExplainState *es)
{
	const DynInput *input = state;
	const DynMember *member = input->member;
	const DynMember *first;
	char	   *text;

	if (!input->was_member)
		return;
	first = linitial(member->read->members);
	if (first != member)
		text = psprintf("by the scan of %s", first->input->scandesc->relation->name);
	else
		text = psprintf("%sfor %d scans", first->own_access.index == NULL &&
						first->input->scandesc->access->index != NULL ? "of the table, " : "",
						list_length(member->read->members));
	ExplainPropertyText("Shared Read", text, es);
}

static void
free_shared(void *state)
{
	DynInput   *input = state;

	if (input->member != NULL)
		dyn_member_leave(input->member);
}

void
dyn_add_sharing(DynInput *input)
{
	if (dyn_access_can(input->scandesc->access, DYN_CAN_SHARE))
		dyn_input_add_opener(input, &(DynOpener) {.open = open_shared,
			.explain = explain_shared,.free = free_shared,.state = input});
}
