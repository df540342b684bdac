/*
 * tables.c
 *		dynamo_fdw_tables(server): the DynamoDB tables of a server.
 *
 * Runs ListTables as the current user, who needs USAGE on the server; reads
 * all pages, and returns the names with the server's table_prefix, without it.
 */
#include "postgres.h"

#include "catalog/pg_foreign_server.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"

#include "../model/pg_compat.h"
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

static void
check_wrapper(const ForeignServer *server)
{
	if (!dyn_server_is_ours(server))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("server \"%s\" is not a server of dynamo_fdw",
						server->servername)));
}

static void
check_usage(ForeignServer *server)
{
	AclResult	result = dyn_server_usage(server->serverid, GetUserId());

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_FOREIGN_SERVER, server->servername);
}

Datum
dynamo_fdw_tables(PG_FUNCTION_ARGS)
{
	ForeignServer *server = GetForeignServerByName(NameStr(*PG_GETARG_NAME(0)),
												   false);
	DynConnection *connection;

	check_wrapper(server);
	check_usage(server);
	connection = dyn_session_connection(server->serverid, GetUserId());
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	dyn_list_tables(connection, emit_name, fcinfo->resultinfo);
	return (Datum) 0;
}
