/*
 * other_case.h
 *		Columns whose attribute exists under a name in other case.
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

/* In CurrentMemoryContext, where names are kept later, too. */
extern DynFolded *dyn_folded_create(const DynRelation *relation);

/* All attributes of an item.  Those of DynamoDB's type NULL say nothing. */
extern void dyn_folded_see_item(DynFolded *folded, const DynValue *item);

/*
 * A NOTICE for each column whose attribute no item had, while some item had one
 * of the same name in other case.
 */
extern void dyn_folded_report(const DynFolded *folded);

/*
 * Reports the same of all foreign tables over the DynamoDB table of a sample, as
 * far as the current user may read them and their columns.  Leaves out those that
 * do not have a row for each item, whose definition is faulty, or that somebody
 * is changing.
 */
extern void dyn_report_other_cases(const DynSample *sample);

#endif
