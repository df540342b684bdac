/*
 * rest.h
 *		What the rest of one item leaves out (model/tables/documents.h).
 */
#ifndef DYN_EXEC_REST_H
#define DYN_EXEC_REST_H

#include "../../dynamodb/names.h"
#include "template_parts.h"

typedef struct DynRest DynRest;

/*
 * For a column that shows the rest; NULL if it leaves out the same of all items.
 * `parts` are those of the rows that fetch it.  CurrentMemoryContext.
 */
extern DynRest *dyn_rest_create(const DynColumn *column,
								const DynRelation *relation, DynParts *parts);

/* What the rest of the item in hand leaves out. */
extern const DynNames *dyn_rest_names(DynRest *rest);

#endif
