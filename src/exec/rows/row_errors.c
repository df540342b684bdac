/*
 * row_errors.c
 *		Reports items and values that do not match their foreign table.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "../../model/server/encoding.h"
#include "../../model/values/path.h"
#include "row_errors.h"

/*
 * Returns the item's key, for a message; *note is a sentence to follow, or
 * empty.
 */
static const char *
item_key(const DynRows *rows, const DynValue *values, const char **note)
{
	char	   *key = dyn_item_key_text(rows->base, rows->nbase,
										rows->base_slots, values);
	const char *why = NULL;

	*note = "";
	if (key == NULL && rows->find_key != NULL)
		key = rows->find_key(rows->find_key_arg, &why);
	if (key != NULL)
		return dyn_from_utf8_lossy(key);
	if (why != NULL)
		*note = psprintf(" The item's key could not be fetched: %s.", why);
	return "(key unknown)";
}

/* Returns a short excerpt of a mismatched value. */
static const char *
excerpt(const DynValue *value)
{
	int			len = Min(value->len, 60);

	if (value->type == DYN_TYPE_BOOL)
		return value->flags & DYN_VALUE_TRUE ? "true" : "false";
	len = pg_encoding_mbcliplen(PG_UTF8, value->data, value->len, len);
	return psprintf("%s%s", dyn_from_utf8_lossy(pnstrdup(value->data, len)),
					len < value->len ? "..." : "");
}

void
dyn_report_mismatch(DynRows *rows, const DynValue *value,
					const DynColumn *column, const char *why)
{
	const char *note;
	const char *key = item_key(rows, rows->values, &note);

	rows->current = -1;			/* the message has what the context would */
	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
			 errmsg("cannot convert value in column \"%s\" of foreign table \"%s\": %s",
					column->name, rows->relation->name, why),
			 errdetail("DynamoDB table \"%s\", item %s, value %s.%s",
					   rows->relation->table, key,
					   excerpt(value), note),
			 errhint("Change the column type or the column option \"format\". To read such values as NULL, set on_mismatch to \"null\".")));
}

/* Reports a value other than a list, set or map. */
void
dyn_report_scalar(const DynRows *rows, const DynValue *value)
{
	const char *note;
	const char *key = item_key(rows, rows->values, &note);

	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
			 errmsg("cannot unnest value at path \"%s\" of foreign table \"%s\": DynamoDB type %s has no elements",
					dyn_path_text(rows->relation->unnest), rows->relation->name,
					dyn_type_name(value->type)),
			 errdetail("DynamoDB table \"%s\", item %s, value %s.%s",
					   rows->relation->table, key, excerpt(value), note),
			 errhint("To skip such items, set the table option on_mismatch to \"null\".")));
}

void
dyn_report_null(DynRows *rows, int i)
{
	const DynColumn *column = dyn_relation_column(rows->relation,
												  rows->attnums[i]);
	const char *note;
	const char *key = item_key(rows, rows->values, &note);

	rows->current = -1;
	ereport(ERROR,
			(errcode(ERRCODE_NOT_NULL_VIOLATION),
			 errmsg("null value in column \"%s\" of foreign table \"%s\" violates not-null constraint",
					column->name, rows->relation->name),
			 errdetail("DynamoDB table \"%s\", item %s.%s", rows->relation->table,
					   key, note),
			 errhint("Drop the constraint with ALTER FOREIGN TABLE %s ALTER COLUMN %s DROP NOT NULL, or add the attribute to the item.",
					 rows->relation->name, column->name)));
}

void
dyn_report_ambiguous(const DynRows *rows, const DynValue *values,
					 const char *attribute)
{
	const char *note;
	const char *key = item_key(rows, values, &note);

	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
			 errmsg("ambiguous key: attribute \"%s\" of foreign table \"%s\" matches its template in several ways",
					dyn_from_utf8_lossy(attribute), rows->relation->name),
			 errdetail("DynamoDB table \"%s\", item %s: the value of a placeholder contains its separator.%s",
					   rows->relation->table, key, note),
			 errhint("Write ${column:any} in the template if such items are rows of this table, or ${column:plain} if they are not.")));
}

DYN_NORETURN static void
report_not_listed(const DynRows *rows, const DynValue *values,
				  const char *attribute)
{
	const char *note;
	const char *key = item_key(rows, values, &note);

	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
			 errmsg("value of attribute \"%s\" of foreign table \"%s\" is not among those listed in its template",
					dyn_from_utf8_lossy(attribute), rows->relation->name),
			 errdetail("DynamoDB table \"%s\", item %s.%s", rows->relation->table,
					   key, note),
			 errhint("Add the value to the template. To skip such items, set on_mismatch to \"null\".")));
}

/* Reports a part that cannot be a value of its column. */
void
dyn_report_placeholder_mismatch(DynRows *rows, const DynMismatch *mismatch)
{
	if (mismatch->why == NULL)
		report_not_listed(rows, rows->values, mismatch->attribute);
	dyn_report_mismatch(rows, mismatch->value, mismatch->column, mismatch->why);
}
