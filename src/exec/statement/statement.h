/*
 * statement.h
 *		What all our nodes of one executing statement share: the number of
 *		requests in flight, the memory for pages, the quota of retries, the
 *		counters.
 *
 * One object for each EState, made by the first node that asks and gone with
 * es_query_cxt.
 */
#ifndef DYN_EXEC_STATEMENT_H
#define DYN_EXEC_STATEMENT_H

#include "nodes/execnodes.h"
#include "utils/memutils.h"

#include "../../aws/pace.h"
#include "../../aws/retry.h"
#include "../../model/session/counters.h"
#include "../../model/session/session.h"

struct DynInput;
struct DynTablePace;

/* That a table or index has throttled the statement. */
typedef struct DynThrottle
{
	const struct DynTablePace *table;
	DynThrottleEpisode episode; /* the present one, or the last */
	bool		warned;
} DynThrottle;

typedef struct DynStatement
{
	EState	   *estate;
	struct DynStatement *next;
	uint64		number;			/* of the statement in this session, from 1 */
	int			in_flight;		/* requests, retries' backoff included */
	size_t		bytes;			/* of pages, arriving (as expected) and
								 * waiting */
	size_t		max_bytes;
	DynCounters counters;
	double		expected_units; /* of the requests in flight */
	DynRetryQuota retries;		/* of all its requests */
	List	   *scans;			/* their DynInput *, as they began */
	List	   *started;		/* of Plan *, see early_start.h */
	List	   *throttles;		/* of DynThrottle * */
	List	   *async_groups;	/* of DynAsyncGroup *, see async.c */
} DynStatement;

extern DynStatement *dyn_statement_get(EState *estate);

/* Has the statement of this number not ended yet? */
extern bool dyn_statement_is_running(uint64 number);

/* 0 is no limit. */
static inline double
dyn_smaller_limit(double a, double b)
{
	return a > 0 && b > 0 ? Min(a, b) : Max(a, b);
}

/*
 * The read units that a statement may use on the server: the smaller one of
 * parameter and option; 0: no limit.
 */
extern double dyn_statement_max_units(const DynConnection *connection);

/* Found or made. */
extern DynThrottle *dyn_statement_throttle(DynStatement *statement,
										   const struct DynTablePace *table);

/* Makes a scan known to the statement's other nodes. */
extern void dyn_statement_add_scan(EState *estate, struct DynInput *scan);

#endif
