/*
 * scan_policy.c
 *		Warns of full scans, or rejects them.
 */
#include "postgres.h"

#include <math.h>

#include "../../dynamodb/units.h"
#include "../../model/server/encoding.h"
#include "../../model/session/guc.h"
#include "scan_policy.h"

static char *
describe_size(double bytes)
{
	static const char *const units[] = {"bytes", "kB", "MB", "GB"};
	int			i = 0;

	for (; bytes >= 1024 && i < lengthof(units) - 1; i++)
		bytes /= 1024;
	return psprintf("%.*f %s", i > 0 ? 1 : 0, bytes, units[i]);
}

/* Returns "about 9.2 read units"; without decimals from 10 units on. */
static char *
describe_units(double units)
{
	bool		rounded = units >= 10 || fabs(units - rint(units)) < 0.05;

	return psprintf("about %.*f read unit%s", rounded ? 0 : 1, units,
					rounded && rint(units) == 1 ? "" : "s");
}

static bool
is_part(const DynEstimate *estimate)
{
	return estimate->segments < estimate->total_segments;
}

/*
 * Returns a text such as "4609 items, 2.4 MB, about 295 read units, at least
 * 12 s".  Omits unknown figures, and times below 1 s.  Omits items and bytes
 * if only some segments are read.  Returns NULL if the read units are unknown.
 */
static char *
describe_scan(const DynTableMeta *meta, const char *name,
			  const DynEstimate *estimate)
{
	const DynIndexMeta *index = meta ? dyn_metadata_index(meta, name) : NULL;
	uint64		items = index ? index->item_count
		: meta != NULL && name == NULL ? meta->item_count : 0;
	double		ms = !estimate->prices.known ? 0
		: dyn_reads_wait_ms(&estimate->reads, &estimate->prices);

	if (estimate->assumed)
		return NULL;
	return psprintf("%s%s%s", is_part(estimate) || items == 0 ? ""
					: psprintf(UINT64_FORMAT " item%s, %s, ", items, items == 1 ? "" : "s",
							   describe_size(index ? index->size_bytes : meta->size_bytes)),
					describe_units(estimate->reads.units),
					ms < 1000 ? "" : psprintf(", at least %.0f s", ms / 1000));
}

static char *
name_columns(const DynRelation *relation, const Bitmapset *attnums)
{
	StringInfoData list;
	int			attnum = -1;
	int			left = bms_num_members(attnums);

	initStringInfo(&list);
	while ((attnum = bms_next_member(attnums, attnum)) >= 0)
		appendStringInfo(&list, "\"%s\"%s", relation->columns[attnum - 1].name,
						 --left == 0 ? "" : left == 1 ? " and " : ", ");
	return list.data;
}

/*
 * Returns text such as " of foreign table x", because several foreign tables
 * may read one DynamoDB table.  Returns an empty string if the DynamoDB table
 * has the same name.
 */
static const char *
foreign_table_clause(const DynRelation *relation, const char *preposition)
{
	const char *same = dyn_relation_remote_name(relation->connection,
												relation->name, NIL);

	return strcmp(same, relation->table) == 0 ? ""
		: psprintf(" %s foreign table \"%s\"", preposition, relation->name);
}

static char *
key_condition_hint(const DynRelation *relation, const DynAccess *access)
{
	const DynTableMeta *meta = dyn_session_cached_table(relation->connection, relation->table);
	const DynTemplatedAttr *templated;
	const DynColumn *shown = NULL;
	const char *attribute;
	const char *name;

	if (access->keyed)
		return pstrdup("Use conditions that select fewer items by key");
	if (meta == NULL)
		return psprintf("Add a condition on the partition key%s",
						foreign_table_clause(relation, "of"));
	attribute = meta->key.hash[0].name;
	name = dyn_from_utf8_lossy(attribute);
	templated = dyn_relation_templated(relation, attribute);
	if (templated != NULL && templated->tmpl->nparts > 0)
		return psprintf("Add a condition on %s%s, from which partition key \"%s\" is composed,",
						name_columns(relation, access->lacking ? access->lacking
									 : dyn_templated_columns(templated)),
						foreign_table_clause(relation, "of"), name);
	for (int i = 0; i < relation->ncolumns; i++)
		shown = dyn_column_shows(&relation->columns[i], attribute)
			? &relation->columns[i] : shown;
	/*
	 * If a column shows an attribute whose name differs from the key's only in
	 * case, the advice below names the key, and does not propose another
	 * column.
	 */
	if (shown == NULL && dyn_relation_folded_column(relation, attribute) == NULL)
		return psprintf("Add a column for partition key \"%s\"%s and use it in a condition",
						name, foreign_table_clause(relation, "to"));
	return psprintf("Add a condition on %spartition key \"%s\"%s",
					shown == NULL || strcmp(shown->name, name) == 0 ? ""
					: psprintf("column \"%s\", ", shown->name), name,
					foreign_table_clause(relation, "of"));
}

/*
 * Returns a hint such as "Add a condition on partition key "x" to <then>.",
 * followed by the access plan's advice.  If the statement reads the segment
 * column, it cannot use a key, so the hint advises not to read this column.
 */
static char *
scan_hint(const DynRelation *relation, const DynAccess *access, const char *then)
{
	const char *advice = access->advice;
	const char *name = access->estimate.total_segments == 0 ? NULL
		: dyn_relation_column(relation, relation->segment_column)->name;

	return psprintf("%s%s to %s.%s", name && access->keyed ? psprintf("Do not read column \"%s\"", name)
					: key_condition_hint(relation, access), name == NULL || access->keyed ? ""
					: psprintf(" and do not read column \"%s\"", name), then,
					advice == NULL ? "" : psprintf(" %c%s.", pg_ascii_toupper(advice[0]), advice + 1));
}

/* Describes the table or index, such as: 2 of 256 segments of index "i" ... */
static const char *
describe_target(const DynRelation *relation, const char *index, const DynEstimate *estimate)
{
	return !is_part(estimate) ? dyn_describe_target(relation->table, index)
		: psprintf("%d of %d segments of %s", estimate->segments,
				   estimate->total_segments, dyn_describe_target(relation->table, index));
}

#define SILENCE		"avoid the scan, or set scan_policy to \"allow\" to silence this warning"

/*
 * Warns of a Scan or raises an error, as scan_policy demands.  `previewed` is
 * the number of read units that a preview (preview_units) used without finding
 * enough rows for the LIMIT; 0 if there was no preview.
 */
static void
warn_or_refuse(const DynRelation *relation, const char *index,
			   const DynEstimate *estimate, const DynAccess *access, double previewed)
{
	DynScanPolicy policy = dyn_relation_scan_policy(relation);
	const char *target = describe_target(relation, index, estimate);
	bool		part = is_part(estimate);
	const char *found = previewed == 0 ? ""
		: psprintf("The rows of the LIMIT were not found in %g read unit%s.",
				   previewed, previewed == 1 ? "" : "s");
	const char *size;

	if (policy == DYN_SCAN_ALLOW)
		return;
	size = describe_scan(dyn_session_cached_table(relation->connection, relation->table),
						 index, estimate);
	if (policy == DYN_SCAN_ERROR)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("%sscan of %s is disabled by scan_policy \"error\"", part ? "" : "full ", target),
				 size != NULL || previewed > 0
				 ? errdetail("%s%s%s", size ? psprintf("It would read %s.", size) : "",
							 size && previewed > 0 ? " " : "", found) : 0,
				 errhint("%s", scan_hint(relation, access, previewed > 0
										 ? "avoid the scan, raise preview_units, or set scan_policy to \"warn\" or \"allow\""
										 : "avoid the scan, or set scan_policy to \"warn\" or \"allow\""))));
	ereport(WARNING,
			(part ? errmsg("scan of %s%s", target, size ? psprintf(" (%s)", size) : "")
			 : errmsg("full scan of %s%s", target, size ? psprintf(" (%s)", size) : ""),
			 errhint("%s", scan_hint(relation, access, SILENCE))));
}

/*
 * Warns of a Scan that reads at most bound.items items (because of a LIMIT)
 * or, if bound.items is 0, at most bound.units read units.
 */
static void
warn_of_bounded_read(const DynScanDesc *scandesc)
{
	const DynRelation *relation = scandesc->relation;
	const DynAccess *access = scandesc->access;
	long		items = scandesc->bound.items;
	double		units = scandesc->bound.units;
	const char *target = dyn_describe_target(relation->table, access->index);
	const char *cost = "";
	const DynTableMeta *meta;
	DynScanPolicy policy = dyn_relation_scan_policy(relation);
	double		bytes;

	if (policy == DYN_SCAN_ALLOW)
		return;
	meta = dyn_session_cached_table(relation->connection, relation->table);
	bytes = meta == NULL ? 0
		: items * dyn_metadata_item_bytes(meta, dyn_metadata_index(meta, access->index));
	if (bytes > 0 && !access->estimate.assumed)
		cost = psprintf(" (%s)",
						describe_units(Min(dyn_page_units(bytes) * (relation->consistent ? 2 : 1),
										   access->estimate.reads.units)));
	ereport(WARNING,
			(items == 0
			 ? errmsg_plural("reading up to %g read unit of %s",
							 "reading up to %g read units of %s",
							 units == 1 ? 1 : 2, units, target)
			 : errmsg_plural("reading up to %ld item of %s%s",
							 "reading up to %ld items of %s%s", items, items, target, cost),
			 errhint("%s", scan_hint(relation, access, policy == DYN_SCAN_ERROR ? "avoid the scan" : SILENCE))));
}

bool
dyn_scan_policy_page(const DynRelation *relation, const DynTableMeta *meta,
					 int items)
{
	DynScanPolicy policy = dyn_relation_scan_policy(relation);

	if (policy == DYN_SCAN_ALLOW || dyn_is_small_read(meta, NULL, items))
		return true;
	if (policy == DYN_SCAN_ERROR)
		return false;
	ereport(WARNING,
			(errmsg("reading a page of %s (%s)",
					dyn_describe_target(relation->table, NULL),
					describe_units(DYN_FULL_PAGE_UNITS * (relation->consistent ? 2 : 1))),
			 errhint("Set scan_policy to \"allow\" to read without a warning.")));
	return true;
}

/*
 * Raises an error if `used` plus the read units of the full Scan exceed the
 * statement's `limit`, unless the table's size is unknown.
 */
static void
check_units(const DynRelation *relation, const char *index,
			const DynEstimate *estimate, const DynAccess *access, double used, double limit)
{
	double		units = estimate->reads.units;

	if (estimate->assumed || used + units <= limit)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg_plural("statement exceeds the limit of %g read unit",
						   "statement exceeds the limit of %g read units",
						   limit == 1 ? 1 : 2, limit),
			 errdetail("A %sscan of %s uses %s.", is_part(estimate) ? "" : "full ",
					   describe_target(relation, index, estimate), describe_units(units)),
			 errhint("%s", scan_hint(relation, access, "read less, or raise max_read_units_per_statement"))));
}

/* ---- policy for executions ---- */

/* True if one of `inputs` in the same plan tree as `input` reads all items. */
static bool
any_reads_all(const DynInput *input, const List *inputs)
{
	ListCell   *lc;

	foreach(lc, inputs)
	{
		const DynInput *other = lfirst(lc);
		const EState *estate = other->node->ss.ps.state;

		if (dyn_input_tree(other) == dyn_input_tree(input) &&
			dyn_plan_is_full_scan(estate->es_plannedstmt, other->node->ss.ps.plan,
								  dyn_run_is_to_end(estate)))
			return true;
	}
	return false;
}

/*
 * Applies the policy to a Scan, once for all executions of `scandesc`.  Uses
 * only the index and the estimate of `read`.  `inputs` and `warned` are those
 * of dyn_permit_shared; `warned` is NULL if the read is not shared.
 */
static void
apply_policy(const DynInput *input, DynScanDesc *scandesc, const DynAccess *read,
			 const List *inputs, bool *warned, double previewed)
{
	const DynRelation *relation = scandesc->relation;
	const DynAccess *access = scandesc->access;
	DynEstimate estimate = read->estimate;
	double		limit;

	if (scandesc->policy_applied || access->kind != DYN_ACCESS_SCAN)
		return;
	scandesc->policy_applied = true;
	/* adapt the estimate to the number of segments that the values select */
	if (estimate.segments > 0 && scandesc->nsegments > 0)
	{
		estimate.reads.units *= (double) scandesc->nsegments / estimate.segments;
		estimate.segments = scandesc->nsegments;
	}
	/* if the Scan cannot stop early, check the limit before any request */
	limit = dyn_statement_max_units(relation->connection);
	if (inputs != NIL && limit > 0 && (access->count_only || any_reads_all(input, inputs)))
		check_units(relation, read->index, &estimate, access,
					scandesc->statement->counters.read_units, limit);
	if (warned != NULL && dyn_relation_scan_policy(relation) == DYN_SCAN_WARN)
	{
		if (*warned)
			return;
		*warned = true;
	}
	warn_or_refuse(relation, read->index, &estimate, access, previewed);
}

void
dyn_permit_shared(DynInput *input, const DynAccess *access, const List *inputs,
				  bool *warned)
{
	apply_policy(input, input->scandesc, access, inputs, warned, 0);
}

static void
read_beyond(void *arg)
{
	DynInput   *input = arg;
	DynScanDesc *scandesc = input->scandesc;

	apply_policy(input, scandesc, scandesc->access, list_make1(input), NULL,
				 scandesc->bound.items > 0 ? 0 : scandesc->bound.units);
}

/*
 * Returns the read units that a Scan may use before the policy applies: for a
 * small read, those of DYN_SMALL_READ_BYTES; for a Scan that serves a LIMIT if
 * scan_policy is "error", preview_units.  Returns 0 for other reads, and if
 * this is not the only read of the scan.
 */
static double
free_units(const DynInput *input, const DynScanDesc *scandesc)
{
	const DynAccess *access = scandesc->access;
	double		units;

	if (!input->runs_once || input->requested)
		return 0;
	if (access->is_small)
		return dyn_page_units(DYN_SMALL_READ_BYTES) *
			(scandesc->relation->consistent ? 2 : 1);
	if (access->preview_rows <= 0 ||
		dyn_relation_scan_policy(scandesc->relation) != DYN_SCAN_ERROR)
		return 0;
	units = scandesc->relation->options.preview_units;
	return dyn_guc_preview_units < 0 ? units : Min(units, dyn_guc_preview_units);
}

bool
dyn_is_bounded(const DynInput *input)
{
	return free_units(input, input->scandesc) > 0;
}

void
dyn_permit_requests(DynInput *input, DynScanDesc *scandesc)
{
	const DynAccess *access = scandesc->access;
	double		units = free_units(input, scandesc);

	input->requested = true;
	memset(&scandesc->bound, 0, sizeof(scandesc->bound));
	if (units == 0)
	{
		apply_policy(input, scandesc, access, list_make1(input), NULL, 0);
		return;
	}
	Assert(scandesc == input->scandesc);
	scandesc->bound.units = units;
	scandesc->bound.items = access->is_small ? access->limit_hint : 0;
	scandesc->bound.wanted = access->preview_rows;
	scandesc->bound.found = access->preview_rows > 0 ? &input->found : NULL;
	scandesc->bound.beyond = read_beyond;
	scandesc->bound.arg = input;
	warn_of_bounded_read(scandesc);
}
