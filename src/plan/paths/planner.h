/*
 * planner.h
 *		Planner callbacks of the foreign-data wrapper
 *
 * They are listed in the order of the calls; the first three share the
 * DynRelPlan in baserel->fdw_private.
 */
#ifndef DYN_PLAN_PLANNER_H
#define DYN_PLAN_PLANNER_H

#include "foreign/fdwapi.h"
#include "storage/block.h"
#include "utils/selfuncs.h"

#include "../keys/match_keys.h"

/* Callbacks defined in size.c, paths.c, plan.c */
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
 * The data from which the access plan of a chosen path is built again.  It is
 * stored in DynRelPlan.choices, and the path's fdw_private has its position
 * there.  The choice itself cannot be in fdw_private, because core does not
 * translate that when it reparameterizes a path.
 */
#define DYN_TARGET_TABLE	(-1)	/* else the position of an index */

typedef struct DynPathChoice
{
	int			target;
	bool		ordered;
	bool		backward;
	bool		first_row_only; /* true below a semijoin: one row is enough */
	bool		listed;			/* true if keys are from DynRelPlan.lists */
	bool		together;		/* true if a join by these reads both sides */
	DynAccessKind kind;
	bool		batchable;		/* true if several executions can be batched */
	const DynEstimate *estimate;
	const RestrictInfo *or_clause;	/* UNION: OR that has these arms */
	List	   *arms;			/* private to union_path.c */
	const struct DynPathChoice *while_open; /* choice used while a guard
											 * (choice.c) is open; NULL if this
											 * one has no guards */
} DynPathChoice;

/* Returns the fdw_private of a path with this choice. */
extern List *dyn_choice_add(DynRelPlan *plan, const DynPathChoice *choice);

/*
 * Returns the choice of one of our paths; NULL for a path of an upper
 * relation.
 */
extern const DynPathChoice *dyn_choice_of(const ForeignPath *path);

/* Returns the index of a target; NULL: the table. */
extern const DynIndexMeta *dyn_choice_index(const DynRelPlan *plan, int target);

/*
 * Returns the access plan of a choice other than a union, matched from
 * classified clauses.
 */
extern DynAccess *dyn_match_choice(const DynRelPlan *plan,
								   const DynPathChoice *choice, List *clauses);

/*
 * Returns the access plan like dyn_match_keys, but with guards (choice.c)
 * closed, as few as possible; the access plan lists them.  Returns NULL if the
 * clauses match the key without closing a guard, or not at all.
 */
extern DynAccess *dyn_match_closed(const DynRelPlan *plan,
								   const DynIndexMeta *index, List *clauses);

/*
 * Returns the cheapest union for one of the relation's clauses (union_path.c),
 * or NULL.  Stores in the choice the data from which dyn_union_match builds it
 * again.
 */
extern DynAccess *dyn_union_find(DynRelPlan *plan, DynPathChoice *choice);

/*
 * Returns the union of a choice.  `clauses` are from baserestrictinfo,
 * possibly with others that hold for each row.
 */
extern DynAccess *dyn_union_match(DynRelPlan *plan, const DynPathChoice *choice,
								  List *clauses);

/*
 * Returns the advice that EXPLAIN shows for an access plan made from these
 * clauses, as a sentence without capital and full stop; NULL: none.  For a
 * Scan, it names an index that could be used, or the reason why conditions on
 * a partition key do not restrict it.  For a Query, it does the same for the
 * next attribute of the sort key.  It reports no reason if there is no such
 * condition.
 */
extern const char *dyn_advise(const DynRelPlan *plan, const DynAccess *access,
							  List *clauses);

/* Returns the access plan of a scan; NULL if it belongs to another wrapper. */
extern const DynAccess *dyn_access_of_scan(const ForeignScan *scan);

/* Returns true if these statistics are a guess of size.c. */
extern bool dyn_is_guess(const VariableStatData *variable);

/*
 * Installs the hook that passes our guesses to core.  Called once, when the
 * library is loaded.
 */
extern void dyn_stats_init(void);

/* Returns the table's size in PostgreSQL pages (at least 1). */
extern BlockNumber dyn_table_pages(const DynTableMeta *meta);

/*
 * Returns the number of items that are expected to contain `rows` rows; 0 if a
 * hint would not be worth it.  If some items are not rows, or if `rows` is an
 * estimate (`roughly`), returns the number of items that cost no more than one
 * item.
 */
extern int	dyn_items_of_rows(const DynRelPlan *plan, const DynAccess *access,
							  List *clauses, double rows, bool roughly);

/*
 * Returns the items of the first page of a path with these pathkeys, if the
 * LIMIT of the query level applies to its rows; 0: a full page.  If only the
 * first sort keys are provided, rows are sorted in groups (Incremental Sort),
 * and the last group is read to its end.
 */
extern int	dyn_limit_hint(const DynRelPlan *plan, List *pathkeys,
						   const DynAccess *access, List *clauses);

/*
 * Core creates a query level with LIMIT 1 for each min and max.  If this is
 * one of them, returns their number, otherwise 1.  Their first requests are
 * sent together (exec/node/early_start.c).
 */
extern int	dyn_ends_together(const PlannerInfo *root);

/* Returns true for a foreign table of this wrapper. */
static inline bool
dyn_is_our_relation(const RelOptInfo *rel)
{
	return rel->fdwroutine != NULL &&
		rel->fdwroutine->GetForeignRelSize == dynGetForeignRelSize;
}

/*
 * Returns true if the path reads at most one item by its key.  Then reading
 * ahead is useless.
 */
extern bool dyn_is_one_row(Path *path);

/*
 * Install the hooks that add lookup joins, and that prefetch for subplans in
 * SELECT lists.  Called once, when the library is loaded.
 */
extern void dyn_lookup_join_init(void);
extern void dyn_subplan_init(void);

/*
 * Install the hooks that exclude waiting from JIT decisions, and that plan ON
 * CONFLICT (plan_upsert.c).  Called once, when the library is loaded.
 */
extern void dyn_jit_init(void);
extern void dyn_upsert_init(void);

#endif
