/*
 * pacing.h
 *		Decides when the streams of a fetch may send, and how much one request
 *		may read.
 *
 * Private to the fetch.  These limits apply:
 *
 *		pace of the table	after throttles; shared by all fetches of a session
 *		  or index			(aws/pace.h, model/session/table_pace.h)
 *		pace of a stream	after throttles at the limit of its partition
 *		budgets				max_read_units_per_second, read_percent; shared by
 *							all sessions (model/session/budget.h)
 *		statement			max_read_units_per_statement
 *
 * When a request is sent, budgets are charged with its maximum cost, as far as
 * it is known; its response corrects this.  Therefore even many requests in
 * flight do not exceed a budget.  The maximum is:
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
 * or number of keys.  As long as there are few responses, the number of
 * requests in flight is limited by the number of responses.
 *
 * The limit of a statement counts the expected cost of requests.
 */
#ifndef DYN_EXEC_PACING_H
#define DYN_EXEC_PACING_H

#include "../../model/session/budget.h"
#include "../../model/session/table_pace.h"
#include "../statement/statement.h"

struct DynStream;
struct DynStreamContext;

typedef struct DynPacing
{
	DynTablePace *table;
	double		item_units;		/* read units of one examined item (or key),
								 * measured or computed from the table's
								 * description; 0: unknown */
	double		request_units;	/* measured read units of one request */
	bool		stalled;		/* true if throttled since the last response */
	double		stalled_ms;		/* throttled time while it was polled */
	double		seen_ms;		/* time when stalled_ms was updated last */

	DynBudgets *budgets;		/* budgets, or NULL */
	double		budget_units;	/* maximum units of a request; 0: unlimited */
	double		most_item;		/* largest measured units of an item */
	double		most_request;	/* largest measured units of a request */
	int			awaited;		/* number of requests whose response is not
								 * taken in yet */
} DynPacing;

extern void dyn_pacing_init(struct DynStreamContext *context);

/*
 * Returns the milliseconds until the stream may send; 0: now;
 * DYN_PACE_RESPONSE: after a request in flight has its response.
 */
extern double dyn_pacing_delay(const struct DynStreamContext *context,
							   const struct DynStream *stream);

/* Returns the Limit of a page: `limit`, or fewer items; 0: unlimited. */
extern long dyn_pacing_limit(const struct DynStreamContext *context,
							 long limit);

/* Returns the number of keys of one BatchGetItem: `keys`, or fewer. */
extern int	dyn_pacing_keys(const struct DynStreamContext *context, int keys);

/*
 * Charges a request of the stream before it is sent, which may examine `items`
 * items (0: unknown).  Returns false if it must not be sent yet, because
 * another request has used up the budget first.  Raises an error if the
 * statement has reached its limit.
 */
extern bool dyn_pacing_send(struct DynStreamContext *context,
							struct DynStream *stream, double items);

/*
 * Charges attempts of a request in flight: each lost attempt keeps its charge,
 * so the attempt that repeats it is charged, too.
 */
extern void dyn_pacing_repeat(struct DynStreamContext *context,
							  struct DynStream *stream);

/*
 * Records that the request is no longer in flight.  Its cost is reported next,
 * or not at all.
 */
extern void dyn_pacing_landed(struct DynStreamContext *context,
							  struct DynStream *stream);

/*
 * Corrects budgets after a request that was granted these read units; 0 if it
 * was throttled or rejected.  Lost attempts count in any case.
 */
extern void dyn_pacing_correct(struct DynStreamContext *context,
							   struct DynStream *stream, double units);

/*
 * Records the response to a request that has used `units` read units, and
 * examined `items` items; corrects budgets.
 */
extern void dyn_pacing_grant(struct DynStreamContext *context,
							 struct DynStream *stream, double units,
							 double items);

/*
 * Records that the request, or its unprocessed rest, was throttled.  Warns,
 * once for each statement and table, when an episode of throttling
 * (aws/pace.h) has lasted for a second, but not for rare single refusals.
 * Raises an error if the statement has waited longer than throttle_timeout
 * without a response.
 */
extern void dyn_pacing_refuse(struct DynStreamContext *context,
							  struct DynStream *stream);

#endif
