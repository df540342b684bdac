/*
 * union_path.h
 *		An OR whose arms match different keys: a union of the arms' access plans.
 *
 * The arms are read one after the other.  All clauses are checked for each row,
 * and a row that several arms return is returned once (exec/source/united.h).
 */
#ifndef DYN_PLAN_UNION_PATH_H
#define DYN_PLAN_UNION_PATH_H

#include "planner.h"

/*
 * The cheapest union for one of the relation's clauses, or NULL; notes in the
 * choice what dyn_union_match makes it of again.
 */
extern DynAccess *dyn_union_find(PlannerInfo *root, RelOptInfo *baserel,
								 DynPathChoice *choice);

/* `clauses` are of baserestrictinfo, and maybe others that hold for each row. */
extern DynAccess *dyn_union_match(PlannerInfo *root, RelOptInfo *baserel,
								  const DynPathChoice *choice, List *clauses);

#endif
