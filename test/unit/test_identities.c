/*
 * test_identities.c
 *		Which replies are known.
 */
#include "harness.h"

#include <stdbool.h>
#include <stdint.h>

#include "aws/identities.h"

/* Replies that are known at least: each makes two marks. */
#define LATEST	((uint64_t) DYN_IDENTITIES / 2)

/* A reply with an id of its own, on a connection that had others. */
static bool
add(DynIdentities *identities, uint64_t id)
{
	DynIdentity identity = {id, id, false};

	return dyn_identities_add(identities, &identity);
}

static void
knows_the_latest(void)
{
	static DynIdentities identities;
	uint64_t	i;
	int			forgotten = 0;

	for (i = 1; i <= 5 * DYN_IDENTITIES; i++)
	{
		CHECK(add(&identities, i));
		CHECK(!add(&identities, i));
		if (i > LATEST)
			CHECK(!add(&identities, i - LATEST + 1));
	}
	for (i = 1; i <= LATEST; i++)
		forgotten += add(&identities, i);
	CHECK_EQ_INT(forgotten, LATEST);
}

/* All of them want the same slot, the last one. */
static void
knows_those_that_collide(void)
{
	static DynIdentities identities;
	uint64_t	slots = DYN_IDENTITIES * 2;
	uint64_t	i;

	for (i = 1; i <= LATEST; i++)
		CHECK(add(&identities, i * slots - 1));
	for (i = 1; i <= LATEST; i++)
		CHECK(!add(&identities, i * slots - 1));
}

static void
takes_what_has_none(void)
{
	static DynIdentities identities;

	CHECK(add(&identities, 0));
	CHECK(add(&identities, 0));
}

/* The same id with another body is another reply. */
static void
tells_bodies_apart(void)
{
	static DynIdentities identities;
	DynIdentity first = {7, 70, true};
	DynIdentity other = {7, 71, false};
	DynIdentity again = {7, 70, false};

	CHECK(dyn_identities_add(&identities, &first));
	CHECK(dyn_identities_add(&identities, &other));
	CHECK(!dyn_identities_add(&identities, &other));
	CHECK(!dyn_identities_add(&identities, &again));
}

/* Known, and the first of a connection: that id, and no other. */
static void
ignores_an_id_that_says_nothing(void)
{
	static DynIdentities identities;
	DynIdentity first = {7, 70, false};
	DynIdentity elsewhere = {7, 72, true};
	DynIdentity again = {7, 72, false};
	DynIdentity other = {8, 80, true};
	DynIdentity other_again = {8, 80, false};

	CHECK(dyn_identities_add(&identities, &first));
	CHECK(dyn_identities_add(&identities, &other));
	CHECK(dyn_identities_add(&identities, &elsewhere));
	CHECK(dyn_identities_add(&identities, &again));
	CHECK(dyn_identities_add(&identities, &again));
	CHECK(!dyn_identities_add(&identities, &other_again));
}

int
main(void)
{
	RUN(knows_the_latest);
	RUN(knows_those_that_collide);
	RUN(takes_what_has_none);
	RUN(tells_bodies_apart);
	RUN(ignores_an_id_that_says_nothing);
	return DONE("identities");
}
