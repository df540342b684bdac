/*
 * template_parts.c
 *		Splits an item's templated attributes, and decides whether the item is
 *		a row.
 *
 * Each item is checked in the same order, whichever request returned it: first
 * whether it is a row, then whether it is ambiguous, then whether each part is
 * a value of its column.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "template_split.h"

/* ---- mismatches of an item ---- */

static DynRowMatch
describe_mismatch(DynParts *parts, const DynParsedAttr *parsed, DynRowMatch match)
{
	parts->mismatch.attribute = dyn_templated_name(parsed->templated);
	parts->mismatch.value = &parts->values[parsed->slot];
	return match;
}

/*
 * Returns DYN_MATCH_NOT_ROW if the column of part `p` has on_mismatch 'null'.
 * Otherwise records a mismatch of the part, and returns DYN_MATCH_MISMATCH.
 */
static DynRowMatch
mismatch_of(DynParts *parts, const DynParsedAttr *parsed, int p, const char *why)
{
	DynColumn  *column = dyn_relation_column(parts->relation,
											 parsed->templated->parts[p].attnum);

	if (column->null_on_mismatch)
		return DYN_MATCH_NOT_ROW;
	parts->mismatch.column = column;
	parts->mismatch.why = why;
	return describe_mismatch(parts, parsed, DYN_MATCH_MISMATCH);
}

static const char *
why_no_match(const DynParsedAttr *parsed)
{
	if (parsed->no_text)
		return "the attribute is not a string";
	switch (parsed->split)
	{
		case DYN_SPLIT_AMBIGUOUS:
			return "the attribute matches its template only if a placeholder contains its separator, which requires the modifier any";
		case DYN_SPLIT_TYPE_MISMATCH:
			return "a time in the attribute does not have the width of its format";
		default:
			return "the attribute does not match its template";
	}
}

static DynRowMatch
mismatch_of_text(DynParts *parts, const DynParsedAttr *parsed)
{
	int			p = 0;

	while (p + 1 < parsed->templated->tmpl->nparts &&
		   !parsed->templated->parts[p].source)
		p++;
	return mismatch_of(parts, parsed, p, why_no_match(parsed));
}

/* ---- split of the key attributes ---- */

/*
 * Splits the key attributes, and returns whether the item can be a row.  Times
 * of a wrong width pass (DYN_SPLIT_TYPE_MISMATCH); judge_values() checks them.
 */
static DynRowMatch
judge_splits(DynParts *parts)
{
	const DynParsedAttr *ambiguous = NULL;

	for (int i = 0; i < parts->relation->ntemplated; i++)
	{
		const DynParsedAttr *parsed = &parts->attrs[i];

		if (!parsed->templated->base)
			continue;
		dyn_split_attr(parts, i);
		if (parsed->impossible || parsed->split == DYN_SPLIT_NO_MATCH)
			return DYN_MATCH_NOT_ROW;
		if (parsed->split == DYN_SPLIT_AMBIGUOUS)
			ambiguous = parsed;
	}
	if (!dyn_parts_agree(parts, false))
		return DYN_MATCH_NOT_ROW;
	return ambiguous == NULL ? DYN_MATCH_ROW
		: describe_mismatch(parts, ambiguous, DYN_MATCH_AMBIGUOUS);
}

/*
 * Tries every way to split the decisive attributes (defined at DynParts).
 * Returns DYN_MATCH_ROW if in exactly one way, all parts that belong to the
 * same column have the same value.
 */
static DynRowMatch
judge_ways(DynParts *parts)
{
	const DynParsedAttr *about;
	DynWaysFound found = dyn_find_ways(parts, parts->decisive, &about);
	DynRowMatch match = DYN_MATCH_NOT_ROW;

	if (found == DYN_WAYS_ONE)
		return DYN_MATCH_ROW;
	if (found == DYN_WAYS_SEVERAL)
		return describe_mismatch(parts, about, DYN_MATCH_AMBIGUOUS);
	for (int i = 0; i < parts->relation->ntemplated && found == DYN_WAYS_UNRESOLVED; i++)
	{
		if (!bms_is_member(i, parts->decisive) || !parts->attrs[i].unresolved)
			continue;
		match = mismatch_of_text(parts, &parts->attrs[i]);
		if (match == DYN_MATCH_NOT_ROW)
			break;
	}
	return match;
}

/*
 * Returns true if the split of a decisive attribute outside of the table's key
 * is ambiguous.  Other attributes with the same columns may resolve the
 * ambiguity.
 */
static bool
has_undecided_text(const DynParts *parts)
{
	for (int i = 0; i < parts->relation->ntemplated; i++)
	{
		const DynParsedAttr *parsed = &parts->attrs[i];

		if (bms_is_member(i, parts->decisive) && !parsed->templated->base && parsed->done &&
			parsed->split == DYN_SPLIT_AMBIGUOUS)
			return true;
	}
	return false;
}

/* ---- values of parts ---- */

static bool
part_is_value(DynParts *parts, const DynParsedAttr *parsed, int p, const char **why)
{
	AttrNumber	attnum = parsed->templated->parts[p].attnum;
	DynValue	value;

	dyn_parsed_attr_value(&value, parsed, p);
	return dyn_codec_holds(&dyn_relation_column(parts->relation, attnum)->codec,
						   &value, why);
}

static bool
part_is_listed(const DynParsedAttr *parsed, int p)
{
	return dyn_part_lists(&parsed->templated->tmpl->parts[p], parsed->texts[p]);
}

/*
 * Checks that the column can represent the text, and that the template lists
 * the text if it lists values.  An item with a text that is not listed must
 * not be a row, since a plan that requests each listed value does not find it.
 */
static DynRowMatch
judge_part(DynParts *parts, const DynParsedAttr *parsed, int p)
{
	const char *why = NULL;

	if (parsed->templated->parts[p].source && !part_is_value(parts, parsed, p, &why))
		return mismatch_of(parts, parsed, p, why);
	return part_is_listed(parsed, p) ? DYN_MATCH_ROW
		: mismatch_of(parts, parsed, p, NULL);
}

static DynRowMatch
judge_parts(DynParts *parts, const DynParsedAttr *parsed)
{
	DynRowMatch worst = DYN_MATCH_ROW;

	for (int p = 0; p < parsed->templated->tmpl->nparts &&
		 worst != DYN_MATCH_NOT_ROW; p++)
	{
		DynRowMatch match = judge_part(parts, parsed, p);

		if (match != DYN_MATCH_ROW)
			worst = match;
	}
	return worst;
}

/*
 * Checks those parts of an index key whose values the template lists.  A part
 * whose column has on_mismatch 'null' is not checked, because no plan then
 * requests each listed value.
 */
static DynRowMatch
judge_index_key(DynParts *parts, int i)
{
	const DynParsedAttr *parsed = &parts->attrs[i];
	DynRowMatch match = DYN_MATCH_ROW;

	dyn_split_attr(parts, i);
	for (int p = 0; p < parsed->templated->tmpl->nparts && match == DYN_MATCH_ROW; p++)
	{
		const DynPart *part = &parsed->templated->parts[p];

		if (parsed->absent || !dyn_part_is_enumerated(&parsed->templated->tmpl->parts[p]) ||
			!part->column.traits.members)
			continue;
		if (dyn_parsed_attr_matches(parsed))
			match = judge_part(parts, parsed, p);
		else if (part->source)
			match = mismatch_of_text(parts, parsed);
	}
	return match;
}

static DynRowMatch
judge_values(DynParts *parts)
{
	DynRowMatch worst = DYN_MATCH_ROW;

	for (int i = 0; i < parts->relation->ntemplated &&
		 worst != DYN_MATCH_NOT_ROW; i++)
	{
		const DynParsedAttr *parsed = &parts->attrs[i];
		DynRowMatch match;

		if (parsed->templated->base)
			match = dyn_parsed_attr_matches(parsed) ? judge_parts(parts, parsed)
				: mismatch_of_text(parts, parsed);
		else if (parsed->templated->listed)
			match = judge_index_key(parts, i);
		else
			continue;
		if (match != DYN_MATCH_ROW)
			worst = match;
	}
	return worst;
}

static DynRowMatch
judge(DynParts *parts)
{
	DynRowMatch match = judge_splits(parts);
	const DynParsedAttr *about;

	if (match != DYN_MATCH_ROW && (parts->entangled || parts->unsure))
		match = judge_ways(parts);
	else if (match == DYN_MATCH_ROW && parts->entangled &&
			 has_undecided_text(parts) &&
			 dyn_find_ways(parts, parts->decisive, &about) != DYN_WAYS_ONE)
	{
		/*
		 * The item is a row, but the search has not found exactly one way to
		 * split its attributes.  So the values of some columns are unknown,
		 * which is reported as a mismatch of these columns.  The search has
		 * overwritten the splits, so split the attributes again, one by one.
		 */
		for (int i = 0; i < parts->relation->ntemplated; i++)
			parts->attrs[i].done = false;
		(void) judge_splits(parts);
	}
	return match == DYN_MATCH_ROW ? judge_values(parts) : match;
}

DynRowMatch
dyn_parts_begin(DynParts *parts, const DynValue *values,
				const DynMismatch **mismatch)
{
	MemoryContext old;
	DynRowMatch match;

	dyn_parts_reset(parts, values);
	memset(&parts->mismatch, 0, sizeof(parts->mismatch));
	old = MemoryContextSwitchTo(parts->scratch);
	match = judge(parts);
	MemoryContextSwitchTo(old);
	*mismatch = &parts->mismatch;
	return match;
}

bool
dyn_parts_text(DynParts *parts, const DynValue *values, int i, int part,
			   DynText *text)
{
	MemoryContext old = MemoryContextSwitchTo(parts->scratch);

	dyn_parts_reset(parts, values);
	if (parts->entangled)
		(void) judge(parts);
	else
		dyn_split_attr(parts, i);
	MemoryContextSwitchTo(old);
	*text = parts->attrs[i].texts[part];
	return dyn_parsed_attr_matches(&parts->attrs[i]);
}

/* ---- values of columns ---- */

bool
dyn_parts_value(DynParts *parts, const DynColumn *column, DynValue *value,
				const char **why)
{
	DynParsedAttr *parsed = &parts->attrs[column->templated];

	/* attributes outside of the table's key are split only when needed */
	if (!parsed->done)
	{
		MemoryContext old = MemoryContextSwitchTo(parts->scratch);

		dyn_split_attr(parts, column->templated);
		MemoryContextSwitchTo(old);
		MemoryContextReset(parts->scratch);
	}
	memset(value, 0, sizeof(*value));
	if (parsed->absent)
		return true;
	if (parsed->split == DYN_SPLIT_MATCHES)
	{
		dyn_parsed_attr_value(value, parsed, column->part);
		*why = DYN_NOT_LISTED;
		return part_is_listed(parsed, column->part);
	}
	*why = why_no_match(parsed);
	return false;
}

/* ---- attributes whose text follows from the values of columns ---- */

static bool
part_is_reproduced(DynParts *parts, int i, int p)
{
	const DynParsedAttr *parsed = &parts->attrs[i];
	const DynTemplatePart *shape = &parsed->templated->tmpl->parts[p];
	const DynPlaceholderCheck *check = parts->checks;
	DynText		text = {NULL, 0};
	const char *why;

	if (parsed->templated->parts[p].source)
		return part_is_listed(parsed, p) && part_is_value(parts, parsed, p, &why);
	while (check->templated != i || check->part != p)
	{
		check++;
		Assert(check < parts->checks + parts->nchecks);
	}
	return dyn_expected_text(parts, check, &text) == DYN_EXPECTED_TEXT &&
		dyn_part_holds(shape, text) != DYN_HOLDS_UNKNOWN &&
		dyn_part_agrees(shape, parsed->texts[p], text);
}

/*
 * Returns true if template `i`, with the values of the row's columns, gives the
 * attribute's value.  Returns false if a case-folded part is not ASCII, since
 * such a part cannot be compared.
 */
static bool
is_reproduced(DynParts *parts, int i)
{
	const DynParsedAttr *parsed = &parts->attrs[i];
	MemoryContext old = MemoryContextSwitchTo(parts->scratch);
	bool		reproduced;

	dyn_split_attr(parts, i);
	reproduced = dyn_parsed_attr_matches(parsed);
	for (int p = 0; p < parsed->templated->tmpl->nparts && reproduced; p++)
		reproduced = part_is_reproduced(parts, i, p);
	MemoryContextSwitchTo(old);
	MemoryContextReset(parts->scratch);
	return reproduced;
}

/* ---- unmapped attributes ---- */

void
dyn_parts_omitted(DynParts *parts, const DynNames *usual, DynNames *omitted)
{
	const DynTemplatedAttr *templated = parts->relation->templated;
	int			n = parts->relation->ntemplated;

	omitted->n = 0;
	for (int i = 0; i < usual->n; i++)
	{
		int			t = 0;

		while (t < n && !(templated[t].unasserted &&
						  strcmp(dyn_templated_name(&templated[t]), usual->names[i]) == 0))
			t++;
		if (t == n || is_reproduced(parts, t))
			omitted->names[omitted->n++] = usual->names[i];
	}
}
