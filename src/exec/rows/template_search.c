/*
 * template_search.c
 *		Searches all ways to split texts that share columns.
 *
 * The ways of the first text are tried one after the other, with each of them
 * those of the second, and so on.  The known value of a column narrows the
 * ways of the following texts; whether all its occurrences agree is checked at
 * the end.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "../../dynamodb/template_text.h"
#include "template_search.h"

/* Maximum number of ways that are tried; with more, the item is ambiguous. */
#define MAX_STEPS	20000

/* Selects the texts whose undecided parts may contain their separators. */
typedef enum Guess
{
	GUESS_NONE,
	GUESS_NO_MATCH,				/* texts that do not match otherwise */
	GUESS_ALL
} Guess;

typedef struct Search
{
	DynItemSplit *all;
	Guess		guess;
	int			n;				/* number of texts that take part */
	DynParsedAttr **attrs;		/* texts that take part */
	DynText		(*first)[DYN_TEMPLATE_MAX_PARTS];	/* first way found */
	int			level;			/* current text; earlier ones are split */
	int			found;			/* number of ways found; 2: several */
	int			steps;			/* number of remaining steps */
} Search;

/* True if the column's text is the same in both places. */
static bool
is_same_text(const DynItemSplit *all, const DynPlaceholderCheck *check)
{
	const DynTemplatedAttr *templated = &all->relation->templated[check->templated];

	return templated->tmpl->parts[check->part].facts.text &&
		templated->tmpl->parts[check->part].folding == DYN_FOLD_NONE &&
		check->column->codec.kind == DYN_CODEC_TEXT;
}

/*
 * Adds the texts of columns that are read from this text, as far as other
 * texts, split by now, contain them.
 */
static void
add_sources(const DynItemSplit *all, const DynParsedAttr *parsed, DynText *known)
{
	for (int a = 0; a < all->nchecks; a++)
	{
		const DynPlaceholderCheck *check = &all->checks[a];
		const DynParsedAttr *other = &all->attrs[check->templated];

		if (other != parsed && other->searched && dyn_parsed_attr_matches(other) &&
			dyn_column_is_part(check->column) &&
			&all->attrs[check->column->templated] == parsed &&
			is_same_text(all, check))
			known[check->column->part] = other->texts[check->part];
	}
}

/* Stores the known texts; false if a column has no text there. */
static bool
known_texts(DynItemSplit *all, const DynParsedAttr *parsed, DynText *known)
{
	memset(known, 0, DYN_TEMPLATE_MAX_PARTS * sizeof(DynText));
	for (int a = 0; a < all->nchecks; a++)
	{
		const DynPlaceholderCheck *check = &all->checks[a];

		if (&all->attrs[check->templated] == parsed &&
			dyn_expected_text(all, check, &known[check->part])
			== DYN_EXPECTED_NOTHING)
			return false;
	}
	add_sources(all, parsed, known);
	return true;
}

/* Finds the ways of one text, with the known values of its columns. */
static bool
find_ways(Search *search, DynParsedAttr *parsed, bool guess, DynWayFound found,
		  void *arg)
{
	DynText		known[DYN_TEMPLATE_MAX_PARTS];
	DynWays		ways = {parsed->templated->tmpl, parsed->text, known,
	guess, found, arg, &search->steps};

	return known_texts(search->all, parsed, known) && dyn_template_ways(&ways);
}

/* True if all columns have the same values as in the first way. */
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

/* Accepts a way; true if the search can stop. */
static bool
accept_way(Search *search)
{
	CHECK_FOR_INTERRUPTS();
	if (!dyn_item_split_agrees(search->all, true) ||
		(search->found > 0 && is_first_way(search)))
		return false;
	for (int i = 0; i < search->n; i++)
		memcpy(search->first[i], search->attrs[i]->texts,
			   sizeof(search->first[i]));
	return ++search->found > 1;
}

static bool take_way(void *arg, const DynText *values);

/* Searches the ways of the text at this level, and of the following ones. */
static bool
search_level(Search *search)
{
	int			i = search->level;
	bool		guess = search->guess == GUESS_ALL ||
		(search->guess == GUESS_NO_MATCH && search->attrs[i]->unresolved);

	return find_ways(search, search->attrs[i], guess, take_way, search);
}

/* Called with each way of the text at this level. */
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
	enough = search->level == search->n ? accept_way(search)
		: search_level(search);
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

/* True if the text would match independently of the others. */
static bool
holds_alone(Search *search, DynParsedAttr *parsed, bool guess)
{
	return find_ways(search, parsed, guess, stop_at_first, NULL);
}

/* True if the column's value is in another place of a searched text. */
static bool
is_confirmed(const Search *search, AttrNumber attnum)
{
	const DynItemSplit *all = search->all;

	for (int a = 0; a < all->nchecks; a++)
	{
		const DynPlaceholderCheck *check = &all->checks[a];
		const DynParsedAttr *parsed = &all->attrs[check->templated];
		const DynTemplatePart *part = &parsed->templated->tmpl->parts[check->part];

		if (parsed->searched && dyn_parsed_attr_matches(parsed) &&
			parsed->templated->parts[check->part].attnum == attnum &&
			(part->folding == DYN_FOLD_NONE ||
			 dyn_text_is_ascii(parsed->texts[check->part])))
			return true;
	}
	return false;
}

/* True if all values that contain their separator are confirmed. */
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
 * Searches, and counts the ways; 2: several.  Texts are left split in the
 * first way, if there is one.
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

/*
 * Counts the parts that may end at several places.  A text with few of them
 * has few ways.
 */
static int
open_parts(const DynTemplate *tmpl)
{
	int			n = 0;

	for (int p = 0; p < tmpl->nparts; p++)
		n += tmpl->parts[p].undecided || tmpl->parts[p].any ||
			tmpl->parts[p].facts.elsewhere;
	return n;
}

static void
add_parsed_attr(Search *search, DynParsedAttr *parsed)
{
	int			i = search->n++;

	for (; i > 0 && open_parts(search->attrs[i - 1]->templated->tmpl) >
		 open_parts(parsed->templated->tmpl); i--)
		search->attrs[i] = search->attrs[i - 1];
	search->attrs[i] = parsed;
}

/*
 * Selects the texts that may match; false if that of a key attribute cannot.
 */
static bool
begin_search(Search *search, DynItemSplit *all)
{
	int			n = all->relation->ntemplated;

	search->all = all;
	search->n = 0;
	search->steps = MAX_STEPS;
	search->attrs = palloc(n * sizeof(DynParsedAttr *));
	search->first = palloc(n * sizeof(*search->first));
	for (int i = 0; i < n; i++)
		all->attrs[i].done &= !all->attrs[i].searched;
	for (int i = 0; i < n; i++)
	{
		DynParsedAttr *parsed = &all->attrs[i];

		if (!parsed->searched)
			continue;
		dyn_split_text(all, parsed, NULL);
		parsed->done = false;
		if (!parsed->absent && !parsed->no_text &&
			holds_alone(search, parsed, true))
		{
			parsed->unresolved = !holds_alone(search, parsed, false);
			add_parsed_attr(search, parsed);
		}
		else if (parsed->split != DYN_SPLIT_TYPE_MISMATCH && parsed->templated->base)
			return false;
	}
	/* the others are known not to match */
	for (int i = 0; i < n; i++)
		all->attrs[i].done |= all->attrs[i].searched;
	for (int i = 0; i < search->n; i++)
		search->attrs[i]->done = false;
	for (int i = 0; i < search->n; i++)
	{
		DynText		known[DYN_TEMPLATE_MAX_PARTS];

		if (search->attrs[i]->templated->base &&
			!known_texts(all, search->attrs[i], known))
			return false;
	}
	return true;
}

/*
 * Returns a text that matches only if a part contains its separator; or any
 * text if there is none.
 */
static const DynParsedAttr *
text_in_doubt(const Search *search)
{
	for (int i = 0; i < search->n; i++)
	{
		if (search->attrs[i]->unresolved)
			return search->attrs[i];
	}
	return search->attrs[0];
}

/*
 * Searches in order of preference.  A text that matches strictly is split so,
 * if the others allow it.  Otherwise a value may contain its separator, if
 * another occurrence of the column has the same value, and there is only one
 * way.
 */
static DynWaysFound
search_all(DynItemSplit *all, const DynParsedAttr **about)
{
	Search		search;
	int			found;

	if (!begin_search(&search, all))
		return DYN_WAYS_NONE;
	if (search.n == 0 || search_ways(&search, GUESS_NONE) == 1)
		return DYN_WAYS_ONE;
	found = search.found > 0 ? 2 : search_ways(&search, GUESS_NO_MATCH);
	if (found == 0)
		found = search_ways(&search, GUESS_ALL);
	if (found == 1 && guesses_are_confirmed(&search))
		return DYN_WAYS_ONE;
	*about = text_in_doubt(&search);
	if (found > 0)
		return DYN_WAYS_SEVERAL;
	return (*about)->unresolved ? DYN_WAYS_UNRESOLVED : DYN_WAYS_NONE;
}

DynWaysFound
dyn_find_ways(DynItemSplit *all, const DynParsedAttr **about)
{
	for (int i = 0; i < all->relation->ntemplated; i++)
	{
		all->attrs[i].searched = all->attrs[i].decisive;
		all->attrs[i].unresolved = false;
	}
	return search_all(all, about);
}

void
dyn_break_cycle(DynItemSplit *all, const Bitmapset *cycle)
{
	const DynParsedAttr *about;
	DynWaysFound found;

	for (int i = 0; i < all->relation->ntemplated; i++)
		all->attrs[i].searched = bms_is_member(i, cycle);
	found = search_all(all, &about);
	for (int i = 0; i < all->relation->ntemplated; i++)
	{
		DynParsedAttr *parsed = &all->attrs[i];

		if (!parsed->searched)
			continue;
		parsed->done = true;
		if (found != DYN_WAYS_ONE && parsed->split == DYN_SPLIT_MATCHES)
			parsed->split = found == DYN_WAYS_SEVERAL ? DYN_SPLIT_AMBIGUOUS
				: DYN_SPLIT_NO_MATCH;
	}
}
