/*
 * session.c
 *		The backend's network client, its connections and table descriptions.
 *
 * Connections are in a hash table by (server, user).  Each has a memory
 * context of its own; malloc'd parts (credentials, descriptions) are freed
 * with it.  Pins are reset callbacks of the pinning memory context, so that
 * they are released however a statement ends.
 *
 * We wait for the client's descriptor and the process latch with
 * WaitLatchOrSocket.  Interrupts are handled when the client is in a
 * consistent state, never inside libcurl.
 */
#include "postgres.h"

#include <time.h>

#include "catalog/pg_foreign_data_wrapper.h"
#include "catalog/pg_foreign_server.h"
#include "catalog/pg_user_mapping.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/syscache.h"

#include "../aws/provider.h"
#include "../aws/retry.h"
#include "../dynamodb/page_check.h"
#include "counters.h"
#include "guc.h"
#include "pg_compat.h"
#include "privilege.h"
#include "request_log.h"
#include "session.h"

/*
 * Maximum bytes of a response.  A page of 1 MB is nearly 2 MB of JSON; only a
 * BatchGetItem may be larger, and is then divided (exec/fetch/stream.c).
 */
#define MAX_RESPONSE	((size_t) 16 * 1024 * 1024)

/* External descriptors not used by us: every wait on a socket takes one. */
#define SPARE_DESCRIPTORS	4

/* After a failure an expired description is used for this time, in ms. */
#define REFRESH_PAUSE	5000.0

typedef struct DynDescription
{
	struct DynDescription *next;
	char	   *table;
	DynTableMeta *meta;			/* malloc'd */
	double		asked_at;		/* dyn_session_now() */
	double		ask_after;		/* a request failed: retry after this time */
	int			pins;
	bool		forgotten;		/* removed from the cache */
} DynDescription;

typedef struct ConnectionKey
{
	Oid			serverid;
	Oid			userid;
} ConnectionKey;

typedef struct ConnectionEntry
{
	ConnectionKey key;
	DynConnection *connection;
} ConnectionEntry;

static bool acquire_descriptor(void);

static const DynDescriptors descriptors = {
	acquire_descriptor, ReserveExternalFD, ReleaseExternalFD
};

static DynClient *client = NULL;
static HTAB *connections = NULL;

/* Counts invalidations: data read from the catalogs before one is outdated. */
static uint64 invalidations = 0;

PG_FUNCTION_INFO_V1(dynamo_fdw_disconnect);

double
dyn_session_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000.0 + ts.tv_nsec / 1e6;
}

/* Acquires one, if the spare ones are also available. */
static bool
acquire_descriptor(void)
{
	int			n = 0;
	bool		enough;

	while (n <= SPARE_DESCRIPTORS && AcquireExternalFD())
		n++;
	enough = n > SPARE_DESCRIPTORS;
	for (int i = enough ? 1 : 0; i < n; i++)
		ReleaseExternalFD();
	return enough;
}

DynClient *
dyn_session_client(void)
{
	if (client == NULL)
		client = dyn_client_create(&descriptors);
	if (client == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("could not set up the DynamoDB client")));
	return client;
}

void
dyn_session_end_statement(void)
{
	if (client != NULL)
		dyn_client_end_statement(client);
}

int
dyn_session_open_descriptors(void)
{
	return client == NULL ? 0 : dyn_client_open_fds(client);
}

/* ---- waiting ---- */

/* `arg` is a DynWaitReason. */
static DynWait
wait_for_client(void *arg, int fd, long timeout_ms)
{
	uint32		event = dyn_wait_event(*(const DynWaitReason *) arg);
	int			events = WL_LATCH_SET | WL_SOCKET_READABLE | WL_EXIT_ON_PM_DEATH;
	int			rc;

	if (timeout_ms >= 0)
		events |= WL_TIMEOUT;
	rc = WaitLatchOrSocket(MyLatch, events, fd, timeout_ms, event);
	if (rc & WL_LATCH_SET)
	{
		ResetLatch(MyLatch);
		return DYN_WAIT_INTERRUPTED;
	}
	return (rc & WL_SOCKET_READABLE) ? DYN_WAIT_READY : DYN_WAIT_TIMEOUT;
}

void
dyn_session_wait(long timeout_ms, DynWaitReason reason)
{
	(void) dyn_client_wait(dyn_session_client(), wait_for_client, &reason,
						   timeout_ms);
	CHECK_FOR_INTERRUPTS();
}

void
dyn_session_sleep(double ms, DynWaitReason reason)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 (long) Max(ms, 0) + 1, dyn_wait_event(reason));
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

void
dyn_session_account(const DynCall *call, const char *line)
{
	DynCounters counters = {0};

	counters.requests = 1;
	counters.retries = Max(call->attempts - 1, 0);
	counters.throttles = call->throttles;
	counters.bytes = call->bytes_received;
	dyn_counters_add(&dyn_backend_counters, &counters);
	dyn_request_log(call, line);
}

bool
dyn_session_try(DynCall *call, const DynService *service,
				const DynRequestContext *context)
{
	DynRetryQuota quota = {0};

	PG_TRY();
	{
		dyn_call_start(call, service, &quota, context->operation);
		while (call->state != DYN_CALL_DONE || !dyn_call_unpack(call))
			dyn_session_wait(-1, DYN_WAITS_FOR_RESPONSE);
		dyn_session_account(call, !dyn_request_is_logged(call) ? NULL
							: psprintf("%s%s%s", context->operation,
									   context->table ? " " : "",
									   context->table ? context->table : ""));
	}
	PG_CATCH();
	{
		dyn_call_destroy(call);
		PG_RE_THROW();
	}
	PG_END_TRY();
	return call->failure == DYN_FAIL_NONE;
}

/* Raises the error of a failed call, and destroys it. */
static void
raise_failure(DynCall *call, const DynRequestContext *context)
{
	PG_TRY();
	{
		dyn_report_call(call, context);
	}
	PG_FINALLY();
	{
		dyn_call_destroy(call);
	}
	PG_END_TRY();
}

void
dyn_session_run(DynCall *call, const DynService *service,
				const DynRequestContext *context)
{
	if (!dyn_session_try(call, service, context))
		raise_failure(call, context);
}

/* ---- connections: making them from the catalogs ---- */

typedef struct PartitionSuffix
{
	const char *region_prefix;
	const char *suffix;
} PartitionSuffix;

static const PartitionSuffix partition_suffixes[] = {
	{"cn-", "amazonaws.com.cn"},
	{"eusc-", "amazonaws.eu"},
	{"us-iso-", "c2s.ic.gov"},
	{"us-isob-", "sc2s.sgov.gov"},
	{"eu-isoe-", "cloud.adc-e.uk"},
	{"us-isof-", "csp.hci.ic.gov"},
	{"", "amazonaws.com"},
};

static char *
regional_url(const char *region)
{
	int			i = 0;

	while (strncmp(region, partition_suffixes[i].region_prefix,
				   strlen(partition_suffixes[i].region_prefix)) != 0)
		i++;
	return psprintf("https://dynamodb.%s.%s/", region,
					partition_suffixes[i].suffix);
}

/* With exactly one slash at the end. */
static char *
normal_url(const char *endpoint)
{
	size_t		len = strlen(endpoint);

	return psprintf("%s%s", endpoint, endpoint[len - 1] == '/' ? "" : "/");
}

/* The Host header: without scheme, slash and the scheme's default port. */
static char *
host_of_url(const char *url)
{
	bool		tls = pg_strncasecmp(url, "https://", 8) == 0;
	const char *own_port = tls ? ":443" : ":80";
	char	   *host = pstrdup(url + (tls ? 8 : 7));
	size_t		len = strlen(host) - 1;

	if (len > strlen(own_port) &&
		strncmp(host + len - strlen(own_port), own_port, strlen(own_port)) == 0)
		len -= strlen(own_port);
	host[len] = '\0';
	return host;
}

static void
set_endpoint(DynConnection *connection, ForeignServer *server)
{
	const char *region = dyn_option_text(server->options, "region");
	const char *endpoint = dyn_option_text(server->options, "endpoint");

	if (region == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_DYNAMIC_PARAMETER_VALUE_NEEDED),
				 errmsg("server \"%s\" has no region", server->servername),
				 errhint("ALTER SERVER %s OPTIONS (ADD region 'eu-west-1');",
						 quote_identifier(server->servername))));
	connection->service.region = pstrdup(region);
	connection->service.url = endpoint ? normal_url(endpoint)
		: regional_url(region);
	connection->service.host = host_of_url(connection->service.url);
}

/* The mapping of the user or of PUBLIC; raises an error if there is none. */
static UserMapping *
find_mapping(Oid userid, ForeignServer *server)
{
	if (!SearchSysCacheExists2(USERMAPPINGUSERSERVER, ObjectIdGetDatum(userid),
							   ObjectIdGetDatum(server->serverid)) &&
		!SearchSysCacheExists2(USERMAPPINGUSERSERVER,
							   ObjectIdGetDatum(InvalidOid),
							   ObjectIdGetDatum(server->serverid)))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("user mapping not found for user \"%s\", server \"%s\"",
						GetUserNameFromId(userid, false), server->servername),
				 errhint("CREATE USER MAPPING FOR %s SERVER %s OPTIONS (access_key_id '...', secret_access_key '...');",
						 quote_identifier(GetUserNameFromId(userid, false)),
						 quote_identifier(server->servername))));
	return GetUserMapping(userid, server->serverid);
}

static void
set_credentials(DynConnection *connection, ForeignServer *server)
{
	UserMapping *mapping = find_mapping(connection->userid, server);
	const char *key = dyn_option_text(mapping->options, "access_key_id");
	const char *bad = NULL;

	if (key == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_DYNAMIC_PARAMETER_VALUE_NEEDED),
				 errmsg("user mapping for server \"%s\" has no access key",
						server->servername),
				 errhint("Set the options access_key_id and secret_access_key with ALTER USER MAPPING.")));
	if (!dyn_credentials_set(&connection->provider.current,
							 key,
							 dyn_option_text(mapping->options, "secret_access_key"),
							 dyn_option_text(mapping->options, "session_token"),
							 &bad))
		ereport(ERROR,
				(errcode(bad ? ERRCODE_INVALID_PARAMETER_VALUE
						 : ERRCODE_OUT_OF_MEMORY),
				 bad ? errmsg("invalid character in %s of the user mapping for server \"%s\"",
							  bad, server->servername)
				 : errmsg("out of memory")));
}

static void
set_limits(DynConnection *connection, List *options)
{
	DynService *service = &connection->service;
	const char *ca_file = dyn_option_text(options, "ca_file");
	const char *proxy = dyn_option_text(options, "proxy");
	const char *prefix = dyn_option_text(options, "table_prefix");

	service->signing_name = "dynamodb";
	service->target_prefix = "DynamoDB_20120810.";
	service->ca_file = ca_file ? pstrdup(ca_file) : NULL;
	service->proxy = proxy ? pstrdup(proxy) : NULL;
	service->connect_timeout_ms =
		dyn_option_int(options, "connect_timeout",
					   dyn_option_default_int("connect_timeout"));
	service->request_timeout_ms =
		dyn_option_int(options, "request_timeout",
					   dyn_option_default_int("request_timeout"));
	service->max_attempts =
		dyn_option_int(options, "max_attempts",
					   dyn_option_default_int("max_attempts"));
	service->max_response = MAX_RESPONSE;
	service->clock = &connection->clock;
	connection->table_prefix = pstrdup(prefix ? prefix : "");
	connection->max_concurrency =
		dyn_option_int(options, "max_concurrency",
					   dyn_option_default_int("max_concurrency"));
	service->keep_connections = dyn_option_int(options, "keep_connections",
											   connection->max_concurrency);
	connection->max_read_units = dyn_option_real(options, "max_read_units", 0);
	connection->max_statement_units =
		dyn_option_real(options, "max_statement_units", 0);
	connection->throttle_patience =
		dyn_option_int(options, "throttle_patience",
					   dyn_option_default_int("throttle_patience"));
	connection->reads = dyn_option_reads(options, &dyn_default_reads);
}

/* Runs when the connection's context is deleted: frees malloc'd parts. */
static void
release_connection(void *arg)
{
	DynConnection *connection = arg;

	Assert(connection->pins == 0);
	dyn_provider_clear(&connection->provider);
	for (DynDescription *d = connection->descriptions; d != NULL; d = d->next)
	{
		Assert(d->pins == 0);
		dyn_metadata_free(d->meta);
	}
}

static DynConnection *
allocate_connection(MemoryContext parent)
{
	MemoryContext context = AllocSetContextCreate(parent, "dynamo_fdw connection",
												  ALLOCSET_SMALL_SIZES);
	DynConnection *connection = MemoryContextAllocZero(context,
													   sizeof(DynConnection));
	MemoryContextCallback *callback =
		MemoryContextAllocZero(context, sizeof(MemoryContextCallback));

	connection->context = context;
	connection->service.provider = &connection->provider;
	callback->func = release_connection;
	callback->arg = connection;
	MemoryContextRegisterResetCallback(context, callback);
	return connection;
}

/*
 * Created in a child of the current context, so that an error frees it; moved
 * to the cache when it is complete.
 */
static DynConnection *
make_connection(Oid serverid, Oid userid)
{
	DynConnection *connection = allocate_connection(CurrentMemoryContext);
	MemoryContext oldcontext = MemoryContextSwitchTo(connection->context);
	ForeignServer *server = GetForeignServer(serverid);

	connection->serverid = serverid;
	connection->userid = userid;
	connection->owner = server->owner;
	connection->server_name = pstrdup(server->servername);
	connection->valid = true;
	set_endpoint(connection, server);
	set_limits(connection, server->options);
	set_credentials(connection, server);
	MemoryContextSwitchTo(oldcontext);
	return connection;
}

/* ---- connections: cache and pins ---- */

static void
drop_if_unused(DynConnection *connection)
{
	Assert(connection->pins >= 0);
	if (!connection->valid && connection->pins == 0)
		MemoryContextDelete(connection->context);
}

static void
unpin_connection(void *arg)
{
	DynConnection *connection = arg;

	Assert(connection->pins > 0);
	connection->pins--;
	drop_if_unused(connection);
}

/* Calls `func(arg)` when CurrentMemoryContext is reset. */
static void
call_at_reset(MemoryContextCallbackFunction func, void *arg)
{
	MemoryContextCallback *callback = palloc(sizeof(MemoryContextCallback));

	callback->func = func;
	callback->arg = arg;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
}

static void
forget_connection(ConnectionEntry *entry)
{
	DynConnection *connection = entry->connection;

	Assert(connection != NULL && connection->valid);
	hash_search(connections, &entry->key, HASH_REMOVE, NULL);
	connection->valid = false;
	drop_if_unused(connection);
}

static void
forget_all_connections(void)
{
	HASH_SEQ_STATUS status;
	ConnectionEntry *entry;

	if (connections == NULL)
		return;
	hash_seq_init(&status, connections);
	while ((entry = hash_seq_search(&status)) != NULL)
		forget_connection(entry);
}

/*
 * Changes of servers, user mappings and roles are rare, so everything is
 * discarded.  Running statements keep what they have pinned.
 */
static void
invalidate(Datum arg, int cacheid, uint32 hashvalue)
{
	invalidations++;
	forget_all_connections();
}

/*
 * Reading the catalogs may process invalidations; if one arrives while the
 * connection is created, it is created again.
 */
static DynConnection *
make_current_connection(Oid serverid, Oid userid)
{
	for (;;)
	{
		uint64		before = invalidations;
		DynConnection *connection = make_connection(serverid, userid);

		if (invalidations == before)
			return connection;
		MemoryContextDelete(connection->context);
		CHECK_FOR_INTERRUPTS();
	}
}

static DynConnection *
find_connection(Oid serverid, Oid userid)
{
	ConnectionKey key = {serverid, userid};
	ConnectionEntry *entry;
	DynConnection *connection;

	entry = hash_search(connections, &key, HASH_FIND, NULL);
	Assert(entry == NULL || entry->connection->valid);
	if (entry != NULL)
		return entry->connection;
	connection = make_current_connection(serverid, userid);
	entry = hash_search(connections, &key, HASH_ENTER, NULL);
	entry->connection = connection;
	MemoryContextSetParent(connection->context, CacheMemoryContext);
	return connection;
}

DynConnection *
dyn_session_connection(Oid serverid, Oid userid)
{
	DynConnection *connection = find_connection(serverid, userid);

	/* pin first: the check may process an invalidation */
	connection->pins++;
	call_at_reset(unpin_connection, connection);
	if (pg_strncasecmp(connection->service.url, "http://", 7) == 0)
		dyn_check_endpoint(connection->owner, connection->server_name,
						   connection->service.url);
	return connection;
}

/* ---- descriptions ---- */

static DynDescription *
find_description(DynConnection *connection, const char *table)
{
	for (DynDescription *d = connection->descriptions; d != NULL; d = d->next)
	{
		if (!d->forgotten && strcmp(d->table, table) == 0)
			return d;
	}
	return NULL;
}

/* Frees descriptions that are neither in the cache nor in use. */
static void
sweep_descriptions(DynConnection *connection)
{
	DynDescription **link = &connection->descriptions;

	while (*link != NULL)
	{
		DynDescription *d = *link;

		if (d->forgotten && d->pins == 0)
		{
			*link = d->next;
			dyn_metadata_free(d->meta);
			pfree(d->table);
			pfree(d);
		}
		else
			link = &d->next;
	}
}

static void
unpin_description(void *arg)
{
	Assert(((DynDescription *) arg)->pins > 0);
	((DynDescription *) arg)->pins--;
}

static const DynTableMeta *
pin_description(DynDescription *description)
{
	Assert(description->meta != NULL && description->pins >= 0);
	Assert(!description->forgotten);
	description->pins++;
	call_at_reset(unpin_description, description);
	return description->meta;
}

static DynDescription *
add_description(DynConnection *connection, const char *table,
				DynTableMeta *meta)
{
	DynDescription *description =
		MemoryContextAllocZero(connection->context, sizeof(DynDescription));

	description->table = MemoryContextStrdup(connection->context, table);
	description->meta = meta;
	description->asked_at = dyn_session_now();
	description->next = connection->descriptions;
	connection->descriptions = description;
	return description;
}

/*
 * Sends DescribeTable, with shorter timeouts than a read, because it runs
 * during planning.  The returned call may have failed only if `aged_serves`.
 */
static DynCall *
ask_for_description(DynConnection *connection, const char *table,
					bool aged_serves)
{
	DynService	describe_limits = connection->service;
	DynRequestContext context = {"DescribeTable", table, NULL,
	connection->server_name};
	DynCall    *call = dyn_call_create(dyn_session_client());

	if (call == NULL)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	describe_limits.max_attempts = Min(describe_limits.max_attempts, 2);
	describe_limits.request_timeout_ms = Min(describe_limits.request_timeout_ms,
											 describe_limits.connect_timeout_ms);
	dyn_write_describe_table(dyn_call_body(call), table);
	if (!dyn_session_try(call, &describe_limits, &context) &&
		!(aged_serves && call->passing))
		raise_failure(call, &context);
	return call;
}

/*
 * Returns NULL on a temporary failure, which is an error unless `aged_serves`.
 */
static DynDescription *
describe_table(DynConnection *connection, const char *table, bool aged_serves)
{
	DynCall    *call = ask_for_description(connection, table, aged_serves);
	bool		failed = call->failure != DYN_FAIL_NONE;
	const char *reason = NULL;
	DynTableMeta *meta = failed ? NULL
		: dyn_metadata_parse(call->response.data, call->response.len, &reason);

	if (meta != NULL && !dyn_names_table(table, meta->name, strlen(meta->name)))
	{
		dyn_metadata_free(meta);
		meta = NULL;
		reason = "the description of another table";
	}
	if (meta == NULL && !failed)
		dyn_call_distrust(call);
	dyn_call_destroy(call);
	if (failed)
		return NULL;
	if (meta == NULL && strcmp(reason, "out of memory") == 0)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	if (meta == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_UNABLE_TO_CREATE_REPLY),
				 errmsg("could not read the description of DynamoDB table \"%s\"",
						table),
				 errdetail("The response is %s.", reason),
				 errhint("Check the server option endpoint.")));
	return add_description(connection, table, meta);
}

/*
 * Like describe_table, but if the service cannot be reached, the expired
 * description is used for a while.  Resets plans made from the expired one if
 * the new one differs.
 */
static DynDescription *
refresh_description(DynConnection *connection, DynDescription *aged)
{
	DynDescription *fresh;

	if (dyn_session_now() < aged->ask_after)
		return aged;
	fresh = describe_table(connection, aged->table, true);
	if (fresh == NULL)
	{
		aged->ask_after = dyn_session_now() + REFRESH_PAUSE;
		return aged;
	}
	aged->forgotten = true;
	if (!dyn_metadata_same_schema(aged->meta, fresh->meta))
		ResetPlanCache();
	return fresh;
}

const DynTableMeta *
dyn_session_table(DynConnection *connection, const char *table)
{
	DynDescription *description = find_description(connection, table);

	if (description == NULL)
		description = describe_table(connection, table, false);
	else if (dyn_session_now() - description->asked_at >
			 dyn_guc_metadata_ttl * 1000.0)
		description = refresh_description(connection, description);
	sweep_descriptions(connection);
	return pin_description(description);
}

const DynTableMeta *
dyn_session_cached_table(DynConnection *connection, const char *table)
{
	DynDescription *description = find_description(connection, table);

	return description == NULL ? NULL : pin_description(description);
}

void
dyn_session_forget_table(DynConnection *connection, const char *table)
{
	DynDescription *description = find_description(connection, table);

	if (description != NULL)
		description->forgotten = true;
	ResetPlanCache();
}

/* ---- SQL functions and start-up ---- */

void
dyn_session_init(void)
{
	HASHCTL		ctl;

	memset(&ctl, 0, sizeof(ctl));
	ctl.keysize = sizeof(ConnectionKey);
	ctl.entrysize = sizeof(ConnectionEntry);
	connections = hash_create("dynamo_fdw connections", 8, &ctl,
							  HASH_ELEM | HASH_BLOBS);
	CacheRegisterSyscacheCallback(FOREIGNSERVEROID, invalidate, (Datum) 0);
	CacheRegisterSyscacheCallback(USERMAPPINGOID, invalidate, (Datum) 0);
}

/* dynamo_fdw_disconnect(): closes idle connections and clears the cache. */
Datum
dynamo_fdw_disconnect(PG_FUNCTION_ARGS)
{
	bool		had_any = connections != NULL &&
		hash_get_num_entries(connections) > 0;

	forget_all_connections();
	if (client != NULL)
		dyn_client_close_idle(client);
	ResetPlanCache();
	PG_RETURN_BOOL(had_any);
}
