/*
 * template_search.c
 *		Texts that share columns, and can be cut in more than one way.
 *
 * The ways of the first text are tried one after the other, with each of them
 * those of the second, and so on.  What is known of a column narrows the ways of
 * the texts behind; whether all its places agree is seen at the end.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "../../dynamodb/template_ways.h"
#include "template_search.h"

/* More ways than these are not tried: the item is ambiguous. */
#define MAX_STEPS	20000

/* Of which texts may undecided parts contain their edges? */
typedef enum Guess
{
	GUESS_NONE,
	GUESS_NO_MATCH,				/* those that do not fit otherwise */
	GUESS_ALL
} Guess;

typedef struct Search
{
	DynCuttings *all;
	Guess		guess;
	int			n;				/* the cuttings that take part, and their */
	DynParsedAttr **cuttings;	/* texts of the first way that was found */
	DynText		(*first)[DYN_TEMPLATE_MAX_PARTS];
	int			level;			/* those before it have texts */
	int			found;			/* 2: several */
	int			steps;			/* that are left */
} Search;

/* Is the column's text the same in both places? */
static bool
is_same_text(const DynCuttings *all, const DynPlaceholderCheck *check)
{
	const DynTemplatedAttr *templated = &all->relation->templated[check->templated];

	return templated->tmpl->parts[check->part].facts.text &&
		templated->tmpl->parts[check->part].folding == DYN_FOLD_NONE &&
		check->column->codec.kind == DYN_CODEC_TEXT;
}

/* What other texts that are cut by now say of the columns read from this one. */
static void
add_sources(const DynCuttings *all, const DynParsedAttr *parsed, DynText *known)
{
	for (int a = 0; a < all->nagreements; a++)
	{
		const DynPlaceholderCheck *check = &all->checks[a];
		const DynParsedAttr *other = &all->cuttings[check->templated];

		if (other != parsed && other->searched && dyn_parsed_attr_matches(other) &&
			dyn_column_is_part(check->column) &&
			&all->cuttings[check->column->templated] == parsed &&
			is_same_text(all, check))
			known[check->column->part] = other->texts[check->part];
	}
}

/* False: a column has no text there. */
static bool
known_texts(DynCuttings *all, const DynParsedAttr *parsed, DynText *known)
{
	memset(known, 0, DYN_TEMPLATE_MAX_PARTS * sizeof(DynText));
	for (int a = 0; a < all->nagreements; a++)
	{
		const DynPlaceholderCheck *check = &all->checks[a];

		if (&all->cuttings[check->templated] == parsed &&
			dyn_expected_text(all, check, &known[check->part])
			== DYN_EXPECTED_NOTHING)
			return false;
	}
	add_sources(all, parsed, known);
	return true;
}

/* With what is known of its columns; the text is one. */
static bool
find_ways(Search *search, DynParsedAttr *parsed, bool guess, DynWayFound found,
		  void *arg)
{
	DynText		known[DYN_TEMPLATE_MAX_PARTS];
	DynWays		ways = {parsed->templated->tmpl, parsed->text, known,
	guess, found, arg, &search->steps};

	return known_texts(search->all, parsed, known) && dyn_template_ways(&ways);
}

/* Have all columns the values of the first way? */
static bool
is_first_way(const Search *search)
{
	for (int i = 0; i < search->n; i++)
	{
		const DynParsedAttr *parsed = search->cuttings[i];

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

/* True if there is no need to search on. */
static bool
accept_way(Search *search)
{
	CHECK_FOR_INTERRUPTS();
	if (!dyn_cuttings_agree(search->all, true) ||
		(search->found > 0 && is_first_way(search)))
		return false;
	for (int i = 0; i < search->n; i++)
		memcpy(search->first[i], search->cuttings[i]->texts,
			   sizeof(search->first[i]));
	return ++search->found > 1;
}

static bool take_way(void *arg, const DynText *values);

/* The ways of the text at this level, and of those behind it. */
static bool
search_level(Search *search)
{
	int			i = search->level;
	bool		guess = search->guess == GUESS_ALL ||
		(search->guess == GUESS_NO_MATCH && search->cuttings[i]->unresolved);

	return find_ways(search, search->cuttings[i], guess, take_way, search);
}

/* Called with each way of the text at this level. */
static bool
take_way(void *arg, const DynText *values)
{
	Search	   *search = arg;
	DynParsedAttr *parsed = search->cuttings[search->level];
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

/* Would the text fit if nothing were known of the others? */
static bool
holds_alone(Search *search, DynParsedAttr *parsed, bool guess)
{
	return find_ways(search, parsed, guess, stop_at_first, NULL);
}

/* Is the value of the column in another place of a text that is searched? */
static bool
is_confirmed(const Search *search, AttrNumber attnum)
{
	const DynCuttings *all = search->all;

	for (int a = 0; a < all->nagreements; a++)
	{
		const DynPlaceholderCheck *check = &all->checks[a];
		const DynParsedAttr *parsed = &all->cuttings[check->templated];
		const DynTemplatePart *part = &parsed->templated->tmpl->parts[check->part];

		if (parsed->searched && dyn_parsed_attr_matches(parsed) &&
			parsed->templated->parts[check->part].attnum == attnum &&
			(part->folding == DYN_FOLD_NONE ||
			 dyn_text_is_ascii(parsed->texts[check->part])))
			return true;
	}
	return false;
}

/* Are all values that contain their edge confirmed? */
static bool
guesses_are_confirmed(const Search *search)
{
	for (int i = 0; i < search->n; i++)
	{
		const DynParsedAttr *parsed = search->cuttings[i];

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

/* Leaves the texts of the first way, if there is one. */
static int
search_ways(Search *search, Guess guess)
{
	search->guess = guess;
	search->level = search->found = 0;
	for (int i = 0; i < search->n; i++)
		search->cuttings[i]->done = false;
	(void) search_level(search);
	for (int i = 0; i < search->n; i++)
	{
		DynParsedAttr *parsed = search->cuttings[i];

		parsed->done = true;
		if (search->found == 0)
			continue;
		parsed->split = DYN_SPLIT_MATCHES;
		memcpy(parsed->texts, search->first[i], sizeof(parsed->texts));
	}
	return search->steps < 0 ? 2 : search->found;
}

/* Parts that may have several texts; in a text with few there are few ways. */
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

	for (; i > 0 && open_parts(search->cuttings[i - 1]->templated->tmpl) >
		 open_parts(parsed->templated->tmpl); i--)
		search->cuttings[i] = search->cuttings[i - 1];
	search->cuttings[i] = parsed;
}

/* Those that have a text which may fit; false if a key attribute has none. */
static bool
begin_search(Search *search, DynCuttings *all)
{
	int			n = all->relation->nspelled;

	search->all = all;
	search->n = 0;
	search->steps = MAX_STEPS;
	search->cuttings = palloc(n * sizeof(DynParsedAttr *));
	search->first = palloc(n * sizeof(*search->first));
	for (int i = 0; i < n; i++)
		all->cuttings[i].done &= !all->cuttings[i].searched;
	for (int i = 0; i < n; i++)
	{
		DynParsedAttr *parsed = &all->cuttings[i];

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
	/* of the others it is known that they do not fit */
	for (int i = 0; i < n; i++)
		all->cuttings[i].done |= all->cuttings[i].searched;
	for (int i = 0; i < search->n; i++)
		search->cuttings[i]->done = false;
	for (int i = 0; i < search->n; i++)
	{
		DynText		known[DYN_TEMPLATE_MAX_PARTS];

		if (search->cuttings[i]->templated->base &&
			!known_texts(all, search->cuttings[i], known))
			return false;
	}
	return true;
}

/* A text that does not fit, though it might if a part could hold more; or any. */
static const DynParsedAttr *
text_in_doubt(const Search *search)
{
	for (int i = 0; i < search->n; i++)
	{
		if (search->cuttings[i]->unresolved)
			return search->cuttings[i];
	}
	return search->cuttings[0];
}

/*
 * A text that fits strictly is taken so, if the others allow it.  Else a value
 * may contain its edge, if another place of the column has the same value, and
 * there is only one way.
 */
static DynWaysFound
search_all(DynCuttings *all, const DynParsedAttr **about)
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
dyn_find_ways(DynCuttings *all, const DynParsedAttr **about)
{
	for (int i = 0; i < all->relation->nspelled; i++)
	{
		all->cuttings[i].searched = all->cuttings[i].decisive;
		all->cuttings[i].unresolved = false;
	}
	return search_all(all, about);
}

void
dyn_break_cycle(DynCuttings *all, const Bitmapset *circle)
{
	const DynParsedAttr *about;
	DynWaysFound found;

	for (int i = 0; i < all->relation->nspelled; i++)
		all->cuttings[i].searched = bms_is_member(i, circle);
	found = search_all(all, &about);
	for (int i = 0; i < all->relation->nspelled; i++)
	{
		DynParsedAttr *parsed = &all->cuttings[i];

		if (!parsed->searched)
			continue;
		parsed->done = true;
		if (found != DYN_WAYS_ONE && parsed->split == DYN_SPLIT_MATCHES)
			parsed->split = found == DYN_WAYS_SEVERAL ? DYN_SPLIT_AMBIGUOUS
				: DYN_SPLIT_NO_MATCH;
	}
}
