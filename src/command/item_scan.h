/*
 * item_scan.h
 *		Scans a DynamoDB table for a command, on behalf of any number of
 *		foreign tables.
 *
 * Legal order: dyn_item_scan_create; dyn_item_scan_read and dyn_item_scan_view
 * for all values to be read from an item; dyn_item_scan_start, whose fetch
 * returns these values for each item.
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
	DynPath    *paths;			/* paths that are read from each item, with one
								 * slot for each path */
	int			npaths;
	DynRequests *requests;
	DynCounters counters;
} DynItemScan;

/* The conversion of a Scan's items to rows of one foreign table. */
typedef struct DynView
{
	DynRows    *rows;
	int			first;			/* first slot of the view in the Scan */
} DynView;

/*
 * Returns a Scan with the options of a relation, and without paths to read.
 * Sends no requests, and allocates in CurrentMemoryContext.
 */
extern DynItemScan *dyn_item_scan_create(DynRelation *relation,
										 const DynTableMeta *meta);

/* Returns a Scan without columns, with the options of the connection. */
extern DynItemScan *dyn_item_scan_of_table(DynConnection *connection,
										   const char *table,
										   const DynTableMeta *meta);

/* Adds adjacent slots for `n` paths; returns the first slot. */
extern int	dyn_item_scan_read(DynItemScan *scan, const DynPath *paths, int n);

/* Adds the slots for all columns of a foreign table, and returns its view. */
extern DynView *dyn_item_scan_view(DynItemScan *scan, DynRelation *relation);

/* Begins to convert an item, given the values of all slots (rows.h). */
static inline void
dyn_view_begin(const DynView *view, const DynValue *values)
{
	dyn_rows_begin(view->rows, values + view->first);
}

/*
 * Starts a fetch.  The first page has at most `limit` items; the consumer may
 * stop after that page.  If `limit` is 0, the full table is read, in segments.
 */
extern DynFetch *dyn_item_scan_start(DynItemScan *scan, DynStatement *statement,
									 int limit);

/*
 * Returns the parameters of a fetch; the caller sets those of streams,
 * requests and page limits.
 */
extern DynFetchParams dyn_item_scan_params(DynItemScan *scan);

#endif
