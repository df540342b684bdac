/*
 * rest.h
 *		Determines the attributes omitted from the unmapped attributes of one
 *		item (model/tables/relation.h).
 */
#ifndef DYN_EXEC_REST_H
#define DYN_EXEC_REST_H

#include "../../dynamodb/names.h"
#include "template_parts.h"

typedef struct DynRest DynRest;

/*
 * Returns the state for a column of unmapped attributes; NULL if it omits the
 * same ones for all items.  `parts` are those of the rows that fetch it.  In
 * CurrentMemoryContext.
 */
extern DynRest *dyn_rest_create(const DynColumn *column,
								const DynRelation *relation, DynParts *parts);

/* Returns the names that the column omits for the current item. */
extern const DynNames *dyn_rest_names(DynRest *rest);

#endif
