/*
 * modify_row.c
 *		Writes one row of a statement.
 */
#include "postgres.h"

#include "executor/executor.h"

#include "modify.h"
#include "outcome.h"
#include "row_write.h"

/*
 * Raises an error if DO UPDATE has already affected the row.  Before that,
 * waits for the writes in flight: a write for which WHERE is not true removes
 * its key from modify->met.
 */
static void
check_upsert_once(DynModify *modify, TupleTableSlot *row)
{
	/* atomic.c raises an error for any second write of an item */
	if (modify->atomic || !dyn_met_add(modify, row))
		return;
	dyn_writer_finish(modify->writer);
	if (!dyn_met_add(modify, row))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_CARDINALITY_VIOLATION),
			 errmsg("ON CONFLICT DO UPDATE command cannot affect row a second time"),
			 errhint("Ensure that no rows proposed for insertion within the same command have duplicate constrained values.")));
}

/*
 * Composes the update of a row that was not read.  If its values cannot be
 * stored, reads the row, and raises the error only if the row exists;
 * otherwise returns false.  Composing acquires nothing but memory, so no
 * subtransaction is needed.
 */
static bool
compose_presumed(DynWrite *write, TupleTableSlot *row)
{
	DynModify  *modify = write->modify;
	volatile bool composed = false;
	ErrorData  *volatile error = NULL;

	PG_TRY();
	{
		composed = dyn_modify_update(write, modify->old, row);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(write->context);
		error = CopyErrorData();
		if (ERRCODE_TO_CATEGORY(error->sqlerrcode) != ERRCODE_DATA_EXCEPTION &&
			error->sqlerrcode != ERRCODE_PROGRAM_LIMIT_EXCEEDED &&
			error->sqlerrcode != ERRCODE_WITH_CHECK_OPTION_VIOLATION)
			PG_RE_THROW();
		FlushErrorState();
	}
	PG_END_TRY();
	if (error != NULL)
	{
		dyn_modify_delete(write, modify->old);
		if (dyn_write_has_row(write))
			ReThrowError(error);
	}
	return composed;
}

/*
 * Composes the write of a row, in memory of the write, and keeps the row that
 * another evaluation needs.  Returns false if nothing changes, or if a row
 * that was not read does not exist.
 */
static bool
compose(DynWrite *write, TupleTableSlot *row, TupleTableSlot *planSlot)
{
	DynModify  *modify = write->modify;

	if (modify->operation == CMD_INSERT)
	{
		dyn_modify_insert(write, row);
		if (modify->upsert != NULL)
			write->plan_row = ExecCopySlotMinimalTuple(row);
		return true;
	}
	write->plan_row = ExecCopySlotMinimalTuple(planSlot);
	if (modify->operation == CMD_UPDATE)
		return modify->presumes ? compose_presumed(write, row)
			: dyn_modify_update(write, modify->old, row);
	dyn_modify_delete(write, modify->old);
	return true;
}

/*
 * Composes the write before it waits for its turn, because earlier rows may be
 * evaluated again in the meantime, which overwrites core's slots for new rows.
 */
bool
dyn_modify_row(DynModify *modify, TupleTableSlot *row, TupleTableSlot *planSlot)
{
	DynWrite   *write;
	MemoryContext oldcontext;
	bool		wait = modify->awaits != NULL && !modify->deferred;
	bool		composed;
	bool		written;

	if (modify->operation != CMD_INSERT)
		dyn_modify_old_row(modify, planSlot);
	else if (modify->upsert != NULL)
		check_upsert_once(modify, row);
	write = dyn_write_create(modify, dyn_operation_of(modify->operation));
	oldcontext = MemoryContextSwitchTo(write->context);
	composed = compose(write, row, planSlot);
	MemoryContextSwitchTo(oldcontext);
	if (!composed)
	{
		dyn_write_free(write);
		return !modify->presumes;
	}
	if (modify->atomic)
	{
		dyn_atomic_add(modify->writer, write);
		return true;
	}
	dyn_writer_send(modify->writer, write, wait);
	if (!wait)
		return true;
	written = (write->state == DYN_WRITE_WRITTEN);
	/* RETURNING shows the row that the response contains */
	if (written && write->attributes.data != NULL &&
		dyn_reread_new(modify->reread, &write->attributes, modify->scratch))
	{
		dyn_modify_keep_segment(write);
		ExecCopySlot(row, modify->scratch);
	}
	dyn_write_free(write);
	return written;
}
