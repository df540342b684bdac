/*
 * test_role.c
 *		Which values AWS accepts for a role and a region.
 */
#include "harness.h"

#include <string.h>

#include "credentials/source.h"

#define ROLE	"arn:aws:iam::123456789012:role/"

/* Runs of one letter; the name of each is its length. */
static char x40[41];
static char x64[65];

/* Texts that are valid, then NULL, then others, then NULL. */
static void
judge(bool (*is_valid) (const char *), const char *const *texts)
{
	bool		expected;

	for (expected = true;; expected = false, texts++)
	{
		for (; *texts; texts++)
			if (!CHECK(is_valid(*texts) == expected))
				printf("#     \"%s\"\n", *texts);
		if (!expected)
			break;
	}
}

static void
knows_arns(void)
{
	static const char *const texts[] = {
		ROLE "r", "arn:aws-cn:iam::123456789012:role/a/b!c/r+=,.@-_",
		"arn:aws-us-gov:iam::000000000000:role/r", NULL,
		"", "r", ROLE, ROLE "a/", ROLE "a b", ROLE "a b/r", ROLE "r\n",
		ROLE "\xc3\xa9/r", "arn:aws:iam::1:role/r",
		"arn:aws:iam::1234567890123:role/r", "arn:aws:iam::123456789012:user/r",
		"arn:aws:sts::123456789012:role/r", "arn:gcp:iam::123456789012:role/r",
		"arn:aws:iam:eu-west-1:123456789012:role/r", NULL
	};
	char		text[2100];

	judge(dyn_role_is_arn, texts);
	sprintf(text, ROLE "%s", x64);
	CHECK(dyn_role_is_arn(text));
	strcat(text, "x");
	CHECK(!dyn_role_is_arn(text));
	sprintf(text, ROLE "%02015d/x", 0);
	CHECK_EQ_INT(strlen(text), 2048);
	CHECK(dyn_role_is_arn(text));
	strcat(text, "x");
	CHECK(!dyn_role_is_arn(text));
}

static void
knows_names_and_ids(void)
{
	const char *const names[] = {"ab", "a=b,c.d@e-f_g+h", x64, NULL, "", "a",
	"a b", "a:b", "a/b", "\xc3\xa9x", NULL};
	const char *const ids[] = {"ab", "a:b/c=d,e.f@g-h_i+j", NULL, "", "a",
	"a b", "a&b", "\xc3\xa9x", NULL};
	char		longest[1226];

	judge(dyn_role_is_session_name, names);
	judge(dyn_role_is_external_id, ids);
	memset(longest, 'x', 1225);
	longest[1225] = '\0';
	CHECK(!dyn_role_is_external_id(longest));
	CHECK(dyn_role_is_external_id(longest + 1));
	CHECK(!dyn_role_is_session_name(longest + 1225 - 65));
}

static void
knows_regions(void)
{
	const char *const regions[] = {"eu-west-1", "local", "us-iso-east-1", x40,
	x64 + 1, NULL, "", "-eu", "EU", "eu_west", "eu.west", "eu/", "e u", x64,
	NULL};

	judge(dyn_role_is_region, regions);
}

static void
reads_durations(void)
{
	static const char *const wrong[] = {
		"", "899", "43201", "99999999999999999999", "-900", "+900", "900s",
		"1e3", " 900"
	};
	int			seconds;
	size_t		i;

	CHECK(dyn_role_read_duration("900", &seconds) && seconds == 900);
	CHECK(dyn_role_read_duration("43200", &seconds) && seconds == 43200);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (!CHECK(!dyn_role_read_duration(wrong[i], &seconds)))
			printf("#     \"%s\"\n", wrong[i]);
}

int
main(void)
{
	memset(x40, 'x', 40);
	memset(x64, 'x', 64);
	RUN(knows_arns);
	RUN(knows_names_and_ids);
	RUN(knows_regions);
	RUN(reads_durations);
	return DONE("role");
}
