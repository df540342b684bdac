/*
 * counters.h
 *		Counts requests to DynamoDB: for a node, a statement, a backend.
 */
#ifndef DYN_MODEL_COUNTERS_H
#define DYN_MODEL_COUNTERS_H

typedef struct DynCounters
{
	uint64		requests;		/* completed or finally failed, without
								 * retries */
	uint64		retries;		/* attempts beyond the first */
	uint64		throttles;		/* attempts that were throttled */
	uint64		pages;			/* responses with items (or a count) */
	uint64		items_read;		/* ScannedCount; items of GetItem */
	uint64		items_returned; /* items in the responses */
	uint64		bytes;			/* of bodies on the wire */
	double		waited_ms;		/* in which nothing could be sent, for
								 * throttling or a read unit limit */
	double		request_ms;		/* of all requests, from sending to response;
								 * pauses between attempts as above are not
								 * included */
	double		slowest_ms;		/* of one attempt, or several with retries */
	double		waiting_ms;		/* in which the backend did nothing else */
	double		read_units;		/* ConsumedCapacity where requested */
} DynCounters;

/* Of this backend, since it started. */
extern DynCounters dyn_backend_counters;

extern void dyn_counters_add(DynCounters *sum, const DynCounters *more);

#endif
