/*
 * template_ways.c
 *		Enumerates all ways to split a string according to a key template.
 *
 * The search goes from left to right.  For each part, it tries every valid
 * value that ends where the next literal begins.  The time is exponential in
 * the number of parts, so the number of steps is limited.
 */
#include <assert.h>
#include <string.h>

#include "../base/text.h"
#include "template_text.h"

static DynText
skip_text(DynText text, size_t n)
{
	text.data += n;
	text.len -= n;
	return text;
}

static bool
is_inside_char(DynText text, size_t pos)
{
	return pos < text.len && dyn_utf8_continues(text.data[pos]);
}

/* Returns true if the part may have the value `text`, which is not empty. */
static bool
may_have(const DynWays *ways, int i, DynText text)
{
	const DynTemplatePart *part = &ways->tmpl->parts[i];
	DynText		rest = part->facts.instant ? text : (DynText) {NULL, 0};

	/* if the part is a time, all characters must be in its charset */
	while (rest.len > 0)
	{
		DynText		list = {part->facts.charset, strlen(part->facts.charset)};
		DynText		c = {rest.data, 1};

		while (is_inside_char(rest, c.len))
			c.len++;
		if (dyn_text_find(list, c) == NULL)
			return false;
		rest = skip_text(rest, c.len);
	}
	if (part->by_width && dyn_text_chars(text) != part->facts.width)
		return false;
	return !part->guarded || (part->undecided && ways->guess) ||
		dyn_text_find(text, part->separator) == NULL;
}

static bool
begins_with(DynText text, DynText prefix)
{
	return text.len >= prefix.len &&
		(prefix.len == 0 || memcmp(text.data, prefix.data, prefix.len) == 0);
}

/*
 * Returns the first position in `rest`, from `end` on, where the literal after
 * part i begins.  Returns more than rest.len if there is none.
 */
static size_t
next_end(const DynWays *ways, int i, DynText rest, size_t end)
{
	DynText		literal = ways->tmpl->literals[i + 1];
	const char *found;

	if (end > rest.len)
		return end;
	if (i + 1 == ways->tmpl->nparts)
	{
		size_t		last = rest.len - literal.len;

		return literal.len <= rest.len && end <= last &&
			begins_with(skip_text(rest, last), literal) ? last : rest.len + 1;
	}
	while (literal.len == 0 && is_inside_char(rest, end))
		end++;
	if (literal.len == 0)
		return end;
	found = dyn_text_find(skip_text(rest, end), literal);
	return found == NULL ? rest.len + 1 : (size_t) (found - rest.data);
}

static bool visit_from(DynWays *ways, int i, DynText rest);

static bool
visit_part(DynWays *ways, int i, DynText rest)
{
	const DynTemplatePart *part = &ways->tmpl->parts[i];
	DynText		known = ways->known[i];

	if (known.data != NULL && dyn_part_compares(part, known))
	{
		if (rest.len < known.len)
			return false;
		ways->values[i] = (DynText) {rest.data, known.len};
		return dyn_part_agrees(part, ways->values[i], known) &&
			(part->facts.elsewhere ||
			 (known.len > 0 && may_have(ways, i, known))) &&
			visit_from(ways, i + 1, skip_text(rest, known.len));
	}
	for (size_t end = next_end(ways, i, rest, 1); end <= rest.len;
		 end = next_end(ways, i, rest, end + 1))
	{
		if (--*ways->steps < 0)
			return true;
		ways->values[i] = (DynText) {rest.data, end};
		if (may_have(ways, i, ways->values[i]) &&
			visit_from(ways, i + 1, skip_text(rest, end)))
			return true;
	}
	return false;
}

/* Tries all ways to split `rest` from literal i on; returns true to end. */
static bool
visit_from(DynWays *ways, int i, DynText rest)
{
	DynText		literal = ways->tmpl->literals[i];

	if (!begins_with(rest, literal))
		return false;
	rest = skip_text(rest, literal.len);
	if (i < ways->tmpl->nparts)
		return visit_part(ways, i, rest);
	return rest.len == 0 && ways->found(ways->arg, ways->values);
}

bool
dyn_template_ways(DynWays *ways)
{
	assert(ways->tmpl->resolved);
	return visit_from(ways, 0, ways->text);
}
