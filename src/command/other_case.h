/*
 * other_case.h
 *		Columns whose attribute exists under a name in other case.
 *
 * PostgreSQL folds names without double quotes to lower case: the column
 * createdAt is read from an attribute "createdat", and is NULL in every row.
 *
 * Legal order: dyn_folded_create; for items dyn_folded_see_item and
 * dyn_folded_see_attribute, for columns dyn_folded_see_column, in any order;
 * then dyn_folded_report.
 */
#ifndef DYN_COMMAND_OTHER_CASE_H
#define DYN_COMMAND_OTHER_CASE_H

#include "../dynamodb/attrvalue.h"
#include "../model/tables/relation.h"

typedef struct DynFolded DynFolded;

/* In CurrentMemoryContext, where names are kept later, too. */
extern DynFolded *dyn_folded_create(const DynRelation *relation);

/* One of them, by its name in UTF-8.  Those of DynamoDB's type NULL say nothing. */
extern void dyn_folded_see_attribute(DynFolded *folded, const char *name);

/* All attributes of an item. */
extern void dyn_folded_see_item(DynFolded *folded, const DynValue *item);

/* The column's attribute has a value in some item. */
extern void dyn_folded_see_column(DynFolded *folded, AttrNumber attnum);

/*
 * A NOTICE for each column whose attribute no item had, while some item had one
 * of the same name in other case.
 */
extern void dyn_folded_report(const DynFolded *folded);

#endif
