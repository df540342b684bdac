/*
 * item_scan.h
 *		One Scan of a DynamoDB table, which may have no foreign table, or several
 *		that each show rows of its items.
 *
 * Legal order: dyn_item_scan_create; dyn_item_scan_read and dyn_item_scan_view
 * for all that is to be read of an item; dyn_item_scan_start, which gives items
 * of that many slots.
 */
#ifndef DYN_COMMAND_ITEM_SCAN_H
#define DYN_COMMAND_ITEM_SCAN_H

#include "../exec/fetch/requests.h"
#include "../exec/rows/rows.h"

typedef struct DynItemScan
{
	DynRelation *relation;
	const DynTableMeta *meta;
	DynAccess  *access;			/* of all columns of the relation */
	DynPath    *paths;			/* to be read of each item, one slot each */
	int			npaths;
	DynRequests *requests;
	DynCounters counters;
} DynItemScan;

/* What a foreign table makes of the items of a Scan. */
typedef struct DynView
{
	DynRows    *rows;
	int			first;			/* slot of an item that its values begin at */
} DynView;

/*
 * A Scan with the options of a relation, for whose columns nothing is read yet;
 * the other function makes a relation without columns, and with the options of
 * the connection.  Neither sends a request.  In CurrentMemoryContext.
 */
extern DynItemScan *dyn_item_scan_create(DynRelation *relation,
										 const DynTableMeta *meta);
extern DynItemScan *dyn_item_scan_of_table(DynConnection *connection,
										   const char *table,
										   const DynTableMeta *meta);

/* Adds slots for these paths, one after another; returns the first one. */
extern int	dyn_item_scan_read(DynItemScan *scan, const DynPath *paths, int n);

/* Adds the slots of a foreign table's rows, with all columns. */
extern DynView *dyn_item_scan_view(DynItemScan *scan, DynRelation *relation);

/* Begins with the rows of an item, given by the values of all slots (rows.h). */
extern void dyn_view_begin(const DynView *view, const DynValue *values);

/*
 * Starts a fetch of whole items; the consumer may stop early if `limit`, the
 * number of items of the first page, is not 0, else the whole table is read, in
 * segments.
 */
extern DynFetch *dyn_item_scan_start(DynItemScan *scan, DynStatement *statement,
									 int limit);

/* Such a fetch without its streams, their requests, and limits of pages. */
extern DynFetchSpec dyn_item_scan_spec(DynItemScan *scan);

#endif
