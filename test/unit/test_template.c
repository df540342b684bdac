/*
 * test_template.c
 *		Key templates: what is parsed and refused, and how each kind of placeholder
 *		is split, joined and bounded.  test_template_all.c compares all short texts.
 */
#include "harness.h"

#include "base/buffer.h"
#include "template_facts.h"

#define LENGTHOF(array) (sizeof(array) / sizeof((array)[0]))

static DynText
text_of(const char *text)
{
	return (DynText) {text, text ? strlen(text) : 0};
}

/* ---- parse ---- */

static void
print_part(DynBuffer *out, const DynTemplatePart *part)
{
	int			i;

	dyn_buffer_printf(out, "{%s", part->column.data);
	if (part->folding != DYN_FOLD_NONE)
		dyn_buffer_append_str(out, part->folding == DYN_FOLD_LOWER ?
							  " lower" : " upper");
	if (part->any)
		dyn_buffer_append_str(out, " any");
	if (part->modifier == DYN_MODIFIER_PLAIN)
		dyn_buffer_append_str(out, " plain");
	if (part->modifier == DYN_MODIFIER_RANGE)
		dyn_buffer_printf(out, " %lld..%lld", (long long) part->lo,
						  (long long) part->hi);
	for (i = 0; i < part->nwords; i++)
		dyn_buffer_printf(out, " '%s'", part->words[i].data);
	if (part->modifier == DYN_MODIFIER_FORMAT)
		dyn_buffer_printf(out, " =%s", part->format.data);
	dyn_buffer_append_str(out, "}");
}

static const char *
print_template(DynBuffer *out, const DynTemplate *tmpl)
{
	int			i;

	dyn_buffer_reset(out);
	for (i = 0; i <= tmpl->nparts; i++)
	{
		dyn_buffer_append(out, tmpl->literals[i].data, tmpl->literals[i].len);
		if (i < tmpl->nparts)
			print_part(out, &tmpl->parts[i]);
	}
	return dyn_buffer_terminate(out);
}

static const struct
{
	const char *text;
	const char *parsed;
}			parsed[] = {
	{"company#${company}", "company#{company}"},
	{"ORDER#${id:any}#ITEM#${n:padded(5)}",
	"ORDER#{id any}#ITEM#{n =padded(5)}"},
	{"${a}-${n}", "{a}-{n}"},
	{"company#", "company#"},
	{"$${x}", "${x}"},
	{"a${$}b", "a$b"},
	{"${$}{x}", "${x}"},
	{"$", "$"},
	{"{a}}$b{", "{a}}$b{"},
	{"${a b}", "{a b}"},
	{"${\303\244}\303\266", "{\303\244}\303\266"},
	{"${$:plain}", "{$ plain}"},
	{"${a:plain}.${b:lower}.${c:upper}", "{a plain}.{b lower}.{c upper}"},
	{"${a:lower,any}", "{a lower any}"},
	{"${a:any,upper}", "{a upper any}"},
	{"${s:0..9}", "{s 0..9}"},
	{"${s:-10..-2}", "{s -10..-2}"},
	{"${s:-9223372036854775808..9223372036854775807}",
	"{s -9223372036854775808..9223372036854775807}"},
	{"${s:PENDING|SCHEDULED|a b}", "{s 'PENDING' 'SCHEDULED' 'a b'}"},
	{"${s:1..2|3}", "{s '1..2' '3'}"},
	{"${s:any|all}", "{s 'any' 'all'}"},
	{"${b:bool(a|b,c)}", "{b =bool(a|b,c)}"},
	{"${t:iso8601(3,+00:00)}", "{t =iso8601(3,+00:00)}"},
	{"${u:ulid}", "{u =ulid}"},
	{"${a}#${a}", "{a}#{a}"},
};

static void
templates_are_parsed(void)
{
	DynBuffer	out;
	size_t		i;

	dyn_buffer_init(&out, 0);
	for (i = 0; i < LENGTHOF(parsed); i++)
	{
		DynTemplateError error;
		DynTemplate *tmpl = dyn_template_parse(parsed[i].text,
											   strlen(parsed[i].text), &error);

		if (CHECK(tmpl != NULL))
			CHECK_EQ_STR(print_template(&out, tmpl), parsed[i].parsed);
		else
			printf("#     %s: %s\n", parsed[i].text, error.message);
		dyn_template_free(tmpl);
	}
	dyn_buffer_free(&out);
}

static const struct
{
	const char *text;
	int			position;
	const char *message;
	const char *hint;			/* a part of it; NULL: none */
}			refused[] = {
	{"", 1, "empty", "empty"},
	{"a#${b", 3, "without \"}\"", "${$}"},
	{"${", 1, "without \"}\"", "${$}"},
	{"\303\244\303\244${}", 5, "column name is missing", "${column}"},
	{"${:any}", 3, "column name is missing", "${column}"},
	{"${a:}", 5, "modifier is missing", "colon"},
	{"${a:any}${b}#${c:any}", 18, "second placeholder with any", "Only one"},
	{"${n:05}", 5, "not a modifier", "padded(n)"},
	{"${n:5:0}", 5, "not a modifier", "padded(n)"},
	{"${a:!#}", 5, "not a modifier", "plain"},
	{"${a: any}", 5, "not a modifier", "any, plain"},
	{"${a:lower,plain}", 5, "cannot be combined", "Only any"},
	{"${a:any,any}", 5, "cannot be combined", "Only any"},
	{"${a:lower,upper}", 5, "cannot be combined", "Only any"},
	{"${a:lower,}", 5, "cannot be combined", "Only any"},
	{"${a:plain,lower}", 5, "cannot be combined", "Only any"},
	{"${s:a||b}", 7, "empty word", NULL},
	{"${s:|b}", 5, "empty word", NULL},
	{"${s:b|}", 7, "empty word", NULL},
	{"${s:a|b|a}", 9, "listed twice", NULL},
	{"${s:9..0}", 5, "range is empty", "lower end"},
	{"${s:0..}", 8, "not an integer", "0..9"},
	{"${s:..9}", 5, "not an integer", "0..9"},
	{"${s:00..9}", 5, "not an integer", "0..9"},
	{"${s:+1..9}", 5, "not an integer", "0..9"},
	{"${s:-0..9}", 5, "not an integer", "0..9"},
	{"${s:0..9223372036854775808}", 8, "not an integer", "0..9"},
	{"${a}.${a}.${a}.${a}.${a}.${a}.${a}.${a}.${a}.${a}.${a}.${a}.${a}.${a}."
	"${a}.${a}.${a}", 81, "more than 16", NULL},

	/* of the columns */
	{"${a}${b}", 5, "no literal between", "fixed width"},
	{"${a}${n:padded(3)}", 5, "no literal between", "fixed width"},
	{"${b:any}${a}", 9, "no literal between", "After the placeholder"},
	{"${a}${b:any}", 5, "no literal between", "fixed width"},
	{"${a:any}#${n:padded(3)}${b}", 24, "no literal between", "After the placeholder"},
	{"#${n:any}", 6, "columns of type text", NULL},
	{"#${n:plain}", 6, "columns of type text", NULL},
	{"#${a:lower}", 6, "original of a", "attribute"},
	{"${s:a#b|c}#", 5, "listed word", "literal"},
	{"x#${s:a#b|c}", 7, "listed word", "literal"},
};

static void
templates_are_refused(void)
{
	size_t		i;

	for (i = 0; i < LENGTHOF(refused); i++)
	{
		DynTemplateError error;
		DynTemplate *tmpl = make_template(refused[i].text, &error);

		if (!CHECK(tmpl == NULL) ||
			!CHECK_EQ_INT(error.position, refused[i].position) ||
			!CHECK(strstr(error.message, refused[i].message) != NULL) ||
			!CHECK((error.hint == NULL) == (refused[i].hint == NULL)) ||
			!CHECK(error.hint == NULL ||
				   strstr(error.hint, refused[i].hint) != NULL))
			printf("#     %s\n", refused[i].text);
		CHECK(!error.out_of_memory);
		dyn_template_free(tmpl);
	}
}

/* Any 16 parts are not too many, and a failed resolve may be repeated. */
static void
limits_are_cached(void)
{
	DynTemplateError error;
	char		text[200] = "";
	DynTemplate *tmpl;
	DynPartFacts facts[2] = {{.text = true}, {.text = true}};
	int			i;

	for (i = 0; i < DYN_TEMPLATE_MAX_PARTS; i++)
		strcat(text, "${a}.");
	tmpl = make_template(text, &error);
	CHECK(tmpl != NULL && tmpl->nparts == 16);
	dyn_template_free(tmpl);

	tmpl = dyn_template_parse("${a}${b}", 8, &error);
	CHECK(!dyn_template_resolve(tmpl, facts, &error) && !tmpl->resolved);
	facts[0].width = 3;
	CHECK(dyn_template_resolve(tmpl, facts, &error) && tmpl->resolved);
	CHECK(tmpl->parts[0].by_width && !tmpl->parts[1].by_width);
	CHECK_EQ_INT(tmpl->parts[1].position, 5);
	CHECK_EQ_INT(tmpl->parts[1].modifier_position, 7);
	dyn_template_free(tmpl);
}

static void
bare_templates_are_known(void)
{
	static const struct
	{
		const char *text;
		bool		bare;
	}			cases[] = {
		{"${n}", true}, {"${n:0..9}", true}, {"x${n}", false},
		{"${n}x", false}, {"n", false}, {"${n}#${n}", false},
	};
	size_t		i;

	for (i = 0; i < LENGTHOF(cases); i++)
	{
		DynTemplateError error;
		DynTemplate *tmpl = make_template(cases[i].text, &error);

		if (CHECK(tmpl != NULL))
			CHECK_EQ_INT(dyn_template_is_bare(tmpl), cases[i].bare);
		dyn_template_free(tmpl);
	}
}

/* ---- split ---- */

/* The parts with bars between them, "-" without a match, "?" if ambiguous, "!" on a mismatch. */
static const char *
print_split(DynBuffer *out, const DynTemplate *tmpl, const char *text,
		  const DynText *given)
{
	DynText		values[DYN_TEMPLATE_MAX_PARTS];
	DynSplit		split = dyn_template_split(tmpl, text, strlen(text), given, values);
	int			i;

	dyn_buffer_reset(out);
	if (split == DYN_SPLIT_NO_MATCH)
		dyn_buffer_append_str(out, "-");
	if (split == DYN_SPLIT_AMBIGUOUS)
		dyn_buffer_append_str(out, "?");
	if (split == DYN_SPLIT_TYPE_MISMATCH)
		dyn_buffer_append_str(out, "!");
	for (i = 0; split == DYN_SPLIT_MATCHES && i < tmpl->nparts; i++)
	{
		dyn_buffer_append(out, "|", i > 0);
		dyn_buffer_append(out, values[i].data, values[i].len);
	}
	return dyn_buffer_terminate(out);
}

typedef struct SplitCase
{
	const char *tmpl;
	const char *text;
	const char *split;
	const char *given;			/* of the part that is read from elsewhere */
} SplitCase;

static const SplitCase splits[] = {
	{"company#${company}", "company#acme", "acme", NULL},
	{"company#${company}", "company#", "-", NULL},
	{"company#${company}", "user#acme", "-", NULL},
	{"company#", "company#", "", NULL},
	{"company#", "company#1", "-", NULL},
	{"company#", "", "-", NULL},
	{"user#${email}", "user#", "-", NULL},

	/* the separator is the first character of the next literal */
	{"${a}-${n}", "a-5", "a|5", NULL},
	{"${a:plain}-${n}", "a--5", "-", NULL},
	{"${a}-${n}", "a--5", "?", NULL},
	{"${n}-${a}", "-5-a", "-", NULL},
	{"${a}x${b}", "1x2", "1|2", NULL},
	{"${a}ab${b}", "1acab2", "?", NULL},
	{"${a}ab${b}", "1ab2", "1|2", NULL},
	{"${a}ab${b}", "1ab", "-", NULL},
	{"${a:plain}ab${b}", "1acab2", "-", NULL},

	/* undecided, plain, any */
	{"ORDER#${id}", "ORDER#1", "1", NULL},
	{"ORDER#${id}", "ORDER#1#ITEM#2", "?", NULL},
	{"ORDER#${id:plain}", "ORDER#1#ITEM#2", "-", NULL},
	{"ORDER#${id:any}", "ORDER#1#ITEM#2", "1#ITEM#2", NULL},
	{"ORDER#${n}", "ORDER#1#ITEM#2", "-", NULL},
	{"ORDER#${id:A|B}", "ORDER#1#ITEM#2", "-", NULL},
	{"ORDER#${id:any}#ITEM#${n:padded(5)}", "ORDER#1#2#ITEM#00001",
	"1#2|00001", NULL},
	{"ORDER#${id:any}#ITEM#${n:padded(5)}", "ORDER##ITEM#00001", "-", NULL},
	{"ORDER#${id:any}#ITEM#${n:padded(5)}", "ORDER#1#ITEM#", "-", NULL},
	{"ORDER#${id:any}#ITEM#${n}", "ORDER#1#ITEM#2#3", "-", NULL},
	{"ORDER#${id:any}#ITEM#${b}", "ORDER#1#ITEM#2#3", "?", NULL},
	{"${id:any}.${part:0..199}", "a@x.com.17", "a@x.com|17", NULL},
	{"${a:any}#${b}-${c}#", "1#2-3#", "1|2|3", NULL},

	/* times end where their characters end */
	{"O#${t:time}", "O#10:00Z", "10:00Z", NULL},
	{"O#${t:time}", "O#10:00Z#1", "-", NULL},
	{"O#${t:time}", "O#10:00:00Z", "10:00:00Z", NULL},
	{"O:${t:time}", "O:10:00Z", "10:00Z", NULL},
	{"O:${t:time}", "O:10:00Z#1", "-", NULL},
	{"O:${t:time}", "O:10:00:00Z", "10:00:00Z", NULL},
	{"O:${t:time}", "O:10:00:00Z#1", "!", NULL},
	{"O:${t:time}", "O:META", "-", NULL},
	{"${t:time}:${n}", "10:00Z:5", "10:00Z|5", NULL},
	{"${t:time}:${n}", "10:00:00Z:5", "-", NULL},
	{"${t:time}:${n}", "10:00.0Z:5", "!", NULL},
	{"${t:time}:${n}", "10:00", "!", NULL},
	{"${t:time}:${n}", "META:5", "-", NULL},
	{"${t:time}${a}", "10:00Zx", "10:00Z|x", NULL},
	{"${t:time}${a}", "10:00x", "!", NULL},
	{"${a:any}${t:time}", "x10:00Z", "x|10:00Z", NULL},
	{"${a:any}${t:time}", "x:00Z", "!", NULL},
	{"${a}#${t:time}:${b}", "1#2#10:00Z:3", "?", NULL},

	/* the last part */
	{"USER_${id}", "USER_a_b", "a_b", NULL},
	{"USER_${id}", "USER_a#b", "a#b", NULL},
	{"v${n}", "v10", "10", NULL},
	{"$task_1#project_${p}", "$task_1#project_a-b_c", "a-b_c", NULL},
	{"$task_1#project_${p}", "$task_1#project_a#b", "?", NULL},
	{"$task_1#project_${p:plain}", "$task_1#project_a#b", "-", NULL},
	{"item-${p}", "item-a-b", "a-b", NULL},
	{"item-${n}", "item--5", "-", NULL},
	{"item_${n}", "item_-5", "-5", NULL},
	{"\303\244${p}", "\303\244a", "a", NULL},
	{"\303\244${p:plain}", "\303\244a\303\244", "-", NULL},
	{"\303\244${p:plain}", "\303\244a\303\245", "a\303\245", NULL},
	{"${a}\342\202\254x${b}", "1\342\202\254x2", "1|2", NULL},
	{"${a}\342\202\254x${b}", "\342\202\2542\342\202\254x2", "?", NULL},

	/* fixed width */
	{"${d:date}-${n}", "2020-01-02-7", "2020-01-02|7", NULL},
	{"${d:date}#${n}", "2020-01#7", "2020-01|7", NULL},
	{"${y:padded(4)}${m:padded(2)}", "202012", "2020|12", NULL},
	{"${k:padded(4)}${m:padded(2)}", "202012", "2020|12", NULL},
	{"${k:padded(4)}${m:padded(2)}", "2020123", "2020|123", NULL},
	{"${k:padded(4)}${m:padded(2)}", "2020", "-", NULL},
	{"${k:padded(4)}${m:padded(2)}", "202", "-", NULL},
	{"${k:padded(4)}${m:padded(2)}#", "202012#", "2020|12", NULL},
	{"${k:padded(4)}${m:padded(2)}#", "2020123#", "-", NULL},
	{"${k:fixed(2)}${a}", "\303\244\303\244b", "\303\244\303\244|b", NULL},
	{"X-${d:date}", "X-2020-01-02", "2020-01-02", NULL},
	{"X#${d:date}", "X#2020-01#2", "-", NULL},
	{"X#${d:date}", "X#2020", "2020", NULL},
	{"${a:any}${d:date}", "x2020-01-02", "x|2020-01-02", NULL},
	{"${a:any}${d:date}", "2020-01-02", "-", NULL},
	{"${a:any}${d:date}", "\303\2442020-01-02", "\303\244|2020-01-02", NULL},
	{"${a:any}-${d:date}", "x-y-2020-01-02", "x-y|2020-01-02", NULL},
	{"${d:date}${a:any}", "2020-01-02x", "2020-01-02|x", NULL},

	/* what is read from elsewhere */
	{"u#${x}#${b}", "u#a#b#c", "a#b|c", "a#b"},
	{"u#${x}#${b}", "u#a#b#c", "?", "a"},
	{"u#${x}#${b}", "u#a#c", "-", "b"},
	{"u#${x}", "u#a#b", "a#b", "a#b"},
	{"u#${x}", "u#a#b", "-", "a#c"},
	{"u#${x}", "u#a#b", "-", "a#"},
	{"u#${x}", "u#", "", ""},
	{"u#${x}", "u#a", "a", NULL},
	{"u#${x}", "u#a#b", "-", NULL},
	{"u#${x:lower}", "u#ab", "ab", "Ab"},
	{"u#${x:lower}", "u#Ab", "-", "Ab"},
	{"u#${x:upper}#${b}", "u#A#B#c", "A#B|c", "a#b"},
	{"u#${x:lower,any}#${b}", "u#a#b#c", "a#b|c", "A#b"},
	{"u#${x:lower,any}#${b}", "u#a#b#c", "?", "A"},
	{"u#${x:lower,any}#${b:plain}", "u#a#b#c", "-", "A"},
	{"u#${x:lower}", "u#\303\244", "-", "a"},
	{"u#${x:lower}", "u#\303\244", "\303\244", "\303\204"},
	{"u#${x:lower}#${b}", "u#\303\244#b#c", "\303\244#b|c", "\303\204#B"},
	{"u#${x:lower}x${b}", "u#\303\244xc", "\303\244|c", "\303\204"},
	{"u#${x:lower}#${b}", "u#\303\244#c", "-", "\303\204#B"},
	{"${a:any}#${x:lower}#${b}", "1#2#\303\244#3#b", "1#2|\303\244#3|b",
	"\303\204#3"},
	{"${a:any}#${x:lower,plain}", "", NULL, NULL},
	{"${a:any}#${x:lower}", "1#2#3", "1#2|3", NULL},
	{"u#${y:lower}-${b}", "u#ab-c", "ab|c", "AB"},
};

static void
texts_are_split(void)
{
	DynBuffer	out;
	size_t		i;

	dyn_buffer_init(&out, 0);
	for (i = 0; i < LENGTHOF(splits); i++)
	{
		const SplitCase *c = &splits[i];
		DynTemplateError error;
		DynTemplate *tmpl = make_template(c->tmpl, &error);
		DynText		given[DYN_TEMPLATE_MAX_PARTS];
		char		folded[100];
		int			k;

		if (c->split == NULL)
		{
			CHECK(tmpl == NULL);
			continue;
		}
		snprintf(folded, sizeof(folded), "%s", c->given ? c->given : "");
		for (k = 0; tmpl != NULL && k < tmpl->nparts; k++)
		{
			given[k] = text_of(c->given ? folded : NULL);
			if (tmpl->parts[k].facts.elsewhere)
				dyn_part_fold(&tmpl->parts[k], folded, strlen(folded));
		}
		if (!CHECK(tmpl != NULL))
			printf("#     %s: %s\n", c->tmpl, error.message);
		else if (!CHECK_EQ_STR(print_split(&out, tmpl, c->text, given), c->split))
			printf("#     %s: %s\n", c->tmpl, c->text);
		dyn_template_free(tmpl);
	}
	dyn_buffer_free(&out);
}

/* A text that never matches is still checked in linear time. */
static void
long_texts_are_split(void)
{
	static const char *const templates[] = {
		"${a}#x${n}#y${b}", "${a}#${b}#${n}z${c}#zz", "${a:any}#${b}-${n}#y",
		"${a}##${n}#${b}###", "${a}a${n}b${b}c", "${a}aa${n}ab${b:any}aa${c}b"
	};
	static char text[400001];
	size_t		i;

	memset(text, 'a', sizeof(text) - 1);
	for (i = 0; i < LENGTHOF(templates); i++)
	{
		DynTemplateError error;
		DynTemplate *tmpl = make_template(templates[i], &error);
		DynText		values[DYN_TEMPLATE_MAX_PARTS];

		if (!CHECK(tmpl != NULL))
			continue;
		memset(text, i % 2 == 0 ? '#' : 'a', 200000);
		CHECK(dyn_template_split(tmpl, text, sizeof(text) - 1, NULL, values) !=
			  DYN_SPLIT_MATCHES);
		dyn_template_free(tmpl);
	}
}

/* So are one that repeats the beginning of a given value, and one of many characters of times. */
static void
long_repetitions_are_split(void)
{
	static const char *const templates[] = {"${a}#${x:any}", "${a}#${x:upper,any}", "${a}-${x}", "${a}:${t:time}#"};
	static const char fills[] = "AA-:";
	static char text[400001];
	static char given[200001];
	size_t		i;

	for (i = 0; i < LENGTHOF(templates); i++)
	{
		DynTemplateError error;
		DynTemplate *tmpl = make_template(templates[i], &error);
		DynText		values[DYN_TEMPLATE_MAX_PARTS];
		const DynText givens[] = {{NULL, 0}, {given, sizeof(given) - 1}};

		if (!CHECK(tmpl != NULL))
			continue;
		memset(text, fills[i], sizeof(text) - 1);
		memset(given, text[0], sizeof(given) - 1);
		given[sizeof(given) - 2] = 'B';
		memcpy(text, "x#", 2);
		CHECK(dyn_template_split(tmpl, text, sizeof(text) - 1, givens, values) !=
			  DYN_SPLIT_MATCHES);
		dyn_template_free(tmpl);
	}
}

/* ---- join ---- */

static const struct
{
	const char *tmpl;
	const char *value;			/* of the last part */
	DynHolds	holds;
}			held[] = {
	{"user#${email}", "", DYN_HOLDS_NEVER},
	{"user#${email}", "a@x", DYN_HOLDS_YES},
	{"user#${email}", "a#x", DYN_HOLDS_UNDECIDED},
	{"user#${email:plain}", "a#x", DYN_HOLDS_NEVER},
	{"user#${email:any}", "a#x", DYN_HOLDS_YES},
	{"user#${email:any}", "", DYN_HOLDS_NEVER},
	{"user#${email:a|b}", "c", DYN_HOLDS_YES},
	{"user#${email:a|b}", "c#", DYN_HOLDS_NEVER},
	{"item-${n}", "-5", DYN_HOLDS_NEVER},
	{"item#${n}", "-5", DYN_HOLDS_YES},
	{"item-${d:date}", "2020-01-02", DYN_HOLDS_YES},
	{"${d:date}-", "2020-01-02", DYN_HOLDS_YES},
	{"${d:date}-", "2020-01", DYN_HOLDS_NEVER},
	{"#${x}", "", DYN_HOLDS_YES},
	{"#${x}", "a#", DYN_HOLDS_YES},
	{"#${x:lower}", "A#", DYN_HOLDS_YES},
	{"#${x:lower}", "\303\204", DYN_HOLDS_UNKNOWN},
	{"#${x}", "\303\204", DYN_HOLDS_YES},
};

static void
values_are_judged(void)
{
	size_t		i;

	for (i = 0; i < LENGTHOF(held); i++)
	{
		DynTemplateError error;
		DynTemplate *tmpl = make_template(held[i].tmpl, &error);

		if (CHECK(tmpl != NULL) &&
			!CHECK_EQ_INT(dyn_part_holds(&tmpl->parts[tmpl->nparts - 1],
										 text_of(held[i].value)), held[i].holds))
			printf("#     %s: %s\n", held[i].tmpl, held[i].value);
		dyn_template_free(tmpl);
	}
}

static void
values_are_folded_and_joined(void)
{
	DynTemplateError error;
	DynTemplate *tmpl = make_template("A#${x1:lower}B${x2:upper}C${b}", &error);
	DynText		values[] = {text_of("aZ\303\204"), text_of("aZ"), text_of("aZ")};
	DynBuffer	out;

	dyn_buffer_init(&out, 0);
	if (CHECK(tmpl != NULL))
	{
		CHECK(dyn_template_join(tmpl, values, &out));
		CHECK_EQ_STR(dyn_buffer_terminate(&out), "A#az\303\204BAZCaZ");
	}
	dyn_template_free(tmpl);
	dyn_buffer_free(&out);
}

/* ---- spans ---- */

static const char *
print_span(DynBuffer *out, const DynTextSpan *s)
{
	const DynSpan *span = &s->span;
	bool		point = dyn_span_is_point(span);
	bool		one = point || dyn_span_is_prefix(span);

	dyn_buffer_reset(out);
	if (s->empty)
		dyn_buffer_append_str(out, "nothing");
	else if (one)
		dyn_buffer_append_str(out, point ? "= " : "^ ");
	else if (span->lower.set)
		dyn_buffer_append_str(out, span->lower.inclusive ? ">= " : "> ");
	if (!s->empty && (one || span->lower.set))
		dyn_buffer_append(out, s->lower.data, s->lower.len);
	if (!s->empty && !one && span->upper.set)
	{
		dyn_buffer_append_str(out, span->upper.inclusive ? " <= " : " < ");
		dyn_buffer_append(out, s->upper.data, s->upper.len);
	}
	return dyn_buffer_terminate(out);
}

#define FREE		{{false}, {false}}
#define TEXT(t)		{DYN_TYPE_S, t, sizeof(t) - 1}
#define GE(t)		{{true, true, TEXT(t)}, {false}}
#define GT(t)		{{true, false, TEXT(t)}, {false}}
#define LE(t)		{{false}, {true, true, TEXT(t)}}
#define LT(t)		{{false}, {true, false, TEXT(t)}}
#define IN(a, b)	{{true, true, TEXT(a)}, {true, true, TEXT(b)}}
#define LIKE(t, s)	{{true, true, TEXT(t)}, {true, false, TEXT(s)}}

static const struct
{
	const char *tmpl;
	const char *points[3];
	DynSpan		next;
	const char *span;
}			bounded[] = {
	{"company#", {NULL}, FREE, "= company#"},
	{"company#${a}", {"acme"}, FREE, "= company#acme"},
	{"company#${a}", {NULL}, FREE, "^ company#"},
	{"company#${a}", {""}, FREE, "nothing"},
	{"company#${a}", {"a#b"}, FREE, "= company#a#b"},
	{"company#${a:plain}", {"a#b"}, FREE, "nothing"},
	{"company#${a:any}", {"a#b"}, FREE, "= company#a#b"},
	{"${a}#${b}", {NULL}, FREE, ""},
	{"${a}#${b}", {"x"}, FREE, "^ x#"},
	{"${a:any}#${b}", {"x"}, FREE, "^ x#"},
	{"${a:any}#${b}", {"x", "y"}, FREE, "= x#y"},
	{"project_${p}-${k}#${b}", {"552", "79"}, FREE, "^ project_552-79#"},
	{"${k:padded(4)}${m:padded(2)}#", {"2020"}, FREE, "^ 2020"},
	{"u#${x}#${b}", {"x"}, FREE, "^ u#x#"},
	{"u#${x:lower}#${b}", {"X"}, FREE, "^ u#x#"},
	{"u#${x:lower}#${b}", {"\303\204"}, FREE, "^ u#"},
	{"u#${x:lower}#${b}", {"\303\204", "b"}, FREE, "^ u#"},
	{"u#${x}#${b}", {"", "b"}, FREE, "= u##b"},

	{"a#${b}", {NULL}, GE("m"), ">= a#m < a$"},
	{"a#${b}", {NULL}, GT("m"), "> a#m < a$"},
	{"a#${b}", {NULL}, LE("m"), ">= a# <= a#m"},
	{"a#${b}", {NULL}, LT("m"), ">= a# < a#m"},
	{"a#${b}", {NULL}, IN("m", "n"), ">= a#m <= a#n"},
	{"a#${b}", {NULL}, IN("m", "m"), "= a#m"},
	{"a#${b}", {NULL}, IN("n", "m"), "nothing"},
	{"a#${b}", {NULL}, LT(""), "nothing"},
	{"a#${b}", {NULL}, LIKE("m", "n"), "^ a#m"},
	{"a#${b}", {NULL}, LIKE("m#", "m$"), "^ a#m#"},
	{"a#${b:plain}", {NULL}, LIKE("m#", "m$"), "nothing"},
	{"${b}", {NULL}, GE("m"), ">= m"},
	{"${b}", {NULL}, LE("m"), " <= m"},

	/* a text that is not last: its lower bound only */
	{"a#${b}#${c}", {NULL}, GE("m"), ">= a#m < a$"},
	{"a#${b}#${c}", {NULL}, GT("m"), ">= a#m < a$"},
	{"a#${b}#${c}", {NULL}, LE("m"), "^ a#"},
	{"a#${b}#${c}", {NULL}, IN("m", "n"), ">= a#m < a$"},
	{"a#${b}#", {NULL}, IN("m", "n"), ">= a#m < a$"},
	{"a#${n}#${c}", {NULL}, GE("5"), "^ a#"},

	/* fixed width */
	{"${a}#${d:date}#${n}", {"x"}, GE("2020-01-02"), ">= x#2020-01-02 < x$"},
	{"${a}#${d:date}#${n}", {"x"}, GT("2020-01-02"), ">= x#2020-01-03 < x$"},
	{"${a}#${d:date}#${n}", {"x"}, LE("2020-01-02"), ">= x# < x#2020-01-03"},
	{"${a}#${d:date}#${n}", {"x"}, LT("2020-01-02"), ">= x# < x#2020-01-02"},
	{"${a}#${d:date}#${n}", {"x"}, LT("2020-01-02!"), ">= x# < x#2020-01-03"},
	{"${a}#${d:date}#${n}", {"x"}, LE("2020-01-02\303\244"), ">= x# < x#2020-01-03"},
	{"${a}#${d:date}", {"x"}, IN("2020-01-02", "2020-02-01"),
	">= x#2020-01-02 < x#2020-02-02"},

	/* folded: equality only */
	{"u#${x:lower}", {NULL}, GE("A"), "^ u#"},
	{"u#${x:lower}", {NULL}, LIKE("A", "B"), "^ u#"},

	/* no character is greater than the last one */
	{"a\364\217\277\277${b}", {NULL}, GE("m"), ">= a\364\217\277\277m < b"},
	{"\364\217\277\277${b}", {NULL}, GE("m"), ">= \364\217\277\277m"},
	{"a\355\237\277${b}", {NULL}, GE("m"),
	">= a\355\237\277m < a\356\200\200"},
	{"a\177${b}", {NULL}, GE("m"), ">= a\177m < a\302\200"},
};

static void
texts_have_spans(void)
{
	DynTextSpan span = {0};
	DynBuffer	out;
	size_t		i;

	dyn_buffer_init(&out, 0);
	for (i = 0; i < LENGTHOF(bounded); i++)
	{
		DynTemplateError error;
		DynTemplate *tmpl = make_template(bounded[i].tmpl, &error);
		DynText		points[3];
		int			n = 0;

		for (; n < 3 && bounded[i].points[n] != NULL; n++)
			points[n] = text_of(bounded[i].points[n]);
		if (CHECK(tmpl != NULL) &&
			CHECK(dyn_template_span(tmpl, points, n, &bounded[i].next, &span)) &&
			!CHECK_EQ_STR(print_span(&out, &span), bounded[i].span))
			printf("#     %s\n", bounded[i].tmpl);
		dyn_template_free(tmpl);
	}
	dyn_text_span_free(&span);
	dyn_buffer_free(&out);
}

static void
order_is_known(void)
{
	static const struct
	{
		const char *tmpl;
		int			part;
		bool		ordered;
	}			cases[] = {
		{"a#${b}", 0, true}, {"${a}#${b}", 0, false}, {"${a}#${b}", 1, true},
		{"a#${b}#", 0, false}, {"${d:date}#${b}", 0, true},
		{"#${x:lower}", 0, false}, {"#${x}", 0, true}, {"${a:any}", 0, true},
	};
	size_t		i;

	for (i = 0; i < LENGTHOF(cases); i++)
	{
		DynTemplateError error;
		DynTemplate *tmpl = make_template(cases[i].tmpl, &error);

		if (CHECK(tmpl != NULL))
			CHECK_EQ_INT(tmpl->parts[cases[i].part].ordered, cases[i].ordered);
		dyn_template_free(tmpl);
	}
}

int
main(void)
{
	RUN(templates_are_parsed);
	RUN(templates_are_refused);
	RUN(limits_are_cached);
	RUN(bare_templates_are_known);
	RUN(texts_are_split);
	RUN(long_texts_are_split);
	RUN(long_repetitions_are_split);
	RUN(values_are_judged);
	RUN(values_are_folded_and_joined);
	RUN(texts_have_spans);
	RUN(order_is_known);
	return DONE("template");
}
