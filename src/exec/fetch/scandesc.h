/*
 * scandesc.h
 *		Scan descriptor: reads a foreign table as its access plan specifies.
 *
 * A scan descriptor belongs to a scan, to the fallback of a scan, to an arm of
 * an OR (united.c), or to a member of a shared scan.  Lookups use the
 * descriptor of their scan.  A descriptor contains the relation, the access
 * plan, and the row conversions.  Its functions start fetches.
 */
#ifndef DYN_EXEC_FETCH_SCANDESC_H
#define DYN_EXEC_FETCH_SCANDESC_H

#include "../rows/rows.h"
#include "fetch.h"

typedef struct DynScanDesc
{
	DynStatement *statement;
	DynRelation *relation;
	const DynAccess *access;
	DynRows    *rows;			/* conversion of the scan's items */
	DynRows    *own_rows;		/* conversion without the keys that are
								 * requested only for checks; the same as
								 * `rows` if there are no such keys */
	DynRows    *index_rows;		/* fetch_base_items: conversion of index
								 * entries; else NULL */
	DynCounters counters;		/* counts of this descriptor's requests */
	DynCounters *count_into;	/* counters to increase: `counters`, or another
								 * descriptor's */
	bool		checked;		/* true if the plan was compared with the
								 * table's description */
	bool		policy_applied; /* true if the option scan_policy was applied
								 * to the Scan */
	int			nsegments;		/* Scan with conditions on the segment column:
								 * number of segments that the next fetch
								 * reads; 0: all */
	bool		keeps;			/* true if the scan may be executed again with
								 * the same values (EXEC_FLAG_REWIND) */
	int		   *group_in_flight;	/* as in DynFetchParams */
	DynReadBound bound;			/* bound of the next fetch */

	DynFetch   *origin;			/* fetch of the item that is being decoded; or
								 * NULL */
} DynScanDesc;

/* Creates a scan descriptor in CurrentMemoryContext. */
extern DynScanDesc *dyn_scandesc_create(DynStatement *statement,
										DynRelation *relation,
										const DynAccess *access);

/*
 * Prepares an execution before its keys are resolved.  Determines whether its
 * reads must be consistent because this session has written the table.  The
 * first call also checks the plan, and sends a DescribeTable if the cached
 * description has expired.  It raises an error if keys or projection differ
 * from those in the plan, or if consistent reads were enabled after a global
 * index was planned.
 */
extern void dyn_scandesc_check_schema(DynScanDesc *scandesc);

/*
 * Returns a new DynRows for the access plan, in CurrentMemoryContext.  The
 * rows include the key attributes that `keys` selects (flags DYN_ROWS_*).
 */
extern DynRows *dyn_scandesc_rows(DynScanDesc *scandesc, int keys);

/*
 * Returns a conversion of index entries for fetch_base_items, in
 * CurrentMemoryContext.  It includes only the table's key and, if
 * `with_partition`, the index's partition key.
 */
extern DynRows *dyn_scandesc_index_rows(const DynScanDesc *scandesc,
										bool with_partition);

/*
 * Returns the number of segments of a Scan that does not read the segment
 * column.  Returns 1 for all other requests, if the Scan may end after a few
 * items (a limit hint or a bound), and if the size is unknown.
 */
extern int	dyn_scandesc_segments(const DynScanDesc *scandesc);

/*
 * Starts a fetch in CurrentMemoryContext, and makes it the origin of the items
 * that are decoded.  Requests what `rows` reads, which decodes the items.  A
 * keyed fetch does not belong to a group.
 */
extern DynFetch *dyn_scandesc_start(DynScanDesc *scandesc, DynRequests *requests,
									const DynRows *rows, bool keyed);

#endif
