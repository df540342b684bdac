/*
 * units.h
 *		Models reads: the units that they use, the time that they take, and
 *		their price.
 *
 * A table or global index serves a number of units per second, and each of its
 * partitions at most 3,000.  The time that reads take is the maximum of three
 * durations: round trips and transfer, waiting for units, and CPU time.  The
 * price (ms) is this time plus unit_cost_ms for each unit.
 *
 * No struct has pointers, so that plans can copy them (plan/keys/access.c).
 */
#ifndef DYN_DYNAMODB_UNITS_H
#define DYN_DYNAMODB_UNITS_H

#include "metadata.h"
#include "operation.h"

#define DYN_PAGE_BYTES			(1024.0 * 1024.0)

/* Maximum size (bytes) of a small read, to which scan_policy does not apply */
#define DYN_SMALL_READ_BYTES		(1024 * 1024)

/* Units of eventually consistent reads */
#define DYN_FULL_PAGE_UNITS		(DYN_PAGE_BYTES / DYN_READ_UNIT_BYTES)
#define DYN_LARGEST_ITEM_UNITS	50.0	/* 400 kB, read by its key */
#define DYN_LEAST_UNITS			0.5

/* Bytes per write unit, and the cost factor of the writes of a transaction */
#define DYN_WRITE_UNIT_BYTES	1024.0
#define DYN_TRANSACTION_FACTOR	2
#define DYN_LEAST_BYTES			4096.0	/* bytes that DYN_LEAST_UNITS cover */
#define DYN_UNKNOWN_ITEM_BYTES	300.0	/* used if the item size is unknown */

#define DYN_MS_PER_QUERY		0.070	/* CPU time per Query */
#define DYN_MS_PER_KEY			0.003	/* CPU time per BatchGetItem key */

/*
 * Returns an item's average size (bytes), or an assumed size if DynamoDB has
 * not counted the items yet.  Here and below, `index` NULL means the table.
 */
extern double dyn_default_item_bytes(const DynTableMeta *meta,
									 const DynIndexMeta *index);

/* True if `items` items of average size have at most DYN_SMALL_READ_BYTES. */
extern bool dyn_is_small_read(const DynTableMeta *meta,
							  const DynIndexMeta *index, double items);

/* The part of a table's or index's capacity that statements can use */
typedef struct DynCapacity
{
	double		rate;			/* units per second, of all partitions */
	double		partitions;
	double		saved;			/* units of burst capacity that can be used */
} DynCapacity;

/* The reads of one or more executions of an access plan */
typedef struct DynReads
{
	double		keys;			/* partitions or items to read; 0: a Scan */
	double		requests;
	double		width;			/* number of concurrent requests */
	double		units;
	double		base_requests;	/* number of requests for items by primary key,
								 * after the index has been read */
	double		base_units;		/* units that base_requests use in the table */
	double		bytes;			/* size of all responses */
	double		cpu_ms;
} DynReads;

/* The capacities and prices for reads */
typedef struct DynPrices
{
	DynCapacity capacity;		/* capacity of the table or index being read */
	DynCapacity base;			/* capacity of the table, for base_requests */
	double		round_trip_ms;
	double		unit_cost_ms;
	double		in_flight;		/* maximum number of concurrent requests */
	double		most_units;		/* dyn_reads_repeat limits `units` to this
								 * value plus 0.5 per key; 0: no limit */
	double		most_base_units;	/* limit of `base_units`; 0: no limit */
	bool		known;			/* true if the capacity is not a guess */
} DynPrices;

/*
 * Return the units of reading this many bytes: as one item by its key, as some
 * of the items of a Query or Scan, or as a complete Query or Scan.
 */
extern double dyn_item_units(double bytes);
extern double dyn_sequence_units(double bytes);
extern double dyn_page_units(double bytes);

/*
 * Returns the capacity in units per second; 0 if it is unknown.  Here and
 * below, `read_capacity`, unless 0, replaces the capacity in `throughput`.
 */
extern double dyn_known_capacity(const DynThroughput *throughput,
								 double read_capacity);

/*
 * Returns the capacity, in units per second, to which read_percent limits
 * statements; 0 if there is no limit, or the capacity is unknown.
 */
extern double dyn_capacity_share(const DynThroughput *throughput,
								 double read_capacity, double read_percent);

/* Initializes the capacity; `bytes` is the size of the table or index. */
extern void dyn_capacity_init(DynCapacity *capacity,
							  const DynThroughput *throughput, double bytes,
							  double read_capacity, double read_percent);

/* Returns the minimum time (ms) for which the reads wait for units. */
extern double dyn_reads_wait_ms(const DynReads *reads, const DynPrices *prices);

/* Returns the price (ms) of the reads, including unit_cost_ms per unit. */
extern double dyn_reads_price(const DynReads *reads, const DynPrices *prices);

/*
 * Returns the price (ms) of what is read before the first row: one request
 * and, if there are base_requests, one of these.  `share` is the maximum
 * fraction of all items that each of the two requests is assumed to read.
 */
extern double dyn_reads_first_price(const DynReads *reads, double share,
									const DynPrices *prices);

/*
 * Returns the reads of `times` concurrent executions with different keys.
 * `once` contains the reads of a single execution.  If `full_keys`, the
 * executions share BatchGetItem requests.
 */
extern DynReads dyn_reads_repeat(const DynReads *once, const DynPrices *prices,
								 double times, bool full_keys);

#endif
