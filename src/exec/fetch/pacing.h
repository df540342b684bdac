/*
 * pacing.h
 *		Decides when the streams of a fetch may send, and how much one request
 *		may read.
 *
 * Keeps the streams to the pace of the table or index that they read.  Private
 * to the fetch.  The pace itself is aws/pace.h; a table's or index's pace is
 * shared by all fetches of a session (model/session/table_pace.h).  A stream
 * throttled at the limit of its partition has a pace of its own.
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
 * dyn_pacing_send is to be called before a request of the stream is sent that
 * may examine `items` items (0: unknown).  It returns false if the request
 * must not be sent yet.  dyn_pacing_grant is to be called when DynamoDB has
 * granted it.
 */
extern bool dyn_pacing_send(struct DynStreamContext *context,
							struct DynStream *stream, double items);
extern void dyn_pacing_grant(struct DynStreamContext *context,
							 struct DynStream *stream, double units,
							 double items);

/*
 * To be called if the request, or the unprocessed rest of it, was throttled.
 * Warns, once for a statement and table, when a spell of throttles
 * (aws/pace.h) has lasted for a second; single ones far apart do not warn.
 * Raises an error if the statement has waited longer than throttle_timeout
 * without a response.
 */
extern void dyn_pacing_refuse(struct DynStreamContext *context,
							  struct DynStream *stream);

#endif
