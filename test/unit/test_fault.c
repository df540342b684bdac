/*
 * test_fault.c
 *		The texts of faults are printable, whatever went into them.
 */
#include "harness.h"

#include <stdbool.h>

#include "aws/fault.h"
#include "base/text.h"

static DynFault fault;

static void
keeps_what_is_text(void)
{
	CHECK(!dyn_fault_set(&fault, "file \"%s\" is empty", "caf\xc3\xa9"));
	CHECK_EQ_STR(fault.message, "file \"caf\xc3\xa9\" is empty");
	CHECK_EQ_STR(fault.hint, "");
	CHECK(!dyn_fault_hint(&fault, "Fill it."));
	CHECK_EQ_STR(fault.hint, "Fill it.");
}

static void
replaces_what_is_not(void)
{
	dyn_fault_set(&fault, "a%cb\x7f", '\n');
	CHECK_EQ_STR(fault.message, "a?b?");
	dyn_fault_set(&fault, "caf\xe9 and tea");
	CHECK_EQ_STR(fault.message, "caf? and tea");
}

/* Never within a character. */
static void
cuts_what_is_too_long(void)
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
		dyn_fault_set(&fault, "%s", text);
		CHECK(strlen(fault.message) >= sizeof(fault.message) - 4);
		CHECK(dyn_utf8_valid(fault.message, strlen(fault.message)));
		CHECK(strchr(fault.message, '?') == NULL);
		dyn_fault_hint(&fault, "%s", text);
		CHECK(dyn_utf8_valid(fault.hint, strlen(fault.hint)));
	}
}

static void
excerpts_are_ascii(void)
{
	dyn_fault_set(&fault, "x");
	dyn_fault_excerpt(&fault, "a\0\xff\n~", 5);
	CHECK_EQ_STR(fault.excerpt, "a???~");
	dyn_fault_set(&fault, "y");
	CHECK_EQ_STR(fault.excerpt, "");
	dyn_fault_memory(&fault);
	CHECK(fault.out_of_memory);
}

int
main(void)
{
	RUN(keeps_what_is_text);
	RUN(replaces_what_is_not);
	RUN(cuts_what_is_too_long);
	RUN(excerpts_are_ascii);
	return DONE("fault");
}
