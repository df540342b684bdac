/*
 * template_facts.h
 *		Templates for tests, with the columns that their names stand for.
 *
 * A column is described by the first letter of its name: n is an integer, t a
 * value of another type than text with any characters, x a text read from
 * elsewhere, y a uuid-like value read from elsewhere, all others are texts.
 * Formats are padded(n), date, fixed(n), n characters of any kind, and time, HH:MM
 * with a Z.
 */
#ifndef DYN_TEST_TEMPLATE_FACTS_H
#define DYN_TEST_TEMPLATE_FACTS_H

#include <stdlib.h>
#include <string.h>

#include "dynamodb/template_text.h"

static inline DynPartFacts
facts_of_part(const DynTemplatePart *part)
{
	DynPartFacts facts = {.text = true};
	char		letter = part->column.data[0];
	const char *format = part->modifier == DYN_MODIFIER_FORMAT ? part->format.data : "";

	if (letter == 'n' || letter == 't' || format[0] != '\0' ||
		part->modifier == DYN_MODIFIER_RANGE)
		facts.text = false;
	if (letter == 'n')
		facts.charset = "-0123456789";
	facts.elsewhere = letter == 'x' || letter == 'y';
	if (letter == 'y')
		facts.width = 2;
	if (strncmp(format, "padded(", 7) == 0)
	{
		facts.charset = "0123456789";
		facts.width = (uint32_t) atoi(format + 7);
	}
	if (strncmp(format, "fixed(", 6) == 0)
		facts.width = (uint32_t) atoi(format + 6);
	if (strcmp(format, "time") == 0)
	{
		facts.charset = "0123456789:Z";
		facts.width = 6;
		facts.instant = true;
	}
	if (strcmp(format, "date") == 0)
	{
		facts.charset = "0123456789-";
		facts.width = 10;
	}
	return facts;
}

/* Parses and resolves; NULL with *error set on failure. */
static inline DynTemplate *
make_template(const char *text, DynTemplateError *error)
{
	DynTemplate *tmpl = dyn_template_parse(text, strlen(text), error);
	DynPartFacts facts[DYN_TEMPLATE_MAX_PARTS];
	int			i;

	if (tmpl == NULL)
		return NULL;
	for (i = 0; i < tmpl->nparts; i++)
		facts[i] = facts_of_part(&tmpl->parts[i]);
	if (dyn_template_resolve(tmpl, facts, error))
		return tmpl;
	dyn_template_free(tmpl);
	return NULL;
}

#endif
