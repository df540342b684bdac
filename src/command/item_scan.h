/*
 * item_scan.h
 *		Scans a DynamoDB table for a command, on behalf of any number of
 *		foreign tables.
 *
 * Legal order: dyn_item_scan_create; dyn_item_scan_read and dyn_item_scan_view
 * for everything to be read from an item; dyn_item_scan_start, which returns
 * items with that number of slots.
 */
#ifndef DYN_COMMAND_ITEM_SCAN_H
#define DYN_COMMAND_ITEM_SCAN_H

#include "../exec/fetch/requests.h"
#include "../exec/rows/rows.h"

typedef struct DynItemScan
{
	DynRelation *relation;
	const DynTableMeta *meta;
	DynAccess  *access;			/* access plan for all columns of the
								 * relation */
	DynPath    *paths;			/* paths to be read from each item, one slot
								 * each */
	int			npaths;
	DynRequests *requests;
	DynCounters counters;
} DynItemScan;

/* The rows that a foreign table makes from the items of a Scan. */
typedef struct DynView
{
	DynRows    *rows;
	int			first;			/* first slot of its values in an item */
} DynView;

/*
 * The first function returns a Scan with the options of a relation; it does
 * not read any columns yet.  The second function does this for a relation
 * without columns and with the options of the connection.  They do not send
 * requests, and allocate in CurrentMemoryContext.
 */
extern DynItemScan *dyn_item_scan_create(DynRelation *relation,
										 const DynTableMeta *meta);
extern DynItemScan *dyn_item_scan_of_table(DynConnection *connection,
										   const char *table,
										   const DynTableMeta *meta);

/* Adds slots for these paths, one after another.  Returns the first one. */
extern int	dyn_item_scan_read(DynItemScan *scan, const DynPath *paths, int n);

/* Adds the slots for a foreign table's rows, with all columns. */
extern DynView *dyn_item_scan_view(DynItemScan *scan, DynRelation *relation);

/* Begins with the rows of an item, given the values of all slots (rows.h). */
static inline void
dyn_view_begin(const DynView *view, const DynValue *values)
{
	dyn_rows_begin(view->rows, values + view->first);
}

/*
 * Starts a fetch of full items.  `limit` is the number of items of the first
 * page, after which the consumer may stop early; 0: the full table is read, in
 * segments.
 */
extern DynFetch *dyn_item_scan_start(DynItemScan *scan, DynStatement *statement,
									 int limit);

/*
 * Returns the DynFetchParams of such a fetch, without the fields for streams,
 * requests and page limits.
 */
extern DynFetchParams dyn_item_scan_params(DynItemScan *scan);

#endif
