/*
 * fetch.h
 *		Runs an access plan's requests and returns the items, one by one.
 *
 * This is the only producer of items.  A fetch is a set of streams.  A stream
 * is one Query, one segment of a Scan, one GetItem or one chunk of a
 * BatchGetItem, with all its pages.  Several are in flight at once, and pages
 * are requested ahead, within the statement's limits of requests and bytes.
 *
 * Legal order: dyn_fetch_start, then dyn_fetch_next until it returns false, or
 * dyn_fetch_count once.  The fetch lives in a memory context of its own below
 * the one that is current at the start.  dyn_fetch_stop deletes it at any
 * time, and so does the end of the parent context.  Requests in flight are
 * then abandoned.
 *
 * Items come in any order, with two exceptions.  If the params has sort values,
 * streams are merged by them; each stream returns its own items in that order.
 * If the fetch is keyed, the caller names each stream by its number, usually
 * in rising order, and those that follow are read ahead.
 */
#ifndef DYN_EXEC_FETCH_H
#define DYN_EXEC_FETCH_H

#include "lib/stringinfo.h"

#include "../../dynamodb/operation.h"
#include "../../dynamodb/page_check.h"
#include "../../model/tables/relation.h"
#include "../../plan/keys/access.h"
#include "../statement/statement.h"

typedef struct DynFetch DynFetch;

/*
 * Bound of a fetch that may stop early.  Before the request that follows this
 * many items or read units, `beyond` is called once; it may raise an error.
 * Until then, streams are read one at a time.
 */
typedef struct DynReadBound
{
	double		units;			/* 0: unbounded, also in items */
	long		items;			/* 0: only in units */
	double		wanted;			/* number of rows for which that many units are
								 * read... */
	const double *found;		/* ...and number of rows returned so far; NULL:
								 * not counted */
	void		(*beyond) (void *arg);
	void	   *arg;
} DynReadBound;

typedef struct DynFetchParams
{
	DynConnection *connection;
	DynOperation op;			/* operation of every request */
	const char *table;
	const char *index;			/* index name; NULL: the table */
	const DynAccess *access;	/* plan that responses are checked against */
	const DynPath *paths;		/* paths of needed attributes, one slot each */
	int			npaths;

	int			nstreams;

	/*
	 * Fills in the request of a stream, except for paging; pointers stay valid
	 * until the next call.
	 */
	void		(*prepare) (void *arg, int stream, DynReadRequest *request);
	/* Appends a description of the request, for the log. */
	void		(*describe) (void *arg, int stream, StringInfo line);

	/*
	 * Fills in the keys that a stream requests, to compare responses with
	 * them; NULL if responses are not compared.
	 */
	void		(*expected) (void *arg, int stream, DynExpected *expected);
	int			key_slots[DYN_MAX_EXPECTED_PARTS];	/* slots of the key parts;
													 * -1: not projected */
	int			sort_slot;		/* QUERY: slot of the sort attribute; -1: not
								 * projected */
	bool		sort_is_unique; /* true if sort values are unique in a
								 * partition */
	bool		backward;
	bool		shows_segment;	/* SCAN: true to store the segment of an item
								 * in a slot */
	int			segment_slot;

	/*
	 * For merging: decodes an item's sort values, by which streams are merged,
	 * from its slots into CurrentMemoryContext.  Items without a value (data
	 * NULL) come first.
	 */
	void		(*decode_sort) (void *arg, const DynValue *slots, DynScalar *values);
	void	   *sort_arg;
	int			nsort;			/* number of sort values; 0: no merging */

	/*
	 * Called if the access key does not permit the stream's request; returns
	 * true if `prepare` will make another one.  NULL: never.
	 */
	bool		(*denied) (void *arg, int stream);
	void	   *arg;			/* argument of these callbacks */
	bool		may_stop_early; /* true if the consumer may stop early */
	bool		keep;			/* true if the consumer may read the items
								 * again */
	bool		all_at_once;	/* true when merging, because every stream must
								 * run */
	bool		in_turn;		/* true if the items of a stream are wanted
								 * after those of the streams before */
	bool		keyed;			/* read with dyn_fetch_next_of */
	double		item_units;		/* read units of one item; 0: unknown */
	double		capacity;		/* read units per second, as described; 0:
								 * unknown */
	double		max_read_units_per_second; /* 0: unlimited */
	double		capacity_share; /* limit, as a share of that capacity; 0:
								 * unlimited */
	const char *global_index;	/* index that has this capacity; NULL: the
								 * table */
	bool		consistent;		/* true for strongly consistent reads */
	bool		fetches_items;	/* true if a local index fetches attributes
								 * that it does not project */
	bool		limits_units;	/* true if the consumer itself limits the
								 * units */
	int			batch_keys;		/* keys of one BatchGetItem; 0: its maximum */
	long		first_limit;	/* items of the first page; 0: unlimited */
	long		fetch_size;		/* items of any page; 0: unlimited */

	DynReadBound bound;
	DynCounters *counters;		/* counters that are increased, too */
	int		   *group_in_flight;	/* number of requests in flight of all
									 * fetches of a group, for which the
									 * consumer waits together; NULL: no
									 * group */
	bool		counting;		/* Select=COUNT: pages are not stored */
} DynFetchParams;

/*
 * Starts a fetch.  Copies the params; the objects it points to must live as long
 * as the fetch.
 */
extern DynFetch *dyn_fetch_start(DynStatement *statement, const DynFetchParams *params);

/*
 * Returns the next item's slots, valid until the next call; NULL at the end.
 * Waits, handles interrupts, raises errors.
 */
extern const DynValue *dyn_fetch_next(DynFetch *fetch);

/*
 * Starts again at the first item, without a request.  Returns false, with the
 * state unchanged, if that is not possible any more.  It is possible until the
 * second page is begun; with `keep`, also after the only page has been read.
 * Not for keyed fetches.
 */
extern bool dyn_fetch_rewind(DynFetch *fetch);

/*
 * Runs to the end and returns the sum of all Counts; the params has `counting`.
 */
extern uint64 dyn_fetch_count(DynFetch *fetch);

typedef enum DynFetchState
{
	DYN_FETCH_WAITS,			/* dyn_fetch_next would wait */
	DYN_FETCH_ITEM,				/* dyn_fetch_next would return an item */
	DYN_FETCH_END				/* dyn_fetch_next would return NULL; all items
								 * are counted */
} DynFetchState;

/*
 * Returns what dyn_fetch_next (or dyn_fetch_count) would do now.  First takes
 * in received data and sends what may be sent.  Invalidates the slots of the
 * last item.  Not for keyed fetches.
 */
extern DynFetchState dyn_fetch_poll(DynFetch *fetch);

/*
 * Returns, for a waiting fetch, the milliseconds after which to poll it even
 * if no data arrive; -1: never.  Sends and receives nothing.
 */
extern double dyn_fetch_pause(DynFetch *fetch);

/*
 * Sets the group of fetches for which the consumer waits together (see the
 * params), or NULL if it waits for this fetch alone.  Requests in flight then
 * count for the new group.
 */
extern void dyn_fetch_set_group(DynFetch *fetch, int *group_in_flight);

/* Sends what may be sent now, without waiting. */
extern void dyn_fetch_send(DynFetch *fetch);

/*
 * Sends what may be sent within the bounds, for a fetch of one stream that the
 * executor does not wait for.
 */
extern void dyn_fetch_send_ahead(DynFetch *fetch);

/*
 * Returns, for a keyed fetch, the next item of a stream, as dyn_fetch_next;
 * NULL at its end, and for a dropped stream.  Earlier streams that are not
 * begun yet will be begun only when they are read.  Earlier streams that are
 * begun wait until they are read or dropped.
 */
extern const DynValue *dyn_fetch_next_of(DynFetch *fetch, int stream);

/*
 * Sets, for a keyed fetch, the number of streams, which never decreases.
 * Sends what may be sent, and polls the network now and then.
 */
extern void dyn_fetch_extend(DynFetch *fetch, int nstreams);

/* Drops, for a keyed fetch, a stream and its request, if one is in flight. */
extern void dyn_fetch_drop(DynFetch *fetch, int stream);

/* Reads, for a keyed fetch, a stream of Select=COUNT to its end. */
extern uint64 dyn_fetch_count_of(DynFetch *fetch, int stream);

/*
 * Position of the item that dyn_fetch_next returned last: the data to request
 * its page again, and the item's position on the page (from 0).  Pointers stay
 * valid until the next dyn_fetch_next.
 */
typedef struct DynItemPosition
{
	int			stream;
	long		limit;
	const char *start_key;
	size_t		start_key_len;
	uint64		item;
} DynItemPosition;

extern bool dyn_fetch_position(const DynFetch *fetch, DynItemPosition *position);

/*
 * Sends no further requests: dyn_fetch_next still returns the items received
 * or in flight, and then ends.
 */
extern void dyn_fetch_drain(DynFetch *fetch);

extern void dyn_fetch_stop(DynFetch *fetch);

#endif
