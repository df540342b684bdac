/*
 * tables.c
 *		dynamo_fdw_tables(server): the DynamoDB tables of a server.
 *
 * Runs ListTables as the current user, who needs USAGE on the server; reads
 * all pages, and returns the names with the server's table_prefix, without it.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "listing.h"
#include "target.h"

PG_FUNCTION_INFO_V1(dynamo_fdw_tables);

static void
emit_name(void *arg, const char *name)
{
	ReturnSetInfo *rsinfo = arg;
	Datum		value = CStringGetTextDatum(name);
	bool		isnull = false;

	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, &value, &isnull);
}

Datum
dynamo_fdw_tables(PG_FUNCTION_ARGS)
{
	ForeignServer *server = dyn_target_server(NameStr(*PG_GETARG_NAME(0)));
	DynConnection *connection;

	connection = dyn_session_connection(server->serverid, GetUserId());
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	dyn_list_tables(connection, emit_name, fcinfo->resultinfo);
	return (Datum) 0;
}
