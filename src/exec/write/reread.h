/*
 * reread.h
 *		Converts items to rows that no fetch has read: items about to be
 *		written, and those that the response to a write contains.
 *
 * An item is a JSON object of attribute values.  All columns of the foreign
 * table are decoded, by the same code as in a scan (exec/rows/rows.h).
 */
#ifndef DYN_EXEC_REREAD_H
#define DYN_EXEC_REREAD_H

#include "../../dynamodb/page.h"
#include "../rows/rows.h"

typedef struct DynReread
{
	DynRelation *relation;
	DynRows    *rows;			/* rows of stored items */
	DynRows    *new_rows;		/* rows of items about to be written, which may
								 * have expired: without the test for that */
	DynPathTree *tree;			/* paths of `rows` */
	DynPathTree *new_tree;		/* paths of `new_rows` */
	DynPage		page;
	DynValue   *values;
	AttrNumber	wrong;			/* column of the last error that was noted */
	const char *why;			/* its reason */
} DynReread;

/* Creates one in CurrentMemoryContext, whose reset frees malloc'd memory. */
extern DynReread *dyn_reread_create(DynRelation *relation,
									const DynTableMeta *meta);

/*
 * Stores the row of an item in the slot; false if the item is not a row.  Its
 * values are in CurrentMemoryContext.  Raises the errors of a scan for values
 * that do not match their columns.
 */
extern bool dyn_reread_item(DynReread *reread, const char *item, size_t len,
							TupleTableSlot *slot);

/*
 * Checks that the item, about to be written, is read as this row: each of the
 * columns (NULL: of all) that is not NULL must be equal to what the item has,
 * and each NULL of the `changed` columns must be NULL there.  Raises an error
 * that names the column, and how to store its value.
 */
extern void dyn_reread_check(DynReread *reread, const char *item, size_t len,
							 TupleTableSlot *row, const Bitmapset *columns,
							 const Bitmapset *changed, TupleTableSlot *scratch);

/* Returns true if both are NULL, or equal as their type's operator compares. */
extern bool dyn_column_equal(const DynColumn *column, Datum a, bool anull,
							 Datum b, bool bnull);

#endif
