/*
 * reread.h
 *		Makes rows from items: from those that will be written, and from those
 *		in responses to writes.
 *
 * An item is a JSON object of attribute values, like a value of type M.  All
 * columns are decoded, by the same code as in a scan (exec/rows/rows.h).
 */
#ifndef DYN_EXEC_REREAD_H
#define DYN_EXEC_REREAD_H

#include "nodes/execnodes.h"

#include "../rows/rows.h"

typedef struct DynReread
{
	DynRelation *relation;
	DynItemReader *reader;		/* reads stored items */
	DynItemReader *new_reader;	/* reads written items, even if expired */
	bool		shown;			/* true if RETURNING or triggers show rows */
	AttrNumber	wrong;			/* number of the column with an error */
	const char *why;			/* reason for the error; NULL if no error */
} DynReread;

/* Returns a converter in CurrentMemoryContext, whose reset frees it. */
extern DynReread *dyn_reread_create(DynRelation *relation,
									const DynTableMeta *meta);

/*
 * Stores the row of an item in the slot; returns false if the item is not a
 * row.  The values are allocated in CurrentMemoryContext.  Raises the same
 * errors as a scan for values that their columns cannot represent.
 */
extern bool dyn_reread_item(DynReread *reread, const DynScalar *item, TupleTableSlot *slot);

/* Works like dyn_reread_item, but also accepts an expired item. */
extern bool dyn_reread_new(DynReread *reread, const DynScalar *item, TupleTableSlot *slot);

/* Works like dyn_reread_new, but allows invalid values; overwrites `slot`. */
extern bool dyn_reread_is_row(DynReread *reread, const DynScalar *item, TupleTableSlot *slot);

/*
 * Prepares a row of the subplan for EvalPlanQual.  In this row, the row of a
 * partition or inheritance child has the parent's row type; converts it to the
 * child's row type.  Allocates in CurrentMemoryContext.
 */
extern void dyn_reread_children(const EPQState *epq, TupleTableSlot *slot);

/*
 * Raises an error unless the item would be read as a row with the values that
 * `row` has in these columns:
 * - those of `columns` (if NULL, all columns) that are not NULL in `row`
 * - those of `changed` that are NULL in `row`
 *
 * Returns true if the write (an INSERT, or an UPDATE that sets `values`) also
 * changes a column that it does not assign, except a document column.  Then,
 * or if reread->shown is true, changes `row` to what a SELECT would show.
 */
extern bool dyn_reread_check(DynReread *reread, const DynScalar *item,
							 TupleTableSlot *row, const Bitmapset *columns,
							 const Bitmapset *changed, const DynPathValue *values,
							 int n, TupleTableSlot *scratch);

/*
 * Returns true if the values of the column in two slots are both NULL, or
 * identical; json values are compared as jsonb.  The slots must have been
 * deformed (slot_getallattrs).
 */
extern bool dyn_column_same(const DynColumn *column, AttrNumber attnum,
							const TupleTableSlot *a, const TupleTableSlot *b);

#endif
