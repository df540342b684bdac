/*
 * pattern.c
 *		Parses date/time patterns of fixed width, and prints and scans times.
 *
 * A pattern is a list of items: fields, and bytes of literals.
 */
#include "postgres.h"

#include "utils/datetime.h"

#include "../../base/text.h"
#include "datetime.h"

/* Fields in descending order of size. */
typedef enum Field
{
	FIELD_YEAR,
	FIELD_MONTH,
	FIELD_DAY,
	FIELD_HOUR,
	FIELD_MINUTE,
	FIELD_SECOND,
	FIELD_FRACTION,
	FIELD_COUNT
} Field;

typedef struct FieldWord
{
	const char *word;
	Field		field;
	int			width;
	int			unit;			/* factor from the number in the text to the
								 * field's value (1000 for MS) */
	int			min;			/* smallest number that the text may have */
	int			max;
} FieldWord;

static const FieldWord field_words[] = {
	{"YYYY", FIELD_YEAR, 4, 1, 1, 9999},
	{"MM", FIELD_MONTH, 2, 1, 1, 12},
	{"DD", FIELD_DAY, 2, 1, 1, 31},
	{"HH24", FIELD_HOUR, 2, 1, 0, 23},
	{"MI", FIELD_MINUTE, 2, 1, 0, 59},
	{"SS", FIELD_SECOND, 2, 1, 0, 59},
	{"MS", FIELD_FRACTION, 3, 1000, 0, 999},
	{"US", FIELD_FRACTION, 6, 1, 0, 999999},
};

typedef struct Item
{
	const FieldWord *field;		/* field, or NULL for a literal */
	char		literal;		/* byte of a literal; NUL for any digit */
} Item;

/* Maximum width of a pattern, and of the strings that match it (bytes). */
#define MAX_WIDTH	128

struct DynPattern
{
	int			nitems;
	Item		items[MAX_WIDTH];
	size_t		width;
	const FieldWord *words[FIELD_COUNT];	/* NULL: field not used */
	Field		last;			/* the smallest field */
	bool		ordered;
};

typedef struct PatternParser
{
	const char *start;
	const char *p;
	const char **why;
} PatternParser;

/* Sets *why to the reason and the parser's position (characters, from 1). */
static bool
refuse(const PatternParser *in, const char *reason)
{
	int			place = 1;

	for (const char *p = in->start; p < in->p; p++)
		place += !dyn_utf8_continues(*p);
	*in->why = psprintf("pattern(...) at character %d: %s.", place, reason);
	return false;
}

static bool
add_item(const PatternParser *in, DynPattern *pattern, const FieldWord *field,
		 char literal)
{
	int			width = field ? field->width : 1;

	if (pattern->width + width > MAX_WIDTH)
		return refuse(in, "it is longer than 128 bytes");
	pattern->items[pattern->nitems].field = field;
	pattern->items[pattern->nitems++].literal = literal;
	pattern->width += width;
	return true;
}

static bool
read_field(PatternParser *in, DynPattern *pattern, const FieldWord *field)
{
	if (pattern->words[field->field] == field)
		return refuse(in, psprintf("%s occurs twice", field->word));
	if (pattern->words[field->field] != NULL)
		return refuse(in, "MS and US are mutually exclusive");
	for (int i = field->field + 1; i < FIELD_COUNT; i++)
		pattern->ordered &= (pattern->words[i] == NULL);
	pattern->words[field->field] = field;
	pattern->last = Max(pattern->last, field->field);
	if (!add_item(in, pattern, field, '\0'))
		return false;
	in->p += strlen(field->word);
	return true;
}

static bool
read_quoted(PatternParser *in, DynPattern *pattern)
{
	PatternParser quote = *in;

	for (in->p++; *in->p != '"'; in->p++)
	{
		if (*in->p == '\\' && (in->p[1] == '"' || in->p[1] == '\\'))
			in->p++;
		if (*in->p == '\0')
			return refuse(&quote, "the double quote is not closed");
		if (!add_item(in, pattern, NULL, *in->p))
			return false;
	}
	in->p++;
	return true;
}

static bool
read_item(PatternParser *in, DynPattern *pattern)
{
	for (int i = 0; i < lengthof(field_words); i++)
	{
		if (strncmp(in->p, field_words[i].word, strlen(field_words[i].word)) == 0)
			return read_field(in, pattern, &field_words[i]);
	}
	if (*in->p == '"')
		return read_quoted(in, pattern);
	if ((*in->p >= 'a' && *in->p <= 'z') || (*in->p >= 'A' && *in->p <= 'Z'))
		return refuse(in, "the fields are YYYY, MM, DD, HH24, MI, SS, and MS or US; other letters must be in double quotes");
	return add_item(in, pattern, NULL, *in->p) && in->p++;
}

DynPattern *
dyn_pattern_parse(const char *text, const char **why)
{
	DynPattern *pattern = palloc0(sizeof(DynPattern));
	PatternParser in = {text, text, why};

	pattern->ordered = true;
	while (*in.p != '\0')
	{
		if (!read_item(&in, pattern))
			return NULL;
	}
	/* require the year, and each field between it and the smallest field */
	for (int i = 0; i < Max((int) pattern->last, 1); i++)
	{
		if (pattern->words[i] != NULL)
			continue;
		(void) refuse(&in, psprintf("it does not determine a time without %s", field_words[i].word));
		return NULL;
	}
	return pattern;
}

DynPattern *
dyn_pattern_of_iso8601(int digits, const char *suffix)
{
	const char *why;			/* not used, since the pattern is valid */
	PatternParser in = {.why = &why};
	DynPattern *pattern = dyn_pattern_parse("YYYY-MM-DD\"T\"HH24:MI:SS", &why);

	Assert(pattern != NULL);
	if (digits > 0)
	{
		FieldWord  *fraction = palloc(sizeof(FieldWord));

		*fraction = (FieldWord) {"", FIELD_FRACTION, Min(digits, 6), 1, 0, 999999};
		for (int i = digits; i < 6; i++)
			fraction->unit *= 10;
		pattern->words[FIELD_FRACTION] = fraction;
		pattern->last = FIELD_FRACTION;
		(void) add_item(&in, pattern, NULL, '.');
		(void) add_item(&in, pattern, fraction, '\0');
	}
	for (int i = 6; i < digits; i++)
		(void) add_item(&in, pattern, NULL, '\0');
	for (; *suffix != '\0'; suffix++)
		(void) add_item(&in, pattern, NULL, *suffix);
	return pattern;
}

bool
dyn_pattern_is_ordered(const DynPattern *pattern)
{
	return pattern->ordered;
}

int64
dyn_pattern_unit(const DynPattern *pattern)
{
	static const int64 shortest[FIELD_COUNT] = {
		365 * USECS_PER_DAY, 28 * USECS_PER_DAY, USECS_PER_DAY, USECS_PER_HOUR,
	USECS_PER_MINUTE, USECS_PER_SEC, 1};

	return shortest[pattern->last] * pattern->words[pattern->last]->unit;
}

static Timestamp
join_fields(const int *values)
{
	int64		days = date2j(values[FIELD_YEAR], values[FIELD_MONTH],
							  values[FIELD_DAY]) - POSTGRES_EPOCH_JDATE;
	int64		seconds = (values[FIELD_HOUR] * 60 + values[FIELD_MINUTE]) * 60 +
		values[FIELD_SECOND];

	return days * USECS_PER_DAY + seconds * USECS_PER_SEC + values[FIELD_FRACTION];
}

static void
split_fields(Timestamp instant, int *values)
{
	int64		days = instant / USECS_PER_DAY;
	int64		time = instant % USECS_PER_DAY;
	int			seconds;

	if (time < 0)
	{
		time += USECS_PER_DAY;
		days--;
	}
	j2date((int) days + POSTGRES_EPOCH_JDATE, &values[FIELD_YEAR],
		   &values[FIELD_MONTH], &values[FIELD_DAY]);
	seconds = (int) (time / USECS_PER_SEC);
	values[FIELD_HOUR] = seconds / 3600;
	values[FIELD_MINUTE] = seconds / 60 % 60;
	values[FIELD_SECOND] = seconds % 60;
	values[FIELD_FRACTION] = (int) (time % USECS_PER_SEC);
}

static Timestamp
round_down(const DynPattern *pattern, Timestamp instant)
{
	static const int begin[FIELD_COUNT] = {1, 1, 1, 0, 0, 0, 0};
	int			values[FIELD_COUNT];
	int			unit = pattern->words[pattern->last]->unit;

	split_fields(instant, values);
	values[pattern->last] -= values[pattern->last] % unit;
	for (int i = pattern->last + 1; i < FIELD_COUNT; i++)
		values[i] = begin[i];
	return join_fields(values);
}

Timestamp
dyn_pattern_round(const DynPattern *pattern, Timestamp instant, bool up)
{
	Timestamp	down = round_down(pattern, instant);

	if (!up || down == instant)
		return down;
	/*
	 * down + 2 * (shortest unit) - 1 is in the next unit, because the longest
	 * unit is less than twice as long as the shortest
	 */
	return round_down(pattern, down + 2 * dyn_pattern_unit(pattern) - 1);
}

bool
dyn_pattern_print(const DynPattern *pattern, Timestamp instant, bool last,
				  char *dst)
{
	int			values[FIELD_COUNT];

	StaticAssertStmt(MAX_WIDTH < DYN_INSTANT_BUFSIZE, "texts must be short");
	if (instant < DYN_INSTANT_MIN || instant > DYN_INSTANT_MAX ||
		round_down(pattern, instant) != instant)
		return false;
	split_fields(instant, values);
	for (int i = 0; i < pattern->nitems; i++)
	{
		const FieldWord *field = pattern->items[i].field;

		if (field == NULL)
		{
			char		literal = pattern->items[i].literal;

			*dst++ = literal != '\0' ? literal : last ? '9' : '0';
		}
		else
		{
			int			number = values[field->field] / field->unit;

			for (int d = field->width - 1; d >= 0; d--, number /= 10)
				dst[d] = '0' + number % 10;
			dst += field->width;
		}
	}
	*dst = '\0';
	return true;
}

bool
dyn_pattern_scan(const DynPattern *pattern, const char *text, size_t len,
				 Timestamp *result)
{
	int			values[FIELD_COUNT] = {1, 1, 1, 0, 0, 0, 0};

	if (len != pattern->width)
		return false;
	for (int i = 0; i < pattern->nitems; i++)
	{
		const FieldWord *field = pattern->items[i].field;
		char		literal = pattern->items[i].literal;
		int			number = 0;

		for (int width = field ? field->width : 1; width > 0; width--, text++)
		{
			if (literal != '\0' ? *text != literal : *text < '0' || *text > '9')
				return false;
			number = number * 10 + (*text - '0');
		}
		if (field == NULL)
			continue;
		if (number < field->min || number > field->max)
			return false;
		values[field->field] = number * field->unit;
	}
	if (values[FIELD_DAY] >
		day_tab[isleap(values[FIELD_YEAR])][values[FIELD_MONTH] - 1])
		return false;
	*result = join_fields(values);
	return true;
}
