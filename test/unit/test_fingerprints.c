/*
 * test_fingerprints.c
 *		Which replies are known.
 */
#include "harness.h"

#include <stdbool.h>
#include <stdint.h>

#include "aws/sockets.h"

/* A reply with an id of its own, on a connection that had others. */
static bool
add(DynFingerprints *fingerprints, uint64_t id)
{
	return dyn_fingerprints_add(fingerprints, id, id, false);
}

static void
knows_the_latest(void)
{
	static DynFingerprints fingerprints;
	uint64_t	i;
	int			forgotten = 0;

	for (i = 1; i <= 5 * DYN_FINGERPRINTS; i++)
	{
		CHECK(add(&fingerprints, i));
		CHECK(!add(&fingerprints, i));
		if (i > DYN_FINGERPRINTS)
			CHECK(!add(&fingerprints, i - DYN_FINGERPRINTS + 1));
	}
	for (i = 1; i <= DYN_FINGERPRINTS; i++)
		forgotten += add(&fingerprints, i);
	CHECK_EQ_INT(forgotten, DYN_FINGERPRINTS);
}

/* The same id with another body is another reply. */
static void
distinguishes_bodies(void)
{
	static DynFingerprints fingerprints;

	CHECK(dyn_fingerprints_add(&fingerprints, 7, 70, true));
	CHECK(dyn_fingerprints_add(&fingerprints, 7, 71, false));
	CHECK(!dyn_fingerprints_add(&fingerprints, 7, 71, false));
	CHECK(!dyn_fingerprints_add(&fingerprints, 7, 70, false));
}

/* Known, and the first of a connection: that id, and no other. */
static void
ignores_an_id_without_contents(void)
{
	static DynFingerprints fingerprints;

	CHECK(dyn_fingerprints_add(&fingerprints, 7, 70, false));
	CHECK(dyn_fingerprints_add(&fingerprints, 8, 80, true));
	CHECK(dyn_fingerprints_add(&fingerprints, 7, 72, true));
	CHECK(dyn_fingerprints_add(&fingerprints, 7, 72, false));
	CHECK(dyn_fingerprints_add(&fingerprints, 7, 72, false));
	CHECK(dyn_fingerprints_add(&fingerprints, 7, 70, false));
	CHECK(!dyn_fingerprints_add(&fingerprints, 8, 80, false));
}

int
main(void)
{
	RUN(knows_the_latest);
	RUN(distinguishes_bodies);
	RUN(ignores_an_id_without_contents);
	return DONE("identities");
}
