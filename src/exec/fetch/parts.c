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
	int			slot;			/* -1: not known yet */
	bool		done;			/* the rest is of the item in hand */
	DynCut		cut;
	bool		absent;
	bool		no_text;		/* of another type, or with U+0000 */
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
	int			nagreements;	/* those of key attributes */
	Agreement  *agreements;
};

List *
dyn_parts_paths(const DynRelation *relation)
{
	List	   *paths = NIL;

	for (int i = 0; i < relation->nspelled; i++)
	{
		const DynSpelled *spelled = &relation->spelled[i];

		if (!spelled->base)
			continue;
		paths = lappend(paths, unconstify(DynPath *, spelled->path));
		for (int p = 0; p < spelled->tmpl->nparts; p++)
		{
			if (!spelled->parts[p].source)
				paths = lappend(paths,
								unconstify(DynPath *,
										   dyn_relation_column(relation,
															   spelled->parts[p].attnum)->path));
		}
	}
	return paths;
}

static int
slot_of(const DynPath *path, const DynPath *paths, int npaths)
{
	for (int i = 0; i < npaths; i++)
	{
		if (dyn_path_equal(&paths[i], path))
			return i;
	}
	elog(ERROR, "an attribute of a template is not read");
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
		agreement->slot = slot_of(agreement->column->path, paths, npaths);
		parts->nagreements++;
	}
}

DynParts *
dyn_parts_create(DynRelation *relation, const DynPath *paths, int npaths)
{
	DynParts   *parts;

	if (relation->nspelled == 0)
		return NULL;
	parts = palloc0(sizeof(DynParts));
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
		cutting->slot = cutting->spelled->base
			? slot_of(cutting->spelled->path, paths, npaths) : -1;
		if (cutting->spelled->base)
			add_agreements(parts, i, paths, npaths);
	}
	return parts;
}

/* ---- texts ---- */

/* The text of a string, or of a number; false if it is neither. */
static bool
read_text(DynParts *parts, Cutting *cutting, const DynValue *value,
		  DynText *text)
{
	if ((value->type != DYN_TYPE_S &&
		 !(value->type == DYN_TYPE_N &&
		   dyn_template_is_bare(cutting->spelled->tmpl))) ||
		(value->flags & DYN_VALUE_HAS_NUL))
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

/* `given`: what is known of columns that are read from elsewhere. */
static void
cut(DynParts *parts, Cutting *cutting, const DynText *given)
{
	const DynValue *value = &parts->values[cutting->slot];
	DynText		text = {NULL, 0};

	cutting->done = true;
	cutting->absent = value->type == DYN_TYPE_ABSENT ||
		value->type == DYN_TYPE_NULL;
	cutting->no_text = !cutting->absent &&
		!read_text(parts, cutting, value, &text);
	cutting->cut = cutting->absent || cutting->no_text ? DYN_CUT_UNFIT
		: dyn_template_cut(cutting->spelled->tmpl, text.data, text.len, given,
						   cutting->texts);
}

static void
set_value(DynValue *value, const DynText *text)
{
	memset(value, 0, sizeof(*value));
	value->type = DYN_TYPE_S;
	value->data = text->data;
	value->len = text->len;
}

/* ---- columns that are read from elsewhere ---- */

/* The value of a column in the item in hand. */
static DynValue
value_of(DynParts *parts, const Agreement *agreement)
{
	const DynColumn *column = agreement->column;
	DynValue	value = {0};

	if (!dyn_column_is_part(column))
		return parts->values[agreement->slot];
	if (parts->cuttings[column->spelled].done &&
		parts->cuttings[column->spelled].cut == DYN_CUT_FITS)
		set_value(&value,
				  &parts->cuttings[column->spelled].texts[column->part]);
	return value;
}

typedef enum Expected
{
	EXPECTED_TEXT,
	EXPECTED_UNKNOWN,			/* the column's value does not fit it */
	EXPECTED_NOTHING			/* it is NULL, or has no spelling there */
} Expected;

/* The text that the part must have. */
static Expected
expected_text(DynParts *parts, const Agreement *agreement, DynText *text)
{
	const DynPart *part = &parts->relation->spelled[agreement->spelled].parts[agreement->part];
	DynColumn  *column = agreement->column;
	DynValue	value = value_of(parts, agreement);
	DynScalar	scalar;
	Datum		datum;
	const char *why;

	if (value.type == DYN_TYPE_ABSENT || value.type == DYN_TYPE_NULL)
		return EXPECTED_NOTHING;
	if (!dyn_codec_decode(&column->codec, &value, true, &datum, &why))
		return column->null_on_mismatch && !dyn_column_is_part(column)
			? EXPECTED_NOTHING : EXPECTED_UNKNOWN;
	if (dyn_codec_encode(&part->column.codec, column->codec.basetype, datum,
						 &scalar) != DYN_ENCODED)
		return EXPECTED_NOTHING;
	text->data = scalar.data;
	text->len = scalar.len;
	return EXPECTED_TEXT;
}

/* Is the column a part of an attribute that is not cut yet? */
static bool
is_open(const DynParts *parts, const Agreement *agreement)
{
	return dyn_column_is_part(agreement->column) &&
		!parts->cuttings[agreement->column->spelled].done;
}

/*
 * What the parts of a template must have, as far as it is known; false if a
 * column has no text there.
 */
static bool
expected_texts(DynParts *parts, int i, DynText *given)
{
	memset(given, 0, DYN_TEMPLATE_MAX_PARTS * sizeof(DynText));
	for (int a = 0; a < parts->nagreements; a++)
	{
		const Agreement *agreement = &parts->agreements[a];

		if (agreement->spelled == i && !is_open(parts, agreement) &&
			expected_text(parts, agreement,
						  &given[agreement->part]) == EXPECTED_NOTHING)
			return false;
	}
	return true;
}

/* ---- the row test ---- */

/* Does it name columns that are parts of an attribute not cut yet? */
static bool
must_wait(const DynParts *parts, int i)
{
	for (int a = 0; a < parts->nagreements; a++)
	{
		if (parts->agreements[a].spelled == i &&
			is_open(parts, &parts->agreements[a]))
			return true;
	}
	return false;
}

static bool
cut_base(DynParts *parts, int i)
{
	Cutting    *cutting = &parts->cuttings[i];
	DynText		given[DYN_TEMPLATE_MAX_PARTS];

	if (!expected_texts(parts, i, given))
		return false;
	cut(parts, cutting, given);
	return cutting->cut != DYN_CUT_UNFIT;
}

/* Cuts the key attributes; false if one of them does not fit. */
static bool
cut_bases(DynParts *parts)
{
	for (int round = 0; round < 2; round++)
	{
		for (int i = 0; i < parts->relation->nspelled; i++)
		{
			if (!parts->relation->spelled[i].base || parts->cuttings[i].done ||
				(round == 0 && must_wait(parts, i)))
				continue;
			if (!cut_base(parts, i))
				return false;
		}
	}
	return true;
}

/* Are parts of two key attributes, which show one column, equal? */
static bool
agree(DynParts *parts)
{
	for (int a = 0; a < parts->nagreements; a++)
	{
		const Agreement *agreement = &parts->agreements[a];
		const Cutting *cutting = &parts->cuttings[agreement->spelled];
		DynText		text = {NULL, 0};
		Expected	expected;

		if (!dyn_column_is_part(agreement->column) ||
			cutting->cut != DYN_CUT_FITS ||
			parts->cuttings[agreement->column->spelled].cut != DYN_CUT_FITS)
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

/* Under on_mismatch 'null' a part that is no value of its column excludes. */
static bool
parts_are_values(DynParts *parts, const Cutting *cutting)
{
	for (int p = 0; p < cutting->spelled->tmpl->nparts; p++)
	{
		const DynPart *part = &cutting->spelled->parts[p];
		DynColumn  *column = dyn_relation_column(parts->relation, part->attnum);
		DynValue	value;
		Datum		datum;
		const char *why;

		if (!part->source || !column->null_on_mismatch)
			continue;
		set_value(&value, &cutting->texts[p]);
		if (!dyn_codec_decode(&column->codec, &value, true, &datum, &why))
			return false;
	}
	return true;
}

static DynFit
judge(DynParts *parts, const char **attribute)
{
	const Cutting *ambiguous = NULL;

	if (!cut_bases(parts) || !agree(parts))
		return DYN_FIT_NOT;
	for (int i = 0; i < parts->relation->nspelled; i++)
	{
		const Cutting *cutting = &parts->cuttings[i];

		if (!cutting->done)
			continue;
		if (cutting->cut == DYN_CUT_AMBIGUOUS)
			ambiguous = cutting;
		else if (!parts_are_values(parts, cutting))
			return DYN_FIT_NOT;
	}
	if (ambiguous == NULL)
		return DYN_FIT_ROW;
	*attribute = dyn_spelled_name(ambiguous->spelled);
	return DYN_FIT_AMBIGUOUS;
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

bool
dyn_parts_value(DynParts *parts, const DynColumn *column, int slot,
				DynValue *value, const char **why)
{
	Cutting    *cutting = &parts->cuttings[column->spelled];

	if (!cutting->done)
	{
		cutting->slot = slot;
		cut(parts, cutting, NULL);
	}
	memset(value, 0, sizeof(*value));
	if (cutting->cut == DYN_CUT_FITS)
		set_value(value, &cutting->texts[column->part]);
	if (cutting->cut == DYN_CUT_FITS || cutting->absent)
		return true;
	*why = cutting->no_text ? "the attribute is no string"
		: cutting->cut == DYN_CUT_AMBIGUOUS
		? "the attribute's text fits its template only if a part contains the character that ends it"
		: "the attribute's text does not fit its template";
	return false;
}
