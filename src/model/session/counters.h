/*
 * counters.h
 *		Counts requests to DynamoDB for a node, a statement or a backend.
 */
#ifndef DYN_MODEL_COUNTERS_H
#define DYN_MODEL_COUNTERS_H

typedef struct DynCounters
{
	uint64		requests;		/* requests that succeeded or finally failed; a
								 * retry is not another request */
	uint64		retries;		/* attempts beyond the first */
	uint64		throttles;		/* attempts that were throttled */
	uint64		pages;			/* responses with items (or a count) */
	uint64		items_read;		/* sum of ScannedCount, plus the items of
								 * GetItem and BatchGetItem */
	uint64		items_returned; /* items in the responses */
	uint64		bytes;			/* body bytes on the wire */
	double		waited_ms;		/* time (ms) in which nothing could be sent,
								 * because of throttling or a limit on units */
	double		request_ms;		/* sum of the durations (ms) of requests, with
								 * their retries but without waited_ms */
	double		slowest_ms;		/* longest duration (ms) of a request with its
								 * retries, except retries after throttling */
	double		waiting_ms;		/* time (ms) in which the backend did nothing
								 * but wait */
	double		read_units;		/* sum of ConsumedCapacity, where requested */
	uint64		items_written;	/* writes that DynamoDB confirmed */
	double		write_units;	/* write units consumed by these writes */
	uint64		conflicts;		/* writes rejected because the item had been
								 * changed in the meantime */
	uint64		unanswered;		/* write attempts of unknown outcome: there was
								 * no usable response */
} DynCounters;

/* Counters of this backend since it started (usage.h). */
extern DynCounters dyn_backend_counters;

static inline void
dyn_counters_add(DynCounters *sum, const DynCounters *more)
{
	sum->requests += more->requests;
	sum->retries += more->retries;
	sum->throttles += more->throttles;
	sum->waited_ms += more->waited_ms;
	sum->request_ms += more->request_ms;
	sum->slowest_ms = Max(sum->slowest_ms, more->slowest_ms);
	sum->waiting_ms += more->waiting_ms;
	sum->pages += more->pages;
	sum->items_read += more->items_read;
	sum->items_returned += more->items_returned;
	sum->bytes += more->bytes;
	sum->read_units += more->read_units;
	sum->items_written += more->items_written;
	sum->write_units += more->write_units;
	sum->conflicts += more->conflicts;
	sum->unanswered += more->unanswered;
}

#endif
