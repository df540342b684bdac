/*
 * xml.c
 *		Reads single values from the XML documents of AWS's query services.
 *
 * The document is read to its end with a stack of the open elements, so that
 * tags in comments, in CDATA or below other elements are not mistaken for the
 * one that is looked for, and a truncated document is noticed.  Entities are
 * the five of XML and numeric ones: there are no others without a document
 * type, which is refused.
 *
 * The value may be a secret: it is written into memory that is reserved at
 * once, as growing would leave copies.
 *
 * Layer: credentials.
 */
#include "xml.h"

#include <stdint.h>

#include "../base/lengthof.h"
#include "../base/text.h"

#define DEEPEST		32

typedef struct Span
{
	const char *start;
	size_t		len;
} Span;

typedef struct Reader
{
	const char *p;
	const char *end;
	Span		open[DEEPEST];	/* the names of the open elements */
	int			depth;
	bool		has_root;
	const char *path;
	int			path_depth;		/* elements of the path */
	int			matched;		/* of the open elements, from the root */
	bool		found;
	DynBuffer  *value;
} Reader;

/* ---- the path ----------------------------------------------------------- */

static bool
in_target(const Reader *reader)
{
	return reader->matched == reader->path_depth &&
		reader->depth == reader->path_depth;
}

/* The element of the path at this depth, from 0. */
static Span
path_step(const char *path, int depth)
{
	while (depth-- > 0)
		path += strcspn(path, "/") + 1;
	return (Span) {path, strcspn(path, "/")};
}

static bool
is_equal(Span a, Span b)
{
	return a.len == b.len && memcmp(a.start, b.start, a.len) == 0;
}

/* Fails if an element is within the target, or is a second target. */
static bool
push(Reader *reader, Span name)
{
	if (reader->depth == DEEPEST || in_target(reader) ||
		(reader->depth == 0 && reader->has_root))
		return false;
	if (reader->matched == reader->depth &&
		reader->depth < reader->path_depth &&
		is_equal(name, path_step(reader->path, reader->depth)))
		reader->matched++;
	reader->open[reader->depth++] = name;
	reader->has_root = true;
	if (!in_target(reader))
		return true;
	if (reader->found)
		return false;
	reader->found = true;
	return true;
}

static bool
pop(Reader *reader)
{
	if (reader->matched == reader->depth)
		reader->matched--;
	reader->depth--;
	return true;
}

/* ---- text --------------------------------------------------------------- */

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool
append(Reader *reader, const char *bytes, size_t len)
{
	return !in_target(reader) || dyn_buffer_append(reader->value, bytes, len);
}

static bool
append_character(Reader *reader, uint32_t c)
{
	char		utf8[4];
	size_t		n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
	size_t		i;

	for (i = n; i-- > 1; c >>= 6)
		utf8[i] = (char) (0x80 | (c & 0x3F));
	utf8[0] = (char) (lead[n] | c);
	return dyn_utf8_valid(utf8, n) && append(reader, utf8, n);
}

static int
digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

/* "#60" or "#x3C" */
static bool
append_numeric(Reader *reader, Span entity)
{
	bool		is_hex = entity.len > 1 && entity.start[1] == 'x';
	size_t		i = is_hex ? 2 : 1;
	uint32_t	c = 0;

	if (i == entity.len)
		return false;
	for (; i < entity.len; i++)
	{
		int			digit = digit_value(entity.start[i]);

		if (digit >= (is_hex ? 16 : 10))
			return false;
		c = c * (is_hex ? 16 : 10) + (uint32_t) digit;
		if (c > 0x10FFFF)
			return false;
	}
	if (c < 0x20 && c != '\t' && c != '\n' && c != '\r')
		return false;
	return append_character(reader, c);
}

static bool
append_entity(Reader *reader, Span entity)
{
	static const struct
	{
		const char *name;
		char		c;
	}			known[] = {
		{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}
	};
	size_t		i;

	if (entity.len > 0 && entity.start[0] == '#')
		return append_numeric(reader, entity);
	for (i = 0; i < LENGTHOF(known); i++)
		if (is_equal(entity, (Span) {known[i].name, strlen(known[i].name)}))
			return append(reader, &known[i].c, 1);
	return false;
}

/* Reads up to the next tag. */
static bool
read_text(Reader *reader)
{
	while (reader->p < reader->end && *reader->p != '<')
	{
		const char *start = reader->p++;
		const char *semicolon;

		if (reader->depth == 0)
		{
			if (!is_space(*start))
				return false;
			continue;
		}
		if (*start != '&')
		{
			if (!append(reader, start, 1))
				return false;
			continue;
		}
		semicolon = memchr(start, ';', (size_t) (reader->end - start));
		if (semicolon == NULL ||
			!append_entity(reader, (Span) {start + 1,
						   (size_t) (semicolon - start - 1)}))
			return false;
		reader->p = semicolon + 1;
	}
	return true;
}

/* ---- tags --------------------------------------------------------------- */

static bool
at(const Reader *reader, const char *word)
{
	size_t		len = strlen(word);

	return (size_t) (reader->end - reader->p) >= len &&
		memcmp(reader->p, word, len) == 0;
}

static bool
take(Reader *reader, const char *word)
{
	if (!at(reader, word))
		return false;
	reader->p += strlen(word);
	return true;
}

/* Moves behind `word`; *skipped is what was before it. */
static bool
skip_past(Reader *reader, const char *word, Span *skipped)
{
	skipped->start = reader->p;
	for (; reader->p < reader->end; reader->p++)
	{
		skipped->len = (size_t) (reader->p - skipped->start);
		if (take(reader, word))
			return true;
	}
	return false;
}

static bool
skip_space(Reader *reader)
{
	const char *start = reader->p;

	while (reader->p < reader->end && is_space(*reader->p))
		reader->p++;
	return reader->p > start;
}

static bool
begins_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
		c == ':' || (unsigned char) c >= 0x80;
}

static bool
read_name(Reader *reader, Span *name)
{
	name->start = reader->p;
	if (reader->p == reader->end || !begins_name(*reader->p))
		return false;
	while (reader->p < reader->end &&
		   (begins_name(*reader->p) || *reader->p == '-' ||
			*reader->p == '.' || digit_value(*reader->p) < 10))
		reader->p++;
	name->len = (size_t) (reader->p - name->start);
	return true;
}

/* name="value"; the value is not needed. */
static bool
read_attribute(Reader *reader)
{
	Span		name;
	Span		value;
	const char *quote;

	if (!read_name(reader, &name))
		return false;
	skip_space(reader);
	if (!take(reader, "="))
		return false;
	skip_space(reader);
	quote = at(reader, "\"") ? "\"" : "'";
	return take(reader, quote) && skip_past(reader, quote, &value) &&
		memchr(value.start, '<', value.len) == NULL;
}

static bool
read_open_tag(Reader *reader)
{
	Span		name;
	bool		spaced;

	if (!take(reader, "<") || !read_name(reader, &name) ||
		!push(reader, name))
		return false;
	for (;;)
	{
		spaced = skip_space(reader);
		if (take(reader, "/>"))
			return pop(reader);
		if (take(reader, ">"))
			return true;
		if (!spaced || !read_attribute(reader))
			return false;
	}
}

static bool
read_close_tag(Reader *reader)
{
	Span		name;

	if (!read_name(reader, &name) || reader->depth == 0 ||
		!is_equal(name, reader->open[reader->depth - 1]))
		return false;
	skip_space(reader);
	return take(reader, ">") && pop(reader);
}

static bool
read_markup(Reader *reader)
{
	Span		skipped;

	if (take(reader, "<!--"))
		return skip_past(reader, "-->", &skipped);
	if (take(reader, "<?"))
		return skip_past(reader, "?>", &skipped);
	if (take(reader, "<![CDATA["))
		return reader->depth > 0 && skip_past(reader, "]]>", &skipped) &&
			append(reader, skipped.start, skipped.len);
	if (take(reader, "</"))
		return read_close_tag(reader);
	return read_open_tag(reader);
}

/* ---- the document ------------------------------------------------------- */

static bool
has_controls(const char *text, size_t len)
{
	size_t		i;

	for (i = 0; i < len; i++)
		if ((unsigned char) text[i] < 0x20 && !is_space(text[i]))
			return true;
	return false;
}

static bool
read_document(Reader *reader)
{
	(void) take(reader, "\xEF\xBB\xBF");
	while (reader->p < reader->end)
		if (!read_text(reader) ||
			(reader->p < reader->end && !read_markup(reader)))
			return false;
	return reader->has_root && reader->depth == 0;
}

static void
trim(DynBuffer *value)
{
	size_t		start = 0;

	while (value->len > 0 && is_space(value->data[value->len - 1]))
		value->len--;
	while (start < value->len && is_space(value->data[start]))
		start++;
	value->len -= start;
	memmove(value->data, value->data + start, value->len);
}

static int
count_steps(const char *path)
{
	int			n = 1;

	for (; *path; path++)
		n += *path == '/';
	return n;
}

DynXml
dyn_xml_find(const char *text, size_t len, const char *path, DynBuffer *value)
{
	Reader		reader = {.p = text, .end = text + len, .path = path,
		.path_depth = count_steps(path), .value = value};

	if (len == 0 || !dyn_utf8_valid(text, len) || has_controls(text, len))
		return DYN_XML_MALFORMED;
	/* No value is longer than what it is written in. */
	if (!dyn_buffer_reserve(value, len + 1))
		return DYN_XML_MEMORY;
	if (!read_document(&reader))
	{
		/* Nobody shall take the part that was read for the value. */
		value->len = 0;
		return DYN_XML_MALFORMED;
	}
	trim(value);
	if (dyn_buffer_terminate(value) == NULL)
		return DYN_XML_MEMORY;
	return reader.found ? DYN_XML_FOUND : DYN_XML_MISSING;
}
