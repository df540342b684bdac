/*
 * xml.c
 *		Reads single values from the replies of AWS's query services.
 *
 * The parser accepts what these services write: elements with text, entities
 * and an xmlns, perhaps after an XML declaration.  Everything else is
 * malformed, including other attributes, comments and CDATA.  The document is
 * read to its end, so a truncated document is detected.
 *
 * The value may be a secret.  It is written into memory that is allocated
 * once, because a buffer that grows would leave copies.
 */
#include "xml.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../base/macros.h"
#include "../base/text.h"

/* Maximum size of an element's path, such as "/Root/Child", with its NUL. */
#define LONGEST_PATH	512

#define SPACES			" \t\r\n"
#define LONGEST_ENTITY	16

typedef struct Parser
{
	const char *p;
	const char *end;
	char		open[LONGEST_PATH];
	size_t		len;			/* length of the text in `open` */
	bool		has_root;
	const char *path;
	bool		found;
	DynBuffer  *value;
} Parser;

static bool
is_space(char c)
{
	return c != '\0' && strchr(SPACES, c) != NULL;
}

static bool
take(Parser *parser, const char *word)
{
	size_t		len = strlen(word);

	if ((size_t) (parser->end - parser->p) < len ||
		memcmp(parser->p, word, len) != 0)
		return false;
	parser->p += len;
	return true;
}

/* Moves past the next `c`; returns false if a tag or the end comes first. */
static bool
take_up_to(Parser *parser, char c)
{
	while (parser->p < parser->end && *parser->p != '<')
		if (*parser->p++ == c)
			return true;
	return false;
}

static bool
in_target(const Parser *parser)
{
	return parser->len > 0 && strcmp(parser->open + 1, parser->path) == 0;
}

static bool
append(Parser *parser, const char *bytes, size_t len)
{
	return !in_target(parser) || dyn_buffer_append(parser->value, bytes, len);
}

/* Checks an entity's digits, since strtoul also accepts blanks and signs. */
static bool
read_entity(Parser *parser)
{
	static const struct
	{
		const char *name;
		char		c;
	}			known[] = {
		{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}
	};
	const char *start = parser->p;
	char		entity[LONGEST_ENTITY] = "";
	bool		is_hex;
	const char *digits;
	unsigned long c;
	char		utf8[4];
	size_t		i;

	if (!take_up_to(parser, ';') ||
		(size_t) (parser->p - start) > sizeof(entity))
		return false;
	memcpy(entity, start, (size_t) (parser->p - start) - 1);
	for (i = 0; i < LENGTHOF(known); i++)
		if (strcmp(entity, known[i].name) == 0)
			return append(parser, &known[i].c, 1);
	is_hex = entity[0] == '#' && entity[1] == 'x';
	digits = entity + (is_hex ? 2 : 1);
	if (entity[0] != '#' || *digits == '\0' ||
		digits[strspn(digits, is_hex ? "0123456789abcdefABCDEF"
					  : "0123456789")] != '\0')
		return false;
	c = strtoul(digits, NULL, is_hex ? 16 : 10);
	if (c > 0x10FFFF || (c < 0x20 && !is_space((char) c)))
		return false;
	i = dyn_utf8_put(utf8, (uint32_t) c);
	return dyn_utf8_valid(utf8, i) && append(parser, utf8, i);
}

/* Closes the innermost element; returns false if its name is not `name`. */
static bool
close_element(Parser *parser, const char *name, size_t len)
{
	size_t		rest = parser->len - len - 1;

	if (len == 0 || parser->len < len + 1 || parser->open[rest] != '/' ||
		memcmp(parser->open + rest + 1, name, len) != 0)
		return false;
	parser->open[rest] = '\0';
	parser->len = rest;
	return true;
}

static bool
read_tag(Parser *parser)
{
	bool		closes = take(parser, "</");
	const char *name = parser->p + (closes ? 0 : 1);
	size_t		len = 0;

	while (name + len < parser->end && dyn_is_alphanumeric(name[len]))
		len++;
	parser->p = name + len;
	while (parser->p < parser->end && is_space(*parser->p))
		parser->p++;
	if (closes)
		return take(parser, ">") && close_element(parser, name, len);
	/* refuse elements inside the element at `path`, and a second root */
	if (len == 0 || parser->len + 1 + len >= LONGEST_PATH ||
		in_target(parser) || (parser->len == 0 && parser->has_root))
		return false;
	parser->has_root = true;
	parser->open[parser->len] = '/';
	memcpy(parser->open + parser->len + 1, name, len);
	parser->len += 1 + len;
	parser->open[parser->len] = '\0';
	if (in_target(parser))
	{
		if (parser->found)
			return false;
		parser->found = true;
	}
	if (take(parser, "xmlns=\"") && !take_up_to(parser, '"'))
		return false;
	while (parser->p < parser->end && is_space(*parser->p))
		parser->p++;
	return take(parser, "/>") ? close_element(parser, name, len)
		: take(parser, ">");
}

DynXml
dyn_xml_find(const char *text, size_t len, const char *path, DynBuffer *value)
{
	Parser		parser = {.p = text, .end = text + len, .path = path,
	.value = value};
	size_t		start = 0;
	bool		ok;

	if (len == 0 || !dyn_utf8_valid(text, len))
		return DYN_XML_MALFORMED;
	/* allocated once: a value is never longer than the document */
	if (!dyn_buffer_reserve(value, len + 1))
		return DYN_XML_MEMORY;
	ok = !take(&parser, "<?xml ") || take_up_to(&parser, '>');
	while (ok && parser.p < parser.end)
	{
		const char *c = parser.p;

		if (*c == '<')
			ok = read_tag(&parser);
		/* outside the root, only white space is allowed */
		else if (((unsigned char) *c < 0x20 || parser.len == 0) && !is_space(*c))
			ok = false;
		else
		{
			parser.p++;
			ok = *c == '&' ? read_entity(&parser) : append(&parser, c, 1);
		}
	}
	if (!ok || !parser.has_root || parser.len > 0)
	{
		/* discard the value, so that no caller uses a part of it */
		value->len = 0;
		return DYN_XML_MALFORMED;
	}
	while (value->len > 0 && is_space(value->data[value->len - 1]))
		value->len--;
	while (start < value->len && is_space(value->data[start]))
		start++;
	value->len -= start;
	memmove(value->data, value->data + start, value->len);
	if (dyn_buffer_terminate(value) == NULL)
		return DYN_XML_MEMORY;
	return parser.found ? DYN_XML_FOUND : DYN_XML_MISSING;
}
