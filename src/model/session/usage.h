/*
 * usage.h
 *		Counts the requests of this backend, and those of all sessions by
 *		server, user, and table or index.
 *
 * Shared memory, if available (dyn_shared_memory), has the counts of all
 * sessions.  Otherwise each session counts its own requests only.  The number
 * of entries is fixed: a new one replaces the entry that was idle for the
 * longest time.
 *
 * A call is counted when it ends: it is done, or abandoned while in flight.  A
 * throttled attempt that is sent again as another call counts as a retry.  The
 * sum of requests and retries is therefore the number of attempts.
 */
#ifndef DYN_MODEL_USAGE_H
#define DYN_MODEL_USAGE_H

#include "datatype/timestamp.h"

#include "../../aws/client.h"
#include "../../dynamodb/operation.h"
#include "connection.h"
#include "counters.h"
#include "errors.h"

/* Number of operations: each DynOperation, and one for all others. */
#define DYN_USAGE_OPERATIONS	(DYN_OP_TRANSACT_WRITE_ITEMS + 2)

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

/* The counts of one entry. */
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

typedef struct DynUsageRow
{
	Oid			server;
	Oid			userid;
	char		table[DYN_USAGE_NAME_SIZE]; /* "": requests without a table */
	char		index[DYN_USAGE_NAME_SIZE]; /* "": the table itself */
	DynTally	tally;
} DynUsageRow;

/* A connection's handle for the entry of one table or index. */
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
extern void dyn_usage_call(DynUsage *usage, const char *operation,
						   const DynCall *call);

/* Counts an error: the response of a counted call is unusable. */
extern void dyn_usage_reject(DynUsage *usage);

/* Count an unusable response as an error, and raise this error. */
DYN_NORETURN extern void dyn_usage_report_no_match(DynUsage *usage, const DynCall *call,
												   const char *err,
												   const DynRequestContext *context);
DYN_NORETURN extern void dyn_usage_report_page(DynUsage *usage, const DynCall *call,
											   const DynPageError *error,
											   const DynRequestContext *context);

/* Counts a failed request whose last call was counted as a throttled retry. */
extern void dyn_usage_give_up(DynUsage *usage, const char *operation);

/*
 * Adds items, units, pages, conflicts, unanswered attempts, and the
 * milliseconds of waiting_ms and waited_ms; all other counters must be 0.
 */
extern void dyn_usage_add(DynUsage *usage, const DynCounters *counters);

/*
 * Calls `each` for each entry of the current database.  `replaced` is the
 * number of replaced entries of all databases.
 */
extern void dyn_usage_list(void (*each) (void *arg, const DynUsageRow *row,
										 uint64 replaced),
						   void *arg);

/* Removes the entries of all databases. */
extern void dyn_usage_reset(void);

/* Requests the shared memory; called once, when the library is loaded. */
extern void dyn_usage_init(void);

#endif
