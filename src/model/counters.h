/*
 * counters.h
 *		What was asked of DynamoDB, counted: for a node, a statement, a backend.
 */
#ifndef DYN_MODEL_COUNTERS_H
#define DYN_MODEL_COUNTERS_H

typedef struct DynCounters
{
	uint64		requests;		/* answered or failed for good, retries not
								 * counted again */
	uint64		retries;		/* attempts beyond the first */
	uint64		throttles;		/* attempts refused for throttling */
	uint64		pages;			/* answers with items (or a count) */
	uint64		items_read;		/* ScannedCount; items of GetItem */
	uint64		items_returned; /* items in the answers */
	uint64		bytes;			/* bodies on the wire */
	double		read_units;		/* ConsumedCapacity where it was asked for */
} DynCounters;

/* Of this backend, since it started. */
extern DynCounters dyn_backend_counters;

extern void dyn_counters_add(DynCounters *sum, const DynCounters *more);

#endif
