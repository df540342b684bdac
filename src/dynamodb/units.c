/*
 * units.c
 *		Computes the units, the time and the price of reads.
 *
 * See the developer guide, "Read consumption", "Partitions and data
 * distribution", "Burst capacity".
 */
#include "units.h"

#include <math.h>

#define UNITS_OF_PARTITION		3000.0	/* units per second */
#define BYTES_OF_PARTITION		(10.0 * 1024 * 1024 * 1024)
#define ON_DEMAND_PARTITIONS	4.0 /* assumed partitions of a new table */
#define SAVED_SECONDS			150.0	/* seconds of saved (burst) capacity:
										 * half of what DynamoDB provides */
#define MS_PER_MEGABYTE			20.0

double
dyn_item_units(double bytes)
{
	return fmax(1, ceil(bytes / 4096)) / 2;
}

double
dyn_sequence_units(double bytes)
{
	return bytes / DYN_READ_UNIT_BYTES;
}

double
dyn_page_units(double bytes)
{
	return fmax(DYN_LEAST_UNITS, dyn_sequence_units(bytes));
}

double
dyn_default_item_bytes(const DynTableMeta *meta, const DynIndexMeta *index)
{
	double		bytes = dyn_metadata_item_bytes(meta, index);

	return bytes > 0 ? bytes : DYN_UNKNOWN_ITEM_BYTES;
}

bool
dyn_is_small_read(const DynTableMeta *meta, const DynIndexMeta *index,
				  double items)
{
	return items * dyn_default_item_bytes(meta, index) <= DYN_SMALL_READ_BYTES;
}

double
dyn_known_capacity(const DynThroughput *throughput, double read_capacity)
{
	if (read_capacity > 0)
		return read_capacity;
	return throughput->provisioned ? throughput->read_units : 0;
}

double
dyn_capacity_share(const DynThroughput *throughput, double read_capacity,
				   double read_percent)
{
	if (read_percent >= 100)
		return 0;
	return dyn_known_capacity(throughput, read_capacity) * read_percent / 100;
}

void
dyn_capacity_init(DynCapacity *capacity, const DynThroughput *throughput,
				  double bytes, double read_capacity, double read_percent)
{
	double		units = read_capacity > 0 ? read_capacity : throughput->read_units;

	capacity->rate = units * read_percent / 100;
	capacity->partitions =
		fmax(throughput->provisioned ? 1 : ON_DEMAND_PARTITIONS,
			 fmax(ceil(bytes / BYTES_OF_PARTITION),
				  ceil(capacity->rate / UNITS_OF_PARTITION)));
	/*
	 * with a read_percent below 100, no second may use more than that share,
	 * so saved units cannot be used for bursts
	 */
	capacity->saved = throughput->provisioned && read_percent >= 100
		? SAVED_SECONDS * throughput->read_units : 0;
}

/*
 * Returns the minimum time (ms) in which the capacity serves these units.
 * `keys` is the number of partitions or items that are read; 0 means all.
 */
static double
units_ms(const DynCapacity *capacity, double units, double keys)
{
	double		touched = keys > 0 ? fmin(keys, capacity->partitions)
		: capacity->partitions;
	double		rate = fmin(capacity->rate, UNITS_OF_PARTITION * touched);

	return 1000 * fmax(0, units - capacity->saved) / rate;
}

double
dyn_reads_wait_ms(const DynReads *reads, const DynPrices *prices)
{
	double		wait = units_ms(&prices->capacity, reads->units, reads->keys);

	if (reads->base_units > 0)
		wait = fmax(wait, units_ms(&prices->base, reads->base_units,
								   reads->base_requests * DYN_BATCH_GET_MAX_KEYS));
	return wait;
}

double
dyn_reads_price(const DynReads *reads, const DynPrices *prices)
{
	double		trips = fmax(1, ceil(reads->requests / reads->width)) +
		ceil(reads->base_requests / prices->in_flight);
	double		latency = trips * prices->round_trip_ms +
		reads->bytes / DYN_PAGE_BYTES * MS_PER_MEGABYTE / reads->width;

	return fmax(fmax(latency, reads->cpu_ms),
				dyn_reads_wait_ms(reads, prices)) +
		prices->unit_cost_ms * (reads->units + reads->base_units);
}

double
dyn_reads_first_price(const DynReads *reads, double share,
					  const DynPrices *prices)
{
	double		trips = reads->base_requests > 0 ? 2 : 1;
	double		page = reads->units / fmax(1, reads->requests);
	double		base_page = reads->base_units / fmax(1, reads->base_requests);
	double		units = fmin(page, fmax(DYN_LEAST_UNITS, reads->units * share)) +
		fmin(base_page, reads->base_units * share);

	return trips * prices->round_trip_ms + units * prices->unit_cost_ms;
}

DynReads
dyn_reads_repeat(const DynReads *once, const DynPrices *prices, double times,
				 bool full_keys)
{
	DynReads	all = *once;

	all.keys *= times;
	all.requests = full_keys ? ceil(all.keys / DYN_BATCH_GET_MAX_KEYS)
		: once->requests * times;
	all.width = fmin(prices->in_flight, all.requests);
	all.units *= times;
	if (prices->most_units > 0)
		all.units = fmin(all.units, prices->most_units + DYN_LEAST_UNITS * all.keys);
	all.base_requests *= times;
	all.base_units *= times;
	if (prices->most_base_units > 0 && all.base_units > prices->most_base_units)
	{
		all.base_requests = ceil(all.base_requests *
								 prices->most_base_units / all.base_units);
		all.base_units = prices->most_base_units;
	}
	all.bytes *= times;
	all.cpu_ms *= times;
	return all;
}
