/*
 * test_units.c
 *		The physical model of reads.
 */
#include "harness.h"

#include "dynamodb/units.h"

#include <math.h>

#define GB (1024.0 * 1024 * 1024)

static int
near(double seen, double wanted)
{
	int			ok = fabs(seen - wanted) <= 1e-6 * (1 + fabs(wanted));

	if (!ok)
		printf("#     seen: %g, wanted: %g\n", seen, wanted);
	return ok;
}

static DynCapacity
capacity_of(bool provisioned, double units, double bytes, double option,
			double percent)
{
	DynThroughput throughput = {provisioned, units};
	DynCapacity capacity;

	dyn_capacity_init(&capacity, &throughput, bytes, option, percent);
	return capacity;
}

static void
items_and_pages_are_rounded(void)
{
	CHECK(near(dyn_item_units(0), 0.5));
	CHECK(near(dyn_item_units(4096), 0.5));
	CHECK(near(dyn_item_units(4097), 1));
	CHECK(near(dyn_item_units(400 * 1024), 50));
	CHECK(near(dyn_page_units(0), 0.5));
	CHECK(near(dyn_page_units(1024 * 1024), 128));
}

static void
bounded_reads_are_short(void)
{
	DynTableMeta table = {.item_count = 2,.size_bytes = 2 * 10486};
	DynTableMeta uncounted = {0};
	DynIndexMeta index = {.item_count = 2,.size_bytes = 200};

	CHECK(near(dyn_default_item_bytes(&table, NULL), 10486));
	CHECK(near(dyn_default_item_bytes(&table, &index), 100));
	CHECK(near(dyn_default_item_bytes(&uncounted, NULL), 300));
	CHECK(dyn_is_small_read(&table, NULL, 99));
	CHECK(!dyn_is_small_read(&table, NULL, 100));
	CHECK(dyn_is_small_read(&table, &index, 10485));
	CHECK(!dyn_is_small_read(&table, &index, 10486));
	CHECK(dyn_is_small_read(&uncounted, NULL, 3495));
	CHECK(!dyn_is_small_read(&uncounted, NULL, 3496));
}

static void
capacities_are_divided_among_partitions(void)
{
	DynCapacity small = capacity_of(true, 25, 100e6, 0, 100);
	DynCapacity large = capacity_of(true, 9000, 5 * GB, 0, 100);
	DynCapacity huge = capacity_of(true, 100, 1000 * GB, 0, 100);
	DynCapacity demand = capacity_of(false, 12000, 0, 0, 100);
	DynCapacity option = capacity_of(true, 5, 0, 40000, 100);
	DynCapacity part = capacity_of(true, 1000, 0, 0, 10);

	CHECK(near(small.rate, 25) && near(small.partitions, 1));
	CHECK(near(small.saved, 3750));
	CHECK(near(large.partitions, 3));
	CHECK(near(huge.partitions, 100));
	CHECK(near(demand.partitions, 4) && near(demand.saved, 0));
	CHECK(near(option.rate, 40000) && near(option.partitions, 14));
	CHECK(near(option.saved, 750));
	CHECK(near(part.rate, 100) && near(part.saved, 0));
}

static void
a_share_is_of_a_known_capacity(void)
{
	DynThroughput provisioned = {true, 200};
	DynThroughput demand = {false, 12000};

	CHECK(near(dyn_known_capacity(&provisioned, 0), 200));
	CHECK(near(dyn_known_capacity(&provisioned, 300), 300));
	CHECK(near(dyn_known_capacity(&demand, 0), 0));
	CHECK(near(dyn_known_capacity(&demand, 300), 300));
	CHECK(near(dyn_capacity_share(&provisioned, 0, 100), 0));
	CHECK(near(dyn_capacity_share(&provisioned, 0, 25), 50));
	CHECK(near(dyn_capacity_share(&demand, 0, 25), 0));
	CHECK(near(dyn_capacity_share(&demand, 300, 25), 75));
}

/* The wait of reads of these units for these keys. */
static double
units_ms(const DynCapacity *capacity, double units, double keys)
{
	DynReads	reads = {.keys = keys,.units = units};
	DynPrices	prices = {.capacity = *capacity};

	return dyn_reads_wait_ms(&reads, &prices);
}

/* The price of the reads where units cost nothing: their time. */
static double
reads_ms(const DynReads *reads, const DynPrices *prices)
{
	DynPrices	free_units = *prices;

	free_units.unit_cost_ms = 0;
	return dyn_reads_price(reads, &free_units);
}

static void
units_take_time(void)
{
	DynCapacity demand = capacity_of(false, 12000, 0, 0, 100);
	DynCapacity small = capacity_of(true, 25, 0, 0, 100);

	CHECK(near(units_ms(&demand, 12000, 0), 1000));
	CHECK(near(units_ms(&demand, 12000, 1), 4000));
	CHECK(near(units_ms(&demand, 12000, 3), 4000.0 / 3));
	CHECK(near(units_ms(&demand, 12000, 100), 1000));
	CHECK(near(units_ms(&small, 3750, 0), 0));
	CHECK(near(units_ms(&small, 3800, 0), 2000));
}

static void
the_longest_of_three_counts(void)
{
	DynPrices	prices = {.round_trip_ms = 5, .unit_cost_ms = 0.2,.in_flight = 16};
	DynReads	reads = {.keys = 1,.requests = 32,.width = 16,.units = 16};

	prices.capacity = prices.base = capacity_of(true, 100, 0, 0, 100);
	prices.capacity.saved = prices.base.saved = 0;
	CHECK(near(reads_ms(&reads, &prices), 160));
	prices.capacity.rate = 1e6;
	CHECK(near(reads_ms(&reads, &prices), 10));
	reads.bytes = 4 * DYN_PAGE_BYTES;
	CHECK(near(reads_ms(&reads, &prices), 15));
	CHECK(near(dyn_reads_price(&reads, &prices), 15 + 3.2));
	reads.base_requests = 17;
	CHECK(near(reads_ms(&reads, &prices), 25));
	reads.cpu_ms = 30;
	CHECK(near(reads_ms(&reads, &prices), 30));
	reads.base_units = 10;
	CHECK(near(reads_ms(&reads, &prices), 100));
	CHECK(near(dyn_reads_first_price(&reads, 1, &prices),
			   10 + 0.2 * (0.5 + 10.0 / 17)));
	reads.units = 64;
	reads.requests = 2;
	CHECK(near(dyn_reads_first_price(&reads, 1, &prices),
			   10 + 0.2 * (32 + 10.0 / 17)));
	CHECK(near(dyn_reads_first_price(&reads, 0.25, &prices),
			   10 + 0.2 * (16 + 10.0 / 17)));
	CHECK(near(dyn_reads_first_price(&reads, 0.001, &prices),
			   10 + 0.2 * (0.5 + 0.01)));
}

static void
executions_are_batched(void)
{
	DynPrices	prices = {.round_trip_ms = 5, .unit_cost_ms = 0.2,.in_flight = 16};
	DynReads	once = {.keys = 1,.requests = 1,.width = 1,.units = 2,.bytes = 100};
	DynReads	all = dyn_reads_repeat(&once, &prices, 1000, true);

	CHECK(near(all.requests, 10) && near(all.width, 10));
	CHECK(near(all.units, 2000) && near(all.keys, 1000));
	all = dyn_reads_repeat(&once, &prices, 1000, false);
	CHECK(near(all.requests, 1000) && near(all.width, 16));
	prices.most_units = 100;
	all = dyn_reads_repeat(&once, &prices, 1000, false);
	CHECK(near(all.units, 600));
	once.base_requests = 1;
	once.base_units = 3;
	all = dyn_reads_repeat(&once, &prices, 1000, false);
	CHECK(near(all.base_units, 3000) && near(all.base_requests, 1000));
	prices.most_base_units = 1200;
	all = dyn_reads_repeat(&once, &prices, 1000, false);
	CHECK(near(all.base_units, 1200) && near(all.base_requests, 400));
}

int
main(void)
{
	RUN(items_and_pages_are_rounded);
	RUN(bounded_reads_are_short);
	RUN(capacities_are_divided_among_partitions);
	RUN(a_share_is_of_a_known_capacity);
	RUN(units_take_time);
	RUN(the_longest_of_three_counts);
	RUN(executions_are_batched);
	return DONE("units");
}
