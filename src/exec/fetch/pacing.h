/*
 * pacing.h
 *		Decides when the streams of a fetch may send, and how much one request
 *		may read.
 *
 * Private to the fetch.  These limits apply:
 *
 *		pace of the table	after throttles; shared by all fetches of a session
 *		  or index			(aws/pace.h, model/session/session.h)
 *		pace of a stream	after throttles at the limit of its partition
 *		budgets				max_read_units_per_second, read_percent; shared by
 *							all sessions (model/session/budget.h)
 *		statement			max_read_units_per_statement
 *
 * A request charges the budgets with its maximum cost when it is sent, and its
 * response corrects the charge.  So even many requests in flight do not exceed
 * a budget.  The maximum cost is:
 *
 *						before the fetch's			afterwards
 *						first response
 *		Scan			Limit * size described		Limit * largest size seen
 *		first page of	like a Scan					like a Scan, but at most
 *		  Query										the largest response so far
 *		later page of	-							like a Scan
 *		  Query
 *		keys			keys * size described		keys * largest size seen
 *
 * Sizes are read units of an item; "described" is the average according to
 * DescribeTable.  A Scan or Query costs at most as much as a page of 1 MB,
 * even without a Limit.  An item of unknown size is assumed to have 400 kB.
 * Items that a local index fetches from the table are counted like keys.
 *
 * The Limit and the number of keys are chosen so that a request costs at most
 * half of what a budget grants in a second.  A fetch with budgets has at most
 * 1 + (number of responses so far) requests in flight.
 *
 * The limit of a statement also covers the expected cost of the requests in
 * flight.
 */
#ifndef DYN_EXEC_PACING_H
#define DYN_EXEC_PACING_H

#include "../../model/session/budget.h"
#include "../statement/statement.h"

struct DynStream;
struct DynStreamContext;

typedef struct DynPacing
{
	DynTablePace *table;		/* pace of the table or index */
	double		item_units;		/* read units of one examined item (or key),
								 * measured or computed from the table's
								 * description; 0: unknown */
	double		request_units;	/* measured read units of one request; 0:
								 * unknown */
	bool		stalled;		/* true if throttled since the last response */
	double		stalled_ms;		/* ms; time between the first throttle after
								 * the last response and the last throttle;
								 * each interval between two throttles counts
								 * at most LONGEST_LOOK_MS (pacing.c) */
	double		seen_ms;		/* ms; monotonic time of the last change of
								 * stalled_ms */

	DynBudgets *budgets;		/* budgets to charge; NULL: none */
	double		budget_units;	/* maximum read units of one request under the
								 * budgets; 0: unlimited */
	double		most_item;		/* largest measured read units of one item or
								 * key */
	double		most_request;	/* largest measured read units of one
								 * request */
	int			awaited;		/* number of requests of the fetch whose
								 * responses were not taken in yet */
} DynPacing;

extern void dyn_pacing_init(struct DynStreamContext *context);

/*
 * Returns the number of milliseconds until the stream may send; 0: it may send
 * now; DYN_PACE_RESPONSE: it must first wait for a response in flight.
 */
extern double dyn_pacing_delay(const struct DynStreamContext *context,
							   const struct DynStream *stream);

/*
 * Returns the smaller of `limit` (0: unlimited) and the number of items that
 * one page may examine.
 */
extern long dyn_pacing_limit(const struct DynStreamContext *context,
							 long limit);

/*
 * Returns the smaller of `keys` and the number of keys that one BatchGetItem
 * may request.
 */
extern int	dyn_pacing_keys(const struct DynStreamContext *context, int keys);

/*
 * Charges the stream's next request, which may examine `items` items (0:
 * unknown).  Called before the request is sent.  Returns false if the request
 * must not be sent yet, because another request has used up a budget in the
 * meantime.  Raises an error if the statement would exceed its limit.
 */
extern bool dyn_pacing_send(struct DynStreamContext *context,
							struct DynStream *stream, double items);

/*
 * Charges the budgets for repeated attempts of the request in flight.
 * Attempts without a response stay charged, because DynamoDB may have executed
 * them.
 */
extern void dyn_pacing_repeat(struct DynStreamContext *context,
							  struct DynStream *stream);

/*
 * Records that the request is no longer in flight.  The charge stays, unless
 * dyn_pacing_correct or dyn_pacing_grant is called next.
 */
extern void dyn_pacing_landed(struct DynStreamContext *context,
							  struct DynStream *stream);

/*
 * Replaces the charge of the request with the sum of `units` (read units; 0 if
 * the request was throttled or rejected) and the charges of its attempts
 * without a response.
 */
extern void dyn_pacing_correct(struct DynStreamContext *context,
							   struct DynStream *stream, double units);

/*
 * Records the response to a request that has used `units` read units and
 * examined `items` items, and corrects its charge.
 */
extern void dyn_pacing_grant(struct DynStreamContext *context,
							 struct DynStream *stream, double units,
							 double items);

/*
 * Records that the request, or the unprocessed keys of its response, were
 * throttled.  Warns once for each statement and table, when an episode of
 * throttling (aws/pace.h) has lasted for a second; a few separate throttles
 * are not reported.  Raises an error if the fetch has been throttled for
 * longer than throttle_timeout without a response.
 */
extern void dyn_pacing_refuse(struct DynStreamContext *context,
							  struct DynStream *stream);

#endif
