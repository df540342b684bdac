/*
 * scandesc.h
 *		Reads a foreign table by its access plan.
 *
 * A reader belongs to a scan, or to its fallback, and is shared with the
 * scan's lookups.  It has the relation, the access plan, and what is decoded
 * of an item.  It starts fetches, and finds the key of the item that is being
 * decoded, the item in hand, for error messages.
 */
#ifndef DYN_EXEC_FETCH_SCANDESC_H
#define DYN_EXEC_FETCH_SCANDESC_H

#include "../rows/rows.h"
#include "fetch.h"
#include "requests.h"

typedef struct DynScanDesc
{
	DynStatement *statement;
	DynRelation *relation;
	const DynAccess *access;
	DynRows    *rows;			/* what is returned */
	DynRows    *own_rows;		/* the same, or without keys that only checks
								 * need */
	DynRows    *index_rows;		/* index, then base: the base keys that the
								 * index lists; else NULL */
	DynCounters counters;
	DynCounters *count_into;	/* these, or another reader's */
	bool		checked;		/* the plan fits the table's description */
	bool		policy_applied; /* warned of a Scan */
	bool		keeps;			/* may be rescanned with the same values */
	int		   *group_in_flight;	/* as in DynFetchSpec; NULL: no peers */
	long		bound;			/* as there, of the next fetch */
	void		(*beyond) (void *arg);
	void	   *beyond_arg;

	/* of the item in hand; NULL: there is none */
	DynFetch   *origin;
	DynRequests *origin_requests;
} DynScanDesc;

/* In CurrentMemoryContext. */
extern DynScanDesc *dyn_scandesc_create(DynStatement *statement,
										DynRelation *relation,
										const DynAccess *access);

/*
 * To be called before the first execution resolves its keys: raises an error
 * if the keys or the projection of the table or index are not those that the
 * plan was made for.  Sends a DescribeTable if the cached description has
 * expired.
 */
extern void dyn_scandesc_check_schema(DynScanDesc *scandesc);

/*
 * The same rows, together with each item's key of the table, by which the item
 * is assigned to the key that was asked for.  In CurrentMemoryContext.
 */
extern DynRows *dyn_scandesc_rows_with_keys(DynScanDesc *scandesc);

/*
 * The same, with the partition key: for Queries of several partitions, whose
 * answers are compared with the partition that was asked for.  Items of an
 * unnested table, which may be kept, show the key of the table besides.
 */
extern DynRows *dyn_scandesc_rows_with_partition(DynScanDesc *scandesc);

/*
 * Makes the reader's rows fit for items that are kept: they show the base key,
 * by which errors name the item, and have slots for what those filters
 * (DynPred *) read that are evaluated later.  Before the first fetch;
 * CurrentMemoryContext.
 */
extern void dyn_scandesc_set_cached_rows(DynScanDesc *scandesc, const List *filters);

/*
 * Index, then base: the rows of the index, which have no columns, only the key
 * of the table, and that of the partition if asked for.  In
 * CurrentMemoryContext.
 */
extern DynRows *dyn_scandesc_index_rows(const DynScanDesc *scandesc,
										bool with_partition);

/* In how many segments a Scan is made; 1 for other requests. */
extern int	dyn_scandesc_segments(const DynScanDesc *scandesc);

/*
 * Starts a fetch, in CurrentMemoryContext, of items that `rows` will decode,
 * and sets it as the origin.  A keyed fetch belongs to no async group.
 */
extern DynFetch *dyn_scandesc_start(DynScanDesc *scandesc, DynRequests *requests,
									const DynRows *rows, bool keyed);

/* The items that are decoded from now on come from this fetch. */
extern void dyn_scandesc_set_origin(DynScanDesc *scandesc, DynFetch *fetch,
									DynRequests *requests);

/*
 * item_key.c: the key of the item in hand, as text.  If it is not among the
 * attributes that were read, the item's page is requested again with the key.
 * NULL if the key cannot be found out; *why is then the reason if that request
 * failed.  `arg` is the DynScanDesc.  Raises an error only for an interrupt
 * while it waits, or for a lack of memory.
 */
extern char *dyn_scandesc_item_key(void *arg, const char **why);

#endif
