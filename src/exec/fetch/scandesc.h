/*
 * scandesc.h
 *		Scan descriptor: reads a foreign table as its access plan specifies.
 *
 * Each scan has a descriptor, and so has each arm of an OR (united.c), each
 * member of a shared scan (sharing.c), and each fallback, which reads the
 * table in place of an index (requested.c).
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
	DynRows    *own_rows;		/* like `rows`, but without key attributes that
								 * are read only to check responses */
	DynRows    *index_rows;		/* conversion of index entries, or NULL */
	DynCounters counters;		/* counts of this descriptor's requests */
	DynCounters *count_into;	/* counters to increase; usually `counters` */
	bool		checked;		/* true if the table's schema was checked */
	bool		policy_applied; /* true if scan_policy was applied */
	int			nsegments;		/* number of segments that conditions on the
								 * segment column select; 0: all */
	bool		keeps;			/* true if EXEC_FLAG_REWIND is set */
	dlist_head *group;			/* as in DynFetchParams */
	DynReadBound bound;			/* bound of the next fetch */

	DynFetch   *origin;			/* fetch of the item being decoded, or NULL */
} DynScanDesc;

/* Creates a scan descriptor in CurrentMemoryContext. */
extern DynScanDesc *dyn_scandesc_create(DynStatement *statement,
										DynRelation *relation,
										const DynAccess *access);

/*
 * Prepares an execution before its keys are resolved.  Determines whether
 * reads must be strongly consistent because this session has written the
 * table.  The first call also checks the plan, and sends DescribeTable if the
 * cached description has expired.  The check raises an error if keys or
 * projection differ from those in the plan, or if consistent reads were
 * enabled after a global index was planned.
 */
extern void dyn_scandesc_check_schema(DynScanDesc *scandesc);

/*
 * Returns a new DynRows for the access plan, in CurrentMemoryContext.  The
 * rows include the key attributes that `keys` selects (flags DYN_ROWS_*).
 */
extern DynRows *dyn_scandesc_rows(DynScanDesc *scandesc, int keys);

/*
 * Returns a conversion of index entries for fetch_base_items, in
 * CurrentMemoryContext.  The conversion includes only the table's key and, if
 * `with_partition`, the index's partition key.
 */
extern DynRows *dyn_scandesc_index_rows(const DynScanDesc *scandesc,
										bool with_partition);

/*
 * Returns the number of segments into which to divide a Scan; 1 if it may end
 * after a few items, if the size of the table or index is unknown, if the plan
 * itself sets the number (access->segments), or if the plan is not a Scan.
 */
extern int	dyn_scandesc_segments(const DynScanDesc *scandesc);

/*
 * Starts, in CurrentMemoryContext, a fetch of the attributes that `rows`
 * decodes, and sets scandesc->origin.  The fetch joins scandesc->group unless
 * `keyed` is true.
 */
extern DynFetch *dyn_scandesc_start(DynScanDesc *scandesc, DynRequests *requests,
									const DynRows *rows, bool keyed);

#endif
