/*
 * atomic.c
 *		Sends all writes of a statement as one TransactWriteItems.
 *
 * DynamoDB accepts at most 100 items and 4 MB, and no item twice (API
 * reference, TransactWriteItems).  The limits are checked as rows arrive, so
 * that the statement does not continue in vain.
 */
#include "postgres.h"

#include <math.h>

#include "common/pg_prng.h"
#include "executor/executor.h"
#include "miscadmin.h"

#include "../../aws/retry.h"
#include "../../dynamodb/units.h"
#include "../../dynamodb/write.h"
#include "../../model/server/memory.h"
#include "../../model/session/usage.h"
#include "atomic.h"
#include "outcome.h"
#include "row_write.h"
#include "upsert.h"

#define MOST_BYTES		(4 * 1024 * 1024)
#define TOKEN_BYTES		16

/* ---- collecting ---- */

static void
check_server(const DynWrite *first, const DynWrite *write)
{
	if (first->modify->relation->connection == write->modify->relation->connection)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot write tables of several servers in one atomic statement"),
			 errdetail("\"%s\" and \"%s\" have different servers or user mappings.",
					   first->modify->relation->name, write->modify->relation->name)));
}

static void
check_key(const DynWriter *writer, const DynWrite *write)
{
	ListCell   *lc;

	foreach(lc, writer->collected)
	{
		const DynWrite *other = lfirst(lc);

		if (other->key_len == write->key_len &&
			memcmp(other->key_bytes, write->key_bytes, write->key_len) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("an atomic statement cannot write an item twice"),
					 errdetail("DynamoDB table \"%s\", item %s.",
							   write->modify->relation->table,
							   dyn_key_text(write->key, write->modify->reread->rows->nbase, ", "))));
	}
}

static void
report_too_large(const char *limit)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("an atomic statement can write at most %s", limit),
			 errdetail("Nothing was written."),
			 errhint("Write fewer rows in a statement, or set dynamo_fdw.write_mode to \"immediate\".")));
}

void
dyn_atomic_add(DynWriter *writer, DynWrite *write)
{
	MemoryContext oldcontext;

	dyn_session_check(write->modify->relation->connection);
	if (list_length(writer->collected) == DYN_TRANSACTION_MAX_WRITES)
		report_too_large("100 items");
	if (writer->collected != NIL)
		check_server(linitial(writer->collected), write);
	check_key(writer, write);
	writer->collected_bytes += write->item_len + write->key_len;
	if (writer->collected_bytes > MOST_BYTES)
		report_too_large("4 MB");
	oldcontext = MemoryContextSwitchTo(writer->context);
	writer->collected = lappend(writer->collected, write);
	MemoryContextSwitchTo(oldcontext);
	write->returned = true;
}

/* ---- sending ---- */

/* Returns a new token, as 32 hexadecimal digits. */
static char *
make_token(void)
{
	uint8		bytes[TOKEN_BYTES];
	char	   *token = palloc(2 * TOKEN_BYTES + 1);

	if (!pg_strong_random(bytes, sizeof(bytes)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate a random token")));
	for (int i = 0; i < TOKEN_BYTES; i++)
		sprintf(token + 2 * i, "%02x", bytes[i]);
	return token;
}

static void
write_body(DynWriter *writer, DynCall *call)
{
	DynBuffer  *members = palloc(sizeof(DynBuffer));
	ListCell   *lc;

	dyn_buffer_init_in(members, CurrentMemoryContext);
	foreach(lc, writer->collected)
	{
		dyn_write_render(writer, lfirst(lc), members, true);
	}
	dyn_check_oom(members->failed);
	dyn_write_transaction(dyn_call_body(call), members->data, members->len, make_token());
	dyn_check_oom(dyn_call_body(call)->failed);
}

/* Removes a member for which nothing is written. */
static void
drop(DynWriter *writer, DynWrite *write)
{
	writer->collected = list_delete_ptr(writer->collected, write);
	if (write->state != DYN_WRITE_WRITTEN)
		dyn_write_uncount(write->modify);
	dyn_write_free(write);
}

/* Raises the error of one member; nothing has been written. */
static void
report(DynWrite *write, const DynCancelReason *reason)
{
	write->state = DYN_WRITE_FAILED;
	write->failure = write->op == DYN_OP_PUT_ITEM ? DYN_FAILS_DUPLICATE
		: DYN_FAILS_CONCURRENT;
	write->why = "an atomic statement is not evaluated again";
	write->found = reason->item;
	write->found_len = reason->item_len;
	dyn_write_report(write);
}

/* Handles an UPDATE or DELETE whose condition failed. */
static void
resolve_change(DynWriter *writer, DynWrite *write, const DynCancelReason *reason)
{
	DynModify  *modify = write->modify;

	if (modify->presumes &&
		(reason->item == NULL ||
		 !dyn_reread_item(modify->reread, reason->item, reason->item_len,
						  modify->scratch)))
		drop(writer, write);
	else if (reason->item == NULL ||
			 !dyn_write_adapt(write, reason->item, reason->item_len))
		report(write, reason);
	else if (write->state == DYN_WRITE_FAILED)
		dyn_write_report(write);
	else if (write->state == DYN_WRITE_WRITTEN)
		drop(writer, write);
}

/* Handles a member whose condition failed: changes, removes or reports it. */
static void
resolve(DynWriter *writer, DynWrite *write, const DynCancelReason *reason)
{
	DynModify  *modify = write->modify;

	if (write->op != DYN_OP_PUT_ITEM)
		resolve_change(writer, write, reason);
	else if (modify->upsert != NULL && reason->item != NULL &&
			 dyn_reread_item(modify->reread, reason->item, reason->item_len, modify->scratch))
	{
		dyn_upsert_evaluate(write);
		if (write->state != DYN_WRITE_NEW)
			drop(writer, write);
	}
	else if (modify->upsert == NULL && modify->do_nothing)
		drop(writer, write);
	else
		report(write, reason);
}

/*
 * Handles the members whose conditions failed.  Returns false if there are
 * none: the transaction was canceled for other reasons.
 */
static bool
resolve_all(DynWriter *writer, const DynCall *call)
{
	List	   *members = list_copy(writer->collected);
	int			n = list_length(members);
	DynCancelReason reasons[DYN_TRANSACTION_MAX_WRITES];
	bool		failed = false;

	if (dyn_write_cancel_reasons(call->response.data, call->response.len, reasons,
								 n) != NULL)
		return false;
	for (int i = 0; i < n; i++)
	{
		if (strcmp(reasons[i].code, "ConditionalCheckFailed") != 0)
			continue;
		resolve(writer, list_nth(members, i), &reasons[i]);
		failed = true;
	}
	return failed;
}

/* Charges all members to the budgets of their tables. */
static void
await_budgets(DynWriter *writer)
{
	ListCell   *lc;

	foreach(lc, writer->collected)
	{
		DynWrite   *write = lfirst(lc);

		write->cost = DYN_TRANSACTION_FACTOR *
			Max(ceil(write->item_len / DYN_WRITE_UNIT_BYTES), 1);
		dyn_writer_await_budgets(write->modify, write->cost);
	}
}

/* Counts all members as written. */
static void
confirm_all(DynWriter *writer, double units)
{
	int			n = list_length(writer->collected);
	ListCell   *lc;

	foreach(lc, writer->collected)
	{
		DynWrite   *write = lfirst(lc);

		dyn_budgets_correct(&write->modify->budgets, write->cost, units / n,
							dyn_session_now());
		dyn_write_confirm(write, units / n);
		dyn_write_free(write);
	}
	writer->collected = NIL;
}

static bool
is_canceled(const DynCall *call)
{
	return call->failure == DYN_FAIL_SERVICE &&
		strcmp(call->code, "TransactionCanceledException") == 0;
}

/*
 * Sends the transaction once.  Returns true if nothing is left to send.
 * Repeated attempts of the call have the same token.
 */
static bool
send_once(DynWriter *writer, DynCall *call)
{
	DynModify  *modify = ((DynWrite *) linitial(writer->collected))->modify;
	DynConnection *connection = modify->relation->connection;
	DynRequestContext about = {dyn_operation_name(DYN_OP_TRANSACT_WRITE_ITEMS),
		modify->relation->table, NULL, connection->server_name, &connection->provider};
	DynWritten	written;
	const char *err;

	write_body(writer, call);
	await_budgets(writer);
	if (dyn_session_try(call, connection, &connection->service, &about))
	{
		err = dyn_write_check(call->response.data, call->response.len,
							  modify->relation->table, DYN_RETURN_NONE, &written);
		if (err != NULL)
			dyn_usage_report_no_match(modify->usage, call, err, &about);
		confirm_all(writer, written.units);
		return true;
	}
	if (!is_canceled(call) || !resolve_all(writer, call))
		dyn_report_call(call, &about);
	return writer->collected == NIL;
}

static void
destroy_call(void *arg)
{
	dyn_call_destroy(arg);
}

void
dyn_atomic_send(DynWriter *writer)
{
	MemoryContext context;
	MemoryContext oldcontext;
	DynCall    *call;

	if (writer->collected == NIL)
		return;
	context = AllocSetContextCreate(CurrentMemoryContext, "dynamo_fdw transaction",
									ALLOCSET_DEFAULT_SIZES);
	oldcontext = MemoryContextSwitchTo(context);
	call = dyn_session_call();
	dyn_call_at_reset(context, destroy_call, call);
	while (!send_once(writer, call))
		;
	MemoryContextSwitchTo(oldcontext);
	MemoryContextDelete(context);
}
