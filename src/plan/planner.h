/*
 * planner.h
 *		The planner callbacks of the foreign-data wrapper.
 *
 * In the order in which the planner calls them; the first three share the
 * DynRelPlan in baserel->fdw_private.
 */
#ifndef DYN_PLAN_PLANNER_H
#define DYN_PLAN_PLANNER_H

#include "foreign/fdwapi.h"

#include "match_keys.h"

/* size.c, paths.c, plan.c, upper.c */
extern void dynGetForeignRelSize(PlannerInfo *root, RelOptInfo *baserel,
								 Oid foreigntableid);
extern void dynGetForeignPaths(PlannerInfo *root, RelOptInfo *baserel,
							   Oid foreigntableid);
extern ForeignScan *dynGetForeignPlan(PlannerInfo *root, RelOptInfo *baserel,
									  Oid foreigntableid, ForeignPath *best_path,
									  List *tlist, List *scan_clauses,
									  Plan *outer_plan);
extern void dynGetForeignUpperPaths(PlannerInfo *root, UpperRelationKind stage,
									RelOptInfo *input_rel,
									RelOptInfo *output_rel, void *extra);
extern bool dynIsForeignPathAsyncCapable(ForeignPath *path);

/*
 * A path names its access plan by what it reads and how, in fdw_private; the
 * plan is bound again from its clauses when it is chosen.  No expression
 * stands in there (fdw-guide: reparameterisation copies it blindly).
 */
#define DYN_TARGET_SCAN		(-2)
#define DYN_TARGET_TABLE	(-1)	/* by key; else the position of an index */

typedef struct DynPathChoice
{
	int			target;
	bool		ordered;
	bool		backward;
	bool		first_row_only;			/* one row is enough: below a semijoin */
	DynAccessKind kind;
	bool		batchable;		/* many executions can be answered together */
} DynPathChoice;

extern List *dyn_encode_choice(const DynPathChoice *choice);
extern void dyn_decode_choice(List *encoded, DynPathChoice *choice);

/* The access plan of a choice, bound from classified clauses. */
extern DynAccess *dyn_match_choice(const DynRelPlan *plan, RelOptInfo *baserel,
								   const DynPathChoice *choice, List *clauses,
								   List **pushed_exactly);

/* Is the relation read by this wrapper? */
static inline bool
dyn_is_our_relation(const RelOptInfo *rel)
{
	return rel->fdwroutine != NULL &&
		rel->fdwroutine->GetForeignRelSize == dynGetForeignRelSize;
}

/*
 * Once, when the library is loaded: offer nested loops whose outer side is read
 * ahead, and read ahead for the subplans of SELECT lists.
 */
extern void dyn_lookup_join_init(void);
extern void dyn_subplan_init(void);

/*
 * Sets what ordered reading needs: the attributes to merge by.  Returns how
 * many of the sort key's attributes the rows come ordered by.
 */
extern int	dyn_sort_attributes(const DynRelPlan *plan, const DynIndexMeta *index,
								const DynAccess *access, DynKeyAttr *sort);

#endif
