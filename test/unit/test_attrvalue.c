/*
 * test_attrvalue.c
 *		Escapes undone, base64 decoded, containers walked and listed.
 *
 * The slices here are written by hand; that those which come from a page walk
 * rightly, too, is shown by test_page_random.
 */
#include "harness.h"

#include "dynamodb/attrvalue.h"
#include "node_facts.h"

#include <openssl/evp.h>
#include <stdlib.h>

#define LENGTHOF(array) (sizeof(array) / sizeof((array)[0]))

/* Bytes written as a literal, embedded NULs included. */
#define BYTES(literal) literal, sizeof(literal) - 1

static DynValue
value_of(DynType type, const char *data, uint8_t flags)
{
	DynValue	value = {data, (uint32_t) strlen(data), (uint8_t) type, flags};

	return value;
}

static void
types_have_their_tags(void)
{
	CHECK_EQ_STR(dyn_type_name(DYN_TYPE_ABSENT), "absent");
	CHECK_EQ_STR(dyn_type_name(DYN_TYPE_S), "S");
	CHECK_EQ_STR(dyn_type_name(DYN_TYPE_BOOL), "BOOL");
	CHECK_EQ_STR(dyn_type_name(DYN_TYPE_BS), "BS");
	CHECK_EQ_STR(dyn_type_name(DYN_TYPE_M), "M");
}

static void
escapes_are_undone(void)
{
	static const struct
	{
		const char *json;
		const char *text;
		size_t		len;
	}			rows[] = {
		{"", BYTES("")},
		{"plain", BYTES("plain")},
		{"\\\"\\\\\\/\\b\\f\\n\\r\\t", BYTES("\"\\/\b\f\n\r\t")},
		{"\\u0041\\u00e9\\u20AC", BYTES("A\xc3\xa9\xe2\x82\xac")},
		{"\\u007f\\u0080\\u07ff\\u0800\\uFFFF",
		BYTES("\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf")},
		{"\\ud800\\udc00\\uDBFF\\uDFFF\\ud83d\\ude00",
		BYTES("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\xf0\x9f\x98\x80")},
		{"a\\u0000b", BYTES("a\0b")},
		{"sixteen bytes or\\n", BYTES("sixteen bytes or\n")},
		{"\\nsixteen bytes or", BYTES("\nsixteen bytes or")},
		{"fifteen bytes, \\\\ then more than sixteen",
		BYTES("fifteen bytes, \\ then more than sixteen")},
		{"\\\\u0041", BYTES("\\u0041")},
	};
	size_t		i;

	for (i = 0; i < LENGTHOF(rows); i++)
	{
		DynValue	v = value_of(DYN_TYPE_S, rows[i].json,
								 DYN_VALUE_ESCAPED);
		char	   *dst = malloc(v.len + 1);
		size_t		len;

		/* exactly the size that is required */
		dst = realloc(dst, v.len ? v.len : 1);
		len = dyn_value_text(&v, dst);
		harness_check(len == rows[i].len &&
					  memcmp(dst, rows[i].text, len) == 0, rows[i].json, __FILE__, __LINE__);
		free(dst);
	}
}

/* One escape at every place of a text of every length up to 70. */
static void
escapes_are_undone_at_every_place(void)
{
	int			len;
	int			at;

	for (len = 0; len <= 70; len++)
	{
		for (at = 0; at <= len; at++)
		{
			char		json[80];
			char		dst[80];
			DynValue	v = {json, (uint32_t) len + 2, DYN_TYPE_S,
			DYN_VALUE_ESCAPED};

			memset(json, 'x', sizeof(json));
			memcpy(json + at, "\\t", 2);
			memset(dst, '?', sizeof(dst));
			CHECK(dyn_value_text(&v, dst) == (size_t) len + 1);
			CHECK(dst[at] == '\t' && memchr(dst, '\\', len + 1) == NULL &&
				  memchr(dst, '?', len + 1) == NULL);
		}
	}
}

static void
unescaped_text_is_copied(void)
{
	DynValue	v = value_of(DYN_TYPE_S, "caf\xc3\xa9", 0);
	char		dst[6] = "12345";

	CHECK(dyn_value_text(&v, dst) == 5);
	CHECK_EQ_STR(dst, "caf\xc3\xa9");
}

static void
base64_decodes_what_openssl_encodes(void)
{
	unsigned char bytes[100];
	unsigned char text[200];
	size_t		len;
	size_t		i;

	for (len = 0; len <= sizeof(bytes); len++)
	{
		DynValue	v = {(char *) text, 0, DYN_TYPE_B, 0};
		unsigned char *dst;

		for (i = 0; i < len; i++)
			bytes[i] = (unsigned char) (i * 151 + len * 89);
		v.len = (uint32_t) EVP_EncodeBlock(text, bytes, (int) len);
		CHECK(dyn_value_bytes_max(&v) >= len);
		dst = malloc(dyn_value_bytes_max(&v));
		CHECK_EQ_INT(dyn_value_bytes(&v, dst), len);
		CHECK(memcmp(dst, bytes, len) == 0);
		free(dst);
	}
}

static void
base64_with_escapes_is_decoded(void)
{
	DynValue	v = value_of(DYN_TYPE_B, "\\/\\u002f\\/\\u002F",
							 DYN_VALUE_ESCAPED);
	unsigned char *dst = malloc(dyn_value_bytes_max(&v));

	CHECK_EQ_INT(dyn_value_bytes(&v, dst), 3);
	CHECK(memcmp(dst, "\xff\xff\xff", 3) == 0);
	free(dst);
}

static void
bad_base64_is_refused(void)
{
	static const char *const rows[] = {
		"A", "AA", "AAA", "AAAAA", "=", "====", "A===", "AA=A", "=AAA",
		"AA==AAAA", "AAA=AAAA", "AA A", "AA-A", "AA_A", "AAAA\n", "AAA\x80",
		"AAAAAAA*", "*AAAAAAA", "A==="
	};
	unsigned char dst[32];
	size_t		i;

	for (i = 0; i < LENGTHOF(rows); i++)
	{
		DynValue	v = value_of(DYN_TYPE_B, rows[i], 0);

		harness_check(dyn_value_bytes(&v, dst) == -1, rows[i], __FILE__,
					  __LINE__);
	}
}

/* Writes a value, and all values in it, as a line of text; returns its end. */
static char *
walk(char *p, const DynValue *v)
{
	const char *name = dyn_type_name(v->type);
	DynElements elements;

	if (v->type < DYN_TYPE_SS)
		return p + sprintf(p, "%s(%.*s)%s%s%s ", name, (int) v->len, v->data,
						   v->flags & DYN_VALUE_TRUE ? "t" : "",
						   v->flags & DYN_VALUE_ESCAPED ? "e" : "",
						   v->flags & DYN_VALUE_HAS_NUL ? "0" : "");
	p += sprintf(p, "+%s ", name);
	dyn_elements_begin(&elements, v);
	while (dyn_elements_next(&elements))
	{
		if (v->type == DYN_TYPE_M)
			p += sprintf(p, "%.*s: ", (int) elements.name.len, elements.name.data);
		p = walk(p, &elements.value);
	}
	CHECK(!dyn_elements_next(&elements));
	return p + sprintf(p, "-%s ", name);
}

static const char *
events_of(DynType type, const char *data, uint8_t flags)
{
	static char line[4096];
	DynValue	value = value_of(type, data, flags);

	walk(line, &value);
	CHECK(nodes_follow_walk(&value));
	return line;
}

static void
scalars_walk_as_themselves(void)
{
	CHECK_EQ_STR(events_of(DYN_TYPE_S, "text", 0), "S(text) ");
	CHECK_EQ_STR(events_of(DYN_TYPE_S, "", 0), "S() ");
	CHECK_EQ_STR(events_of(DYN_TYPE_BOOL, "", DYN_VALUE_TRUE), "BOOL()t ");
	CHECK_EQ_STR(events_of(DYN_TYPE_NULL, "", 0), "NULL() ");
	CHECK_EQ_STR(events_of(DYN_TYPE_S, "\\u0000", DYN_VALUE_ESCAPED |
						   DYN_VALUE_HAS_NUL), "S(\\u0000)e0 ");
}

static void
containers_walk_depth_first(void)
{
	CHECK_EQ_STR(events_of(DYN_TYPE_L, "[]", 0), "+L -L ");
	CHECK_EQ_STR(events_of(DYN_TYPE_M, "{}", 0), "+M -M ");
	CHECK_EQ_STR(events_of(DYN_TYPE_SS, "[\"a\",\"\"]", 0),
				 "+SS S(a) S() -SS ");
	CHECK_EQ_STR(events_of(DYN_TYPE_NS, "[\"1\",\"-2.5\"]", 0),
				 "+NS N(1) N(-2.5) -NS ");
	CHECK_EQ_STR(events_of(DYN_TYPE_BS, "[\"AA==\"]", 0),
				 "+BS B(AA==) -BS ");
	CHECK_EQ_STR(events_of(DYN_TYPE_M,
						   "{\"a\":{\"L\":[{\"NULL\":true},{\"M\":{}},"
						   "{\"L\":[]},{\"BOOL\":true},{\"BOOL\":false}]},"
						   "\"\":{\"SS\":[\"x\"]},\"c\":{\"B\":\"AAAA\"}}", 0),
				 "+M a: +L NULL() +M -M +L -L BOOL()t BOOL() -L "
				 ": +SS S(x) -SS c: B(AAAA) -M ");
}

static void
white_space_and_escapes_do_not_mislead_a_walk(void)
{
	CHECK_EQ_STR(events_of(DYN_TYPE_M,
						   "{ \"a\\\"}\" :\t{ \"\\u004d\" : { \"b\\\\\"\n:"
						   " { \"S\" : \"]}\\u0000,\" } } } ,"
						   "\"c\" : {\"SS\" : [ \"\\\\\" , \"\\\\u0000\" ]"
						   " } }", 0),
				 "+M a\\\"}: +M b\\\\: S(]}\\u0000,)e0 -M "
				 "c: +SS S(\\\\)e S(\\\\u0000)e -SS -M ");
}

static void
the_deepest_value_walks(void)
{
	char		data[DYN_MAX_DEPTH * 12 + 64] = "";
	char		wanted[DYN_MAX_DEPTH * 8 + 64] = "";
	int			i;

	for (i = 1; i < DYN_MAX_DEPTH; i++)
		strcat(data, "[{\"L\":");
	strcat(data, "[{\"SS\":[\"x\"]}]");
	for (i = 1; i < DYN_MAX_DEPTH; i++)
		strcat(data, "}]");
	for (i = 0; i < DYN_MAX_DEPTH; i++)
		strcat(wanted, "+L ");
	strcat(wanted, "+SS S(x) -SS ");
	for (i = 0; i < DYN_MAX_DEPTH; i++)
		strcat(wanted, "-L ");
	CHECK_EQ_STR(events_of(DYN_TYPE_L, data, 0), wanted);
}

int
main(void)
{
	RUN(types_have_their_tags);
	RUN(escapes_are_undone);
	RUN(escapes_are_undone_at_every_place);
	RUN(unescaped_text_is_copied);
	RUN(base64_decodes_what_openssl_encodes);
	RUN(base64_with_escapes_is_decoded);
	RUN(bad_base64_is_refused);
	RUN(scalars_walk_as_themselves);
	RUN(containers_walk_depth_first);
	RUN(white_space_and_escapes_do_not_mislead_a_walk);
	RUN(the_deepest_value_walks);
	return DONE("attrvalue");
}
