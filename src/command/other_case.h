/*
 * other_case.h
 *		Finds columns whose attribute exists under a name in other case.
 *
 * PostgreSQL folds names without double quotes to lower case: the column
 * createdAt is read from an attribute "createdat", and is NULL in every row.
 *
 * Legal order: dyn_folded_create; dyn_folded_see_item for items;
 * dyn_folded_report.
 */
#ifndef DYN_COMMAND_OTHER_CASE_H
#define DYN_COMMAND_OTHER_CASE_H

#include "../model/tables/relation.h"
#include "sample.h"

typedef struct DynFolded DynFolded;

/*
 * Returns the state for the columns that `reader` may read, or all for
 * InvalidOid.  It and later names are stored in CurrentMemoryContext.
 */
extern DynFolded *dyn_folded_create(const DynRelation *relation, Oid reader);

/* Records all attributes of an item, except those of DynamoDB's type NULL. */
extern void dyn_folded_see_item(DynFolded *folded, const DynValue *item);

/*
 * Raises a NOTICE for each column whose attribute no item had, while some item
 * had one with the same name in other case.
 */
extern void dyn_folded_report(const DynFolded *folded);

/*
 * Reports the same for the foreign tables over the DynamoDB table of a sample,
 * and their columns, that the current user may read.  Leaves out tables that
 * do not have a row for each item, whose definition is invalid, or that
 * another session is changing.
 */
extern void dyn_report_other_cases(const DynSample *sample);

#endif
