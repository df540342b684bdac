/*
 * test_identities.c
 *		Which replies are known.
 */
#include "harness.h"

#include <stdbool.h>
#include <stdint.h>

#include "aws/identities.h"

static void
knows_the_latest(void)
{
	static DynIdentities identities;
	uint64_t	i;
	int			forgotten = 0;

	for (i = 1; i <= 5 * DYN_IDENTITIES; i++)
	{
		CHECK(dyn_identities_add(&identities, i));
		CHECK(!dyn_identities_add(&identities, i));
		if (i > DYN_IDENTITIES)
			CHECK(!dyn_identities_add(&identities, i - DYN_IDENTITIES + 1));
	}
	for (i = 1; i <= DYN_IDENTITIES; i++)
		forgotten += dyn_identities_add(&identities, i);
	CHECK_EQ_INT(forgotten, DYN_IDENTITIES);
}

/* All of them want the same slot, the last one. */
static void
knows_those_that_collide(void)
{
	static DynIdentities identities;
	uint64_t	slots = DYN_IDENTITIES * 2;
	uint64_t	i;

	for (i = 1; i <= DYN_IDENTITIES; i++)
		CHECK(dyn_identities_add(&identities, i * slots - 1));
	for (i = 1; i <= DYN_IDENTITIES; i++)
		CHECK(!dyn_identities_add(&identities, i * slots - 1));
}

static void
takes_what_has_none(void)
{
	static DynIdentities identities;

	CHECK(dyn_identities_add(&identities, 0));
	CHECK(dyn_identities_add(&identities, 0));
}

int
main(void)
{
	RUN(knows_the_latest);
	RUN(knows_those_that_collide);
	RUN(takes_what_has_none);
	return DONE("identities");
}
