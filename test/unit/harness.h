/*
 * harness.h
 *		The smallest unit test harness that prints what it ran.
 *
 * A test file is a set of functions without arguments, each run by
 *
 *		int main(void)
 *		{
 *			RUN(appends_within_bound);
 *			return DONE("buffer");
 *		}
 *
 * One line is printed per function: "ok - name", "not ok - name" or
 * "skip - name: reason"; at the end "unit NAME: P passed, F failed, S skipped".
 * A failed check prints its place and what it saw, and the function goes on, so
 * that one run shows everything that is wrong.
 */
#ifndef DYN_TEST_HARNESS_H
#define DYN_TEST_HARNESS_H

#include <stdio.h>
#include <string.h>

static int	harness_passed;
static int	harness_failed;
static int	harness_skipped;
static int	harness_bad_checks; /* in the running function */
static const char *harness_skip_reason;

static inline int
harness_check(int ok, const char *what, const char *file, int line)
{
	if (!ok)
	{
		harness_bad_checks++;
		printf("#   %s:%d: %s\n", file, line, what);
	}
	return ok;
}

static inline int
harness_equal_str(const char *seen, const char *wanted, const char *file,
				  int line)
{
	int			ok = seen && wanted && strcmp(seen, wanted) == 0;

	harness_check(ok, "strings differ", file, line);
	if (!ok)
		printf("#     seen:   %s\n#     wanted: %s\n",
			   seen ? seen : "(null)", wanted ? wanted : "(null)");
	return ok;
}

static inline int
harness_equal_int(long long seen, long long wanted, const char *file, int line)
{
	harness_check(seen == wanted, "numbers differ", file, line);
	if (seen != wanted)
		printf("#     seen: %lld, wanted: %lld\n", seen, wanted);
	return seen == wanted;
}

static inline void
harness_run(const char *name, void (*test) (void))
{
	harness_bad_checks = 0;
	harness_skip_reason = NULL;
	test();
	if (harness_bad_checks > 0)
	{
		harness_failed++;
		printf("not ok - %s\n", name);
	}
	else if (harness_skip_reason)
	{
		harness_skipped++;
		printf("skip - %s: %s\n", name, harness_skip_reason);
	}
	else
	{
		harness_passed++;
		printf("ok - %s\n", name);
	}
	fflush(stdout);
}

static inline void
harness_skip(const char *reason)
{
	harness_skip_reason = reason;
}

static inline int
harness_done(const char *unit)
{
	printf("unit %s: %d passed, %d failed, %d skipped\n", unit,
		   harness_passed, harness_failed, harness_skipped);
	if (harness_passed + harness_failed + harness_skipped == 0)
	{
		printf("not ok - %s ran no test\n", unit);
		return 1;
	}
	return harness_failed > 0 ? 1 : 0;
}

/* Checks have the value of what they check, so that a test can stop early. */
#define CHECK(cond) harness_check((cond) ? 1 : 0, #cond, __FILE__, __LINE__)
#define CHECK_EQ_STR(seen, wanted) \
	harness_equal_str((seen), (wanted), __FILE__, __LINE__)
#define CHECK_EQ_INT(seen, wanted) \
	harness_equal_int((long long) (seen), (long long) (wanted), \
					  __FILE__, __LINE__)

/* Leaves the running function; it counts as skipped. */
#define SKIP(reason) do { harness_skip(reason); return; } while (0)

#define RUN(function) harness_run(#function, function)
#define DONE(unit) harness_done(unit)

#endif
