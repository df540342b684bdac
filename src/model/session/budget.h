/*
 * budget.h
 *		Budgets of read units: so many in a second, for a server or for a
 *		table, of all backends together.
 *
 * A budget is a bucket of tokens that holds what comes in one second.  A
 * request takes what it can cost at most when it is sent, which is corrected
 * when it is known; it may be sent while the bucket is not empty, so that the
 * debt is at most one request.  Hence no more is used than units a second *
 * (elapsed + 1 s), and what one request costs.
 *
 * Buckets are in shared memory where it can be had (dyn_shared_memory), else
 * each session has its own.  There is a fixed number of them; one that is full
 * again is as good as new, and can be used for another budget.
 *
 * A budget belongs to a database, a server and its endpoint and region, and
 * maybe to a DynamoDB table, to its capacity, or to that of a global index.
 * Times are those of a monotonic clock, in ms.
 */
#ifndef DYN_MODEL_BUDGET_H
#define DYN_MODEL_BUDGET_H

#include "session.h"

typedef struct DynBudget
{
	struct
	{
		Oid			database;
		Oid			server;
		uint64		hash;		/* of endpoint, region and table */
	}			key;
	double		rate;			/* units a second */
	int			slot;			/* where its bucket was last */
} DynBudget;

/*
 * Those that a request is charged to: of its server, of its table, and of the
 * capacity that it uses.
 */
typedef struct DynBudgets
{
	int			nbudgets;
	DynBudget	budgets[3];
} DynBudgets;

/*
 * Adds the server's budget (table NULL), or the table's, of so many units a
 * second; or that of a capacity: of the table ("") or of a global index of it.
 */
extern void dyn_budgets_add(DynBudgets *budgets, const DynConnection *connection,
							const char *table, const char *capacity, double rate);

/*
 * Milliseconds until a request may be sent; 0: now.  It is no more than a
 * fraction of a second, since another backend may give units back meanwhile.
 */
extern double dyn_budgets_delay(DynBudgets *budgets, double now_ms);

/* Takes the units from all of them, or, if one is empty, from none: false. */
extern bool dyn_budgets_take(DynBudgets *budgets, double units, double now_ms);

/* A request that was charged so many units has used others. */
extern void dyn_budgets_correct(DynBudgets *budgets, double charged,
								double used, double now_ms);

/* Called once, when the library is loaded. */
extern void dyn_budget_init(void);

#endif
