/*
 * units.h
 *		Models the cost of reads: the units that they use, and the time they
 *		take.
 *
 * A table or global index serves a number of units per second, each of its
 * partitions at most 3,000.  Time is the largest of three: round trips and
 * transfer, waiting for units, and the CPU of the scan.
 *
 * The structs have no pointers, so that a plan can store them
 * (plan/keys/access.c).
 */
#ifndef DYN_DYNAMODB_UNITS_H
#define DYN_DYNAMODB_UNITS_H

#include <stdbool.h>

#include "metadata.h"
#include "operation.h"

#define DYN_PAGE_BYTES			(1024.0 * 1024.0)

/* Maximum size of a bounded read, which scan_policy does not affect. */
#define DYN_SMALL_READ_BYTES		(1024 * 1024)

/*
 * Units of eventually consistent reads: of a full page, of the largest item,
 * and the minimum of a request.
 */
#define DYN_FULL_PAGE_UNITS		(DYN_PAGE_BYTES / DYN_READ_UNIT_BYTES)
#define DYN_LARGEST_ITEM_UNITS	50.0	/* 400 kB, read by its key */
#define DYN_LEAST_UNITS			0.5

/* A write unit; a member of a transaction costs twice as many. */
#define DYN_WRITE_UNIT_BYTES	1024.0
#define DYN_TRANSACTION_FACTOR	2
#define DYN_LEAST_BYTES			4096.0	/* smaller items cost the same */

#define DYN_MS_PER_QUERY		0.070
#define DYN_MS_PER_KEY			0.003	/* per key of a BatchGetItem */

/*
 * Returns the average size of an item, or an assumption for items that
 * DynamoDB has not counted yet.  `index` may be NULL, here and below.
 */
extern double dyn_default_item_bytes(const DynTableMeta *meta,
									 const DynIndexMeta *index);

/*
 * Returns true if this many items of average size are at most
 * DYN_SMALL_READ_BYTES, so that scan_policy does not apply.
 */
extern bool dyn_is_small_read(const DynTableMeta *meta,
							  const DynIndexMeta *index, double items);

/* The capacity of a table or an index that statements can use. */
typedef struct DynCapacity
{
	double		rate;			/* units per second, all partitions together */
	double		partitions;
	double		saved;			/* units of burst capacity that may be used */
} DynCapacity;

/* The reads of one or more executions of an access plan. */
typedef struct DynReads
{
	double		keys;			/* number of partitions or items; 0: a Scan */
	double		requests;
	double		width;			/* number of concurrent requests */
	double		units;
	double		base_requests;	/* requests for items by key, after an index */
	double		base_units;		/* units of base_requests, in the table */
	double		bytes;			/* bytes in responses */
	double		cpu_ms;
} DynReads;

/* The capacities and prices for reads. */
typedef struct DynPrices
{
	DynCapacity capacity;		/* capacity of the table or index that is
								 * read */
	DynCapacity base;			/* capacity of the table, after an index */
	double		round_trip_ms;
	double		unit_cost_ms;
	double		in_flight;		/* number of concurrent requests */
	double		most_units;		/* maximum units of all Queries, in addition
								 * to 0.5 for each; 0: unlimited */
	double		most_base_units;	/* maximum units for reading their items
									 * from the table; 0: unlimited */
	bool		known;			/* true if the capacity is not a guess */
} DynPrices;

/*
 * Return the units of one item that is read by key, of items that are a part
 * of a sequential read, and of a complete sequential read.
 */
extern double dyn_item_units(double bytes);
extern double dyn_sequence_units(double bytes);
extern double dyn_page_units(double bytes);

/*
 * Returns the capacity in units per second; 0 if it is unknown.  Here and
 * below, `read_capacity` replaces the capacity in the description unless it is
 * 0.
 */
extern double dyn_known_capacity(const DynThroughput *throughput,
								 double read_capacity);

/*
 * Returns the share of the capacity that statements may use, in units per
 * second; 0 if it is not limited, or the capacity is unknown.
 */
extern double dyn_capacity_share(const DynThroughput *throughput,
								 double read_capacity, double read_percent);

/* Initializes the capacity; `bytes` is the size of the table or index. */
extern void dyn_capacity_init(DynCapacity *capacity,
							  const DynThroughput *throughput, double bytes,
							  double read_capacity, double read_percent);

/* Returns the minimum time, in milliseconds, that the reads wait for units. */
extern double dyn_reads_wait_ms(const DynReads *reads, const DynPrices *prices);

/*
 * Returns the price of the reads as a time in ms; unit_cost_ms converts units
 * to time.
 */
extern double dyn_reads_price(const DynReads *reads, const DynPrices *prices);

/*
 * Returns the price of the requests before the first row: one page, or less if
 * only this share of all items is requested.
 */
extern double dyn_reads_first_price(const DynReads *reads, double share,
									const DynPrices *prices);

/*
 * Returns the same reads repeated `times` times with different keys, batched:
 * concurrently, and full primary keys (`full_keys`) by BatchGetItem.
 */
extern DynReads dyn_reads_repeat(const DynReads *once, const DynPrices *prices,
								 double times, bool full_keys);

#endif
