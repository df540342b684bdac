/*
 * async.c
 *		Runs a foreign scan asynchronously below an Append.
 *
 * The Append requests a row from each child, and then waits in one call for
 * all children that had no row.  Rows still pass through ExecScan, which
 * applies conditions and the projection.  The only difference is that
 * dynIterateForeignScan returns an empty slot where it would have to wait.
 *
 * All connections of a backend share one epoll descriptor, which a
 * WaitEventSet accepts only once.  So the first waiting child registers the
 * descriptor.  When the descriptor becomes readable, this child receives data
 * for all children.  Before the Append waits again, the others are polled;
 * those whose responses have arrived complete their AsyncRequests.
 *
 * A child that is polled may receive data for another child.  The descriptor
 * then does not become readable for the other child, so a timer of the client
 * makes the descriptor readable (dyn_client_wake).  The timer also wakes the
 * Append when a throttled child may send again.
 *
 * At the statement's limit of requests in flight, a node that needs data may
 * still send one request (fetch/schedule.c).  For this rule, all children of
 * an Append count as one node (DynAsyncGroup).
 */
#include "postgres.h"

#include "executor/execAsync.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/latch.h"

#include "../../model/server/pg_compat.h"
#include "scan.h"

/* State shared by the children of one Append. */
typedef struct DynAsyncGroup
{
	const PlanState *requestor;
	dlist_head	fetches;		/* fetches that the Append waits for */
	const AsyncRequest *waiter; /* request of the child that was the last to
								 * register the epoll descriptor, or NULL */
} DynAsyncGroup;

/* ---- groups of children ---- */

static DynAsyncGroup *
get_group(DynStatement *statement, const PlanState *requestor)
{
	DynAsyncGroup *group;
	ListCell   *lc;

	foreach(lc, statement->scans)
	{
		const DynScan *peer = dyn_scan_of(lfirst(lc));

		if (peer->group != NULL && peer->group->requestor == requestor)
			return peer->group;
	}
	group = MemoryContextAllocZero(statement->estate->es_query_cxt,
								   sizeof(DynAsyncGroup));
	group->requestor = requestor;
	return group;
}

/*
 * Ends the executions of children whose parameters have changed.  Core rescans
 * such a child only when the Append requests a row from the child again, which
 * never happens if the child is now pruned.  So nothing takes in the responses
 * to the child's requests, and the other children must not wait for them.
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
 * Removes from the group the fetches of children without a pending
 * AsyncRequest.  The Append does not wait for rows of these children, so the
 * other children must not wait for their responses before sending a request.
 */
static void
leave_out_idle_peers(const DynScan *scan)
{
	ListCell   *lc;

	foreach(lc, scan->input.scandesc->statement->scans)
	{
		DynScan    *peer = dyn_scan_of(lfirst(lc));

		if (peer->group == scan->group && !peer->request->callback_pending &&
			peer->input.items != NULL)
			dyn_items_set_group(peer->input.items, NULL);
	}
}

/* ---- callbacks of the executor ---- */

/*
 * Completes the AsyncRequest with the next row, or with NULL at the end of the
 * scan.  If no row has arrived yet, marks the AsyncRequest as pending.
 */
void
dynForeignAsyncNotify(AsyncRequest *areq)
{
	DynScan    *scan = ((ForeignScanState *) areq->requestee)->fdw_state;
	TupleTableSlot *slot = areq->requestee->ExecProcNodeReal(areq->requestee);

	Assert(scan->group != NULL);
	if (!TupIsNull(slot))
		ExecAsyncRequestDone(areq, slot);
	else if (scan->input.finished)
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
		/* set the group now, so that the scan's first fetch joins it */
		Assert(scan->input.scandesc->group == NULL && scan->input.items == NULL);
		scan->group = get_group(scan->input.scandesc->statement, areq->requestor);
		scan->input.scandesc->group = &scan->group->fetches;
	}
	if (!scan->input.running)
		end_outdated_runs(scan);
	scan->request = areq;
	/* the Append may have returned rows, and not waited as declared */
	dyn_client_will_wait(dyn_session_client(), false);
	/* leave_out_idle_peers may have removed the fetch: add it again */
	if (scan->input.items != NULL)
		dyn_items_set_group(scan->input.items, &scan->group->fetches);
	dynForeignAsyncNotify(areq);
}

/*
 * Adds the process's latch to the Append's events, on servers that crash if
 * the postmaster's death is the only event (dyn_append_needs_event).  Sets the
 * latch, so that the Append continues at once with the rows that have arrived.
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
	DynItems   *items = scan->input.items;
	DynFetch   *fetch;
	double		pause = 0;		/* ms until the child must be polled */

	Assert(areq->callback_pending && scan->group != NULL);
	if (areq->requestor->chgParam != NULL)
	{
		/*
		 * Core is about to rescan the Append with different parameters, but
		 * first waits for this child, whose row it discards.
		 */
		areq->callback_pending = false;
		ExecAsyncRequestDone(areq, NULL);
		ExecAsyncResponse(areq);
		return;
	}
	Assert(scan->input.running);
	leave_out_idle_peers(scan);
	/* add the fetch again: another child that shares it may have removed it */
	dyn_items_set_group(items, &scan->group->fetches);
	fetch = dyn_items_awaited(items);
	if (fetch != NULL && !(items->methods->has_next && items->methods->has_next(items)))
		pause = dyn_fetch_pause(fetch);
	if (pause == 0)
	{
		/* do what core does after an event of the child (ExecAsyncNotify) */
		areq->callback_pending = false;
		dynForeignAsyncNotify(areq);
		ExecAsyncResponse(areq);
		if (areq->requestee->instrument != NULL)
			InstrUpdateTupleCount(areq->requestee->instrument,
								  TupIsNull(areq->result) ? 0.0 : 1.0);
		if (!areq->callback_pending)
			leave_event(areq);
	}
	if (pause >= 0)
		dyn_client_wake(client, pause);
	if (!areq->callback_pending)
		return;
	dyn_client_will_wait(client, true);
	/*
	 * the Append calls this function in the order of its children, so a
	 * waiting child with a lower index has registered the descriptor
	 */
	waiter = scan->group->waiter;
	if (waiter != NULL && waiter->callback_pending &&
		waiter->request_index < areq->request_index)
		return;
	AddWaitEventToSet(((AppendState *) areq->requestor)->as_eventset,
					  WL_SOCKET_READABLE, dyn_client_fd(client), NULL, areq);
	scan->group->waiter = areq;
}
