/*
 * async.c
 *		Runs a scan for an Append that does not wait for it.
 *
 * The Append asks each child for a row and waits for all those together that
 * have none yet.  What a child returns goes through ExecScan as always, so that
 * conditions and projection are applied; only that dynIterateForeignScan, of a
 * scan that runs like this, returns an empty slot where it would have to wait.
 *
 * All connections of a backend show in the client's one descriptor, and an
 * event set takes a descriptor only once: the first child that waits has it, for
 * all of them.  When it becomes readable that child drives the client.  The
 * others are looked at before the Append waits again, and complete their
 * requests there if their answers have come.
 *
 * Such a child sends and receives, too.  What it takes from the network then
 * would not make the descriptor readable any more, hence it lets the client's
 * timer do so.  The timer also wakes a child whose pause ends.
 *
 * Some servers crash if an Append finds nothing to wait for
 * (dyn_append_needs_event).  With them, a child that completes its request
 * instead leaves the process's latch, set, to be waited for.
 *
 * The limit of requests in flight is the statement's.  A node that must have
 * data to go on may always send one request (fetch/schedule.c); here that is
 * true of all children of an Append together.
 */
#include "postgres.h"

#include "executor/execAsync.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/latch.h"

#include "../../model/server/pg_compat.h"
#include "async.h"
#include "scan.h"

/* What the children of one Append share. */
typedef struct DynAsyncGroup
{
	const PlanState *requestor;
	int			in_flight;		/* requests of all of them */
	const AsyncRequest *waiter; /* the last that had the descriptor */
} DynAsyncGroup;

/* ---- beginning ---- */

static DynAsyncGroup *
get_group(DynStatement *statement, const PlanState *requestor)
{
	DynAsyncGroup *group;
	MemoryContext oldcontext;
	ListCell   *lc;

	foreach(lc, statement->async_groups)
	{
		group = lfirst(lc);
		if (group->requestor == requestor)
			return group;
	}
	oldcontext = MemoryContextSwitchTo(statement->estate->es_query_cxt);
	group = palloc0(sizeof(DynAsyncGroup));
	group->requestor = requestor;
	statement->async_groups = lappend(statement->async_groups, group);
	MemoryContextSwitchTo(oldcontext);
	return group;
}

/*
 * Core rescans a child whose parameters have changed when it asks it for a row,
 * and asks none that is pruned now.  What such a child still has in flight is
 * taken in by nobody, so nobody may wait for it.
 */
static void
end_outdated_runs(const DynScan *scan)
{
	ListCell   *lc;

	foreach(lc, scan->input.scandesc->statement->scans)
	{
		DynScan    *peer = dyn_scan_of(lfirst(lc));

		if (peer->group == scan->group && peer->input.running &&
			peer->input.node->ss.ps.chgParam != NULL)
			dyn_scan_end_run(peer);
	}
}

/*
 * Nobody waits for what children have in flight that are not asked for a row
 * now.
 */
static void
leave_out_idle_peers(const DynScan *scan)
{
	ListCell   *lc;

	foreach(lc, scan->input.scandesc->statement->scans)
	{
		DynScan    *peer = dyn_scan_of(lfirst(lc));

		if (peer->group != scan->group || peer->request->callback_pending ||
			dyn_scan_awaited_fetch(peer) == NULL)
			continue;
		dyn_fetch_set_group(dyn_scan_awaited_fetch(peer), NULL);
		peer->left_out = true;
	}
}

/* ---- callbacks of the executor ---- */

/* An empty slot means that no row is left, or that none is there yet. */
static void
produce_row(AsyncRequest *areq)
{
	DynScan    *scan = ((ForeignScanState *) areq->requestee)->fdw_state;
	TupleTableSlot *slot = areq->requestee->ExecProcNodeReal(areq->requestee);

	Assert(scan->group != NULL);
	if (!TupIsNull(slot))
		ExecAsyncRequestDone(areq, slot);
	else if (scan->finished)
		ExecAsyncRequestDone(areq, NULL);
	else
		ExecAsyncRequestPending(areq);
	Assert(areq->request_complete != areq->callback_pending);
}

void
dynForeignAsyncRequest(AsyncRequest *areq)
{
	DynScan    *scan = ((ForeignScanState *) areq->requestee)->fdw_state;

	if (scan->group == NULL)
	{
		/* a fetch is counted in the group that it was started with */
		Assert(scan->input.scandesc->group_in_flight == NULL && scan->items == NULL);
		scan->group = get_group(scan->input.scandesc->statement, areq->requestor);
		scan->input.scandesc->group_in_flight = &scan->group->in_flight;
	}
	if (!scan->input.running)
		end_outdated_runs(scan);
	scan->request = areq;
	if (scan->left_out && dyn_scan_awaited_fetch(scan) != NULL)
		dyn_fetch_set_group(dyn_scan_awaited_fetch(scan), &scan->group->in_flight);
	scan->left_out = false;
	produce_row(areq);
}

/* Instead of the notification, with what core does around one. */
static void
complete_request(AsyncRequest *areq)
{
	areq->callback_pending = false;
	produce_row(areq);
	ExecAsyncResponse(areq);
	if (areq->requestee->instrument != NULL)
		InstrUpdateTupleCount(areq->requestee->instrument,
							  TupIsNull(areq->result) ? 0.0 : 1.0);
}

/*
 * The Append, which does not add the latch itself with the servers that need
 * this, wakes at once and goes on with the rows that are there.  Of its events
 * the first is the postmaster's death.
 */
static void
leave_event(const AsyncRequest *areq)
{
	WaitEventSet *set = ((AppendState *) areq->requestor)->as_eventset;

	if (!dyn_append_needs_event() || GetNumRegisteredWaitEvents(set) > 1)
		return;
	AddWaitEventToSet(set, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
	SetLatch(MyLatch);
}

void
dynForeignAsyncConfigureWait(AsyncRequest *areq)
{
	DynScan    *scan = ((ForeignScanState *) areq->requestee)->fdw_state;
	DynClient  *client = dyn_session_client();
	const AsyncRequest *waiter;
	double		pause;

	Assert(areq->callback_pending && scan->group != NULL);
	if (areq->requestor->chgParam != NULL)
	{
		/*
		 * Core is about to rescan the Append for other parameters, and waits for
		 * this child before it does: it throws the row away.
		 */
		areq->callback_pending = false;
		ExecAsyncRequestDone(areq, NULL);
		ExecAsyncResponse(areq);
		return;
	}
	Assert(scan->input.running && scan->group->in_flight >= 0);
	leave_out_idle_peers(scan);
	/* they may share a read with this one */
	if (dyn_scan_awaited_fetch(scan) != NULL)
		dyn_fetch_set_group(dyn_scan_awaited_fetch(scan), &scan->group->in_flight);
	pause = dyn_items_pause(scan->items);
	if (pause == 0)
	{
		complete_request(areq);
		if (!areq->callback_pending)
			leave_event(areq);
	}
	if (pause >= 0)
		dyn_client_wake(client, pause);
	if (!areq->callback_pending)
		return;
	/* those that wait are configured by rising index: another one may have it */
	waiter = scan->group->waiter;
	if (waiter != NULL && waiter->callback_pending &&
		waiter->request_index < areq->request_index)
		return;
	AddWaitEventToSet(((AppendState *) areq->requestor)->as_eventset,
					  WL_SOCKET_READABLE, dyn_client_fd(client), NULL, areq);
	scan->group->waiter = areq;
}

void
dynForeignAsyncNotify(AsyncRequest *areq)
{
	produce_row(areq);
}
