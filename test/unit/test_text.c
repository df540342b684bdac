/*
 * test_text.c
 *		UTF-8, JSON strings, base64, hashing.
 */
#include "harness.h"

#include "base/text.h"

#include <jansson.h>
#include <stdlib.h>

#define LENGTHOF(array) (sizeof(array) / sizeof((array)[0]))

/* Bytes written as a literal, embedded NULs included. */
#define BYTES(literal) literal, sizeof(literal) - 1

static void
utf8_is_judged(void)
{
	static const struct
	{
		const char *bytes;
		size_t		len;
		bool		valid;
	}			rows[] = {
		{BYTES(""), true},
		{BYTES("plain ascii that is longer than eight bytes"), true},
		{BYTES("\0nul"), true},
		{BYTES("\x7f"), true},
		{BYTES("\xc2\x80"), true},
		{BYTES("\xdf\xbf"), true},
		{BYTES("\xe0\xa0\x80"), true},
		{BYTES("\xed\x9f\xbf"), true},
		{BYTES("\xee\x80\x80"), true},
		{BYTES("\xef\xbf\xbf"), true},
		{BYTES("\xf0\x90\x80\x80"), true},
		{BYTES("\xf4\x8f\xbf\xbf"), true},
		{BYTES("caf\xc3\xa9 \xf0\x9f\x98\x80 abcdefgh"), true},
		{BYTES("\x80"), false},
		{BYTES("\xbf"), false},
		{BYTES("\xc0\x80"), false},
		{BYTES("\xc1\xbf"), false},
		{BYTES("\xc2"), false},
		{BYTES("\xc2\x41"), false},
		{BYTES("\xc2\xc2"), false},
		{BYTES("\xe0\x9f\xbf"), false},
		{BYTES("\xe0\xa0"), false},
		{BYTES("\xe1\x80\x41"), false},
		{BYTES("\xed\xa0\x80"), false},
		{BYTES("\xed\xbf\xbf"), false},
		{BYTES("\xf0\x8f\xbf\xbf"), false},
		{BYTES("\xf1\x80\x80"), false},
		{BYTES("\xf1\x80\x80\xc0"), false},
		{BYTES("\xf4\x90\x80\x80"), false},
		{BYTES("\xf5\x80\x80\x80"), false},
		{BYTES("\xfe"), false},
		{BYTES("\xff"), false},
		{BYTES("abcdefgh\xff"), false},
		{BYTES("abcdefghijklmno\xc3"), false},
	};
	size_t		i;

	for (i = 0; i < LENGTHOF(rows); i++)
	{
		if (!CHECK(dyn_utf8_valid(rows[i].bytes, rows[i].len) ==
				   rows[i].valid))
			printf("#     row %d\n", (int) i);
	}
	CHECK(dyn_utf8_valid(NULL, 0));
}

/* A bad byte is found wherever it lies in a word. */
static void
utf8_is_judged_at_every_offset(void)
{
	char		text[40];
	size_t		i;

	for (i = 0; i < sizeof(text); i++)
	{
		memset(text, 'x', sizeof(text));
		CHECK(dyn_utf8_valid(text, sizeof(text)));
		text[i] = (char) 0x80;
		CHECK(!dyn_utf8_valid(text, sizeof(text)));
		CHECK(dyn_utf8_valid(text, i));
	}
}

static void
json_strings_are_escaped(void)
{
	static const struct
	{
		const char *bytes;
		size_t		len;
		const char *wanted;
	}			rows[] = {
		{BYTES(""), "\"\""},
		{BYTES("plain"), "\"plain\""},
		{BYTES("say \"hi\""), "\"say \\\"hi\\\"\""},
		{BYTES("\""), "\"\\\"\""},
		{BYTES("\\"), "\"\\\\\""},
		{BYTES("a/b"), "\"a/b\""},
		{BYTES("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\""},
		{BYTES("a\0b"), "\"a\\u0000b\""},
		{BYTES("\x01\x0b\x1f"), "\"\\u0001\\u000b\\u001f\""},
		{BYTES("\x7f"), "\"\x7f\""},
		{BYTES("\xc3\xa9\xf0\x9f\x98\x80"), "\"\xc3\xa9\xf0\x9f\x98\x80\""},
		{BYTES("end\n"), "\"end\\n\""},
	};
	DynBuffer	buf;
	size_t		i;

	dyn_buffer_init(&buf, 0);
	for (i = 0; i < LENGTHOF(rows); i++)
	{
		dyn_buffer_reset(&buf);
		CHECK(dyn_append_json_string(&buf, rows[i].bytes, rows[i].len));
		CHECK_EQ_STR(dyn_buffer_terminate(&buf), rows[i].wanted);
	}
	dyn_buffer_reset(&buf);
	CHECK(dyn_append_json_string(&buf, NULL, 0));
	CHECK_EQ_STR(dyn_buffer_terminate(&buf), "\"\"");
	dyn_buffer_free(&buf);
}

/* Every ASCII byte comes back from a parser that is not ours. */
static void
json_strings_are_read_back(void)
{
	char		text[2 * 128];
	DynBuffer	buf;
	json_t	   *root;
	size_t		i;

	for (i = 0; i < 128; i++)
	{
		text[2 * i] = (char) i;
		text[2 * i + 1] = 'x';
	}
	dyn_buffer_init(&buf, 0);
	CHECK(dyn_append_json_string(&buf, text, sizeof(text)));
	root = json_loadb(buf.data, buf.len, JSON_DECODE_ANY | JSON_ALLOW_NUL,
					  NULL);
	if (CHECK(root != NULL))
	{
		CHECK_EQ_INT(json_string_length(root), sizeof(text));
		CHECK(memcmp(json_string_value(root), text, sizeof(text)) == 0);
	}
	json_decref(root);
	dyn_buffer_free(&buf);
}

static void
failures_stay_in_the_buffer(void)
{
	DynBuffer	buf;

	dyn_buffer_init(&buf, 6);
	CHECK(dyn_append_json_string(&buf, "abcd", 4));
	CHECK(!dyn_append_json_string(&buf, "", 0));
	CHECK(!dyn_append_base64(&buf, "x", 1));
	CHECK(!dyn_append_base64(&buf, "", 0));
	dyn_buffer_reset(&buf);
	CHECK(!dyn_append_json_string(&buf, "a\"bc", 4));
	dyn_buffer_free(&buf);
}

static void
base64_is_padded(void)
{
	static const struct
	{
		const char *bytes;
		size_t		len;
		const char *wanted;
	}			rows[] = {
		/* the first seven stand in RFC 4648 */
		{BYTES(""), ""},
		{BYTES("f"), "Zg=="},
		{BYTES("fo"), "Zm8="},
		{BYTES("foo"), "Zm9v"},
		{BYTES("foob"), "Zm9vYg=="},
		{BYTES("fooba"), "Zm9vYmE="},
		{BYTES("foobar"), "Zm9vYmFy"},
		{BYTES("\0"), "AA=="},
		{BYTES("\0\0\0"), "AAAA"},
		{BYTES("\xff\xff\xff"), "////"},
		{BYTES("\xfb\xef\xbe"), "++++"},
		{BYTES("\xff"), "/w=="},
	};
	DynBuffer	buf;
	size_t		i;

	dyn_buffer_init(&buf, 0);
	for (i = 0; i < LENGTHOF(rows); i++)
	{
		dyn_buffer_reset(&buf);
		CHECK(dyn_append_base64(&buf, rows[i].bytes, rows[i].len));
		CHECK_EQ_STR(dyn_buffer_terminate(&buf), rows[i].wanted);
	}
	dyn_buffer_free(&buf);
}

static int
compare_hashes(const void *a, const void *b)
{
	uint64_t	x = *(const uint64_t *) a;
	uint64_t	y = *(const uint64_t *) b;

	return (x > y) - (x < y);
}

/* Short counters and runs of one byte: what bad hashes stumble over. */
static void
hashes_differ(void)
{
	enum
	{
		COUNT = 20000
	};
	uint64_t   *hashes = malloc(COUNT * sizeof(uint64_t));
	char		zeros[512] = {0};
	int			same = 0;
	int			i;

	for (i = 0; i < COUNT; i++)
	{
		char		text[32];
		int			len = snprintf(text, sizeof(text), "key-%d", i);

		hashes[i] = i < 512 ? dyn_hash_bytes(zeros, (size_t) i)
			: dyn_hash_bytes(text, (size_t) len);
	}
	qsort(hashes, COUNT, sizeof(uint64_t), compare_hashes);
	for (i = 1; i < COUNT; i++)
		same += hashes[i] == hashes[i - 1];
	CHECK_EQ_INT(same, 0);
	free(hashes);
	CHECK(dyn_hash_bytes("abc", 3) == dyn_hash_bytes("abcd", 3));
	CHECK(dyn_hash_bytes(NULL, 0) == dyn_hash_bytes("", 0));
}

/* Low bits index tables: they must be spread as well as the high ones. */
static void
hash_bits_are_spread(void)
{
	int			low[64] = {0};
	int			high[64] = {0};
	int			i;

	for (i = 0; i < 64000; i++)
	{
		uint64_t	word = (uint64_t) i << 20;
		uint64_t	h = dyn_hash_bytes(&word, sizeof(word));

		low[h & 63]++;
		high[h >> 58]++;
	}
	for (i = 0; i < 64; i++)
	{
		CHECK(low[i] > 800 && low[i] < 1200);
		CHECK(high[i] > 800 && high[i] < 1200);
	}
}

int
main(void)
{
	RUN(utf8_is_judged);
	RUN(utf8_is_judged_at_every_offset);
	RUN(json_strings_are_escaped);
	RUN(json_strings_are_read_back);
	RUN(failures_stay_in_the_buffer);
	RUN(base64_is_padded);
	RUN(hashes_differ);
	RUN(hash_bits_are_spread);
	return DONE("text");
}
