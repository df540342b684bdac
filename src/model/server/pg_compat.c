/*
 * pg_compat.c
 *		Functions that hide differences between PostgreSQL's major versions.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/transam.h"
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
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/memutils.h"
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
 * Returns true for libc's C and POSIX, and for all builtin locales.  `key` is
 * the OID of a database or collation.  `provider` and `name` are the catalog's
 * columns for the provider (char) and for the name of a libc locale (text).
 */
static bool
locale_is_bytewise(int cacheid, Oid key, AttrNumber provider, AttrNumber name)
{
	HeapTuple	tuple = SearchSysCache1(cacheid, ObjectIdGetDatum(key));
	bool		isnull;
	Datum		value;
	char		kind;
	bool		bytewise;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for locale of object %u", key);
	kind = DatumGetChar(SysCacheGetAttr(cacheid, tuple, provider, &isnull));
	value = SysCacheGetAttr(cacheid, tuple, name, &isnull);
	bytewise = kind == 'b' ||
		(kind == COLLPROVIDER_LIBC && !isnull &&
		 (strcmp(TextDatumGetCString(value), "C") == 0 ||
		  strcmp(TextDatumGetCString(value), "POSIX") == 0));
	ReleaseSysCache(tuple);
	return bytewise;
}

bool
dyn_collation_is_bytewise(Oid collation)
{
	/* the default collation of a database never changes */
	static int	of_default = -1;

	if (collation == C_COLLATION_OID)
		return true;
	if (collation != DEFAULT_COLLATION_OID)
		return locale_is_bytewise(COLLOID, collation, Anum_pg_collation_collprovider,
								  Anum_pg_collation_collcollate);
	if (of_default < 0)
		of_default = locale_is_bytewise(DATABASEOID, MyDatabaseId,
										Anum_pg_database_datlocprovider,
										Anum_pg_database_datcollate);
	return of_default;
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

bool
dyn_input_is_soft(const FmgrInfo *input, Oid ioparam)
{
#if PG_VERSION_NUM >= 160000
	return input->fn_oid == F_ENUM_IN ||
		(ioparam < FirstNormalObjectId && ioparam != REGPROCOID &&
		 (ioparam < REGPROCEDUREOID || ioparam > REGTYPEOID) &&
		 ioparam != REGCONFIGOID && ioparam != REGDICTIONARYOID && ioparam != REGCOLLATIONOID);
#else
	return false;
#endif
}

bool
dyn_rejects_value(int sqlstate)
{
	switch (ERRCODE_TO_CATEGORY(sqlstate))
	{
		case ERRCODE_CONNECTION_EXCEPTION:
		case ERRCODE_INVALID_TRANSACTION_STATE:
		case ERRCODE_TRANSACTION_ROLLBACK:
		case ERRCODE_INSUFFICIENT_RESOURCES:
		case ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE:
		case ERRCODE_OPERATOR_INTERVENTION:
		case ERRCODE_SYSTEM_ERROR:
			return false;
	}
	return sqlstate != ERRCODE_INSUFFICIENT_PRIVILEGE &&
		sqlstate != ERRCODE_STATEMENT_TOO_COMPLEX &&
		sqlstate != ERRCODE_DATA_CORRUPTED && sqlstate != ERRCODE_INDEX_CORRUPTED;
}

bool
dyn_input_or_why(FmgrInfo *input, char *str, Oid ioparam, int32 typmod,
				 bool soft, Datum *result, const char **why)
{
	InputCall	call = {input, str, ioparam, typmod, (Datum) 0};
	ErrorData  *failure = NULL;

#if PG_VERSION_NUM >= 160000
	if (dyn_input_is_soft(input, ioparam))
	{
		ErrorSaveContext escontext = {.type = T_ErrorSaveContext, .details_wanted = true};

		if (InputFunctionCallSafe(input, str, ioparam, typmod,
								  (Node *) &escontext, result))
			return true;
		*why = escontext.error_data->message;
		return false;
	}
#endif
	failure = soft && !IsInParallelMode() ? dyn_attempt(call_input, &call)
		: catch_input(&call);
	*result = call.result;
	if (failure == NULL)
		return true;
	if (!dyn_rejects_value(failure->sqlerrcode))
		ReThrowError(failure);
	if (soft && IsInParallelMode())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot skip a value that its type rejects during a parallel operation"),
				 errhint("If the statement is in a function, mark the function PARALLEL UNSAFE.")));
	*why = failure->message;
	return false;
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

/* True after an attempt to attach a DynSharedBlock has failed. */
static bool any_detached = false;

static void
attach_block(void *arg)
{
	DynSharedBlock *block = arg;
	bool		found;

#if PG_VERSION_NUM >= 190000
	block->memory = GetNamedDSMSegment(block->name, block->size, init_block,
									   &found, block);
#else
	block->memory = GetNamedDSMSegment(block->name, block->size, block->init,
									   &found);
#endif
}

/*
 * Attaches the block, which the server creates on first use.  If that fails,
 * for example because /dev/shm is full, statements can do without the block.
 */
static void
try_to_attach(DynSharedBlock *block)
{
	ErrorData  *failure = NULL;

	/*
	 * errors cannot be caught in parallel mode; there, do not attach a block
	 * after an attempt has failed
	 */
	if (!IsInParallelMode())
		failure = dyn_attempt(attach_block, block);
	else if (!any_detached)
		attach_block(block);
	if (block->memory != NULL)
		return;
	block->detached = any_detached = true;
	ereport(WARNING,
			(errmsg("requests are %s for this session alone, because shared memory is unavailable",
					block->purpose),
			 failure ? errdetail_internal("%s", failure->message) : 0));
}

void
dyn_request_shared_memory(DynSharedBlock *block)
{
}

bool
dyn_has_shared_memory(const DynSharedBlock *block)
{
	return IsUnderPostmaster && (block == NULL || !block->detached);
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

/* Runs at server start, and again after a crash of a backend. */
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

bool
dyn_has_shared_memory(const DynSharedBlock *block)
{
	return shared_blocks != NULL && shared_blocks->memory != NULL;
}

#endif

void *
dyn_shared_memory(DynSharedBlock *block)
{
#if PG_VERSION_NUM >= 170000
	if (block->memory == NULL && dyn_has_shared_memory(block))
		try_to_attach(block);
#endif
	if (block->memory == NULL)
	{
		void	   *memory = MemoryContextAllocHuge(TopMemoryContext, block->size);

		block->init(memory);
		block->memory = memory;
	}
	return block->memory;
}

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
