/*
 * united.h
 *		Executes a union: reads the arms of an OR, and returns each row once.
 *
 * The arms are read one after the other; if all rows will be needed, their
 * first requests are sent together.  Items are identified by their key of the
 * table.  An item counts as returned only when one of its rows has been
 * checked by all conditions of the scan: an arm that reads an outdated entry
 * of an index must not hide the item that another arm reads.
 *
 * The keys of returned items are stored in a hash table.  When that reaches
 * its memory limit, further rows go to a sort, which may use a temporary file,
 * and are returned at the end.  All rows of an item come from the same read of
 * the item.
 */
#ifndef DYN_EXEC_UNITED_H
#define DYN_EXEC_UNITED_H

#include "input.h"
#include "items.h"

typedef struct DynUnited DynUnited;

/*
 * Returns a union; NULL if the scan's access plan is not one.  The union then
 * checks the node's conditions.
 */
extern DynUnited *dyn_united_create(DynInput *input);

/*
 * Returns the source of the execution that begins, in CurrentMemoryContext:
 * rows that satisfy all conditions.  It cannot be rewound.
 */
extern DynItems *dyn_united_open(DynUnited *united);

#endif
