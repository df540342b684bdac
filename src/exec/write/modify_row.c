/*
 * modify_row.c
 *		Writes one row of a statement.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "executor/executor.h"

#include "../../model/server/memory.h"
#include "atomic.h"
#include "modify_row.h"
#include "row_write.h"

/*
 * Returns true if this statement has written the row before.  PostgreSQL, too,
 * writes a row only once if it joins with several others.
 */
static bool
was_met(DynModify *modify, TupleTableSlot *row)
{
	DynBuffer	bytes;
	DynKeyPart	key[2];
	uint64		digest[2];
	bool		found;

	if (modify->met == NULL)
		return false;
	slot_getallattrs(row);
	dyn_write_map_key(modify->map, row->tts_values, row->tts_isnull, key);
	dyn_buffer_init(&bytes, 0);
	dyn_wire_key(&bytes, key, modify->meta->key.nhash + modify->meta->key.nrange);
	dyn_check_oom(bytes.failed);
	digest[0] = hash_bytes_extended((const unsigned char *) bytes.data, bytes.len, 0);
	digest[1] = hash_bytes_extended((const unsigned char *) bytes.data, bytes.len,
									UINT64CONST(0x9E3779B97F4A7C15));
	dyn_buffer_free(&bytes);
	(void) hash_search(modify->met, digest, HASH_ENTER, &found);
	return found;
}

/* Stores the row that a response contains, for RETURNING. */
static void
store_returned(DynModify *modify, const DynWrite *write, TupleTableSlot *row)
{
	if (write->attributes == NULL ||
		!dyn_reread_item(modify->reread, write->attributes, write->attributes_len,
						 modify->scratch))
		return;
	ExecCopySlot(row, modify->scratch);
}

/* Copies the subplan's row, which another evaluation needs. */
static void
keep_plan_row(DynWrite *write, TupleTableSlot *planSlot)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(write->context);

	write->plan_row = ExecCopySlotMinimalTuple(planSlot);
	MemoryContextSwitchTo(oldcontext);
}

bool
dyn_modify_row(DynModify *modify, TupleTableSlot *row, TupleTableSlot *planSlot)
{
	DynWrite   *write;
	bool		wait = modify->awaits != DYN_AWAITS_NOTHING && !modify->deferred;
	bool		written;

	if (modify->operation != CMD_DELETE)
		dyn_modify_check_row(modify, row);
	if (modify->operation == CMD_INSERT)
	{
		if (modify->upsert != NULL && was_met(modify, row))
			ereport(ERROR,
					(errcode(ERRCODE_CARDINALITY_VIOLATION),
					 errmsg("ON CONFLICT DO UPDATE command cannot affect row a second time"),
					 errhint("Ensure that no rows proposed for insertion within the same command have duplicate constrained values.")));
		write = dyn_modify_insert(modify, row);
		if (modify->upsert != NULL)
			keep_plan_row(write, row);
	}
	else
	{
		dyn_modify_old_row(modify, planSlot);
		if (was_met(modify, modify->old))
			return false;
		write = modify->operation == CMD_UPDATE
			? dyn_modify_update(modify, modify->old, row, NULL)
			: dyn_modify_delete(modify, modify->old, NULL);
		if (write == NULL)
			return true;
		keep_plan_row(write, planSlot);
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
	if (written)
		store_returned(modify, write, row);
	dyn_write_free(write);
	return written;
}
