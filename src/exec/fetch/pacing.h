/*
 * pacing.h
 *		When the streams of a fetch may send, and how much with one request, so
 *		that they keep to the pace of the table or index that they read.
 *
 * Private to the fetch.  The pace itself is aws/pace.h; the one of a table or
 * index is shared by all fetches of a session (model/session/table_pace.h).  A stream
 * that was throttled for the limit of its partition has one of its own.
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
								 * seen or described; 0: unknown */
	double		request_units;	/* of one request, as seen */
	bool		stalled;		/* throttled since the last answer */
	double		stalled_ms;		/* time of that, while the fetch was looked at */
	double		seen_ms;		/* when that time was counted last */
} DynPacing;

/* By the spec of the context. */
extern void dyn_pacing_init(struct DynStreamContext *context);

/*
 * Milliseconds until the stream may send; 0: now; DYN_PACE_RESPONSE: when an
 * answer of a request in flight has come.
 */
extern double dyn_pacing_delay(const struct DynStreamContext *context,
							   const struct DynStream *stream);

/* The Limit of a page: `limit`, or fewer items; 0: none. */
extern long dyn_pacing_limit(const struct DynStreamContext *context,
							 long limit);

/* The keys of one BatchGetItem: `keys`, or fewer. */
extern int	dyn_pacing_keys(const struct DynStreamContext *context, int keys);

/*
 * To be called before a request of the stream is sent that may examine so many
 * items, 0 if that is not known; false: it must not be sent yet.  And when it
 * was granted.
 */
extern bool dyn_pacing_send(struct DynStreamContext *context,
							struct DynStream *stream, double items);
extern void dyn_pacing_grant(struct DynStreamContext *context,
							 struct DynStream *stream, double units,
							 double items);

/*
 * The request was throttled, or what an answer left of it.  Warns, once for a
 * statement and table, when a spell of throttles (aws/pace.h) has lasted for a
 * second; single ones far apart do not warn.  Raises an error if the statement
 * has waited longer than throttle_timeout without an answer.
 */
extern void dyn_pacing_refuse(struct DynStreamContext *context,
							  struct DynStream *stream);

#endif
