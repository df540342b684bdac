/*
 * pacing.h
 *		Decides when the streams of a fetch may send, and how much one request
 *		may read.
 *
 * The pace of a table or index (aws/pace.h) is shared by all fetches of a
 * session (model/session/table_pace.h).  A stream throttled at the limit of
 * its partition also has a pace of its own.  Private to the fetch.
 */
#ifndef DYN_EXEC_PACING_H
#define DYN_EXEC_PACING_H

#include "../../model/session/table_pace.h"
#include "../statement/statement.h"

struct DynStream;
struct DynStreamContext;

typedef struct DynPacing
{
	DynTablePace *table;
	double		item_units;		/* read units of one item (or key) examined, as
								 * measured or described; 0: unknown */
	double		request_units;	/* read units of one request, as measured */
	bool		stalled;		/* true if throttled since the last response */
	double		stalled_ms;		/* throttled time in which the fetch was
								 * polled */
	double		seen_ms;		/* time when stalled_ms was updated last */
} DynPacing;

/* Initializes the pacing from the context's spec. */
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
 * Records that a request of the stream is to be sent, which may examine
 * `items` items (0: unknown).  Returns false if it must not be sent yet.
 */
extern bool dyn_pacing_send(struct DynStreamContext *context,
							struct DynStream *stream, double items);

/*
 * Records the response to a request that has used `units` read units, and
 * examined `items` items.
 */
extern void dyn_pacing_grant(struct DynStreamContext *context,
							 struct DynStream *stream, double units,
							 double items);

/*
 * Records that the request, or its unprocessed rest, was throttled.  Warns,
 * once for a statement and table, when an episode of throttling (aws/pace.h)
 * has lasted for a second; single refusals far apart do not warn.  Raises an
 * error if the statement has waited longer than throttle_timeout without a
 * response.
 */
extern void dyn_pacing_refuse(struct DynStreamContext *context,
							  struct DynStream *stream);

#endif
