/*
 * usage.c
 *		Counts requests in shared memory.
 *
 * A spinlock protects the entries.  It is held to add counts, to search through
 * 500 entries if a DynUsage is new, and to copy an entry.  It is never held
 * where an error could be raised.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/spin.h"
#include "utils/timestamp.h"

#include "../../aws/loop.h"
#include "../server/pg_compat.h"
#include "errors.h"
#include "usage.h"

#define MAX_ENTRIES		500

/* Time (ms) after which an unused pace (measured rate) is outdated. */
#define FRESH_MS		10000.0

typedef struct UsageTable
{
	slock_t		lock;
	uint64		replaced;		/* number of replaced entries */
	DynUsageEntry entries[MAX_ENTRIES];
} UsageTable;

struct DynUsage
{
	struct DynUsage *next;
	DynUsageKey key;
	char	   *table;
	char	   *index;
	int			slot;			/* position in UsageTable.entries at which the
								 * entry of this key was last found */
	int			max_concurrency;	/* the connection's limit */
	DynTablePace paces[2];		/* measured rates of reads and writes */
};

DynCounters dyn_backend_counters;

static void
init_table(void *table)
{
	memset(table, 0, sizeof(UsageTable));
	SpinLockInit(&((UsageTable *) table)->lock);
}

/* The name ends with the version of the layout (see budget.c). */
static DynSharedBlock block = {
	.name = "dynamo_fdw usage 1",.purpose = "counted",.size = sizeof(UsageTable),.init = init_table
};

void
dyn_usage_init(void)
{
	dyn_request_shared_memory(&block);
}

/* ---- handles ---- */

DynUsage *
dyn_usage_of(DynConnection *connection, const char *table, const char *index)
{
	DynUsage   *usage = connection->usages;

	table = table ? table : "";
	index = index ? index : "";
	while (usage != NULL && (strcmp(usage->table, table) != 0 ||
							 strcmp(usage->index, index) != 0))
		usage = usage->next;
	if (usage != NULL)
		return usage;
	/* attach to shared memory now, while an error has no side effects */
	(void) dyn_shared_memory(&block);
	usage = MemoryContextAllocZero(connection->context, sizeof(DynUsage));
	usage->table = MemoryContextStrdup(connection->context, table);
	usage->index = MemoryContextStrdup(connection->context, index);
	usage->key.database = MyDatabaseId;
	usage->key.server = connection->serverid;
	usage->key.userid = connection->userid;
	usage->max_concurrency = connection->max_concurrency;
	usage->key.names = hash_bytes_extended((const unsigned char *) table, strlen(table) + 1, 0);
	usage->key.names = hash_bytes_extended((const unsigned char *) index, strlen(index) + 1,
										   usage->key.names);
	usage->next = connection->usages;
	connection->usages = usage;
	return usage;
}

DynTablePace *
dyn_table_pace(DynUsage *usage, bool writes, uint64 statement,
			   bool (*is_running) (uint64 statement))
{
	DynTablePace *pace = &usage->paces[writes];

	if (pace->statement == statement)
		return pace;
	pace->hot_stream = NULL;
	pace->shared_ms = 0;
	if (!is_running(pace->statement) ||
		(pace->pace.throttled &&
		 dyn_loop_now_us() / 1000.0 - pace->pace.seen_ms >= FRESH_MS))
	{
		dyn_pace_init(&pace->pace, usage->max_concurrency);
		pace->statement = statement;
	}
	return pace;
}

/* ---- entries, under the lock ---- */

static bool
is_of(const DynUsageEntry *entry, const DynUsage *usage)
{
	return memcmp(&entry->key, &usage->key, sizeof(entry->key)) == 0;
}

/* Copies a name; if it is too long, truncates it after a full character. */
static void
set_name(char *field, const char *utf8)
{
	strlcpy(field, utf8, pg_encoding_mbcliplen(PG_UTF8, utf8, strlen(utf8),
											   DYN_USAGE_NAME_SIZE - 1) + 1);
}

static DynUsageEntry *
find_entry(UsageTable *table, DynUsage *usage, TimestampTz now)
{
	DynUsageEntry *entry = &table->entries[usage->slot];

	for (int i = 0; i < MAX_ENTRIES && !is_of(entry, usage); i++)
		entry = &table->entries[i];
	if (!is_of(entry, usage))
	{
		/* take a free entry, or the one that was idle for the longest time */
		entry = &table->entries[0];
		for (int i = 1; i < MAX_ENTRIES; i++)
		{
			if (table->entries[i].used < entry->used)
				entry = &table->entries[i];
		}
		table->replaced += entry->key.database != InvalidOid;
		memset(entry, 0, sizeof(DynUsageEntry));
		entry->key = usage->key;
		set_name(entry->table, usage->table);
		set_name(entry->index, usage->index);
		entry->tally.since = now;
	}
	usage->slot = entry - table->entries;
	entry->used = now;
	return entry;
}

/* ---- counting ---- */

static void
add_tally(DynUsage *usage, const DynTally *more)
{
	UsageTable *table = dyn_shared_memory(&block);
	TimestampTz now = GetCurrentTimestamp();
	DynTally   *sum;

	SpinLockAcquire(&table->lock);
	sum = &find_entry(table, usage, now)->tally;
	sum->statements += more->statements;
	for (int i = 0; i < DYN_USAGE_OPERATIONS; i++)
		sum->operations[i] += more->operations[i];
	for (int i = 0; i < DYN_USAGE_ERRORS; i++)
		sum->errors[i] += more->errors[i];
	dyn_counters_add(&sum->counters, &more->counters);
	/* dyn_usage_give_up() subtracts a retry, which a reset may have removed */
	sum->counters.retries = Max((int64) sum->counters.retries, 0);
	SpinLockRelease(&table->lock);
	dyn_counters_add(&dyn_backend_counters, &more->counters);
}

void
dyn_usage_statement(DynUsage *usage)
{
	add_tally(usage, &(DynTally) {.statements = 1});
}

static DynUsageError
error_of(const DynCall *call)
{
	if (call->throttled)
		return DYN_USAGE_THROTTLED;
	switch (dyn_failure_sqlstate(call))
	{
		case ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION:
		case ERRCODE_INSUFFICIENT_PRIVILEGE:
			return DYN_USAGE_DENIED;
		case ERRCODE_T_R_SERIALIZATION_FAILURE:
			return DYN_USAGE_CONFLICT;
		case ERRCODE_FDW_UNABLE_TO_ESTABLISH_CONNECTION:
		case ERRCODE_CONNECTION_FAILURE:
			return DYN_USAGE_NETWORK;
		default:
			/*
			 * the response of a canceled transaction can be too large, since
			 * its reasons contain the items
			 */
			if (call->failure == DYN_FAIL_TOO_LARGE && call->once && !call->unanswered)
				return DYN_USAGE_CONFLICT;
			return call->http_status >= 500 ? DYN_USAGE_SERVICE
				: call->failure == DYN_FAIL_SERVICE ? DYN_USAGE_REFUSED
				: DYN_USAGE_OTHER;
	}
}

DynCounters
dyn_usage_call(DynUsage *usage, DynOperation op, const DynCall *call, bool abandoned)
{
	DynTally	more = {0};
	bool		done = call->state == DYN_CALL_DONE;
	bool		repeated = done && dyn_call_is_repeated(call);

	if (!done && call->attempts == 0 && !call->repeats)
		return more.counters;
	more.counters.throttles = call->throttles;
	more.counters.bytes = call->bytes_received;
	more.counters.unanswered = done && call->unanswered;
	/*
	 * if this call repeats another call, that call has already counted the
	 * first attempt of this call as a retry; if this call made no attempt, its
	 * own count is -1, which takes that retry back
	 */
	more.counters.retries = Max(call->attempts, !call->repeats) - 1;
	more.counters.request_ms = done ? call->elapsed_ms
		: dyn_loop_now_us() / 1000.0 - call->started_ms;
	more.counters.slowest_ms = more.counters.request_ms;
	if (repeated && !abandoned)
		more.counters.retries++;
	else
	{
		more.counters.requests = 1;
		more.operations[op] = 1;
		if (!done || repeated)
			more.errors[DYN_USAGE_CANCELED] = 1;
		else if (call->failure != DYN_FAIL_NONE)
			more.errors[error_of(call)] = 1;
	}
	add_tally(usage, &more);
	return more.counters;
}

void
dyn_usage_give_up(DynUsage *usage, DynOperation op, const DynCall *call,
				  DynUsageError error)
{
	DynTally	more = {0};

	more.errors[error == DYN_USAGE_OTHER ? error_of(call) : error] = 1;
	if (dyn_call_is_repeated(call))
	{
		more.counters.requests = 1;
		more.operations[op] = 1;
		/*
		 * undo the retry that dyn_usage_call counted: add -1 (the unsigned
		 * addition in dyn_counters_add wraps around)
		 */
		more.counters.retries--;
	}
	add_tally(usage, &more);
}

void
dyn_usage_reject(DynUsage *usage)
{
	add_tally(usage, &(DynTally) {.errors[DYN_USAGE_OTHER] = 1});
}

void
dyn_usage_add(DynUsage *usage, const DynCounters *counters)
{
	add_tally(usage, &(DynTally) {.counters = *counters});
}

/* ---- listing and removing entries ---- */

void
dyn_usage_list(void (*each) (void *arg, const DynUsageEntry *entry, uint64 replaced,
							 bool shared), void *arg)
{
	UsageTable *table = dyn_shared_memory(&block);
	DynUsageEntry *entry = palloc(sizeof(DynUsageEntry));

	for (int i = 0; i < MAX_ENTRIES; i++)
	{
		uint64		replaced;

		SpinLockAcquire(&table->lock);
		replaced = table->replaced;
		*entry = table->entries[i];
		SpinLockRelease(&table->lock);
		if (entry->key.database == MyDatabaseId)
			each(arg, entry, replaced, dyn_has_shared_memory(&block));
	}
	pfree(entry);
}

void
dyn_usage_reset(void)
{
	UsageTable *table = dyn_shared_memory(&block);

	SpinLockAcquire(&table->lock);
	memset(table->entries, 0, sizeof(table->entries));
	table->replaced = 0;
	SpinLockRelease(&table->lock);
}
