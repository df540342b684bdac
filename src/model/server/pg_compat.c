/*
 * pg_compat.c
 *		Functions that hide differences between PostgreSQL's major versions.
 *
 * See pg_compat.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "access/xact.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_database.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "pg_compat.h"
#include "soft_errors.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"
#include "utils/resowner.h"
#if PG_VERSION_NUM >= 160000
#include "nodes/multibitmapset.h"
#include "parser/parse_relation.h"
#endif
#if PG_VERSION_NUM >= 170000
#include "storage/dsm_registry.h"
#else
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#endif

/*
 * Returns a text attribute of a catalog tuple; NULL if the attribute is null.
 */
static char *
text_attribute(int cacheid, HeapTuple tuple, AttrNumber attnum)
{
	bool		isnull;
	Datum		value = SysCacheGetAttr(cacheid, tuple, attnum, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

/* Returns true for libc's C and POSIX, and for all builtin locales. */
static bool
locale_is_bytewise(char provider, const char *name)
{
	if (provider == 'b')
		return true;
	return provider == COLLPROVIDER_LIBC && name != NULL &&
		(strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0);
}

/* Caches the result: the database's default collation never changes. */
static bool
default_is_bytewise(void)
{
	static int	known = -1;
	HeapTuple	tuple;

	if (known >= 0)
		return known;
	tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for database %u", MyDatabaseId);
	known = locale_is_bytewise(((Form_pg_database) GETSTRUCT(tuple))->datlocprovider,
							   text_attribute(DATABASEOID, tuple,
											  Anum_pg_database_datcollate));
	ReleaseSysCache(tuple);
	return known;
}

bool
dyn_collation_is_bytewise(Oid collation)
{
	HeapTuple	tuple;
	char		provider;
	bool		bytewise;

	if (collation == C_COLLATION_OID)
		return true;
	if (collation == DEFAULT_COLLATION_OID)
		return default_is_bytewise();
	tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for collation %u", collation);
	provider = ((Form_pg_collation) GETSTRUCT(tuple))->collprovider;
	bytewise = locale_is_bytewise(provider,
								  text_attribute(COLLOID, tuple,
												 Anum_pg_collation_collcollate));
	ReleaseSysCache(tuple);
	return bytewise;
}

Oid
dyn_result_user(const Query *query)
{
	RangeTblEntry *rte = rt_fetch(query->resultRelation, query->rtable);

#if PG_VERSION_NUM >= 160000
	return getRTEPermissionInfo(query->rteperminfos, rte)->checkAsUser;
#else
	return rte->checkAsUser;
#endif
}

/*
 * In PostgreSQL 15, partitions found by tuple routing have no range table
 * entry, so the entry of the root result relation is used.
 */
Oid
dyn_result_rel_user(ResultRelInfo *rinfo, EState *estate)
{
#if PG_VERSION_NUM >= 160000
	return ExecGetResultRelCheckAsUser(rinfo, estate);
#else
	if (rinfo->ri_RootResultRelInfo != NULL)
		rinfo = rinfo->ri_RootResultRelInfo;
	return exec_rt_fetch(rinfo->ri_RangeTableIndex, estate)->checkAsUser;
#endif
}

bool
dyn_append_needs_event(void)
{
	static int	version = 0;

	if (version == 0)
		version = pg_strtoint32(GetConfigOption("server_version_num", false, false));
	return version == 150006 || version == 160002;
}

void
dyn_check_view_conflict(ResultRelInfo *rinfo, TupleTableSlot *row, EState *estate)
{
	ListCell   *lc;

	foreach(lc, rinfo->ri_WithCheckOptions)
	{
		int			kind = lfirst_node(WithCheckOption, lc)->kind;

		if (kind <= WCO_RLS_MERGE_DELETE_CHECK)
			continue;
		ExecWithCheckOptions(kind, rinfo, row, estate);
		return;
	}
}

bool
dyn_var_is_nonnullable(List *clauses, Index relid, AttrNumber attnum)
{
	List	   *vars = find_nonnullable_vars((Node *) clauses);
#if PG_VERSION_NUM >= 160000
	return mbms_is_member(relid, attnum - FirstLowInvalidHeapAttributeNumber,
						  vars);
#else
	ListCell   *lc;

	foreach(lc, vars)
	{
		Var		   *var = lfirst_node(Var, lc);

		if (var->varno == relid && var->varattno == attnum &&
			var->varlevelsup == 0)
			return true;
	}
	return false;
#endif
}

static bool
member_is_column(EquivalenceMember *em, RelOptInfo *rel, AttrNumber attnum)
{
	Expr	   *expr = em->em_expr;

	while (IsA(expr, RelabelType))
		expr = ((RelabelType *) expr)->arg;
	return IsA(expr, Var) && ((Var *) expr)->varno == rel->relid &&
		((Var *) expr)->varattno == attnum;
}

bool
dyn_ec_has_column(EquivalenceClass *ec, RelOptInfo *rel, AttrNumber attnum)
{
#if PG_VERSION_NUM >= 180000
	EquivalenceMemberIterator it;
	EquivalenceMember *em;

	setup_eclass_member_iterator(&it, ec, rel->relids);
	while ((em = eclass_member_iterator_next(&it)) != NULL)
	{
		if (member_is_column(em, rel, attnum))
			return true;
	}
#else
	ListCell   *lc;

	foreach(lc, ec->ec_members)
	{
		if (member_is_column(lfirst(lc), rel, attnum))
			return true;
	}
#endif
	return false;
}

double
dyn_array_length(PlannerInfo *root, Node *array)
{
#if PG_VERSION_NUM >= 170000
	return estimate_array_length(root, array);
#else
	return estimate_array_length(array);
#endif
}

#if PG_VERSION_NUM < 160000
typedef struct InputCall
{
	FmgrInfo   *input;
	char	   *str;
	Oid			ioparam;
	int32		typmod;
	Datum		result;
} InputCall;

static void
call_input(void *arg)
{
	InputCall  *call = arg;

	call->result = InputFunctionCall(call->input, call->str, call->ioparam,
									 call->typmod);
}

/* Calls the function without a subtransaction; returns its error, or NULL. */
static ErrorData *
catch_input(InputCall *call)
{
	MemoryContext oldcontext = CurrentMemoryContext;
	ErrorData  *volatile failure = NULL;

	PG_TRY();
	{
		call_input(call);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(oldcontext);
		failure = CopyErrorData();
		FlushErrorState();
	}
	PG_END_TRY();
	return failure;
}
#endif

bool
dyn_input_or_why(FmgrInfo *input, char *str, Oid ioparam, int32 typmod,
				 bool soft, Datum *result, const char **why)
{
#if PG_VERSION_NUM >= 160000
	ErrorSaveContext escontext = {.type = T_ErrorSaveContext, .details_wanted = true};

	if (InputFunctionCallSafe(input, str, ioparam, typmod,
							  (Node *) &escontext, result))
		return true;
	*why = escontext.error_data->message;
#else
	InputCall	call = {input, str, ioparam, typmod, (Datum) 0};
	ErrorData  *failure = NULL;
	int			category;

	if (!soft)
		failure = catch_input(&call);
	else if (!IsInParallelMode())
		failure = dyn_attempt(call_input, &call);
	else
		call_input(&call);		/* parallel mode allows no subtransaction */
	*result = call.result;
	if (failure == NULL)
		return true;
	/* other errors do not mean that the function rejects the value */
	category = ERRCODE_TO_CATEGORY(failure->sqlerrcode);
	if (category != ERRCODE_DATA_EXCEPTION &&
		category != ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION)
		ReThrowError(failure);
	*why = failure->message;
#endif
	return false;
}

/* ---- instrumentation ---- */

double
dyn_node_ms(const PlanState *node)
{
	if (node->instrument == NULL)
		return 0;
#if PG_VERSION_NUM >= 190000
	return INSTR_TIME_GET_MILLISEC(node->instrument->instr.total);
#else
	return node->instrument->total * 1000;
#endif
}

/* ---- shared memory ---- */

#if PG_VERSION_NUM >= 170000

#if PG_VERSION_NUM >= 190000
static void
init_block(void *memory, void *block)
{
	((const DynSharedBlock *) block)->init(memory);
}
#endif

void
dyn_request_shared_memory(DynSharedBlock *block)
{
}

void *
dyn_shared_memory(DynSharedBlock *block)
{
	bool		found;

	if (block->memory == NULL && IsUnderPostmaster)
#if PG_VERSION_NUM >= 190000
		block->memory = GetNamedDSMSegment(block->name, block->size, init_block,
										   &found, block);
#else
		block->memory = GetNamedDSMSegment(block->name, block->size, block->init,
										   &found);
#endif
	return block->memory;
}

bool
dyn_has_shared_memory(void)
{
	return IsUnderPostmaster;
}

#else

static DynSharedBlock *shared_blocks = NULL;
static shmem_request_hook_type next_shmem_request = NULL;
static shmem_startup_hook_type next_shmem_startup = NULL;

static void
request_shared_blocks(void)
{
	if (next_shmem_request)
		next_shmem_request();
	for (const DynSharedBlock *block = shared_blocks; block != NULL; block = block->next)
		RequestAddinShmemSpace(MAXALIGN(block->size));
}

/* Called at server start, and again after a crash of a backend. */
static void
set_up_shared_blocks(void)
{
	bool		found;

	if (next_shmem_startup)
		next_shmem_startup();
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	for (DynSharedBlock *block = shared_blocks; block != NULL; block = block->next)
	{
		block->memory = ShmemInitStruct(block->name, block->size, &found);
		if (!found)
			block->init(block->memory);
	}
	LWLockRelease(AddinShmemInitLock);
}

void
dyn_request_shared_memory(DynSharedBlock *block)
{
	if (!process_shared_preload_libraries_in_progress)
		return;
	if (shared_blocks == NULL)
	{
		next_shmem_request = shmem_request_hook;
		shmem_request_hook = request_shared_blocks;
		next_shmem_startup = shmem_startup_hook;
		shmem_startup_hook = set_up_shared_blocks;
	}
	block->next = shared_blocks;
	shared_blocks = block;
}

void *
dyn_shared_memory(DynSharedBlock *block)
{
	return block->memory;
}

bool
dyn_has_shared_memory(void)
{
	return shared_blocks != NULL && shared_blocks->memory != NULL;
}

#endif

bool
dyn_find_zone_abbreviation(char *lowered, bool *fixed, int *offset)
{
	int			type;
	pg_tz	   *tz;

#if PG_VERSION_NUM >= 160000
	DateTimeErrorExtra extra;

	if (DecodeTimezoneAbbrev(0, lowered, &type, offset, &tz, &extra) < 0)
		return false;
#else
	type = DecodeTimezoneAbbrev(0, lowered, offset, &tz);
#endif
	*fixed = type == TZ || type == DTZ;
	return *fixed || type == DYNTZ;
}
