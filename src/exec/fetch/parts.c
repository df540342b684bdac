/*
 * parts.c
 *		Cuts the texts of an item's attributes into the parts of templates.
 *
 * The order of judgements about an item is fixed, whatever a request has
 * enforced: that it is no row comes first, then that it is ambiguous, then that
 * a part is no value of its column.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "../../model/path.h"
#include "parts.h"

/* One attribute of the item in hand. */
typedef struct Cutting
{
	const DynSpelled *spelled;
	int			slot;
	bool		busy;			/* what it depends on is cut */
	bool		done;			/* the rest is of the item in hand */
	DynCut		cut;
	bool		absent;
	bool		no_text;		/* of another type */
	bool		nul;			/* the text has U+0000 */
	char	   *space;			/* for a text without its escapes */
	size_t		room;
	DynText		texts[DYN_TEMPLATE_MAX_PARTS];
} Cutting;

/* A part whose column is read from elsewhere. */
typedef struct Agreement
{
	int			spelled;
	int			part;
	DynColumn  *column;
	int			slot;			/* of the column's value, if it is no part */
} Agreement;

struct DynParts
{
	DynRelation *relation;
	MemoryContext context;
	MemoryContext scratch;		/* of encoded values */
	const DynValue *values;		/* of the item in hand */
	Cutting    *cuttings;		/* as relation->spelled */
	int			nagreements;	/* of the templates that are cut */
	Agreement  *agreements;
};

static int
slot_of(const DynPath *path, const DynPath *paths, int npaths)
{
	int			slot = dyn_path_position(path, paths, npaths);

	if (slot < 0)
		elog(ERROR, "an attribute of a template is not read");
	return slot;
}

static void
add_agreements(DynParts *parts, int i, const DynPath *paths, int npaths)
{
	const DynSpelled *spelled = &parts->relation->spelled[i];

	for (int p = 0; p < spelled->tmpl->nparts; p++)
	{
		Agreement  *agreement = &parts->agreements[parts->nagreements];

		if (spelled->parts[p].source)
			continue;
		agreement->spelled = i;
		agreement->part = p;
		agreement->column = dyn_relation_column(parts->relation,
												spelled->parts[p].attnum);
		agreement->slot = dyn_column_is_part(agreement->column) ? -1
			: slot_of(agreement->column->path, paths, npaths);
		parts->nagreements++;
	}
}

DynParts *
dyn_parts_create(DynRelation *relation, const bool *needed, const DynPath *paths,
				 int npaths)
{
	DynParts   *parts = palloc0(sizeof(DynParts));

	parts->relation = relation;
	parts->context = CurrentMemoryContext;
	parts->scratch = AllocSetContextCreate(CurrentMemoryContext,
										   "dynamo_fdw parts",
										   ALLOCSET_SMALL_SIZES);
	parts->cuttings = palloc0(relation->nspelled * sizeof(Cutting));
	parts->agreements = palloc0(relation->nspelled * DYN_TEMPLATE_MAX_PARTS *
								sizeof(Agreement));
	for (int i = 0; i < relation->nspelled; i++)
	{
		Cutting    *cutting = &parts->cuttings[i];

		cutting->spelled = &relation->spelled[i];
		if (!needed[i])
			continue;
		cutting->slot = slot_of(cutting->spelled->path, paths, npaths);
		add_agreements(parts, i, paths, npaths);
	}
	return parts;
}

/* ---- texts ---- */

/*
 * Is it a text?  What is a number in a key is one elsewhere, too; of other
 * attributes a template without literals may be either.
 */
static bool
has_text(const DynSpelled *spelled, const DynValue *value)
{
	if (spelled->type != DYN_TYPE_ABSENT)
		return value->type == spelled->type;
	return value->type == DYN_TYPE_S ||
		(value->type == DYN_TYPE_N && dyn_template_is_bare(spelled->tmpl));
}

/* False if it is none. */
static bool
read_text(DynParts *parts, Cutting *cutting, const DynValue *value,
		  DynText *text)
{
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
		cutting->space = MemoryContextAlloc(parts->context, value->len);
		cutting->room = value->len;
	}
	text->len = dyn_value_text(value, cutting->space);
	text->data = cutting->space;
	return true;
}

/* `given`: what is known of columns that are read from elsewhere, or NULL. */
static void
cut(DynParts *parts, Cutting *cutting, const DynText *given)
{
	const DynValue *value = &parts->values[cutting->slot];
	DynText		text = {NULL, 0};

	cutting->done = true;
	cutting->nul = (value->flags & DYN_VALUE_HAS_NUL) != 0;
	cutting->absent = value->type == DYN_TYPE_ABSENT ||
		value->type == DYN_TYPE_NULL;
	cutting->no_text = !cutting->absent &&
		!read_text(parts, cutting, value, &text);
	cutting->cut = cutting->absent || cutting->no_text ? DYN_CUT_UNFIT
		: dyn_template_cut(cutting->spelled->tmpl, text.data, text.len, given,
						   cutting->texts);
}

static void
set_value(DynValue *value, const Cutting *cutting, int part)
{
	const DynText *text = &cutting->texts[part];

	memset(value, 0, sizeof(*value));
	value->type = DYN_TYPE_S;
	value->data = text->data;
	value->len = text->len;
	if (cutting->nul && memchr(text->data, '\0', text->len) != NULL)
		value->flags = DYN_VALUE_HAS_NUL;
}

static bool
fits(const Cutting *cutting)
{
	return cutting->done && cutting->cut == DYN_CUT_FITS;
}

/* ---- columns that are read from elsewhere ---- */

typedef enum Expected
{
	EXPECTED_TEXT,
	EXPECTED_UNKNOWN,			/* the column's value does not fit it */
	EXPECTED_NOTHING			/* it is NULL, or has no spelling there */
} Expected;

/* What a misfit is as the column's value. */
static Expected
expected_of_misfit(const DynColumn *column)
{
	return column->null_on_mismatch ? EXPECTED_NOTHING : EXPECTED_UNKNOWN;
}

/* The text that the part must have. */
static Expected
expected_text(DynParts *parts, const Agreement *agreement, DynText *text)
{
	const DynPart *part = &parts->relation->spelled[agreement->spelled].parts[agreement->part];
	DynColumn  *column = agreement->column;
	const Cutting *cutting = NULL;
	DynValue	value;
	DynScalar	scalar;
	Datum		datum;
	const char *why;

	if (!dyn_column_is_part(column))
		value = parts->values[agreement->slot];
	else
	{
		cutting = &parts->cuttings[column->spelled];
		if (!cutting->done)
			return EXPECTED_UNKNOWN;
		if (cutting->absent)
			return EXPECTED_NOTHING;
		if (cutting->cut != DYN_CUT_FITS)
			return expected_of_misfit(column);
		set_value(&value, cutting, column->part);
	}
	if (value.type == DYN_TYPE_ABSENT || value.type == DYN_TYPE_NULL)
		return EXPECTED_NOTHING;
	if (!dyn_codec_decode(&column->codec, &value, true, &datum, &why))
		return cutting != NULL && cutting->spelled->base ? EXPECTED_UNKNOWN
			: expected_of_misfit(column);
	if (dyn_codec_encode(&part->column.codec, column->codec.basetype, datum,
						 &scalar) != DYN_ENCODED)
		return EXPECTED_NOTHING;
	text->data = scalar.data;
	text->len = scalar.len;
	return EXPECTED_TEXT;
}

static void cut_template(DynParts *parts, int i, bool *possible);

/*
 * What the parts of a template must have, as far as it is known; false if a
 * column has no text there.  Texts that columns are parts of are cut before,
 * but for those that depend on this one.
 */
static bool
expected_texts(DynParts *parts, int i, DynText *given)
{
	bool		possible = true;

	memset(given, 0, DYN_TEMPLATE_MAX_PARTS * sizeof(DynText));
	for (int a = 0; a < parts->nagreements; a++)
	{
		const Agreement *agreement = &parts->agreements[a];
		bool		ignored;

		if (agreement->spelled != i)
			continue;
		if (dyn_column_is_part(agreement->column))
			cut_template(parts, agreement->column->spelled, &ignored);
		if (expected_text(parts, agreement,
						  &given[agreement->part]) == EXPECTED_NOTHING)
			possible = false;
	}
	return possible;
}

/* *possible is false if no text of the attribute could agree. */
static void
cut_template(DynParts *parts, int i, bool *possible)
{
	Cutting    *cutting = &parts->cuttings[i];
	DynText		given[DYN_TEMPLATE_MAX_PARTS];

	*possible = true;
	if (cutting->done || cutting->busy)
		return;
	cutting->busy = true;
	*possible = expected_texts(parts, i, given);
	cut(parts, cutting, *possible ? given : NULL);
	cutting->busy = false;
}

/* ---- the row test ---- */

/* Cuts the key attributes; false if one of them does not fit. */
static bool
cut_bases(DynParts *parts)
{
	for (int i = 0; i < parts->relation->nspelled; i++)
	{
		bool		possible;

		if (!parts->relation->spelled[i].base)
			continue;
		cut_template(parts, i, &possible);
		if (!possible || parts->cuttings[i].cut == DYN_CUT_UNFIT)
			return false;
	}
	return true;
}

/*
 * Have parts of key attributes the texts of their columns, where these were not
 * known when the attribute was cut?
 */
static bool
agree(DynParts *parts)
{
	for (int a = 0; a < parts->nagreements; a++)
	{
		const Agreement *agreement = &parts->agreements[a];
		const Cutting *cutting = &parts->cuttings[agreement->spelled];
		DynText		text = {NULL, 0};
		Expected	expected;

		if (!cutting->spelled->base || !fits(cutting) ||
			!dyn_column_is_part(agreement->column))
			continue;
		expected = expected_text(parts, agreement, &text);
		if (expected == EXPECTED_NOTHING ||
			(expected == EXPECTED_TEXT &&
			 !dyn_part_agrees(&cutting->spelled->tmpl->parts[agreement->part],
							  cutting->texts[agreement->part], text)))
			return false;
	}
	return true;
}

/* A part outside of its enumeration, or of another type, is a misfit. */
static bool
part_is_value(const Cutting *cutting, int p, DynColumn *column)
{
	DynValue	value;
	Datum		datum;
	const char *why;

	set_value(&value, cutting, p);
	return dyn_part_lists(&cutting->spelled->tmpl->parts[p], cutting->texts[p]) &&
		dyn_codec_decode(&column->codec, &value, true, &datum, &why);
}

/* Under on_mismatch 'null' a part that is no value of its column excludes. */
static bool
parts_are_values(DynParts *parts, const Cutting *cutting)
{
	for (int p = 0; p < cutting->spelled->tmpl->nparts; p++)
	{
		const DynPart *part = &cutting->spelled->parts[p];
		DynColumn  *column = dyn_relation_column(parts->relation, part->attnum);

		if (part->source && column->null_on_mismatch &&
			!part_is_value(cutting, p, column))
			return false;
	}
	return true;
}

/*
 * Are they members of their enumerations?  An item outside of one is not met
 * where these are asked for, so it must not be a row elsewhere.
 */
static bool
parts_are_listed(const Cutting *cutting)
{
	for (int p = 0; p < cutting->spelled->tmpl->nparts; p++)
	{
		if (!dyn_part_lists(&cutting->spelled->tmpl->parts[p], cutting->texts[p]))
			return false;
	}
	return true;
}

static DynFit
judge(DynParts *parts, const char **attribute)
{
	if (!cut_bases(parts) || !agree(parts))
		return DYN_FIT_NOT;
	for (int i = 0; i < parts->relation->nspelled; i++)
	{
		const Cutting *cutting = &parts->cuttings[i];

		if (!cutting->spelled->base || cutting->cut != DYN_CUT_AMBIGUOUS)
			continue;
		*attribute = dyn_spelled_name(cutting->spelled);
		return DYN_FIT_AMBIGUOUS;
	}
	for (int i = 0; i < parts->relation->nspelled; i++)
	{
		const Cutting *cutting = &parts->cuttings[i];

		if (!cutting->spelled->base)
			continue;
		if (!parts_are_values(parts, cutting))
			return DYN_FIT_NOT;
		if (!parts_are_listed(cutting))
		{
			*attribute = dyn_spelled_name(cutting->spelled);
			return DYN_FIT_UNLISTED;
		}
	}
	return DYN_FIT_ROW;
}

DynFit
dyn_parts_begin(DynParts *parts, const DynValue *values,
				const char **attribute)
{
	MemoryContext old;
	DynFit		fit;

	parts->values = values;
	for (int i = 0; i < parts->relation->nspelled; i++)
		parts->cuttings[i].done = false;
	old = MemoryContextSwitchTo(parts->scratch);
	fit = judge(parts, attribute);
	MemoryContextSwitchTo(old);
	MemoryContextReset(parts->scratch);
	return fit;
}

/* ---- values ---- */

/* Not for the table's key, whose texts are cut when the item comes. */
static void
cut_later(DynParts *parts, int i)
{
	MemoryContext old = MemoryContextSwitchTo(parts->scratch);
	bool		possible;

	cut_template(parts, i, &possible);
	MemoryContextSwitchTo(old);
	MemoryContextReset(parts->scratch);
}

bool
dyn_parts_value(DynParts *parts, const DynColumn *column, DynValue *value,
				const char **why)
{
	Cutting    *cutting = &parts->cuttings[column->spelled];

	if (!cutting->done)
		cut_later(parts, column->spelled);
	memset(value, 0, sizeof(*value));
	if (cutting->absent)
		return true;
	if (cutting->cut == DYN_CUT_FITS)
	{
		set_value(value, cutting, column->part);
		*why = "it is none of the enumeration in the template";
		return dyn_part_lists(&cutting->spelled->tmpl->parts[column->part],
							  cutting->texts[column->part]);
	}
	*why = cutting->no_text ? "the attribute is no string"
		: cutting->cut == DYN_CUT_AMBIGUOUS
		? "the attribute's text fits its template only if a part contains the character that ends it, which needs the spec any"
		: "the attribute's text does not fit its template";
	return false;
}

/* ---- texts that columns reproduce ---- */

static const Agreement *
agreement_of(const DynParts *parts, int i, int p)
{
	for (int a = 0; a < parts->nagreements; a++)
	{
		if (parts->agreements[a].spelled == i && parts->agreements[a].part == p)
			return &parts->agreements[a];
	}
	elog(ERROR, "a part of a template is not compared");
}

static bool
part_is_reproduced(DynParts *parts, int i, int p)
{
	const Cutting *cutting = &parts->cuttings[i];
	const DynPart *part = &cutting->spelled->parts[p];
	const DynTemplatePart *shape = &cutting->spelled->tmpl->parts[p];
	DynText		text = {NULL, 0};

	if (part->source)
		return part_is_value(cutting, p,
							 dyn_relation_column(parts->relation, part->attnum));
	return expected_text(parts, agreement_of(parts, i, p), &text) == EXPECTED_TEXT &&
		dyn_part_holds(shape, text) != DYN_HOLDS_UNKNOWN &&
		dyn_part_agrees(shape, cutting->texts[p], text);
}

bool
dyn_parts_reproduce(DynParts *parts, int i)
{
	const Cutting *cutting = &parts->cuttings[i];
	MemoryContext old;
	bool		reproduced;

	if (!cutting->done)
		cut_later(parts, i);
	reproduced = fits(cutting);
	old = MemoryContextSwitchTo(parts->scratch);
	for (int p = 0; p < cutting->spelled->tmpl->nparts && reproduced; p++)
		reproduced = part_is_reproduced(parts, i, p);
	MemoryContextSwitchTo(old);
	MemoryContextReset(parts->scratch);
	return reproduced;
}
