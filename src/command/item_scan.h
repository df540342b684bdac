/*
 * item_scan.h
 *		A Scan of whole items, of a DynamoDB table that may have no foreign table.
 */
#ifndef DYN_COMMAND_ITEM_SCAN_H
#define DYN_COMMAND_ITEM_SCAN_H

#include "../exec/fetch/requests.h"

typedef struct DynItemScan
{
	DynRelation relation;		/* has no columns */
	const DynTableMeta *meta;
	DynAccess  *access;
	DynRequests *requests;
	DynCounters counters;
} DynItemScan;

/*
 * Prepares eventually consistent reads; the caller may change relation.options
 * and relation.max_read_units before the start.  In CurrentMemoryContext.
 */
extern DynItemScan *dyn_item_scan_create(DynConnection *connection,
										 const char *table,
										 const DynTableMeta *meta);

/*
 * Starts a fetch of these paths; the consumer may stop early if `limit`, the
 * number of items of the first page, is not 0, else the whole table is read, in
 * segments.
 */
extern DynFetch *dyn_item_scan_start(DynItemScan *scan, DynStatement *statement,
									 const DynPath *paths, int npaths,
									 int limit);

/* The same Scan as an access plan of a foreign table, with all its columns. */
extern DynAccess *dyn_scan_all_columns(DynRelation *relation,
									   const DynTableMeta *meta);

#endif
