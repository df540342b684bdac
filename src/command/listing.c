/*
 * listing.c
 *		Reads all pages of ListTables, for IMPORT FOREIGN SCHEMA and
 *		dynamo_fdw_tables().
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "../dynamodb/page_check.h"
#include "../model/server/memory.h"
#include "listing.h"
#include "target.h"

PG_FUNCTION_INFO_V1(dynamo_fdw_tables);

/*
 * Appends the name, with NUL, to the buffer `arg`.  Must not raise an error:
 * dyn_read_list_tables, which calls this function, would not free its memory.
 */
static void
collect_name(void *arg, const char *name)
{
	dyn_buffer_append(arg, name, strlen(name) + 1);
}

/* State of the listing; a reset callback frees its malloc'd members. */
typedef struct Listing
{
	DynBuffer	names;			/* names on the page */
	DynProgress progress;		/* last name of the page, after which the next
								 * page starts */
} Listing;

/* Requests one page; returns true if another page follows. */
static bool
list_page(DynConnection *connection, Listing *listing)
{
	DynRequestContext context = {"ListTables", NULL, NULL,
	connection->server_name, &connection->provider};
	const char *from = dyn_buffer_terminate(&listing->progress.last);
	DynCall    *call = from ? dyn_call_create(dyn_session_client()) : NULL;
	char	   *last = NULL;
	const char *err;
	bool		more;

	dyn_check_oom(call == NULL);
	dyn_write_list_tables(dyn_call_body(call), from);
	dyn_session_run(call, connection, &context);
	dyn_buffer_reset(&listing->names);
	/* analyzer: call is not NULL, since dyn_check_oom would raise an error */
	err = dyn_read_list_tables(call->response.data, call->response.len,
							   collect_name, &listing->names, &last);
	if (err == NULL && last != NULL)
		err = dyn_progress_note(&listing->progress, last, strlen(last),
								"repeats the LastEvaluatedTableName of an earlier page");
	if (err == NULL && listing->names.failed)
		err = dyn_check_memory;
	more = last != NULL;
	free(last);
	if (err != NULL)
		dyn_call_distrust(call);
	dyn_call_destroy(call);
	dyn_check_oom(err == dyn_check_memory);
	if (err != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_UNABLE_TO_CREATE_REPLY),
				 errmsg("could not read the list of tables of server \"%s\"",
						connection->server_name),
				 errdetail("The response %s.", err),
				 errhint("Check the server option endpoint_url.")));
	return more;
}

/* Frees the listing when the caller's context is reset or deleted. */
static void
release_listing(void *arg)
{
	Listing    *listing = arg;

	dyn_buffer_free(&listing->names);
	dyn_progress_free(&listing->progress);
}

void
dyn_list_tables(DynConnection *connection,
				void (*each) (void *arg, const char *name), void *arg)
{
	const char *prefix = connection->table_prefix;
	size_t		prefix_len = strlen(prefix);
	Listing    *listing = palloc0(sizeof(Listing));
	bool		more;

	dyn_progress_begin(&listing->progress);
	dyn_call_at_reset(CurrentMemoryContext, release_listing, listing);
	do
	{
		const char *name;

		more = list_page(connection, listing);
		for (size_t at = 0; at < listing->names.len; at += strlen(name) + 1)
		{
			name = listing->names.data + at;
			if (strncmp(name, prefix, prefix_len) == 0)
				each(arg, name + prefix_len);
		}
	} while (more);
}

static void
emit_name(void *arg, const char *name)
{
	ReturnSetInfo *rsinfo = arg;
	Datum		value = CStringGetTextDatum(name);
	bool		isnull = false;

	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, &value, &isnull);
}

/* Lists the tables as the current user, who needs USAGE on the server. */
Datum
dynamo_fdw_tables(PG_FUNCTION_ARGS)
{
	DynConnection *connection = dyn_target_server(NameStr(*PG_GETARG_NAME(0)));

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	dyn_list_tables(connection, emit_name, fcinfo->resultinfo);
	return (Datum) 0;
}
