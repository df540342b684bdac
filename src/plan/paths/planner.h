/*
 * planner.h
 *		The planner callbacks of the foreign-data wrapper.
 *
 * In the order of the calls; the first three share the DynRelPlan in
 * baserel->fdw_private.
 */
#ifndef DYN_PLAN_PLANNER_H
#define DYN_PLAN_PLANNER_H

#include "foreign/fdwapi.h"

#include "../keys/match_keys.h"

/* size.c, paths.c, plan.c, upper.c, modify.c */
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
extern List *dynPlanForeignModify(PlannerInfo *root, ModifyTable *plan,
								  Index resultRelation, int subplan_index);
extern bool dynIsForeignPathAsyncCapable(ForeignPath *path);

/*
 * What a path keeps of its access plan, which is matched again from the clauses
 * when the path is chosen: reparameterisation does not translate what a path has
 * in its fdw_private.  That is the position in DynRelPlan.choices.
 */
#define DYN_TARGET_TABLE	(-1)	/* else the position of an index */

typedef struct DynPathChoice
{
	int			target;
	bool		ordered;
	bool		backward;
	bool		first_row_only; /* below a semijoin: one row is enough */
	DynAccessKind kind;
	bool		batchable;		/* several executions can be batched */
	const DynEstimate *estimate;
	const RestrictInfo *or_clause;	/* UNION: of which these are the arms */
	List	   *arms;			/* private to union_path.c */
	const struct DynPathChoice *while_open; /* of a gate (guards.h), this one;
											 * NULL: there is none */
} DynPathChoice;

/* The fdw_private of a path with this choice. */
extern List *dyn_choice_add(DynRelPlan *plan, const DynPathChoice *choice);

/* Of a path of ours, not of an upper relation. */
extern const DynPathChoice *dyn_choice_of(const ForeignPath *path);

/* The index of a target; NULL: the table. */
extern const DynIndexMeta *dyn_choice_index(const DynRelPlan *plan, int target);

/* The access plan of a choice that is no union, matched from classified clauses. */
extern DynAccess *dyn_match_choice(const DynRelPlan *plan,
								   const DynPathChoice *choice, List *clauses);

/*
 * The cheapest union for one of the relation's clauses (union_path.c), or NULL;
 * notes in the choice what dyn_union_match makes it of again.
 */
extern DynAccess *dyn_union_find(PlannerInfo *root, RelOptInfo *baserel,
								 DynPathChoice *choice);

/* `clauses` are of baserestrictinfo, and maybe others that hold for each row. */
extern DynAccess *dyn_union_match(PlannerInfo *root, RelOptInfo *baserel,
								  const DynPathChoice *choice, List *clauses);

/*
 * What EXPLAIN advises about an access plan that was made from these clauses, as
 * a sentence without capital and full stop; NULL: nothing.  Of a Scan: an index
 * that could be used, or else why conditions on a partition key do not restrict
 * it; of a Query: the same of the next attribute of the sort key.  Without a
 * condition there is no reason.
 */
extern const char *dyn_advise(PlannerInfo *root, const DynRelPlan *plan,
							  const DynAccess *access, List *clauses);

/*
 * Completes the access plan of the table that may replace an index, whose rows
 * are checked by all these expressions; false if there is none.
 */
extern bool dyn_complete_fallback(PlannerInfo *root, RelOptInfo *baserel,
								  DynAccess *access, List *local, List *remote);

/* The access plan of a scan; NULL: it is one of another wrapper. */
extern const DynAccess *dyn_access_of_scan(const ForeignScan *scan);

/* Is it a foreign table of this wrapper? */
static inline bool
dyn_is_our_relation(const RelOptInfo *rel)
{
	return rel->fdwroutine != NULL &&
		rel->fdwroutine->GetForeignRelSize == dynGetForeignRelSize;
}

/*
 * Does the path return at most one item by its key?  Then reading ahead is
 * useless.
 */
extern bool dyn_is_one_row(Path *path);

/*
 * Called once, when the library is loaded: install the hooks that add lookup
 * joins, and read ahead for the subplans of SELECT lists.
 */
extern void dyn_lookup_join_init(void);
extern void dyn_subplan_init(void);

/* Likewise: statements are not compiled for the time that they wait. */
extern void dyn_jit_init(void);

#endif
