/*
 * pg_compat.h
 *		Hides all differences between PostgreSQL's major versions.
 *
 * Only this file and pg_compat.c test PG_VERSION_NUM.  The macros are grouped
 * by the version that made them necessary.  In each group, the definitions for
 * this version come first, with comments; those for older versions follow.
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

#if PG_VERSION_NUM < 150000
#error "dynamo_fdw requires PostgreSQL 15 or later"
#endif

/* ---- PostgreSQL 16 ---- */

#if PG_VERSION_NUM >= 160000

#define dyn_plan_base_relids(fsplan) ((fsplan)->fs_base_relids)

/* The user that a scan runs as; InvalidOid means the current user. */
#define dyn_plan_check_as_user(plan, rte) ((plan)->checkAsUser)

/* Relids of the query's outer joins; required_outer may contain them. */
#define dyn_outer_join_relids(root) ((root)->outer_join_rels)

/* True if an outer join that is not in em_relids may set the member to NULL. */
#define dyn_member_is_nullable(member) false

#define dyn_server_usage(serverid, userid) \
	object_aclcheck(ForeignServerRelationId, serverid, userid, ACL_USAGE)

#define dyn_owns_relation(relid, userid) \
	object_ownercheck(RelationRelationId, relid, userid)

/* Subtracts rows that core has added to es_total_processed. */
#define dyn_uncount_total(estate, n) ((estate)->es_total_processed -= (n))

/* Stores a copy of the next datum of a sort; false at the end. */
#define dyn_tuplesort_getdatum(sort, value, isnull) \
	tuplesort_getdatum(sort, true, true, value, isnull, NULL)

#else

#define dyn_plan_base_relids(fsplan) ((fsplan)->fs_relids)
#define dyn_plan_check_as_user(plan, rte) ((rte)->checkAsUser)
#define dyn_outer_join_relids(root) ((Relids) NULL)
#define dyn_member_is_nullable(member) (!bms_is_empty((member)->em_nullable_relids))
#define dyn_server_usage(serverid, userid) \
	pg_foreign_server_aclcheck(serverid, userid, ACL_USAGE)
#define dyn_owns_relation(relid, userid) pg_class_ownercheck(relid, userid)
#define dyn_uncount_total(estate, n) ((void) (n))
#define dyn_tuplesort_getdatum(sort, value, isnull) \
	tuplesort_getdatum(sort, true, value, isnull, NULL)

#endif

/* ---- PostgreSQL 17 ---- */

#if PG_VERSION_NUM >= 170000

/* Creates a set of events that exists until the end of the session. */
#define dyn_create_wait_set(nevents) CreateWaitEventSet(NULL, nevents)

/* Returns the wait event of this name; extensions used to share one event. */
#define dyn_new_wait_event(name) WaitEventExtensionNew(name)

#define dyn_array_length(root, array) estimate_array_length(root, array)

/* Input of a JsonExpr, which is always evaluated; NULL for other nodes. */
#define dyn_json_input(node) \
	(IsA(node, JsonExpr) ? ((JsonExpr *) (node))->formatted_expr : NULL)

/* Passes fdw_private to a function that now also takes fdw_restrictinfo. */
#define DYN_PATH_PRIVATE(private) NIL, (private)

#else

#define dyn_create_wait_set(nevents) CreateWaitEventSet(TopMemoryContext, nevents)
#define dyn_new_wait_event(name) PG_WAIT_EXTENSION
#define dyn_array_length(root, array) ((double) estimate_array_length(array))
#define dyn_json_input(node) NULL
#define DYN_PATH_PRIVATE(private) (private)

#endif

/* ---- PostgreSQL 18 ---- */

#if PG_VERSION_NUM >= 180000

#define DYN_MODULE_MAGIC(n, v) PG_MODULE_MAGIC_EXT(.name = (n), .version = (v))

#define dyn_var_is_old(var) ((var)->varreturningtype == VAR_RETURNING_OLD)

/* True if the node, which is not a Var, is an expression over OLD. */
#define dyn_is_over_old(node) \
	(IsA(node, ReturningExpr) && ((ReturningExpr *) (node))->retold)

#define dyn_is_virtual(attr) ((attr)->attgenerated == ATTRIBUTE_GENERATED_VIRTUAL)

#define dyn_is_enforced(check) ((check)->ccenforced)

/* Empty, because ExecutorRun_hook no longer has the argument execute_once. */
#define DYN_RUN_ONCE_PARAMETER
#define DYN_RUN_ONCE_ARGUMENT

/* Passes the rows to a function that now also takes disabled_nodes. */
#define DYN_PATH_ROWS(rows) (rows), 0

/*
 * Cost that disables a nested loop.  It is 0 here, because this version of
 * PostgreSQL counts disabled nodes instead.
 */
#define dyn_disabled_nestloop_cost() 0
#define dyn_copy_disabled_nodes(path, from) ((path)->disabled_nodes = (from)->disabled_nodes)

#define dyn_pathkey_is_ascending(key) ((key)->pk_cmptype == COMPARE_LT)

#define dyn_append_is_pruned(append) ((append)->part_prune_index >= 0)

#define dyn_analyze_delay_point() vacuum_delay_point(true)

/* True if column i has a NOT NULL constraint that is valid for all rows. */
#define dyn_is_never_null(desc, i) \
	(TupleDescAttr(desc, i)->attnotnull && \
	 TupleDescCompactAttr(desc, i)->attnullability != ATTNULLABLE_INVALID)

#else

#define DYN_MODULE_MAGIC(n, v) PG_MODULE_MAGIC
#define dyn_var_is_old(var) false
#define dyn_is_over_old(node) false
#define dyn_is_virtual(attr) false
#define dyn_is_enforced(check) true
#define DYN_RUN_ONCE_PARAMETER , bool execute_once
#define DYN_RUN_ONCE_ARGUMENT , execute_once
#define DYN_PATH_ROWS(rows) (rows)
#define dyn_disabled_nestloop_cost() (enable_nestloop ? 0 : disable_cost)
#define dyn_copy_disabled_nodes(path, from) ((void) 0)
#define dyn_pathkey_is_ascending(key) ((key)->pk_strategy == BTLessStrategyNumber)
#define dyn_append_is_pruned(append) ((append)->part_prune_info != NULL)
#define dyn_analyze_delay_point() vacuum_delay_point()
#define dyn_is_never_null(desc, i) (TupleDescAttr(desc, i)->attnotnull)

#endif

/* ---- PostgreSQL 19 ---- */

#if PG_VERSION_NUM >= 190000

/* UniquePath was removed, and its name given to UpperUniquePath. */
#define T_UpperUniquePath T_UniquePath
#define UpperUniquePath UniquePath

/* Must be called after the last attribute of a tuple descriptor is set. */
#define dyn_finish_descriptor(desc) TupleDescFinalize(desc)

#define dyn_conflict_selects(conflict) ((conflict)->action == ONCONFLICT_SELECT)

/*
 * plan_modify.c plans DO UPDATE as DO NOTHING, so that core needs no unique
 * index.  This macro restores DO UPDATE, because the planner of version 19
 * resolves the columns in SET only for this action.  For a foreign table, the
 * executor ignores the action.
 */
#define dyn_restore_conflict_action(plan) ((plan)->onConflictAction = ONCONFLICT_UPDATE)

#define dyn_outer_was_made_unique(jointype) ((jointype) == JOIN_UNIQUE_OUTER)

/*
 * Returns a path that makes the outer rows unique, to join them by an inner
 * join; NULL if this is not possible, or if core adds such paths itself.
 */
#define dyn_unique_outer_path(root, outerrel, sjinfo) ((Path *) NULL)

/* Number of disabled nodes in a subplan, which core compares before costs. */
#define dyn_disabled_nodes(subplan) ((subplan)->disabled_nodes)

/* The new argument of planner_hook. */
#define DYN_PLANNER_PARAMETER , ExplainState *es
#define DYN_PLANNER_ARGUMENT , es

/* initial_cost_nestloop now has an argument for the kind of nested loop. */
#define dyn_initial_cost_nestloop(root, workspace, jointype, outer, inner, extra) \
	initial_cost_nestloop(root, workspace, jointype, PGS_NESTLOOP_PLAIN, outer, inner, extra)

/* A jsonb value under construction; `result` is NULL until the last token. */
typedef JsonbInState DynJsonbState;

#define dyn_jsonb_push(state, token, value) pushJsonbValue(state, token, value)

#define dyn_instrumented_ms(planstate) INSTR_TIME_GET_MILLISEC((planstate)->instrument->instr.total)

/* Conversions of dates and times; a result outside of the range is infinite. */
#define DYN_IGNORED_ERROR ((Node *) &(ErrorSaveContext) {T_ErrorSaveContext})
#define dyn_date_to_timestamp(date) date2timestamp_safe(date, DYN_IGNORED_ERROR)
#define dyn_date_to_timestamptz(date) date2timestamptz_safe(date, DYN_IGNORED_ERROR)
#define dyn_timestamp_to_timestamptz(time) timestamp2timestamptz_safe(time, DYN_IGNORED_ERROR)

#else

#define dyn_finish_descriptor(desc) ((void) (desc))
#define dyn_conflict_selects(conflict) false
#define dyn_restore_conflict_action(plan) ((void) 0)
#define dyn_outer_was_made_unique(jointype) false
#define dyn_disabled_nodes(subplan) 0
#define dyn_unique_outer_path(root, outerrel, sjinfo) \
	((Path *) create_unique_path(root, outerrel, (outerrel)->cheapest_total_path, sjinfo))
#define DYN_PLANNER_PARAMETER
#define DYN_PLANNER_ARGUMENT
#define dyn_initial_cost_nestloop initial_cost_nestloop
typedef struct DynJsonbState
{
	JsonbParseState *parse;
	JsonbValue *result;
} DynJsonbState;
#define dyn_jsonb_push(state, token, value) \
	((state)->result = pushJsonbValue(&(state)->parse, token, value))
#define dyn_instrumented_ms(planstate) ((planstate)->instrument->total * 1000)
#define dyn_date_to_timestamp(date) date2timestamp_opt_overflow(date, &(int) {0})
#define dyn_date_to_timestamptz(date) date2timestamptz_opt_overflow(date, &(int) {0})
#define dyn_timestamp_to_timestamptz(time) timestamp2timestamptz_opt_overflow(time, &(int) {0})

#endif

/* ---- all versions ---- */

#define dyn_make_scan_path(root, rel, rows, startup, total, pathkeys, required_outer, private) \
	create_foreignscan_path(root, rel, NULL, DYN_PATH_ROWS(rows), startup, total, \
							pathkeys, required_outer, NULL, DYN_PATH_PRIVATE(private))

#define dyn_make_upper_path(root, rel, target, rows, startup, total, private) \
	create_foreign_upper_path(root, rel, target, DYN_PATH_ROWS(rows), startup, total, \
							  NIL, NULL, DYN_PATH_PRIVATE(private))

/*
 * Returns true if the collation sorts bytewise.  Reads the catalogs, because
 * the server's own function differs between versions and needs ICU's headers.
 */
extern bool dyn_collation_is_bytewise(Oid collation);

/* Return the user whose privileges a write needs; InvalidOid: current user. */
extern Oid	dyn_result_user(const Query *query);
extern Oid	dyn_result_rel_user(ResultRelInfo *rinfo, EState *estate);

/*
 * Returns true if an asynchronous Append must always have an event to wait
 * for.  If no child adds an event, versions 15.6 and 16.2 leave a PG_TRY block
 * with "return", so the session's next error jumps into a stack frame that no
 * longer exists.  Checks the minor version of the running server.
 */
extern bool dyn_append_needs_event(void);

/*
 * Raises an error if DO UPDATE, through a view, would update a row that is not
 * visible through the view.  Only newer minor versions of PostgreSQL have this
 * check (WCO_VIEW_CONFLICT_CHECK, the last value of WCOKind).
 */
extern void dyn_check_view_conflict(ResultRelInfo *rinfo, TupleTableSlot *row,
									EState *estate);

/* Returns true if the clauses reject every row in which the column is NULL. */
extern bool dyn_var_is_nonnullable(List *clauses, Index relid, AttrNumber attnum);

extern bool dyn_ec_has_column(EquivalenceClass *ec, RelOptInfo *rel,
							  AttrNumber attnum);

/*
 * Returns true if `input` (with the ioparam of getTypeInputInfo) can return
 * its errors instead of raising them.  From PostgreSQL 16 on, this is true for
 * enums and PostgreSQL's own types, except regtype and similar types.
 */
extern bool dyn_input_is_soft(const FmgrInfo *input, Oid ioparam);

/*
 * Returns true unless an input function's error is known to be about the
 * session or the server: extensions reject values with errors of many classes.
 */
extern bool dyn_rejects_value(int sqlstate);

/*
 * Calls a type's input function.  If the function rejects the value, returns
 * false, with the message in *why.  Raises other errors, such as a cancel.
 * - With `soft`, a function that cannot return its errors (dyn_input_is_soft)
 *   runs in a subtransaction.  Parallel mode does not allow this: if such a
 *   function rejects the value there, raises an error.
 * - Without `soft`, nothing is rolled back, so the caller must raise an error
 *   if the result is false.
 */
extern bool dyn_input_or_why(FmgrInfo *input, char *str, Oid ioparam,
							 int32 typmod, bool soft, Datum *result,
							 const char **why);

/* A block of memory that all backends share; `init` initializes it. */
typedef struct DynSharedBlock
{
	const char *name;
	const char *purpose;		/* "counted" or "limited", to complete the
								 * warning "requests are ..." */
	Size		size;
	void		(*init) (void *memory);

	/* private to pg_compat.c */
	bool		detached;		/* true if the block could not be attached */
	void	   *memory;
	struct DynSharedBlock *next;
} DynSharedBlock;

/*
 * `block` must be a static variable.  The first function requests its memory,
 * when the library is loaded.  The second function returns the memory: shared
 * memory or, if this is unavailable, memory of the backend.  Before PostgreSQL
 * 17, shared memory requires shared_preload_libraries.
 */
extern void dyn_request_shared_memory(DynSharedBlock *block);
extern void *dyn_shared_memory(DynSharedBlock *block);

/*
 * Returns true if all sessions share `block`.  If `block` is NULL, returns
 * true if sessions can share a block at all.
 */
extern bool dyn_has_shared_memory(const DynSharedBlock *block);

/*
 * Finds a time zone abbreviation (in lower case) as AT TIME ZONE does.  If its
 * offset never changes, sets *fixed to true, and *offset to the offset in
 * seconds, whose sign depends on PostgreSQL's version.  Returns false if the
 * text is not an abbreviation.
 */
extern bool dyn_find_zone_abbreviation(char *lowered, bool *fixed, int *offset);

#endif
