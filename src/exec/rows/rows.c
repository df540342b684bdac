/*
 * rows.c
 *		Decodes items into tuple slots.
 *
 * This is the hot loop of a scan: it decodes each fetched column.  A
 * mismatched value is an error that names table, column and item, unless the
 * column has on_mismatch 'null'.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "../../base/number.h"
#include "../../model/server/encoding.h"
#include "../../model/server/memory.h"
#include "../../model/server/pg_compat.h"
#include "../../model/values/path.h"
#include "rows.h"
#include "template_parts.h"

/* ---- keys of items ---- */

/* Stores the value as a scalar; returns false if no key can have the value. */
static bool
read_key_scalar(const DynValue *value, DynScalar *scalar)
{
	char	   *data = palloc(Max(value->len, DYN_NUMBER_BUFSIZE) + 1);

	scalar->type = value->type;
	scalar->data = data;
	scalar->len = 0;
	if (value->type == DYN_TYPE_S)
		scalar->len = dyn_value_text(value, data);
	else if (value->type == DYN_TYPE_B)
		scalar->len = Max(dyn_value_bytes(value, (unsigned char *) data), 0);
	else
		return value->type == DYN_TYPE_N &&
			dyn_number_canonical(value->data, value->len, data,
								 &scalar->len) == DYN_NUMBER_OK;
	return true;
}

void
dyn_key_scalar(const DynRelation *relation, const char *name,
			   const DynValue *value, DynScalar *scalar)
{
	if (!read_key_scalar(value, scalar))
		ereport(ERROR,
				(errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
				 errmsg("invalid value in key attribute \"%s\" of DynamoDB table \"%s\"",
						dyn_from_utf8_lossy(name), relation->table),
				 value->type == DYN_TYPE_ABSENT
				 ? errdetail("An item in the response lacks the attribute.")
				 : errdetail("An item in the response has a value of type %s.",
							 dyn_type_name(value->type)),
				 errhint("Check the server option endpoint_url, and whether a proxy changes the responses.")));
}

const char *
dyn_item_key_text(const DynKeyAttr *base, int nbase, const int *slots,
				  const DynValue *values)
{
	DynKeyPart	parts[2];

	for (int i = 0; i < nbase; i++)
	{
		if (slots[i] < 0 || values[slots[i]].type == DYN_TYPE_ABSENT ||
			!read_key_scalar(&values[slots[i]], &parts[i].value))
			return NULL;
		parts[i].name = base[i].name;
	}
	return dyn_key_text(parts, nbase, ", ");
}

const char *
dyn_key_text(const DynKeyPart *parts, int nparts, const char *separator)
{
	DynBuffer	text;

	dyn_buffer_init(&text, 0);
	for (int i = 0; i < nparts; i++)
	{
		dyn_buffer_printf(&text, "%s%s = ", i == 0 ? "" : separator, parts[i].name);
		dyn_scalar_print(&text, &parts[i].value);
	}
	return dyn_take_text(&text);
}

void
dyn_rows_item_key(const DynRows *rows, const DynValue *values, DynKeyPart *parts)
{
	Assert(rows->nbase > 0);
	for (int i = 0; i < rows->nbase; i++)
	{
		parts[i].name = rows->base[i].name;
		dyn_key_scalar(rows->relation, rows->base[i].name,
					   &values[rows->base_slots[i]], &parts[i].value);
	}
}

bool
dyn_rows_encodes_key(const DynRows *rows, const DynValue *values,
					 const DynKeyPart *parts)
{
	for (int i = 0; i < rows->nbase; i++)
	{
		if (!dyn_value_encodes(&values[rows->base_slots[i]], &parts[i].value))
			return false;
	}
	return true;
}

/* ---- errors ---- */

/*
 * Returns true if messages may show the item.  A user of a view must not see
 * items that the view hides, but items are converted before the view's
 * conditions are checked.
 */
static bool
may_show(const DynRows *rows)
{
	return rows->reader == GetUserId() || rows->note_error != NULL;
}

static const char *
read_key(const DynRows *rows)
{
	return !may_show(rows) ? NULL :
		dyn_item_key_text(rows->base, rows->nbase, rows->base_slots, rows->values);
}

/*
 * Returns the detail of a message: the table, the item's key, and `more`.
 * Must be called before ereport, because finding the key may send a request.
 */
static const char *
describe_item(const DynRows *rows, const char *more)
{
	const char *key = read_key(rows);
	const char *why = NULL;

	if (!may_show(rows))
		return psprintf("DynamoDB table \"%s\".", rows->relation->table);
	if (key == NULL && rows->find_key != NULL)
		key = rows->find_key(rows->find_key_arg, &why);
	return psprintf("DynamoDB table \"%s\", item %s%s.%s", rows->relation->table,
					key != NULL ? key : "(key unknown)", more,
					key != NULL || why == NULL ? ""
					: psprintf(" The item's key could not be fetched: %s.", why));
}

static const char *
describe_value(const DynRows *rows, const DynValue *value)
{
	int			len = pg_encoding_mbcliplen(PG_UTF8, value->data, value->len,
											Min(value->len, 60));

	if (value->type == DYN_TYPE_BOOL)
		return describe_item(rows, value->flags & DYN_VALUE_TRUE
							 ? ", value true" : ", value false");
	return describe_item(rows,
						 psprintf(", value %s%s", dyn_from_utf8_lossy(pnstrdup(value->data, len)),
								  len < value->len ? "..." : ""));
}

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
	if (value->type >= DYN_TYPE_SS && value->type < DYN_TYPE_L && codec->element == NULL)
		return "Change the column type. A column of an array type, such as text[], reads sets.";
	return "Change the column type or the column option \"format\".";
}

DYN_NORETURN static void
report_mismatch(DynRows *rows, const DynValue *value,
				const DynColumn *column, const char *why)
{
	const char *detail = describe_value(rows, value);
	bool		in_key = dyn_column_is_part(column) &&
		rows->relation->templated[column->templated].base;

	rows->current = NULL;		/* the message already names the column */
	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
			 errmsg("cannot convert value in column \"%s\" of foreign table \"%s\": %s",
					column->name, rows->relation->name,
					may_show(rows) ? why : "it does not match the column's type"),
			 errdetail_internal("%s", detail),
			 errhint("%s To %s, set on_mismatch to \"null\".",
					 mismatch_remedy(column, value),
					 in_key ? "skip such items" : "read such values as NULL")));
}

DYN_NORETURN static void
report_scalar(const DynRows *rows, const DynValue *value)
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

DYN_NORETURN static void
report_null(DynRows *rows, const DynColumn *column)
{
	const char *detail = describe_item(rows, "");

	rows->current = NULL;
	ereport(ERROR,
			(errcode(ERRCODE_NOT_NULL_VIOLATION),
			 errmsg("null value in column \"%s\" of foreign table \"%s\" violates not-null constraint",
					column->name, rows->relation->name),
			 errdetail_internal("%s", detail),
			 errhint("If another attribute contains the value, name it in the column option \"attribute\" or in a template. Otherwise, add the attribute to the item, or drop the constraint with ALTER FOREIGN TABLE %s ALTER COLUMN %s DROP NOT NULL.",
					 dyn_relation_quoted_name(rows->relation),
					 quote_identifier(column->name))));
}

DYN_NORETURN static void
report_ambiguous(const DynRows *rows, const char *attribute)
{
	const char *detail =
		describe_item(rows, ": the value of a placeholder contains its separator");

	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
			 errmsg("ambiguous key: attribute \"%s\" of foreign table \"%s\" matches its template in several ways",
					dyn_from_utf8_lossy(attribute), rows->relation->name),
			 errdetail_internal("%s", detail),
			 errhint("Write ${column:any} in the template if such items are rows of this table, or ${column:plain} if they are not.")));
}

DYN_NORETURN static void
report_placeholder_mismatch(DynRows *rows, const DynMismatch *mismatch)
{
	const char *detail;

	if (mismatch->why != NULL)
		report_mismatch(rows, mismatch->value, mismatch->column, mismatch->why);
	detail = describe_item(rows, "");
	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
			 errmsg("value of attribute \"%s\" of foreign table \"%s\" is not among those listed in its template",
					dyn_from_utf8_lossy(mismatch->attribute), rows->relation->name),
			 errdetail_internal("%s", detail),
			 errhint("Add the value to the template. To skip such items, set on_mismatch to \"null\".")));
}

/* ---- context of errors ---- */

static const char *
describe_key(const DynRows *rows)
{
	const char *key = read_key(rows);

	return key ? psprintf(", item %s", key) : "";
}

/* Adds the column and the item to an error that an input function raises. */
static void
conversion_context(void *arg)
{
	const DynRows *rows = arg;

	if (rows->current == NULL)
		return;
	if (!may_show(rows) && dyn_rejects_value(geterrcode()))
	{
		/* replace the messages, which may quote the value */
		errmsg("a value does not match the column's type");
		errdetail("The value is shown only to users who may read the foreign table.");
	}
	errcontext("%s of foreign table \"%s\"%s",
			   rows->current->column == NULL ? "key"
			   : psprintf("column \"%s\"", rows->current->column->name),
			   rows->relation->name, describe_key(rows));
}

typedef bool (*Step) (DynRows *rows, TupleTableSlot *slot);

/*
 * Calls step().  If the function of a type or domain rejects a value that must
 * not be shown, raises an error without the function's hint and context.
 * convert() is not inlined, so that items without a row do not pay for its
 * large stack frame.
 */
static pg_noinline bool
convert(DynRows *rows, Step step, TupleTableSlot *slot)
{
	ErrorContextCallback callback = {error_context_stack, conversion_context, rows};
	bool		result;

	error_context_stack = &callback;
	if (likely(may_show(rows)))
		result = step(rows, slot);
	else
	{
		PG_TRY();
		{
			result = step(rows, slot);
		}
		PG_CATCH();
		{
			int			code = geterrcode();

			if (rows->current == NULL || !dyn_rejects_value(code))
				PG_RE_THROW();
			FlushErrorState();
			/* conversion_context() replaces the message */
			ereport(ERROR, (errcode(code), errmsg_internal("rejected value")));
		}
		PG_END_TRY();
	}
	error_context_stack = callback.previous;
	return result;
}

/* ---- decoding ---- */

static bool
accept_null(DynRows *rows, const DynRowColumn *fetched)
{
	DynColumn  *column = fetched->column;
	bool		notes = rows->note_error != NULL;
	const char *why;

	if (rows->composed)
		return false;
	if (column->not_null && !fetched->partial)
	{
		if (!notes)
			report_null(rows, column);
		rows->note_error(rows->note_error_arg, DYN_ERROR_NULL, fetched->attnum,
						 "the column is declared NOT NULL");
	}
	/* the check itself raises an error if `notes` is false */
	else if (column->codec.is_domain &&
			 !dyn_codec_check_domain(&column->codec, (Datum) 0, true, notes, &why))
		rows->note_error(rows->note_error_arg, DYN_ERROR_MISMATCH, fetched->attnum, why);
	return false;
}

static pg_noinline bool
accept_mismatch(DynRows *rows, const DynRowColumn *fetched, const DynValue *value,
				const char *why)
{
	const DynColumn *column = fetched->column;

	if (rows->note_error != NULL)
		rows->note_error(rows->note_error_arg, DYN_ERROR_MISMATCH, fetched->attnum, why);
	else if (!column->null_on_mismatch)
		report_mismatch(rows, value, column, why);
	return column->null_on_mismatch && accept_null(rows, fetched);
}

static pg_attribute_always_inline bool
decode_value(DynRows *rows, const DynRowColumn *fetched, const DynValue *value,
			 Datum *result)
{
	DynColumn  *column = fetched->column;
	const char *why = NULL;

	rows->current = fetched;
	if (value->type == DYN_TYPE_ABSENT || value->type == DYN_TYPE_NULL)
		return accept_null(rows, fetched);
	if (dyn_codec_decode(&column->codec, value,
						 column->null_on_mismatch || rows->note_error != NULL,
						 result, &why))
		return true;
	return accept_mismatch(rows, fetched, value, why);
}

static pg_noinline bool
decode_part(DynRows *rows, const DynRowColumn *fetched, Datum *result)
{
	const char *why = NULL;
	DynValue	part;

	rows->current = fetched;
	if (dyn_parts_value(rows->parts, fetched->column, &part, &why))
		return decode_value(rows, fetched, &part, result);
	return accept_mismatch(rows, fetched, &rows->values[fetched->slot], why);
}

/*
 * Decodes a document of which some members are hidden.  A partial column shows
 * only the members in fetched->only.  A column with document 'rest' omits the
 * attributes in rows->omitted.
 */
static pg_noinline bool
decode_members(DynRows *rows, const DynRowColumn *fetched, Datum *result)
{
	static const DynValue absent = {.type = DYN_TYPE_ABSENT};
	DynCodec   *codec = &fetched->column->codec;
	DynMembers	usual = codec->members;
	const DynValue *value = &rows->values[fetched->slot];
	bool		is_value;

	/* a value that is not a map has no members to show */
	if (fetched->only != NULL && value->type != DYN_TYPE_M)
		return decode_value(rows, fetched, &absent, result);
	if (fetched->only == NULL)
		dyn_parts_omitted(rows->parts, usual.without, rows->omitted);
	codec->members = fetched->only != NULL ? (DynMembers) {usual.without, fetched->only}
		: (DynMembers) {rows->omitted, NULL};
	is_value = decode_value(rows, fetched, value, result);
	codec->members = usual;
	return is_value;
}

static pg_attribute_always_inline bool
decode_column(DynRows *rows, const DynRowColumn *fetched, Datum *result)
{
	if (unlikely(dyn_column_is_part(fetched->column)))
		return decode_part(rows, fetched, result);
	if (unlikely(fetched->only != NULL) ||
		(unlikely(rows->omitted != NULL) &&
		 fetched->column->document == DYN_REST_OF_ITEM && !fetched->partial))
		return decode_members(rows, fetched, result);
	return decode_value(rows, fetched, &rows->values[fetched->slot], result);
}

/*
 * Finds the values inside the current element.  For the first element, also
 * decodes the columns that are read from the item itself.
 */
static void
begin_element(DynRows *rows, DynUnnested *unnested)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(unnested->context);

	for (int i = 0; i < rows->ncolumns && !unnested->decoded; i++)
	{
		DynRowColumn *fetched = &rows->columns[i];

		if (fetched->slot >= 0)
			fetched->isnull = !decode_column(rows, fetched, &fetched->datum);
	}
	unnested->decoded = true;
	MemoryContextSwitchTo(oldcontext);
	if (unnested->tree != NULL)
	{
		dyn_values_below(unnested->tree, &unnested->elements.value,
						 unnested->below, &unnested->scratch);
		dyn_check_oom(unnested->scratch.failed);
	}
}

static bool
decode_unnested(DynRows *rows, const DynRowColumn *fetched, Datum *result)
{
	DynUnnested *unnested = rows->unnested;
	DynElements *elements = &unnested->elements;
	DynPathBase base = fetched->column->base;
	DynType		type = elements->collection.type;
	const DynValue *value = &elements->value;
	DynValue	position;

	if (fetched->slot >= 0)
	{
		*result = fetched->datum;
		return !fetched->isnull;
	}
	rows->current = fetched;
	if (base == DYN_PATH_INDEX)
	{
		if (type != DYN_TYPE_L)
			return accept_mismatch(rows, fetched, value, type == DYN_TYPE_M
								   ? "the elements of a map have no position"
								   : "the elements of a set have no position");
		/* the position, written as DynamoDB writes numbers */
		snprintf(unnested->position, sizeof(unnested->position), "%u", elements->position);
		position = (DynValue) {
			.data = unnested->position,
			.len = strlen(unnested->position),
			.type = DYN_TYPE_N
		};
		value = &position;
	}
	else if (base == DYN_PATH_KEY)
	{
		if (type != DYN_TYPE_M)
			return accept_mismatch(rows, fetched, value, type == DYN_TYPE_L
								   ? "the elements of a list have no name"
								   : "the elements of a set have no name");
		value = &elements->name;
	}
	else if (fetched->below_slot >= 0)
		value = &unnested->below[fetched->below_slot];
	return decode_value(rows, fetched, value, result);
}

static bool
store_row(DynRows *rows, TupleTableSlot *slot)
{
	Assert(rows->values != NULL);
	ExecClearTuple(slot);
	memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts * sizeof(bool));
	if (rows->unnested != NULL)
		begin_element(rows, rows->unnested);
	for (int i = 0; i < rows->ncolumns; i++)
	{
		const DynRowColumn *fetched = &rows->columns[i];
		int			position = fetched->position;

		Assert(position >= 0 && position < slot->tts_tupleDescriptor->natts);
		slot->tts_isnull[position] = likely(rows->unnested == NULL)
			? !decode_column(rows, fetched, &slot->tts_values[position])
			: !decode_unnested(rows, fetched, &slot->tts_values[position]);
	}
	ExecStoreVirtualTuple(slot);
	return true;
}

/* ---- the rows of an item ---- */

static pg_noinline bool
is_row(DynRows *rows)
{
	bool		passes;

	dyn_buffer_reset(&rows->scratch);
	passes = dyn_item_matches(rows->test, rows->values, &rows->scratch);
	dyn_check_oom(rows->scratch.failed);
	return passes;
}

/*
 * Returns true if the item is a row according to the templates.  If note_error
 * is set, an ambiguous item is not a row, but an item with a mismatch is.
 */
static bool
parts_match(DynRows *rows, TupleTableSlot *unused)
{
	static const DynRowColumn key = {.column = NULL};
	const DynMismatch *mismatch;
	DynRowMatch match;

	rows->current = &key;
	match = dyn_parts_begin(rows->parts, rows->values, &mismatch);
	rows->current = NULL;
	if (match == DYN_MATCH_AMBIGUOUS && rows->note_error != NULL)
		rows->note_error(rows->note_error_arg, DYN_ERROR_AMBIGUOUS, 0, mismatch->attribute);
	else if (match == DYN_MATCH_AMBIGUOUS)
		report_ambiguous(rows, mismatch->attribute);
	else if (match == DYN_MATCH_MISMATCH && rows->note_error == NULL)
		report_placeholder_mismatch(rows, mismatch);
	else if (match == DYN_MATCH_MISMATCH && mismatch->why == NULL)
		rows->note_error(rows->note_error_arg, DYN_ERROR_MISMATCH,
						 mismatch->column - rows->relation->columns + 1, DYN_NOT_LISTED);
	/* other mismatches are noted later, when the columns are decoded */
	return match == DYN_MATCH_ROW || match == DYN_MATCH_MISMATCH;
}

/* Begins the item's elements; returns false if there are none. */
static bool
begin_elements(DynRows *rows, const DynValue *collection)
{
	if (collection->type >= DYN_TYPE_SS)
	{
		MemoryContextReset(rows->unnested->context);
		rows->unnested->decoded = false;
		dyn_elements_begin(&rows->unnested->elements, collection);
		return dyn_elements_next(&rows->unnested->elements);
	}
	if (collection->type == DYN_TYPE_ABSENT || collection->type == DYN_TYPE_NULL)
		return false;
	if (rows->note_error != NULL)
		rows->note_error(rows->note_error_arg, DYN_ERROR_SCALAR, 0,
						 dyn_type_name(collection->type));
	else if (!rows->relation->skips_scalars)
		report_scalar(rows, collection);
	return false;
}

void
dyn_rows_keep_row(DynRows *rows)
{
	if (rows->unnested != NULL)
		rows->unnested->context =
			AllocSetContextCreate(MemoryContextGetParent(rows->unnested->context),
								  "dynamo_fdw unnested item", ALLOCSET_SMALL_SIZES);
}

static pg_noinline void
count_rejected(const DynRows *rows, DynRowTally *tally)
{
	const char *key;

	if (tally->rejected++ > 0)
		return;
	key = read_key(rows);
	if (key != NULL)
		tally->rejected_key = MemoryContextStrdup(GetMemoryChunkContext(tally), key);
}

void
dyn_rows_begin(DynRows *rows, const DynValue *values)
{
	Assert(rows->left == 0);
	rows->values = values;
	rows->left = (rows->test == NULL || is_row(rows)) &&
		(rows->parts == NULL || convert(rows, parts_match, NULL)) ? 1 : 0;
	if (rows->relation->tally != NULL && likely(rows->left > 0))
		rows->relation->tally->any_row = true;
	else if (rows->relation->tally != NULL)
		count_rejected(rows, rows->relation->tally);
	if (rows->unnested != NULL && rows->left > 0)
		rows->left = begin_elements(rows, &values[rows->unnested->slot]);
}

bool
dyn_rows_next(DynRows *rows, TupleTableSlot *slot)
{
	Assert(rows->left >= 0);
	if (rows->left == 0)
		return false;
	convert(rows, store_row, slot);
	dyn_rows_skip(rows);
	return true;
}

void
dyn_rows_end(DynRows *rows)
{
	rows->left = 0;
}

/* ---- single items ---- */

static void
free_reader(void *arg)
{
	DynItemReader *reader = arg;

	dyn_page_free(&reader->page);
	dyn_path_tree_free(reader->tree);
}

DynItemReader *
dyn_item_reader_create(DynRows *rows)
{
	DynItemReader *reader = palloc0(sizeof(DynItemReader));

	reader->rows = rows;
	reader->values = palloc(Max(rows->npaths, 1) * sizeof(DynValue));
	reader->tree = dyn_path_tree_create(rows->paths, rows->npaths);
	dyn_check_oom(reader->tree == NULL);
	dyn_call_at_reset(CurrentMemoryContext, free_reader, reader);
	return reader;
}

const DynValue *
dyn_item_reader_read(DynItemReader *reader, const char *item, size_t len)
{
	DynPageCursor cursor;
	DynPageError error;

	if (!dyn_page_parse(&reader->page, DYN_PARSE_ITEM, reader->tree, item, len, &error))
		ereport(ERROR,
				(errcode(ERRCODE_FDW_UNABLE_TO_CREATE_REPLY),
				 errmsg("could not read an item of DynamoDB table \"%s\"",
						reader->rows->relation->table),
				 errdetail("At byte %zu: %s.", error.offset, error.reason)));
	dyn_page_cursor_init(&cursor, &reader->page);
	(void) dyn_page_next(&cursor, reader->values);
	return reader->values;
}
