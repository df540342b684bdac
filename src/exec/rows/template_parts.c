/*
 * template_parts.c
 *		Cuts the texts of an item's attributes into the parts of templates.
 *
 * The order of judgements about an item is fixed, whatever a request has
 * enforced: that it is no row comes first, then that it is ambiguous, then that
 * a part is no value of its column.
 *
 * Most texts are cut one after the other, each in the one way that its template
 * has.  Where that fails, and columns occur in several places, all ways of all
 * texts are searched for those in which every column has one value: a part that
 * may contain its edge is decided by the other places of its column.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "template_cut.h"
#include "template_parts.h"
#include "template_search.h"

struct DynParts
{
	DynCuttings all;
	DynMisfit	misfit;			/* of the item in hand */
};

DynParts *
dyn_parts_create(DynRelation *relation, const bool *needed, const DynPath *paths,
				 int npaths)
{
	DynParts   *parts = palloc0(sizeof(DynParts));

	dyn_cuttings_init(&parts->all, relation, needed, paths, npaths);
	parts->all.cut_circle = dyn_cut_circle;
	return parts;
}

/* ---- what is wrong with an item ---- */

/* Sets what is wrong with the attribute; `fit` is the judgement. */
static DynFit
misfit_of(DynParts *parts, const DynCutting *cutting, DynFit fit)
{
	parts->misfit.attribute = dyn_spelled_name(cutting->spelled);
	parts->misfit.value = &parts->all.values[cutting->slot];
	return fit;
}

/* A mismatch of a column of the template, which may exclude the item. */
static DynFit
mismatch_of(DynParts *parts, const DynCutting *cutting, int p, const char *why)
{
	DynColumn  *column = dyn_relation_column(parts->all.relation,
											 cutting->spelled->parts[p].attnum);

	if (column->null_on_mismatch)
		return DYN_FIT_NOT;
	parts->misfit.column = column;
	parts->misfit.why = why;
	return misfit_of(parts, cutting, DYN_FIT_MISMATCH);
}

/* Why columns cannot be read from the text. */
static const char *
why_unfit(const DynCutting *cutting)
{
	if (cutting->no_text)
		return "the attribute is no string";
	switch (cutting->cut)
	{
		case DYN_CUT_AMBIGUOUS:
			return "the attribute's text fits its template only if a part contains the character that ends it, which needs the spec any";
		case DYN_CUT_MISFIT:
			return "a time in the attribute's text has another width than its format";
		default:
			return "the attribute's text does not fit its template";
	}
}

/* A text that does not fit, though nothing says that it is no row's. */
static DynFit
mismatch_of_text(DynParts *parts, const DynCutting *cutting)
{
	int			p = 0;

	while (p + 1 < cutting->spelled->tmpl->nparts &&
		   !cutting->spelled->parts[p].source)
		p++;
	return mismatch_of(parts, cutting, p, why_unfit(cutting));
}

/* ---- texts ---- */

/* A time of another width is judged with the values. */
static DynFit
judge_cuts(DynParts *parts)
{
	const DynCutting *ambiguous = NULL;

	for (int i = 0; i < parts->all.relation->nspelled; i++)
	{
		const DynCutting *cutting = &parts->all.cuttings[i];

		if (!cutting->spelled->base)
			continue;
		dyn_cut_template(&parts->all, i);
		if (cutting->impossible || cutting->cut == DYN_CUT_UNFIT)
			return DYN_FIT_NOT;
		if (cutting->cut == DYN_CUT_AMBIGUOUS)
			ambiguous = cutting;
	}
	if (!dyn_cuttings_agree(&parts->all, false))
		return DYN_FIT_NOT;
	return ambiguous == NULL ? DYN_FIT_ROW
		: misfit_of(parts, ambiguous, DYN_FIT_AMBIGUOUS);
}

/* Of texts that no value fits, one may exclude the item. */
static DynFit
judge_unresolved(DynParts *parts)
{
	DynFit		fit = DYN_FIT_NOT;

	for (int i = 0; i < parts->all.relation->nspelled; i++)
	{
		const DynCutting *cutting = &parts->all.cuttings[i];

		if (!cutting->decisive || !cutting->unresolved)
			continue;
		fit = mismatch_of_text(parts, cutting);
		if (fit == DYN_FIT_NOT)
			break;
	}
	return fit;
}

/* By the other places of columns. */
static DynFit
judge_ways(DynParts *parts)
{
	const DynCutting *about;

	switch (dyn_find_ways(&parts->all, &about))
	{
		case DYN_WAYS_ONE:
			return DYN_FIT_ROW;
		case DYN_WAYS_SEVERAL:
			return misfit_of(parts, about, DYN_FIT_AMBIGUOUS);
		case DYN_WAYS_UNRESOLVED:
			return judge_unresolved(parts);
		default:
			return DYN_FIT_NOT;
	}
}

/* Could other places decide the text of an attribute that is no key? */
static bool
has_undecided_text(const DynParts *parts)
{
	for (int i = 0; i < parts->all.relation->nspelled; i++)
	{
		const DynCutting *cutting = &parts->all.cuttings[i];

		if (cutting->decisive && !cutting->spelled->base && cutting->done &&
			cutting->cut == DYN_CUT_AMBIGUOUS)
			return true;
	}
	return false;
}

/* If not, the item is a row all the same, and columns of the text are mismatches. */
static void
decide_other_texts(DynParts *parts)
{
	const DynCutting *about;

	if (dyn_find_ways(&parts->all, &about) == DYN_WAYS_ONE)
		return;
	for (int i = 0; i < parts->all.relation->nspelled; i++)
		parts->all.cuttings[i].done = false;
	(void) judge_cuts(parts);
}

/* ---- the row test ---- */

/* A part of another type than its column is a misfit. */
static bool
part_is_value(const DynCutting *cutting, int p, DynColumn *column, const char **why)
{
	DynValue	value;

	dyn_cutting_value(&value, cutting, p);
	return dyn_codec_holds(&column->codec, &value, why);
}

static bool
part_is_listed(const DynCutting *cutting, int p)
{
	return dyn_part_lists(&cutting->spelled->tmpl->parts[p], cutting->texts[p]);
}

/*
 * Is the part a value of its column, and a member of its enumeration?  An item
 * outside of one is not met where its members are asked for, so it must not be
 * a row elsewhere.
 */
static DynFit
judge_part(DynParts *parts, const DynCutting *cutting, int p)
{
	const DynPart *part = &cutting->spelled->parts[p];
	const char *why = NULL;

	if (part->source &&
		!part_is_value(cutting, p, dyn_relation_column(parts->all.relation,
													   part->attnum), &why))
		return mismatch_of(parts, cutting, p, why);
	return part_is_listed(cutting, p) ? DYN_FIT_ROW
		: mismatch_of(parts, cutting, p, NULL);
}

static DynFit
judge_parts(DynParts *parts, const DynCutting *cutting)
{
	DynFit		worst = DYN_FIT_ROW;

	for (int p = 0; p < cutting->spelled->tmpl->nparts; p++)
	{
		DynFit		fit = judge_part(parts, cutting, p);

		if (fit == DYN_FIT_NOT)
			return fit;
		if (worst == DYN_FIT_ROW)
			worst = fit;
	}
	return worst;
}

/*
 * Is there an enumerated part of an index key in which the item cannot be found
 * where its members are asked for?  Columns that are NULL then are not asked
 * for in that way.
 */
static DynFit
judge_index_key(DynParts *parts, int i)
{
	const DynCutting *cutting = &parts->all.cuttings[i];
	DynFit		fit = DYN_FIT_ROW;

	dyn_cut_template(&parts->all, i);
	for (int p = 0; p < cutting->spelled->tmpl->nparts && fit == DYN_FIT_ROW; p++)
	{
		const DynPart *part = &cutting->spelled->parts[p];

		if (cutting->absent || !dyn_part_is_enumerated(&cutting->spelled->tmpl->parts[p]) ||
			!part->column.traits.members)
			continue;
		if (dyn_cutting_fits(cutting))
			fit = judge_part(parts, cutting, p);
		else if (part->source)
			fit = mismatch_of_text(parts, cutting);
	}
	return fit;
}

static DynFit
judge_values(DynParts *parts)
{
	DynFit		worst = DYN_FIT_ROW;

	for (int i = 0; i < parts->all.relation->nspelled; i++)
	{
		const DynCutting *cutting = &parts->all.cuttings[i];
		DynFit		fit;

		if (cutting->spelled->base)
			fit = dyn_cutting_fits(cutting) ? judge_parts(parts, cutting)
				: mismatch_of_text(parts, cutting);
		else if (cutting->spelled->listed)
			fit = judge_index_key(parts, i);
		else
			continue;
		if (fit == DYN_FIT_NOT)
			return fit;
		if (worst == DYN_FIT_ROW)
			worst = fit;
	}
	return worst;
}

static DynFit
judge(DynParts *parts)
{
	DynFit		fit = judge_cuts(parts);

	if (fit != DYN_FIT_ROW && (parts->all.entangled || parts->all.unsure))
		fit = judge_ways(parts);
	else if (fit == DYN_FIT_ROW && parts->all.entangled &&
			 has_undecided_text(parts))
		decide_other_texts(parts);
	return fit == DYN_FIT_ROW ? judge_values(parts) : fit;
}

DynFit
dyn_parts_begin(DynParts *parts, const DynValue *values,
				const DynMisfit **misfit)
{
	MemoryContext old;
	DynFit		fit;

	dyn_cuttings_begin(&parts->all, values);
	memset(&parts->misfit, 0, sizeof(parts->misfit));
	old = MemoryContextSwitchTo(parts->all.scratch);
	fit = judge(parts);
	MemoryContextSwitchTo(old);
	*misfit = &parts->misfit;
	return fit;
}

bool
dyn_parts_text(DynParts *parts, const DynValue *values, int i, int part,
			   DynText *text)
{
	MemoryContext old = MemoryContextSwitchTo(parts->all.scratch);

	dyn_cuttings_begin(&parts->all, values);
	if (parts->all.entangled)
		(void) judge(parts);
	else
		dyn_cut_template(&parts->all, i);
	MemoryContextSwitchTo(old);
	*text = parts->all.cuttings[i].texts[part];
	return dyn_cutting_fits(&parts->all.cuttings[i]);
}

/* ---- values ---- */

/* Not for the table's key, whose texts are cut when the item comes. */
static void
cut_later(DynParts *parts, int i)
{
	MemoryContext old = MemoryContextSwitchTo(parts->all.scratch);

	dyn_cut_template(&parts->all, i);
	MemoryContextSwitchTo(old);
	MemoryContextReset(parts->all.scratch);
}

bool
dyn_parts_value(DynParts *parts, const DynColumn *column, DynValue *value,
				const char **why)
{
	DynCutting *cutting = &parts->all.cuttings[column->spelled];

	if (!cutting->done)
		cut_later(parts, column->spelled);
	memset(value, 0, sizeof(*value));
	if (cutting->absent)
		return true;
	if (cutting->cut == DYN_CUT_FITS)
	{
		dyn_cutting_value(value, cutting, column->part);
		*why = "it is none of the enumeration in the template";
		return dyn_part_lists(&cutting->spelled->tmpl->parts[column->part],
							  cutting->texts[column->part]);
	}
	*why = why_unfit(cutting);
	return false;
}

/* ---- texts that columns reproduce ---- */

static const DynAgreement *
agreement_of(const DynParts *parts, int i, int p)
{
	for (int a = 0; a < parts->all.nagreements; a++)
	{
		if (parts->all.agreements[a].spelled == i && parts->all.agreements[a].part == p)
			return &parts->all.agreements[a];
	}
	elog(ERROR, "a part of a template is not compared");
}

static bool
part_is_reproduced(DynParts *parts, int i, int p)
{
	const DynCutting *cutting = &parts->all.cuttings[i];
	const DynPart *part = &cutting->spelled->parts[p];
	const DynTemplatePart *shape = &cutting->spelled->tmpl->parts[p];
	DynText		text = {NULL, 0};
	const char *why;

	if (part->source)
		return part_is_listed(cutting, p) &&
			part_is_value(cutting, p,
						  dyn_relation_column(parts->all.relation, part->attnum), &why);
	return dyn_expected_text(&parts->all, agreement_of(parts, i, p), &text) == DYN_EXPECTED_TEXT &&
		dyn_part_holds(shape, text) != DYN_HOLDS_UNKNOWN &&
		dyn_part_agrees(shape, cutting->texts[p], text);
}

bool
dyn_parts_reproduce(DynParts *parts, int i)
{
	const DynCutting *cutting = &parts->all.cuttings[i];
	MemoryContext old;
	bool		reproduced;

	if (!cutting->done)
		cut_later(parts, i);
	reproduced = dyn_cutting_fits(cutting);
	old = MemoryContextSwitchTo(parts->all.scratch);
	for (int p = 0; p < cutting->spelled->tmpl->nparts && reproduced; p++)
		reproduced = part_is_reproduced(parts, i, p);
	MemoryContextSwitchTo(old);
	MemoryContextReset(parts->all.scratch);
	return reproduced;
}
