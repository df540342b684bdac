/*
 * test_fingerprints.c
 *		Which replies are known.
 */
#include "harness.h"

#include <stdbool.h>
#include <stdint.h>

#include "aws/fingerprints.h"

/* A reply with an id of its own, on a connection that had others. */
static bool
add(DynFingerprints *fingerprints, uint64_t id)
{
	DynFingerprint fingerprint = {id, id, false};

	return dyn_fingerprints_add(fingerprints, &fingerprint);
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

static void
takes_what_has_none(void)
{
	static DynFingerprints fingerprints;

	CHECK(add(&fingerprints, 0));
	CHECK(add(&fingerprints, 0));
}

/* The same id with another body is another reply. */
static void
distinguishes_bodies(void)
{
	static DynFingerprints fingerprints;
	DynFingerprint first = {7, 70, true};
	DynFingerprint other = {7, 71, false};
	DynFingerprint again = {7, 70, false};

	CHECK(dyn_fingerprints_add(&fingerprints, &first));
	CHECK(dyn_fingerprints_add(&fingerprints, &other));
	CHECK(!dyn_fingerprints_add(&fingerprints, &other));
	CHECK(!dyn_fingerprints_add(&fingerprints, &again));
}

/* Known, and the first of a connection: that id, and no other. */
static void
ignores_an_id_without_contents(void)
{
	static DynFingerprints fingerprints;
	DynFingerprint first = {7, 70, false};
	DynFingerprint elsewhere = {7, 72, true};
	DynFingerprint again = {7, 72, false};
	DynFingerprint other = {8, 80, true};
	DynFingerprint other_again = {8, 80, false};

	CHECK(dyn_fingerprints_add(&fingerprints, &first));
	CHECK(dyn_fingerprints_add(&fingerprints, &other));
	CHECK(dyn_fingerprints_add(&fingerprints, &elsewhere));
	CHECK(dyn_fingerprints_add(&fingerprints, &again));
	CHECK(dyn_fingerprints_add(&fingerprints, &again));
	CHECK(dyn_fingerprints_add(&fingerprints, &first));
	CHECK(!dyn_fingerprints_add(&fingerprints, &other_again));
}

int
main(void)
{
	RUN(knows_the_latest);
	RUN(takes_what_has_none);
	RUN(distinguishes_bodies);
	RUN(ignores_an_id_without_contents);
	return DONE("identities");
}
