/*
 * session.c
 *		Manages the backend's client, connections and table descriptions.
 *
 * The metadata in a description is malloc'd, and freed at the latest with the
 * connection's memory context.  A pin is released by a reset callback of the
 * memory context in which it was created, however the statement ends.
 *
 * Interrupts are handled in consistent states, never inside libcurl.
 */
#include "postgres.h"

#include "../server/memory.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "tcop/pquery.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/portal.h"
#include "utils/syscache.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "../../aws/loop.h"
#include "../../aws/retry.h"
#include "../../dynamodb/page_check.h"
#include "../server/pg_compat.h"
#include "guc.h"
#include "session.h"
#include "usage.h"

/* File descriptors left for other code, such as WaitLatchOrSocket. */
#define SPARE_DESCRIPTORS	4

/* Maximum number of attempts to build a connection (add_connection). */
#define MOST_READINGS	5

/* Pause (ms) after a failed DescribeTable, if an expired description exists. */
#define REFRESH_PAUSE	5000.0

typedef struct DynDescription
{
	struct DynDescription *next;
	char	   *table;
	DynTableMeta *meta;			/* malloc'd */
	double		requested_at;	/* time (monotonic ms) when `meta` arrived */
	double		retry_after;	/* earliest time of a retry after a failure */
	int			pins;
	bool		forgotten;		/* true if removed from the cache */
} DynDescription;

typedef struct ConnectionKey
{
	Oid			mapping;
	Oid			userid;
} ConnectionKey;

typedef struct ConnectionEntry
{
	ConnectionKey key;
	DynConnection *connection;
} ConnectionEntry;

static DynClient *client = NULL;
static HTAB *connections = NULL;

/* Number of invalidations so far (see `checked` in DynConnection). */
static uint64 invalidations = 1;

double
dyn_session_now(void)
{
	return dyn_loop_now_us() / 1000.0;
}

/* Acquires a file descriptor if at least SPARE_DESCRIPTORS others are left. */
static bool
acquire_descriptor(void)
{
	int			n = 0;

	while (n <= SPARE_DESCRIPTORS && AcquireExternalFD())
		n++;
	for (int i = n > SPARE_DESCRIPTORS ? 1 : 0; i < n; i++)
		ReleaseExternalFD();
	return n > SPARE_DESCRIPTORS;
}

static const DynDescriptors descriptors = {
	acquire_descriptor, ReserveExternalFD, ReleaseExternalFD
};

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

DynCall *
dyn_session_call(void)
{
	DynCall    *call = dyn_call_create(dyn_session_client());

	dyn_check_oom(call == NULL);
	return call;
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

static uint32
event_of(DynWaitReason reason)
{
	static const char *const names[] = {
		[DYN_WAITS_FOR_RESPONSE] = "DynamoFdwResponse",
		[DYN_WAITS_FOR_CAPACITY] = "DynamoFdwCapacity",
		[DYN_WAITS_FOR_TABLE] = "DynamoFdwTable",
	};
	static uint32 events[lengthof(names)];

	if (events[reason] == 0)
		events[reason] = dyn_new_wait_event(names[reason]);
	return events[reason];
}

/*
 * Waits for `fd`, the descriptor of the DynClient, and for the process latch;
 * `arg` points to a DynWaitReason.  The WaitEventSet is created only once, as
 * `fd` never changes: WaitLatchOrSocket needs five system calls for each wait.
 */
static DynWait
wait_for_client(void *arg, int fd, long timeout_ms)
{
	static WaitEventSet *wait_set = NULL;
	uint32		wait_event = event_of(*(const DynWaitReason *) arg);
	WaitEvent	event;

	if (wait_set == NULL)
	{
		WaitEventSet *set = dyn_create_wait_set(3);

		AddWaitEventToSet(set, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
		AddWaitEventToSet(set, WL_SOCKET_READABLE, fd, NULL, NULL);
		if (IsUnderPostmaster)
			AddWaitEventToSet(set, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL, NULL);
		wait_set = set;
	}
	if (WaitEventSetWait(wait_set, timeout_ms, &event, 1, wait_event) == 0)
		return DYN_WAIT_TIMEOUT;
	if (event.events & WL_LATCH_SET)
	{
		ResetLatch(MyLatch);
		return DYN_WAIT_INTERRUPTED;
	}
	return DYN_WAIT_READY;
}

/*
 * Returns the milliseconds that are left of statement_timeout while COMMIT
 * reads the remaining rows of a cursor WITH HOLD (PersistHoldablePortal).
 * PostgreSQL has already disabled the timer then.  Returns -1 without such a
 * cursor or without a timeout.
 *
 * The timeout counts from the timer's last start.  But PostgreSQL does not
 * start the timer for a message if 0 < transaction_timeout <=
 * statement_timeout, so the arrival of the current message is used if it is
 * later.
 */
static long
held_cursor_ms(void)
{
	if (StatementTimeout <= 0 || MyBackendType != B_BACKEND ||
		ActivePortal == NULL || ActivePortal->holdStore == NULL ||
		!(ActivePortal->cursorOptions & CURSOR_OPT_HOLD) ||
		get_timeout_active(STATEMENT_TIMEOUT))
		return -1;
	return Max(0, StatementTimeout -
			   TimestampDifferenceMilliseconds(Max(get_timeout_start_time(STATEMENT_TIMEOUT),
												   GetCurrentStatementStartTimestamp()),
											   GetCurrentTimestamp()));
}

/* Counts and returns the time of a wait; may raise an error after counting. */
static double
end_wait(DynUsage *usage, double began, DynWaitReason reason)
{
	double		ms = dyn_session_now() - began;

	if (usage != NULL)
		dyn_usage_add(usage, &(DynCounters) {.waiting_ms = ms,
			.waited_ms = reason == DYN_WAITS_FOR_CAPACITY ? ms : 0});
	CHECK_FOR_INTERRUPTS();
	if (held_cursor_ms() == 0)
		ereport(ERROR,
				(errcode(ERRCODE_QUERY_CANCELED),
				 errmsg("canceling statement due to statement timeout")));
	return ms;
}

double
dyn_session_wait(DynUsage *usage, double timeout_ms, DynWaitReason reason)
{
	double		began = dyn_session_now();
	long		left = held_cursor_ms();

	if (left >= 0)
		timeout_ms = timeout_ms < 0 ? left : Min(timeout_ms, left);
	(void) dyn_client_wait(dyn_session_client(), wait_for_client, &reason,
						   (long) timeout_ms);
	return end_wait(usage, began, reason);
}

double
dyn_session_sleep(DynUsage *usage, double ms, DynWaitReason reason)
{
	double		began = dyn_session_now();
	long		left = held_cursor_ms();

	if (left >= 0)
		ms = Min(ms, left);
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 (long) Max(ms, 0) + 1, event_of(reason));
	ResetLatch(MyLatch);
	return end_wait(usage, began, reason);
}

typedef struct RunningCall
{
	DynCall    *call;
	DynUsage   *usage;			/* NULL before the call starts */
	DynOperation op;
} RunningCall;

/* Ends the call because of an error, or because the backend is terminated. */
static void
abandon_call(int code, Datum arg)
{
	const RunningCall *run = (const RunningCall *) DatumGetPointer(arg);

	if (run->usage != NULL)
		dyn_usage_call(run->usage, run->op, run->call, true);
	dyn_call_destroy(run->call);
}

bool
dyn_session_try(DynCall *call, const DynService *service,
				const DynRequestContext *context)
{
	DynRetryQuota quota = {0};
	RunningCall run = {call, NULL, context->op};

	PG_ENSURE_ERROR_CLEANUP(abandon_call, PointerGetDatum(&run));
	{
		dyn_session_check(context->connection);
		run.usage = dyn_usage_of(context->connection, context->table, context->index);
		dyn_call_start(call, service, &quota, dyn_operation_name(context->op));
		while (call->state != DYN_CALL_DONE || !dyn_call_unpack(call))
			dyn_session_wait(run.usage, -1, DYN_WAITS_FOR_RESPONSE);
	}
	PG_END_ENSURE_ERROR_CLEANUP(abandon_call, PointerGetDatum(&run));
	dyn_usage_call(run.usage, context->op, call, false);
	if (dyn_request_is_logged(call, false))
		dyn_request_log(call, psprintf("%s%s%s", dyn_operation_name(context->op),
									   context->table ? " " : "",
									   context->table ? context->table : ""), call->attempts);
	return call->failure == DYN_FAIL_NONE;
}

void
dyn_session_fail(DynCall *call, const DynRequestContext *context)
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

/* ---- connections: cache and pins ---- */

static void
drop_if_unused(DynConnection *connection)
{
	if (!connection->valid && connection->pins == 0)
		MemoryContextDelete(connection->context);
}

static void
free_descriptions(void *arg)
{
	DynConnection *connection = arg;

	Assert(connection->pins == 0);
	for (DynDescription *d = connection->descriptions; d != NULL; d = d->next)
	{
		Assert(d->pins == 0);
		dyn_metadata_free(d->meta);
	}
}

static void
unpin_connection(void *arg)
{
	DynConnection *connection = arg;

	Assert(connection->pins > 0);
	connection->pins--;
	/* stop the provider, since nothing drives its work without a pin */
	if (connection->pins == 0)
		dyn_provider_rest(&connection->provider);
	drop_if_unused(connection);
}

static bool
forget_connections(Oid serverid)
{
	HASH_SEQ_STATUS status;
	ConnectionEntry *entry;
	bool		had_any = false;

	hash_seq_init(&status, connections);
	while ((entry = hash_seq_search(&status)) != NULL)
	{
		DynConnection *connection = entry->connection;

		Assert(connection != NULL && connection->valid);
		if (OidIsValid(serverid) && connection->serverid != serverid)
			continue;
		hash_search(connections, &entry->key, HASH_REMOVE, NULL);
		connection->valid = false;
		drop_if_unused(connection);
		had_any = true;
	}
	return had_any;
}

/*
 * Discards all connections after a change of any server or user mapping, since
 * such changes are rare.  Running statements keep their pinned connections.
 */
static void
invalidate(Datum arg, int cacheid, uint32 hashvalue)
{
	invalidations++;
	(void) forget_connections(InvalidOid);
}

/* After a change of roles, connections stay cached, but are checked again. */
static void
doubt(Datum arg, int cacheid, uint32 hashvalue)
{
	invalidations++;
}

/*
 * Builds a connection from the catalogs, and caches it.  Builds it again after
 * an invalidation in the meantime.  If this happens each time, as under
 * debug_discard_caches, does not cache it.
 */
static DynConnection *
add_connection(Oid serverid, Oid userid)
{
	DynConnection *connection;
	ConnectionKey key = {InvalidOid, userid};
	ConnectionEntry *entry;

	for (int attempt = 1;; attempt++)
	{
		uint64		before = invalidations;

		connection = dyn_connection_make(serverid, userid);
		connection->valid = (invalidations == before);
		if (connection->valid || attempt == MOST_READINGS)
			break;
		MemoryContextDelete(connection->context);
		CHECK_FOR_INTERRUPTS();
	}
	dyn_call_at_reset(connection->context, free_descriptions, connection);
	key.mapping = connection->mapping;
	if (connection->valid)
	{
		entry = hash_search(connections, &key, HASH_ENTER, NULL);
		entry->connection = connection;
	}
	MemoryContextSetParent(connection->context, CacheMemoryContext);
	return connection;
}

/*
 * Accepts invalidations, because another session can withdraw the permission
 * to use the credentials of a provider.  PostgreSQL itself may accept none for
 * a long time while a cursor is open.  Access keys in the mapping
 * (DYN_SOURCE_STATIC) need no permission.
 */
void
dyn_session_check(DynConnection *connection)
{
	uint64		seen;

	if (connection->source != DYN_SOURCE_STATIC)
		AcceptInvalidationMessages();
	seen = invalidations;
	if (connection->checked == seen)
		return;
	dyn_connection_check(connection);
	connection->checked = seen;
}

DynConnection *
dyn_session_connection(Oid serverid, Oid userid)
{
	ConnectionKey key = {InvalidOid, userid};
	ConnectionEntry *entry;
	DynConnection *connection;

	/*
	 * accept invalidations now: earlier changes by other sessions must apply
	 * from the start of the statement, and PostgreSQL itself accepts none if
	 * the transaction already holds the needed locks
	 */
	AcceptInvalidationMessages();
	key.mapping = dyn_connection_mapping(serverid, userid);
	entry = hash_search(connections, &key, HASH_FIND, NULL);
	Assert(entry == NULL || entry->connection->valid);
	connection = entry ? entry->connection : add_connection(serverid, userid);
	/* pin it now, so that an invalidation during the check does not free it */
	connection->pins++;
	dyn_call_at_reset(CurrentMemoryContext, unpin_connection, connection);
	dyn_session_check(connection);
	return connection;
}

/* ---- descriptions ---- */

static DynDescription *
find_description(const DynConnection *connection, const char *table)
{
	for (DynDescription *d = connection->descriptions; d != NULL; d = d->next)
	{
		if (!d->forgotten && strcmp(d->table, table) == 0)
			return d;
	}
	return NULL;
}

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

/* Pins the description, and its connection, which owns the description. */
static const DynTableMeta *
pin_description(DynConnection *connection, DynDescription *description)
{
	Assert(description->meta != NULL && !description->forgotten);
	connection->pins++;
	description->pins++;
	/* callbacks run in reverse order: the description is unpinned first */
	dyn_call_at_reset(CurrentMemoryContext, unpin_connection, connection);
	dyn_call_at_reset(CurrentMemoryContext, unpin_description, description);
	return description->meta;
}

/*
 * Sends DescribeTable, with shorter timeouts than a read, because it runs
 * during planning.  Returns NULL after a temporary failure if `aged_serves` is
 * true (the caller has an expired description).  Raises all other errors.
 */
static DynDescription *
describe_table(DynConnection *connection, const char *table, bool aged_serves)
{
	DynService	limits = connection->service;
	DynRequestContext context = {DYN_OP_DESCRIBE_TABLE, table, NULL, connection};
	DynCall    *call = dyn_session_call();
	const char *reason;
	DynTableMeta *meta;
	DynDescription *description;

	limits.max_attempts = Min(limits.max_attempts, 2);
	limits.request_timeout_ms = Min(limits.request_timeout_ms,
									limits.connect_timeout_ms);
	dyn_write_describe_table(dyn_call_body(call), table);
	if (!dyn_session_try(call, &limits, &context))
	{
		if (!aged_serves || !call->passing)
			dyn_session_fail(call, &context);
		dyn_call_destroy(call);
		return NULL;
	}
	meta = dyn_metadata_parse(call->response.data, call->response.len, &reason);
	if (meta != NULL && !dyn_names_table(table, meta->name, strlen(meta->name)))
	{
		dyn_metadata_free(meta);
		meta = NULL;
		reason = "the description of another table";
	}
	if (meta == NULL)
	{
		dyn_call_distrust(call);
		dyn_usage_reject(dyn_usage_of(connection, table, NULL));
	}
	dyn_call_destroy(call);
	dyn_check_oom(meta == NULL && strcmp(reason, "out of memory") == 0);
	if (meta == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_UNABLE_TO_CREATE_REPLY),
				 errmsg("could not read the description of DynamoDB table \"%s\"",
						table),
				 errdetail("The response is %s.", reason),
				 errhint("Check the server option endpoint_url.")));
	description = MemoryContextAllocZero(connection->context, sizeof(DynDescription));
	description->table = MemoryContextStrdup(connection->context, table);
	description->meta = meta;
	description->requested_at = dyn_session_now();
	description->next = connection->descriptions;
	connection->descriptions = description;
	return description;
}

const DynTableMeta *
dyn_session_table(DynConnection *connection, const char *table)
{
	DynDescription *aged = find_description(connection, table);
	DynDescription *fresh = NULL;
	double		now = dyn_session_now();

	if (aged == NULL)
		fresh = describe_table(connection, table, false);
	else if (now - aged->requested_at > dyn_guc_metadata_ttl * 1000.0 &&
			 now >= aged->retry_after)
	{
		fresh = describe_table(connection, aged->table, true);
		/* after a failure, use the expired description for a while */
		if (fresh == NULL)
			aged->retry_after = dyn_session_now() + REFRESH_PAUSE;
		else
			aged->forgotten = true;
		/* cached plans were made with the expired description */
		if (fresh != NULL && !dyn_metadata_same_schema(aged->meta, fresh->meta))
			ResetPlanCache();
	}
	sweep_descriptions(connection);
	return pin_description(connection, fresh != NULL ? fresh : aged);
}

const DynTableMeta *
dyn_session_cached_table(DynConnection *connection, const char *table)
{
	DynDescription *description = find_description(connection, table);

	return description == NULL ? NULL : pin_description(connection, description);
}

char *
dyn_session_table_id(const DynConnection *connection, const char *table)
{
	const DynDescription *description = find_description(connection, table);

	return description != NULL && description->meta->id != NULL
		? pstrdup(description->meta->id)
		: psprintf("%s %s %s", connection->service.url, connection->service.region,
				   dyn_table_name(table));
}

bool
dyn_session_same_table(const DynConnection *a, const char *table_a,
					   const DynConnection *b, const char *table_b)
{
	/* compare the names first, because searching takes longer */
	bool		same = strcmp(dyn_table_name(table_a), dyn_table_name(table_b)) == 0;
	const DynDescription *description_a = same ? find_description(a, table_a) : NULL;
	const DynDescription *description_b = same ? find_description(b, table_b) : NULL;

	if (description_a != NULL && description_a->meta->id != NULL &&
		description_b != NULL && description_b->meta->id != NULL)
		return strcmp(description_a->meta->id, description_b->meta->id) == 0;
	return same && dyn_connection_same_endpoint(a, b);
}

void
dyn_session_forget_table(DynConnection *connection, const char *table)
{
	DynDescription *description = find_description(connection, table);

	if (description != NULL)
		description->forgotten = true;
	ResetPlanCache();
}

/* ---- registering and disconnecting ---- */

void
dyn_session_init(void)
{
	HASHCTL		ctl = {.keysize = sizeof(ConnectionKey),.entrysize = sizeof(ConnectionEntry)};

	connections = hash_create("dynamo_fdw connections", 8, &ctl,
							  HASH_ELEM | HASH_BLOBS);
	CacheRegisterSyscacheCallback(FOREIGNSERVEROID, invalidate, (Datum) 0);
	CacheRegisterSyscacheCallback(USERMAPPINGOID, invalidate, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHOID, doubt, (Datum) 0);
}

bool
dyn_session_disconnect(Oid serverid)
{
	bool		had_any = forget_connections(serverid);

	if (client != NULL)
		dyn_client_close_idle(client);
	ResetPlanCache();
	return had_any;
}
