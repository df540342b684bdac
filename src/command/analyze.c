/*
 * analyze.c
 *		Takes a sample of a table for ANALYZE.
 *
 * dynamo_fdw.analyze_read_units limits the cost of a sample.  A table within
 * the limit is read completely, so that its rows are counted.  From a larger
 * table we read some segments of a Scan with a large TotalSegments.  DynamoDB
 * divides the table by the hash of the partition key, so these segments are a
 * random sample of partition keys.
 *
 * Segments are read in rounds, until the sample is full or has cost
 * analyze_read_units.  The pages in flight then add to this cost.  Unless all
 * segments are read, these pages are small, because the requests have a Limit.
 *
 * The first page is read with all attributes, at no extra cost.  So ANALYZE
 * can find columns that are NULL because PostgreSQL lower-cased their names
 * (other_case.c).
 *
 * scan_policy does not apply, because it prevents only unintended full scans.
 * Consistent reads would cost twice as much without improving the statistics.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "common/pg_prng.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "../dynamodb/units.h"
#include "../model/server/pg_compat.h"
#include "../model/session/guc.h"
#include "../model/tables/relation.h"
#include "../plan/paths/planner.h"
#include "remote_table.h"

/* The largest power of two that DynamoDB accepts as TotalSegments. */
#define MAX_SEGMENTS		(1 << 19)

/* Minimum number of segments to sample, unless each costs < 1 read unit. */
#define SAMPLED_SEGMENTS	100

typedef struct Sampler
{
	DynStatement *statement;
	DynItemScan *scan;			/* the Scan; counts the sample's read units */
	DynView    *view;
	int			item_slot;		/* slot (remote_table.h) of the full item */
	DynFolded  *folded;

	double		table_units;	/* read units of a full scan; 0: unknown */
	double		max_units;		/* maximum read units of the sample */

	/* the segments; they are read in the order first, first + step, ... */
	bool		full;			/* true if all segments are to be read */
	uint32		segments;		/* TotalSegments; a power of two unless `full` */
	uint32		first;
	uint32		step;			/* distance between segments read in turn; odd,
								 * so it has no factor in common with
								 * `segments`, and each segment is read once */
	uint32		done;			/* number of segments in earlier rounds */
	long		page_items;		/* Limit of a page; 0: no limit */

	/* the sample, in the caller's memory */
	HeapTuple  *sample;
	int			wanted;			/* number of rows that suffice, unless `full` */
	int			size;			/* maximum number of rows in the sample */
	double		bytes;			/* size of the rows in the sample */
	double		items;			/* number of items so far */
	double		seen;			/* number of rows so far */
	MemoryContext sample_context;
	MemoryContext item_context;
	TupleTableSlot *slot;
} Sampler;

/*
 * Divides the table into segments.  If a full scan would exceed max_units, the
 * segments are so small that a sample needs at least SAMPLED_SEGMENTS.  If the
 * table's size is unknown (0), we begin a full scan, but end it at max_units.
 */
static void
choose_segments(Sampler *sampler)
{
	const DynTableMeta *meta = sampler->scan->meta;
	double		units = sampler->table_units;

	sampler->full = units <= sampler->max_units;
	if (sampler->full)
	{
		sampler->segments = dyn_requests_segments(sampler->scan->relation,
												  meta->size_bytes);
		sampler->step = 1;
	}
	else
	{
		double		items = Max((double) meta->item_count, 1);
		double		share = Min(sampler->max_units / units, sampler->wanted / items);
		double		segments = Min(SAMPLED_SEGMENTS / share, units);

		segments = Max(1, Min(segments, MAX_SEGMENTS));
		sampler->segments = pg_nextpower2_32((uint32) segments);
		sampler->first = (uint32) pg_prng_uint64(&pg_global_prng_state);
		sampler->step = (uint32) pg_prng_uint64(&pg_global_prng_state) | 1;
		sampler->page_items = 1 + (long) (2.0 * meta->item_count / sampler->segments);
	}
	sampler->page_items = (long) dyn_smaller_limit(sampler->page_items,
												   sampler->scan->relation->options.fetch_size);
}

/* ---- the sample ---- */

static HeapTuple
decode_row(Sampler *sampler)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(sampler->item_context);
	const DynRelation *relation = sampler->scan->relation;
	AttrNumber	attnum = relation->segment_column;
	HeapTuple	tuple;

	(void) dyn_rows_next(sampler->view->rows, sampler->slot);
	/*
	 * The segment column's value is unknown, because the sample's Scan divides
	 * the table into a different number of segments.  All segments have about
	 * the same number of items, so choose a random segment.
	 */
	if (attnum != 0)
	{
		const DynColumn *column = dyn_relation_column(relation, attnum);
		int			segment = pg_prng_uint64_range(&pg_global_prng_state, 0,
												   column->segments - 1);

		sampler->slot->tts_values[attnum - 1] = dyn_codec_integer(&column->codec, segment);
		sampler->slot->tts_isnull[attnum - 1] = false;
	}
	MemoryContextSwitchTo(sampler->sample_context);
	tuple = ExecCopySlotHeapTuple(sampler->slot);
	MemoryContextSwitchTo(oldcontext);
	MemoryContextReset(sampler->item_context);
	return tuple;
}

static void
remove_row(Sampler *sampler, int n)
{
	int			victim = pg_prng_uint64_range(&pg_global_prng_state, 0, n - 1);

	sampler->bytes -= sampler->sample[victim]->t_len;
	heap_freetuple(sampler->sample[victim]);
	sampler->sample[victim] = sampler->sample[n - 1];
}

/*
 * Adds the next row to the sample, or skips the row without decoding it.
 * Chooses at random, so that all rows seen so far are equally likely to be in
 * the sample.  Removes random rows if the sample exceeds maintenance_work_mem.
 */
static void
offer_row(Sampler *sampler)
{
	int			n = Min(sampler->seen, sampler->size);

	sampler->seen += 1;
	if (n == sampler->size)
	{
		if (pg_prng_double(&pg_global_prng_state) * sampler->seen >= n)
		{
			dyn_rows_skip(sampler->view->rows);
			return;
		}
		remove_row(sampler, n--);
	}
	sampler->sample[n] = decode_row(sampler);
	sampler->bytes += sampler->sample[n++]->t_len;
	for (; n > 1 && sampler->bytes > maintenance_work_mem * 1024.0; n--)
	{
		remove_row(sampler, n);
		sampler->size = n - 1;
	}
}

static bool
bound_is_reached(const Sampler *sampler)
{
	return sampler->scan->counters.read_units >= sampler->max_units;
}

static void
read_round(Sampler *sampler)
{
	int			nsegments = Min(sampler->scan->relation->connection->max_concurrency,
								sampler->segments - sampler->done);
	double		units = sampler->max_units - sampler->scan->counters.read_units;
	DynFetchParams params = dyn_item_scan_params(sampler->scan);
	int		   *segments;
	DynFetch   *fetch;
	const DynValue *item;

	/* do not read more segments than the remaining read units suffice for */
	if (!sampler->full)
		nsegments = Max(1, Min(nsegments, units * sampler->segments /
							   sampler->table_units));
	Assert(nsegments > 0 && sampler->done + nsegments <= sampler->segments);
	segments = palloc(nsegments * sizeof(int));
	for (int i = 0; i < nsegments; i++)
		segments[i] = (sampler->first + (sampler->done + i) * sampler->step) %
			sampler->segments;
	params.requests->segments = segments;
	params.requests->nstreams = nsegments;
	params.requests->total_segments = sampler->segments;
	/* request full items first; if IAM denies that, only needed attributes */
	params.full_first_page = sampler->done == 0;
	params.fetch_size = sampler->page_items;
	params.limits_units = true;
	fetch = dyn_fetch_start(sampler->statement, &params);
	while ((item = dyn_fetch_next(fetch)) != NULL)
	{
		dyn_analyze_delay_point();
		sampler->items += 1;
		dyn_view_begin(sampler->view, item);
		if (dyn_rows_has_more(sampler->view->rows))
			dyn_folded_see_item(sampler->folded, &item[sampler->item_slot]);
		while (dyn_rows_has_more(sampler->view->rows))
			offer_row(sampler);
		if (bound_is_reached(sampler))
			dyn_fetch_drain(fetch);
	}
	dyn_fetch_stop(fetch);
	pfree(segments);
	sampler->done += nsegments;
}

static Sampler *
open_sampler(EState *estate, Relation rel, HeapTuple *sample, int wanted)
{
	Sampler    *sampler = palloc0(sizeof(Sampler));
	DynRelation *relation = dyn_relation_open(RelationGetRelid(rel),
											  rel->rd_rel->relowner);
	const DynTableMeta *meta = dyn_session_table(relation->connection,
												 relation->table);
	DynItemScan *scan;

	relation->consistent = false;

	/* end the sample, without an error, at max_read_units_per_statement */
	sampler->max_units = dyn_smaller_limit(dyn_statement_max_units(relation->connection),
										   dyn_guc_analyze_read_units);
	sampler->table_units = dyn_sequence_units(meta->size_bytes);
	dyn_relation_connect_described(relation, meta);
	sampler->statement = dyn_statement_get(estate);
	sampler->scan = scan = dyn_item_scan_create(relation, meta);
	sampler->view = dyn_item_scan_view(scan, relation);
	sampler->item_slot = dyn_item_scan_read(scan, dyn_path_of_item(), 1);
	sampler->folded = dyn_folded_create(relation, InvalidOid);
	scan->requests = dyn_requests_of_access(relation, scan->access,
											&(DynResolvedAccess) {0}, 1);
	scan->requests->projection = sampler->view->rows->projection;
	scan->requests->nprojection = sampler->view->rows->nprojection;
	sampler->sample = sample;
	sampler->wanted = sampler->size = wanted;
	sampler->item_context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo_fdw item",
												  ALLOCSET_SMALL_SIZES);
	sampler->slot = MakeSingleTupleTableSlot(RelationGetDescr(rel), &TTSOpsVirtual);
	choose_segments(sampler);
	return sampler;
}

static int
acquire_sample(Relation rel, int elevel, HeapTuple *sample, int wanted,
			   double *totalrows, double *totaldeadrows)
{
	EState	   *estate = CreateExecutorState();
	MemoryContext sample_context = MemoryContextSwitchTo(estate->es_query_cxt);
	Sampler    *sampler = open_sampler(estate, rel, sample, wanted);
	int			nsample;

	sampler->sample_context = sample_context;
	while (sampler->done < sampler->segments && !bound_is_reached(sampler) &&
		   (sampler->full || sampler->seen < sampler->wanted))
		read_round(sampler);
	/*
	 * Unless the full table was read, estimate the number of rows: DynamoDB's
	 * item count, multiplied by the ratio of rows to items in the sample.  The
	 * item count is some hours old (and 0 for a new table), but more accurate
	 * than an extrapolation from a few segments.
	 */
	if (sampler->done == sampler->segments && !bound_is_reached(sampler))
		*totalrows = sampler->seen;
	else
		*totalrows = sampler->seen / Max(sampler->items, 1) *
			Max(sampler->items, (double) sampler->scan->meta->item_count);
	*totaldeadrows = 0;
	nsample = (int) Min(sampler->seen, sampler->size);
	ereport(elevel,
			(errmsg("\"%s\": scanned %u of %u segments, containing %.0f items, with %g read units; %d rows in sample, %.0f estimated total rows",
					RelationGetRelationName(rel), sampler->done,
					sampler->segments, sampler->items,
					sampler->scan->counters.read_units, nsample, *totalrows)));
	dyn_folded_report(sampler->folded);
	ExecDropSingleTupleTableSlot(sampler->slot);
	MemoryContextSwitchTo(sample_context);
	FreeExecutorState(estate);
	return nsample;
}

bool
dynAnalyzeForeignTable(Relation rel, AcquireSampleRowsFunc *func,
					   BlockNumber *totalpages)
{
	DynRelation *relation = dyn_relation_open(RelationGetRelid(rel),
											  rel->rd_rel->relowner);
	const DynTableMeta *meta = dyn_session_table(relation->connection,
												 relation->table);

	dyn_relation_connect_described(relation, meta);
	/* if the description turns out to be outdated, start again */
	for (int i = 1; i <= relation->ncolumns; i++)
	{
		if (dyn_key_type_check(relation, meta, i) != meta)
			return dynAnalyzeForeignTable(rel, func, totalpages);
	}
	*func = acquire_sample;
	*totalpages = dyn_table_pages(meta);
	return true;
}
