/*
 * write_values.c
 *		Composes the values that a row writes (write_map.h).
 *
 * If several values have the same path, the last one is written.  So values
 * are added in this order: unchanged columns, attributes to remove, unmapped
 * attributes, changed columns, attributes of templates.  A constant of the
 * item filter is added after unmapped attributes, but only if no column or
 * template sets its attribute.  If the last value contradicts a column, the
 * caller rejects the row, because the item would be read as another row.
 */
#include "postgres.h"

#include "../../dynamodb/template_text.h"
#include "../server/encoding.h"
#include "../server/memory.h"
#include "write_map.h"

typedef struct RowValues
{
	DynWriteMap *map;
	const Datum *values;
	const bool *nulls;
	const Bitmapset *changed;	/* changed columns; NULL: all (INSERT) */
	Bitmapset  *rewritten;		/* positions of the templates to compose */
	bool		found;			/* true if the row was read from an item */
	DynPathValue *out;
	int			n;
	int			capacity;
	bool		overlaps;		/* true if paths may overlap */
	Bitmapset  *compared;		/* columns whose values `out` contains */
} RowValues;

static RowValues
begin_values(DynWriteMap *map, const TupleTableSlot *slot, const Bitmapset *changed)
{
	const DynRelation *relation = map->relation;
	RowValues	row = {.map = map,.values = slot->tts_values,.nulls = slot->tts_isnull};

	row.changed = changed;
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

/* ---- values ---- */

DYN_NORETURN static void
report_refused(const RowValues *row, const DynColumn *column,
			   const DynStoreError *err)
{
	ereport(ERROR,
			(errcode(err->sqlstate),
			 errmsg("cannot store the value of column \"%s\" of foreign table \"%s\"",
					column->name, row->map->relation->name),
			 errdetail("The value cannot be stored: %s.", err->why),
			 err->hint ? errhint("%s", err->hint) : 0));
}

static DynScalar
store(const RowValues *row, AttrNumber attnum)
{
	DynColumn  *column = dyn_relation_column(row->map->relation, attnum);
	DynStoreError err = {0};
	DynScalar	value;

	if (!dyn_codec_store(&column->codec, row->values[attnum - 1], &value, &err))
		report_refused(row, column, &err);
	return value;
}

DYN_NORETURN static void
report_null(const DynWriteMap *map, AttrNumber attnum, const char *detail, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_NOT_NULL_VIOLATION),
			 errmsg("null value in column \"%s\" of foreign table \"%s\"",
					dyn_relation_column(map->relation, attnum)->name, map->relation->name),
			 errdetail("%s", detail),
			 hint ? errhint("%s", hint) : 0));
}

static AttrNumber
null_column(const RowValues *row, const DynTemplatedAttr *templated)
{
	for (int p = 0; p < templated->tmpl->nparts; p++)
	{
		if (row->nulls[templated->parts[p].attnum - 1])
			return templated->parts[p].attnum;
	}
	return 0;
}

/* Returns false with *err set if placeholder `p` cannot have this text. */
static bool
part_holds(const DynTemplatedAttr *templated, bool found, int p, DynText text,
		   DynStoreError *err)
{
	const DynTemplatePart *part = &templated->tmpl->parts[p];
	DynHolds	holds = dyn_part_holds(part, text);
	const char *tmpl;

	/* splitting the row's key has already determined where this part ends */
	if (holds == DYN_HOLDS_UNDECIDED && found && templated->base)
		holds = DYN_HOLDS_YES;
	if (holds == DYN_HOLDS_YES && dyn_part_lists(part, text))
		return true;
	*err = (DynStoreError) {ERRCODE_INVALID_PARAMETER_VALUE, NULL, NULL};
	tmpl = dyn_templated_text(templated);
	switch (holds)
	{
		case DYN_HOLDS_YES:
			err->why = "it is not one of the values in the placeholder";
			break;
		case DYN_HOLDS_NEVER:
			err->why = text.len == 0 ? "it is empty"
				: psprintf("template \"%s\" cannot contain it, because it has the wrong length or the character after the placeholder",
						   tmpl);
			break;
		case DYN_HOLDS_UNDECIDED:
			err->why = psprintf("it contains \"%s\", which ends the placeholder in template \"%s\"",
								dyn_from_utf8_lossy(pnstrdup(part->separator.data, part->separator.len)), tmpl);
			err->hint = psprintf("If values may contain it, use the placeholder ${%s:any}.",
								 templated->parts[p].column.name);
			break;
		default:
			err->sqlstate = ERRCODE_FEATURE_NOT_SUPPORTED;
			err->why = psprintf("it has letters outside of ASCII, so the text of template \"%s\" is not known",
								tmpl);
			break;
	}
	return false;
}

AttrNumber
dyn_templated_compose(const DynTemplatedAttr *templated, const Datum *values, bool found,
					  DynScalar *out, DynStoreError *err)
{
	DynText		texts[DYN_TEMPLATE_MAX_PARTS];
	DynBuffer	buf;

	for (int p = 0; p < templated->tmpl->nparts; p++)
	{
		AttrNumber	attnum = templated->parts[p].attnum;
		DynScalar	scalar;

		if (!dyn_codec_store(&templated->parts[p].column.codec, values[attnum - 1], &scalar, err))
			return attnum;
		texts[p] = (DynText) {scalar.data, scalar.len};
		if (!part_holds(templated, found, p, texts[p], err))
			return attnum;
	}
	dyn_buffer_init(&buf, 0);
	(void) dyn_template_join(templated->tmpl, texts, &buf);
	out->type = templated->type == DYN_TYPE_N ? DYN_TYPE_N : DYN_TYPE_S;
	out->data = dyn_take_bytes(&buf, &out->len);
	return 0;
}

static DynScalar
compose(const RowValues *row, const DynTemplatedAttr *templated)
{
	DynStoreError err = {0};
	DynScalar	text;
	AttrNumber	refused = dyn_templated_compose(templated, row->values, row->found, &text, &err);

	if (refused != 0)
		report_refused(row, dyn_relation_column(row->map->relation, refused), &err);
	return text;
}

/* ---- keys ---- */

DYN_NORETURN static void
report_key(const DynWriteMap *map, const char *attribute, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid value for key attribute \"%s\" of foreign table \"%s\"",
					dyn_from_utf8_lossy(attribute), map->relation->name),
			 errdetail("%s", detail)));
}

static void
check_key(const DynWriteMap *map, const DynPath *path, const DynScalar *value)
{
	DynType		type = DYN_TYPE_ABSENT;
	size_t		most = SIZE_MAX;
	const char *name;

	for (int i = 0; i <= map->meta->nindexes; i++)
	{
		const DynKeySchema *key = dyn_key_number(map->meta, i);

		for (int k = 0; k < key->nhash + key->nrange; k++)
		{
			if (!dyn_path_is_attribute(path, dyn_key_attr(key, k)->name))
				continue;
			most = Min(most, k < key->nhash ? DYN_MAX_HASH_BYTES : DYN_MAX_RANGE_BYTES);
			type = dyn_key_attr(key, k)->type;
		}
	}
	if (type == DYN_TYPE_ABSENT || value->type == DYN_TYPE_ABSENT)
		return;
	name = path->steps[0].name;
	if (value->type != type)
		report_key(map, name,
				   psprintf("The value has DynamoDB type %s, but the key has type %s.",
							dyn_type_name(value->type), dyn_type_name(type)));
	if (value->type == DYN_TYPE_N)
		return;
	if (value->len == 0)
		report_key(map, name, "The value of a key must not be empty.");
	if (value->len > most)
		report_key(map, name,
				   psprintf("The value has %zu bytes; the maximum is %zu.",
							value->len, most));
}

void
dyn_write_map_key(DynWriteMap *map, const TupleTableSlot *slot, bool found, DynKeyPart *parts)
{
	const RowValues row = {map, slot->tts_values, slot->tts_isnull,.found = found};

	for (int i = 0; i < map->nparts; i++)
	{
		const DynKeyAttr *attr = dyn_key_attr(&map->meta->key, i);
		const DynKeySource *source = &map->sources[i];
		AttrNumber	null = 0;

		if (source->templated != NULL)
			null = null_column(&row, source->templated);
		else if (source->attnum != 0 && row.nulls[source->attnum - 1])
			null = source->attnum;
		if (null != 0)
			report_null(map, null, psprintf("The key attribute \"%s\" is composed of this column.",
											dyn_from_utf8_lossy(attr->name)), NULL);
		parts[i].name = attr->name;
		parts[i].value = source->templated != NULL ? compose(&row, source->templated)
			: source->attnum != 0 ? store(&row, source->attnum) : *source->constant;
		check_key(map, dyn_path_of_attribute(attr->name), &parts[i].value);
	}
}

/* ---- columns ---- */

/*
 * Adds either the changed or the unchanged columns (`changed`); of these, only
 * those that are NULL, or only those that are not (`null`).  If a value cannot
 * be stored, raises an error for a changed column, and omits an unchanged one.
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

		if (column->dropped || dyn_column_is_part(column) || row->nulls[i] != null ||
			(row->changed == NULL || bms_is_member(i + 1, row->changed)) != changed ||
			bms_is_member(i + 1, row->map->unassignable))
			continue;
		if (changed && !null)
			value = store(row, i + 1);
		else if (!null && !dyn_codec_store(&column->codec, row->values[i], &value, &err))
			continue;
		add_value(row, column->path, value);
		row->compared = bms_add_member(row->compared, i + 1);
	}
}

static void
add_rest(RowValues *row)
{
	const DynRelation *relation = row->map->relation;

	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];
		DynPathValue *members;
		DynStoreError err;
		int			n;

		if (column->dropped || column->document != DYN_REST_OF_ITEM || row->nulls[i])
			continue;
		n = dyn_store_members(row->values[i], &members, &err);
		if (n < 0)
			report_refused(row, column, &err);
		row->capacity += n;
		row->out = repalloc(row->out, row->capacity * sizeof(DynPathValue));
		memcpy(row->out + row->n, members, n * sizeof(DynPathValue));
		row->n += n;
		row->overlaps = true;
	}
}

/* ---- templates ---- */

static bool
is_shown_changed(const DynRelation *relation, const char *attribute,
				 const Bitmapset *changed)
{
	for (int attnum = -1; (attnum = bms_next_member(changed, attnum)) >= 0;)
	{
		if (dyn_column_shows(dyn_relation_column(relation, attnum), attribute))
			return true;
	}
	return false;
}

/* Returns the template of an attribute outside of the table's key, or NULL. */
static const DynTemplatedAttr *
template_of(const DynRelation *relation, const char *attribute)
{
	const DynTemplatedAttr *templated = dyn_relation_templated(relation, attribute);

	return templated != NULL && !templated->base ? templated : NULL;
}

static bool
index_changes(const DynWriteMap *map, const DynKeySchema *key, const Bitmapset *changed)
{
	for (int i = 0; i < key->nhash + key->nrange; i++)
	{
		const char *name = dyn_key_attr(key, i)->name;
		const DynTemplatedAttr *templated = template_of(map->relation, name);

		if (templated != NULL ? bms_overlap(dyn_templated_columns(templated), changed)
			: is_shown_changed(map->relation, name, changed))
			return true;
	}
	return false;
}

/*
 * Returns the positions of the templates that an update composes.  These are
 * the templates that contain a changed column.  If the update changes the key
 * of an index, all templates of this key are added, because an item that was
 * stored before the templates were defined may lack their attributes.
 */
static Bitmapset *
rewritten_templates(const DynWriteMap *map, const Bitmapset *changed)
{
	const DynRelation *relation = map->relation;
	Bitmapset  *rewritten = NULL;

	for (int i = 0; i < relation->ntemplated; i++)
	{
		if (!relation->templated[i].base &&
			bms_overlap(dyn_templated_columns(&relation->templated[i]), changed))
			rewritten = bms_add_member(rewritten, i);
	}
	for (int i = 0; relation->ntemplated > 0 && i < map->meta->nindexes; i++)
	{
		const DynKeySchema *key = &map->meta->indexes[i].key;

		if (!index_changes(map, key, changed))
			continue;
		for (int k = 0; k < key->nhash + key->nrange; k++)
		{
			const DynTemplatedAttr *templated =
				template_of(relation, dyn_key_attr(key, k)->name);

			if (templated != NULL)
				rewritten = bms_add_member(rewritten, templated - relation->templated);
		}
	}
	return rewritten;
}

/*
 * Raises an error if a value would be lost.  Because column `null` is NULL,
 * this template's attribute is not written, so the columns that are stored
 * only in the attribute (`sources`) must be NULL, too.
 */
static void
check_lost(const RowValues *row, const DynTemplatedAttr *templated,
		   const Bitmapset *sources, AttrNumber null)
{
	for (int attnum = -1; (attnum = bms_next_member(sources, attnum)) >= 0;)
	{
		if (!row->nulls[attnum - 1])
			report_null(row->map, null,
						psprintf("Column \"%s\" is stored only in attribute \"%s\", which is composed of both columns.",
								 dyn_relation_column(row->map->relation, attnum)->name,
								 dyn_from_utf8_lossy(dyn_templated_name(templated))),
						"Set both columns, or neither of them.");
	}
}

/* Returns the columns that are stored only in the attribute of the template. */
static Bitmapset *
columns_from(const DynTemplatedAttr *templated)
{
	Bitmapset  *columns = NULL;

	for (int p = 0; p < templated->tmpl->nparts; p++)
	{
		if (templated->parts[p].source)
			columns = bms_add_member(columns, templated->parts[p].attnum);
	}
	return columns;
}

/*
 * Handles the templates in row->rewritten, which the statement must write.  If
 * `null` is true, removes the attributes of templates that have a NULL column.
 * If it is false, adds the attributes of templates that have none.  If `full`
 * is true, also handles, where possible, templates that are not in
 * row->rewritten but that the row is read from.
 */
static void
add_templates(RowValues *row, bool full, bool null)
{
	for (int i = 0; i < row->map->relation->ntemplated; i++)
	{
		const DynTemplatedAttr *templated = &row->map->relation->templated[i];
		bool		rewritten = bms_is_member(i, row->rewritten);
		AttrNumber	missing = null_column(row, templated);
		Bitmapset  *sources = (missing != 0) == null ? columns_from(templated) : NULL;
		DynScalar	text = absent;
		DynStoreError err;

		if ((missing != 0) != null || !(rewritten || (full && (templated->base || sources != NULL))))
			continue;
		if (null)
			check_lost(row, templated, sources, missing);
		else if (rewritten)
			text = compose(row, templated);
		else if (dyn_templated_compose(templated, row->values, row->found, &text, &err) != 0)
			continue;
		add_value(row, templated->path, text);
		row->compared = bms_join(row->compared, sources);
	}
}

/* ---- the result ---- */

/* Adds constants of the item filter that no column or template provides. */
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

static void
check_expiry(const RowValues *row)
{
	const DynRelation *relation = row->map->relation;
	const DynFilterTerm *ttl = dyn_item_filter_ttl(&relation->item_filter);

	for (int i = 0; i < row->n && ttl != NULL; i++)
	{
		const DynScalar *value = &row->out[i].value;

		if (value->type == DYN_TYPE_N && dyn_path_equal(row->out[i].path, ttl->path) &&
			memchr(value->data, '.', value->len) != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_DATETIME_FIELD_OVERFLOW),
					 errmsg("cannot store a fraction of a second in attribute \"%s\" of foreign table \"%s\"",
							dyn_from_utf8_lossy(dyn_filter_term_attribute(ttl)), relation->name),
					 errdetail("It is the table's ttl_attribute, which has seconds."),
					 errhint("Use a column of type timestamptz(0), or date_trunc('second', ...).")));
	}
}

static int
finish_values(RowValues *row, bool check, DynPathValue **out)
{
	if (check)
		check_expiry(row);
	if (row->overlaps)
		row->n = dyn_path_values_merge(row->out, row->n, dyn_buffer_create());
	dyn_check_oom(row->n == DYN_MERGE_NO_MEMORY);
	if (row->n < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("columns of foreign table \"%s\" contradict each other",
						row->map->relation->name),
				 errdetail("A column has a path inside of an attribute for which another column has a value that is not an object.")));
	for (int i = 0; check && i < row->n; i++)
		check_key(row->map, row->out[i].path, &row->out[i].value);
	*out = row->out;
	return row->n;
}

int
dyn_write_map_insert(DynWriteMap *map, const TupleTableSlot *slot, DynPathValue **out)
{
	RowValues	row = begin_values(map, slot, NULL);

	row.rewritten = bms_add_range(NULL, 0, map->relation->ntemplated - 1);
	for (int attnum = -1; (attnum = bms_next_member(map->unassignable, attnum)) >= 0;)
	{
		if (!row.nulls[attnum - 1] &&
			dyn_relation_column(map->relation, attnum)->document != DYN_REST_OF_ITEM)
			dyn_write_map_require_column(map, attnum);
	}
	/* removals come first, so that they do not remove values of columns */
	add_templates(&row, false, true);
	add_rest(&row);
	add_constants(&row);
	add_columns(&row, true, false);
	add_templates(&row, false, false);
	return finish_values(&row, true, out);
}

int
dyn_write_map_update(DynWriteMap *map, const TupleTableSlot *slot,
					 const Bitmapset *changed, Bitmapset **compared, DynPathValue **out)
{
	RowValues	row = begin_values(map, slot, changed);
	bool		full = (compared != NULL);

	Assert(!bms_is_empty(changed));
	row.rewritten = rewritten_templates(map, changed);
	row.found = true;
	if (full)
	{
		add_constants(&row);
		add_columns(&row, false, false);
	}
	add_columns(&row, true, true);
	add_templates(&row, false, true);
	add_columns(&row, true, false);
	add_templates(&row, full, false);
	if (full)
		*compared = row.compared;
	return finish_values(&row, !full, out);
}

Bitmapset *
dyn_write_map_rewritten(const DynWriteMap *map, const Bitmapset *changed)
{
	Bitmapset  *rewritten = rewritten_templates(map, changed);
	Bitmapset  *attnums = NULL;

	for (int i = -1; (i = bms_next_member(rewritten, i)) >= 0;)
		attnums = bms_add_members(attnums, dyn_templated_columns(&map->relation->templated[i]));
	return attnums;
}

/* ---- the guard ---- */

const DynScalar dyn_only_theirs = {DYN_TYPE_SS, "[]", 2};

/* Adds the value of a path.  It replaces ABSENT, but no other value. */
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
dyn_write_map_guard(DynWriteMap *map, const TupleTableSlot *slot,
					const Bitmapset *read, DynPathValue **out)
{
	const DynRelation *relation = map->relation;
	RowValues	row = begin_values(map, slot, NULL);
	Bitmapset  *shown = NULL;	/* templates with a column that is not NULL */

	for (int attnum = -1; (attnum = bms_next_member(read, attnum)) >= 0;)
	{
		DynColumn  *column = dyn_relation_column(relation, attnum);
		DynStoreError err;
		DynScalar	value = absent;

		if (bms_is_member(attnum, map->from_key) || dyn_column_is_document(column) ||
			column->segments > 0)
			continue;
		if (dyn_column_is_part(column))
		{
			row.rewritten = bms_add_member(row.rewritten, column->templated);
			if (!row.nulls[attnum - 1])
				shown = bms_add_member(shown, column->templated);
		}
		else
		{
			if (!row.nulls[attnum - 1] &&
				!dyn_codec_store(&column->codec, row.values[attnum - 1], &value, &err))
				value = dyn_only_theirs;
			add_guard(&row, column->path, value);
		}
	}
	for (int i = -1; (i = bms_next_member(row.rewritten, i)) >= 0;)
	{
		const DynTemplatedAttr *templated = &relation->templated[i];
		DynScalar	text = absent;
		DynStoreError err;

		/* a template of which only some columns are NULL cannot be composed */
		if (null_column(&row, templated) != 0 ? bms_is_member(i, shown)
			: dyn_templated_compose(templated, row.values, row.found, &text, &err) != 0)
			text = dyn_only_theirs;
		add_guard(&row, templated->path, text);
	}
	*out = row.out;
	return row.n;
}
