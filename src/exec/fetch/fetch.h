/*
 * fetch.h
 *		Runs an access plan's requests and returns the items, one by one.
 *
 * A fetch is a set of streams.  A stream has all pages of one Query, of one
 * segment of a Scan, of one GetItem, or of up to 100 keys for BatchGetItem.
 * Several streams have requests in flight at once, and pages are requested
 * ahead, within the statement's limits on requests and bytes.
 *
 * Legal order: dyn_fetch_start, then dyn_fetch_next until it returns NULL, or
 * dyn_fetch_count once.  The fetch has its own memory context, a child of the
 * context that is current at the start.  dyn_fetch_stop, or the end of the
 * parent context, ends the fetch at any time, and abandons its requests.
 *
 * Items come in any order, unless `in_turn`, `nsort` or `keyed` is set in the
 * params.  To be merged (nsort), the items of each stream must be sorted.
 */
#ifndef DYN_EXEC_FETCH_H
#define DYN_EXEC_FETCH_H

#include "lib/ilist.h"

#include "../statement/statement.h"
#include "requests.h"

typedef struct DynFetch DynFetch;

/*
 * Up to this bound, the option scan_policy does not apply to a Scan.  When the
 * fetch has examined `items` items, or has used `units` read units, it calls
 * `beyond` once, before it sends the next request.  `beyond` may raise an
 * error.  Until then, the fetch reads one stream at a time.
 */
typedef struct DynReadBound
{
	double		units;			/* maximum read units; 0: no bound at all */
	long		items;			/* maximum examined items; 0: unlimited */
	double		wanted;			/* number of rows that the statement needs */
	const double *found;		/* rows found so far; NULL: not counted */
	void		(*beyond) (void *arg);
	void	   *arg;
} DynReadBound;

typedef struct DynFetchParams
{
	DynRequests *requests;
	const DynAccess *access;
	const DynPath *paths;		/* paths of needed attributes, one slot each */
	int			npaths;

	/* slots of the key parts (-1: none), to compare with the requested keys */
	int			key_slots[DYN_MAX_EXPECTED_PARTS];
	int			sort_slot;		/* QUERY: slot of the sort attribute, or -1 */
	int			segment_slot;	/* SCAN: slot for the item's segment, or -1 */

	/*
	 * For merging: decodes an item's sort values from its slots, in
	 * CurrentMemoryContext.  A value with data NULL is absent; items without a
	 * value come first.
	 */
	void		(*decode_sort) (void *arg, const DynValue *slots, DynScalar *values);
	void	   *sort_arg;
	int			nsort;			/* number of sort values; 0: no merging */

	bool		full_first_page;	/* true to request all attributes in the
									 * first page of stream 0, if permitted */
	bool		keep;			/* true to keep a page for dyn_fetch_rewind */
	bool		in_turn;		/* true to return all items of one stream
								 * before those of the next */
	bool		keyed;			/* true to read with dyn_fetch_next_of */
	double		item_units;		/* expected read units per item; 0: unknown */
	double		capacity;		/* read units per second of the table or index
								 * (DynThroughput); 0: unknown */
	double		capacity_share; /* read units per second that read_percent
								 * allows; 0: unlimited */
	bool		consistent;		/* true for strongly consistent reads */
	bool		fetches_items;	/* true if DynamoDB also reads the table,
								 * because the local index lacks attributes */
	bool		limits_units;	/* true if the consumer itself limits the
								 * statement's read units (ANALYZE) */
	int			batch_keys;		/* maximum number of keys of one BatchGetItem;
								 * 0: DynamoDB's maximum */
	long		fetch_size;		/* maximum Limit of any page; 0: unlimited */

	DynReadBound bound;
	DynCounters *counters;		/* further counters to increase, or NULL */
	dlist_head *group;			/* fetches that the consumer awaits together,
								 * including this one; or NULL */
} DynFetchParams;

/* Copies the params; objects to which they point must outlive the fetch. */
extern DynFetch *dyn_fetch_start(DynStatement *statement, const DynFetchParams *params);

/*
 * Returns the next item's slots, valid until the next call; NULL at the end.
 * Waits for responses, handles interrupts, and raises the errors of requests.
 */
extern const DynValue *dyn_fetch_next(DynFetch *fetch);

/*
 * Starts again at the first item, if the first page is still in memory.
 * Otherwise, or if items are merged, changes nothing and returns false.  The
 * first page is freed when the consumer has read past its last item, unless
 * `keep` is set and the fetch has only this page.  Not for keyed fetches.
 */
extern bool dyn_fetch_rewind(DynFetch *fetch);

/* Reads to the end and returns the sum of Counts; requires Select=COUNT. */
extern uint64 dyn_fetch_count(DynFetch *fetch);

typedef enum DynFetchState
{
	DYN_FETCH_WAITS,			/* dyn_fetch_next would wait */
	DYN_FETCH_ITEM,				/* dyn_fetch_next would return an item */
	DYN_FETCH_END				/* dyn_fetch_next would return NULL, and
								 * dyn_fetch_count would not wait */
} DynFetchState;

/*
 * Receives data and sends requests, without waiting, if dyn_fetch_next (or
 * dyn_fetch_count) would have to wait.  In any case, returns what a call of
 * that function would now do.  Invalidates the slots of the last item.  Not
 * for keyed fetches.
 */
extern DynFetchState dyn_fetch_poll(DynFetch *fetch);

/*
 * Returns the time (ms) after which the fetch must be polled even if no data
 * arrive, to send a delayed request; -1: never.  Sends and receives nothing.
 */
extern double dyn_fetch_pause(DynFetch *fetch);

/* Moves the fetch to `group` (see DynFetchParams); NULL: to no group. */
extern void dyn_fetch_set_group(DynFetch *fetch, dlist_head *group);

/* Receives data and sends the requests that are allowed now; never waits. */
extern void dyn_fetch_pump(DynFetch *fetch);

/* Calls dyn_fetch_pump if the statement's limits allow another request. */
extern void dyn_fetch_send_ahead(DynFetch *fetch);

/*
 * Returns the next item of a stream of a keyed fetch; NULL at the end of the
 * stream, or if the stream was dropped.  Streams with higher numbers than
 * `stream` are begun ahead; their pages wait until they are read or dropped.
 */
extern const DynValue *dyn_fetch_next_of(DynFetch *fetch, int stream);

/*
 * Sends the requests that the limits allow now.  To be called after keys or
 * Queries were added to the DynRequests of a keyed fetch.  Since this may
 * happen often, not every call polls the network.
 */
extern void dyn_fetch_extend(DynFetch *fetch);

/* Drops a stream of a keyed fetch, with its pages and request in flight. */
extern void dyn_fetch_drop(DynFetch *fetch, int stream);

/* Reads a stream of a keyed fetch to its end; returns the sum of Counts. */
extern uint64 dyn_fetch_count_of(DynFetch *fetch, int stream);

/*
 * Fills in a request for the page that contains the item returned last, to read
 * the page again with the current projection.  Stores the item's position on
 * the page, from 0.  Pointers stay valid until the next item is requested.
 * Returns false if no item was returned.
 */
extern bool dyn_fetch_position(const DynFetch *fetch, DynReadRequest *request,
							   uint64 *item);

/* Charges the budgets for a request that was sent outside of the fetch. */
extern void dyn_fetch_charge(const DynFetch *fetch, double units);

extern DynRequests *dyn_fetch_requests(const DynFetch *fetch);

/*
 * Makes the fetch send no further requests.  dyn_fetch_next then returns the
 * items of responses that were received or are in flight, and after them NULL.
 */
extern void dyn_fetch_drain(DynFetch *fetch);

extern void dyn_fetch_stop(DynFetch *fetch);

#endif
