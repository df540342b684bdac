/*
 * unit_limit.h
 *		The read units that a fetch may use: those of budgets (max_read_units_per_second,
 *		read_percent), and those of one statement (max_read_units_per_statement).
 *
 * Private to the fetch.  Budgets are charged when a request is sent, with the
 * most that it can cost as far as is known, and corrected by its answer, so that
 * many requests in flight do not exceed them; see model/session/budget.h.  What is known:
 *
 *						before an answer			afterwards
 *		Scan, or later	Limit * size described		Limit * largest size seen
 *		  page of Query	(a page of 1 MB)			(a page of 1 MB)
 *		first page of	the same					the same, or the largest
 *		  Query										answer if that is less
 *		keys			keys * size described		keys * largest size seen
 *						(of 400 kB)
 *
 * What a local index fetches from the table is counted like keys.
 *
 * One request costs at most half of what a budget grants in a second, by Limit
 * or number of keys.  Requests in flight become more with the answers, as long
 * as these are few.
 *
 * The limit of a statement counts what requests are expected to cost.
 */
#ifndef DYN_EXEC_SPENDING_H
#define DYN_EXEC_SPENDING_H

#include "../../model/session/budget.h"
#include "../statement/statement.h"

struct DynStream;
struct DynStreamContext;

typedef struct DynSpending
{
	DynBudgets *budgets;		/* NULL: there are none */
	double		request_units;	/* one request may cost so many; 0: any */
	double		most_item;		/* largest units of an item, as seen */
	double		most_request;	/* of a request, as seen */
	int			unanswered;		/* requests whose answers were not taken in */
} DynSpending;

/* By the spec of the context. */
extern void dyn_spending_init(struct DynStreamContext *context);

/* As dyn_pacing_delay. */
extern double dyn_spending_delay(const struct DynStreamContext *context);

/* Items that the next request may examine, of `items` (0: any number). */
extern double dyn_spending_items(const struct DynStreamContext *context,
								 double items);

/*
 * Before a request of the stream is sent that may examine so many items (0:
 * unknown), and is expected to cost stream->cost: charges it.  False: another
 * one was faster, and the budget is used up.  Raises an error if the statement
 * has used up what it may.
 */
extern bool dyn_spending_charge(struct DynStreamContext *context,
								struct DynStream *stream, double items);

/* It is no longer in flight; what it has cost is told next, or never. */
extern void dyn_spending_landed(struct DynStreamContext *context,
								struct DynStream *stream);

/*
 * Of a request in flight: each attempt that was lost keeps its charge, and so
 * the one that repeats it is charged, too.
 */
extern void dyn_spending_repeat(struct DynStreamContext *context,
								struct DynStream *stream);

/*
 * It was granted so many units; or refused, throttled or not: then only attempts
 * that were lost count.
 */
extern void dyn_spending_grant(struct DynStreamContext *context,
							   struct DynStream *stream, double units,
							   double items);
extern void dyn_spending_refuse(struct DynStreamContext *context,
								struct DynStream *stream);

#endif
