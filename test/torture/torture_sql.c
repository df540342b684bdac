/*
 * torture_sql.c
 *		The allocator that fails, controlled by SQL.
 *
 * Linked into a build of the extension for test/t/test_torture.py only.  What
 * PostgreSQL allocates is not concerned.
 */
#include "postgres.h"

#include <jansson.h>

#include "fmgr.h"

#include <curl/curl.h>

#include "aws/loop.h"
#include "torture.h"

PG_FUNCTION_INFO_V1(dyn_torture_arm);
PG_FUNCTION_INFO_V1(dyn_torture_disarm);
PG_FUNCTION_INFO_V1(dyn_torture_live);

/* torture_arm(nth bigint, onward boolean) */
Datum
dyn_torture_arm(PG_FUNCTION_ARGS)
{
	json_set_alloc_funcs(torture_malloc, torture_free);
	torture_arm((long) PG_GETARG_INT64(0), PG_GETARG_BOOL(1));
	PG_RETURN_VOID();
}

/* Did an allocation fail? */
Datum
dyn_torture_disarm(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(torture_disarm());
}

Datum
dyn_torture_live(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(torture_live());
}

/* libcurl does not survive all failures of its own allocations. */
bool
dyn_wiping_init_libcurl(void)
{
	return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}
