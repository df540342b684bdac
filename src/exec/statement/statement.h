/*
 * statement.h
 *		State that all scans and writes of foreign tables share in a statement.
 *
 * There is one DynStatement for each EState, created by the first node that
 * needs it and freed with es_query_cxt.
 */
#ifndef DYN_EXEC_STATEMENT_H
#define DYN_EXEC_STATEMENT_H

#include "nodes/execnodes.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "../../aws/pace.h"
#include "../../aws/retry.h"
#include "../../model/session/usage.h"
#include "../../model/session/session.h"

struct DynRelation;

/* Throttling of the statement's requests to a table or index. */
typedef struct DynThrottle
{
	const DynTablePace *table;
	DynThrottleEpisode episode; /* current or last period of throttling */
	bool		warned;
} DynThrottle;

typedef struct DynStatement
{
	EState	   *estate;
	struct DynStatement *next;
	uint64		number;			/* number in this session, from 1 */
	ResourceOwner owner;		/* owner of the statement's files */
	bool		ended;			/* true if the query, with its data-modifying
								 * CTEs, has run to its end, or if `owner` was
								 * released */
	int			in_flight;		/* requests in flight or waiting for a retry */
	size_t		bytes;			/* bytes of responses that are arriving or
								 * still needed, and of writes in flight */
	size_t		max_bytes;		/* limit of `bytes` (fetch_memory) */
	DynCounters counters;
	double		expected_units; /* expected read units of requests in flight */
	double		lost_units;		/* expected read units of attempts without a
								 * response, which may have been executed */
	DynRetryQuota retries;		/* quota of retries (aws/retry.h) */
	List	   *scans;			/* list of DynInput *, in order of creation */
	List	   *targets;		/* written foreign tables (DynRelation *) */
	List	   *usages;			/* list of DynUsage *: tables and indexes whose
								 * statistics count this statement */
	List	   *started;		/* list of Plan *: plans and subplans for which
								 * start_early (scan.c) has run */
	bool		warned_of_locks;	/* true if warn_if_locking has warned */
	List	   *throttles;		/* list of DynThrottle * */
} DynStatement;

extern DynStatement *dyn_statement_get(EState *estate);

/* Returns the newest statement, or NULL.  Its `next` leads to older ones. */
extern DynStatement *dyn_statement_newest(void);

/* Returns true if the EState of the statement with this number exists. */
extern bool dyn_statement_is_running(uint64 number);

/* Returns the smaller of two limits.  A limit of 0 means unlimited. */
static inline double
dyn_smaller_limit(double a, double b)
{
	return a > 0 && b > 0 ? Min(a, b) : Max(a, b);
}

/* Returns the limit of a statement's read units on the server; 0 if none. */
extern double dyn_statement_max_units(const DynConnection *connection);

/* Sets `ended` in the DynStatement of this EState, if there is one. */
extern void dyn_statement_set_ended(const EState *estate, bool ended);

/* Appends a member to a list that is allocated in es_query_cxt. */
extern void dyn_statement_append(const DynStatement *statement, List **list, void *member);

/* Counts the statement in `usage`, unless this was done before. */
extern void dyn_statement_count(DynStatement *statement, DynUsage *usage);

/* Returns true if the statement writes the DynamoDB table of this relation. */
extern bool dyn_statement_writes(const DynStatement *statement,
								 const struct DynRelation *relation);

/*
 * Returns true if this is the innermost statement in ExecutorRun.  Returns
 * false for a statement that has loaded the library while it was running.
 */
extern bool dyn_is_running(const EState *estate);

/*
 * Returns true if the current call of ExecutorRun fetches all rows of the
 * plan.  Returns false if a client or a cursor fetches only some of them.
 */
extern bool dyn_run_is_to_end(const EState *estate);

/* Installs the hook that dyn_run_is_to_end needs; _PG_init calls this. */
extern void dyn_run_init(void);

#endif
