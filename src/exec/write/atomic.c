/*
 * atomic.c
 *		Sends all writes of a statement as one TransactWriteItems.
 *
 * DynamoDB applies all of the writes or none.  A transaction can write at most
 * 100 items and 4 MB, and each item only once (API reference,
 * TransactWriteItems).  These limits are checked as rows arrive.
 *
 * Each request has a ClientRequestToken.  DynamoDB executes only one of the
 * requests with the same token.  A request can therefore be sent again if its
 * outcome is unknown, or if throttling or a conflict canceled it.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "utils/fmgrprotos.h"

#include "../../aws/client.h"
#include "../../model/server/memory.h"
#include "outcome.h"
#include "row_write.h"

#define MOST_BYTES		(4 * 1024 * 1024)

/* ---- collecting ---- */

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
	const DynRelation *relation = write->modify->relation;
	const DynRelation *first = writer->collected == NIL ? relation
		: ((const DynWrite *) linitial(writer->collected))->modify->relation;
	const DynConnection *a = first->connection;
	const DynConnection *b = relation->connection;

	dyn_session_check(relation->connection);
	if (write->overtaken)
		dyn_write_report_nested(write);
	if (list_length(writer->collected) == DYN_TRANSACTION_MAX_WRITES)
		report_too_large("100 items");
	/* compare the fields: DDL may replace the DynConnection of a server */
	if (a->mapping != b->mapping || a->userid != b->userid ||
		!dyn_connection_same_endpoint(a, b))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot write tables of several servers in one atomic statement"),
				 errdetail("\"%s\" and \"%s\" have different servers or user mappings.",
						   first->name, relation->name)));
	if (dyn_write_find(writer->collected, write) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("an atomic statement cannot write an item twice"),
				 errdetail("%s of DynamoDB table \"%s\" is written twice.",
						   dyn_write_describe_key(write), relation->table)));
	/* the limits are 4 MB for values, and 16 MB for the JSON of the request */
	writer->collected_bytes += write->least_bytes;
	writer->collected_json += write->item.len;
	if (writer->collected_bytes > MOST_BYTES || writer->collected_json / 4 > MOST_BYTES)
		report_too_large("4 MB");
	dyn_statement_append(writer->statement, &writer->collected, write);
	write->returned = true;
}

void
dyn_atomic_check_nested(const DynWriter *writer)
{
	ListCell   *lc;

	foreach(lc, writer->collected)
	{
		DynWrite   *write = lfirst(lc);

		if (write->overtaken && write->plan_row != NULL)
			dyn_write_report_nested(write);
	}
}

void
dyn_atomic_render(DynWriter *writer, DynWrite *transaction)
{
	DynBuffer  *body = dyn_call_body(transaction->call);
	Datum		token = DirectFunctionCall1(gen_random_uuid, (Datum) 0);
	ListCell   *lc;

	/*
	 * The response is checked for the table of transaction->modify, so take
	 * the `modify` of a write that is in the request.
	 */
	transaction->modify = ((const DynWrite *) linitial(writer->collected))->modify;
	dyn_write_begin_transaction(body);
	foreach(lc, writer->collected)
	{
		const DynWrite *write = lfirst(lc);

		dyn_write_render(write, body, true);
	}
	dyn_write_end_transaction(body, DatumGetCString(DirectFunctionCall1(uuid_out, token)));
	dyn_check_oom(body->failed);
}

/* ---- outcomes ---- */

/* Causes of a cancellation; the highest value among the writes decides. */
typedef enum Cause
{
	CAUSE_NONE,
	CAUSE_CONFLICT,				/* with another transaction */
	CAUSE_THROTTLING,
	CAUSE_ERROR,				/* would also occur in a retry */
	CAUSE_CONDITION				/* failed condition of a write */
} Cause;

static Cause
cause_of(const DynCancelReason *reason)
{
	const char *code = reason->code;

	if (strcmp(code, "None") == 0)
		return CAUSE_NONE;
	if (strcmp(code, "TransactionConflict") == 0)
		return CAUSE_CONFLICT;
	if (strcmp(code, "ThrottlingError") == 0 || strcmp(code, "ProvisionedThroughputExceeded") == 0)
		return CAUSE_THROTTLING;
	return strcmp(code, "ConditionalCheckFailed") == 0 ? CAUSE_CONDITION : CAUSE_ERROR;
}

/*
 * Handles each collected write whose condition failed: composes its request
 * again, removes the write if nothing is to be written for its row, or raises
 * its error.  Does not wait for other writes first, because the canceled
 * transaction contained all of them.  Returns false if no condition failed.
 */
static bool
resolve_members(DynWriter *writer, const DynCancelReason *reasons)
{
	bool		failed = false;

	writer->later = list_copy(writer->collected);
	for (int i = 0; writer->later != NIL; i++)
	{
		DynWrite   *write = linitial(writer->later);

		writer->later = list_delete_first(writer->later);
		if (cause_of(&reasons[i]) != CAUSE_CONDITION)
			continue;
		failed = true;
		dyn_write_judge_condition(write, reasons[i].item);
		if (write->state == DYN_WRITE_UNREAD)
			dyn_write_judge_item(write, dyn_writes_read_items(list_make1(write)));
		if (write->state == DYN_WRITE_FAILED)
			write->report(write);
		if (write->state == DYN_WRITE_NEW)
			continue;
		writer->collected = list_delete_ptr(writer->collected, write);
		if (write->state == DYN_WRITE_NO_ROW)
			dyn_write_uncount(write->modify);
		dyn_write_free(write);
	}
	dyn_atomic_check_nested(writer);
	return failed;
}

static bool
read_reasons(const DynWriter *writer, const DynCall *call, DynCancelReason *reasons)
{
	return call->failure == DYN_FAIL_SERVICE &&
		strcmp(call->code, "TransactionCanceledException") == 0 &&
		dyn_write_cancel_reasons(call->response.data, call->response.len, reasons,
								 list_length(writer->collected)) == NULL;
}

void
dyn_atomic_check(const DynWriter *writer, DynWrite *transaction)
{
	DynCall    *call = transaction->call;
	DynCancelReason reasons[DYN_TRANSACTION_MAX_WRITES];
	const DynCancelReason *decides = reasons;

	if (!read_reasons(writer, call, reasons))
		return;
	/*
	 * No earlier attempt was executed.  If one had been, this attempt would
	 * have succeeded, because it has the same idempotency token.
	 */
	transaction->unanswered = 0;
	for (int i = 1; i < list_length(writer->collected); i++)
	{
		if (cause_of(&reasons[i]) > cause_of(decides))
			decides = &reasons[i];
	}
	call->conflicting = cause_of(decides) == CAUSE_CONFLICT;
	call->throttled = cause_of(decides) == CAUSE_THROTTLING;
	call->throttles += call->throttled;
	if (cause_of(decides) != CAUSE_ERROR)
		return;
	snprintf(call->code, sizeof(call->code), "%sException",
			 strcmp(decides->code, "ValidationError") == 0 ? "Validation" : decides->code);
	if (decides->message[0] != '\0')
		dyn_awserror_excerpt(decides->message, strlen(decides->message), NULL,
							 call->message, sizeof(call->message));
}

void
dyn_atomic_judge(DynWriter *writer, DynWrite *transaction)
{
	const DynCall *call = transaction->call;
	DynCancelReason reasons[DYN_TRANSACTION_MAX_WRITES];

	if (read_reasons(writer, call, reasons) && resolve_members(writer, reasons))
	{
		/* the failed condition shows that DynamoDB no longer throttles */
		dyn_write_grant(transaction, 0);
		transaction->state = writer->collected == NIL ? DYN_WRITE_WRITTEN : DYN_WRITE_NEW;
	}
	else if (call->failure == DYN_FAIL_TOO_LARGE && !call->unanswered && !writer->omits_items)
	{
		/* the items in the cancellation reasons were too large: omit them */
		writer->omits_items = true;
		transaction->unanswered = 0;
	}
	else if (dyn_write_judge_call(transaction))
	{
		double		each = transaction->written.units / list_length(writer->collected);
		ListCell   *lc;

		transaction->state = DYN_WRITE_WRITTEN;
		dyn_write_grant(transaction, transaction->written.units);
		foreach(lc, writer->collected)
		{
			dyn_write_confirm(lfirst(lc), each, NULL);
			dyn_write_free(lfirst(lc));
		}
		writer->collected = NIL;
	}
}
