/*
 * planner.h
 *		Planner callbacks of the foreign-data wrapper; costs of access plans
 *
 * All callbacks for a foreign table share the DynRelPlan in the fdw_private of
 * its RelOptInfo.
 */
#ifndef DYN_PLAN_PLANNER_H
#define DYN_PLAN_PLANNER_H

#include "catalog/pg_trigger.h"
#include "foreign/fdwapi.h"
#include "storage/block.h"
#include "utils/selfuncs.h"

#include "../../model/tables/write_map.h"
#include "../keys/match_keys.h"

/* Callbacks defined in size.c, paths.c, choice.c, plan.c */
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
 * The data from which the access plan of a path is built again if core chooses
 * the path.  A path's fdw_private has only the choice's position in
 * DynRelPlan.choices, because core does not translate the contents of
 * fdw_private when it reparameterizes a path.
 */
typedef struct DynPathChoice
{
	int			target;			/* 0 for the table, n for the n-th index */
	bool		ordered;		/* true if the path has pathkeys */
	bool		backward;		/* true if the pathkeys are descending */
	bool		first_row_only; /* true if the semijoin or antijoin above
								 * needs only the first row of an execution */
	bool		listed;			/* true if keys come from DynRelPlan.lists */
	bool		together;		/* true if requests for both sides of a hash
								 * join above the path are sent together */
	DynAccessKind kind;
	bool		batchable;		/* true if several executions can be batched */
	const DynEstimate *estimate;
	const RestrictInfo *or_clause;	/* UNION: the OR whose arms are read */
	List	   *arms;			/* UNION: list of Arm * (union_path.c) */
	/* choice to use if a guard (choice.c) is true; NULL without guards */
	const struct DynPathChoice *while_open;
} DynPathChoice;

/*
 * Adds a copy of the choice to plan->choices; returns the fdw_private for the
 * path, which refers to the copy.
 */
extern List *dyn_choice_add(DynRelPlan *plan, const DynPathChoice *choice);

/* Returns the path's choice; NULL if the path is not a scan of our table. */
extern const DynPathChoice *dyn_choice_of(const Path *path);

/*
 * Adds a fallback (an access plan that reads the table) if run-time values may
 * make the index incomplete (index_complete.c), or the keys unusable.  All
 * clauses are checked for the fallback's rows.  If `access` provides an order,
 * these rows are sorted.
 */
extern void dyn_add_fallback(const DynRelPlan *plan, List *clauses,
							 DynAccess *access);

/*
 * Builds again, from `clauses` (DynClause *), the access plan that `choice`
 * (not a UNION) stands for.  Adds the estimate, the fallback and, if the plan
 * has guards (choice.c), the access plan to use when a guard is true.
 */
extern DynAccess *dyn_match_choice(const DynRelPlan *plan,
								   const DynPathChoice *choice, List *clauses);

/*
 * Returns an access plan by key that must not be used if one of its guards
 * (choice.c) is true.  Returns NULL if the key matches without guards, or if
 * there is no such access plan.
 */
extern DynAccess *dyn_match_closed(const DynRelPlan *plan,
								   const DynIndexMeta *index, List *clauses);

/*
 * An access plan that is used only while its guards (choice.c) are false or
 * NULL.  The struct must live as long as DynRelPlan.choices.
 */
typedef struct DynGuarded
{
	DynAccess  *access;
	Cost		startup;
	Cost		total;
	DynPathChoice choice;
} DynGuarded;

/*
 * For each choice in `guarded` (DynGuarded *, by descending cost), sets
 * while_open to the choice that replaces it while one of its guards is true.
 * This is the next more expensive choice that may still be usable in that case
 * and is preferred to `unconditional`; if there is none, it is the choice of
 * `unconditional`, a path without guards.
 */
extern void dyn_guarded_set_alternatives(List *guarded, const Path *unconditional);

/*
 * Returns the cheapest access plan of kind UNION for one of the relation's ORs
 * (union_path.c), or NULL.  Stores the OR and its arms in the choice.
 */
extern DynAccess *dyn_union_find(DynRelPlan *plan, DynPathChoice *choice);

/* Like dyn_match_choice, but for a choice of kind UNION. */
extern DynAccess *dyn_union_match(DynRelPlan *plan, const DynPathChoice *choice,
								  List *clauses);

/*
 * If *advice is NULL, sets it to text on how to make the index usable.  *lack
 * shows what the index lacks.  `how` is "used" or "scanned", as in "index
 * could be used if ...".
 */
extern void dyn_advise_on_index(const char **advice, const DynIndexMeta *index,
								const DynIndexLack *lack, const char *how);

/*
 * Returns the advice that EXPLAIN prints for an access plan made from these
 * clauses, not capitalized and without a period; NULL if there is none.  For a
 * Scan, also sets access->keyed and access->lacking.  `while_open` is true if
 * this access plan is the alternative that is used when a guard (such as $1 IS
 * NULL) of another access plan is true.
 */
extern const char *dyn_advise(const DynRelPlan *plan, DynAccess *access,
							  bool while_open, List *clauses);

/* Returns the access plan of a scan; NULL for a scan of another wrapper. */
extern const DynAccess *dyn_access_of_scan(const ForeignScan *scan);

/* Returns true if these statistics are a guess of size.c. */
extern bool dyn_is_guess(const VariableStatData *variable);

/* Installs the hook that gives core the guesses of size.c.  Called once. */
extern void dyn_stats_init(void);

/* Returns the table's size in PostgreSQL pages (at least 1). */
extern BlockNumber dyn_table_pages(const DynTableMeta *meta);

/*
 * Returns the number of items to request on the first page of a path with
 * these pathkeys, to satisfy the LIMIT or EXISTS of the query level.  Returns
 * 0 (a full page) if there is neither, or if all rows must be sorted first.
 */
extern int	dyn_limit_hint(const DynRelPlan *plan, List *pathkeys,
						   const DynAccess *access, List *clauses);

static inline bool
dyn_is_our_relation(const RelOptInfo *rel)
{
	return rel->fdwroutine != NULL &&
		rel->fdwroutine->GetForeignRelSize == dynGetForeignRelSize;
}

/*
 * Returns true if the path reads our table by its full primary key, and at
 * most one row is expected.  Above such a path, there is nothing to batch.
 */
extern bool dyn_is_one_row(Path *path);

/*
 * Install the hooks of lookup_path.c, subplan_path.c and jit.c.  Each function
 * is called once, when the library is loaded.
 */
extern void dyn_lookup_join_init(void);
extern void dyn_subplan_init(void);
extern void dyn_jit_init(void);

/*
 * ---- costs (cost.c) ----
 *
 * Sizes are from the table's description (zero may mean unknown) or, after
 * ANALYZE, from statistics.  For the same rows GetItem is always cheaper than
 * Query, and Query is always cheaper than Scan.
 */

/*
 * Returns the selectivity of clauses (RestrictInfo *).  Passes varRelid to
 * core, so that core does not cache the result as the selectivity of a join.
 */
extern double dyn_selectivity(const DynRelPlan *plan, List *clauses);

/*
 * Returns the expected number of rows that satisfy all of `clauses`
 * (RestrictInfo *), for each item that the access plan examines.  Examined
 * items satisfy the clauses that are matched to keys.
 */
extern double dyn_rows_per_item(const DynRelPlan *plan,
								const DynAccess *access, List *clauses);

/* Returns the estimated maximum number of rows that the access plan reads. */
extern double dyn_access_most_rows(const DynRelPlan *plan,
								   const DynAccess *access);

/* Returns true if one request by key is expected.  Needs access->estimate. */
extern bool dyn_access_is_one_request(const DynAccess *access);

/*
 * Returns true if the access plan reads several keys, by requests that are
 * expected to be in flight together and to use no more read units than one
 * full page.  Needs access->estimate.
 */
extern bool dyn_access_is_one_round(const DynAccess *access);

/*
 * Estimates the reads of one execution, and their prices.  The number of
 * examined items follows from the selectivity of access->key_rinfos.
 */
extern DynEstimate dyn_estimate_access(const DynRelPlan *plan,
									   const DynAccess *access);

/*
 * Sets access->per_value if separate Queries for the values of the sort key
 * cost less than one Query.  Returns `access`, which may be NULL.
 */
extern DynAccess *dyn_divide_values(const DynRelPlan *plan, DynAccess *access);

/*
 * Computes the costs of a path with this number of rows; `repeated` is true if
 * the path is executed for each row of another relation.
 */
extern void dyn_cost_estimate(const DynEstimate *estimate, bool repeated,
							  double rows, Cost *startup, Cost *total);

/*
 * Returns the margin by which a path by key may cost more than a less direct
 * one, such as a Scan, and still be preferred (yield_to_direct).  `startup` is
 * the startup cost of the path by key.
 */
extern Cost dyn_direct_margin(const DynEstimate *estimate, Cost startup);

/* Returns the part of a path's cost that is local CPU time, not waiting. */
extern double dyn_estimate_local_cost(const DynEstimate *estimate, double rows);

/*
 * Returns the minimum cost to assign to a less direct access, such as a Scan,
 * if a direct access to the same rows, such as a Query, has this cost.
 */
static inline Cost
dyn_less_direct_cost(Cost cost)
{
	return cost * 1.02 + 1;
}

/* Batched executions of one path that reads by key */
typedef struct DynLookupCost
{
	const DynEstimate *estimate;	/* estimate of one execution's requests */
	double		executions;
	double		keys;			/* number of distinct keys */
	bool		first_only;		/* true if one row per key is enough */
	Cost		startup;		/* startup cost of one unbatched execution */
	Cost		execution;		/* total cost of one unbatched execution */
} DynLookupCost;

/* Sets the costs of the lookups, without the outer side of the join. */
extern void dyn_cost_lookups(const DynLookupCost *lookups, Cost *startup,
							 Cost *total);

/* Assumed number of items per partition key, without statistics */
#define DYN_COLLECTION_ITEMS	50.0

/*
 * Returns true if the planner assumes DYN_COLLECTION_ITEMS items per value of
 * the column: the table is large, and the column has no statistics and is the
 * partition key of a global index or of a table with a sort key.
 */
extern bool dyn_collections_are_unknown(const RelOptInfo *rel,
										AttrNumber attnum);

/*
 * ---- statements that write (plan_modify.c) ----
 *
 * An UPDATE gets the full old row from core.  A DELETE gets junk columns: the
 * columns that identify the row, those that the condition of the write (the
 * guard) compares, and those that RETURNING reads.  The name of a junk column
 * contains the column's number and type, since partitions may have different
 * columns with one name.
 *
 * If the statement has the full key of its rows, and depends on no other
 * column, its scan sends no request (exec/source/requested.c).
 */

extern void dynAddForeignUpdateTargets(PlannerInfo *root, Index rtindex,
									   RangeTblEntry *target_rte,
									   Relation target_relation);
extern List *dynPlanForeignModify(PlannerInfo *root, ModifyTable *plan,
								  Index resultRelation, int subplan_index);
extern int	dynIsForeignRelUpdatable(Relation rel);

/*
 * Prepares ON CONFLICT (key) in all INSERTs of a statement that has not been
 * planned yet, so that core does not look for a unique index.
 */
extern void dyn_permit_upserts(Query *query);

/*
 * Returns true if the statement, a constraint or a trigger uses this column of
 * a target.  If not, the full row of an UPDATE need not have this column.
 */
extern bool dyn_modify_reads_column(PlannerInfo *root, Index rtindex, Oid relid,
									AttrNumber attnum);

/*
 * Returns true if only core uses the full row of the relation.  If a relation
 * is locked, or joined with a target, core adds a full-row Var, from which
 * EvalPlanQual takes the columns of the scan's target list and clauses.
 */
extern bool dyn_full_row_is_for_recheck(PlannerInfo *root, Index rtindex);

/*
 * Adds all generated columns to a set of updated columns, in which numbers are
 * offset by FirstLowInvalidHeapAttributeNumber.  Core adds these columns if a
 * BEFORE trigger exists, even if the trigger is not fired.
 */
extern Bitmapset *dyn_with_generated(Bitmapset *updated, TupleDesc desc);

/*
 * Return true if the table has a trigger that is enabled in this session.  A
 * trigger for UPDATE OF columns counts only if `updated` (NULL: all columns)
 * has one of its columns.  `timing` is TRIGGER_TYPE_BEFORE, TRIGGER_TYPE_AFTER
 * or DYN_ANY_TIMING.
 */
#define DYN_ANY_TIMING	(-1)

/* Considers triggers for which (tgtype & mask) == bits. */
extern bool dyn_has_trigger(const TriggerDesc *triggers, int mask, int bits,
							const Bitmapset *updated);

/* Considers row triggers of `operation` with this `timing`. */
extern bool dyn_has_row_trigger(const TriggerDesc *triggers, CmdType operation,
								int timing, const Bitmapset *updated);

/* Considers row triggers of the planned statement with this `timing`. */
extern bool dyn_fires_row_trigger(PlannerInfo *root, Index rtindex,
								  Relation relation, int timing);

/*
 * Raises an error if RETURNING reads a system column.  For an INSERT, also
 * raises an error if RETURNING, a constraint or `checks` (WITH CHECK OPTION
 * and policies) reads the segment column; for an UPDATE or DELETE, if `read`
 * (the columns that the statement reads) has a document column.  `rtindex` is
 * the index of the target; 0 after planning.
 */
extern void dyn_modify_check_read(const DynWriteMap *map, CmdType operation,
								  Relation target, const List *returning,
								  const List *checks, Index rtindex,
								  const Bitmapset *read);

/* Returns the name (palloc'd) of the junk column for a column of a target. */
extern char *dyn_row_identity_name(Relation relation, AttrNumber attnum);

/* The plan of one target, in the fdw_private of a ModifyTable. */
typedef struct DynModifyPlan
{
	Bitmapset  *read;			/* columns compared by the write's condition */
	Bitmapset  *returned;		/* columns that RETURNING reads */
	bool		derives;		/* true if an assigned value, or the WHERE of
								 * DO UPDATE, depends on the row */
	const char *schema;			/* schema at planning (dyn_metadata_schema) */
} DynModifyPlan;

extern DynModifyPlan dyn_modify_plan_of_list(const List *private);

#endif
