/*
 * tables.c
 *		dynamo_fdw_tables(server): the DynamoDB tables that the server shows.
 *
 * ListTables as the current user, who needs USAGE on the server; all pages,
 * names with the server's table_prefix only, which is cut off.
 */
#include "postgres.h"

#include "catalog/pg_foreign_server.h"
#include "fmgr.h"
#include "foreign/foreign.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "../model/pg_compat.h"
#include "../model/session.h"

PG_FUNCTION_INFO_V1(dynamo_fdw_tables);

/*
 * Names are gathered in a buffer, NUL behind each: the callback that collects
 * them must not raise an error.
 */
static void
collect_name(void *arg, const char *name)
{
	dyn_buffer_append(arg, name, strlen(name) + 1);
}

/* One page: appends its names and returns where the next one starts, or NULL. */
static char *
list_page(DynConnection *connection, const char *start, DynBuffer *names)
{
	DynRequestContext context = {"ListTables", NULL, NULL,
	connection->server_name};
	DynCall    *call = dyn_call_create(dyn_session_client());
	char	   *last = NULL;
	char	   *copy;
	bool		ok;

	if (call == NULL)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	dyn_write_list_tables(dyn_call_body(call), start);
	dyn_session_run(call, &connection->service, &context);
	ok = dyn_read_list_tables(call->response.data, call->response.len,
							  collect_name, names, &last);
	dyn_call_destroy(call);
	if (!ok)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_UNABLE_TO_CREATE_REPLY),
				 errmsg("list of tables of server \"%s\" cannot be read",
						connection->server_name),
				 errhint("Check the server option endpoint.")));
	copy = last ? pstrdup(last) : NULL;
	free(last);
	return copy;
}

static void
emit_names(ReturnSetInfo *rsinfo, const DynBuffer *names, const char *prefix)
{
	for (size_t at = 0; at < names->len; at += strlen(names->data + at) + 1)
	{
		const char *name = names->data + at;
		Datum		value;
		bool		isnull = false;

		if (strncmp(name, prefix, strlen(prefix)) != 0)
			continue;
		value = CStringGetTextDatum(name + strlen(prefix));
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, &value, &isnull);
	}
}

/* Another wrapper's servers may have options of the same names. */
static void
check_wrapper(ForeignServer *server)
{
	ForeignDataWrapper *wrapper = GetForeignDataWrapper(server->fdwid);
	char	   *handler = OidIsValid(wrapper->fdwhandler)
		? get_func_name(wrapper->fdwhandler) : NULL;

	if (handler == NULL || strcmp(handler, "dynamo_fdw_handler") != 0)
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

/* One page from listing to rows; returns where the next one starts, or NULL. */
static char *
emit_page(ReturnSetInfo *rsinfo, DynConnection *connection, const char *start)
{
	DynBuffer	names;
	char	   *volatile next = NULL;

	dyn_buffer_init(&names, 0);
	PG_TRY();
	{
		next = list_page(connection, start, &names);
		emit_names(rsinfo, &names, connection->table_prefix);
	}
	PG_FINALLY();
	{
		dyn_buffer_free(&names);
	}
	PG_END_TRY();
	return next;
}

Datum
dynamo_fdw_tables(PG_FUNCTION_ARGS)
{
	ForeignServer *server = GetForeignServerByName(NameStr(*PG_GETARG_NAME(0)), false);
	DynConnection *connection;
	char	   *start = NULL;

	check_wrapper(server);
	check_usage(server);
	connection = dyn_session_connection(server->serverid, GetUserId());
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	do
	{
		start = emit_page((ReturnSetInfo *) fcinfo->resultinfo, connection,
						  start);
	} while (start != NULL);
	return (Datum) 0;
}
