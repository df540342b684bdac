/*
 * usage.h
 *		Counts the requests of this backend, and those of all sessions by
 *		server, user, and table or index.  Remembers the pace at which this
 *		backend reads or writes each of them.
 *
 * Shared memory, if available (dyn_shared_memory), has the counts of all
 * sessions.  Otherwise each session counts its own requests only.
 *
 * A call is counted when it ends: it is done, or abandoned while in flight.  A
 * throttled attempt that is sent again as another call counts as a retry.  The
 * sum of requests and retries is therefore the number of attempts.
 */
#ifndef DYN_MODEL_USAGE_H
#define DYN_MODEL_USAGE_H

#include "datatype/timestamp.h"

#include "../../aws/client.h"
#include "../../aws/pace.h"
#include "../../dynamodb/operation.h"
#include "connection.h"

/* Counts of a node, a statement, a backend, or an entry. */
typedef struct DynCounters
{
	uint64		requests;		/* requests that succeeded or finally failed; a
								 * retry is not another request */
	uint64		retries;		/* attempts beyond the first */
	uint64		throttles;		/* attempts that were throttled */
	uint64		pages;			/* responses with items (or a count) */
	uint64		items_read;		/* sum of ScannedCount, plus the items of
								 * GetItem and BatchGetItem */
	uint64		items_returned; /* items in the responses */
	uint64		bytes;			/* body bytes on the wire */
	double		waited_ms;		/* time (ms) in which nothing could be sent,
								 * because of throttling or a limit on units */
	double		request_ms;		/* sum of the durations (ms) of requests, with
								 * their retries but without waited_ms */
	double		slowest_ms;		/* longest duration (ms) of a request with its
								 * retries, except retries after throttling */
	double		waiting_ms;		/* time (ms) in which the backend did nothing
								 * but wait */
	double		read_units;		/* sum of ConsumedCapacity, where requested */
	uint64		items_written;	/* writes that DynamoDB confirmed */
	double		write_units;	/* write units consumed by these writes */
	uint64		conflicts;		/* writes rejected because the item had been
								 * changed in the meantime */
	uint64		unanswered;		/* write attempts of unknown outcome: there was
								 * no usable response */
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

/* Number of operations; the statistics show CreateTable as other_requests. */
#define DYN_USAGE_OPERATIONS	(DYN_OP_CREATE_TABLE + 1)

/* Classes of failures that end a request. */
typedef enum DynUsageError
{
	DYN_USAGE_DENIED,			/* invalid credentials, or not permitted */
	DYN_USAGE_THROTTLED,		/* throttled until a limit was reached */
	DYN_USAGE_CONFLICT,			/* failed condition of a write, canceled
								 * transaction, or conflict with another
								 * write */
	DYN_USAGE_SERVICE,			/* errors of the service (HTTP 5xx) */
	DYN_USAGE_NETWORK,			/* no connection, or no response */
	DYN_USAGE_REFUSED,			/* other errors of the request (HTTP 4xx) */
	DYN_USAGE_OTHER,			/* unusable responses, bad configuration */
	DYN_USAGE_CANCELED,			/* abandoned while in flight */
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

/* Bytes of a name in an entry, with NUL; longer names are truncated. */
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

/* A connection's handle for the entry and the paces of one table or index. */
typedef struct DynUsage DynUsage;

/*
 * Returns the handle, found or created in the connection's memory; valid as
 * long as the connection is pinned.  `table` and `index` may be NULL.
 */
extern DynUsage *dyn_usage_of(DynConnection *connection, const char *table,
							  const char *index);

/* Counts a statement unless the last counted statement had this number. */
extern void dyn_usage_statement(DynUsage *usage, uint64 number);

/*
 * Counts a call that is done, or is about to be destroyed in flight; ignores a
 * call that is destroyed before its first attempt.
 */
extern void dyn_usage_call(DynUsage *usage, DynOperation op, const DynCall *call);

/* Counts an error: the response of a counted call is unusable. */
extern void dyn_usage_reject(DynUsage *usage);

/* Counts a failed request whose last call was counted as a throttled retry. */
extern void dyn_usage_give_up(DynUsage *usage, DynOperation op);

/*
 * Adds items, units, pages, conflicts, unanswered attempts, and the
 * milliseconds of waiting_ms and waited_ms; all other counters must be 0.
 */
extern void dyn_usage_add(DynUsage *usage, const DynCounters *counters);

/*
 * Calls `each` for each entry of the current database.  If no entry is free, a
 * new entry replaces the one that has been idle for the longest time;
 * `replaced` is the number of entries, of all databases, that were replaced.
 */
extern void dyn_usage_list(void (*each) (void *arg, const DynUsageEntry *entry,
										 uint64 replaced),
						   void *arg);

/* Removes the entries of all databases. */
extern void dyn_usage_reset(void);

/*
 * The pace (measured rate) of a table or index that a connection reads, or of
 * the writes of a table.
 *
 * A new statement does not reuse the pace learned by an earlier one; it starts
 * as in a new session.  A statement that is nested in a running statement, and
 * reads a table that the outer statement has just read, continues at the outer
 * statement's pace, since both statements read from this table.
 */
typedef struct DynTablePace
{
	DynPace		pace;
	int			in_flight;		/* number of requests in flight, of all
								 * statements */
	uint64		statement;		/* number of the statement that started the
								 * pace; 0: none */

	/*
	 * time and stream of the last request that a partition's limit throttled
	 */
	double		hot_ms;
	const void *hot_stream;		/* stream, or NULL */
	double		shared_ms;		/* last time that such requests of two streams
								 * were throttled shortly after each other:
								 * both streams may read one partition */
} DynTablePace;

/*
 * Returns the pace of reads or writes.  `statement` is the number of the
 * running statement; `is_running` returns true for a statement that has not
 * ended yet.
 */
extern DynTablePace *dyn_table_pace(DynUsage *usage, bool writes, uint64 statement,
									bool (*is_running) (uint64 statement));

/* Requests the shared memory; called once, when the library is loaded. */
extern void dyn_usage_init(void);

#endif
