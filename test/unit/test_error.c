/*
 * test_error.c
 *		The texts of errors are printable, whatever went into them.
 */
#include "harness.h"

#include <stdbool.h>

#include "aws/error.h"
#include "base/text.h"

static DynError err;

static void
keeps_what_is_text(void)
{
	CHECK(!dyn_error_set(&err, "file \"%s\" is empty", "caf\xc3\xa9"));
	CHECK_EQ_STR(err.message, "file \"caf\xc3\xa9\" is empty");
	CHECK_EQ_STR(err.hint, "");
	CHECK(!dyn_error_hint(&err, "Fill it."));
	CHECK_EQ_STR(err.hint, "Fill it.");
}

static void
replaces_what_is_not(void)
{
	dyn_error_set(&err, "a%cb\x7f", '\n');
	CHECK_EQ_STR(err.message, "a?b?");
	dyn_error_set(&err, "caf\xe9 and tea");
	CHECK_EQ_STR(err.message, "caf? and tea");
}

/* Never within a character. */
static void
truncates_what_is_too_long(void)
{
	char		text[2048] = "";
	int			pad;
	int			i;

	for (pad = 0; pad < 4; pad++)
	{
		memset(text, 'x', (size_t) pad);
		text[pad] = '\0';
		for (i = 0; i < 500; i++)
			strcat(text, "\xe2\x82\xac");
		dyn_error_set(&err, "%s", text);
		CHECK(strlen(err.message) >= sizeof(err.message) - 4);
		CHECK(dyn_utf8_valid(err.message, strlen(err.message)));
		CHECK(strchr(err.message, '?') == NULL);
		dyn_error_hint(&err, "%s", text);
		CHECK(dyn_utf8_valid(err.hint, strlen(err.hint)));
	}
}

static void
messages_clear_excerpts(void)
{
	strcpy(err.excerpt, "x");
	dyn_error_set(&err, "y");
	CHECK_EQ_STR(err.excerpt, "");
	dyn_error_memory(&err);
	CHECK(err.out_of_memory);
}

int
main(void)
{
	RUN(keeps_what_is_text);
	RUN(replaces_what_is_not);
	RUN(truncates_what_is_too_long);
	RUN(messages_clear_excerpts);
	return DONE("fault");
}
