/*
 * ini.c
 *		The format of ~/.aws/config and ~/.aws/credentials.
 *
 * AWS's tools agree on most of it, and this is what they agree on; where they
 * differ, what one of them accepts and none understands otherwise:
 *
 * - Blank lines, and lines whose first character is # or ;, are skipped.
 * - "[name]" begins a section, and may be followed by a comment.  A name with
 *   blanks is quoted, "[profile "my name"]", but not in the credentials file.
 *   Sections of the same name are one.
 * - "key = value": the key in any case, both trimmed, of equal keys the last.
 *   A comment in such a line begins with # or ; after a blank.
 * - A line that is indented more than the one with the key before it continues
 *   its value, comments included.  If there is nothing after the = sign, these
 *   lines are a block, as in [services]: each is "key = value", which is
 *   checked and not looked at.
 * - Lines end with LF or CR LF.  The text is UTF-8, and may begin with a byte
 *   order mark.
 *
 * Any other line is an error, since it may be a key that somebody relies upon.
 * The message has the number of the line and not the line, which may contain
 * a secret.
 *
 * Strings are ended by NULs that are written into the text, where a separator
 * was, so that there is one copy of a secret to overwrite.  What continues a
 * value moves forward to its end.
 *
 * Layer: credentials.
 */
#include "ini.h"

#include <stdlib.h>
#include <string.h>

#include "../base/text.h"
#include "files.h"

/* Some characters in a row. */
typedef struct Span
{
	char	   *start;
	char	   *end;
} Span;

typedef struct Parser
{
	DynIni	   *ini;
	bool		prefixes;
	int			line;			/* counted from 1 */
	size_t		indent;			/* of the line with the key or section */
	char	   *value_end;		/* of the last entry; NULL after a section */
	bool		in_block;		/* the last entry has nothing after its = */
	const char *wrong;			/* what is wrong with the line */
	bool		out_of_memory;
} Parser;

/* ---- characters ------------------------------------------------------- */

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool
is_comment(char c)
{
	return c == '#' || c == ';';
}

/* Others than tabs; what surrounds the line has been trimmed. */
static bool
has_control(Span span)
{
	for (; span.start < span.end; span.start++)
	{
		unsigned char c = (unsigned char) *span.start;

		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return true;
	}
	return false;
}

static Span
trim(Span span)
{
	while (span.start < span.end && is_blank(*span.start))
		span.start++;
	while (span.start < span.end && is_blank(span.end[-1]))
		span.end--;
	return span;
}

/* Without a comment that is preceded by a blank. */
static Span
cut_comment(Span span)
{
	char	   *p;

	for (p = span.start + 1; p < span.end; p++)
		if (is_comment(*p) && is_blank(p[-1]))
		{
			span.end = p;
			break;
		}
	return trim(span);
}

static char *
find(Span span, char c)
{
	return memchr(span.start, c, (size_t) (span.end - span.start));
}

/* There is always a byte behind: a separator, or the NUL of the text. */
static char *
terminate(Span span)
{
	*span.end = '\0';
	return span.start;
}

static bool
is_wrong(Parser *parser, const char *what)
{
	parser->wrong = what;
	return false;
}

/* ---- memory ----------------------------------------------------------- */

/* Makes room for one more element. */
static bool
grow(Parser *parser, void **array, size_t n, size_t *cap, size_t size)
{
	size_t		wanted = *cap ? *cap * 2 : 16;
	void	   *larger;

	if (n < *cap)
		return true;
	larger = realloc(*array, wanted * size);
	if (larger == NULL)
	{
		parser->out_of_memory = true;
		return false;
	}
	*array = larger;
	*cap = wanted;
	return true;
}

static bool
add_section(Parser *parser, DynIniKind kind, const char *name)
{
	DynIni	   *ini = parser->ini;
	void	   *array = ini->sections;

	if (!grow(parser, &array, ini->nsections, &ini->sections_cap,
			  sizeof(ini->sections[0])))
		return false;
	ini->sections = array;
	ini->sections[ini->nsections++] = (DynIniSection) {kind, name};
	return true;
}

static bool
add_entry(Parser *parser, const char *key, const char *value)
{
	DynIni	   *ini = parser->ini;
	void	   *array = ini->entries;

	if (!grow(parser, &array, ini->nentries, &ini->entries_cap,
			  sizeof(ini->entries[0])))
		return false;
	ini->entries = array;
	ini->entries[ini->nentries++] =
		(DynIniEntry) {ini->nsections - 1, key, value};
	return true;
}

/* ---- sections --------------------------------------------------------- */

/* The quote that the text begins with at this place, or 0. */
static char
quote_at(const char *p, const char *end)
{
	return p < end && (*p == '"' || *p == '\'') ? *p : 0;
}

/* The character after the quoted text, which begins at p; or NULL. */
static char *
skip_quoted(char *p, const char *end)
{
	char		quote = *p;

	for (p++; p < end && *p != quote; p++)
		if (*p == '\\' && quote == '"' && p + 1 < end)
			p++;
	return p < end ? p + 1 : NULL;
}

/*
 * The bracket that ends the name.  Quotes count where a name may begin: at the
 * start and after a blank.
 */
static char *
find_bracket(Span span)
{
	char	   *p = span.start;

	while (p < span.end && *p != ']')
	{
		if (quote_at(p, span.end) && (p == span.start || is_blank(p[-1])))
		{
			char	   *after = skip_quoted(p, span.end);

			p = after ? after : p + 1;
		}
		else
			p++;
	}
	return p < span.end ? p : NULL;
}

/* Removes the quotes and backslashes, in place, if all of it is quoted. */
static Span
unquote(Span span)
{
	char		quote = quote_at(span.start, span.end);
	char	   *to;
	char	   *from;

	if (quote == 0 || skip_quoted(span.start, span.end) != span.end)
		return span;
	to = span.start;
	for (from = span.start + 1; from < span.end - 1; from++)
	{
		if (*from == '\\' && quote == '"')
			from++;
		*to++ = *from;
	}
	span.end = to;
	return span;
}

static bool
has_blank(Span span)
{
	for (; span.start < span.end; span.start++)
		if (is_blank(*span.start))
			return true;
	return false;
}

/*
 * Moves behind the first word, and says what it means.  A name of several
 * words that is not quoted is of no use to any tool.
 */
static DynIniKind
read_prefix(Span *name)
{
	Span		word = *name;
	size_t		len;

	for (word.end = word.start; word.end < name->end; word.end++)
		if (is_blank(*word.end))
			break;
	if (word.end == name->end)
		return DYN_INI_PLAIN;
	len = (size_t) (word.end - word.start);
	name->start = word.end;
	*name = trim(*name);
	if (!quote_at(name->start, name->end) && has_blank(*name))
		return DYN_INI_OTHER;
	if (len == 7 && memcmp(word.start, "profile", len) == 0)
		return DYN_INI_PROFILE;
	if (len == 11 && memcmp(word.start, "sso-session", len) == 0)
		return DYN_INI_SSO_SESSION;
	return DYN_INI_OTHER;
}

/* A line that begins with a bracket. */
static bool
read_section(Parser *parser, Span line)
{
	char	   *bracket;
	Span		name;
	Span		rest;
	DynIniKind	kind = DYN_INI_PLAIN;

	line.start++;
	bracket = find_bracket(line);
	if (bracket == NULL)
		return is_wrong(parser, "has a \"[\" without \"]\"");
	name = trim((Span) {line.start, bracket});
	rest = trim((Span) {bracket + 1, line.end});
	if (rest.start < rest.end && !is_comment(*rest.start))
		return is_wrong(parser, "has something after \"]\"");
	if (parser->prefixes)
		kind = read_prefix(&name);
	name = unquote(name);
	if (name.start == name.end)
		return is_wrong(parser, "has a section without a name");
	parser->value_end = NULL;
	parser->in_block = false;
	return add_section(parser, kind, terminate(name));
}

/* ---- keys ------------------------------------------------------------- */

static void
to_lower(char *s)
{
	for (; *s; s++)
		if (*s >= 'A' && *s <= 'Z')
			*s = (char) (*s - 'A' + 'a');
}

static bool
read_key(Parser *parser, Span line)
{
	Span		whole = line;
	char	   *equals;
	Span		key;
	Span		value;

	if (parser->ini->nsections == 0)
		return is_wrong(parser, "is not in a section");
	line = cut_comment(line);
	equals = find(line, '=');
	if (equals == NULL)
		return is_wrong(parser, "is not of the form \"key = value\"");
	key = trim((Span) {line.start, equals});
	if (key.start == key.end)
		return is_wrong(parser, "has no key before \"=\"");
	to_lower(terminate(key));
	if (strcmp(key.start, "credential_process") == 0)
		line = whole;
	value = trim((Span) {equals + 1, line.end});
	parser->in_block = value.start == value.end;
	parser->value_end = value.end;
	return add_entry(parser, key.start, terminate(value));
}

/* Appends to the last value, whose NUL is before the end of its line. */
static bool
read_continuation(Parser *parser, Span line)
{
	size_t		len = (size_t) (line.end - line.start);
	char	   *to = parser->value_end;

	if (parser->in_block)
	{
		char	   *equals = find(line, '=');

		if (equals == NULL)
			return is_wrong(parser,
							"is indented, and not of the form \"key = value\"");
		if (equals == line.start)
			return is_wrong(parser, "has no key before \"=\"");
	}
	*to++ = '\n';
	memmove(to, line.start, len);
	parser->value_end = to + len;
	*parser->value_end = '\0';
	return true;
}

/* ---- lines ------------------------------------------------------------ */

static bool
read_line(Parser *parser, Span line)
{
	Span		text = trim(line);
	size_t		indent = (size_t) (text.start - line.start);

	if (text.start == text.end || is_comment(*text.start))
		return true;
	if (!dyn_utf8_valid(text.start, (size_t) (text.end - text.start)))
		return is_wrong(parser, "is not valid UTF-8");
	if (has_control(text))
		return is_wrong(parser, "has a control character");
	if (parser->value_end != NULL && indent > parser->indent)
		return read_continuation(parser, text);
	parser->indent = indent;
	return *text.start == '[' ? read_section(parser, text) :
		read_key(parser, text);
}

static bool
read_lines(Parser *parser, Span text)
{
	while (text.start < text.end)
	{
		char	   *end = find(text, '\n');
		Span		line = {text.start, end ? end : text.end};

		parser->line++;
		if (!read_line(parser, line))
			return false;
		text.start = end ? end + 1 : text.end;
	}
	return true;
}

static bool
report(const Parser *parser, const char *file, DynFault *fault)
{
	if (parser->out_of_memory)
		return dyn_fault_memory(fault);
	dyn_fault_set(fault, "line %d of file \"%s\" %s", parser->line, file,
				  parser->wrong);
	return dyn_fault_hint(fault, "The line is not shown, since it may contain "
						  "a secret.");
}

bool
dyn_ini_parse(DynIni *ini, DynBuffer *text, bool prefixes, const char *file,
			  DynFault *fault)
{
	Parser		parser = {.ini = ini,.prefixes = prefixes};
	Span		all;

	memset(ini, 0, sizeof(*ini));
	ini->text = *text;
	dyn_buffer_init(text, 0);
	all = (Span) {ini->text.data, ini->text.data + ini->text.len};
	if (ini->text.len >= 3 && memcmp(all.start, "\xEF\xBB\xBF", 3) == 0)
		all.start += 3;
	if (read_lines(&parser, all))
		return true;
	dyn_ini_clear(ini);
	return report(&parser, file, fault);
}

/* ---- lookup ----------------------------------------------------------- */

static bool
is_section(const DynIniSection *section, DynIniKind kind, const char *name)
{
	return section->kind == kind && strcmp(section->name, name) == 0;
}

size_t
dyn_ini_place(const DynIni *ini, DynIniKind kind, const char *name)
{
	size_t		i;

	for (i = ini->nsections; i > 0; i--)
		if (is_section(&ini->sections[i - 1], kind, name))
			return i;
	return 0;
}

const char *
dyn_ini_value(const DynIni *ini, DynIniKind kind, const char *name,
			  const char *key)
{
	size_t		i;

	for (i = ini->nentries; i > 0; i--)
	{
		const DynIniEntry *entry = &ini->entries[i - 1];

		if (strcmp(entry->key, key) == 0 &&
			is_section(&ini->sections[entry->section], kind, name))
			return entry->value[0] != '\0' ? entry->value : NULL;
	}
	return NULL;
}

void
dyn_ini_clear(DynIni *ini)
{
	dyn_file_wipe(&ini->text);
	free(ini->sections);
	free(ini->entries);
	memset(ini, 0, sizeof(*ini));
}
