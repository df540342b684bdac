/*
 * unit_limit.h
 *		Limits the read units of a fetch.
 *
 * Enforces budgets (max_read_units_per_second, read_percent), and the limit of
 * one statement (max_read_units_per_statement).  Private to the fetch.
 * Budgets are charged when a request is sent, with its maximum cost as far as
 * it is known, and corrected by its response.  Many requests in flight
 * therefore do not exceed them; see model/session/budget.h.  The maximum:
 *
 *						before a response			afterwards
 *		Scan, or later	Limit * size described		Limit * largest size seen
 *		  page of Query	(a page of 1 MB)			(a page of 1 MB)
 *		first page of	the same					the same, or the largest
 *		  Query										response if that is less
 *		keys			keys * size described		keys * largest size seen
 *						(of 400 kB)
 *
 * Items that a local index fetches from the table are counted like keys.
 *
 * One request costs at most half of what a budget grants in a second, by Limit
 * or number of keys.  The number of requests in flight grows with the number
 * of responses, as long as there are few responses.
 *
 * The limit of a statement counts the expected cost of requests.
 */
#ifndef DYN_EXEC_UNIT_LIMIT_H
#define DYN_EXEC_UNIT_LIMIT_H

#include "../../model/session/budget.h"
#include "../statement/statement.h"

struct DynStream;
struct DynStreamContext;

typedef struct DynSpending
{
	DynBudgets *budgets;		/* budgets, or NULL */
	double		request_units;	/* maximum units of one request; 0:
								 * unlimited */
	double		most_item;		/* largest units of an item, as measured */
	double		most_request;	/* largest units of a request, as measured */
	int			awaited;		/* number of requests whose responses were not
								 * taken in */
} DynSpending;

/* Initializes the limits from the context's spec. */
extern void dyn_spending_init(struct DynStreamContext *context);

/* Returns the delay until the stream may send, as dyn_pacing_delay does. */
extern double dyn_spending_delay(const struct DynStreamContext *context);

/*
 * Returns how many items the next request may examine; at most `items` (0: any
 * number).
 */
extern double dyn_spending_items(const struct DynStreamContext *context,
								 double items);

/*
 * Charges a request of the stream before it is sent.  It may examine `items`
 * items (0: unknown), and is expected to cost stream->cost.  Returns false if
 * another request has used up the budget first.  Raises an error if the
 * statement has reached its limit.
 */
extern bool dyn_spending_charge(struct DynStreamContext *context,
								struct DynStream *stream, double items);

/*
 * Notes that the request is not in flight any more.  Its cost is reported
 * next, or never.
 */
extern void dyn_spending_landed(struct DynStreamContext *context,
								struct DynStream *stream);

/*
 * Charges attempts of a request in flight: each lost attempt keeps its charge,
 * so the attempt that repeats it is charged, too.
 */
extern void dyn_spending_repeat(struct DynStreamContext *context,
								struct DynStream *stream);

/*
 * dyn_spending_grant notes the units granted to the request.
 * dyn_spending_refuse notes that it was rejected, throttled or not: only lost
 * attempts then count.
 */
extern void dyn_spending_grant(struct DynStreamContext *context,
							   struct DynStream *stream, double units,
							   double items);
extern void dyn_spending_refuse(struct DynStreamContext *context,
								struct DynStream *stream);

#endif
