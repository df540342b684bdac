/*
 * united.h
 *		Executes a union: reads the arms of an OR, and returns each row once.
 *
 * The arms are read one after the other; if all rows will be wanted, their first
 * requests are sent together.  Items are told apart by their key of the
 * table.  A row is first checked by all conditions of the scan, and only then
 * its item counts as returned: an arm may read an outdated entry of an index,
 * and must not hide the item that another arm reads.
 *
 * The keys of returned items are kept in a hash table.  When that takes the
 * memory it may, further rows go to a sort, which may use a temporary file, and
 * are returned at the end.  All rows of an item are from the same read of it.
 */
#ifndef DYN_EXEC_UNITED_H
#define DYN_EXEC_UNITED_H

#include "input.h"
#include "items.h"

typedef struct DynUnited DynUnited;

/*
 * NULL if the scan's access plan is not a union.  From now on the union checks
 * the node's conditions.
 */
extern DynUnited *dyn_united_create(DynInput *input);

/*
 * The source of the execution that begins, in CurrentMemoryContext: rows that
 * satisfy all conditions.  It cannot be rewound.
 */
extern DynItems *dyn_united_open(DynUnited *united);

#endif
