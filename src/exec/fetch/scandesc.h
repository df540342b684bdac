/*
 * scandesc.h
 *		Scan descriptor: reads a foreign table by its access plan.
 *
 * A scan descriptor belongs to a scan, to its fallback, to an arm of a union,
 * or to a member of a shared read.  A scan's lookups use that of the scan.  It
 * has the relation, the access plan, and the attributes decoded from an item.
 * It starts fetches, and finds the key of the item being decoded, for error
 * messages.
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
	DynRows    *rows;			/* rows that are returned */
	DynRows    *own_rows;		/* the same rows, without keys that are only
								 * needed for checks */
	DynRows    *index_rows;		/* fetch_base_items: base keys that the index
								 * lists; else NULL */
	DynCounters counters;
	DynCounters *count_into;	/* counters to increase: its own, or another
								 * descriptor's */
	bool		checked;		/* true if the plan was compared with the
								 * table's description */
	bool		policy_applied; /* true if scan_policy was applied to a Scan */
	int			nsegments;		/* number of segments that the next fetch
								 * reads, if rows show their segments; 0: the
								 * estimated number */
	bool		keeps;			/* true if the scan can be rescanned with the
								 * same values */
	int		   *group_in_flight;	/* as in DynFetchParams; NULL: no peers */
	DynReadBound bound;			/* bound of the next fetch */

	/* fetch of the item being decoded, and its requests; both NULL if none */
	DynFetch   *origin;
	DynRequests *origin_requests;
} DynScanDesc;

/* Creates a scan descriptor in CurrentMemoryContext. */
extern DynScanDesc *dyn_scandesc_create(DynStatement *statement,
										DynRelation *relation,
										const DynAccess *access);

/*
 * Prepares an execution, before it resolves its keys: decides whether its
 * reads must be consistent because this session has written the table.  Before
 * the first execution, checks the plan.  Raises an error if keys or projection
 * differ from those that the plan was made for, or if the plan reads a global
 * index but consistent reads have been enabled in the meantime.  Sends a
 * DescribeTable if the cached description has expired.
 */
extern void dyn_scandesc_check_schema(DynScanDesc *scandesc);

/*
 * Returns a new DynRows for the access plan, which also has the key attributes
 * that the flags (DYN_ROWS_) select.  In CurrentMemoryContext.
 */
extern DynRows *dyn_scandesc_rows(DynScanDesc *scandesc, int keys);

/*
 * Prepares the rows for items that are cached.  The rows include the base key,
 * so that errors can name the item.  They also have slots for the inputs of
 * `filters` (DynPred *), which are evaluated later.  To be called before the
 * first fetch; in CurrentMemoryContext.
 */
extern void dyn_scandesc_set_cached_rows(DynScanDesc *scandesc, const List *filters);

/*
 * Returns the rows of an index whose items are then read from the table
 * (fetch_base_items).  They do not have columns, only the key of the table
 * and, on request, the partition key.  In CurrentMemoryContext.
 */
extern DynRows *dyn_scandesc_index_rows(const DynScanDesc *scandesc,
										bool with_partition);

/*
 * Returns the number of segments of a Scan whose rows do not show them; 1 for
 * other requests.
 */
extern int	dyn_scandesc_segments(const DynScanDesc *scandesc);

/*
 * Starts a fetch, in CurrentMemoryContext, whose items `rows` will decode, and
 * makes it the origin.  A keyed fetch does not belong to a group.
 */
extern DynFetch *dyn_scandesc_start(DynScanDesc *scandesc, DynRequests *requests,
									const DynRows *rows, bool keyed);

/* Sets the fetch of the items that are decoded from now on. */
extern void dyn_scandesc_set_origin(DynScanDesc *scandesc, DynFetch *fetch,
									DynRequests *requests);

/*
 * Returns the key of the item being decoded, as text (item_key.c).  If the key
 * was not read, the item's page is requested again with the key.  Returns NULL
 * if the key cannot be found; if the request failed, *why is the reason.
 * `arg` is the DynScanDesc.  Raises an error only for an interrupt, or if
 * memory runs out.
 */
extern char *dyn_scandesc_item_key(void *arg, const char **why);

#endif
