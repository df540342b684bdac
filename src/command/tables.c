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
#include "foreign/foreign.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "../model/pg_compat.h"
#include "../dynamodb/page_check.h"
#include "../model/session.h"

PG_FUNCTION_INFO_V1(dynamo_fdw_tables);

/*
 * Collects NUL-terminated names in a buffer, because the callback must not
 * raise an error.
 */
static void
collect_name(void *arg, const char *name)
{
	dyn_buffer_append(arg, name, strlen(name) + 1);
}

/* State of the listing; malloc'd, and freed by a reset callback. */
typedef struct Listing
{
	DynBuffer	names;			/* of the page */
	DynProgress progress;		/* its last name: where the next page starts */
} Listing;

static void
report_fault(const DynConnection *connection, const char *fault)
{
	if (fault == dyn_check_memory)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	ereport(ERROR,
			(errcode(ERRCODE_FDW_UNABLE_TO_CREATE_REPLY),
			 errmsg("could not read the list of tables of server \"%s\"",
					connection->server_name),
			 errdetail("The response %s.", fault),
			 errhint("Check the server option endpoint.")));
}

/* Requests one page; returns true if another one follows. */
static bool
list_page(DynConnection *connection, Listing *listing)
{
	DynRequestContext context = {"ListTables", NULL, NULL,
	connection->server_name};
	DynCall    *call = dyn_call_create(dyn_session_client());
	char	   *last = NULL;
	const char *fault;
	bool		more;

	if (call == NULL)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	dyn_write_list_tables(dyn_call_body(call),
						  dyn_buffer_terminate(&listing->progress.last));
	dyn_session_run(call, &connection->service, &context);
	dyn_buffer_reset(&listing->names);
	fault = dyn_read_list_tables(call->response.data, call->response.len,
								 collect_name, &listing->names, &last);
	if (fault == NULL && last != NULL)
		fault = dyn_progress_note(&listing->progress, last, strlen(last),
								  "repeats the LastEvaluatedTableName of an earlier page");
	if (fault == NULL && listing->names.failed)
		fault = dyn_check_memory;
	more = last != NULL;
	free(last);
	if (fault != NULL)
		dyn_call_distrust(call);
	dyn_call_destroy(call);
	if (fault != NULL)
		report_fault(connection, fault);
	return more;
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

/*
 * Rejects servers of other wrappers, which may have options of the same names.
 */
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

/* Runs when the function's context is deleted. */
static void
release_listing(void *arg)
{
	Listing    *listing = arg;

	dyn_buffer_free(&listing->names);
	dyn_progress_free(&listing->progress);
}

static Listing *
begin_listing(void)
{
	Listing    *listing = palloc0(sizeof(Listing));
	MemoryContextCallback *callback = palloc(sizeof(MemoryContextCallback));

	dyn_progress_begin(&listing->progress);
	callback->func = release_listing;
	callback->arg = listing;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
	return listing;
}

Datum
dynamo_fdw_tables(PG_FUNCTION_ARGS)
{
	ForeignServer *server = GetForeignServerByName(NameStr(*PG_GETARG_NAME(0)),
												   false);
	DynConnection *connection;
	Listing    *listing;
	bool		more;

	check_wrapper(server);
	check_usage(server);
	connection = dyn_session_connection(server->serverid, GetUserId());
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	listing = begin_listing();
	do
	{
		more = list_page(connection, listing);
		emit_names((ReturnSetInfo *) fcinfo->resultinfo, &listing->names,
				   connection->table_prefix);
	} while (more);
	return (Datum) 0;
}
