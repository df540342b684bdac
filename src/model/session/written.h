/*
 * written.h
 *		Counts items that this session has written to DynamoDB.
 *
 * ROLLBACK does not undo a write that DynamoDB has acknowledged, because a
 * transaction of DynamoDB does not span requests.  So items are counted for
 * each level of subtransactions, and the abort of a level reports its items in
 * one WARNING.
 *
 * Reads are eventually consistent by default.  A session that has just written
 * a table reads it with consistent reads, so that it sees its own writes.
 */
#ifndef DYN_MODEL_WRITTEN_H
#define DYN_MODEL_WRITTEN_H

#include "../../dynamodb/operation.h"
#include "connection.h"

/*
 * Counts one item that a PutItem, UpdateItem or DeleteItem has written to a
 * foreign table.  Raises an error only if memory runs out.
 */
extern void dyn_written_count(const char *relation, DynOperation op);

/*
 * Counts abandoned requests, each of which may have written an item.  Does not
 * allocate memory, because it is called during the abort of a transaction.
 */
extern void dyn_written_maybe(int requests);

/* Returns the number of items that the running transaction has written. */
extern uint64 dyn_written_items(void);

extern void dyn_written_table(const DynConnection *connection, const char *table);

/*
 * Returns true if the running transaction has written the table, or the
 * session has written it in the last few seconds.
 */
extern bool dyn_written_recently(const DynConnection *connection,
								 const char *table);

/*
 * Called once, when the library is loaded.  When a transaction or
 * subtransaction aborts, `abandon` is called with its nesting level.
 * `abandon` must end the write requests of that level and deeper levels, count
 * them with dyn_written_maybe(), and raise no errors.
 */
extern void dyn_written_init(void (*abandon) (int level));

#endif
