/*
 * config.c
 *		Reads the files of AWS's tools: ~/.aws/config, ~/.aws/credentials.
 *
 * A profile consists of the values under its name in both files.  The section
 * is [profile name] in the config file, and [name] in the credentials file.
 * In the config file, the default profile may also be [default].
 *
 * The rules of the format are those on which AWS's tools agree.  A form that
 * only some of the tools accept is accepted here if those tools agree on its
 * meaning.  The rules are:
 *
 * - Blank lines, and lines whose first nonblank character is # or ;, are
 *   skipped.
 * - "[name]" begins a section, and may be followed by a comment.  In the
 *   config file, a name with blanks must be quoted, as in [profile "my name"].
 *   Sections of the same name are merged.
 * - In "key = value", the key may have any case; the key and the value are
 *   trimmed.  If a key is repeated, its last value applies.  A comment after
 *   the value begins with a blank and # or ;.
 * - A line that is indented more than the previous line with a key continues
 *   the value of that key.  A comment in such a line is part of the value.  If
 *   nothing follows the key's = sign, as in [services], each continuation line
 *   must be "key = value".  We check this, but do not use these keys.
 * - Lines end with LF or CR LF.  The text is UTF-8, and may begin with a byte
 *   order mark.
 *
 * Any other line is an error, since it may be a key that a user relies on.
 * The message has only the line's number: the text may contain a secret.
 *
 * Parsing modifies the text in place: it writes NULs over separators, and
 * moves continuation lines to the end of the value that they continue.  So the
 * secrets are only in the text, which clear_ini overwrites.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "../aws/credentials.h"
#include "../base/text.h"
#include "files.h"
#include "provider_response.h"

typedef struct Span
{
	char	   *start;
	char	   *end;
} Span;

typedef struct Parser
{
	DynIni	   *ini;
	bool		prefixes;
	int			line;			/* number of the current line, from 1 */
	size_t		indent;			/* blanks before the latest key or section */
	char	   *value_end;		/* end of the value to continue, or NULL */
	bool		in_block;		/* true if nothing follows the last key's = */
	const char *wrong;			/* error in the current line, or NULL */
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

static Span
trim(Span span)
{
	while (span.start < span.end && is_blank(*span.start))
		span.start++;
	while (span.start < span.end && is_blank(span.end[-1]))
		span.end--;
	return span;
}

static char *
find(Span span, char c)
{
	return memchr(span.start, c, (size_t) (span.end - span.start));
}

/* Ends the span with a NUL, in place of a separator or the text's own NUL. */
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

/* ---- adding entries --------------------------------------------------- */

static bool
add_entry(Parser *parser, DynIniEntry entry)
{
	DynIni	   *ini = parser->ini;
	size_t		cap = ini->cap ? ini->cap * 2 : 16;
	DynIniEntry *larger;

	if (ini->n == ini->cap)
	{
		larger = realloc(ini->entries, cap * sizeof(*larger));
		if (larger == NULL)
		{
			parser->out_of_memory = true;
			return false;
		}
		ini->entries = larger;
		ini->cap = cap;
	}
	/* analyzer: ini->entries is not leaked: clear_ini frees it */
	ini->entries[ini->n++] = entry;
	return true;
}

/* ---- sections --------------------------------------------------------- */

static char
quote_at(const char *p, const char *end)
{
	return p < end && (*p == '"' || *p == '\'') ? *p : 0;
}

/* Returns the position after the quoted text; NULL without a closing quote. */
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
 * Returns the bracket that ends the section's name, or NULL.  A quotation mark
 * starts quoted text only at the start of the name and after a blank.
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

/* Removes quotation marks around the text, and each escaping backslash. */
static Span
unquote(Span span)
{
	char		quote = quote_at(span.start, span.end);
	char	   *to;

	if (quote == 0 || skip_quoted(span.start, span.end) != span.end)
		return span;
	to = span.start;
	for (char *from = span.start + 1; from < span.end - 1; from++)
	{
		if (*from == '\\' && quote == '"')
			from++;
		*to++ = *from;
	}
	span.end = to;
	return span;
}

/*
 * Returns the kind of a section.  If *name is a single word, the kind is
 * PLAIN.  Otherwise the first word gives the kind, and is removed from *name.
 * If several unquoted words follow the first word, the kind is OTHER.
 */
static DynIniKind
read_prefix(Span *name)
{
	char	   *word = name->start;
	size_t		len = 0;

	while (word + len < name->end && !is_blank(word[len]))
		len++;
	if (word + len == name->end)
		return DYN_INI_PLAIN;
	name->start += len;
	*name = trim(*name);
	for (char *p = name->start; p < name->end; p++)
		if (is_blank(*p) && !quote_at(name->start, name->end))
			return DYN_INI_OTHER;
	if (len == 7 && memcmp(word, "profile", len) == 0)
		return DYN_INI_PROFILE;
	if (len == 11 && memcmp(word, "sso-session", len) == 0)
		return DYN_INI_SSO_SESSION;
	return DYN_INI_OTHER;
}

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
		return is_wrong(parser, "has text after \"]\"");
	if (parser->prefixes)
		kind = read_prefix(&name);
	name = unquote(name);
	if (name.start == name.end)
		return is_wrong(parser, "has a section without a name");
	parser->value_end = NULL;
	parser->in_block = false;
	return add_entry(parser, (DynIniEntry) {.kind = kind,
					 .section = terminate(name)});
}

/* ---- keys ------------------------------------------------------------- */

static bool
read_key(Parser *parser, Span line)
{
	DynIni	   *ini = parser->ini;
	DynIniEntry entry;
	Span		full = line;
	char	   *equals;
	Span		key;
	Span		value;

	if (ini->n == 0)
		return is_wrong(parser, "is not in a section");
	/* remove a comment, which begins after a blank */
	for (char *p = line.start + 1; p < line.end; p++)
		if (is_comment(*p) && is_blank(p[-1]))
			line.end = p;
	line = trim(line);
	equals = find(line, '=');
	if (equals == NULL)
		return is_wrong(parser, "is not of the form \"key = value\"");
	key = trim((Span) {line.start, equals});
	if (key.start == key.end)
		return is_wrong(parser, "has no key before \"=\"");
	for (char *p = key.start; p < key.end; p++)
		*p = dyn_ascii_lower(*p);
	if (strcmp(terminate(key), "credential_process") == 0)
		line = full;
	value = trim((Span) {equals + 1, line.end});
	parser->in_block = value.start == value.end;
	parser->value_end = value.end;
	entry = ini->entries[ini->n - 1];
	entry.key = key.start;
	entry.value = terminate(value);
	return add_entry(parser, entry);
}

/*
 * Appends a newline and the line to the value that the line continues.  The
 * longer value overwrites only text that was already parsed.
 */
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
	for (const char *p = text.start; p < text.end; p++)
		if (((unsigned char) *p < 0x20 && *p != '\t') || *p == 0x7f)
			return is_wrong(parser, "has a control character");
	if (parser->value_end != NULL && indent > parser->indent)
		return read_continuation(parser, text);
	parser->indent = indent;
	return *text.start == '[' ? read_section(parser, text) :
		read_key(parser, text);
}

static void
clear_ini(DynIni *ini)
{
	dyn_secret_free_buffer(&ini->text);
	free(ini->entries);
	memset(ini, 0, sizeof(*ini));
}

/*
 * Parses the text, which must be followed by a NUL, and moves it into *ini.
 * If `prefixes` is true, as for the config file, the names of sections may
 * begin with a kind (read_prefix).  On failure, returns false with *ini empty.
 */
static bool
parse_ini(DynIni *ini, DynBuffer *text, bool prefixes, const char *file,
		  DynError *err)
{
	Parser		parser = {.ini = ini,.prefixes = prefixes};
	Span		all;

	memset(ini, 0, sizeof(*ini));
	ini->text = *text;
	dyn_buffer_init(text, 0);
	all = (Span) {ini->text.data, ini->text.data + ini->text.len};
	if (ini->text.len >= 3 && memcmp(all.start, "\xEF\xBB\xBF", 3) == 0)
		all.start += 3;
	while (all.start < all.end)
	{
		char	   *end = find(all, '\n');

		parser.line++;
		if (!read_line(&parser, (Span) {all.start, end ? end : all.end}))
			break;
		all.start = end ? end + 1 : all.end;
	}
	if (all.start == all.end)
		return true;
	clear_ini(ini);
	if (parser.out_of_memory)
		return dyn_error_memory(err);
	dyn_error_set(err, "line %d of file \"%s\" %s", parser.line, file,
				  parser.wrong);
	return dyn_error_hint(err, "The line is not shown because it might contain a secret.");
}

/* ---- lookup ----------------------------------------------------------- */

static bool
is_of_section(const DynIniEntry *entry, DynIniKind kind, const char *name)
{
	return entry->kind == kind && strcmp(entry->section, name) == 0;
}

size_t
dyn_ini_place(const DynIni *ini, DynIniKind kind, const char *name)
{
	for (size_t i = ini->n; i > 0; i--)
		if (ini->entries[i - 1].key == NULL &&
			is_of_section(&ini->entries[i - 1], kind, name))
			return i;
	return 0;
}

const char *
dyn_ini_value(const DynIni *ini, DynIniKind kind, const char *name,
			  const char *key)
{
	for (size_t i = ini->n; i > 0; i--)
	{
		const DynIniEntry *entry = &ini->entries[i - 1];

		if (entry->key != NULL && strcmp(entry->key, key) == 0 &&
			is_of_section(entry, kind, name))
			return entry->value[0] != '\0' ? entry->value : NULL;
	}
	return NULL;
}

/* ---- the files ~/.aws/config and ~/.aws/credentials ------------------- */

/* Time (s) for which an emptied file counts as one that is being rewritten. */
#define REWRITE_SECONDS	5

static const struct
{
	const char *variable;
	const char *below_home;
}			kinds[] =
{
	[DYN_CONFIG_CREDENTIALS] =
	{"AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials"},
	[DYN_CONFIG_CONFIG] =
	{"AWS_CONFIG_FILE", ".aws/config"}
};

/* Loads a file.  Without a known home directory, a file counts as missing. */
static bool
load_file(DynConfig *config, DynConfigFile file, DynError *err)
{
	const char *named = dyn_response_environment(kinds[file].variable);
	DynBuffer	text;
	DynFileRead read;
	struct stat st;
	char	   *path;

	if (named == NULL)
		path = dyn_file_below_home(kinds[file].below_home, err);
	else if (strncmp(named, "~/", 2) == 0)
		path = dyn_file_below_home(named + 2, err);
	else if ((path = strdup(named)) == NULL)
		dyn_error_memory(err);
	config->paths[file] = path;
	if (path == NULL)
		return !err->out_of_memory && !err->passing;
	read = dyn_file_read(path, DYN_FILE_LONGEST_CONFIG, &text, err);
	if (read != DYN_FILE_READ)
		return read == DYN_FILE_MISSING;
	if (text.len == 0 && stat(path, &st) == 0 &&
		llabs((long long) (time(NULL) - st.st_mtime)) < REWRITE_SECONDS)
	{
		dyn_secret_free_buffer(&text);
		dyn_error_set(err, "file \"%s\" was emptied just now", path);
		err->passing = true;
		return false;
	}
	return parse_ini(&config->files[file], &text, file == DYN_CONFIG_CONFIG,
					 path, err);
}

bool
dyn_config_load(DynConfig *config, DynError *err)
{
	if (load_file(config, DYN_CONFIG_CREDENTIALS, err) &&
		load_file(config, DYN_CONFIG_CONFIG, err))
		return true;
	dyn_config_clear(config);
	return false;
}

void
dyn_config_clear(DynConfig *config)
{
	for (int i = 0; i < 2; i++)
	{
		clear_ini(&config->files[i]);
		free(config->paths[i]);
	}
	memset(config, 0, sizeof(*config));
}

/* ---- profiles --------------------------------------------------------- */

/*
 * Returns the kind of the profile's section in the file.  If the config file
 * has [default] and [profile default], the later one applies, as in AWS's CLI.
 */
static DynIniKind
kind_of(const DynConfig *config, DynConfigFile file, const char *profile)
{
	const DynIni *ini = &config->files[file];

	if (file == DYN_CONFIG_CREDENTIALS ||
		(strcmp(profile, "default") == 0 &&
		 dyn_ini_place(ini, DYN_INI_PLAIN, profile) >=
		 dyn_ini_place(ini, DYN_INI_PROFILE, profile)))
		return DYN_INI_PLAIN;
	return DYN_INI_PROFILE;
}

bool
dyn_config_has_profile(const DynConfig *config, const char *profile)
{
	for (DynConfigFile file = DYN_CONFIG_CREDENTIALS; file <= DYN_CONFIG_CONFIG; file++)
		if (dyn_ini_place(&config->files[file], kind_of(config, file, profile),
						  profile) > 0)
			return true;
	return false;
}

bool
dyn_config_no_profile(const DynConfig *config, const char *profile,
					  DynError *err)
{
	const char *const *paths = (const char *const *) config->paths;
	char		user[64];

	dyn_file_user(user, sizeof(user));
	if (paths[0] == NULL && paths[1] == NULL)
	{
		dyn_error_set(err, "profile \"%s\" does not exist: the operating-"
					  "system user \"%s\" has no home directory", profile,
					  user);
		return dyn_error_hint(err, "Set AWS_CONFIG_FILE or AWS_SHARED_CREDENTIALS_FILE in the environment of the server.");
	}
	if (paths[0] == NULL || paths[1] == NULL)
		dyn_error_set(err, "profile \"%s\" does not exist in file \"%s\"",
					  profile, paths[0] ? paths[0] : paths[1]);
	else
		dyn_error_set(err, "profile \"%s\" exists neither in file \"%s\" nor "
					  "in file \"%s\"", profile, paths[DYN_CONFIG_CONFIG],
					  paths[DYN_CONFIG_CREDENTIALS]);
	/* a common mistake is [name] in the config file */
	if (dyn_ini_place(&config->files[DYN_CONFIG_CONFIG], DYN_INI_PLAIN,
					  profile) > 0)
		return dyn_error_hint(err, "In file \"%s\", write [profile %s] "
							  "instead of [%s].",
							  paths[DYN_CONFIG_CONFIG], profile, profile);
	return dyn_error_hint(err, "The server reads the files of its operating-system user \"%s\".", user);
}

const char *
dyn_config_value_of(const DynConfig *config, DynConfigFile file,
					const char *profile, const char *key)
{
	return dyn_ini_value(&config->files[file], kind_of(config, file, profile),
						 profile, key);
}

const char *
dyn_config_path(const DynConfig *config, DynConfigFile file)
{
	return config->paths[file] ? config->paths[file] : kinds[file].below_home;
}
