/*
 * random_page.h
 *		Makes random responses, legal ones and spoiled ones, from a seed.
 *
 * The items of a page share a plan: names, types and order are usually the same
 * from item to item, as DynamoDB's are, with attributes missing, reordered,
 * added, of another type, or doubled.  Strings come plain, escaped in every
 * way JSON knows, and in several scripts; white space comes in some pages.
 * Included by the tests that need it; each has its own copy of the state.
 */
#ifndef DYN_TEST_RANDOM_PAGE_H
#define DYN_TEST_RANDOM_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX	(8 << 20)

typedef struct Text
{
	char	   *data;
	size_t		len;
} Text;

static uint64_t random_state;
static int	spaces;				/* percent of gaps that hold white space */
static int	escapes;			/* percent of characters that are escaped */

static uint64_t
random_word(void)
{
	uint64_t	z = (random_state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint32_t
below(uint32_t n)
{
	return (uint32_t) (random_word() % n);
}

static bool
percent(int p)
{
	return (int) below(100) < p;
}

static void
add(Text *t, const char *bytes, size_t len)
{
	if (t->len + len <= TEXT_MAX)
	{
		memcpy(t->data + t->len, bytes, len);
		t->len += len;
	}
}

static void
add_str(Text *t, const char *s)
{
	add(t, s, strlen(s));
}

static void
gap(Text *t)
{
	while (percent(spaces))
		add(t, &" \t\n\r"[below(4)], 1);
}

/* Structure: a byte with white space around it, perhaps. */
static void
mark(Text *t, const char *s)
{
	gap(t);
	add_str(t, s);
	gap(t);
}

static void
add_escape(Text *t)
{
	static const char *const list[] = {
		"\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t", "\\u0041",
		"\\u00e9", "\\u20AC", "\\ud83d\\ude00", "\\uDBFF\\uDFFF", "\\u0000",
		"\\ud800\\udc00", "\\uFFFF"
	};

	add_str(t, list[below(sizeof(list) / sizeof(*list))]);
}

static void
add_foreign(Text *t)
{
	static const char *const list[] = {
		"\xc3\xa9", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xe6\x9d\xb1",
		"\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80",
		"\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf", "\x7f"
	};

	add_str(t, list[below(sizeof(list) / sizeof(*list))]);
}

/* The inside of a string; lengths around the steps of the scanner. */
static void
add_chars(Text *t)
{
	int			n = percent(80) ? below(24) : below(120);
	int			foreign = percent(30) ? 40 : 0;

	while (n-- > 0)
	{
		char		c = (char) (0x20 + below(0x5f));

		if (percent(escapes))
			add_escape(t);
		else if (percent(foreign))
			add_foreign(t);
		else if (c != '"' && c != '\\')
			add(t, &c, 1);
	}
}

static void
add_string(Text *t)
{
	add_str(t, "\"");
	add_chars(t);
	add_str(t, "\"");
}

static void
add_number_text(Text *t)
{
	static const char *const odd[] = {
		"0", "-0", "0.5", "-12.75", "1e10", "-1.5E-7", "+3", ".5", "5.",
		"12345678901234567890123456789012345678",
		"0.00000000000000000000000000000000000001", "1E+125", "1E-130",
		"123456789012345", "1234567890123456", "12345678901234567",
		"1234567890.1234", "1234567890.12345", "1234567890.123456", "007"
	};
	char		text[40];

	if (percent(30))
	{
		add_str(t, odd[below(sizeof(odd) / sizeof(*odd))]);
		return;
	}
	if (percent(50))
		snprintf(text, sizeof(text), "%d", (int) random_word());
	else
		snprintf(text, sizeof(text), "%u.%u", below(100000), below(100));
	add_str(t, text);
}

static void
add_number_string(Text *t)
{
	add_str(t, "\"");
	add_number_text(t);
	add_str(t, "\"");
}

static void
add_base64(Text *t)
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	int			n = below(10);

	add_str(t, "\"");
	for (; n > 0; n--)
	{
		int			i;

		for (i = 0; i < 4; i++)
			add(t, &alphabet[below(64)], 1);
	}
	add_str(t, "\"");
}

/*
 * ----------
 * Names
 * ----------
 */

#define NAME_COUNT	20

/* Heads that match a lexicon word exactly are 21 bytes long. */
static const char *const name_pool[NAME_COUNT] = {
	"a", "b", "c", "id", "pk", "sk", "name", "tags", "info", "rating",
	"created_at", "a name of 21 bytes...", "a name of 22 bytes....",
	"a name that is far longer than any step of the scanner is",
	"a name that is far longer than any step of the scanner, too",
	"", "\xc3\xa9t\xc3\xa9", "\xe6\x9d\xb1\xe4\xba\xac", "x.y", "\x7f"
};

/* A name, some of its ASCII written as escapes now and then. */
static void
add_name(Text *t, const char *name)
{
	bool		escape = percent(escapes / 2);

	gap(t);
	add_str(t, "\"");
	for (; *name; name++)
	{
		char		text[8];

		if (escape && percent(30) && (unsigned char) *name < 0x80)
		{
			snprintf(text, sizeof(text), "\\u%04x", *name);
			add_str(t, text);
		}
		else
			add(t, name, 1);
	}
	add_str(t, "\"");
	mark(t, ":");
}

/*
 * ----------
 * Attribute values
 * ----------
 */

static void add_value(Text *t, int kind, int depth);

static void
add_set(Text *t, void (*element) (Text *))
{
	int			n = 1 + below(4);

	mark(t, "[");
	while (n-- > 0)
	{
		element(t);
		if (n > 0)
			mark(t, ",");
	}
	mark(t, "]");
}

static void
add_list(Text *t, int depth)
{
	int			n = below(4);

	mark(t, "[");
	while (n-- > 0)
	{
		add_value(t, below(10), depth + 1);
		if (n > 0)
			mark(t, ",");
	}
	mark(t, "]");
}

static int	doubling;			/* per mille of objects with a doubled name */

static void
add_map(Text *t, int depth)
{
	int			n = below(5);
	int			first = below(NAME_COUNT);
	int			i;

	mark(t, "{");
	for (i = 0; i < n; i++)
	{
		if (i > 0)
			mark(t, ",");
		/* i times 3 does not come round within 20 names */
		add_name(t, name_pool[(first + i * 3) % NAME_COUNT]);
		add_value(t, below(10), depth + 1);
	}
	if (n > 0 && (int) below(1000) < doubling)
	{
		mark(t, ",");
		add_name(t, name_pool[(first + below(n) * 3) % NAME_COUNT]);
		add_value(t, 0, depth + 1);
	}
	mark(t, "}");
}

static void
add_payload(Text *t, int kind, int depth)
{
	switch (kind)
	{
		case 0:
			add_string(t);
			break;
		case 1:
			add_number_string(t);
			break;
		case 2:
			add_base64(t);
			break;
		case 3:
			add_str(t, percent(50) ? "true" : "false");
			break;
		case 4:
			add_str(t, "true");
			break;
		case 5:
			add_set(t, add_string);
			break;
		case 6:
			add_set(t, add_number_string);
			break;
		case 7:
			add_set(t, add_base64);
			break;
		case 8:
			add_list(t, depth);
			break;
		default:
			add_map(t, depth);
			break;
	}
}

static void
add_value(Text *t, int kind, int depth)
{
	static const char *const tags[] = {
		"S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"
	};

	if (depth > 4 && kind >= 8)
		kind = 0;
	mark(t, "{");
	add_name(t, tags[kind]);
	add_payload(t, kind, depth);
	mark(t, "}");
}

/*
 * ----------
 * Items and responses
 * ----------
 */

typedef struct Plan
{
	int			n;
	const char *names[NAME_COUNT];
	int			kinds[NAME_COUNT];
	int			missing;		/* percent of attributes left out */
	int			moved;			/* percent of items in another order */
} Plan;

static void
swap_names(Plan *plan, int i, int j)
{
	const char *name = plan->names[i];
	int			kind = plan->kinds[i];

	plan->names[i] = plan->names[j];
	plan->kinds[i] = plan->kinds[j];
	plan->names[j] = name;
	plan->kinds[j] = kind;
}

static void
shuffle(Plan *plan)
{
	int			i;

	for (i = plan->n - 1; i > 0; i--)
		swap_names(plan, i, below(i + 1));
}

static Plan
make_plan(void)
{
	Plan		plan;
	int			i;

	plan.n = NAME_COUNT;
	for (i = 0; i < NAME_COUNT; i++)
	{
		plan.names[i] = name_pool[i];
		plan.kinds[i] = below(10);
	}
	shuffle(&plan);
	plan.n = below(NAME_COUNT + 1);
	plan.missing = percent(50) ? 0 : below(60);
	plan.moved = percent(50) ? 0 : below(40);
	return plan;
}

static void
add_member(Text *t, const char *name, int kind, int *count)
{
	if ((*count)++ > 0)
		mark(t, ",");
	add_name(t, name);
	add_value(t, kind, 0);
}

static void
add_item(Text *t, const Plan *shared)
{
	Plan		plan = *shared;
	int			count = 0;
	int			i;

	if (percent(plan.moved))
		shuffle(&plan);
	mark(t, "{");
	for (i = 0; i < plan.n; i++)
	{
		if (!percent(plan.missing))
			add_member(t, plan.names[i],
					   percent(5) ? (int) below(10) : plan.kinds[i], &count);
	}
	if (plan.n > 0 && (int) below(1000) < doubling)
	{
		add_member(t, plan.names[0], 0, &count);
		add_member(t, plan.names[0], 0, &count);
	}
	mark(t, "}");
}

static void
add_items(Text *t)
{
	Plan		plan = make_plan();
	int			n = below(8);

	mark(t, "[");
	while (n-- > 0)
	{
		add_item(t, &plan);
		if (n > 0)
			mark(t, ",");
	}
	mark(t, "]");
}

static void
add_tables(Text *t)
{
	int			n = below(3);
	int			i;

	mark(t, "{");
	for (i = 0; i < n; i++)
	{
		if (i > 0)
			mark(t, ",");
		add_name(t, i ? "table-1" : "table-0");
		add_items(t);
	}
	mark(t, "}");
}

static void
add_units(Text *t)
{
	static const char *const list[] = {
		"null", "{}", "[]", "{\"CapacityUnits\":0.5,\"TableName\":\"x\"}",
		"[{\"CapacityUnits\":1.5},{ \"Table\":{\"CapacityUnits\":9},"
		"\"CapacityUnits\" : 2E0 }]",
		"{\"TableName\":\"t\",\"Capacity\\u0055nits\":128.5}"
	};

	add_str(t, list[below(sizeof(list) / sizeof(*list))]);
}

static void
add_other(Text *t)
{
	static const char *const list[] = {
		"null", "{}", "[1,-0.5e+3,true,false,null,\"\\u00e9\"]",
		"{\"a\":{\"a\":[{\"a\":1}]},\"b\":[[]]}", "\"text\"", "17"
	};

	add_str(t, list[below(sizeof(list) / sizeof(*list))]);
}

static void
add_response_member(Text *t, int which)
{
	static const char *const names[] = {
		"Items", "Item", "Responses", "Count", "ScannedCount",
		"LastEvaluatedKey", "UnprocessedKeys", "ConsumedCapacity",
		"ItemCollectionMetrics"
	};
	Plan		plan;

	add_name(t, names[which]);
	if (percent(5))
	{
		add_str(t, "null");
		return;
	}
	switch (which)
	{
		case 0:
			add_items(t);
			break;
		case 2:
			add_tables(t);
			break;
		case 1:
		case 5:
			plan = make_plan();
			add_item(t, &plan);
			break;
		case 3:
		case 4:
			add_str(t, percent(50) ? "0" : "4711");
			break;
		case 6:
			add_str(t, percent(50) ? "{}" : "{\"t\":{\"Keys\":[]}}");
			break;
		case 7:
			add_units(t);
			break;
		default:
			add_other(t);
			break;
	}
}

/* A response with its members in any order, usually with Items. */
static void
make_response(Text *t)
{
	int			which = below(9);
	int			n = 1 + below(9);
	int			i;

	t->len = 0;
	spaces = percent(70) ? 0 : 30;
	escapes = percent(50) ? 0 : below(30);
	doubling = percent(85) ? 0 : 30;
	mark(t, "{");
	for (i = 0; i < n; i++)
	{
		if (i > 0)
			mark(t, ",");
		/* 4 and 9 have no common divisor: no member comes twice */
		add_response_member(t, (which + i * 4) % 9);
	}
	mark(t, "}");
}

/*
 * ----------
 * Spoiling
 * ----------
 */

static void
remove_bytes(Text *t, size_t at, size_t n)
{
	if (n > t->len - at)
		n = t->len - at;
	memmove(t->data + at, t->data + at + n, t->len - at - n);
	t->len -= n;
}

static void
repeat_bytes(Text *t, size_t at, size_t n)
{
	if (n > t->len - at)
		n = t->len - at;
	if (t->len + n > TEXT_MAX)
		return;
	memmove(t->data + at + n, t->data + at, t->len - at);
	t->len += n;
}

/* Changes the text in one place; it may remain legal. */
static void
spoil(Text *t)
{
	static const char sharp[] =
		"{}[]\":,\\ue0-.+tn \n\x01\x80\xc3\xed\xff\x00/";
	size_t		at;

	if (t->len == 0)
		return;
	at = below((uint32_t) t->len);
	switch (below(6))
	{
		case 0:
			t->len = at;
			break;
		case 1:
			t->data[at] ^= (char) (1 << below(8));
			break;
		case 2:
			remove_bytes(t, at, 1 + below(8));
			break;
		case 3:
			repeat_bytes(t, at, 1 + below(30));
			break;
		default:
			t->data[at] = sharp[below(sizeof(sharp) - 1)];
			break;
	}
}

#endif
