/*
 * template_split.c
 *		Splits an item's templated attributes, and searches all ways to split
 *		attributes that share columns.
 *
 * A search combines each way to split the first attribute with each way to
 * split the second, and so on.  A known value of a column reduces the ways of
 * later attributes.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "../../model/values/path.h"
#include "template_split.h"

/* Maximum steps of a search.  One that needs more returns DYN_WAYS_SEVERAL. */
#define MAX_STEPS	20000

static void break_cycle(DynParts *parts, const Bitmapset *cycle);

static int
slot_of(const DynPath *path, const DynPath *paths, int npaths)
{
	int			slot = dyn_path_position(path, paths, npaths);

	if (slot < 0)
		elog(ERROR, "an attribute of a template is not read");
	return slot;
}

/* Adds the attributes on which template `i` depends, even indirectly. */
static Bitmapset *
add_reached(const DynParts *parts, int i, Bitmapset *reached)
{
	for (int a = 0; a < parts->nchecks; a++)
	{
		const DynPlaceholderCheck *check = &parts->checks[a];
		int			other = check->column->templated;

		if (check->templated == i && dyn_column_is_part(check->column) &&
			!bms_is_member(other, reached))
			reached = add_reached(parts, other, bms_add_member(reached, other));
	}
	return reached;
}

static void
find_cycles(DynParts *parts)
{
	int			n = parts->relation->ntemplated;
	Bitmapset **reached = palloc0(n * sizeof(Bitmapset *));

	for (int i = 0; i < n; i++)
	{
		if (!bms_is_member(i, parts->decisive))
			reached[i] = add_reached(parts, i, NULL);
	}
	for (int i = 0; i < n; i++)
	{
		for (int k = 0; k < n && bms_is_member(i, reached[i]); k++)
		{
			if (bms_is_member(k, reached[i]) && bms_is_member(i, reached[k]))
				parts->attrs[i].cycle = bms_add_member(parts->attrs[i].cycle, k);
		}
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
	parts->attrs = palloc0(relation->ntemplated * sizeof(DynParsedAttr));
	parts->checks = palloc0(relation->ntemplated * DYN_TEMPLATE_MAX_PARTS *
							sizeof(DynPlaceholderCheck));
	for (int i = 0; i < relation->ntemplated; i++)
	{
		DynParsedAttr *parsed = &parts->attrs[i];
		const DynTemplatedAttr *templated = &relation->templated[i];

		parsed->templated = templated;
		if (!needed[i])
			continue;
		parsed->slot = slot_of(templated->path, paths, npaths);
		for (int p = 0; p < templated->tmpl->nparts; p++)
		{
			DynPlaceholderCheck *check = &parts->checks[parts->nchecks];

			if (templated->parts[p].source)
				continue;
			check->templated = i;
			check->part = p;
			check->column = dyn_relation_column(parts->relation,
												templated->parts[p].attnum);
			check->slot = dyn_column_is_part(check->column) ? -1
				: slot_of(check->column->path, paths, npaths);
			parts->nchecks++;
		}
	}
	for (int i = 0; i < relation->ntemplated; i++)
	{
		if (relation->templated[i].base)
			parts->decisive = add_reached(parts, i, bms_add_member(parts->decisive, i));
	}
	for (int a = 0; a < parts->nchecks; a++)
		parts->entangled |= dyn_column_is_part(parts->checks[a].column) &&
			bms_is_member(parts->checks[a].templated, parts->decisive);
	find_cycles(parts);
	return parts;
}

void
dyn_parts_reset(DynParts *parts, const DynValue *values)
{
	MemoryContextReset(parts->scratch);
	parts->values = values;
	parts->unsure = false;
	for (int i = 0; i < parts->relation->ntemplated; i++)
		parts->attrs[i].done = false;
}

/* ---- split of one attribute ---- */

/*
 * Returns true if the value has a type that the template can match.  A key
 * attribute must have the type from the key schema.  Any other attribute must
 * be a string, or a number if the template is one part in format 'digits'.
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

static bool
read_text(DynParts *parts, DynParsedAttr *parsed, const DynValue *value)
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
		parsed->space = MemoryContextAlloc(parts->context, value->len);
		parsed->capacity = value->len;
	}
	text->len = dyn_value_text(value, parsed->space);
	text->data = parsed->space;
	return true;
}

static void
split_text(DynParts *parts, DynParsedAttr *parsed, const DynText *given)
{
	const DynValue *value = &parts->values[parsed->slot];

	parsed->done = true;
	parsed->nul = (value->flags & DYN_VALUE_HAS_NUL) != 0;
	parsed->absent = value->type == DYN_TYPE_ABSENT || value->type == DYN_TYPE_NULL;
	parsed->no_text = !parsed->absent && !read_text(parts, parsed, value);
	parsed->split = parsed->absent || parsed->no_text ? DYN_SPLIT_NO_MATCH
		: dyn_template_split(parsed->templated->tmpl, parsed->text.data,
							 parsed->text.len, given, parsed->texts);
}

void
dyn_parsed_attr_value(DynValue *value, const DynParsedAttr *parsed, int part)
{
	const DynText *text = &parsed->texts[part];

	*value = (DynValue) {text->data, text->len, DYN_TYPE_S, 0};
	if (parsed->nul && memchr(text->data, '\0', text->len) != NULL)
		value->flags = DYN_VALUE_HAS_NUL;
}

/* ---- expected text of parts ---- */

static DynExpectation
expected_of_mismatch(const DynColumn *column)
{
	return column->null_on_mismatch ? DYN_EXPECTED_NOTHING : DYN_EXPECTED_UNKNOWN;
}

DynExpectation
dyn_expected_text(DynParts *parts, const DynPlaceholderCheck *check, DynText *text)
{
	const DynPart *part = &parts->relation->templated[check->templated].parts[check->part];
	DynColumn  *column = check->column;
	const DynParsedAttr *parsed = NULL;
	DynValue	value;
	DynScalar	scalar;
	Datum		datum;
	const char *why;

	if (!dyn_column_is_part(column))
		value = parts->values[check->slot];
	else
	{
		parsed = &parts->attrs[column->templated];
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
 * Some columns in template `i` are read from other attributes, which determine
 * the texts of their parts.  Stores these texts, case-folded, in `given`.
 * First splits those of the other attributes that have a template.  Returns
 * false if a part cannot have any text (DYN_EXPECTED_NOTHING).
 */
static bool
expected_texts(DynParts *parts, int i, DynText *given)
{
	const DynTemplate *tmpl = parts->relation->templated[i].tmpl;
	bool		possible = true;

	memset(given, 0, DYN_TEMPLATE_MAX_PARTS * sizeof(DynText));
	for (int a = 0; a < parts->nchecks; a++)
	{
		const DynPlaceholderCheck *check = &parts->checks[a];
		DynExpectation	expected;
		DynText    *text;

		if (check->templated != i)
			continue;
		if (dyn_column_is_part(check->column))
			dyn_split_attr(parts, check->column->templated);
		expected = dyn_expected_text(parts, check, &given[check->part]);
		text = &given[check->part];
		if (expected == DYN_EXPECTED_TEXT)
		{
			char	   *folded = memcpy(palloc(text->len + 1), text->data, text->len);

			dyn_part_fold(&tmpl->parts[check->part], folded, text->len);
			text->data = folded;
		}
		possible &= expected != DYN_EXPECTED_NOTHING;
		parts->unsure |= expected == DYN_EXPECTED_UNKNOWN;
	}
	return possible;
}

void
dyn_split_attr(DynParts *parts, int i)
{
	DynParsedAttr *parsed = &parts->attrs[i];
	DynText		given[DYN_TEMPLATE_MAX_PARTS];

	if (parsed->done || parsed->busy)
		return;
	if (parsed->cycle != NULL)
	{
		break_cycle(parts, parsed->cycle);
		return;
	}
	parsed->busy = true;
	parsed->impossible = !expected_texts(parts, i, given);
	split_text(parts, parsed, parsed->impossible ? NULL : given);
	parsed->busy = false;
}

bool
dyn_parts_agree(DynParts *parts, bool searched)
{
	for (int a = 0; a < parts->nchecks; a++)
	{
		const DynPlaceholderCheck *check = &parts->checks[a];
		const DynParsedAttr *parsed = &parts->attrs[check->templated];
		DynText		text = {NULL, 0};
		DynExpectation	expected;

		if (!(searched ? parsed->searched : parsed->templated->base) ||
			!dyn_parsed_attr_matches(parsed) ||
			!dyn_column_is_part(check->column))
			continue;
		expected = dyn_expected_text(parts, check, &text);
		if (expected == DYN_EXPECTED_NOTHING ||
			(expected == DYN_EXPECTED_TEXT &&
			 !dyn_part_agrees(&parsed->templated->tmpl->parts[check->part],
							  parsed->texts[check->part], text)))
			return false;
	}
	return true;
}

/* ---- search for all ways ---- */

/*
 * Attributes for which a search tries guesses (see DynWaysFound), in addition
 * to the ways to split them without a guess
 */
typedef enum Guess
{
	GUESS_NONE,
	GUESS_NO_MATCH,				/* guess only for attributes that match their
								 * template in no other way */
	GUESS_ALL
} Guess;

typedef struct Search
{
	DynParts *parts;
	Guess		guess;
	int			n;
	DynParsedAttr **attrs;		/* attributes that take part */

	/*
	 * the last way found to split all attributes: for each attribute, the
	 * texts of its parts
	 */
	DynText		(*first)[DYN_TEMPLATE_MAX_PARTS];
	int			level;			/* index of the attribute to split next */
	int			found;			/* number of ways found (at most 2) */
	int			steps;			/* rest of MAX_STEPS; negative if exceeded */
} Search;

/* Stores the known texts of parts; false if a part cannot have any text. */
static bool
known_texts(DynParts *parts, const DynParsedAttr *parsed, DynText *known)
{
	memset(known, 0, DYN_TEMPLATE_MAX_PARTS * sizeof(DynText));
	for (int a = 0; a < parts->nchecks; a++)
	{
		const DynPlaceholderCheck *check = &parts->checks[a];

		if (&parts->attrs[check->templated] == parsed &&
			dyn_expected_text(parts, check, &known[check->part])
			== DYN_EXPECTED_NOTHING)
			return false;
	}
	/*
	 * The column of a part of this attribute may also be the column of a part
	 * in a template that was split before.  If both parts store the column's
	 * text unchanged, the two texts must be equal.
	 */
	for (int a = 0; a < parts->nchecks; a++)
	{
		const DynPlaceholderCheck *check = &parts->checks[a];
		const DynParsedAttr *other = &parts->attrs[check->templated];
		const DynTemplatePart *part = &other->templated->tmpl->parts[check->part];

		if (other != parsed && other->searched && dyn_parsed_attr_matches(other) &&
			dyn_column_is_part(check->column) &&
			&parts->attrs[check->column->templated] == parsed &&
			part->facts.text && part->folding == DYN_FOLD_NONE &&
			check->column->codec.kind == DYN_CODEC_TEXT)
			known[check->column->part] = other->texts[check->part];
	}
	return true;
}

/*
 * Calls `found` for each split of the attribute that agrees with known values.
 * Returns true if `found` returns true, or if the search exceeds MAX_STEPS.
 */
static bool
find_ways(Search *search, DynParsedAttr *parsed, bool guess, DynWayFound found,
		  void *arg)
{
	DynText		known[DYN_TEMPLATE_MAX_PARTS];
	DynWays		ways = {
		.tmpl = parsed->templated->tmpl,
		.text = parsed->text,
		.known = known,
		.guess = guess,
		.found = found,
		.arg = arg,
		.steps = &search->steps
	};

	return known_texts(search->parts, parsed, known) && dyn_template_ways(&ways);
}

/* Returns true if this split has the same column values as search->first. */
static bool
is_first_way(const Search *search)
{
	for (int i = 0; i < search->n; i++)
	{
		const DynParsedAttr *parsed = search->attrs[i];

		for (int p = 0; p < parsed->templated->tmpl->nparts; p++)
		{
			if (parsed->templated->parts[p].source &&
				(parsed->texts[p].data != search->first[i][p].data ||
				 parsed->texts[p].len != search->first[i][p].len))
				return false;
		}
	}
	return true;
}

static bool
accept_way(Search *search)
{
	CHECK_FOR_INTERRUPTS();
	if (!dyn_parts_agree(search->parts, true) ||
		(search->found > 0 && is_first_way(search)))
		return false;
	for (int i = 0; i < search->n; i++)
		memcpy(search->first[i], search->attrs[i]->texts,
			   sizeof(search->first[i]));
	return ++search->found > 1;
}

static bool take_way(void *arg, const DynText *values);

static bool
search_level(Search *search)
{
	int			i = search->level;
	bool		guess = search->guess == GUESS_ALL ||
		(search->guess == GUESS_NO_MATCH && search->attrs[i]->unresolved);

	return find_ways(search, search->attrs[i], guess, take_way, search);
}

/* Takes one split of attrs[level], and tries to split the later attributes. */
static bool
take_way(void *arg, const DynText *values)
{
	Search	   *search = arg;
	DynParsedAttr *parsed = search->attrs[search->level];
	DynSplit	split_before = parsed->split;
	bool		enough;

	memcpy(parsed->texts, values,
		   parsed->templated->tmpl->nparts * sizeof(DynText));
	parsed->done = true;
	parsed->split = DYN_SPLIT_MATCHES;
	search->level++;
	enough = search->level == search->n ? accept_way(search) : search_level(search);
	search->level--;
	parsed->done = false;
	parsed->split = split_before;
	return enough;
}

static bool
stop_at_first(void *arg, const DynText *values)
{
	return true;
}

/*
 * Returns true if accept_way() has found an equal value of the column in
 * another template.  accept_way() does not compare case-folded parts that are
 * not ASCII (dyn_part_compares).
 */
static bool
is_confirmed(const Search *search, AttrNumber attnum)
{
	const DynParts *parts = search->parts;

	for (int a = 0; a < parts->nchecks; a++)
	{
		const DynPlaceholderCheck *check = &parts->checks[a];
		const DynParsedAttr *parsed = &parts->attrs[check->templated];
		const DynTemplatePart *part = &parsed->templated->tmpl->parts[check->part];

		if (parsed->searched && dyn_parsed_attr_matches(parsed) &&
			parsed->templated->parts[check->part].attnum == attnum &&
			dyn_part_compares(part, parsed->texts[check->part]))
			return true;
	}
	return false;
}

/* Returns true if each part that contains its separator is confirmed. */
static bool
guesses_are_confirmed(const Search *search)
{
	for (int i = 0; i < search->n; i++)
	{
		const DynParsedAttr *parsed = search->attrs[i];

		for (int p = 0; p < parsed->templated->tmpl->nparts; p++)
		{
			const DynTemplatePart *part = &parsed->templated->tmpl->parts[p];

			if (part->undecided &&
				dyn_text_find(parsed->texts[p], part->separator) != NULL &&
				!is_confirmed(search, parsed->templated->parts[p].attnum))
				return false;
		}
	}
	return true;
}

/*
 * Returns the number of ways to split the attributes, but 2 if there are more,
 * or if the search exceeds MAX_STEPS.  Splits the attributes in the last way
 * found.
 */
static int
search_ways(Search *search, Guess guess)
{
	search->guess = guess;
	search->level = search->found = 0;
	for (int i = 0; i < search->n; i++)
		search->attrs[i]->done = false;
	(void) search_level(search);
	for (int i = 0; i < search->n; i++)
	{
		DynParsedAttr *parsed = search->attrs[i];

		parsed->done = true;
		if (search->found == 0)
			continue;
		parsed->split = DYN_SPLIT_MATCHES;
		memcpy(parsed->texts, search->first[i], sizeof(parsed->texts));
	}
	return search->steps < 0 ? 2 : search->found;
}

/* Returns the number of parts that may end at several positions. */
static int
open_parts(const DynTemplate *tmpl)
{
	int			n = 0;

	for (int p = 0; p < tmpl->nparts; p++)
		n += tmpl->parts[p].undecided || tmpl->parts[p].any ||
			tmpl->parts[p].facts.elsewhere;
	return n;
}

/*
 * Selects the searched attributes that may match, and sorts them by the number
 * of their open_parts().  Returns false if a key attribute cannot match.
 */
static bool
begin_search(Search *search, DynParts *parts)
{
	int			n = parts->relation->ntemplated;

	search->parts = parts;
	search->n = 0;
	search->steps = MAX_STEPS;
	search->attrs = palloc(n * sizeof(DynParsedAttr *));
	search->first = palloc(n * sizeof(*search->first));
	for (int i = 0; i < n; i++)
		parts->attrs[i].done &= !parts->attrs[i].searched;
	for (int i = 0; i < n; i++)
	{
		DynParsedAttr *parsed = &parts->attrs[i];

		if (!parsed->searched)
			continue;
		split_text(parts, parsed, NULL);
		parsed->done = false;
		if (!parsed->absent && !parsed->no_text &&
			find_ways(search, parsed, true, stop_at_first, NULL))
		{
			int			place = search->n++;

			parsed->unresolved = !find_ways(search, parsed, false, stop_at_first, NULL);
			for (; place > 0 && open_parts(search->attrs[place - 1]->templated->tmpl) >
				 open_parts(parsed->templated->tmpl); place--)
				search->attrs[place] = search->attrs[place - 1];
			search->attrs[place] = parsed;
		}
		else if (parsed->split != DYN_SPLIT_TYPE_MISMATCH && parsed->templated->base)
			return false;
	}
	/* split only search->attrs again; the others keep split_text()'s result */
	for (int i = 0; i < n; i++)
		parts->attrs[i].done |= parts->attrs[i].searched;
	for (int i = 0; i < search->n; i++)
		search->attrs[i]->done = false;
	for (int i = 0; i < search->n; i++)
	{
		DynText		known[DYN_TEMPLATE_MAX_PARTS];

		if (search->attrs[i]->templated->base &&
			!known_texts(parts, search->attrs[i], known))
			return false;
	}
	return true;
}

DynWaysFound
dyn_find_ways(DynParts *parts, const Bitmapset *attrs, const DynParsedAttr **about)
{
	Search		search;
	int			found;

	for (int i = 0; i < parts->relation->ntemplated; i++)
	{
		parts->attrs[i].searched = bms_is_member(i, attrs);
		parts->attrs[i].unresolved = false;
	}
	if (!begin_search(&search, parts))
		return DYN_WAYS_NONE;
	if (search.n == 0 || search_ways(&search, GUESS_NONE) == 1)
		return DYN_WAYS_ONE;
	found = search.found > 0 ? 2 : search_ways(&search, GUESS_NO_MATCH);
	if (found == 0)
		found = search_ways(&search, GUESS_ALL);
	if (found == 1 && guesses_are_confirmed(&search))
		return DYN_WAYS_ONE;
	/* report the first attribute that matches only with a guess, if any */
	*about = search.attrs[0];
	for (int i = search.n - 1; i >= 0; i--)
	{
		if (search.attrs[i]->unresolved)
			*about = search.attrs[i];
	}
	if (found > 0)
		return DYN_WAYS_SEVERAL;
	return (*about)->unresolved ? DYN_WAYS_UNRESOLVED : DYN_WAYS_NONE;
}

/*
 * Splits the attributes of a cycle, which do not decide whether an item is a
 * row.  If the search does not find exactly one way, no attribute matches.
 */
static void
break_cycle(DynParts *parts, const Bitmapset *cycle)
{
	const DynParsedAttr *about;
	DynWaysFound found;

	/* first split the attributes outside of the cycle on which it depends */
	for (int a = 0; a < parts->nchecks; a++)
	{
		const DynPlaceholderCheck *check = &parts->checks[a];

		if (bms_is_member(check->templated, cycle) &&
			dyn_column_is_part(check->column) &&
			!bms_is_member(check->column->templated, cycle))
			dyn_split_attr(parts, check->column->templated);
	}
	found = dyn_find_ways(parts, cycle, &about);
	for (int i = 0; i < parts->relation->ntemplated; i++)
	{
		DynParsedAttr *parsed = &parts->attrs[i];

		if (!parsed->searched)
			continue;
		parsed->done = true;
		if (found != DYN_WAYS_ONE && parsed->split == DYN_SPLIT_MATCHES)
			parsed->split = found == DYN_WAYS_SEVERAL ? DYN_SPLIT_AMBIGUOUS
				: DYN_SPLIT_NO_MATCH;
	}
}
