/*
 * writer.c
 *		Sends the writes of a statement, several at a time.
 *
 * The writer waits only for its own requests.  Requests of scans progress only
 * while their nodes are executed, so waiting for them could take forever.
 * Therefore a writer without a request in flight may always send one, even
 * beyond the limits of the statement.
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"

#include "../../dynamodb/units.h"
#include "../../model/server/memory.h"
#include "../../model/server/encoding.h"
#include "../../model/session/guc.h"
#include "../../model/session/usage.h"
#include "../../model/session/written.h"
#include "atomic.h"
#include "outcome.h"
#include "row_write.h"

/* Memory that a request takes in addition to its body. */
#define REQUEST_BYTES	4096

/* Time (ms) between checks of a pace that waits for other statements. */
#define LOOK_MS			10.0

static DynWriter *writers = NULL;

/* ---- writers ---- */

/* Removes a write from the statement's requests in flight. */
static void
leave_flight(DynWriter *writer, const DynWrite *write)
{
	writer->statement->in_flight--;
	writer->statement->bytes -= dyn_call_body(write->call)->len + REQUEST_BYTES;
}

/* Ends a request; counts it as maybe written if its outcome is unknown. */
static void
abandon_write(DynWriter *writer, DynWrite *write)
{
	if (write == NULL || write->call == NULL)
		return;
	if (write->state == DYN_WRITE_SENT)
	{
		leave_flight(writer, write);
		dyn_usage_call(write->modify->usage, dyn_operation_name(write->op), write->call);
	}
	if (write->state == DYN_WRITE_SENT || write->unanswered > 0)
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
 * Returns the number of ms until the pace and the budgets allow a request;
 * LOOK_MS if the pace waits for a response of another statement.
 */
static double
send_delay(const DynWrite *write, double now)
{
	const DynTablePace *pace = write->modify->pace;
	double		delay = dyn_pace_delay(&pace->pace, pace->in_flight, now);

	if (delay < 0)
		delay = LOOK_MS;
	return dyn_write_is_transaction(write) ? delay
		: Max(delay, dyn_budgets_delay(&write->modify->budgets, now));
}

/*
 * Returns true, and charges the write to the budgets, if it may be sent now.
 * The response corrects the charge.  The writes of a transaction have been
 * charged before.
 */
static bool
may_send(DynWrite *write, double now)
{
	if (send_delay(write, now) > 0)
		return false;
	if (dyn_write_is_transaction(write))
		return true;
	write->cost = Max(write->modify->item_units, 1);
	return dyn_budgets_take(&write->modify->budgets, write->cost, now);
}

/* True if the statement's limits allow another request. */
static bool
may_be_sent(const DynWriter *writer, const DynWrite *write)
{
	const DynStatement *statement = writer->statement;
	const DynConnection *connection = write->modify->relation->connection;

	if (writer->writes == NIL)
		return true;
	/* wait for the first response, which shows the cost of a write */
	if (write->modify->budgets.nbudgets > 0 && write->modify->item_units == 0)
		return false;
	return statement->in_flight < connection->max_concurrency &&
		statement->bytes + dyn_call_body(write->call)->len + REQUEST_BYTES <=
		statement->max_bytes;
}

static void
render(DynWriter *writer, DynWrite *write)
{
	if (dyn_write_is_transaction(write))
		dyn_atomic_render(writer, write);
	else
		dyn_write_render(write, dyn_call_body(write->call), false);
}

/* Records that the tables of the request are being written. */
static void
record_tables(const DynWriter *writer, const DynWrite *write)
{
	const DynRelation *relation = write->modify->relation;
	ListCell   *lc;

	if (!dyn_write_is_transaction(write))
	{
		dyn_written_table(relation->connection, relation->table);
		return;
	}
	foreach(lc, writer->collected)
	{
		relation = ((const DynWrite *) lfirst(lc))->modify->relation;
		dyn_written_table(relation->connection, relation->table);
	}
}

/* Sends the write, which may_send() has charged. */
static void
start(DynWriter *writer, DynWrite *write)
{
	DynRelation *relation = write->modify->relation;

	Assert(write->call->state != DYN_CALL_SENT);
	record_tables(writer, write);
	writer->statement->in_flight++;
	writer->statement->bytes += dyn_call_body(write->call)->len + REQUEST_BYTES;
	write->state = DYN_WRITE_SENT;
	write->call->once = true;
	write->call->ends_throttled = true;
	write->call->in_flight = &write->modify->pace->in_flight;
	if (write->modify->pace->pace.throttled)
		dyn_pace_send(&write->modify->pace->pace, write->cost, dyn_session_now());
	dyn_call_start(write->call, &relation->connection->service,
				   &writer->statement->retries, dyn_operation_name(write->op));
}

/* ---- receiving ---- */

/*
 * Returns the line for the log; NULL if the request is not logged.  Contains
 * values only if log_requests is on.
 */
static char *
log_line(const DynWrite *write)
{
	const DynModify *modify = write->modify;
	StringInfoData line;
	DynBuffer	update;

	if (!dyn_request_is_logged(write->call))
		return NULL;
	initStringInfo(&line);
	appendStringInfo(&line, "%s %s", dyn_operation_name(write->op),
					 modify->relation->table);
	if (!dyn_guc_log_requests || dyn_write_is_transaction(write))
		return line.data;
	appendStringInfo(&line, " where %s",
					 dyn_from_utf8_lossy(dyn_key_text(write->key, modify->map->nparts, " AND ")));
	if (write->op == DYN_OP_UPDATE_ITEM)
	{
		dyn_buffer_init(&update, 0);
		dyn_expr_update(NULL, write->values, write->nvalues, &update);
		appendStringInfo(&line, " %s", dyn_take_text(&update));
	}
	return line.data;
}

/* Counts the finished call for the statement and the session, and logs it. */
static void
account(DynWriter *writer, DynWrite *write)
{
	const DynCall *call = write->call;
	DynModify  *modify = write->modify;
	DynCounters counters = {
		.requests = 1,
		.retries = Max(call->attempts - 1, 0),
		.throttles = call->throttles,
		.bytes = call->bytes_received,
		.request_ms = call->elapsed_ms,
		.slowest_ms = call->elapsed_ms
	};

	dyn_counters_add(&writer->statement->counters, &counters);
	dyn_counters_add(&modify->counters, &counters);
	dyn_usage_call(modify->usage, dyn_operation_name(write->op), call);
	dyn_request_log(call, log_line(write));
}

/*
 * Drops the writes in writer->writes that wait to be sent again, or have
 * failed.
 */
static void
drop_unsent(DynWriter *writer)
{
	ListCell   *lc;

	foreach(lc, writer->writes)
	{
		DynWrite   *write = lfirst(lc);

		if (write->state != DYN_WRITE_PAUSED && write->state != DYN_WRITE_FAILED)
			continue;
		writer->writes = foreach_delete_current(writer->writes, lc);
		abandon_write(writer, write);
	}
}

/*
 * Waits for the other writes, repeats none of them, and raises the error of
 * `write`.
 */
static void
fail(DynWriter *writer, DynWrite *write)
{
	writer->writes = list_delete_ptr(writer->writes, write);
	writer->failed = write;
	drop_unsent(writer);
	dyn_writer_finish(writer);
	write->report(write);
}

static void
end_write(DynWriter *writer, DynWrite *write)
{
	writer->writes = list_delete_ptr(writer->writes, write);
	if (write->state == DYN_WRITE_NO_ROW && write->returned)
		dyn_write_uncount(write->modify);
	if (write->returned)
		dyn_write_free(write);
}

/*
 * Takes the response of a call that is done.  Returns false if an attempt is
 * repeated instead.
 */
static bool
take_response(DynWriter *writer, DynWrite *write)
{
	if (!dyn_call_unpack(write->call))
		return false;
	leave_flight(writer, write);
	write->state = DYN_WRITE_NEW;
	write->due_ms = 0;
	account(writer, write);
	return true;
}

/* Handles the response of a call that is done. */
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
	if (write->state == DYN_WRITE_WRITTEN || write->state == DYN_WRITE_NO_ROW)
		end_write(writer, write);
	else if (write->state == DYN_WRITE_FAILED)
		fail(writer, write);
	else if (write->state == DYN_WRITE_NEW)
	{
		render(writer, write);
		write->state = DYN_WRITE_PAUSED;
	}
}

/*
 * Starts the write if its pause is over, and the pace and the budgets allow
 * it; returns false otherwise.
 */
static bool
start_again(DynWriter *writer, DynWrite *write)
{
	double		now = dyn_session_now();

	if (write->due_ms > now || !may_send(write, now))
		return false;
	start(writer, write);
	return true;
}

/*
 * Handles one call that is done, starts one write whose pause is over, or
 * raises the error of a write that has failed.  Returns false if there was
 * nothing to do.  Handles only one write, because that may change the list.
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
		if (write->state == DYN_WRITE_PAUSED && start_again(writer, write))
			return true;
	}
	return false;
}

/*
 * Returns the number of ms until the write's pause ends; -1 if it does not
 * pause.
 */
static double
pause_left(const DynWrite *write)
{
	double		now = dyn_session_now();

	return write->state != DYN_WRITE_PAUSED ? -1
		: Max(Max(write->due_ms - now, send_delay(write, now)), 0);
}

/* Returns the ms until the first paused write is due; -1: none is paused. */
static long
next_due(const DynWriter *writer)
{
	double		least = -1;
	ListCell   *lc;

	foreach(lc, writer->writes)
	{
		double		ms = pause_left(lfirst(lc));

		if (ms >= 0)
			least = least < 0 ? ms : Min(least, ms);
	}
	return least < 0 ? -1 : (long) least + 1;
}

/* Waits like dyn_session_wait, and counts the time for the target's table. */
static void
wait_and_count(const DynModify *modify, double ms, DynWaitReason reason)
{
	double		began = dyn_session_now();
	DynCounters counters = {0};

	dyn_session_wait((long) ms, reason);
	counters.waiting_ms = dyn_session_now() - began;
	if (reason == DYN_WAITS_FOR_CAPACITY)
		counters.waited_ms = counters.waiting_ms;
	dyn_usage_add(modify->usage, &counters);
}

/* Waits until there is something to do, and does one step(). */
static void
wait_for_step(DynWriter *writer)
{
	const DynModify *modify = ((DynWrite *) linitial(writer->writes))->modify;

	while (!step(writer))
		wait_and_count(modify, next_due(writer), DYN_WAITS_FOR_RESPONSE);
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
 * True if the write is to the table, and awaits a response or must be sent
 * again.
 */
static bool
is_unanswered(const DynWrite *write, const DynRelation *relation)
{
	const DynCall *call = write->call;

	if (!dyn_relation_same_table(write->modify->relation, relation))
		return false;
	if (write->state == DYN_WRITE_SENT)
		return call->state != DYN_CALL_DONE || call->throttled || call->unanswered;
	return write->state == DYN_WRITE_PAUSED;
}

/*
 * Waits until the write of a suspended statement has its last response.  Sends
 * the write again if necessary.  Executes no part of that statement, and
 * raises none of its errors: if the write fails, step() will raise the error.
 */
static void
await_suspended(DynWriter *writer, DynWrite *write, const DynRelation *relation)
{
	while (is_unanswered(write, relation))
	{
		MemoryContext oldcontext;
		double		left = pause_left(write);

		if (left == 0 && start_again(writer, write))
			continue;
		if (left >= 0 || write->call->state != DYN_CALL_DONE)
		{
			dyn_session_wait((long) left + (left >= 0), DYN_WAITS_FOR_RESPONSE);
			continue;
		}
		oldcontext = MemoryContextSwitchTo(write->context);
		if (take_response(writer, write))
			(void) dyn_write_judge_call(write, NULL);
		MemoryContextSwitchTo(oldcontext);
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
			await_suspended(writer, lfirst(lc), relation);
	}
}

/*
 * Waits until the limits, the pace, the budgets, and other writes of the same
 * key allow the write to be sent, and charges it.
 */
static void
await_turn(DynWriter *writer, DynWrite *write)
{
	for (;;)
	{
		double		now;

		while (dyn_write_find(writer->writes, write) != NULL || !may_be_sent(writer, write))
			wait_for_step(writer);
		now = dyn_session_now();
		if (may_send(write, now))
			return;
		wait_and_count(write->modify, send_delay(write, now) + 1, DYN_WAITS_FOR_CAPACITY);
		drive(writer);
	}
}

void
dyn_writer_send(DynWriter *writer, DynWrite *write, bool wait)
{
	MemoryContext oldcontext;

	Assert(write->state == DYN_WRITE_NEW && write->call == NULL);
	dyn_session_check(write->modify->relation->connection);
	write->call = dyn_session_call();
	writer->waiting = write;
	render(writer, write);
	drive(writer);
	await_turn(writer, write);
	oldcontext = MemoryContextSwitchTo(writer->context);
	writer->writes = lappend(writer->writes, write);
	writer->waiting = NULL;
	MemoryContextSwitchTo(oldcontext);
	write->returned = !wait;
	start(writer, write);
	while (wait && list_member_ptr(writer->writes, write))
		wait_for_step(writer);
}

/*
 * Waits until the budgets have units left for each collected write, and
 * charges the write to them; returns the total cost.
 */
static double
charge_collected(DynWriter *writer)
{
	double		cost = 0;
	ListCell   *lc;

	foreach(lc, writer->collected)
	{
		DynWrite   *write = lfirst(lc);
		DynBudgets *budgets = &write->modify->budgets;

		write->cost = DYN_TRANSACTION_FACTOR *
			Max(ceil(write->item.len / DYN_WRITE_UNIT_BYTES), 1);
		while (!dyn_budgets_take(budgets, write->cost, dyn_session_now()))
			wait_and_count(write->modify, dyn_budgets_delay(budgets, dyn_session_now()) + 1,
						   DYN_WAITS_FOR_CAPACITY);
		cost += write->cost;
	}
	return cost;
}

void
dyn_writer_end(DynWriter *writer)
{
	DynWrite   *transaction;

	dyn_writer_finish(writer);
	if (writer->collected == NIL)
		return;
	transaction = dyn_write_create(((const DynWrite *) linitial(writer->collected))->modify,
								   DYN_OP_TRANSACT_WRITE_ITEMS);
	transaction->cost = charge_collected(writer);
	dyn_writer_send(writer, transaction, true);
	dyn_write_free(transaction);
}
