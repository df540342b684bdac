/*
 * row_errors.c
 *		Reports items and values that do not match their foreign table.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "../../model/server/encoding.h"
#include "../../model/values/path.h"
#include "row_errors.h"

/*
 * Returns the detail of a message: the table, the item's key, and `more` about
 * the item.  Must be called before ereport, because it may send a request.
 */
static const char *
describe_item(const DynRows *rows, const DynValue *values, const char *more)
{
	char	   *key = dyn_item_key_text(rows->base, rows->nbase,
										rows->base_slots, values);
	const char *why = NULL;

	if (key == NULL && rows->find_key != NULL)
		key = rows->find_key(rows->find_key_arg, &why);
	return psprintf("DynamoDB table \"%s\", item %s%s.%s", rows->relation->table,
					key != NULL ? dyn_from_utf8_lossy(key) : "(key unknown)", more,
					key != NULL || why == NULL ? ""
					: psprintf(" The item's key could not be fetched: %s.", why));
}

static const char *
describe_value(const DynRows *rows, const DynValue *value)
{
	int			len = pg_encoding_mbcliplen(PG_UTF8, value->data, value->len,
											Min(value->len, 60));

	if (value->type == DYN_TYPE_BOOL)
		return describe_item(rows, rows->values, value->flags & DYN_VALUE_TRUE
							 ? ", value true" : ", value false");
	return describe_item(rows, rows->values,
						 psprintf(", value %s%s", dyn_from_utf8_lossy(pnstrdup(value->data, len)),
								  len < value->len ? "..." : ""));
}

/* Returns a hint: how to change the column so that it accepts the value. */
static const char *
mismatch_remedy(const DynColumn *column, const DynValue *value)
{
	const DynCodec *codec = &column->codec;

	if (dyn_column_is_part(column))
		return codec->format.kind != DYN_FORMAT_DIGITS
			? "Change the column type or the template."
			: psprintf("Change the column type or the template. For numbers with leading zeros, write the number of digits in the template, such as ${%s:padded(3)}.",
					   column->name);
	if (value->type == DYN_TYPE_N && dyn_codec_is_instant(codec) &&
		codec->wire != DYN_TYPE_N)
		return "Set the column option \"format\" to \"epoch\" for seconds, or to \"epoch_ms\" for milliseconds.";
	if ((value->type == DYN_TYPE_L || value->type == DYN_TYPE_M) &&
		codec->kind != DYN_CODEC_JSON && codec->kind != DYN_CODEC_JSONB &&
		codec->kind != DYN_CODEC_JSON_TEXT)
		return "Change the column type. A jsonb column accepts every DynamoDB type.";
	return "Change the column type or the column option \"format\".";
}

void
dyn_report_mismatch(DynRows *rows, const DynValue *value,
					const DynColumn *column, const char *why)
{
	const char *detail = describe_value(rows, value);
	bool		in_key = dyn_column_is_part(column) &&
		rows->relation->templated[column->templated].base;

	rows->current = -1;			/* the message names the column, so omit the
								 * error context */
	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
			 errmsg("cannot convert value in column \"%s\" of foreign table \"%s\": %s",
					column->name, rows->relation->name, why),
			 errdetail_internal("%s", detail),
			 errhint("%s To %s, set on_mismatch to \"null\".",
					 mismatch_remedy(column, value),
					 in_key ? "skip such items" : "read such values as NULL")));
}

void
dyn_report_scalar(const DynRows *rows, const DynValue *value)
{
	const char *detail = describe_value(rows, value);

	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
			 errmsg("cannot unnest value at path \"%s\" of foreign table \"%s\": DynamoDB type %s has no elements",
					dyn_path_text(rows->relation->unnest), rows->relation->name,
					dyn_type_name(value->type)),
			 errdetail_internal("%s", detail),
			 errhint("To skip such items, set the table option on_mismatch to \"null\".")));
}

void
dyn_report_null(DynRows *rows, int i)
{
	const DynColumn *column = dyn_relation_column(rows->relation,
												  rows->attnums[i]);
	const char *detail = describe_item(rows, rows->values, "");

	rows->current = -1;
	ereport(ERROR,
			(errcode(ERRCODE_NOT_NULL_VIOLATION),
			 errmsg("null value in column \"%s\" of foreign table \"%s\" violates not-null constraint",
					column->name, rows->relation->name),
			 errdetail_internal("%s", detail),
			 errhint("If another attribute contains the value, name it in the column option \"attribute\" or in a template. Otherwise, add the attribute to the item, or drop the constraint with ALTER FOREIGN TABLE %s ALTER COLUMN %s DROP NOT NULL.",
					 dyn_relation_quoted_name(rows->relation),
					 quote_identifier(column->name))));
}

void
dyn_report_ambiguous(const DynRows *rows, const DynValue *values,
					 const char *attribute)
{
	const char *detail =
		describe_item(rows, values,
					  ": the value of a placeholder contains its separator");

	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
			 errmsg("ambiguous key: attribute \"%s\" of foreign table \"%s\" matches its template in several ways",
					dyn_from_utf8_lossy(attribute), rows->relation->name),
			 errdetail_internal("%s", detail),
			 errhint("Write ${column:any} in the template if such items are rows of this table, or ${column:plain} if they are not.")));
}

void
dyn_report_placeholder_mismatch(DynRows *rows, const DynMismatch *mismatch)
{
	const char *detail;

	if (mismatch->why != NULL)
		dyn_report_mismatch(rows, mismatch->value, mismatch->column, mismatch->why);
	detail = describe_item(rows, rows->values, "");
	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
			 errmsg("value of attribute \"%s\" of foreign table \"%s\" is not among those listed in its template",
					dyn_from_utf8_lossy(mismatch->attribute), rows->relation->name),
			 errdetail_internal("%s", detail),
			 errhint("Add the value to the template. To skip such items, set on_mismatch to \"null\".")));
}
