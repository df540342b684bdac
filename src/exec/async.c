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
 * The limit of requests in flight is the statement's.  A node that must have
 * data to go on may always send one request (fetch.c); here that is true of
 * all children of an Append together.
 */
#include "postgres.h"

#include "executor/execAsync.h"
#include "executor/executor.h"
#include "storage/latch.h"

#include "../model/pg_compat.h"
#include "../plan/planner.h"
#include "async.h"

/* What the children of one Append share. */
struct DynAsync
{
	const PlanState *requestor;
	int			in_flight;		/* requests of all of them */
	const AsyncRequest *waiter; /* the last that had the descriptor */
};

/* ---- planning ---- */

/*
 * Under a LIMIT the first children may be all that is read.  Asking the others
 * as well is cheap where they are read by key; a Scan waits for its turn.
 */
bool
dynIsForeignPathAsyncCapable(ForeignPath *path)
{
	const RelOptInfo *rel = path->path.parent;
	const DynRelPlan *plan = rel->fdw_private;
	DynPathChoice choice;

	if (IS_UPPER_REL(rel))
		return true;
	dyn_decode_choice(path->fdw_private, &choice);
	return choice.target != DYN_TARGET_SCAN || !plan->limited;
}

/* ---- beginning ---- */

static DynAsync *
find_async(const DynStatement *statement, const PlanState *requestor)
{
	ListCell   *lc;

	foreach(lc, statement->scans)
	{
		const DynScan *other = lfirst(lc);

		if (other->async != NULL && other->async->requestor == requestor)
			return other->async;
	}
	return NULL;
}

static DynAsync *
get_async(const DynScan *scan, const PlanState *requestor)
{
	EState	   *estate = scan->node->ss.ps.state;
	DynAsync   *async = find_async(dyn_statement_get(estate), requestor);

	if (async == NULL)
	{
		async = MemoryContextAllocZero(estate->es_query_cxt, sizeof(DynAsync));
		async->requestor = requestor;
	}
	return async;
}

int *
dyn_async_in_flight(const DynScan *scan)
{
	return scan->async ? &scan->async->in_flight : NULL;
}

/* ---- what a scan waits for ---- */

static DynFetch *
awaited_fetch(const DynScan *scan)
{
	return scan->base_fetch ? scan->base_fetch : scan->fetch;
}

/*
 * Index, then base: an item of the present batch, or the next batch.  Collecting
 * its keys may wait, if the index has more pages.
 */
static bool
base_is_ready(DynScan *scan)
{
	for (;;)
	{
		DynFetchState state = dyn_fetch_poll(awaited_fetch(scan));

		if (state == DYN_FETCH_WAITS)
			return false;
		if (scan->base_fetch != NULL)
		{
			if (state == DYN_FETCH_ITEM)
				return true;
			dyn_scan_end_batch(scan);
		}
		else if (state == DYN_FETCH_END || !dyn_scan_start_batch(scan))
			return true;
	}
}

bool
dyn_async_is_ready(DynScan *scan)
{
	if (scan->served || scan->fetch == NULL)
		return true;
	if (scan->access->then_base)
		return base_is_ready(scan);
	return dyn_fetch_poll(scan->fetch) != DYN_FETCH_WAITS;
}

/* ---- callbacks of the executor ---- */

/* An empty slot means that no row is left, or that none is there yet. */
static void
produce_row(AsyncRequest *areq)
{
	DynScan    *scan = ((ForeignScanState *) areq->requestee)->fdw_state;
	TupleTableSlot *slot = areq->requestee->ExecProcNodeReal(areq->requestee);

	if (!TupIsNull(slot))
		ExecAsyncRequestDone(areq, slot);
	else if (scan->finished)
		ExecAsyncRequestDone(areq, NULL);
	else
		ExecAsyncRequestPending(areq);
}

void
dynForeignAsyncRequest(AsyncRequest *areq)
{
	DynScan    *scan = ((ForeignScanState *) areq->requestee)->fdw_state;

	if (scan->async == NULL)
		scan->async = get_async(scan, areq->requestor);
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

/* Those that wait are configured by rising index. */
static bool
another_has_descriptor(const AsyncRequest *areq, const DynAsync *async)
{
	return async->waiter != NULL && async->waiter->callback_pending &&
		async->waiter->request_index < areq->request_index;
}

void
dynForeignAsyncConfigureWait(AsyncRequest *areq)
{
	DynScan    *scan = ((ForeignScanState *) areq->requestee)->fdw_state;
	DynClient  *client = dyn_session_client();
	double		pause = dyn_fetch_pause(awaited_fetch(scan));

	if (pause == 0)
		complete_request(areq);
	if (pause >= 0)
		dyn_client_wake(client, pause);
	if (!areq->callback_pending || another_has_descriptor(areq, scan->async))
		return;
	AddWaitEventToSet(((AppendState *) areq->requestor)->as_eventset,
					  WL_SOCKET_READABLE, dyn_client_fd(client), NULL, areq);
	scan->async->waiter = areq;
}

void
dynForeignAsyncNotify(AsyncRequest *areq)
{
	produce_row(areq);
}
