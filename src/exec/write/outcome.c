/*
 * outcome.c
 *		Determines what the outcome of a request means for its row.
 *
 * The condition of an UPDATE or DELETE fails if the item has changed since it
 * was read.  Under READ COMMITTED, the statement is evaluated again for the
 * changed row, as PostgreSQL does for a local row (EvalPlanQual), and the
 * result is sent with a new condition.  A condition also fails if the item's
 * values equal those that were read but are encoded differently, such as a
 * time in another format.  Then the write is sent again with a condition that
 * has the stored encoding.
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "common/hashfn.h"
#include "common/pg_prng.h"
#include "executor/executor.h"
#include "miscadmin.h"

#include "../../aws/retry.h"
#include "../../dynamodb/units.h"
#include "../../model/server/memory.h"
#include "../../model/server/pg_compat.h"
#include "../../model/session/usage.h"
#include "../../model/session/written.h"
#include "../../plan/keys/match_keys.h"
#include "../fetch/scandesc.h"
#include "outcome.h"
#include "row_write.h"

/* Maximum number of times that the write of a row is composed again. */
#define MOST_ROUNDS		50

/*
 * From round FIRST_PAUSE on, every second round begins with a random pause.
 * If another client changes the item during the pause, this round fails, but
 * its response contains the new item, so the next round is sent at once.  The
 * maximum pause doubles with every round, at most DOUBLINGS times.
 */
#define FIRST_PAUSE		3
#define DOUBLINGS		4

/* Weight of the newest write in item_units, a moving average. */
#define NEWEST			0.3

/* Time (ms) of throttling after which the statement warns, once. */
#define WARN_AFTER_MS	1000.0

/*
 * Hash table of the keys that INSERTs have written: each element is the digest
 * of the last written key that hashes to it, so earlier keys may be forgotten.
 */
static uint32 inserted_keys[128 * 1024];

/* ---- errors ---- */

/*
 * Returns the key as text, such as "(pk, sk)=(a, 1)"; NULL if the user may not
 * read the key columns.  Core has the same rule for values of a unique index.
 */
static const char *
key_text(const DynWrite *write)
{
	const DynModify *modify = write->modify;
	DynBuffer	text;

	if (!dyn_relation_is_readable(modify->relation, modify->map->key_columns))
		return NULL;
	dyn_buffer_init(&text, 0);
	for (int i = 0; i < modify->map->nparts; i++)
		dyn_buffer_printf(&text, "%s%s", i == 0 ? "(" : ", ", write->key[i].name);
	for (int i = 0; i < modify->map->nparts; i++)
	{
		const DynScalar *value = &write->key[i].value;

		dyn_buffer_append_str(&text, i == 0 ? ")=(" : ", ");
		if (value->type == DYN_TYPE_B)
			dyn_scalar_print(&text, value);
		else
			dyn_buffer_append(&text, value->data, value->len);
	}
	dyn_buffer_append_str(&text, ")");
	return dyn_take_text(&text);
}

const char *
dyn_write_describe_key(const DynWrite *write)
{
	const char *key = key_text(write);

	return key != NULL ? psprintf("Key %s", key) : "The key";
}

void
dyn_write_report_duplicate(DynWrite *write)
{
	const DynModify *modify = write->modify;

	ereport(ERROR,
			(errcode(ERRCODE_UNIQUE_VIOLATION),
			 errmsg("duplicate key value violates the primary key of DynamoDB table \"%s\"",
					modify->relation->table),
			 errdetail("%s already exists%s.", dyn_write_describe_key(write),
					   write->why ? write->why : ""),
			 errtable(modify->rinfo->ri_RelationDesc)));
}

static void
report_unknown(DynWrite *write)
{
	DynRequestContext about = dyn_modify_context(write->modify, write->op);
	const char *action = write->op == DYN_OP_PUT_ITEM ? "insertion of an item"
		: write->op == DYN_OP_UPDATE_ITEM ? "update of an item" : "deletion of an item";
	const char *key = NULL;

	if (dyn_write_is_transaction(write))
		action = psprintf("transaction of %d items",
						  list_length(write->modify->writer->collected));
	else
		key = key_text(write);
	dyn_report_unanswered(write->call, write->why, &about, action, key);
}

static void
report_concurrent(DynWrite *write)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("could not serialize access due to concurrent update"),
			 errdetail("%s was changed by another writer, and %s. " UINT64_FORMAT
					   " items of this transaction are already written.",
					   dyn_write_describe_key(write), write->why, dyn_written_items())));
}

void
dyn_write_report_nested(DynWrite *write)
{
	ereport(ERROR,
			(errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
			 errmsg("tuple to be %s was already modified by an operation triggered by the current command",
					write->modify->operation == CMD_DELETE ? "deleted" : "updated"),
			 errhint("Consider using an AFTER trigger instead of a BEFORE trigger to propagate changes to other rows.")));
}

static void
report_call(DynWrite *write)
{
	const DynModify *modify = write->modify;
	DynRequestContext about = dyn_modify_context(modify, write->op);
	DynCall    *call = write->call;
	ListCell   *lc;

	write->call = NULL;
	if (dyn_failure_is_stale(call))
	{
		dyn_session_forget_table(modify->relation->connection, modify->relation->table);
		foreach(lc, modify->writer->collected)
		{
			const DynRelation *relation = ((const DynWrite *) lfirst(lc))->modify->relation;

			dyn_session_forget_table(relation->connection, relation->table);
		}
	}
	dyn_session_fail(call, &about);
}

static void
report_throttled(DynWrite *write)
{
	const DynModify *modify = write->modify;

	dyn_report_throttled(write->call, true,
						 dyn_describe_target(modify->relation->table, NULL),
						 modify->stall.ms / 1000, 0, modify->counters.write_units);
}

/*
 * Marks the write as failed because of its last response.  If the outcome of
 * an earlier attempt is unknown, so is the outcome of the write.
 */
static void
fail_last(DynWrite *write, void (*report) (DynWrite *write))
{
	dyn_write_fail(write, write->unanswered > 0 ? report_unknown : report, NULL);
}

/* Fails an INSERT whose key exists.  `item` has this key, or is ABSENT. */
static void
fail_duplicate(DynWrite *write, const DynScalar *item)
{
	DynModify  *modify = write->modify;

	dyn_write_fail(write, dyn_write_report_duplicate, item->data == NULL ||
				   dyn_reread_is_row(modify->reread, item, modify->scratch)
				   ? NULL : ": an item of another entity has this key");
}

/* ---- throttling ---- */

void
dyn_write_grant(DynWrite *write, double units)
{
	DynModify  *modify = write->modify;
	const DynCall *call = write->call;

	modify->stall = (DynStall) {0};
	if (units <= 0)
		return;
	if (!dyn_write_is_transaction(write))
		modify->item_units += (modify->item_units > 0 ? NEWEST : 1) *
			(units - modify->item_units);
	dyn_pace_grant(&modify->pace->pace, write->cost, units, call->started_ms,
				   call->done_ms);
}

/*
 * Records the units of a write whose condition failed; DynamoDB charges for
 * it, too.  The response does not contain the units, which depend on the size
 * of the existing or the new item, whichever is larger (Amazon DynamoDB
 * Developer Guide, "Working with items", conditional writes).
 */
static void
grant_failed(DynWrite *write, const DynScalar *existing)
{
	double		bytes = Max(write->op == DYN_OP_PUT_ITEM ? write->item.len : 0, existing->len);
	double		units = Max(ceil(bytes / DYN_WRITE_UNIT_BYTES), 1);

	dyn_budgets_correct(&write->modify->budgets, write->cost, units, dyn_session_now());
	dyn_write_grant(write, units);
}

static void
retry_throttled(DynWrite *write)
{
	DynModify  *modify = write->modify;
	const DynConnection *connection = modify->relation->connection;
	double		now = dyn_session_now();
	double		stalled_ms = dyn_stall_refuse(&modify->stall, now);

	if (!dyn_write_is_transaction(write))
		dyn_budgets_correct(&modify->budgets, write->cost, 0, now);
	dyn_pace_refuse(&modify->pace->pace, write->cost, 0, write->call->started_ms,
					write->call->done_ms);
	if (connection->throttle_timeout > 0 && stalled_ms >= connection->throttle_timeout)
	{
		fail_last(write, report_throttled);
		return;
	}
	if (!modify->warned && stalled_ms >= WARN_AFTER_MS)
	{
		modify->warned = true;
		ereport(WARNING,
				(errmsg("DynamoDB is throttling writes of table \"%s\"",
						modify->relation->table),
				 errdetail("The statement continues when DynamoDB grants it write units."),
				 errhint("Increase the table's write capacity.")));
	}
}

/* ---- confirmed writes ---- */

void
dyn_write_uncount(const DynModify *modify)
{
	if (!modify->mtstate->canSetTag)
		return;
	Assert(modify->estate->es_processed > 0);
	modify->estate->es_processed--;
}

static void
count(DynModify *modify, DynCounters counters)
{
	dyn_counters_add(&modify->counters, &counters);
	dyn_usage_add(modify->usage, &counters);
}

/* Returns a key's place in inserted_keys, and the key's digest in *digest. */
static uint32 *
find_inserted(const DynWrite *write, uint32 *digest)
{
	uint64		hash = hash_bytes_extended((const unsigned char *) write->key_bytes,
										   write->key_len, write->modify->insert_seed);

	*digest = hash >> 32;
	return &inserted_keys[hash % lengthof(inserted_keys)];
}

static bool
was_inserted(const DynWrite *write)
{
	uint32		digest;
	const uint32 *place = find_inserted(write, &digest);

	return write->modify->insert_seed > 0 && *place == digest;
}

/*
 * Returns the write of the same row that the outer statement `outer`, which
 * waits until this statement ends, has collected, has sent, or is about to
 * send; NULL if there is none.
 */
static DynWrite *
find_own(const DynWriter *outer, const DynWrite *write)
{
	DynWrite   *own = dyn_write_find(outer->collected ? outer->collected : outer->writes,
									 write);

	if (own == NULL && outer->waiting != NULL)
		own = dyn_write_find(list_make1(outer->waiting), write);
	return own != NULL && own->modify->relation->relid == write->modify->relation->relid
		? own : NULL;
}

bool
dyn_write_is_collected(const DynWrite *write)
{
	const DynWrite *own = NULL;

	for (const DynWriter *outer = write->modify->writer->next; outer != NULL && own == NULL;
		 outer = outer->next)
		own = find_own(outer, write);
	/*
	 * return false if a nested statement has already written the row of `own`,
	 * or if `own` comes after the write whose DO UPDATE is being evaluated
	 */
	return own != NULL && own->modify->atomic && own->op == DYN_OP_PUT_ITEM && !own->overtaken &&
		!list_member_ptr(own->modify->writer->later, own);
}

void
dyn_write_confirm_unchanged(DynWrite *write, const DynScalar *item)
{
	write->state = DYN_WRITE_WRITTEN;
	/* outer statements, which wait for this one, must not write the row */
	for (DynWriter *outer = write->modify->writer->next; outer != NULL; outer = outer->next)
	{
		DynWrite   *own = find_own(outer, write);

		if (own != NULL)
			own->overtaken = true;
		if (write->op != DYN_OP_PUT_ITEM)
			(void) dyn_met_change(outer->nested, write, HASH_ENTER);
		(void) dyn_met_change(outer->affected, write,
							  write->op == DYN_OP_DELETE_ITEM ? HASH_REMOVE : HASH_ENTER);
	}
	if (item == NULL || item->data == NULL || !dyn_write_returns(write))
		return;
	write->attributes = *item;
	write->attributes.data = memcpy(palloc(item->len), item->data, item->len);
}

void
dyn_write_confirm(DynWrite *write, double units, const DynScalar *item)
{
	DynModify  *modify = write->modify;

	dyn_write_confirm_unchanged(write, item);
	if (units > 0)
		dyn_budgets_correct(&modify->budgets, write->cost, units, dyn_session_now());
	dyn_written_count(modify->relation->name, write->op);
	count(modify, (DynCounters) {.items_written = 1,.write_units = units});
	if (modify->insert_seed > 0)
	{
		uint32		digest;
		uint32	   *place = find_inserted(write, &digest);

		*place = digest;
	}
}

static void
confirm(DynWrite *write)
{
	dyn_write_grant(write, write->written.units);
	dyn_write_confirm(write, write->written.units, &write->written.attributes);
}

/* ---- repetition ---- */

static void
delay(DynWrite *write, int attempts)
{
	write->due_ms = dyn_session_now() +
		dyn_retry_delay_ms(DYN_RETRY_TRANSIENT, attempts,
						   pg_prng_double(&pg_global_prng_state), -1);
}

static void
retry_conflict(DynWrite *write)
{
	delay(write, ++write->rounds);
	if (write->rounds >= write->modify->relation->connection->service.max_attempts)
		fail_last(write, report_call);
}

/* ---- another evaluation ---- */

/*
 * Evaluates the statement for the row in the scratch slot.  Returns NULL if
 * its conditions no longer select the row.  Allocates in es_query_cxt, because
 * core keeps the state of EvalPlanQual for later evaluations.
 */
static TupleTableSlot *
evaluate_again(DynWrite *write)
{
	DynModify  *modify = write->modify;
	EPQState   *epq = &modify->mtstate->mt_epqstate;
	ResultRelInfo *rinfo = modify->rinfo;
	TupleTableSlot *origslot = epq->origslot;
	TupleTableSlot *test;
	TupleTableSlot *result;
	MemoryContext oldcontext;

	ExecStoreMinimalTuple(write->plan_row, modify->plan_slot, false);
	dyn_reread_children(epq, modify->plan_slot);
	oldcontext = MemoryContextSwitchTo(modify->estate->es_query_cxt);
	EvalPlanQualSetSlot(epq, modify->plan_slot);
	EvalPlanQualBegin(epq);
	test = EvalPlanQualSlot(epq, rinfo->ri_RelationDesc, rinfo->ri_RangeTableIndex);
	ExecCopySlot(test, modify->scratch);
	test->tts_tableOid = modify->relation->relid;
	result = EvalPlanQual(epq, rinfo->ri_RelationDesc, rinfo->ri_RangeTableIndex, test);
	epq->origslot = origslot;
	MemoryContextSwitchTo(oldcontext);
	return result;
}

static bool
begin_round(DynWrite *write)
{
	if (++write->rounds <= MOST_ROUNDS)
		return true;
	dyn_write_fail(write, report_concurrent, "it changed again at each attempt");
	return false;
}

/*
 * Returns NULL if the row can be evaluated again, or the reason why not.  For
 * DO UPDATE, triggers and deferred rows do not prevent this, because the SET
 * expressions are evaluated only when the row is written, before RETURNING or
 * a trigger sees the result.
 */
static const char *
why_not_again(const DynModify *modify)
{
	if (modify->atomic)
		return "an atomic statement is not evaluated again";
	if (IsolationUsesXactSnapshot())
		return "the isolation level does not permit another evaluation";
	if (modify->upsert != NULL)
		return NULL;
	if (modify->has_row_triggers)
		return "a row trigger has already seen the old row";
	if (modify->deferred && modify->returning)
		return "RETURNING has already shown the row";
	if (modify->deferred && list_length(modify->estate->es_subplanstates) >
		Max(list_length(modify->mtstate->ps.initPlan), list_length(modify->estate->es_auxmodifytables)))
		return "a subquery would read what the statement has written";
	return NULL;
}

/* Returns true if an attempt of unknown outcome may have inserted the item. */
static bool
is_inserted(const DynWrite *write, const DynScalar *item)
{
	return write->op == DYN_OP_PUT_ITEM && write->unanswered > 0 && item->data != NULL &&
		dyn_scalar_same(item, &write->item);
}

/*
 * Evaluates DO UPDATE for the item's row, which is in the scratch slot, and
 * composes the update.  After an INSERT of unknown outcome, the write may fail
 * (outcome.h), because DO UPDATE could change what that INSERT has written.
 */
static void
evaluate_upsert(DynWrite *write, const DynScalar *item)
{
	DynModify  *modify = write->modify;
	ExprContext *econtext = modify->upsert->econtext;
	bool		inserted = is_inserted(write, item);
	bool		changes = false;

	if (write->unanswered > 0 && modify->plan.derives && !inserted)
	{
		dyn_write_fail(write, report_unknown, NULL);
		return;
	}
	ResetExprContext(econtext);
	ExecCopySlot(modify->old, modify->scratch);
	modify->old->tts_tableOid = modify->relation->relid;
	ExecStoreMinimalTuple(write->plan_row, modify->plan_slot, false);
	econtext->ecxt_scantuple = modify->old;
	econtext->ecxt_innertuple = modify->plan_slot;
	dyn_check_view_conflict(modify->rinfo, modify->old, modify->estate);
	if (ExecQual(modify->upsert->where, econtext))
		changes = dyn_modify_update(write, modify->old,
									dyn_modify_complete_row(modify,
															ExecProject(modify->upsert->projection)));
	else if (!inserted)
	{
		write->state = DYN_WRITE_NO_ROW;
		return;
	}
	if (inserted && changes)
		dyn_write_fail(write, report_unknown, NULL);
	else if (inserted)
		dyn_write_confirm(write, 0, item);
	else
	{
		write->op = DYN_OP_UPDATE_ITEM;
		if (!changes && !write->overtaken)
			dyn_write_confirm_unchanged(write, item);
	}
}

/*
 * Projects the new row of an UPDATE, but not into core's slot for new rows.
 * That slot may contain a later row, which core still has to check (WITH CHECK
 * OPTION of a view).
 */
static TupleTableSlot *
project_again(DynModify *modify, TupleTableSlot *plan_row)
{
	ResultRelInfo *rinfo = modify->rinfo;
	TupleTableSlot **result = &rinfo->ri_projectNew->pi_state.resultslot;
	TupleTableSlot *of_core = *result;
	TupleTableSlot *row;

	ExecCopySlot(rinfo->ri_oldTupleSlot, modify->scratch);
	*result = modify->again;
	row = ExecGetUpdateNewTuple(rinfo, plan_row, rinfo->ri_oldTupleSlot);
	*result = of_core;
	return dyn_modify_complete_row(modify, row);
}

/* Evaluates the statement for the changed row, and composes the next write. */
static void
write_again(DynWrite *write, const DynScalar *item)
{
	DynModify  *modify = write->modify;
	TupleTableSlot *row;
	const char *why = why_not_again(modify);

	if (why != NULL)
	{
		dyn_write_fail(write, report_concurrent, why);
		return;
	}
	if (!begin_round(write))
		return;
	if (modify->upsert != NULL)
	{
		evaluate_upsert(write, item);
		return;
	}
	row = evaluate_again(write);
	while (TupIsNull(row) && write->repeated != NIL)
	{
		write->plan_row = linitial(write->repeated);
		write->repeated = list_delete_first(write->repeated);
		row = evaluate_again(write);
	}
	if (TupIsNull(row))
	{
		write->state = DYN_WRITE_NO_ROW;
		if (modify->writer->skipped)
			dyn_write_fail(write, report_concurrent, "a skipped row of the join may select it");
		return;
	}
	ExecCopySlot(modify->old, modify->scratch);
	if (modify->operation == CMD_DELETE)
		dyn_modify_delete(write, modify->old);
	else if (!dyn_modify_update(write, modify->old, project_again(modify, row)))
		dyn_write_confirm_unchanged(write, item);
}

/* ---- failed conditions ---- */

/*
 * Copies an item to the memory context of its write, and stores the copy in
 * `items` at the position of the write.  `values` are the item's key and the
 * item itself.
 */
static void
keep_item(const List *writes, const DynValue *values, DynScalar *items)
{
	const DynModify *modify = ((const DynWrite *) linitial(writes))->modify;
	int			nparts = modify->map->nparts;
	const DynValue *item = &values[nparts];
	DynScalar	key[2];
	ListCell   *lc;

	for (int i = 0; i < nparts; i++)
		dyn_key_scalar(modify->relation, ((const DynWrite *) linitial(writes))->key[i].name,
					   &values[i], &key[i]);
	foreach(lc, writes)
	{
		const DynWrite *write = lfirst(lc);

		if (!dyn_scalar_equal(&key[0], &write->key[0].value) ||
			(nparts == 2 && !dyn_scalar_equal(&key[1], &write->key[1].value)))
			continue;
		items[foreach_current_index(lc)] = (DynScalar) {DYN_TYPE_M,
			memcpy(MemoryContextAlloc(write->context, item->len), item->data, item->len),
			item->len};
		return;
	}
	elog(ERROR, "no write has the key of an item that was read");
}

DynScalar *
dyn_writes_read_items(const List *writes)
{
	const DynWrite *first = linitial(writes);
	DynModify  *modify = first->modify;
	DynRelation *relation = modify->relation;
	int			n = list_length(writes);
	int			nparts = modify->map->nparts;
	DynScalar  *items = palloc0(n * sizeof(DynScalar));
	MemoryContext oldcontext = MemoryContextSwitchTo(first->context);
	DynKeyPart *keys = palloc(n * nparts * sizeof(DynKeyPart));
	DynPath		paths[3];		/* the key, and the item itself */
	DynRows		rows = {.paths = paths,.npaths = nparts + 1};
	DynScanDesc scandesc = {.statement = modify->writer->statement,.relation = relation,
		.access = dyn_match_all_columns(relation, modify->map->meta),
	.count_into = &modify->counters,.checked = true};
	DynFetch   *fetch;
	const DynValue *values;

	for (int i = 0; i < n; i++)
		memcpy(&keys[i * nparts], ((const DynWrite *) list_nth(writes, i))->key,
			   nparts * sizeof(DynKeyPart));
	for (int i = 0; i < nparts; i++)
		paths[i] = *dyn_path_of_attribute(keys[i].name);
	paths[nparts] = *dyn_path_of_item();
	relation->own_writes = true;
	fetch = dyn_scandesc_start(&scandesc, dyn_requests_of_keys(relation, keys, n, nparts),
							   &rows, false);
	while ((values = dyn_fetch_next(fetch)) != NULL)
		keep_item(writes, values, items);
	dyn_fetch_stop(fetch);
	MemoryContextSwitchTo(oldcontext);
	return items;
}

/* Handles a failed condition of DO UPDATE; `item` is ABSENT if none exists. */
static void
judge_upsert(DynWrite *write, const DynScalar *item)
{
	DynModify  *modify = write->modify;

	if (!begin_round(write))
		return;
	if (item->data == NULL && write->unanswered > 0)
	{
		/* another session may have deleted what an earlier attempt wrote */
		dyn_write_fail(write, report_unknown, NULL);
	}
	else if (item->data == NULL && (!modify->atomic || modify->writer->omits_items))
	{
		/* try the INSERT again; write->item is still the item to insert */
		write->op = DYN_OP_PUT_ITEM;
	}
	else if (item->data != NULL && dyn_reread_item(modify->reread, item, modify->scratch))
		evaluate_upsert(write, item);
	else
		fail_duplicate(write, item);
}

/*
 * Returns true if `columns` have the same values as when they were read; equal
 * values, such as 24 hours and 1 day, may not be the same.  Ignores document
 * columns, because the condition of the write does not compare them either.
 * Requires the item's row in modify->scratch.  Overwrites modify->old.
 */
static bool
is_unchanged(DynWrite *write, const Bitmapset *columns)
{
	DynModify  *modify = write->modify;

	ExecForceStoreMinimalTuple(write->old_row, modify->old, false);
	slot_getallattrs(modify->old);
	for (int attnum = -1; (attnum = bms_next_member(columns, attnum)) >= 0;)
	{
		const DynColumn *column = dyn_relation_column(modify->relation, attnum);

		if (!dyn_column_is_document(column) &&
			!dyn_column_same(column, attnum, modify->old, modify->scratch))
			return false;
	}
	return true;
}

/* Handles the failed condition of an UPDATE or DELETE. */
static void
judge_conflict(DynWrite *write, const DynScalar *item)
{
	DynModify  *modify = write->modify;
	DynCounters conflict = {.conflicts = !modify->atomic};
	bool		unchanged;

	if (item->data == NULL || !dyn_reread_item(modify->reread, item, modify->scratch))
	{
		if (!modify->presumes)
			count(modify, conflict);
		if (write->unanswered > 0 && item->data == NULL &&
			write->op == DYN_OP_DELETE_ITEM && !modify->presumes)
			dyn_write_confirm(write, 0, item);
		else if (write->unanswered > 0 &&
				 (item->data != NULL || write->op == DYN_OP_DELETE_ITEM))
			dyn_write_fail(write, report_unknown, NULL);
		else if ((modify->atomic || IsolationUsesXactSnapshot()) && !modify->presumes)
			dyn_write_fail(write, report_concurrent, why_not_again(modify));
		else if (modify->upsert != NULL)
			judge_upsert(write, item);
		else if (modify->has_row_triggers || (modify->deferred && modify->returning))
			dyn_write_fail(write, report_concurrent, "a row trigger or RETURNING has already seen the row");
		else
			write->state = DYN_WRITE_NO_ROW;
		return;
	}
	slot_getallattrs(modify->scratch);
	dyn_modify_keep_segment(write);
	unchanged = is_unchanged(write, write->guarded);
	if (!unchanged)
		count(modify, conflict);
	/*
	 * If the guarded values have not changed, the condition failed because a
	 * value is stored in another encoding, or because a map is missing.  Then
	 * adapt the write to the item, and send it again, unless an unanswered
	 * attempt may have changed the item.
	 */
	if (unchanged && (write->unanswered == 0 || is_unchanged(write, write->replaced)))
	{
		if (begin_round(write) && !dyn_write_require_stored(write, item))
			dyn_write_confirm_unchanged(write, item);
	}
	else if (write->unanswered == 0)
		write_again(write, item);
	else if (write->op == DYN_OP_UPDATE_ITEM && (unchanged || !write->derived) &&
			 dyn_item_has(item, write->composed, write->ncomposed))
		dyn_write_confirm(write, 0, item);
	else
		dyn_write_fail(write, report_unknown, NULL);
}

void
dyn_write_judge_item(DynWrite *write, const DynScalar *item)
{
	const DynModify *modify = write->modify;
	const MinimalTupleData *old_row = write->old_row;
	MemoryContext round = AllocSetContextCreate(modify->writer->context, "dynamo_fdw round",
												ALLOCSET_SMALL_SIZES);
	MemoryContext oldcontext = MemoryContextSwitchTo(round);

	write->state = DYN_WRITE_NEW;
	if (write->op != DYN_OP_PUT_ITEM)
		judge_conflict(write, item);
	else if (modify->upsert != NULL)
		judge_upsert(write, item);
	else if (is_inserted(write, item))
		dyn_write_confirm(write, 0, item);
	else if (modify->do_nothing)
		write->state = DYN_WRITE_NO_ROW;
	else
		fail_duplicate(write, item);
	/* another attempt could overwrite what a nested statement has written */
	if (write->state == DYN_WRITE_NEW && write->overtaken)
		dyn_write_fail(write, dyn_write_report_nested, NULL);
	if (write->state == DYN_WRITE_NEW && write->rounds >= FIRST_PAUSE &&
		(write->rounds - FIRST_PAUSE) % 2 == 0)
		delay(write, Min(write->rounds - FIRST_PAUSE, DOUBLINGS) + 1);
	MemoryContextSwitchTo(oldcontext);
	/* the new composition does not use memory of earlier rounds */
	if (write->state == DYN_WRITE_NEW && write->old_row != old_row)
		MemoryContextDeleteChildren(write->context);
	MemoryContextSetParent(round, write->context);
}

void
dyn_write_judge_condition(DynWrite *write, DynScalar item)
{
	const DynModify *modify = write->modify;

	/*
	 * If an earlier row of the statement inserted the key, none of the
	 * unanswered attempts of this insert can have succeeded.
	 */
	if (write->op == DYN_OP_PUT_ITEM && write->unanswered > 0 && was_inserted(write))
		write->unanswered = 0;
	if (item.data == NULL && (!modify->atomic || modify->writer->omits_items) &&
		(write->op != DYN_OP_PUT_ITEM || modify->upsert != NULL || write->unanswered > 0))
		write->state = DYN_WRITE_UNREAD;
	else
		dyn_write_judge_item(write, &item);
}

/* ---- responses ---- */

void
dyn_write_check_call(DynWrite *write)
{
	DynCall    *call = write->call;
	const DynBuffer *response = &call->response;

	write->why = NULL;
	if (call->failure != DYN_FAIL_NONE)
		return;
	write->why = dyn_write_check(response->data, response->len, write->modify->relation->table,
								 dyn_write_returns(write), &write->written);
	call->unanswered = write->why != NULL;
	if (call->unanswered)
		dyn_call_distrust(call);
}

bool
dyn_write_judge_call(DynWrite *write)
{
	const DynCall *call = write->call;

	if (call->throttled)
		retry_throttled(write);
	else if (call->conflicting)
		retry_conflict(write);
	else if (call->unanswered)
	{
		delay(write, ++write->unanswered);
		if (write->unanswered >= write->modify->relation->connection->service.max_attempts ||
			!dyn_write_guard_replaced(write))
			dyn_write_fail(write, report_unknown, write->why);
	}
	else if (call->failure != DYN_FAIL_NONE)
		fail_last(write, report_call);
	else
		return true;
	return false;
}

void
dyn_write_judge(DynWrite *write)
{
	const DynCall *call = write->call;
	DynScalar	item;

	if (call->failure != DYN_FAIL_SERVICE ||
		strcmp(call->code, "ConditionalCheckFailedException") != 0)
	{
		if (dyn_write_judge_call(write))
			confirm(write);
		return;
	}
	item = dyn_write_failed_item(call->response.data, call->response.len);
	grant_failed(write, &item);
	dyn_write_judge_condition(write, item);
}

void
dyn_write_judge_only(DynWrite *write)
{
	const DynCall *call = write->call;

	write->state = DYN_WRITE_NO_ROW;
	if (dyn_call_is_repeated(call))
		dyn_usage_give_up(write->modify->usage, write->op, call, DYN_USAGE_CANCELED);
	else if (call->failure == DYN_FAIL_NONE)
	{
		confirm(write);
		return;
	}
	if (call->unanswered || write->unanswered > 0)
		dyn_written_maybe(1);
}
