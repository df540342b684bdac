/*
 * fetch.h
 *		The one producer of items: runs an access plan's requests and hands out
 *		what comes back, item by item.
 *
 * A fetch is a set of streams.  A stream is one Query, one segment of a Scan,
 * one GetItem or one chunk of a BatchGetItem, with all its pages; several are
 * in flight at once, and pages are asked for ahead, within the statement's
 * bounds of requests and bytes.
 *
 * Legal order: dyn_fetch_start, then dyn_fetch_next until it returns false, or
 * dyn_fetch_count once.  The fetch lives in a memory context of its own below
 * the one that is current at the start; dyn_fetch_stop deletes it at any time,
 * and so does the end of the parent context.  Requests in flight are then
 * abandoned.
 *
 * Items come in no order, unless the spec gives a comparison: then streams
 * are merged by it (each yields its own items in that order); or unless the
 * the fetch is keyed: then each stream is named by its number, mostly in
 * rising order, and those that follow are read ahead.
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

typedef struct DynFetchSpec
{
	DynConnection *connection;
	DynOperation op;			/* of every request */
	const char *table;
	const char *index;			/* NULL: the table */
	const DynAccess *access;	/* the plan that answers are held against */
	const DynPath *paths;		/* wanted, one slot each */
	int			npaths;

	int			nstreams;

	/*
	 * Fills in the request of a stream, but for paging; pointers stay valid
	 * until the next call.
	 */
	void		(*prepare) (void *arg, int stream, DynReadRequest *request);
	/* Appends what the request is about, for the log. */
	void		(*describe) (void *arg, int stream, StringInfo line);

	/*
	 * Fills in the keys that a stream asks for, to compare answers with them;
	 * NULL: there are none.
	 */
	void		(*expected) (void *arg, int stream, DynExpected *expected);
	int			key_slots[DYN_MAX_EXPECTED_PARTS];	/* of their parts; -1: not
													 * projected */
	int			sort_slot;		/* QUERY: of the sort attribute, likewise */
	bool		sort_is_unique; /* in a partition */
	bool		backward;

	/*
	 * The access key does not permit the stream's request: will `prepare` make
	 * another one?  NULL: no.
	 */
	bool		(*denied) (void *arg, int stream);
	void	   *arg;			/* of prepare, describe, expected and denied */
	/* Order of two items' slots, or NULL. */
	int			(*compare) (void *arg, const DynValue *a, const DynValue *b);
	void	   *compare_arg;

	bool		may_stop_early; /* the consumer may stop early */
	bool		keep;			/* it may want to read the items again */
	bool		all_at_once;	/* merging: every stream must run */
	bool		keyed;			/* dyn_fetch_next_of instead of dyn_fetch_next */
	double		item_units;		/* read units of one item; 0: not known */
	double		capacity;		/* read units a second, as described; 0: not
								 * known */
	double		max_read_units_per_second; /* of the table, a second; 0: no limit */
	double		capacity_share; /* of the capacity that is used, likewise */
	const char *global_index;	/* which has that; NULL: the table */
	bool		consistent;		/* strongly consistent reads */
	bool		fetches_items;	/* a local index fetches the rest of each item */
	bool		limits_units;	/* the consumer limits the units itself */
	int			batch_keys;		/* of one BatchGetItem; 0: as many as it takes */
	long		first_limit;	/* items of the first page; 0: no limit */
	long		fetch_size;		/* items of any page; 0: no limit */

	/*
	 * One stream that may stop early: before the request that follows so many
	 * items, or DYN_SMALL_READ_BYTES, `beyond` is called, once; it may raise an
	 * error.  0: no bound.
	 */
	long		bound;
	void		(*beyond) (void *arg);
	void	   *beyond_arg;
	DynCounters *counters;		/* counted here, too */
	int		   *group_in_flight;	/* requests of all fetches that are waited
									 * for together with this one; NULL: alone */
	bool		counting;		/* Select=COUNT: pages are not kept */
} DynFetchSpec;

/* The spec is copied; what it points to must outlive the fetch. */
extern DynFetch *dyn_fetch_start(DynStatement *statement, const DynFetchSpec *spec);

/*
 * The next item's slots, valid until the next call; NULL at the end.  Waits,
 * handles interrupts, raises errors.
 */
extern const DynValue *dyn_fetch_next(DynFetch *fetch);

/*
 * Starts again at the first item, without a request; false, with nothing
 * changed, if that cannot be done any more.  It can as long as the second page
 * was not begun, and with `keep` also when the only page has been read.  Not
 * for keyed fetches.
 */
extern bool dyn_fetch_rewind(DynFetch *fetch);

/* Runs to the end and returns the sum of all Counts; the spec says `counting`. */
extern uint64 dyn_fetch_count(DynFetch *fetch);

typedef enum DynFetchState
{
	DYN_FETCH_WAITS,			/* dyn_fetch_next would wait */
	DYN_FETCH_ITEM,				/* it would return an item */
	DYN_FETCH_END				/* it would return NULL; all is counted */
} DynFetchState;

/*
 * Tells what dyn_fetch_next (or dyn_fetch_count) would do now, after taking in
 * what has come and sending what may be sent.  Invalidates the slots of the last
 * item.  Not for keyed fetches.
 */
extern DynFetchState dyn_fetch_poll(DynFetch *fetch);

/*
 * Of a fetch that waits: in how many milliseconds polling it is worth while
 * even if nothing comes; -1: never.  Sends and receives nothing.
 */
extern double dyn_fetch_pause(DynFetch *fetch);

/*
 * From now on the fetch is waited for together with these (see the spec), or for
 * itself; its requests in flight move along.
 */
extern void dyn_fetch_set_group(DynFetch *fetch, int *group_in_flight);

/* Sends what may be sent now, without waiting. */
extern void dyn_fetch_send(DynFetch *fetch);

/* The same for a fetch of one stream that nobody waits for: within the bounds. */
extern void dyn_fetch_send_ahead(DynFetch *fetch);

/*
 * Keyed: the next item of a stream, as dyn_fetch_next; NULL at its end, and
 * for a stream that was dropped.  Earlier streams that were not begun are begun
 * only when they are asked for; those that were begun wait until they are asked
 * for or dropped.
 */
extern const DynValue *dyn_fetch_next_of(DynFetch *fetch, int stream);

/*
 * Keyed: there are so many streams now, no fewer than before.  Sends what may be
 * sent, and looks at the network now and then.
 */
extern void dyn_fetch_extend(DynFetch *fetch, int nstreams);

/* Keyed: gives up a stream and its request, if one is under way. */
extern void dyn_fetch_drop(DynFetch *fetch, int stream);

/* Keyed: reads a stream of Select=COUNT to its end. */
extern uint64 dyn_fetch_count_of(DynFetch *fetch, int stream);

/*
 * Where the item comes from that dyn_fetch_next gave last: what would ask
 * DynamoDB for its page again, and the item's position there (from 0).
 * Pointers stay valid until the next dyn_fetch_next.
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
 * Asks for nothing more: dyn_fetch_next goes on to hand out what was answered
 * or is on its way, and then ends.
 */
extern void dyn_fetch_drain(DynFetch *fetch);

extern void dyn_fetch_stop(DynFetch *fetch);

#endif
