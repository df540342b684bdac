/*
 * format.c
 *		Parses the column option "format".
 *
 * The option is converted to UTF-8 before it is parsed, because its strings,
 * such as the arguments of bool(t,f), are compared with stored values.
 */
#include "postgres.h"

#include "pgtime.h"

#include "../../base/number.h"
#include "../server/encoding.h"
#include "datetime.h"
#include "textforms.h"

/* Maximum length of the arguments of bool(t,f), which are sent in filters */
#define MAX_BOOL_BYTES	256

static const struct
{
	const char *word;
	DynFormatKind kind;
}			format_words[] = {
	{"iso8601", DYN_FORMAT_ISO8601},
	{"ulid", DYN_FORMAT_ULID},
	{"epoch", DYN_FORMAT_EPOCH},
	{"epoch_ms", DYN_FORMAT_EPOCH_MS},
	{"epoch_us", DYN_FORMAT_EPOCH_US},
	{"epoch_days", DYN_FORMAT_EPOCH_DAYS},
	{"string", DYN_FORMAT_STRING},
	{"base64", DYN_FORMAT_BASE64},
	{"json", DYN_FORMAT_JSON},
	{"set", DYN_FORMAT_SET},
	{"list", DYN_FORMAT_LIST},
};

static const char format_hint[] =
"Valid formats are iso8601, iso8601(n), iso8601(n,suffix), pattern(...), ulid, epoch, epoch(n), epoch_ms, epoch_us, epoch_days, string, padded(n), base64, json, set, list and bool(t,f).";

/* Hint for placeholders.  Their formats must have one encoding per value. */
static const char part_hint[] =
"Valid modifiers of a placeholder are plain, any, lower, upper, a range such as 0..9, words such as A|B, and the formats iso8601(n), iso8601(n,suffix), pattern(...), padded(n), base64, bool(t,f), year, month, day, hour and trunc(...).";

/* Returns the text between "word(" and the final ")", or NULL. */
static char *
arguments_of(const char *text, const char *word)
{
	size_t		len = strlen(word);
	size_t		total = strlen(text);

	if (strncmp(text, word, len) != 0 || text[len] != '(' ||
		text[total - 1] != ')')
		return NULL;
	return pnstrdup(text + len + 1, total - len - 2);
}

static bool
parse_digits(const char *args, int *digits)
{
	*digits = args[0] - '0';
	return args[0] >= '0' && args[0] <= '9' && args[1] == '\0';
}

static bool
parse_fixed(char *args, DynFormat *format, const char **why)
{
	char	   *comma = strchr(args, ',');
	const char *suffix = comma ? comma + 1 : "Z";

	if (comma != NULL)
		*comma = '\0';
	if (!parse_digits(args, &format->digits))
	{
		*why = "The argument of iso8601(n) is the number of fractional digits of the seconds, from 0 to 9.";
		return false;
	}
	if (strlen(suffix) > 32 || strpbrk(suffix, "0123456789"))
	{
		*why = "The suffix of iso8601(n,suffix) must be a short text without digits, such as Z.";
		return false;
	}
	format->kind = DYN_FORMAT_PATTERN;
	format->pattern = dyn_pattern_of_iso8601(format->digits, suffix);
	return true;
}

/* Parses bool(t,f).  With `part`, t and f are always text, even 1 and 0. */
static bool
parse_bool_format(char *args, DynFormat *format, bool part, const char **why)
{
	char	   *comma = strchr(args, ',');
	char	   *t = palloc(DYN_NUMBER_BUFSIZE);
	char	   *f = palloc(DYN_NUMBER_BUFSIZE);
	size_t		len;

	*why = "The arguments of bool(t,f) are two different short texts, such as bool(Y,N) or bool(1,0).";
	if (comma == NULL || comma == args || comma[1] == '\0' ||
		strlen(args) > MAX_BOOL_BYTES)
		return false;
	*comma = '\0';
	format->kind = DYN_FORMAT_BOOL;
	format->true_text = args;
	format->false_text = comma + 1;
	format->numeric = !part &&
		dyn_number_canonical(args, strlen(args), t, &len) == DYN_NUMBER_OK &&
		dyn_number_canonical(comma + 1, strlen(comma + 1), f, &len) == DYN_NUMBER_OK;
	if (format->numeric)
	{
		format->true_text = t;
		format->false_text = f;
	}
	return strcmp(format->true_text, format->false_text) != 0;
}

static const struct
{
	const char *word;
	const char *pattern;
}			units[] = {
	{"year", "YYYY"},
	{"month", "YYYY-MM"},
	{"day", "YYYY-MM-DD"},
	{"hour", "YYYY-MM-DD\"T\"HH24"},
};

static bool
begins_with_word(const char *text, const char *word)
{
	size_t		len = strlen(word);

	return strncmp(text, word, len) == 0 && (text[len] == '\0' || text[len] == '(');
}

bool
dyn_format_is_trunc(const char *text)
{
	for (int i = 0; i < lengthof(units); i++)
	{
		if (begins_with_word(text, units[i].word))
			return true;
	}
	return begins_with_word(text, "trunc");
}

/* Splits text at its last unquoted comma; returns the second part, or NULL. */
static char *
split_zone(char *args)
{
	char	   *comma = NULL;
	bool		quoted = false;

	for (char *p = args; *p != '\0'; p++)
	{
		if (quoted && *p == '\\' && p[1] != '\0')
			p++;
		else if (*p == '"')
			quoted = !quoted;
		else if (*p == ',' && !quoted)
			comma = p;
	}
	if (comma == NULL)
		return NULL;
	*comma = '\0';
	return comma + 1;
}

/* Parses unit, unit(zone), or trunc(pattern[,zone]). */
static bool
parse_trunc(const char *text, DynFormat *format, const char **why)
{
	const char *pattern = NULL;
	char	   *zone = NULL;
	long int	offset;

	format->kind = DYN_FORMAT_TRUNC;
	*why = "Write year, month, day or hour, alone or with a time zone, such as day(Europe/Berlin); or trunc(pattern) or trunc(pattern,zone), such as trunc(YYYYMMDD).";
	for (int i = 0; i < lengthof(units); i++)
	{
		if (!begins_with_word(text, units[i].word))
			continue;
		pattern = units[i].pattern;
		zone = arguments_of(text, units[i].word);
		if (zone == NULL && strcmp(text, units[i].word) != 0)
			return false;
	}
	if (pattern == NULL)
	{
		char	   *args = arguments_of(text, "trunc");

		if (args == NULL)
			return false;
		zone = split_zone(args);
		pattern = args;
	}
	format->pattern = dyn_pattern_parse(pattern, why);
	if (format->pattern == NULL || zone == NULL)
		return format->pattern != NULL;
	format->zone = pg_tzset(zone);
	*why = psprintf("\"%s\" is not a time zone.", zone);
	if (format->zone == NULL)
		return false;
	if (pg_get_timezone_offset(format->zone, &offset) && offset == 0)
		format->zone = NULL;
	return true;
}

bool
dyn_format_parse(const char *text, bool part, DynFormat *format,
				 const char **why)
{
	size_t		len = strlen(text);
	char	   *args;

	memset(format, 0, sizeof(*format));
	format->text = pstrdup(text);
	if (!dyn_value_to_utf8(&text, &len))
	{
		*why = "A format must contain only characters that exist in UTF-8.";
		return false;
	}
	if (part && dyn_format_is_trunc(text))
		return parse_trunc(text, format, why);
	if ((args = arguments_of(text, "iso8601")) != NULL)
		return parse_fixed(args, format, why);
	if ((args = arguments_of(text, "epoch")) != NULL)
	{
		format->kind = DYN_FORMAT_EPOCH;
		*why = "The argument of epoch(n) is the number of fractional digits of the seconds, from 0 to 9.";
		return parse_digits(args, &format->digits);
	}
	if ((args = arguments_of(text, "pattern")) != NULL)
	{
		format->kind = DYN_FORMAT_PATTERN;
		format->pattern = dyn_pattern_parse(args, why);
		return format->pattern != NULL;
	}
	if ((args = arguments_of(text, "padded")) != NULL)
	{
		format->kind = DYN_FORMAT_PADDED;
		format->digits = (int) strtol(args, NULL, 10);
		*why = "The argument of padded(n) is the number of digits, from 1 to 38.";
		return args[0] != '\0' && args[0] != '0' && strlen(args) <= 2 &&
			args[strspn(args, "0123456789")] == '\0' &&
			format->digits <= DYN_PADDED_MAX_DIGITS;
	}
	if ((args = arguments_of(text, "bool")) != NULL)
		return parse_bool_format(args, format, part, why);
	for (int i = 0; i < lengthof(format_words); i++)
	{
		if (strcmp(format_words[i].word, text) == 0)
		{
			format->kind = format_words[i].kind;
			format->digits = 6;
			return true;
		}
	}
	*why = part ? part_hint : format_hint;
	return false;
}
