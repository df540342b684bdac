/*
 * template_cut.c
 *		The texts of an item's attributes, cut by their templates.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "../../model/values/path.h"
#include "template_cut.h"

static int
slot_of(const DynPath *path, const DynPath *paths, int npaths)
{
	int			slot = dyn_path_position(path, paths, npaths);

	if (slot < 0)
		elog(ERROR, "an attribute of a template is not read");
	return slot;
}

static void
add_agreements(DynCuttings *all, int i, const DynPath *paths, int npaths)
{
	const DynSpelled *spelled = &all->relation->spelled[i];

	for (int p = 0; p < spelled->tmpl->nparts; p++)
	{
		DynAgreement *agreement = &all->agreements[all->nagreements];

		if (spelled->parts[p].source)
			continue;
		agreement->spelled = i;
		agreement->part = p;
		agreement->column = dyn_relation_column(all->relation,
												spelled->parts[p].attnum);
		agreement->slot = dyn_column_is_part(agreement->column) ? -1
			: slot_of(agreement->column->path, paths, npaths);
		all->nagreements++;
	}
}

/* The row test needs the texts of the columns in its templates. */
static void
mark_decisive(DynCuttings *all, int i)
{
	if (all->cuttings[i].decisive)
		return;
	all->cuttings[i].decisive = true;
	for (int a = 0; a < all->nagreements; a++)
	{
		const DynAgreement *agreement = &all->agreements[a];

		if (agreement->spelled != i || !dyn_column_is_part(agreement->column))
			continue;
		all->entangled = true;
		mark_decisive(all, agreement->column->spelled);
	}
}

/* Adds the templates that this one depends on. */
static Bitmapset *
add_reached(const DynCuttings *all, int i, Bitmapset *reached)
{
	for (int a = 0; a < all->nagreements; a++)
	{
		const DynAgreement *agreement = &all->agreements[a];
		int			other = agreement->column->spelled;

		if (agreement->spelled != i || !dyn_column_is_part(agreement->column) ||
			all->cuttings[other].decisive || bms_is_member(other, reached))
			continue;
		reached = add_reached(all, other, bms_add_member(reached, other));
	}
	return reached;
}

/* Which of them depend on each other? */
static void
find_circles(DynCuttings *all)
{
	int			n = all->relation->nspelled;
	Bitmapset **reached = palloc0(n * sizeof(Bitmapset *));

	for (int i = 0; i < n; i++)
	{
		if (!all->cuttings[i].decisive)
			reached[i] = add_reached(all, i, NULL);
	}
	for (int i = 0; i < n; i++)
	{
		for (int k = 0; k < n && bms_is_member(i, reached[i]); k++)
		{
			if (bms_is_member(k, reached[i]) && bms_is_member(i, reached[k]))
				all->cuttings[i].circle = bms_add_member(all->cuttings[i].circle, k);
		}
	}
}

void
dyn_cuttings_init(DynCuttings *all, DynRelation *relation, const bool *needed,
				  const DynPath *paths, int npaths)
{
	all->relation = relation;
	all->context = CurrentMemoryContext;
	all->scratch = AllocSetContextCreate(CurrentMemoryContext,
										 "dynamo_fdw parts",
										 ALLOCSET_SMALL_SIZES);
	all->cuttings = palloc0(relation->nspelled * sizeof(DynCutting));
	all->agreements = palloc0(relation->nspelled * DYN_TEMPLATE_MAX_PARTS *
							  sizeof(DynAgreement));
	for (int i = 0; i < relation->nspelled; i++)
	{
		DynCutting *cutting = &all->cuttings[i];

		cutting->spelled = &relation->spelled[i];
		if (!needed[i])
			continue;
		cutting->slot = slot_of(cutting->spelled->path, paths, npaths);
		add_agreements(all, i, paths, npaths);
	}
	for (int i = 0; i < relation->nspelled; i++)
	{
		if (relation->spelled[i].base)
			mark_decisive(all, i);
	}
	find_circles(all);
}

void
dyn_cuttings_begin(DynCuttings *all, const DynValue *values)
{
	MemoryContextReset(all->scratch);
	all->values = values;
	all->unsure = false;
	for (int i = 0; i < all->relation->nspelled; i++)
		all->cuttings[i].done = false;
}

/* ---- texts ---- */

/*
 * Is it a text?  What is a number in a key is one elsewhere, too; other
 * attributes may be either, if the template can be that of a number.
 */
static bool
has_text(const DynSpelled *spelled, const DynValue *value)
{
	if (spelled->type != DYN_TYPE_ABSENT)
		return value->type == spelled->type;
	return value->type == DYN_TYPE_S ||
		(value->type == DYN_TYPE_N && dyn_template_is_bare(spelled->tmpl) &&
		 spelled->parts[0].column.codec.format.kind == DYN_FORMAT_DIGITS);
}

/* False if it is none. */
static bool
read_text(DynCuttings *all, DynCutting *cutting, const DynValue *value)
{
	DynText    *text = &cutting->text;

	if (!has_text(cutting->spelled, value))
		return false;
	text->data = value->data;
	text->len = value->len;
	if (!(value->flags & DYN_VALUE_ESCAPED))
		return true;
	if (value->len > cutting->room)
	{
		if (cutting->space != NULL)
			pfree(cutting->space);
		cutting->space = MemoryContextAlloc(all->context, value->len);
		cutting->room = value->len;
	}
	text->len = dyn_value_text(value, cutting->space);
	text->data = cutting->space;
	return true;
}

void
dyn_cut_text(DynCuttings *all, DynCutting *cutting, const DynText *given)
{
	const DynValue *value = &all->values[cutting->slot];

	cutting->done = true;
	cutting->nul = (value->flags & DYN_VALUE_HAS_NUL) != 0;
	cutting->absent = value->type == DYN_TYPE_ABSENT ||
		value->type == DYN_TYPE_NULL;
	cutting->no_text = !cutting->absent && !read_text(all, cutting, value);
	cutting->cut = cutting->absent || cutting->no_text ? DYN_CUT_UNFIT
		: dyn_template_cut(cutting->spelled->tmpl, cutting->text.data,
						   cutting->text.len, given, cutting->texts);
}

void
dyn_cutting_value(DynValue *value, const DynCutting *cutting, int part)
{
	const DynText *text = &cutting->texts[part];

	memset(value, 0, sizeof(*value));
	value->type = DYN_TYPE_S;
	value->data = text->data;
	value->len = text->len;
	if (cutting->nul && memchr(text->data, '\0', text->len) != NULL)
		value->flags = DYN_VALUE_HAS_NUL;
}

/* ---- columns that are read from elsewhere ---- */

/* What a misfit is as the column's value. */
static DynExpectation
expected_of_misfit(const DynColumn *column)
{
	return column->null_on_mismatch ? DYN_EXPECTED_NOTHING : DYN_EXPECTED_UNKNOWN;
}

DynExpectation
dyn_expected_text(DynCuttings *all, const DynAgreement *agreement, DynText *text)
{
	const DynPart *part = &all->relation->spelled[agreement->spelled].parts[agreement->part];
	DynColumn  *column = agreement->column;
	const DynCutting *cutting = NULL;
	DynValue	value;
	DynScalar	scalar;
	Datum		datum;
	const char *why;

	if (!dyn_column_is_part(column))
		value = all->values[agreement->slot];
	else
	{
		cutting = &all->cuttings[column->spelled];
		if (!cutting->done)
			return DYN_EXPECTED_UNKNOWN;
		if (cutting->absent)
			return DYN_EXPECTED_NOTHING;
		if (cutting->cut != DYN_CUT_FITS)
			return expected_of_misfit(column);
		dyn_cutting_value(&value, cutting, column->part);
	}
	if (value.type == DYN_TYPE_ABSENT || value.type == DYN_TYPE_NULL)
		return DYN_EXPECTED_NOTHING;
	if (!dyn_codec_decode(&column->codec, &value, true, &datum, &why))
		return cutting != NULL && cutting->spelled->base ? DYN_EXPECTED_UNKNOWN
			: expected_of_misfit(column);
	if (dyn_codec_encode(&part->column.codec, column->codec.basetype, datum,
						 &scalar) != DYN_ENCODED)
		return DYN_EXPECTED_NOTHING;
	text->data = scalar.data;
	text->len = scalar.len;
	return DYN_EXPECTED_TEXT;
}

/*
 * What the parts of a template must have, as far as it is known; false if a
 * column has no text there.  Texts that columns are parts of are cut before,
 * but for those that depend on this one.
 */
static bool
expected_texts(DynCuttings *all, int i, DynText *given)
{
	bool		possible = true;

	memset(given, 0, DYN_TEMPLATE_MAX_PARTS * sizeof(DynText));
	for (int a = 0; a < all->nagreements; a++)
	{
		const DynAgreement *agreement = &all->agreements[a];
		DynExpectation	expected;

		if (agreement->spelled != i)
			continue;
		if (dyn_column_is_part(agreement->column))
			dyn_cut_template(all, agreement->column->spelled);
		expected = dyn_expected_text(all, agreement, &given[agreement->part]);
		possible &= expected != DYN_EXPECTED_NOTHING;
		all->unsure |= expected == DYN_EXPECTED_UNKNOWN;
	}
	return possible;
}

/* The texts outside of the circle on which those in it depend. */
static void
cut_dependencies(DynCuttings *all, const Bitmapset *circle)
{
	for (int a = 0; a < all->nagreements; a++)
	{
		const DynAgreement *agreement = &all->agreements[a];

		if (bms_is_member(agreement->spelled, circle) &&
			dyn_column_is_part(agreement->column) &&
			!bms_is_member(agreement->column->spelled, circle))
			dyn_cut_template(all, agreement->column->spelled);
	}
}

void
dyn_cut_template(DynCuttings *all, int i)
{
	DynCutting *cutting = &all->cuttings[i];
	DynText		given[DYN_TEMPLATE_MAX_PARTS];

	if (cutting->done || cutting->busy)
		return;
	if (cutting->circle != NULL)
	{
		cut_dependencies(all, cutting->circle);
		all->cut_circle(all, cutting->circle);
		return;
	}
	cutting->busy = true;
	cutting->impossible = !expected_texts(all, i, given);
	dyn_cut_text(all, cutting, cutting->impossible ? NULL : given);
	cutting->busy = false;
}

bool
dyn_cuttings_agree(DynCuttings *all, bool searched)
{
	for (int a = 0; a < all->nagreements; a++)
	{
		const DynAgreement *agreement = &all->agreements[a];
		const DynCutting *cutting = &all->cuttings[agreement->spelled];
		DynText		text = {NULL, 0};
		DynExpectation	expected;

		if (!(searched ? cutting->searched : cutting->spelled->base) ||
			!dyn_cutting_fits(cutting) ||
			!dyn_column_is_part(agreement->column))
			continue;
		expected = dyn_expected_text(all, agreement, &text);
		if (expected == DYN_EXPECTED_NOTHING ||
			(expected == DYN_EXPECTED_TEXT &&
			 !dyn_part_agrees(&cutting->spelled->tmpl->parts[agreement->part],
							  cutting->texts[agreement->part], text)))
			return false;
	}
	return true;
}
