/*
 * sample.h
 *		What the first items of a DynamoDB table look like: the names and types
 *		of their attributes.
 */
#ifndef DYN_COMMAND_SAMPLE_H
#define DYN_COMMAND_SAMPLE_H

#include "nodes/pg_list.h"

#include "../exec/statement/statement.h"

/* An attribute of an item. */
typedef struct DynSampleValue
{
	const char *name;			/* UTF-8; NULL: it contains U+0000 */
	DynType		type;
} DynSampleValue;

typedef struct DynSampleItem
{
	List	   *values;			/* of DynSampleValue * */
	DynType		tag_type;		/* of the tag; ABSENT if it has none */
	const char *tag;			/* S: UTF-8; N: canonical; BOOL: true or false;
								 * NULL: other types, and S with U+0000 */
} DynSampleItem;

/*
 * Sends one Scan, whose Limit is `items`, for the whole items.  `tag` (UTF-8) is
 * the attribute whose values are kept; NULL: none.  Returns a List of
 * DynSampleItem *, in CurrentMemoryContext.  Raises an error if the Scan fails.
 */
extern List *dyn_sample_take(DynStatement *statement, DynConnection *connection,
							 const char *table, const DynTableMeta *meta,
							 const char *tag, int items);

#endif
