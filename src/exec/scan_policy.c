/*
 * scan_policy.c
 *		Warns of reading a whole table, or refuses to.
 */
#include "postgres.h"

#include "../dynamodb/units.h"
#include "../model/path.h"
#include "scan_policy.h"

static char *
table_size_words(const DynTableMeta *meta)
{
	double		bytes = meta->size_bytes;
	const char *unit = "bytes";

	if (bytes >= 1024.0 * 1024 * 1024)
	{
		bytes /= 1024.0 * 1024 * 1024;
		unit = "GB";
	}
	else if (bytes >= 1024.0 * 1024)
	{
		bytes /= 1024.0 * 1024;
		unit = "MB";
	}
	else if (bytes >= 1024)
	{
		bytes /= 1024;
		unit = "kB";
	}
	return psprintf(unit[0] == 'b' ? "%.0f %s" : "%.1f %s", bytes, unit);
}

static double
units_of_scan(const DynRelation *relation, double size_bytes)
{
	return dyn_page_units(size_bytes) * (relation->consistent ? 2 : 1);
}

/* ", at least 12 s" if the capacity is known, and that long. */
static char *
time_clause(const DynRelation *relation, const DynTableMeta *meta, double units)
{
	const DynReadOptions *options = &relation->options;
	DynCapacity capacity;
	double		ms;

	if (!meta->throughput.provisioned && options->read_capacity == 0)
		return pstrdup("");
	dyn_capacity_init(&capacity, &meta->throughput, meta->size_bytes,
					  options->read_capacity, options->read_percent);
	ms = dyn_units_ms(&capacity, units, 0);
	return ms < 1000 ? pstrdup("") : psprintf(", at least %.0f s", ms / 1000);
}

/* ": 4609 items, 2.4 MB, about 295 read units" if that is known. */
static char *
size_clause(const DynRelation *relation, const DynTableMeta *meta)
{
	double		units;

	if (meta == NULL || meta->item_count == 0)
		return pstrdup("");
	units = units_of_scan(relation, meta->size_bytes);
	return psprintf(": " UINT64_FORMAT " items, %s, about %.0f read units%s",
					(uint64) meta->item_count, table_size_words(meta),
					Max(units, 1), time_clause(relation, meta, units));
}

static bool
shows_attribute(const DynRelation *relation, const DynKeyAttr *attr)
{
	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];

		if (!column->dropped && dyn_column_is_of_item(column) &&
			dyn_path_is_attribute(column->path, attr->name))
			return true;
	}
	return false;
}

/* What would avoid the Scan: conditions on the key, or a column for it. */
static char *
key_hint(const DynRelation *relation, const DynTableMeta *meta)
{
	if (meta == NULL)
		return pstrdup("Restrict the partition key");
	if (!shows_attribute(relation, &meta->key.hash[0]))
		return psprintf("No column has the partition key \"%s\": add one and restrict it",
						meta->key.hash[0].name);
	return psprintf("Restrict the partition key \"%s\"", meta->key.hash[0].name);
}

void
dyn_scan_policy_apply(const DynRelation *relation)
{
	DynScanPolicy policy = dyn_relation_scan_policy(relation);
	const DynTableMeta *meta;

	if (policy == DYN_SCAN_ALLOW)
		return;
	meta = dyn_session_cached_table(relation->connection, relation->table);
	if (policy == DYN_SCAN_ERROR)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("reading the whole DynamoDB table \"%s\" is not allowed%s",
						relation->table, size_clause(relation, meta)),
				 errhint("%s, or set scan_policy to \"warn\" or \"allow\".",
						 key_hint(relation, meta))));
	ereport(WARNING,
			(errmsg("reading the whole DynamoDB table \"%s\"%s",
					relation->table, size_clause(relation, meta)),
			 errhint("%s, or set scan_policy to \"allow\".",
					 key_hint(relation, meta))));
}

void
dyn_scan_check_units(const DynRelation *relation, const char *index,
					 double used, double limit)
{
	const DynTableMeta *meta = dyn_session_cached_table(relation->connection,
														relation->table);
	const DynIndexMeta *of_index = meta && index
		? dyn_metadata_index(meta, index) : NULL;
	double		units;

	if (meta == NULL || (index != NULL && of_index == NULL))
		return;
	units = units_of_scan(relation,
						  of_index ? of_index->size_bytes : meta->size_bytes);
	if (used + units <= limit)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("statement would use more than %g read units", limit),
			 errdetail("Reading the whole DynamoDB table \"%s\" uses about %.0f.",
					   relation->table, units),
			 errhint("%s, or raise max_statement_units.",
					 key_hint(relation, meta))));
}
