/*
 * rows.c
 *		Decodes items into tuple slots.
 *
 * This is the hot loop of a scan: it calls a codec for each fetched column.  A
 * mismatched value is an error that names table, column and item, unless the
 * column has on_mismatch 'null'.
 *
 * An item of an unnested table yields a row for each element (unnested.h).
 */
#include "postgres.h"

#include "../../model/server/memory.h"
#include "executor/executor.h"
#include "nodes/value.h"
#include "utils/builtins.h"
#include "utils/elog.h"

#include "../../model/server/encoding.h"
#include "../../model/values/path.h"
#include "../keys/filter.h"
#include "row_errors.h"
#include "rows.h"
#include "template_parts.h"

static void
append_path(DynPath **paths, int *n, int *space, const DynPath *path)
{
	if (*n == *space)
	{
		*space = Max(8, *space * 2);
		*paths = dyn_grown(*paths, *space * sizeof(DynPath));
	}
	(*paths)[(*n)++] = *path;
}

static int
add_path(DynRows *rows, const DynPath *path)
{
	append_path(&rows->paths, &rows->npaths, &rows->path_space, path);
	return rows->npaths - 1;
}

int
dyn_rows_slot(const DynRows *rows, const char *name)
{
	for (int i = 0; i < rows->npaths; i++)
	{
		if (dyn_path_is_attribute(&rows->paths[i], name))
			return i;
	}
	return -1;
}

/*
 * Returns the path to request, which is the full attribute if DynamoDB rejects
 * paths below it.
 */
static DynPath
projected_path(const DynRows *rows, const DynPath *path)
{
	DynPath		projected = *path;
	ListCell   *lc;

	foreach(lc, rows->scalars)
	{
		if (path->nsteps > 0 && strcmp(strVal(lfirst(lc)), path->steps[0].name) == 0)
			projected.nsteps = 1;
	}
	return projected;
}

/*
 * Adds a path to the projection, unless the projection has the path, or the
 * fetch itself provides the value.  An empty path requests the full item.
 */
static void
project(DynRows *rows, const DynPath *path)
{
	if (dyn_path_is_attribute(path, DYN_SEGMENT_NAME))
		return;
	rows->full |= (path->nsteps == 0);
	if (rows->full)
		rows->nprojection = 0;
	else if (dyn_path_position(path, rows->projection, rows->nprojection) < 0)
		append_path(&rows->projection, &rows->nprojection,
					&rows->projection_space, path);
}

/*
 * Adds slots for the fetched columns.  A column is partial if the statement
 * needs only fields below it.
 */
static void
add_columns(DynRows *rows, const DynAccess *access)
{
	int			space = Max(list_length(access->fields), 1);
	ListCell   *lc;

	rows->attnums = palloc(space * sizeof(AttrNumber));
	rows->slots = palloc(space * sizeof(int));
	rows->partial = palloc(space * sizeof(bool));
	foreach(lc, access->fields)
	{
		const DynField *field = lfirst(lc);
		const DynColumn *column = dyn_relation_column(rows->relation, field->attnum);
		DynPath		projected = projected_path(rows, dyn_field_path(rows->relation, field));
		int			i = 0;

		project(rows, &projected);
		while (i < rows->ncolumns && rows->attnums[i] != field->attnum)
			i++;
		if (i == rows->ncolumns)
		{
			rows->slots[i] = dyn_column_is_of_item(column)
				? add_path(rows, column->path) : -1;
			rows->partial[i] = true;
			rows->attnums[i] = field->attnum;
			rows->ncolumns++;
		}
		rows->partial[i] &= field->steps != NIL;
	}
}

/*
 * Adds a slot for the path, unless it has one.  Requests the path in both
 * cases, because a path with a slot may be requested only in part so far.
 */
static void
read_path(DynRows *rows, const DynPath *path)
{
	DynPath		projected = projected_path(rows, path);

	if (dyn_path_position(path, rows->paths, rows->npaths) < 0)
		(void) add_path(rows, path);
	project(rows, &projected);
}

static void
read_attributes(DynRows *rows, const DynKeyAttr *attrs, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (dyn_rows_slot(rows, attrs[i].name) < 0)
			read_path(rows, dyn_path_of_attribute(attrs[i].name));
	}
}

/*
 * Adds the attributes that `flags` selects, and finds the slots of keys.  The
 * key has slots even without a flag if full items, which contain it, are
 * requested.
 */
static void
add_keys(DynRows *rows, const DynAccess *access, int flags)
{
	if (flags & DYN_ROWS_SORT)
	{
		read_attributes(rows, access->sort, access->nsort);
		for (int i = 0; i < access->nsort; i++)
			rows->sort_slots[i] = dyn_rows_slot(rows, access->sort[i].name);
	}
	if (flags & DYN_ROWS_KEY)
		read_attributes(rows, access->base, access->nbase);
	for (int i = 0; i < access->nhash && (flags & DYN_ROWS_PARTITION); i++)
	{
		if (dyn_rows_slot(rows, access->hash[i].name) < 0)
			read_path(rows, dyn_path_of_attribute(access->hash[i].name));
	}
	rows->nbase = access->nbase;
	rows->base = access->base;
	for (int i = 0; i < rows->nbase; i++)
	{
		rows->base_slots[i] = dyn_rows_slot(rows, rows->base[i].name);
		if (rows->base_slots[i] < 0 && rows->full)
			rows->base_slots[i] =
				add_path(rows, dyn_path_of_attribute(rows->base[i].name));
	}
	/* an empty projection would request all attributes */
	if (rows->nprojection == 0)
		project(rows, dyn_path_of_attribute(rows->base[0].name));
}

static bool
read_leaf(DynPred *pred, void *arg)
{
	DynRows    *rows = arg;

	if (!dyn_pred_is_given(pred))
		read_path(rows, dyn_pred_path(rows->relation, pred));
	return false;
}

void
dyn_rows_add_rows(DynRows *rows, const DynRows *others, int *slots)
{
	for (int i = 0; i < others->npaths; i++)
	{
		slots[i] = dyn_path_position(&others->paths[i], rows->paths, rows->npaths);
		if (slots[i] < 0)
			slots[i] = add_path(rows, &others->paths[i]);
	}
	rows->full |= others->full;
	if (rows->full)
		rows->nprojection = 0;
	for (int i = 0; i < others->nprojection; i++)
		project(rows, &others->projection[i]);
}

/*
 * Adds the state of the templates.  Their attributes are requested in full,
 * since they decide whether an item is a row.
 */
static void
add_parts(DynRows *rows)
{
	DynRelation *relation = rows->relation;
	bool	   *needed = palloc(relation->ntemplated * sizeof(bool));
	Bitmapset  *attnums = NULL;
	const DynColumn *rest = NULL;
	ListCell   *lc;

	for (int i = 0; i < rows->ncolumns; i++)
	{
		const DynColumn *column = dyn_relation_column(relation, rows->attnums[i]);

		if (rows->partial[i])
			continue;
		attnums = bms_add_member(attnums, rows->attnums[i]);
		if (column->document == DYN_REST_OF_ITEM)
			rest = column;
	}
	foreach(lc, dyn_templated_paths(relation->templated, relation->ntemplated,
									relation->columns, attnums, needed))
		read_path(rows, lfirst(lc));
	rows->parts = dyn_parts_create(relation, needed, rows->paths, rows->npaths);
	if (rest != NULL)
		rows->rest = dyn_rest_create(rest, rows->parts);
}

/* Prepares the item filter, templates and unnesting. */
static void
add_conversion(DynRows *rows)
{
	const DynItemFilter *test = &rows->relation->item_filter;
	const DynPath *unnest = rows->relation->unnest;

	for (int i = 0; i < test->nterms; i++)
		read_path(rows, test->terms[i].path);
	if (rows->relation->ntemplated > 0)
		add_parts(rows);
	if (test->nterms > 0)
	{
		rows->test = dyn_item_filter_cond(test);
		if (!dyn_cond_bind(rows->test, rows->paths, rows->npaths))
			elog(ERROR, "an attribute of the item filter is not read");
		dyn_buffer_init_in(&rows->scratch, CurrentMemoryContext);
	}
	if (unnest == NULL)
		return;
	read_path(rows, unnest);
	rows->unnested = dyn_unnested_create(rows->relation, rows->attnums,
										 rows->ncolumns,
										 dyn_path_position(unnest, rows->paths,
														   rows->npaths));
}

DynRows *
dyn_rows_create(DynRelation *relation, const DynAccess *access, int flags,
				const List *filters)
{
	DynRows    *rows = palloc0(sizeof(DynRows));
	ListCell   *lc;

	rows->relation = relation;
	rows->scalars = access->scalars;
	add_columns(rows, access);
	add_keys(rows, access, flags);
	foreach(lc, filters)
		(void) dyn_pred_visit(lfirst(lc), read_leaf, rows);
	if (flags & DYN_ROWS_CONVERT)
		add_conversion(rows);
	return rows;
}

/* ---- context of errors ---- */

/*
 * Returns ", item " and the key of the current item; an empty string if the
 * key was not read.
 */
static const char *
describe_key(const DynRows *rows)
{
	char	   *key = dyn_item_key_text(rows->base, rows->nbase, rows->base_slots,
										rows->values);

	return key ? psprintf(", item %s", dyn_from_utf8_lossy(key)) : "";
}

/* Adds the column and the item to an error that an input function raises. */
static void
conversion_context(void *arg)
{
	const DynRows *rows = arg;

	if (rows->current >= 0)
		errcontext("column \"%s\" of foreign table \"%s\"%s",
				   dyn_relation_column(rows->relation,
									   rows->attnums[rows->current])->name,
				   rows->relation->name, describe_key(rows));
}

/* ---- decoding ---- */

static bool
accept_null(DynRows *rows, int i)
{
	DynColumn  *column = dyn_relation_column(rows->relation, rows->attnums[i]);
	bool		notes = rows->note_error != NULL;
	const char *why;

	if (rows->only_keys)
		return false;
	if (column->not_null && !rows->partial[i])
	{
		if (!notes)
			dyn_report_null(rows, i);
		rows->note_error(rows->note_error_arg, DYN_ERROR_NULL, rows->attnums[i],
						 "the column is declared NOT NULL");
	}
	/*
	 * analyzer: note_error is not NULL after a failed check, which raises an
	 * error itself if `notes` is false
	 */
	else if (column->codec.is_domain &&
			 !dyn_codec_check_domain(&column->codec, (Datum) 0, true, notes, &why))
		rows->note_error(rows->note_error_arg, DYN_ERROR_MISMATCH,
						 rows->attnums[i], why);
	return false;
}

static pg_noinline bool
accept_mismatch(DynRows *rows, const DynValue *value, int i, const char *why)
{
	const DynColumn *column = dyn_relation_column(rows->relation,
												  rows->attnums[i]);

	if (rows->note_error != NULL)
		rows->note_error(rows->note_error_arg, DYN_ERROR_MISMATCH,
						 rows->attnums[i], why);
	else if (!column->null_on_mismatch)
		dyn_report_mismatch(rows, value, column, why);
	return column->null_on_mismatch && accept_null(rows, i);
}

static pg_attribute_always_inline bool
decode_value(DynRows *rows, DynColumn *column, const DynValue *value, int i,
			 Datum *result)
{
	const char *why = NULL;

	rows->current = i;
	if (value->type == DYN_TYPE_ABSENT || value->type == DYN_TYPE_NULL)
		return accept_null(rows, i);
	if (dyn_codec_decode(&column->codec, value,
						 column->null_on_mismatch || rows->note_error != NULL,
						 result, &why))
		return true;
	return accept_mismatch(rows, value, i, why);
}

/* Decodes a column that is read from a part of the attribute in its slot. */
static pg_noinline bool
decode_part(DynRows *rows, DynColumn *column, int i, Datum *result)
{
	const char *why = NULL;
	DynValue	part;

	rows->current = i;
	if (dyn_parts_value(rows->parts, column, &part, &why))
		return decode_value(rows, column, &part, i, result);
	return accept_mismatch(rows, &rows->values[rows->slots[i]], i, why);
}

/*
 * Decodes a document that hides members which its codec would show: because of
 * `only`, or because it is the rest of an item, whose members depend on
 * templated attributes (`rest`).
 */
static pg_noinline bool
decode_members(DynRows *rows, DynColumn *column, int i, Datum *result)
{
	static const DynValue absent = {.type = DYN_TYPE_ABSENT};
	DynMembers	usual = column->codec.members;
	bool		limited = rows->only != NULL && rows->only[i] != NULL;
	bool		is_value;

	/* hide a value that is not a map, since it has no members */
	if (limited && rows->values[rows->slots[i]].type != DYN_TYPE_M)
		return decode_value(rows, column, &absent, i, result);
	column->codec.members = limited ? (DynMembers) {usual.without, rows->only[i]}
		: (DynMembers) {dyn_rest_names(rows->rest), NULL};
	is_value = decode_value(rows, column, &rows->values[rows->slots[i]], i, result);
	column->codec.members = usual;
	return is_value;
}


static pg_attribute_always_inline bool
decode_column(DynRows *rows, int i, Datum *result)
{
	DynColumn  *column = dyn_relation_column(rows->relation, rows->attnums[i]);

	if (unlikely(dyn_column_is_part(column)))
		return decode_part(rows, column, i, result);
	if ((unlikely(rows->only != NULL) && rows->only[i] != NULL) ||
		(unlikely(rows->rest != NULL) && column->document == DYN_REST_OF_ITEM &&
		 !rows->partial[i]))
		return decode_members(rows, column, i, result);
	return decode_value(rows, column, &rows->values[rows->slots[i]], i, result);
}

/* Finds the element's values; decodes the item's columns once per item. */
static void
begin_element(DynRows *rows, DynUnnested *unnested)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(unnested->context);

	for (int i = 0; i < rows->ncolumns && !unnested->decoded; i++)
	{
		if (rows->slots[i] >= 0)
			unnested->nulls[i] = !decode_column(rows, i, &unnested->datums[i]);
	}
	unnested->decoded = true;
	MemoryContextSwitchTo(oldcontext);
	dyn_unnested_find_values(unnested);
}

/*
 * Stores the value of a column of the element or of its item.  Returns false
 * if the value is NULL.
 */
static bool
decode_unnested(DynRows *rows, int i, Datum *result)
{
	DynUnnested *unnested = rows->unnested;
	const char *err;

	if (rows->slots[i] >= 0)
	{
		*result = unnested->datums[i];
		return !unnested->nulls[i];
	}
	rows->current = i;
	err = dyn_unnested_error(unnested, i);
	if (err != NULL)
		return accept_mismatch(rows, &unnested->elements.value, i, err);
	return decode_value(rows,
						dyn_relation_column(rows->relation, rows->attnums[i]),
						&unnested->values[i], i, result);
}

/*
 * Stores a row in the slot.  This function is not inlined, so that the caller
 * stays cheap for an item without a row.
 */
static pg_noinline void
store_row(DynRows *rows, TupleTableSlot *slot)
{
	ErrorContextCallback callback = {error_context_stack, conversion_context, rows};

	Assert(rows->values != NULL);
	error_context_stack = &callback;
	ExecClearTuple(slot);
	memset(slot->tts_isnull, true,
		   slot->tts_tupleDescriptor->natts * sizeof(bool));
	if (rows->unnested != NULL)
		begin_element(rows, rows->unnested);
	for (int i = 0; i < rows->ncolumns; i++)
	{
		int			position = rows->positions ? rows->positions[i]
			: rows->attnums[i] - 1;

		Assert(position >= 0 && position < slot->tts_tupleDescriptor->natts);
		slot->tts_isnull[position] = likely(rows->unnested == NULL)
			? !decode_column(rows, i, &slot->tts_values[position])
			: !decode_unnested(rows, i, &slot->tts_values[position]);
	}
	error_context_stack = callback.previous;
	ExecStoreVirtualTuple(slot);
}

/* ---- the rows of an item ---- */

static pg_noinline bool
is_row(DynRows *rows, const DynValue *values)
{
	bool		passes;

	dyn_buffer_reset(&rows->scratch);
	passes = dyn_item_matches(rows->test, values, &rows->scratch);
	dyn_check_oom(rows->scratch.failed);
	return passes;
}

/* Adds the item's key to an error that the constraint of a domain raises. */
static void
item_context(void *arg)
{
	const DynRows *rows = arg;

	errcontext("key of foreign table \"%s\"%s", rows->relation->name, describe_key(rows));
}

/*
 * Returns true if the item is a row according to the templates.  Raises an
 * error if the item is ambiguous, or if a part has a mismatch.  If note_error
 * is set, no error is raised: an ambiguous item is passed to note_error and is
 * not a row, and an item with a mismatch is a row.  Not inlined, since most
 * tables have no templates.
 */
static pg_noinline bool
parts_match(DynRows *rows, const DynValue *values)
{
	ErrorContextCallback callback = {error_context_stack, item_context, rows};
	const DynMismatch *mismatch;
	DynRowMatch match;

	error_context_stack = &callback;
	match = dyn_parts_begin(rows->parts, values, &mismatch);
	error_context_stack = callback.previous;
	if (match == DYN_MATCH_AMBIGUOUS && rows->note_error != NULL)
		rows->note_error(rows->note_error_arg, DYN_ERROR_AMBIGUOUS, 0,
						 mismatch->attribute);
	else if (match == DYN_MATCH_AMBIGUOUS)
		dyn_report_ambiguous(rows, values, mismatch->attribute);
	else if (match == DYN_MATCH_MISMATCH && rows->note_error == NULL)
		dyn_report_placeholder_mismatch(rows, mismatch);
	/* note_error receives a mismatch later, when the columns are decoded */
	return match == DYN_MATCH_ROW || match == DYN_MATCH_MISMATCH;
}

/*
 * Begins the item's elements; returns false if there are none.  A scalar that
 * is not NULL is an error, unless the table skips scalars.
 */
static bool
begin_elements(DynRows *rows, const DynValue *collection)
{
	if (dyn_is_collection(collection))
		return dyn_unnested_begin(rows->unnested, collection);
	if (collection->type == DYN_TYPE_ABSENT || collection->type == DYN_TYPE_NULL)
		return false;
	if (rows->note_error != NULL)
		rows->note_error(rows->note_error_arg, DYN_ERROR_SCALAR, 0,
						 dyn_type_name(collection->type));
	else if (!rows->relation->skips_scalars)
		dyn_report_scalar(rows, collection);
	return false;
}

static pg_noinline void
count_rejected(const DynRows *rows, DynRowTally *tally)
{
	char	   *key;

	if (tally->rejected++ > 0)
		return;
	key = dyn_item_key_text(rows->base, rows->nbase, rows->base_slots,
							rows->values);
	if (key != NULL)
		tally->rejected_key = MemoryContextStrdup(GetMemoryChunkContext(tally),
												  dyn_from_utf8_lossy(key));
}

void
dyn_rows_begin(DynRows *rows, const DynValue *values)
{
	Assert(rows->left == 0);
	rows->values = values;
	rows->left = (rows->test == NULL || is_row(rows, values)) &&
		(rows->parts == NULL || parts_match(rows, values)) ? 1 : 0;
	if (rows->relation->tally != NULL && likely(rows->left > 0))
		rows->relation->tally->any_row = true;
	else if (rows->relation->tally != NULL)
		count_rejected(rows, rows->relation->tally);
	if (rows->unnested != NULL && rows->left > 0)
		rows->left = begin_elements(rows, &values[rows->unnested->slot]);
}

static inline void
next_row(DynRows *rows)
{
	Assert(rows->left > 0);
	rows->left = rows->unnested != NULL ? dyn_unnested_next(rows->unnested) : 0;
}

bool
dyn_rows_next(DynRows *rows, TupleTableSlot *slot)
{
	Assert(rows->left >= 0);
	if (rows->left == 0)
		return false;
	store_row(rows, slot);
	next_row(rows);
	return true;
}

void
dyn_rows_skip(DynRows *rows)
{
	next_row(rows);
}

void
dyn_rows_end(DynRows *rows)
{
	rows->left = 0;
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
