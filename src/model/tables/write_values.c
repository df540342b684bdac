/*
 * write_values.c
 *		Composes the values that a row writes (write_map.h).
 *
 * If several values have the same path, the last one is written.  So values
 * are added in this order: unchanged columns, removals, unmapped attributes,
 * constants, changed columns, texts of templates.  If a column does not agree
 * with the result, the row would not be read as it was written, and the caller
 * refuses the row.
 */
#include "postgres.h"

#include "../server/encoding.h"
#include "../server/memory.h"
#include "write_map.h"

typedef struct RowValues
{
	DynWriteMap *map;
	const Datum *values;
	const bool *nulls;
	const Bitmapset *changed;	/* NULL: all columns (INSERT) */
	bool	   *rewritten;		/* true for templates to be composed again */
	DynPathValue *out;
	int			n;
	int			capacity;
	bool		overlaps;		/* true if paths may overlap */
	Bitmapset  *compared;		/* columns that `out` contains */
} RowValues;

static RowValues
begin_values(DynWriteMap *map, const Datum *values, const bool *nulls,
			 const Bitmapset *changed)
{
	const DynRelation *relation = map->relation;
	RowValues	row = {.map = map,.values = values,.nulls = nulls,.changed = changed};

	row.rewritten = palloc0(Max(relation->ntemplated, 1) * sizeof(bool));
	row.overlaps = map->overlaps;
	row.capacity = relation->ncolumns + relation->ntemplated +
		relation->item_filter.nterms + 1;
	row.out = palloc(row.capacity * sizeof(DynPathValue));
	return row;
}

static void
add_value(RowValues *row, const DynPath *path, DynScalar value)
{
	row->out[row->n++] = (DynPathValue) {path, value};
}

static const DynScalar absent = {DYN_TYPE_ABSENT, NULL, 0};

/* ---- columns ---- */

static bool
is_changed(const RowValues *row, AttrNumber attnum)
{
	return row->changed == NULL || bms_is_member(attnum, row->changed);
}

/*
 * Adds the columns that are changed if `changed`, else unchanged, and NULL if
 * `null`, else not NULL.  Raises an error for a changed value that cannot be
 * stored; omits unchanged ones.
 */
static void
add_columns(RowValues *row, bool changed, bool null)
{
	const DynRelation *relation = row->map->relation;

	for (int i = 0; i < relation->ncolumns; i++)
	{
		DynColumn  *column = &relation->columns[i];
		DynStoreError err;
		DynScalar	value = absent;

		if (column->dropped || row->nulls[i] != null ||
			is_changed(row, i + 1) != changed ||
			bms_is_member(i + 1, row->map->unassignable))
			continue;
		if (dyn_column_is_part(column))
		{
			row->compared = bms_add_member(row->compared, i + 1);
			continue;
		}
		if (changed && !null)
			dyn_write_map_store(row->map, column, row->values[i], &value);
		else if (!null && !dyn_codec_store(&column->codec, row->values[i], &value, &err))
			continue;
		add_value(row, column->path, value);
		row->compared = bms_add_member(row->compared, i + 1);
	}
}

/* Adds the attributes in columns with the option document 'rest'. */
static void
add_rest(RowValues *row)
{
	const DynRelation *relation = row->map->relation;

	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];
		DynPathValue *members;
		int			n;

		if (column->dropped || column->document != DYN_REST_OF_ITEM || row->nulls[i])
			continue;
		n = dyn_write_map_store_rest(row->map, column, row->values[i], &members);
		row->capacity += n;
		row->out = repalloc(row->out, row->capacity * sizeof(DynPathValue));
		memcpy(row->out + row->n, members, n * sizeof(DynPathValue));
		row->n += n;
		row->overlaps = true;
	}
}

/* ---- templates ---- */

static bool
uses_changed(const DynTemplatedAttr *templated, const Bitmapset *changed)
{
	for (int p = 0; p < templated->tmpl->nparts; p++)
	{
		if (bms_is_member(templated->parts[p].attnum, changed))
			return true;
	}
	return false;
}

/* Returns true if a changed column shows this attribute. */
static bool
is_shown_changed(const DynRelation *relation, const char *attribute,
				 const Bitmapset *changed)
{
	int			attnum = -1;

	while ((attnum = bms_next_member(changed, attnum)) >= 0)
	{
		const DynColumn *column = dyn_relation_column(relation, attnum);

		if (!dyn_column_is_part(column) && dyn_path_is_attribute(column->path, attribute))
			return true;
	}
	return false;
}

/* Returns the position of an attribute's template outside the table's key, or -1. */
static int
template_of(const DynRelation *relation, const char *attribute)
{
	for (int i = 0; i < relation->ntemplated; i++)
	{
		if (!relation->templated[i].base &&
			dyn_path_is_attribute(relation->templated[i].path, attribute))
			return i;
	}
	return -1;
}

static bool
index_changes(const DynWriteMap *map, const DynKeySchema *key, const Bitmapset *changed)
{
	for (int i = 0; i < key->nhash + key->nrange; i++)
	{
		const char *name = dyn_key_attr(key, i)->name;
		int			t = template_of(map->relation, name);

		if (t >= 0 ? uses_changed(&map->relation->templated[t], changed)
			: is_shown_changed(map->relation, name, changed))
			return true;
	}
	return false;
}

/*
 * Marks the templates that an update composes.  If the key of an index
 * changes, all templates of this key are written, since the item may be older
 * than the templates.
 */
static void
mark_rewritten(const DynWriteMap *map, const Bitmapset *changed, bool *rewritten)
{
	const DynRelation *relation = map->relation;

	for (int i = 0; i < relation->ntemplated; i++)
		rewritten[i] = !relation->templated[i].base &&
			uses_changed(&relation->templated[i], changed);
	for (int i = 0; relation->ntemplated > 0 && i < map->meta->nindexes; i++)
	{
		const DynKeySchema *key = &map->meta->indexes[i].key;

		if (!index_changes(map, key, changed))
			continue;
		for (int k = 0; k < key->nhash + key->nrange; k++)
		{
			int			t = template_of(relation, dyn_key_attr(key, k)->name);

			if (t >= 0)
				rewritten[t] = true;
		}
	}
}

static bool
has_source(const DynTemplatedAttr *templated)
{
	for (int p = 0; p < templated->tmpl->nparts; p++)
	{
		if (templated->parts[p].source)
			return true;
	}
	return false;
}

/*
 * Raises an error if a template cannot be composed because a column is NULL,
 * and the value of another column would be lost.
 */
static void
check_lost(const RowValues *row, const DynTemplatedAttr *templated, AttrNumber null)
{
	const DynRelation *relation = row->map->relation;

	for (int p = 0; p < templated->tmpl->nparts; p++)
	{
		AttrNumber	attnum = templated->parts[p].attnum;

		if (!templated->parts[p].source || row->nulls[attnum - 1])
			continue;
		ereport(ERROR,
				(errcode(ERRCODE_NOT_NULL_VIOLATION),
				 errmsg("null value in column \"%s\" of foreign table \"%s\"",
						dyn_relation_column(relation, null)->name, relation->name),
				 errdetail("Column \"%s\" is stored only in attribute \"%s\", which is composed of both columns.",
						   dyn_relation_column(relation, attnum)->name,
						   dyn_from_utf8_lossy(dyn_templated_name(templated))),
				 errhint("Set both columns, or neither of them.")));
	}
}

/*
 * Adds templates of the set: if `null`, those with a NULL column, as removals;
 * else those without one, with their texts.
 */
static void
add_templates(RowValues *row, const bool *set, bool null)
{
	const DynRelation *relation = row->map->relation;

	for (int i = 0; i < relation->ntemplated; i++)
	{
		const DynTemplatedAttr *templated = &relation->templated[i];
		AttrNumber	missing = 0;
		DynScalar	text = absent;
		bool		is_null = false;

		if (!set[i])
			continue;
		for (int p = 0; p < templated->tmpl->nparts && !is_null; p++)
		{
			missing = templated->parts[p].attnum;
			is_null = row->nulls[missing - 1];
		}
		if (is_null != null)
			continue;
		if (is_null)
			check_lost(row, templated, missing);
		else
			(void) dyn_write_map_compose(row->map, templated, row->values, row->nulls,
										 &text, &missing);
		add_value(row, templated->path, text);
	}
}

/* Returns the set of all templates, or of those that the row is read from. */
static bool *
template_set(const RowValues *row, bool all)
{
	const DynRelation *relation = row->map->relation;
	bool	   *set = palloc0(Max(relation->ntemplated, 1) * sizeof(bool));

	for (int i = 0; i < relation->ntemplated; i++)
		set[i] = all || relation->templated[i].base || row->rewritten[i] ||
			has_source(&relation->templated[i]);
	return set;
}

/* ---- the result ---- */

/*
 * Adds the constants of the item filter for attributes that no column or
 * template determines.
 */
static void
add_constants(RowValues *row)
{
	const DynItemFilter *filter = &row->map->relation->item_filter;

	for (int i = 0; i < filter->nterms; i++)
	{
		const DynFilterTerm *term = &filter->terms[i];

		if (!term->ttl && !term->or_null && !dyn_write_map_names(row->map, term))
			add_value(row, term->path, term->values[0]);
	}
}

/*
 * Raises an error if ttl_attribute has a fraction, since DynamoDB defines it
 * in seconds.
 */
static void
check_expiry(const RowValues *row)
{
	const DynRelation *relation = row->map->relation;

	for (int i = 0; i < relation->item_filter.nterms; i++)
	{
		const DynFilterTerm *term = &relation->item_filter.terms[i];

		for (int v = 0; v < row->n && term->ttl; v++)
		{
			const DynScalar *value = &row->out[v].value;

			if (value->type == DYN_TYPE_N && dyn_path_equal(row->out[v].path, term->path) &&
				memchr(value->data, '.', value->len) != NULL)
				ereport(ERROR,
						(errcode(ERRCODE_DATETIME_FIELD_OVERFLOW),
						 errmsg("cannot store a fraction of a second in attribute \"%s\" of foreign table \"%s\"",
								dyn_from_utf8_lossy(dyn_filter_term_attribute(term)), relation->name),
						 errdetail("It is the table's ttl_attribute, which has seconds."),
						 errhint("Use a column of type timestamptz(0), or date_trunc('second', ...).")));
		}
	}
}

static void
merge_values(RowValues *row)
{
	int			n = dyn_path_values_merge(row->out, row->n, dyn_buffer_create());

	dyn_check_oom(n == DYN_MERGE_NO_MEMORY);
	if (n < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("columns of foreign table \"%s\" contradict each other",
						row->map->relation->name),
				 errdetail("A column has a path inside of an attribute for which another column has a value that is not an object.")));
	row->n = n;
}

/* Merges the values, and checks them if `check`; returns their number. */
static int
finish_values(RowValues *row, bool check, DynPathValue **out)
{
	if (check)
		check_expiry(row);
	if (row->overlaps)
		merge_values(row);
	for (int i = 0; check && i < row->n; i++)
		dyn_write_map_check_key(row->map, row->out[i].path, &row->out[i].value);
	*out = row->out;
	return row->n;
}

int
dyn_write_map_insert(DynWriteMap *map, const Datum *values, const bool *nulls,
					 DynPathValue **out)
{
	RowValues	row = begin_values(map, values, nulls, NULL);
	bool	   *templates = template_set(&row, true);
	int			attnum = -1;

	while ((attnum = bms_next_member(map->unassignable, attnum)) >= 0)
	{
		if (!nulls[attnum - 1] &&
			dyn_relation_column(map->relation, attnum)->document != DYN_REST_OF_ITEM)
			dyn_write_map_require_column(map, attnum);
	}
	/* add removals first, so that they do not remove values of columns */
	add_templates(&row, templates, true);
	add_rest(&row);
	add_constants(&row);
	add_columns(&row, true, false);
	add_templates(&row, templates, false);
	return finish_values(&row, true, out);
}

int
dyn_write_map_update(DynWriteMap *map, const Datum *values, const bool *nulls,
					 const Bitmapset *changed, DynPathValue **out)
{
	RowValues	row = begin_values(map, values, nulls,
								   bms_difference(changed, map->from_key));

	Assert(!bms_is_empty(changed));
	mark_rewritten(map, changed, row.rewritten);
	if (row.changed != NULL)
		add_columns(&row, true, true);
	add_templates(&row, row.rewritten, true);
	if (row.changed != NULL)
		add_columns(&row, true, false);
	add_templates(&row, row.rewritten, false);
	return finish_values(&row, true, out);
}

int
dyn_write_map_check(DynWriteMap *map, const Datum *values, const bool *nulls,
					const Bitmapset *changed, DynPathValue **out,
					Bitmapset **compared)
{
	RowValues	row = begin_values(map, values, nulls, changed);

	Assert(!bms_is_empty(changed));
	mark_rewritten(map, changed, row.rewritten);
	add_constants(&row);
	add_columns(&row, false, false);
	add_columns(&row, true, true);
	add_templates(&row, row.rewritten, true);
	add_columns(&row, true, false);
	add_templates(&row, template_set(&row, false), false);
	*compared = row.compared;
	return finish_values(&row, false, out);
}

Bitmapset *
dyn_write_map_rewritten(const DynWriteMap *map, const Bitmapset *changed)
{
	const DynRelation *relation = map->relation;
	bool	   *rewritten = palloc0(Max(relation->ntemplated, 1) * sizeof(bool));
	Bitmapset  *attnums = NULL;

	mark_rewritten(map, changed, rewritten);
	for (int i = 0; i < relation->ntemplated; i++)
	{
		for (int p = 0; rewritten[i] && p < relation->templated[i].tmpl->nparts; p++)
			attnums = bms_add_member(attnums, relation->templated[i].parts[p].attnum);
	}
	return attnums;
}

/* ---- the guard ---- */

/*
 * Stands for a value that only other applications can store.  It differs from
 * every stored value except NULL, so the guard fails, and the caller sends the
 * guard again with the bytes in the item.
 */
static const DynScalar only_theirs = {DYN_TYPE_NULL, NULL, 0};

/* Adds a value unless the path already has one; ABSENT is replaced. */
static void
add_guard(RowValues *row, const DynPath *path, DynScalar value)
{
	for (int i = 0; i < row->n && row->map->overlaps; i++)
	{
		if (dyn_path_equal(row->out[i].path, path))
		{
			if (row->out[i].value.type == DYN_TYPE_ABSENT)
				row->out[i].value = value;
			return;
		}
	}
	add_value(row, path, value);
}

int
dyn_write_map_guard(DynWriteMap *map, const Datum *values, const bool *nulls,
					const Bitmapset *read, DynPathValue **out)
{
	const DynRelation *relation = map->relation;
	RowValues	row = begin_values(map, values, nulls, NULL);
	int			attnum = -1;

	while ((attnum = bms_next_member(read, attnum)) >= 0)
	{
		DynColumn  *column = dyn_relation_column(relation, attnum);
		DynStoreError err;
		DynScalar	value = absent;

		if (bms_is_member(attnum, map->from_key) || dyn_column_is_document(column) ||
			!dyn_column_is_of_item(column) || column->segments > 0)
			continue;
		if (dyn_column_is_part(column))
			row.rewritten[column->templated] = true;
		else
		{
			if (!nulls[attnum - 1] &&
				!dyn_codec_store(&column->codec, values[attnum - 1], &value, &err))
				value = only_theirs;
			add_guard(&row, column->path, value);
		}
	}
	for (int i = 0; i < relation->ntemplated; i++)
	{
		DynScalar	text = absent;
		AttrNumber	refused;
		DynStoreError err;

		if (!row.rewritten[i])
			continue;
		if (dyn_write_map_try_compose(&relation->templated[i], values, nulls, &text,
									  &refused, &err) == DYN_COMPOSED_REFUSED)
			text = only_theirs;
		add_guard(&row, relation->templated[i].path, text);
	}
	*out = row.out;
	return row.n;
}
