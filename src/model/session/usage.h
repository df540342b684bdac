/*
 * usage.h
 *		Counts the requests of this backend, and those of all sessions by
 *		server, user, and table or index.  Remembers the rate at which this
 *		backend can read or write each table or index.
 *
 * Shared memory, if available (dyn_shared_memory), has the counts of all
 * sessions.  Otherwise each session counts its own requests only.
 *
 * A request may take several calls, and a call several attempts.  A call is
 * counted when it is done, or is abandoned while in flight.  One attempt of a
 * request counts as the request, and the others count as retries.
 */
#ifndef DYN_MODEL_USAGE_H
#define DYN_MODEL_USAGE_H

#include "datatype/timestamp.h"

#include "../../aws/client.h"
#include "../../aws/pace.h"
#include "../../dynamodb/operation.h"
#include "connection.h"

/* Counts for a plan node, a statement, a backend, or a DynUsageEntry. */
typedef struct DynCounters
{
	uint64		requests;		/* finished requests (not attempts) */
	uint64		retries;		/* attempts beyond the first */
	uint64		throttles;		/* attempts that were throttled */
	uint64		pages;			/* usable responses to reads */
	uint64		items_read;		/* items examined, or read by their keys */
	uint64		items_returned; /* items in the responses */
	uint64		bytes;			/* body bytes on the wire */
	double		waited_ms;		/* time (ms) in which throttling or a limit on
								 * units allowed no request */
	double		request_ms;		/* sum of the durations (ms) of requests with
								 * their retries, without waited_ms */
	double		slowest_ms;		/* longest duration (ms) of one call, with all
								 * attempts of this call */
	double		waiting_ms;		/* time (ms) in which the backend only waited */
	double		read_units;		/* sum of ConsumedCapacity, where requested */
	uint64		items_written;	/* writes that DynamoDB confirmed */
	double		write_units;	/* write units consumed by confirmed writes */
	uint64		conflicts;		/* writes rejected: the item had changed */
	uint64		unanswered;		/* write attempts without a usable response */
} DynCounters;

extern DynCounters dyn_backend_counters;

static inline void
dyn_counters_add(DynCounters *sum, const DynCounters *more)
{
	sum->requests += more->requests;
	sum->retries += more->retries;
	sum->throttles += more->throttles;
	sum->waited_ms += more->waited_ms;
	sum->request_ms += more->request_ms;
	sum->slowest_ms = Max(sum->slowest_ms, more->slowest_ms);
	sum->waiting_ms += more->waiting_ms;
	sum->pages += more->pages;
	sum->items_read += more->items_read;
	sum->items_returned += more->items_returned;
	sum->bytes += more->bytes;
	sum->read_units += more->read_units;
	sum->items_written += more->items_written;
	sum->write_units += more->write_units;
	sum->conflicts += more->conflicts;
	sum->unanswered += more->unanswered;
}

/* Number of operations; CreateTable is the last one. */
#define DYN_USAGE_OPERATIONS	(DYN_OP_CREATE_TABLE + 1)

/* Classes of failures that end a request. */
typedef enum DynUsageError
{
	DYN_USAGE_DENIED,			/* invalid credentials, or not permitted */
	DYN_USAGE_THROTTLED,		/* throttled in its last attempt */
	DYN_USAGE_CONFLICT,			/* failed condition, canceled transaction, or
								 * conflict with another write */
	DYN_USAGE_SERVICE,			/* errors of the service (HTTP 5xx) */
	DYN_USAGE_NETWORK,			/* no connection, or no response */
	DYN_USAGE_REFUSED,			/* other errors of the request (HTTP 4xx) */
	DYN_USAGE_OTHER,			/* unusable responses, bad configuration */
	DYN_USAGE_CANCELED,			/* abandoned before its last response */
	DYN_USAGE_ERRORS			/* number of classes */
} DynUsageError;

typedef struct DynTally
{
	uint64		statements;
	uint64		operations[DYN_USAGE_OPERATIONS];	/* requests by operation */
	uint64		errors[DYN_USAGE_ERRORS];
	DynCounters counters;
	TimestampTz since;			/* time of the first count */
} DynTally;

/* Bytes of a UTF-8 name in an entry, with NUL; longer names are truncated. */
#define DYN_USAGE_NAME_SIZE	256

typedef struct DynUsageKey
{
	Oid			database;		/* InvalidOid: the entry is free */
	Oid			server;
	Oid			userid;
	uint64		names;			/* hash of table and index */
} DynUsageKey;

typedef struct DynUsageEntry
{
	DynUsageKey key;
	TimestampTz used;			/* time of the last count */
	char		table[DYN_USAGE_NAME_SIZE]; /* "": requests without a table */
	char		index[DYN_USAGE_NAME_SIZE]; /* "": the table itself */
	DynTally	tally;
} DynUsageEntry;

/* A connection's handle for the counts and rates of one table or index. */
typedef struct DynUsage DynUsage;

/*
 * Returns the handle, found or created in the connection's memory; valid as
 * long as the connection is pinned.  `table` and `index` may be NULL.
 */
extern DynUsage *dyn_usage_of(DynConnection *connection, const char *table,
							  const char *index);

extern void dyn_usage_statement(DynUsage *usage);

/*
 * Counts a call that is done, or that is about to be destroyed in flight, and
 * returns the counts.  Ignores a call in flight if its request has never been
 * sent.  A call that will be repeated (dyn_call_is_repeated) counts as a
 * retry, unless the caller gives the request up, and passes true as
 * `abandoned`.
 */
extern DynCounters dyn_usage_call(DynUsage *usage, DynOperation op,
								  const DynCall *call, bool abandoned);

/* Counts an error, because the response of a counted call is unusable. */
extern void dyn_usage_reject(DynUsage *usage);

/*
 * Counts the failure of a request whose last call is `call`.  `error` is the
 * class of the failure; if it is OTHER, the class is derived from `call`.
 * If the call was counted as a retry (dyn_call_is_repeated), it is now counted
 * as a request instead.
 */
extern void dyn_usage_give_up(DynUsage *usage, DynOperation op, const DynCall *call,
							  DynUsageError error);

/*
 * Adds items, units, pages, conflicts, waiting_ms and waited_ms.  All other
 * counters must be 0, since dyn_usage_call adds them.
 */
extern void dyn_usage_add(DynUsage *usage, const DynCounters *counters);

/*
 * Calls `each` for each entry of the current database.  If no entry is free, a
 * new entry replaces the one that has been idle for the longest time;
 * `replaced` is the number of replaced entries of all databases.  `shared` is
 * true if the counts are those of all sessions.
 */
extern void dyn_usage_list(void (*each) (void *arg, const DynUsageEntry *entry,
										 uint64 replaced, bool shared), void *arg);

/* Removes the entries of all databases. */
extern void dyn_usage_reset(void);

/*
 * The measured rate (pace) of a connection's reads of a table or index, or of
 * its writes of a table.  A statement starts with a new rate if the current
 * rate is outdated, or if the statement that started this rate has ended.  So
 * a statement inside a function uses the rate of the calling statement.
 */
typedef struct DynTablePace
{
	DynPace		pace;
	int			in_flight;		/* requests in flight, for all statements */
	uint64		statement;		/* statement that started the pace, or 0 */

	/* time (ms) when a partition's limit last throttled a request */
	double		hot_ms;
	const void *hot_stream;		/* stream of that request, or NULL */
	double		shared_ms;		/* time (ms) when two streams were last
								 * throttled in quick succession, each by the
								 * limit of a partition; they may read the same
								 * partition */
} DynTablePace;

/*
 * Returns the pace of reads or writes for the statement with this number.
 * `is_running` returns true for a statement that has not ended yet.
 */
extern DynTablePace *dyn_table_pace(DynUsage *usage, bool writes, uint64 statement,
									bool (*is_running) (uint64 statement));

/* Requests the shared memory; called once, when the library is loaded. */
extern void dyn_usage_init(void);

#endif
