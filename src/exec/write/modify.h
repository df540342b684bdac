/*
 * modify.h
 *		The state of a statement that writes a foreign table.
 *
 * A DynModify is one target of a statement: a foreign table, or a partition
 * that rows are routed to.
 */
#ifndef DYN_EXEC_MODIFY_H
#define DYN_EXEC_MODIFY_H

#include "foreign/fdwapi.h"

#include "../../model/session/budget.h"
#include "../../plan/paths/planner.h"
#include "reread.h"
#include "writer.h"

/* State of ON CONFLICT DO UPDATE. */
typedef struct DynUpsert
{
	ExprContext *econtext;
	ProjectionInfo *projection;
	ExprState  *where;			/* NULL if every row is updated */
} DynUpsert;

typedef struct DynModify
{
	DynWriter  *writer;
	EState	   *estate;
	ModifyTableState *mtstate;
	ResultRelInfo *rinfo;
	CmdType		operation;
	bool		copying;		/* true for COPY */
	bool		do_nothing;		/* true for any ON CONFLICT (the planner hook
								 * replaces DO UPDATE by DO NOTHING) */
	DynUpsert  *upsert;			/* NULL if not ON CONFLICT DO UPDATE */
	struct DynModify *routed;	/* target for rows that an UPDATE moves to this
								 * partition, or NULL */
	bool		atomic;			/* true for write_mode 'atomic' */
	const char *awaits;			/* reason why each row waits for its response,
								 * such as "RETURNING"; or NULL */
	Bitmapset  *updated;		/* UPDATE: assigned and generated columns */
	bool		has_row_triggers;	/* true if BEFORE or AFTER ROW triggers are
									 * fired for this operation */
	bool		returning;

	DynRelation *relation;
	DynWriteMap *map;
	DynReread  *reread;
	TupleTableSlot *scratch;	/* row decoded from an item */
	TupleTableSlot *old;		/* row of an UPDATE or DELETE before the
								 * change, or existing row of DO UPDATE */
	TupleTableSlot *again;		/* UPDATE: new row, when it is computed again
								 * because the item has changed */
	TupleTableSlot *plan_slot;	/* copy of a subplan's row or, for DO UPDATE,
								 * of the row to be inserted */
	DynModifyPlan plan;			/* findings of the planner; zero for COPY
								 * and for routed rows */
	bool		presumes;		/* true if rows are written without a read */
	AttrNumber *junk;			/* for DELETE, position of each column in the
								 * subplan's row, or 0 if missing */
	uint64		insert_seed;	/* seed of the hashes of inserted keys, or 0 if
								 * these keys are not remembered (outcome.c) */

	/* deferred rows (flush.c) */
	bool		deferral_known;	/* true if `deferred` is valid */
	bool		deferred;
	struct Tuplestorestate *new_rows;	/* tuples to write (INSERT, UPDATE) */
	struct Tuplestorestate *plan_rows;	/* subplan's rows (UPDATE, DELETE) */

	/* throttling */
	struct DynTablePace *pace;	/* measured rate of the table's writes */
	struct DynUsage *usage;		/* counts of requests to the table */
	DynBudgets	budgets;		/* budgets of the table's write units */
	double		item_units;		/* estimated write units of an item, or 0 */
	DynStall	stall;			/* time of throttling since the last success */
	bool		warned;

	DynCounters counters;		/* counts of requests, for EXPLAIN */
} DynModify;

static inline DynOperation
dyn_operation_of(CmdType operation)
{
	return operation == CMD_INSERT ? DYN_OP_PUT_ITEM
		: operation == CMD_UPDATE ? DYN_OP_UPDATE_ITEM : DYN_OP_DELETE_ITEM;
}

static inline DynRequestContext
dyn_modify_context(const DynModify *modify, DynOperation op)
{
	return (DynRequestContext) {op, modify->relation->table, NULL,
		modify->relation->connection};
}

/* Returns true if RETURNING shows the item in the response. */
static inline bool
dyn_write_returns(const DynWrite *write)
{
	return write->modify->returning &&
		(write->op == DYN_OP_UPDATE_ITEM || write->op == DYN_OP_DELETE_ITEM);
}

/* ---- rows and their flush (flush.c) ---- */

/* Installs the executor hooks.  Called once, when the library is loaded. */
extern void dyn_flush_init(void);

/*
 * Writes a row that satisfies the table's constraints.  For UPDATE and DELETE,
 * `planSlot` has the subplan's row, and modify->old the old row.  Returns
 * false if core must not count the row, because nothing was written for it.
 * With RETURNING, changes `row` to the row in the response.
 */
extern bool dyn_modify_row(DynModify *modify, TupleTableSlot *row,
						   TupleTableSlot *planSlot);

/* Returns true if the target's rows are stored until all scans have ended. */
extern bool dyn_modify_is_deferred(DynModify *modify);

extern void dyn_modify_defer(DynModify *modify, TupleTableSlot *row,
							 TupleTableSlot *planSlot);

/*
 * Sends the deferred rows of all targets of the writer's statement, and waits
 * for all writes in flight.
 */
extern void dyn_writer_flush(DynWriter *writer);

/* ---- callbacks (modify.c) ---- */

extern void dynBeginForeignModify(ModifyTableState *mtstate, ResultRelInfo *rinfo,
								  List *private, int subplan_index, int eflags);
extern void dynBeginForeignInsert(ModifyTableState *mtstate, ResultRelInfo *rinfo);
extern void dynEndForeignInsert(EState *estate, ResultRelInfo *rinfo);
extern TupleTableSlot *dynExecForeignInsert(EState *estate, ResultRelInfo *rinfo,
											TupleTableSlot *slot,
											TupleTableSlot *planSlot);

/* The callback for UPDATE and DELETE. */
extern TupleTableSlot *dynExecForeignUpdate(EState *estate, ResultRelInfo *rinfo,
											TupleTableSlot *slot,
											TupleTableSlot *planSlot);
extern void dynExplainForeignModify(ModifyTableState *mtstate, ResultRelInfo *rinfo,
									List *private, int subplan_index,
									struct ExplainState *es);

#endif
