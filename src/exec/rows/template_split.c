/*
 * template_split.c
 *		Splits the texts of an item's attributes by their templates.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "../../model/values/path.h"
#include "template_split.h"

static int
slot_of(const DynPath *path, const DynPath *paths, int npaths)
{
	int			slot = dyn_path_position(path, paths, npaths);

	if (slot < 0)
		elog(ERROR, "an attribute of a template is not read");
	return slot;
}

static void
add_checks(DynItemSplit *all, int i, const DynPath *paths, int npaths)
{
	const DynTemplatedAttr *templated = &all->relation->templated[i];

	for (int p = 0; p < templated->tmpl->nparts; p++)
	{
		DynPlaceholderCheck *check = &all->checks[all->nchecks];

		if (templated->parts[p].source)
			continue;
		check->templated = i;
		check->part = p;
		check->column = dyn_relation_column(all->relation,
											templated->parts[p].attnum);
		check->slot = dyn_column_is_part(check->column) ? -1
			: slot_of(check->column->path, paths, npaths);
		all->nchecks++;
	}
}

/*
 * Marks the texts that the item filter needs: those of the columns in its
 * templates.
 */
static void
mark_decisive(DynItemSplit *all, int i)
{
	if (all->attrs[i].decisive)
		return;
	all->attrs[i].decisive = true;
	for (int a = 0; a < all->nchecks; a++)
	{
		const DynPlaceholderCheck *check = &all->checks[a];

		if (check->templated != i || !dyn_column_is_part(check->column))
			continue;
		all->entangled = true;
		mark_decisive(all, check->column->templated);
	}
}

/* Adds the templates that this one depends on. */
static Bitmapset *
add_reached(const DynItemSplit *all, int i, Bitmapset *reached)
{
	for (int a = 0; a < all->nchecks; a++)
	{
		const DynPlaceholderCheck *check = &all->checks[a];
		int			other = check->column->templated;

		if (check->templated != i || !dyn_column_is_part(check->column) ||
			all->attrs[other].decisive || bms_is_member(other, reached))
			continue;
		reached = add_reached(all, other, bms_add_member(reached, other));
	}
	return reached;
}

/* Finds the templates that depend on each other. */
static void
find_cycles(DynItemSplit *all)
{
	int			n = all->relation->ntemplated;
	Bitmapset **reached = palloc0(n * sizeof(Bitmapset *));

	for (int i = 0; i < n; i++)
	{
		if (!all->attrs[i].decisive)
			reached[i] = add_reached(all, i, NULL);
	}
	for (int i = 0; i < n; i++)
	{
		for (int k = 0; k < n && bms_is_member(i, reached[i]); k++)
		{
			if (bms_is_member(k, reached[i]) && bms_is_member(i, reached[k]))
				all->attrs[i].cycle = bms_add_member(all->attrs[i].cycle, k);
		}
	}
}

void
dyn_item_split_init(DynItemSplit *all, DynRelation *relation, const bool *needed,
					const DynPath *paths, int npaths)
{
	all->relation = relation;
	all->context = CurrentMemoryContext;
	all->scratch = AllocSetContextCreate(CurrentMemoryContext,
										 "dynamo_fdw parts",
										 ALLOCSET_SMALL_SIZES);
	all->attrs = palloc0(relation->ntemplated * sizeof(DynParsedAttr));
	all->checks = palloc0(relation->ntemplated * DYN_TEMPLATE_MAX_PARTS *
						  sizeof(DynPlaceholderCheck));
	for (int i = 0; i < relation->ntemplated; i++)
	{
		DynParsedAttr *parsed = &all->attrs[i];

		parsed->templated = &relation->templated[i];
		if (!needed[i])
			continue;
		parsed->slot = slot_of(parsed->templated->path, paths, npaths);
		add_checks(all, i, paths, npaths);
	}
	for (int i = 0; i < relation->ntemplated; i++)
	{
		if (relation->templated[i].base)
			mark_decisive(all, i);
	}
	find_cycles(all);
}

void
dyn_item_split_begin(DynItemSplit *all, const DynValue *values)
{
	MemoryContextReset(all->scratch);
	all->values = values;
	all->unsure = false;
	for (int i = 0; i < all->relation->ntemplated; i++)
		all->attrs[i].done = false;
}

/* ---- texts ---- */

/*
 * True if it has a text.  An attribute that is a number in the key must be a
 * number in templates as well.  Other attributes may be either, if the
 * template can be that of a number.
 */
static bool
has_text(const DynTemplatedAttr *templated, const DynValue *value)
{
	if (templated->type != DYN_TYPE_ABSENT)
		return value->type == templated->type;
	return value->type == DYN_TYPE_S ||
		(value->type == DYN_TYPE_N && dyn_template_is_bare(templated->tmpl) &&
		 templated->parts[0].column.codec.format.kind == DYN_FORMAT_DIGITS);
}

/* Reads the text; false if the value has none. */
static bool
read_text(DynItemSplit *all, DynParsedAttr *parsed, const DynValue *value)
{
	DynText    *text = &parsed->text;

	if (!has_text(parsed->templated, value))
		return false;
	text->data = value->data;
	text->len = value->len;
	if (!(value->flags & DYN_VALUE_ESCAPED))
		return true;
	if (value->len > parsed->capacity)
	{
		if (parsed->space != NULL)
			pfree(parsed->space);
		parsed->space = MemoryContextAlloc(all->context, value->len);
		parsed->capacity = value->len;
	}
	text->len = dyn_value_text(value, parsed->space);
	text->data = parsed->space;
	return true;
}

void
dyn_split_text(DynItemSplit *all, DynParsedAttr *parsed, const DynText *given)
{
	const DynValue *value = &all->values[parsed->slot];

	parsed->done = true;
	parsed->nul = (value->flags & DYN_VALUE_HAS_NUL) != 0;
	parsed->absent = value->type == DYN_TYPE_ABSENT ||
		value->type == DYN_TYPE_NULL;
	parsed->no_text = !parsed->absent && !read_text(all, parsed, value);
	parsed->split = parsed->absent || parsed->no_text ? DYN_SPLIT_NO_MATCH
		: dyn_template_split(parsed->templated->tmpl, parsed->text.data,
							 parsed->text.len, given, parsed->texts);
}

void
dyn_parsed_attr_value(DynValue *value, const DynParsedAttr *parsed, int part)
{
	const DynText *text = &parsed->texts[part];

	memset(value, 0, sizeof(*value));
	value->type = DYN_TYPE_S;
	value->data = text->data;
	value->len = text->len;
	if (parsed->nul && memchr(text->data, '\0', text->len) != NULL)
		value->flags = DYN_VALUE_HAS_NUL;
}

/* ---- columns that are read from elsewhere ---- */

/* Returns what is expected of a part if the column's value is a mismatch. */
static DynExpectation
expected_of_mismatch(const DynColumn *column)
{
	return column->null_on_mismatch ? DYN_EXPECTED_NOTHING : DYN_EXPECTED_UNKNOWN;
}

DynExpectation
dyn_expected_text(DynItemSplit *all, const DynPlaceholderCheck *check, DynText *text)
{
	const DynPart *part = &all->relation->templated[check->templated].parts[check->part];
	DynColumn  *column = check->column;
	const DynParsedAttr *parsed = NULL;
	DynValue	value;
	DynScalar	scalar;
	Datum		datum;
	const char *why;

	if (!dyn_column_is_part(column))
		value = all->values[check->slot];
	else
	{
		parsed = &all->attrs[column->templated];
		if (!parsed->done)
			return DYN_EXPECTED_UNKNOWN;
		if (parsed->absent)
			return DYN_EXPECTED_NOTHING;
		if (parsed->split != DYN_SPLIT_MATCHES)
			return expected_of_mismatch(column);
		dyn_parsed_attr_value(&value, parsed, column->part);
	}
	if (value.type == DYN_TYPE_ABSENT || value.type == DYN_TYPE_NULL)
		return DYN_EXPECTED_NOTHING;
	if (!dyn_codec_decode(&column->codec, &value, true, &datum, &why))
		return parsed != NULL && parsed->templated->base ? DYN_EXPECTED_UNKNOWN
			: expected_of_mismatch(column);
	if (dyn_codec_encode(&part->column.codec, column->codec.basetype, datum,
						 &scalar) != DYN_ENCODED)
		return DYN_EXPECTED_NOTHING;
	text->data = scalar.data;
	text->len = scalar.len;
	return DYN_EXPECTED_TEXT;
}

/*
 * Stores the texts that the parts of a template must have, as far as they are
 * known; false if a column has no text there.  The source texts of columns are
 * split first, except for those that depend on this one.
 */
static bool
expected_texts(DynItemSplit *all, int i, DynText *given)
{
	bool		possible = true;

	memset(given, 0, DYN_TEMPLATE_MAX_PARTS * sizeof(DynText));
	for (int a = 0; a < all->nchecks; a++)
	{
		const DynPlaceholderCheck *check = &all->checks[a];
		DynExpectation	expected;

		if (check->templated != i)
			continue;
		if (dyn_column_is_part(check->column))
			dyn_split_attr(all, check->column->templated);
		expected = dyn_expected_text(all, check, &given[check->part]);
		possible &= expected != DYN_EXPECTED_NOTHING;
		all->unsure |= expected == DYN_EXPECTED_UNKNOWN;
	}
	return possible;
}

/* Splits the texts outside of the cycle on which those in it depend. */
static void
break_dependencies(DynItemSplit *all, const Bitmapset *cycle)
{
	for (int a = 0; a < all->nchecks; a++)
	{
		const DynPlaceholderCheck *check = &all->checks[a];

		if (bms_is_member(check->templated, cycle) &&
			dyn_column_is_part(check->column) &&
			!bms_is_member(check->column->templated, cycle))
			dyn_split_attr(all, check->column->templated);
	}
}

void
dyn_split_attr(DynItemSplit *all, int i)
{
	DynParsedAttr *parsed = &all->attrs[i];
	DynText		given[DYN_TEMPLATE_MAX_PARTS];

	if (parsed->done || parsed->busy)
		return;
	if (parsed->cycle != NULL)
	{
		break_dependencies(all, parsed->cycle);
		all->break_cycle(all, parsed->cycle);
		return;
	}
	parsed->busy = true;
	parsed->impossible = !expected_texts(all, i, given);
	dyn_split_text(all, parsed, parsed->impossible ? NULL : given);
	parsed->busy = false;
}

bool
dyn_item_split_agrees(DynItemSplit *all, bool searched)
{
	for (int a = 0; a < all->nchecks; a++)
	{
		const DynPlaceholderCheck *check = &all->checks[a];
		const DynParsedAttr *parsed = &all->attrs[check->templated];
		DynText		text = {NULL, 0};
		DynExpectation	expected;

		if (!(searched ? parsed->searched : parsed->templated->base) ||
			!dyn_parsed_attr_matches(parsed) ||
			!dyn_column_is_part(check->column))
			continue;
		expected = dyn_expected_text(all, check, &text);
		if (expected == DYN_EXPECTED_NOTHING ||
			(expected == DYN_EXPECTED_TEXT &&
			 !dyn_part_agrees(&parsed->templated->tmpl->parts[check->part],
							  parsed->texts[check->part], text)))
			return false;
	}
	return true;
}
