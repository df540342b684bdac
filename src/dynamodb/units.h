/*
 * units.h
 *		The physical model of reads: the units that they use, and the time that
 *		DynamoDB needs for them.
 *
 * A table or global index serves a number of units a second, each of its
 * partitions at most 3,000.  Time is the largest of three: round trips and
 * transfer, waiting for units, and the CPU of the reader.
 *
 * The structs have no pointers, so that a plan can keep them (plan/keys/access.c).
 */
#ifndef DYN_DYNAMODB_UNITS_H
#define DYN_DYNAMODB_UNITS_H

#include <stdbool.h>

#include "metadata.h"
#include "operation.h"

#define DYN_PAGE_BYTES			(1024.0 * 1024.0)

/* What a bounded read may read, whatever the scan_policy. */
#define DYN_SMALL_READ_BYTES		(1024 * 1024)

/* Read with eventual consistency: a page, the largest item, any request. */
#define DYN_FULL_PAGE_UNITS		(DYN_PAGE_BYTES / DYN_READ_UNIT_BYTES)
#define DYN_LARGEST_ITEM_UNITS	50.0	/* 400 kB, by its key */
#define DYN_LEAST_UNITS			0.5
#define DYN_LEAST_BYTES			4096.0	/* cost as much as none */

#define DYN_MS_PER_QUERY		0.070
#define DYN_MS_PER_KEY			0.003	/* of a BatchGetItem */

/*
 * The size of an item on the average, or what is supposed of items that DynamoDB
 * has not counted yet.  `index` may be NULL, here and below.
 */
extern double dyn_default_item_bytes(const DynTableMeta *meta,
									 const DynIndexMeta *index);

/* Are so many items a bounded read? */
extern bool dyn_is_small_read(const DynTableMeta *meta,
							  const DynIndexMeta *index, double items);

/* What a table or an index can serve to us. */
typedef struct DynCapacity
{
	double		rate;			/* units a second, all partitions together */
	double		partitions;
	double		saved;			/* saved units that may be used */
} DynCapacity;

/* The reads of one or more executions of an access plan. */
typedef struct DynReads
{
	double		keys;			/* partitions or items; 0: a Scan */
	double		requests;
	double		width;			/* of these at the same time */
	double		units;
	double		base_requests;	/* for items by key, after an index */
	double		base_units;		/* theirs, of the table */
	double		bytes;			/* in responses */
	double		cpu_ms;
} DynReads;

/* What they are read from, and what that is worth. */
typedef struct DynPrices
{
	DynCapacity capacity;		/* of the table or index that is read */
	DynCapacity base;			/* of the table, after an index */
	double		round_trip_ms;
	double		unit_cost_ms;
	double		in_flight;		/* requests at the same time */
	double		most_units;		/* that Queries can use, beside 0.5 for each;
								 * 0: unbounded */
	double		most_base_units;	/* that their items in the table can use;
									 * 0: unbounded */
	bool		known;			/* is the capacity more than a guess? */
} DynPrices;

/*
 * Units of one item by key; of so many bytes among others that are read in
 * sequence; and of all items that are read in sequence.
 */
extern double dyn_item_units(double bytes);
extern double dyn_sequence_units(double bytes);
extern double dyn_page_units(double bytes);

/*
 * Units a second; 0: not known.  `read_capacity` replaces the described one,
 * unless it is 0; here and below.
 */
extern double dyn_known_capacity(const DynThroughput *throughput,
								 double read_capacity);

/* The part of it that statements may use, if that is less; 0: no limit. */
extern double dyn_capacity_share(const DynThroughput *throughput,
								 double read_capacity, double read_percent);

/* `bytes` is the size of the table or index. */
extern void dyn_capacity_init(DynCapacity *capacity,
							  const DynThroughput *throughput, double bytes,
							  double read_capacity, double read_percent);

/* The milliseconds that the reads wait for units at least. */
extern double dyn_reads_wait_ms(const DynReads *reads, const DynPrices *prices);

/* Time, and units at their worth in time. */
extern double dyn_reads_price(const DynReads *reads, const DynPrices *prices);

/*
 * The part before the first row: a page, or less of it if this share of all
 * items is asked for.
 */
extern double dyn_reads_first_price(const DynReads *reads, double share,
									const DynPrices *prices);

/*
 * The same reads `times` times with different keys, batched: concurrent, whole
 * primary keys (`whole_keys`) by BatchGetItem.
 */
extern DynReads dyn_reads_repeat(const DynReads *once, const DynPrices *prices,
								 double times, bool full_keys);

#endif
