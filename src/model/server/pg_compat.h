/*
 * pg_compat.h
 *		Hides all differences between PostgreSQL's major versions.
 *
 * Only this file and pg_compat.c test PG_VERSION_NUM.  Each macro and function
 * is named for its meaning, so that the rest of the source is independent of
 * the version.  Include after postgres.h.
 */
#ifndef DYN_MODEL_PG_COMPAT_H
#define DYN_MODEL_PG_COMPAT_H

#include "catalog/pg_class.h"
#include "catalog/pg_foreign_server.h"
#include "commands/vacuum.h"
#include "fmgr.h"
#include "nodes/execnodes.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"
#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "utils/acl.h"
#include "utils/date.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/tuplesort.h"
#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#include "varatt.h"
#endif
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif
#include "commands/explain.h"

/* PostgreSQL 19 removed UniquePath, and gave its name to UpperUniquePath. */
#if PG_VERSION_NUM >= 190000
#define T_UpperUniquePath T_UniquePath
#define UpperUniquePath UniquePath
#endif

#if PG_VERSION_NUM < 150000
#error "dynamo_fdw requires PostgreSQL 15 or later"
#endif

/* Module magic, with name and version if the server supports them. */
#if PG_VERSION_NUM >= 180000
#define DYN_MODULE_MAGIC(n, v) PG_MODULE_MAGIC_EXT(.name = (n), .version = (v))
#else
#define DYN_MODULE_MAGIC(n, v) PG_MODULE_MAGIC
#endif

/* True if the Var refers to OLD in RETURNING, which PostgreSQL 18 added. */
#if PG_VERSION_NUM >= 180000
#define dyn_var_is_old(var) ((var)->varreturningtype == VAR_RETURNING_OLD)
#else
#define dyn_var_is_old(var) false
#endif

/* PostgreSQL 18 removed the argument execute_once of ExecutorRun_hook. */
#if PG_VERSION_NUM >= 180000
#define DYN_RUN_ONCE_PARAMETER
#define DYN_RUN_ONCE_ARGUMENT
#else
#define DYN_RUN_ONCE_PARAMETER , bool execute_once
#define DYN_RUN_ONCE_ARGUMENT , execute_once
#endif

/* Creates a set of events that exists until the end of the session. */
#if PG_VERSION_NUM >= 170000
#define dyn_create_wait_set(nevents) CreateWaitEventSet(NULL, nevents)
#else
#define dyn_create_wait_set(nevents) CreateWaitEventSet(TopMemoryContext, nevents)
#endif

/*
 * Must be called after the last attribute of a tuple descriptor is set;
 * PostgreSQL 19 requires it.
 */
#if PG_VERSION_NUM >= 190000
#define dyn_finish_descriptor(desc) TupleDescFinalize(desc)
#else
#define dyn_finish_descriptor(desc) ((void) (desc))
#endif

/* True for ON CONFLICT DO SELECT, which PostgreSQL 19 added. */
#if PG_VERSION_NUM >= 190000
#define dyn_conflict_selects(conflict) ((conflict)->action == ONCONFLICT_SELECT)
#else
#define dyn_conflict_selects(conflict) false
#endif

/*
 * PostgreSQL 19 resolves the columns of DO UPDATE only if the action is DO
 * UPDATE, so this restores the action, which plan_upsert.c has changed to DO
 * NOTHING.  For foreign tables, core's executor ignores the action.
 */
#if PG_VERSION_NUM >= 190000
#define dyn_restore_conflict_action(plan) ((plan)->onConflictAction = ONCONFLICT_UPDATE)
#else
#define dyn_restore_conflict_action(plan) ((void) 0)
#endif

/*
 * True if the outer relation of a semijoin is unique already, so that the join
 * is an inner join.  Before PostgreSQL 19, core does not make it unique; see
 * dyn_unique_outer_path.
 */
#if PG_VERSION_NUM >= 190000
#define dyn_outer_was_made_unique(jointype) ((jointype) == JOIN_UNIQUE_OUTER)
#else
#define dyn_outer_was_made_unique(jointype) false
#endif

/* PostgreSQL 19 added an argument to planner_hook. */
#if PG_VERSION_NUM >= 190000
#define DYN_PLANNER_PARAMETER , ExplainState *es
#define DYN_PLANNER_ARGUMENT , es
#else
#define DYN_PLANNER_PARAMETER
#define DYN_PLANNER_ARGUMENT
#endif

/*
 * PostgreSQL 19 added an argument to initial_cost_nestloop: the kind of nested
 * loop.
 */
#if PG_VERSION_NUM >= 190000
#define dyn_initial_cost_nestloop(root, workspace, jointype, outer, inner, extra) \
	initial_cost_nestloop(root, workspace, jointype, PGS_NESTLOOP_PLAIN, outer, inner, extra)
#else
#define dyn_initial_cost_nestloop initial_cost_nestloop
#endif

/* State of a jsonb value that is being built. */
#if PG_VERSION_NUM >= 190000
typedef JsonbInState DynJsonbState;
#else
typedef struct DynJsonbState
{
	JsonbParseState *parse;
	JsonbValue *result;			/* complete value, or NULL */
} DynJsonbState;
#endif

/* Adds a token to a jsonb value, which is complete after the last token. */
static inline void
dyn_jsonb_push(DynJsonbState *state, JsonbIteratorToken token, JsonbValue *value)
{
#if PG_VERSION_NUM >= 190000
	pushJsonbValue(state, token, value);
#else
	state->result = pushJsonbValue(&state->parse, token, value);
#endif
}

/* Returns how long (ms) the node has run; 0 unless EXPLAIN measures time. */
extern double dyn_node_ms(const PlanState *node);

/*
 * Conversions between date, timestamp and timestamptz.  A time outside of the
 * result type's range becomes infinite.  Since PostgreSQL 19, core's functions
 * require a context for errors.
 */
#if PG_VERSION_NUM >= 190000
#define DYN_IGNORED_ERROR ((Node *) &(ErrorSaveContext) {T_ErrorSaveContext})
#define dyn_date_to_timestamp(date) date2timestamp_safe(date, DYN_IGNORED_ERROR)
#define dyn_date_to_timestamptz(date) date2timestamptz_safe(date, DYN_IGNORED_ERROR)
#define dyn_timestamp_to_timestamptz(time) timestamp2timestamptz_safe(time, DYN_IGNORED_ERROR)
#else
#define dyn_date_to_timestamp(date) date2timestamp_opt_overflow(date, &(int) {0})
#define dyn_date_to_timestamptz(date) date2timestamptz_opt_overflow(date, &(int) {0})
#define dyn_timestamp_to_timestamptz(time) timestamp2timestamptz_opt_overflow(time, &(int) {0})
#endif

/* Returns a new foreign path for one relation. */
static inline ForeignPath *
dyn_make_scan_path(PlannerInfo *root, RelOptInfo *rel, double rows,
				   Cost startup, Cost total, List *pathkeys,
				   Relids required_outer, List *private)
{
#if PG_VERSION_NUM >= 180000
	return create_foreignscan_path(root, rel, NULL, rows, 0, startup, total,
								   pathkeys, required_outer, NULL, NIL, private);
#elif PG_VERSION_NUM >= 170000
	return create_foreignscan_path(root, rel, NULL, rows, startup, total,
								   pathkeys, required_outer, NULL, NIL, private);
#else
	return create_foreignscan_path(root, rel, NULL, rows, startup, total,
								   pathkeys, required_outer, NULL, private);
#endif
}

/* Returns a new foreign path for an upper relation. */
static inline ForeignPath *
dyn_make_upper_path(PlannerInfo *root, RelOptInfo *rel, PathTarget *target,
					double rows, Cost startup, Cost total, List *private)
{
#if PG_VERSION_NUM >= 180000
	return create_foreign_upper_path(root, rel, target, rows, 0, startup, total,
									 NIL, NULL, NIL, private);
#elif PG_VERSION_NUM >= 170000
	return create_foreign_upper_path(root, rel, target, rows, startup, total,
									 NIL, NULL, NIL, private);
#else
	return create_foreign_upper_path(root, rel, target, rows, startup, total,
									 NIL, NULL, private);
#endif
}

/* Returns true if the path key sorts in ascending order. */
static inline bool
dyn_pathkey_is_ascending(const PathKey *key)
{
#if PG_VERSION_NUM >= 180000
	return key->pk_cmptype == COMPARE_LT;
#else
	return key->pk_strategy == BTLessStrategyNumber;
#endif
}

/*
 * Returns true if the collation sorts bytewise: "C", "POSIX", and the builtin
 * collations of PostgreSQL 17 and later.  Reads the catalogs, because the
 * server's own function for this differs between versions, and its header
 * requires ICU's headers.
 */
extern bool dyn_collation_is_bytewise(Oid collation);

/* Stores a copy of the next datum of a sort; returns false at the end. */
static inline bool
dyn_tuplesort_getdatum(Tuplesortstate *sort, Datum *value, bool *isnull)
{
#if PG_VERSION_NUM >= 160000
	return tuplesort_getdatum(sort, true, true, value, isnull, NULL);
#else
	return tuplesort_getdatum(sort, true, value, isnull, NULL);
#endif
}

/* Returns the user that the scan runs as; InvalidOid: the current user. */
static inline Oid
dyn_plan_check_as_user(const ForeignScan *plan, const RangeTblEntry *rte)
{
#if PG_VERSION_NUM >= 160000
	return plan->checkAsUser;
#else
	return rte->checkAsUser;
#endif
}

/*
 * These functions return the user whose privileges are needed to write a
 * statement's target; InvalidOid: the current user.
 */
extern Oid	dyn_result_user(const Query *query);
extern Oid	dyn_result_rel_user(ResultRelInfo *rinfo, EState *estate);

/*
 * The base relations of an upper foreign scan, and the clauses of GROUP BY.
 */
#if PG_VERSION_NUM >= 160000
#define dyn_plan_base_relids(fsplan) ((fsplan)->fs_base_relids)
#define dyn_grouping_clause(root) ((root)->processed_groupClause)
#else
#define dyn_plan_base_relids(fsplan) ((fsplan)->fs_relids)
#define dyn_grouping_clause(root) ((root)->parse->groupClause)
#endif

/* True if the Append or MergeAppend prunes subplans during execution. */
#if PG_VERSION_NUM >= 180000
#define dyn_append_is_pruned(append) ((append)->part_prune_index >= 0)
#else
#define dyn_append_is_pruned(append) ((append)->part_prune_info != NULL)
#endif

/*
 * Returns true if an asynchronous Append must always have an event to wait
 * for.  Versions 15.6 and 16.2 leave a PG_TRY block with "return" if no child
 * adds an event, so that the session's next error jumps into a stack frame
 * that no longer exists.  15.7 and 16.3 fixed that.  Checks the minor version
 * of the running server, not of the headers.
 */
extern bool dyn_append_needs_event(void);

/*
 * Raises an error if DO UPDATE, through a view, would update a row that is not
 * visible through the view.  Of each major version, only newer minor versions
 * check this.  In these versions, WCO_VIEW_CONFLICT_CHECK is the last kind of
 * check.
 */
extern void dyn_check_view_conflict(ResultRelInfo *rinfo, TupleTableSlot *row,
									EState *estate);

/*
 * Returns a path that makes the outer side of a semijoin unique, so that it
 * can be joined as INNER; NULL if that is impossible.  Since PostgreSQL 19,
 * core makes the relation unique itself, so the result is NULL.
 */
static inline Path *
dyn_unique_outer_path(PlannerInfo *root, RelOptInfo *outerrel,
					  SpecialJoinInfo *sjinfo)
{
#if PG_VERSION_NUM >= 190000
	return NULL;
#else
	return (Path *) create_unique_path(root, outerrel,
									   outerrel->cheapest_total_path, sjinfo);
#endif
}

/*
 * Returns the cost to add to a nested loop because nested loops are disabled;
 * 0 if they are enabled.
 */
static inline Cost
dyn_disabled_nestloop_cost(void)
{
#if PG_VERSION_NUM >= 180000
	return 0;					/* core counts disabled nodes instead */
#else
	return enable_nestloop ? 0 : disable_cost;
#endif
}

static inline void
dyn_copy_disabled_nodes(Path *path, const Path *from)
{
#if PG_VERSION_NUM >= 180000
	path->disabled_nodes = from->disabled_nodes;
#endif
}

/* The outer joins of the query; required_outer may contain their Relids. */
#if PG_VERSION_NUM >= 160000
#define dyn_outer_join_relids(root) ((root)->outer_join_rels)
#else
#define dyn_outer_join_relids(root) ((Relids) NULL)
#endif

/*
 * Returns true if an outer join may set the member to NULL; always false since
 * PostgreSQL 16, where em_relids contains the outer join.
 */
static inline bool
dyn_member_is_nullable(const EquivalenceMember *member)
{
#if PG_VERSION_NUM >= 160000
	return false;
#else
	return !bms_is_empty(member->em_nullable_relids);
#endif
}

/*
 * Returns true if the clauses (an implicit AND) reject every row in which this
 * column is NULL.
 */
extern bool dyn_var_is_nonnullable(List *clauses, Index relid, AttrNumber attnum);

/* Returns true if this column of the relation is in the equivalence class. */
extern bool dyn_ec_has_column(EquivalenceClass *ec, RelOptInfo *rel,
							  AttrNumber attnum);

/* Returns the planner's estimate of an array expression's length. */
extern double dyn_array_length(PlannerInfo *root, Node *array);

/* Returns ACLCHECK_OK if the user may use the foreign server. */
static inline AclResult
dyn_server_usage(Oid serverid, Oid userid)
{
#if PG_VERSION_NUM >= 160000
	return object_aclcheck(ForeignServerRelationId, serverid, userid, ACL_USAGE);
#else
	return pg_foreign_server_aclcheck(serverid, userid, ACL_USAGE);
#endif
}

/* Returns true if the user owns the relation. */
static inline bool
dyn_owns_relation(Oid relid, Oid userid)
{
#if PG_VERSION_NUM >= 160000
	return object_ownercheck(RelationRelationId, relid, userid);
#else
	return pg_class_ownercheck(relid, userid);
#endif
}

/* Handles interrupts, and sleeps according to vacuum_cost_delay. */
static inline void
dyn_analyze_delay_point(void)
{
#if PG_VERSION_NUM >= 180000
	vacuum_delay_point(true);
#else
	vacuum_delay_point();
#endif
}

/* Before PostgreSQL 17, all extensions share one wait event. */
#if PG_VERSION_NUM >= 170000
#define dyn_new_wait_event(name) WaitEventExtensionNew(name)
#else
#define dyn_new_wait_event(name) PG_WAIT_EXTENSION
#endif

/*
 * Calls a type's input function.  If the function rejects the value, returns
 * false with the message in *why, instead of raising an error.  Other errors
 * (out of memory, cancel) are raised.  Without `soft`, the caller must raise an
 * error if this returns false.
 *
 * PostgreSQL 15 has no soft errors.  There, `soft` requires a subtransaction,
 * and while parallel workers run, all errors are raised.
 */
extern bool dyn_input_or_why(FmgrInfo *input, char *str, Oid ioparam,
							 int32 typmod, bool soft, Datum *result,
							 const char **why);

/*
 * Prepares a statement that calls dyn_input_or_why with `soft`.  Must be called
 * before the statement runs.  The statement gets no parallel workers if that
 * needs subtransactions.
 */
static inline void
dyn_prepare_soft_input(PlannedStmt *statement)
{
#if PG_VERSION_NUM < 160000
	statement->parallelModeNeeded = false;
#endif
}

/*
 * Returns true if column i (from 0) has a NOT NULL constraint that holds for
 * all rows.  Since PostgreSQL 18, a constraint may be NOT VALID.
 */
static inline bool
dyn_is_never_null(TupleDesc desc, int i)
{
#if PG_VERSION_NUM >= 180000
	return TupleDescAttr(desc, i)->attnotnull &&
		TupleDescCompactAttr(desc, i)->attnullability != ATTNULLABLE_INVALID;
#else
	return TupleDescAttr(desc, i)->attnotnull;
#endif
}

/* A block of memory that all backends share; `init` initializes it. */
typedef struct DynSharedBlock
{
	const char *name;
	Size		size;
	void		(*init) (void *memory);

	/* private to pg_compat.c */
	void	   *memory;
	struct DynSharedBlock *next;
} DynSharedBlock;

/*
 * dyn_request_shared_memory requests the block, a static variable, and must be
 * called when the library is loaded.  dyn_shared_memory returns the block's
 * memory, or NULL if it is unavailable: before PostgreSQL 17, shared memory
 * requires shared_preload_libraries.
 */
extern void dyn_request_shared_memory(DynSharedBlock *block);
extern void *dyn_shared_memory(DynSharedBlock *block);

/* Returns true if shared memory is available. */
extern bool dyn_has_shared_memory(void);

/*
 * Finds a time zone abbreviation (in lower case) as AT TIME ZONE does.  If its
 * offset never changes, sets *fixed to true, and *offset to the offset in
 * seconds, whose sign depends on the version.  Returns false if the text is
 * not an abbreviation.
 */
extern bool dyn_find_zone_abbreviation(char *lowered, bool *fixed, int *offset);

#endif
