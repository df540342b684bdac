/*
 * disconnect.c
 *		dynamo_fdw_disconnect(server) and dynamo_fdw_disconnect_all().
 */
#include "postgres.h"

#include "fmgr.h"

#include "target.h"

PG_FUNCTION_INFO_V1(dynamo_fdw_disconnect);
PG_FUNCTION_INFO_V1(dynamo_fdw_disconnect_all);

Datum
dynamo_fdw_disconnect(PG_FUNCTION_ARGS)
{
	const char *name = NameStr(*PG_GETARG_NAME(0));

	PG_RETURN_BOOL(dyn_session_disconnect(dyn_target_find_server(name)->serverid));
}

Datum
dynamo_fdw_disconnect_all(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(dyn_session_disconnect(InvalidOid));
}
