/*
 * template.c
 *		Parses a key template, and derives how strings are split.
 *
 * A template is one block of memory, laid out as
 *
 *		DynTemplate | DynTemplatePart x parts | DynText x (parts + 1) |
 *		DynText x words | text
 *
 * The size of the block is computed before parsing, from upper bounds:
 * - parts: the number of occurrences of "${"
 * - words (of lists such as open|closed): the number of vertical bars, plus
 *   one for each part, because a list has one word more than bars
 * - text: the length of the template.  The NUL after a column name takes the
 *   place of "${".  The NUL after a format or word takes the place of the colon
 *   or bar.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/text.h"
#include "template_text.h"

typedef struct Parser
{
	const char *start;
	const char *p;				/* next byte */
	const char *end;
	DynTemplate *tmpl;
	DynText    *words;			/* next free word of the block */
	char	   *text;
	DynTemplateError *error;
} Parser;

static bool
is_text(DynText text, const char *word)
{
	return text.len == strlen(word) && memcmp(text.data, word, text.len) == 0;
}

static size_t
count_char(const char *text, size_t len, char c)
{
	size_t		n = 0;

	for (size_t i = 0; i < len; i++)
		n += text[i] == c;
	return n;
}

/* ---- errors ---- */

/* Returns the position of `place` in the template (characters, from 1). */
static int
position_of(const Parser *parser, const char *place)
{
	int			position = 1;

	for (const char *p = parser->start; p < place; p++)
		position += !dyn_utf8_continues(*p);
	return position;
}

static bool
fail(DynTemplateError *error, int position, const char *message,
	 const char *hint)
{
	error->position = position;
	error->message = message;
	error->hint = hint;
	return false;
}

static bool
fail_at(const Parser *parser, const char *place, const char *message,
		const char *hint)
{
	return fail(parser->error, position_of(parser, place), message, hint);
}

/* ---- modifiers ---- */

/* Copies `text` and a NUL into the block. */
static DynText
keep_text(Parser *parser, DynText text)
{
	DynText		copy = {parser->text, text.len};

	memcpy(parser->text, text.data, text.len);
	parser->text[text.len] = '\0';
	parser->text += text.len + 1;
	return copy;
}

/*
 * Splits *rest at the first `c`: returns the text before this `c`, and sets
 * *rest to the text after it.  Without a `c`, returns all, and empties *rest.
 */
static DynText
split_text(DynText *rest, char c)
{
	DynText		head = *rest;
	const char *found = rest->len > 0 ? memchr(rest->data, c, rest->len) : NULL;

	if (found != NULL)
		head.len = (size_t) (found - rest->data);
	rest->data += head.len + (found != NULL);
	rest->len -= head.len + (found != NULL);
	return head;
}

static bool
read_words(Parser *parser, DynText modifier, DynTemplatePart *part)
{
	size_t		count = count_char(modifier.data, modifier.len, '|') + 1;

	part->modifier = DYN_MODIFIER_WORDS;
	part->words = parser->words;
	for (size_t i = 0; i < count; i++)
	{
		DynText		word = split_text(&modifier, '|');

		if (word.len == 0)
			return fail_at(parser, word.data, "an empty word in a list", NULL);
		if (dyn_part_lists(part, word))
			return fail_at(parser, word.data, "a word is listed twice", NULL);
		*parser->words++ = keep_text(parser, word);
		part->nwords++;
	}
	return true;
}

/* Returns true if the modifier looks like "name" or "name(arguments)". */
static bool
looks_like_format(DynText modifier)
{
	size_t		i = 0;

	while (i < modifier.len &&
		   (modifier.data[i] == '_' || dyn_is_alphanumeric(modifier.data[i])))
		i++;
	return i > 0 && !(modifier.data[0] >= '0' && modifier.data[0] <= '9') &&
		(i == modifier.len ||
		 (modifier.data[i] == '(' && modifier.data[modifier.len - 1] == ')'));
}

static bool
apply_keyword(DynText word, DynTemplatePart *part)
{
	if (is_text(word, "any"))
		part->any = true;
	else if (is_text(word, "plain"))
		part->modifier = DYN_MODIFIER_PLAIN;
	else if (is_text(word, "lower"))
		part->folding = DYN_FOLD_LOWER;
	else if (is_text(word, "upper"))
		part->folding = DYN_FOLD_UPPER;
	else
		return false;
	return true;
}

static bool
read_modifier(Parser *parser, DynText modifier, DynTemplatePart *part)
{
	DynText		rest = modifier;
	DynText		first;
	const char *hint;
	const char *dots;

	if (modifier.len == 0)
		return fail_at(parser, modifier.data, "a modifier is missing",
					   "Remove the colon, or write a modifier after it.");
	first = split_text(&rest, ',');
	if (apply_keyword(first, part))
		return first.len == modifier.len ||
			(part->modifier == DYN_MODIFIER_NONE && apply_keyword(rest, part) &&
			 part->modifier == DYN_MODIFIER_NONE && part->any &&
			 part->folding != DYN_FOLD_NONE) ||
			fail_at(parser, modifier.data, "modifiers that cannot be combined",
					"Only any can be combined, with lower or upper.");
	if (dyn_text_find(modifier, (DynText) {"|", 1}) != NULL && !looks_like_format(modifier))
		return read_words(parser, modifier, part);
	/* a range begins like a number, and has two dots */
	dots = dyn_text_find(modifier, (DynText) {"..", 2});
	if (dots != NULL && strchr("+-.0123456789", modifier.data[0]) != NULL)
	{
		DynText		lo = {modifier.data, (size_t) (dots - modifier.data)};
		DynText		hi = {dots + 2, modifier.len - lo.len - 2};
		bool		has_lo = dyn_text_integer(lo, &part->lo);

		part->modifier = DYN_MODIFIER_RANGE;
		if (!has_lo || !dyn_text_integer(hi, &part->hi))
			return fail_at(parser, has_lo ? hi.data : lo.data,
						   "not an integer", "Write a range as 0..9.");
		return part->lo <= part->hi ||
			fail_at(parser, modifier.data, "the range is empty",
					"Write the lower end first.");
	}
	if (looks_like_format(modifier))
	{
		part->modifier = DYN_MODIFIER_FORMAT;
		part->format = keep_text(parser, modifier);
		return true;
	}
	/* hints for users who know the syntax of other tools */
	hint = modifier.data[0] >= '0' && modifier.data[0] <= '9' ?
		"Write padded(n) for integers with exactly n digits." :
		modifier.data[0] == '!' ?
		"Write plain for values that never contain their separator." :
		"A modifier is any, plain, lower, upper, a range such as 0..9, words such as A|B, or a format.";
	return fail_at(parser, modifier.data, "not a modifier", hint);
}

/* ---- placeholders and literals ---- */

/* Reads the part whose placeholder, without "${" and "}", is `inside`. */
static bool
read_part(Parser *parser, DynText inside, DynTemplatePart *part)
{
	DynTemplate *tmpl = parser->tmpl;
	DynText		rest = inside;
	DynText		column = split_text(&rest, ':');

	if (column.len == 0)
		return fail_at(parser, inside.data, "a column name is missing",
					   "Write ${column}; ${$} stands for a dollar sign.");
	part->column = keep_text(parser, column);
	part->position = position_of(parser, inside.data - 2);
	part->modifier_position = position_of(parser, column.len < inside.len ?
										  rest.data : inside.data);
	if (column.len < inside.len && !read_modifier(parser, rest, part))
		return false;
	if (!part->any)
		return true;
	if (tmpl->any >= 0)
		return fail_at(parser, rest.data, "a second placeholder with any",
					   "Only one placeholder of a template can have the modifier any.");
	tmpl->any = tmpl->nparts - 1;
	return true;
}

static void
begin_literal(Parser *parser)
{
	DynText    *literal = &parser->tmpl->literals[parser->tmpl->nparts];

	literal->data = parser->text;
	literal->len = 0;
}

static void
add_to_literal(Parser *parser, char c)
{
	*parser->text++ = c;
	parser->tmpl->literals[parser->tmpl->nparts].len++;
}

static bool
read_placeholder(Parser *parser)
{
	DynTemplate *tmpl = parser->tmpl;
	DynText		rest = {parser->p + 2, (size_t) (parser->end - parser->p) - 2};
	DynText		inside;

	if (dyn_text_find(rest, (DynText) {"}", 1}) == NULL)
		return fail_at(parser, parser->p, "\"${\" without \"}\"",
					   "Write ${$} for a dollar sign before a brace.");
	inside = split_text(&rest, '}');
	if (is_text(inside, "$"))
		add_to_literal(parser, '$');
	else if (tmpl->nparts == DYN_TEMPLATE_MAX_PARTS)
		return fail_at(parser, parser->p, "more than 16 placeholders", NULL);
	else
	{
		tmpl->nparts++;
		if (!read_part(parser, inside, &tmpl->parts[tmpl->nparts - 1]))
			return false;
		begin_literal(parser);
	}
	parser->p = rest.data;
	return true;
}

static bool
read_template(Parser *parser)
{
	if (parser->p == parser->end)
		return fail_at(parser, parser->p, "the template is empty",
					   "A key attribute cannot be an empty string.");
	begin_literal(parser);
	while (parser->p < parser->end)
	{
		if (parser->end - parser->p < 2 || memcmp(parser->p, "${", 2) != 0)
			add_to_literal(parser, *parser->p++);
		else if (!read_placeholder(parser))
			return false;
	}
	return true;
}

/* ---- the block ---- */

static bool
allocate(Parser *parser)
{
	size_t		len = (size_t) (parser->end - parser->start);
	size_t		nparts = 0;
	size_t		nwords = count_char(parser->start, len, '|');
	DynTemplate *tmpl;

	for (size_t i = 0; i + 1 < len && nparts < DYN_TEMPLATE_MAX_PARTS; i++)
		nparts += memcmp(parser->start + i, "${", 2) == 0;
	nwords += nparts;
	tmpl = calloc(1, sizeof(DynTemplate) + nparts * sizeof(DynTemplatePart) +
				  (nparts + 1 + nwords) * sizeof(DynText) + len);
	if (tmpl == NULL)
	{
		parser->error->out_of_memory = true;
		return fail(parser->error, 0, "out of memory", NULL);
	}
	tmpl->parts = (DynTemplatePart *) (tmpl + 1);
	tmpl->literals = (DynText *) (tmpl->parts + nparts);
	tmpl->any = -1;
	parser->tmpl = tmpl;
	parser->words = tmpl->literals + nparts + 1;
	parser->text = (char *) (parser->words + nwords);
	return true;
}

DynTemplate *
dyn_template_parse(const char *text, size_t len, DynTemplateError *error)
{
	Parser		parser = {text, text, text + len, NULL, NULL, NULL, error};

	memset(error, 0, sizeof(*error));
	if (!allocate(&parser))
		return NULL;
	if (!read_template(&parser))
	{
		dyn_template_free(parser.tmpl);
		return NULL;
	}
	return parser.tmpl;
}

void
dyn_template_free(DynTemplate *tmpl)
{
	free(tmpl);
}

bool
dyn_template_is_bare(const DynTemplate *tmpl)
{
	return tmpl->nparts == 1 && tmpl->literals[0].len == 0 &&
		tmpl->literals[1].len == 0;
}

/* ---- separators ---- */

static DynText
last_char(DynText text)
{
	size_t		n = dyn_last_char_len(text.data, text.len);

	return (DynText) {text.data + text.len - n, n};
}

/*
 * Returns a part's separator (template_text.h); `data` is NULL if it has none.
 * A part that takes the rest of the string has no literal after it, so its
 * separator is taken from the literals before it:
 * - a hyphen directly before the part, if the column is not of type text
 * - otherwise the last character that is not alphanumeric, _ or a hyphen
 */
static DynText
separator_of(const DynTemplate *tmpl, int i)
{
	const DynTemplatePart *part = &tmpl->parts[i];
	DynText		before = tmpl->literals[i];
	DynText		after = tmpl->literals[i + 1];
	DynText		c = {NULL, 0};
	size_t		n = 1;

	if (part->last && !part->facts.text && before.len > 0 &&
		before.data[before.len - 1] == '-')
		return last_char(before);
	if (part->last)
	{
		for (; i >= 0; i--)
			for (before = tmpl->literals[i]; before.len > 0; before.len -= c.len)
			{
				c = last_char(before);
				if (!dyn_is_alphanumeric(*c.data) && *c.data != '_' &&
					*c.data != '-')
					return c;
			}
		return (DynText) {NULL, 0};
	}
	if (part->from_right)
		return before.len > 0 ? last_char(before) : c;
	while (n < after.len && dyn_utf8_continues(after.data[n]))
		n++;
	return after.len > 0 ? (DynText) {after.data, n} : c;
}

/* Returns true if an encoding of the part may contain its separator. */
static bool
encodes_separator(const DynTemplatePart *part)
{
	const char *charset = part->facts.charset;

	if (part->separator.data == NULL)
		return false;
	return charset == NULL ||
		dyn_text_find((DynText) {charset, strlen(charset)}, part->separator) != NULL;
}

/* ---- resolve ---- */

static void
derive(DynTemplate *tmpl, int i)
{
	static const DynText none = {NULL, 0};
	DynTemplatePart *part = &tmpl->parts[i];
	bool		fixed = part->facts.width > 0;
	bool		adjoins = (i > 0 && tmpl->literals[i].len == 0) ||
		(i + 1 < tmpl->nparts && tmpl->literals[i + 1].len == 0);

	part->from_right = tmpl->any >= 0 && i > tmpl->any;
	part->last = !part->any && !part->from_right && i + 1 == tmpl->nparts &&
		tmpl->literals[i + 1].len == 0;
	part->separator = part->any ? none : separator_of(tmpl, i);
	part->by_width = fixed && !part->last && !part->any &&
		(adjoins || encodes_separator(part));
	if (part->by_width || (part->last && fixed && encodes_separator(part)))
		part->separator = none;
	part->guarded = part->separator.data != NULL && !part->facts.elsewhere;
	part->undecided = part->guarded && part->facts.text &&
		part->modifier != DYN_MODIFIER_PLAIN && part->modifier != DYN_MODIFIER_WORDS;
	part->ordered = part->folding == DYN_FOLD_NONE &&
		(fixed || (i + 1 == tmpl->nparts && tmpl->literals[i + 1].len == 0));
}

/* Checks a part, and whether it can be split from the next part. */
static bool
check_part(const DynTemplate *tmpl, int i, DynTemplateError *error)
{
	const DynTemplatePart *part = &tmpl->parts[i];
	bool		from_right = tmpl->any >= 0 && i + 1 > tmpl->any;

	if ((part->any || part->modifier == DYN_MODIFIER_PLAIN) && !part->facts.text)
		return fail(error, part->modifier_position,
					"any and plain are for columns of type text", NULL);
	if (part->folding != DYN_FOLD_NONE && !part->facts.elsewhere)
		return fail(error, part->modifier_position,
					"the original of a lower-case or upper-case value is unknown",
					"Set the column option \"attribute\" to the attribute that has the original value.");
	if (i + 1 == tmpl->nparts || tmpl->literals[i + 1].len > 0 ||
		part[from_right].facts.width > 0)
		return true;
	return fail(error, part[1].position,
				"no literal between two placeholders", from_right ?
				"After the placeholder with any, a placeholder without a literal before it must have a fixed width." :
				"Write a literal between them, or give the first one a format of fixed width.");
}

bool
dyn_template_resolve(DynTemplate *tmpl, const DynPartFacts *facts,
					 DynTemplateError *error)
{
	memset(error, 0, sizeof(*error));
	tmpl->resolved = false;
	for (int i = 0; i < tmpl->nparts; i++)
		tmpl->parts[i].facts = facts[i];
	for (int i = 0; i < tmpl->nparts; i++)
		if (!check_part(tmpl, i, error))
			return false;
	for (int i = 0; i < tmpl->nparts; i++)
	{
		const DynTemplatePart *part = &tmpl->parts[i];

		derive(tmpl, i);
		/* a word that contains the separator could never match */
		for (int k = 0; part->guarded && k < part->nwords; k++)
			if (dyn_text_find(part->words[k], part->separator) != NULL)
				return fail(error, part->modifier_position,
							"a listed word contains the separator of its placeholder",
							"Use another literal, or divide the value into several columns.");
	}
	tmpl->resolved = true;
	return true;
}
