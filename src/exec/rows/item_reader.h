/*
 * item_reader.h
 *		Reads single items that are not in a page of a fetch.
 *
 * An item is a JSON object of attribute values, as in a response to a write.
 */
#ifndef DYN_EXEC_ITEM_READER_H
#define DYN_EXEC_ITEM_READER_H

#include "../../dynamodb/page.h"
#include "rows.h"

typedef struct DynItemReader
{
	DynRows    *rows;
	DynPathTree *tree;			/* paths of `rows` */
	DynPage		page;
	DynValue   *values;
} DynItemReader;

/*
 * Returns a reader of items for the conversion `rows`, in
 * CurrentMemoryContext.  A reset of the context also frees the reader's
 * malloc'd memory.
 */
extern DynItemReader *dyn_item_reader_create(DynRows *rows);

/*
 * Parses JSON, and returns the item's slots, valid until the next call.
 * Raises an error if the JSON is not an item.
 */
extern const DynValue *dyn_item_reader_read(DynItemReader *reader,
											const char *item, size_t len);

#endif
