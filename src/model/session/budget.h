/*
 * budget.h
 *		Budgets of read or write units per second, for a server or a table,
 *		shared by all backends.
 *
 * A budget is a token bucket that holds the units of one second.  A request may
 * be sent while the bucket is not empty.  A read takes its maximum cost from the
 * bucket, a write its estimated cost.  The charge is corrected when the real
 * cost is known.  Repeated attempts of a read are charged even if the bucket
 * is empty.
 *
 * Buckets are in shared memory (dyn_shared_memory).  If shared memory is not
 * available, or has no bucket left, each session uses a bucket of its own.
 *
 * A budget applies within one database, server, endpoint and region.  It is the
 * budget of one of these:
 * - the server; all its foreign tables share this budget
 * - a DynamoDB table; foreign tables with the same limit, such as
 *   max_read_units_per_second, share this budget
 * - the capacity of a DynamoDB table or global index; foreign tables with the
 *   same read_capacity and read_percent share this budget
 *
 * Times are in ms of a monotonic clock.
 */
#ifndef DYN_MODEL_BUDGET_H
#define DYN_MODEL_BUDGET_H

#include "../server/pg_compat.h"

#include "session.h"

typedef enum DynBudgetKind
{
	DYN_BUDGET_READS,
	DYN_BUDGET_WRITES
} DynBudgetKind;

typedef struct DynBudget
{
	struct
	{
		Oid			database;
		Oid			server;
		uint64		hash;		/* hash of kind, endpoint, region, table, and
								 * rate or `capacity` (see dyn_budgets_add) */
	}			key;
	double		rate;			/* units per second */
	int			slot;			/* last known position among the buckets */
} DynBudget;

/* Budgets of the server, table and capacity that a request is charged to. */
typedef struct DynBudgets
{
	int			nbudgets;
	DynBudget	budgets[3];
} DynBudgets;

/*
 * Adds a budget of `rate` units per second; nothing if `rate` is 0.
 * - If `table` is NULL, it is the budget of the server.
 * - If only `capacity` is NULL, it is the budget of the table.
 * - Otherwise it is the budget for the provisioned capacity of the table or of
 *   one global index.  `capacity` is then the index name and the capacity
 *   options, but not the rate, so that the budget stays the same when the rate
 *   changes.
 */
extern void dyn_budgets_add(DynBudgets *budgets, const DynConnection *connection,
							DynBudgetKind kind, const char *table,
							const char *capacity, double rate);

/*
 * Takes the units from all budgets, and returns 0.  If any budget is empty,
 * takes no units, and returns the milliseconds after which to try again, at
 * most 100, since another backend may return units in the meantime.
 */
extern double dyn_budgets_take(DynBudgets *budgets, double units, double now_ms);

/* Corrects a charge from `charged` to `used`, unless `budgets` is NULL. */
extern void dyn_budgets_correct(DynBudgets *budgets, double charged,
								double used, double now_ms);

/* Appends "R per second of `owner`" to EXPLAIN's list, unless `rate` is 0. */
extern void dyn_budget_append_text(StringInfo list, double rate, const char *owner);

/* Shows the list and whether all sessions share it; nothing if it is empty. */
extern void dyn_budget_show(const char *label, StringInfo list, ExplainState *es);

/* Requests the shared memory; called once, when the library is loaded. */
extern void dyn_budget_init(void);

#endif
