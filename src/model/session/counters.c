/*
 * counters.c
 *		Adds up the counts of requests to DynamoDB.
 *
 * Counts are per backend; they do not use shared memory.
 */
#include "postgres.h"

#include "counters.h"

DynCounters dyn_backend_counters;

void
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
