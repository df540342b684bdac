/*
 * writer.c
 *		Sends the writes of a statement, several at a time.
 *
 * The writer waits only for its own requests.  Requests of scans progress only
 * while their nodes are executed, so waiting for such requests could take
 * forever.  Therefore a writer without a request in flight may always send
 * one, even beyond the limits of the statement.
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"

#include "../../dynamodb/units.h"
#include "../../model/server/memory.h"
#include "../../model/session/guc.h"
#include "../../model/session/usage.h"
#include "../../model/session/written.h"
#include "outcome.h"
#include "row_write.h"

/* Memory that a request takes in addition to its body. */
#define REQUEST_BYTES	4096

/* Time (ms) between checks whether another statement's response has arrived */
#define LOOK_MS			10.0

static DynWriter *writers = NULL;

/* ---- writers ---- */

static void
leave_flight(DynWriter *writer, const DynWrite *write)
{
	writer->statement->in_flight--;
	writer->statement->bytes -= dyn_call_body(write->call)->len + REQUEST_BYTES;
}

/* Ends a request, and counts a write of unknown outcome as maybe written. */
static void
abandon_write(DynWriter *writer, DynWrite *write)
{
	if (write == NULL || write->call == NULL)
		return;
	if (write->state == DYN_WRITE_SENT)
	{
		leave_flight(writer, write);
		dyn_usage_call(write->modify->usage, write->op, write->call, true);
	}
	else if (write->state == DYN_WRITE_PAUSED && dyn_call_is_repeated(write->call))
		dyn_usage_give_up(write->modify->usage, write->op, write->call, DYN_USAGE_CANCELED);
	if ((write->state == DYN_WRITE_SENT && dyn_call_may_be_executed(write->call)) ||
		write->unanswered > 0)
		dyn_written_maybe(dyn_write_is_transaction(write) ? list_length(writer->collected) : 1);
	dyn_call_destroy(write->call);
	write->call = NULL;
}

static void
abandon(DynWriter *writer)
{
	ListCell   *lc;

	foreach(lc, writer->writes)
		abandon_write(writer, lfirst(lc));
	abandon_write(writer, writer->failed);
	abandon_write(writer, writer->waiting);
	writer->failed = writer->waiting = NULL;
	writer->writes = writer->collected = NIL;
}

static void
forget_writer(void *arg)
{
	DynWriter  *writer = arg;
	DynWriter **link = &writers;

	abandon(writer);
	dyn_tokens_free(writer->tokens);
	while (*link != writer)
		link = &(*link)->next;
	*link = writer->next;
}

void
dyn_writers_abandon(int level)
{
	for (DynWriter *writer = writers; writer != NULL; writer = writer->next)
	{
		if (writer->level >= level)
			abandon(writer);
	}
}

DynWriter *
dyn_writer_find(const EState *estate)
{
	for (DynWriter *writer = writers; writer != NULL; writer = writer->next)
	{
		if (writer->statement->estate == estate)
			return writer;
	}
	return NULL;
}

DynWriter *
dyn_writer_get(EState *estate)
{
	DynWriter  *writer = dyn_writer_find(estate);
	MemoryContext context;

	if (writer != NULL)
		return writer;
	context = AllocSetContextCreate(estate->es_query_cxt, "dynamo_fdw writer",
									ALLOCSET_SMALL_SIZES);
	writer = MemoryContextAllocZero(context, sizeof(DynWriter));
	writer->context = context;
	writer->statement = dyn_statement_get(estate);
	writer->level = GetCurrentTransactionNestLevel();
	writer->tokens = dyn_tokens_create();
	dyn_check_oom(writer->tokens == NULL);
	dyn_buffer_init_in(&writer->update, context);
	dyn_buffer_init_in(&writer->condition, context);
	writer->next = writers;
	writers = writer;
	dyn_call_at_reset(context, forget_writer, writer);
	return writer;
}

/* ---- sending ---- */

/*
 * Returns the milliseconds until the write's pause is over, and the measured
 * rate and the budgets allow the request.  If the rate allows no request
 * before a response arrives, returns at least LOOK_MS: another statement may
 * receive the response, and nothing would then wake the caller.
 */
static double
send_delay(const DynWrite *write, double now)
{
	const DynTablePace *pace = write->modify->pace;
	double		delay = dyn_pace_delay(&pace->pace, pace->in_flight, now);

	if (delay < 0)
		delay = LOOK_MS;
	if (!dyn_write_is_transaction(write))
		delay = Max(delay, dyn_budgets_take(&write->modify->budgets, 0, now));
	return Max(delay, write->due_ms - now);
}

static bool
may_be_sent(const DynWriter *writer, const DynWrite *write)
{
	const DynStatement *statement = writer->statement;
	const DynConnection *connection = write->modify->relation->connection;
	size_t		bytes = statement->bytes + dyn_call_body(write->call)->len + REQUEST_BYTES;
	ListCell   *lc;

	if (writer->writes == NIL)
		return true;
	/* wait for the first response, which shows the cost of a write */
	if (write->modify->budgets.nbudgets > 0 && write->modify->item_units == 0)
		return false;
	/* in_flight does not count UNREAD writes, so limit all writes as well */
	if (statement->in_flight >= connection->max_concurrency ||
		list_length(writer->writes) >= Max(connection->max_concurrency, DYN_BATCH_GET_MAX_KEYS))
		return false;
	/* statement->bytes includes only the bodies of writes in the state SENT */
	foreach(lc, writer->writes)
	{
		const DynWrite *other = lfirst(lc);

		bytes += MemoryContextMemAllocated(other->context, true);
		if (other->state != DYN_WRITE_SENT)
			bytes += dyn_call_body(other->call)->len;
	}
	return bytes <= statement->max_bytes;
}

static void
render(DynWriter *writer, DynWrite *write)
{
	if (dyn_write_is_transaction(write))
		dyn_atomic_render(writer, write);
	else
		dyn_write_render(write, dyn_call_body(write->call), false);
}

/* Makes later reads of the tables strongly consistent for some time. */
static void
note_tables(const DynWriter *writer, const DynWrite *write)
{
	const DynRelation *relation = write->modify->relation;
	ListCell   *lc;

	dyn_written_table(relation->connection, relation->table);
	foreach(lc, dyn_write_is_transaction(write) ? writer->collected : NIL)
	{
		relation = ((const DynWrite *) lfirst(lc))->modify->relation;
		dyn_written_table(relation->connection, relation->table);
	}
}

/*
 * Charges the write to the budgets, and sends it; the response corrects the
 * charge.  The writes of a transaction were charged before (dyn_writer_end).
 * Returns false if the write must wait (send_delay).
 */
static bool
start(DynWriter *writer, DynWrite *write)
{
	double		now = dyn_session_now();

	Assert(write->call->state != DYN_CALL_SENT);
	if (send_delay(write, now) > 0)
		return false;
	if (!dyn_write_is_transaction(write))
	{
		write->cost = Max(write->modify->item_units, 1);
		if (dyn_budgets_take(&write->modify->budgets, write->cost, now) > 0)
			return false;
	}
	note_tables(writer, write);
	writer->statement->in_flight++;
	writer->statement->bytes += dyn_call_body(write->call)->len + REQUEST_BYTES;
	write->state = DYN_WRITE_SENT;
	write->call->once = true;
	write->call->ends_throttled = true;
	write->call->in_flight = &write->modify->pace->in_flight;
	if (write->modify->pace->pace.throttled)
		dyn_pace_send(&write->modify->pace->pace, write->cost, now);
	dyn_call_start(write->call, &write->modify->relation->connection->service,
				   &writer->statement->retries, dyn_operation_name(write->op));
	return true;
}

/* Waits after start() has returned false. */
static void
wait_to_start(const DynWrite *write)
{
	double		now = dyn_session_now();

	/* due_ms ends a pause after a conflict or a lost response */
	dyn_session_wait(write->modify->usage, send_delay(write, now) + 1,
					 write->due_ms > now ? DYN_WAITS_FOR_RESPONSE : DYN_WAITS_FOR_CAPACITY);
}

/* ---- receiving ---- */

/* Returns the line for the log, with values only if log_requests is on. */
static const char *
log_line(const DynWrite *write)
{
	const DynModify *modify = write->modify;
	const char *line = psprintf("%s %s", dyn_operation_name(write->op), modify->relation->table);
	DynBuffer	update;

	if (!dyn_guc_log_requests || dyn_write_is_transaction(write))
		return line;
	dyn_buffer_init(&update, 0);
	if (write->op == DYN_OP_UPDATE_ITEM)
		dyn_expr_update(NULL, write->values, write->nvalues, &update);
	return psprintf("%s where %s%s%s", line, dyn_key_text(write->key, modify->map->nparts, " AND "),
					write->op == DYN_OP_UPDATE_ITEM ? " " : "", dyn_take_text(&update));
}

/* Waits for other writes, repeating none, then raises the write's error. */
static void
fail(DynWriter *writer, DynWrite *write)
{
	ListCell   *lc;

	writer->writes = list_delete_ptr(writer->writes, write);
	writer->failed = write;
	foreach(lc, writer->writes)
	{
		DynWrite   *other = lfirst(lc);

		if (other->state == DYN_WRITE_SENT)
			continue;
		writer->writes = foreach_delete_current(writer->writes, lc);
		abandon_write(writer, other);
	}
	dyn_writer_finish(writer);
	write->report(write);
}

/*
 * Checks, counts and logs a finished call.  Returns false if dyn_call_unpack
 * repeats the call.
 */
static bool
take_response(DynWriter *writer, DynWrite *write)
{
	const DynCall *call = write->call;
	DynModify  *modify = write->modify;
	DynCounters counters;

	if (!dyn_call_unpack(write->call))
		return false;
	dyn_write_check_call(write);
	if (dyn_write_is_transaction(write))
		dyn_atomic_check(writer, write);
	note_tables(writer, write);
	leave_flight(writer, write);
	write->state = dyn_call_is_repeated(call) ? DYN_WRITE_PAUSED : DYN_WRITE_NEW;
	write->due_ms = 0;
	counters = dyn_usage_call(modify->usage, write->op, call, false);
	dyn_counters_add(&writer->statement->counters, &counters);
	dyn_counters_add(&modify->counters, &counters);
	if (dyn_request_is_logged(call, false))
		dyn_request_log(call, log_line(write), call->attempts);
	return true;
}

/* Ends the write, raises its error, or renders its next request. */
static void
proceed(DynWriter *writer, DynWrite *write)
{
	if (write->state == DYN_WRITE_WRITTEN || write->state == DYN_WRITE_NO_ROW)
	{
		writer->writes = list_delete_ptr(writer->writes, write);
		if (write->state == DYN_WRITE_NO_ROW)
		{
			/*
			 * the write changed nothing, so forget its key: a later part of
			 * the statement may still affect the item
			 */
			dyn_met_change(writer->met, write, HASH_REMOVE);
			dyn_met_change(write->affects && !write->overtaken ? writer->affected : NULL,
						   write, HASH_REMOVE);
			if (write->returned)
				dyn_write_uncount(write->modify);
		}
		if (write->returned)
			dyn_write_free(write);
	}
	else if (write->state == DYN_WRITE_FAILED)
		fail(writer, write);
	else if (write->state == DYN_WRITE_NEW)
	{
		render(writer, write);
		write->state = DYN_WRITE_PAUSED;
	}
}

static void
receive(DynWriter *writer, DynWrite *write)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(write->context);

	if (take_response(writer, write))
	{
		if (writer->failed != NULL)
			dyn_write_judge_only(write);
		else if (dyn_write_is_transaction(write))
			dyn_atomic_judge(writer, write);
		else
			dyn_write_judge(write);
	}
	MemoryContextSwitchTo(oldcontext);
	proceed(writer, write);
}

/*
 * Reads the items of all writes to the first write's table, and handles these
 * writes in the order of their rows.  All writes of the statement are UNREAD,
 * so none is in flight if the read raises an error.
 */
static void
receive_unread(DynWriter *writer)
{
	const DynModify *modify = ((const DynWrite *) linitial(writer->writes))->modify;
	List	   *unread = NIL;
	DynScalar  *items;
	ListCell   *lc;

	foreach(lc, writer->writes)
	{
		if (((const DynWrite *) lfirst(lc))->modify == modify)
			unread = lappend(unread, lfirst(lc));
	}
	items = dyn_writes_read_items(unread);
	foreach(lc, unread)
	{
		DynWrite   *write = lfirst(lc);

		dyn_write_judge_item(write, &items[foreach_current_index(lc)]);
		proceed(writer, write);
	}
	list_free(unread);
	pfree(items);
}

/*
 * Handles one call that is done, starts one write whose pause is over, or
 * raises the error of a failed write.  Returns false if there was nothing to
 * do.  Handles one write only, because the list may change.
 */
static bool
step(DynWriter *writer)
{
	ListCell   *lc;

	foreach(lc, writer->writes)
	{
		DynWrite   *write = lfirst(lc);

		if (write->state == DYN_WRITE_FAILED)
		{
			fail(writer, write);
			return true;
		}
		if (write->state == DYN_WRITE_SENT && write->call->state == DYN_CALL_DONE)
		{
			receive(writer, write);
			return true;
		}
		if (write->state == DYN_WRITE_PAUSED && start(writer, write))
			return true;
	}
	return false;
}

/*
 * Waits until step() has something to do.  If only UNREAD writes are left,
 * reads their items instead, so that one request reads many.
 */
static void
wait_for_step(DynWriter *writer)
{
	const DynModify *modify = ((DynWrite *) linitial(writer->writes))->modify;

	while (!step(writer))
	{
		double		now = dyn_session_now();
		double		left = INFINITY;
		DynWaitReason reason = DYN_WAITS_FOR_CAPACITY;
		bool		unread = true;
		ListCell   *lc;

		foreach(lc, writer->writes)
		{
			const DynWrite *write = lfirst(lc);

			unread &= (write->state == DYN_WRITE_UNREAD);
			if (write->state == DYN_WRITE_SENT || write->due_ms > now)
				reason = DYN_WAITS_FOR_RESPONSE;
			if (write->state == DYN_WRITE_PAUSED)
				left = fmin(left, send_delay(write, now));
		}
		if (unread)
		{
			receive_unread(writer);
			return;
		}
		dyn_session_wait(modify->usage, isinf(left) ? -1 : left + 1, reason);
	}
}

/* Handles the responses that have arrived, without waiting. */
static void
drive(DynWriter *writer)
{
	if (writer->writes == NIL)
		return;
	dyn_client_drive(dyn_session_client());
	while (step(writer))
		;
}

void
dyn_writer_finish(DynWriter *writer)
{
	while (writer->writes != NIL)
		wait_for_step(writer);
}

/*
 * Waits until the write of a suspended statement has its last response.  Sends
 * the write again if necessary.  When the statement continues, step() handles
 * the last response, or raises the error of a failed write.
 */
static void
await_suspended(DynWriter *writer, DynWrite *write)
{
	const DynCall *call = write->call;

	for (;;)
	{
		if (write->state == DYN_WRITE_PAUSED && !start(writer, write))
			wait_to_start(write);
		else if (write->state != DYN_WRITE_SENT)
			return;
		else if (call->state != DYN_CALL_DONE)
			dyn_session_wait(write->modify->usage, -1, DYN_WAITS_FOR_RESPONSE);
		else if (!call->throttled && !call->unanswered)
			return;
		else
		{
			MemoryContext oldcontext = MemoryContextSwitchTo(write->context);

			if (take_response(writer, write))
				(void) dyn_write_judge_call(write);
			MemoryContextSwitchTo(oldcontext);
		}
	}
}

void
dyn_writers_await(const EState *estate, const DynRelation *relation)
{
	if (estate->es_epq_active != NULL)
		return;
	for (DynWriter *writer = writers; writer != NULL; writer = writer->next)
	{
		ListCell   *lc;

		if (writer->statement->estate == estate)
			continue;
		foreach(lc, writer->writes)
		{
			DynWrite   *write = lfirst(lc);

			if (dyn_relation_same_table(write->modify->relation, relation))
				await_suspended(writer, write);
		}
		/* forget inserted keys, because the statement may delete the items */
		foreach(lc, writer->modifies)
		{
			DynModify  *modify = lfirst(lc);

			if (dyn_relation_same_table(modify->relation, relation))
				modify->insert_seed = 0;
		}
	}
}

void
dyn_writer_send(DynWriter *writer, DynWrite *write, bool wait)
{
	Assert(write->state == DYN_WRITE_NEW && write->call == NULL);
	dyn_session_check(write->modify->relation->connection);
	write->call = dyn_session_call();
	writer->waiting = write;
	render(writer, write);
	drive(writer);
	for (;;)
	{
		while (dyn_write_find(writer->writes, write) != NULL || !may_be_sent(writer, write))
			wait_for_step(writer);
		if (write->overtaken && write->op != DYN_OP_PUT_ITEM)
		{
			dyn_writer_finish(writer);
			dyn_write_report_nested(write);
		}
		if (start(writer, write))
			break;
		wait_to_start(write);
		drive(writer);
	}
	dyn_statement_append(writer->statement, &writer->writes, write);
	writer->waiting = NULL;
	write->returned = !wait;
	while (wait && list_member_ptr(writer->writes, write))
		wait_for_step(writer);
}

void
dyn_writer_end(DynWriter *writer)
{
	DynWrite   *transaction;
	ListCell   *lc;

	dyn_writer_finish(writer);
	if (writer->collected == NIL)
		return;
	dyn_atomic_check_nested(writer);
	transaction = dyn_write_create(((const DynWrite *) linitial(writer->collected))->modify,
								   DYN_OP_TRANSACT_WRITE_ITEMS);
	foreach(lc, writer->collected)
	{
		DynWrite   *write = lfirst(lc);
		DynBudgets *budgets = &write->modify->budgets;
		double		delay;

		write->cost = DYN_TRANSACTION_FACTOR *
			Max(ceil(write->item.len / DYN_WRITE_UNIT_BYTES), 1);
		while ((delay = dyn_budgets_take(budgets, write->cost, dyn_session_now())) > 0)
			dyn_session_wait(write->modify->usage, delay + 1, DYN_WAITS_FOR_CAPACITY);
		transaction->cost += write->cost;
	}
	dyn_writer_send(writer, transaction, true);
	dyn_write_free(transaction);
}
