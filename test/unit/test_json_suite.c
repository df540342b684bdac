/*
 * test_json_suite.c
 *		The public JSON parsing suite (json_facts.h) against the page reader:
 *		what must be taken is, what must not be is not, and nothing crashes.
 */
#include "harness.h"

#include <stdlib.h>

#include "any_json.h"
#include "json_facts.h"

/* The bytes of a fact, and none after them: reading on would be noticed. */
static char *
make_bytes(const JsonFact *fact, size_t *len)
{
	size_t		tail_len = strlen(fact->tail);
	char	   *bytes;
	char	   *end;
	int			i;

	*len = fact->times * (fact->len + tail_len);
	bytes = malloc(*len > 0 ? *len : 1);
	if (bytes == NULL)
		return NULL;
	end = bytes;
	for (i = 0; i < fact->times; i++, end += fact->len)
		memcpy(end, fact->text, fact->len);
	for (i = 0; i < fact->times; i++, end += tail_len)
		memcpy(end, fact->tail, tail_len);
	return bytes;
}

static void
judge(const JsonFact *fact)
{
	char		what[300];
	DynPageError error = {0};
	size_t		len;
	char	   *bytes = make_bytes(fact, &len);
	bool		valid;

	if (!CHECK(bytes != NULL))
		return;
	valid = is_json(bytes, len, &error);
	snprintf(what, sizeof(what), "%d x \"%.100s\": %s", fact->times, fact->text,
			 valid ? "accepted" : error.reason);
	if (fact->verdict != EITHER)
		harness_check(valid == (fact->verdict == ACCEPT), what, __FILE__,
					  __LINE__);
	free(bytes);
}

static void
suite_is_judged_rightly(void)
{
	size_t		i;

	for (i = 0; i < JSON_FACTS; i++)
		judge(&json_facts[i]);
	CHECK_EQ_INT(i, 316);
}

int
main(void)
{
	RUN(suite_is_judged_rightly);
	return DONE("json_suite");
}
