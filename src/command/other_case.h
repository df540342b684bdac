/*
 * other_case.h
 *		Finds columns whose attribute exists only under a name that differs in
 *		case.
 *
 * PostgreSQL folds names without double quotes to lower case: the column
 * createdAt is read from an attribute "createdat".  If items have the
 * attribute "createdAt" instead, the column is NULL in every row.
 *
 * Legal order: dyn_folded_create; dyn_folded_see_item for items;
 * dyn_folded_report.
 */
#ifndef DYN_COMMAND_OTHER_CASE_H
#define DYN_COMMAND_OTHER_CASE_H

#include "../model/tables/relation.h"
#include "remote_table.h"

typedef struct DynFolded DynFolded;

/*
 * Returns the state for the columns that `reader` may read, or for all columns
 * if `reader` is InvalidOid.  The state and its later additions are in the
 * CurrentMemoryContext of this call.
 */
extern DynFolded *dyn_folded_create(const DynRelation *relation, Oid reader);

/* Records all attributes of an item, except those of DynamoDB's type NULL. */
extern void dyn_folded_see_item(DynFolded *folded, const DynValue *item);

/*
 * Raises a NOTICE for each column whose attribute no item has, if an item has
 * an attribute whose name differs only in case.
 */
extern void dyn_folded_report(const DynFolded *folded);

#endif
