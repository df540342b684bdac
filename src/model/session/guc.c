/*
 * guc.c
 *		Defines the configuration parameters.
 *
 * Any user may set scan_policy to "warn" or "error".  Because "allow" loosens
 * a table's own policy, only a superuser, the configuration file, the server's
 * command line and ALTER ROLE ALL may set it.  ALTER ROLE name SET cannot
 * check privileges while this library is not loaded.  So an "allow" that it
 * has set is ignored unless this role is a superuser.
 *
 * Only a superuser may set log_requests, because it logs the constants in the
 * views of other users.  log_min_duration is restricted as in PostgreSQL.
 */
#include "postgres.h"

#include <limits.h>

#include "access/parallel.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/plancache.h"

#include "../definition/options.h"
#include "guc.h"

/* Maximum fetch_memory (kB) that users who are not superusers may set. */
#define MOST_FETCH_MEMORY	(96 * 1024)

int			dyn_guc_scan_policy = -1;
bool		dyn_guc_consistent_read = false;
bool		dyn_guc_log_requests = false;
int			dyn_guc_log_min_duration = -1;
int			dyn_guc_metadata_ttl = 300;
bool		dyn_guc_enable_lookup_join = true;
bool		dyn_guc_enable_cached_reads = true;
bool		dyn_guc_enable_shared_reads = true;
int			dyn_guc_fetch_memory = 24 * 1024;
int			dyn_guc_analyze_read_units = 1000;
double		dyn_guc_max_read_units_per_statement = 0;
double		dyn_guc_preview_units = -1;
int			dyn_guc_write_mode = DYN_WRITE_IMMEDIATE;

static const struct config_enum_entry write_mode_values[] = {
	{"immediate", DYN_WRITE_IMMEDIATE, false},
	{"atomic", DYN_WRITE_ATOMIC, false},
	{NULL, 0, false}
};

static const struct config_enum_entry scan_policy_values[] = {
	{"table", -1, false},
	{"allow", DYN_SCAN_ALLOW, false},
	{"warn", DYN_SCAN_WARN, false},
	{"error", DYN_SCAN_ERROR, false},
	{NULL, 0, false}
};

static bool initialized = false;

/*
 * Returns true if a setting from this source must not loosen a limit.  Only
 * superusers may loosen one: the current user and, for a setting made before
 * the library was loaded, also the session user, because the current user may
 * be the owner of a SECURITY DEFINER function.
 */
static bool
is_restricted(GucSource source)
{
	return source > PGC_S_GLOBAL && !InitializingParallelWorker &&
		!(superuser() && (initialized || superuser_arg(GetSessionUserId())));
}

static bool
check_scan_policy(int *newval, void **extra, GucSource source)
{
	if (*newval == DYN_SCAN_ALLOW && is_restricted(source))
	{
		GUC_check_errcode(ERRCODE_INSUFFICIENT_PRIVILEGE);
		GUC_check_errmsg("permission denied to set \"dynamo_fdw.scan_policy\" to \"allow\"");
		GUC_check_errhint("Set the option scan_policy of the table or server instead.");
		return false;
	}
	return true;
}

static bool
check_fetch_memory(int *newval, void **extra, GucSource source)
{
	if (*newval > MOST_FETCH_MEMORY && is_restricted(source))
	{
		GUC_check_errcode(ERRCODE_INSUFFICIENT_PRIVILEGE);
		GUC_check_errmsg("permission denied to set \"dynamo_fdw.fetch_memory\" above %d kB",
						 MOST_FETCH_MEMORY);
		return false;
	}
	return true;
}

/* Discards cached plans, which depend on whether the policy rejects Scans. */
static void
assign_scan_policy(int newval, void *extra)
{
	if (newval != dyn_guc_scan_policy)
		ResetPlanCache();
}

/* Discards cached plans: consistent reads exclude global indexes. */
static void
assign_consistent_read(bool newval, void *extra)
{
	if (newval != dyn_guc_consistent_read)
		ResetPlanCache();
}

void
dyn_guc_init(void)
{
	DefineCustomEnumVariable("dynamo_fdw.scan_policy",
							 "Sets what to do if a statement requires a full scan of a DynamoDB table.",
							 "With \"table\", the options of the table and the server apply. Other values can be stricter; only a superuser can set a less strict one.",
							 &dyn_guc_scan_policy, -1, scan_policy_values,
							 PGC_USERSET, GUC_EXPLAIN, check_scan_policy,
							 assign_scan_policy, NULL);
	DefineCustomBoolVariable("dynamo_fdw.consistent_read",
							 "Makes every read of DynamoDB strongly consistent.",
							 "Global secondary indexes are not used in that case.",
							 &dyn_guc_consistent_read, false,
							 PGC_USERSET, GUC_EXPLAIN, NULL, assign_consistent_read, NULL);
	DefineCustomEnumVariable("dynamo_fdw.write_mode",
							 "Sets how a statement's writes to DynamoDB are sent.",
							 "With \"immediate\", each item is written by itself. With \"atomic\", all items of a statement are one transaction, of at most 100 items.",
							 &dyn_guc_write_mode, DYN_WRITE_IMMEDIATE,
							 write_mode_values, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("dynamo_fdw.log_requests",
							 "Logs each request to DynamoDB in one line.",
							 NULL, &dyn_guc_log_requests, false,
							 PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo_fdw.log_min_duration",
							"Sets the minimum execution time above which requests to DynamoDB are logged.",
							"Zero logs all requests. -1 turns this feature off.",
							&dyn_guc_log_min_duration, -1, -1, INT_MAX,
							PGC_SUSET, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomBoolVariable("dynamo_fdw.enable_lookup_join",
							 "Enables the planner's use of lookup joins, which send the requests of many outer rows together.",
							 "If it is off, nested loops send one request at a time.",
							 &dyn_guc_enable_lookup_join, true,
							 PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomBoolVariable("dynamo_fdw.enable_cached_reads",
							 "Enables caching of items for repeated executions within a statement.",
							 "If it is off, each execution of a subquery or inner scan sends its own requests.",
							 &dyn_guc_enable_cached_reads, true,
							 PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomBoolVariable("dynamo_fdw.enable_shared_reads",
							 "Enables one read for several scans of a statement that need the same items.",
							 "If it is off, each scan sends its own requests.",
							 &dyn_guc_enable_shared_reads, true,
							 PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo_fdw.metadata_cache_ttl",
							"Sets the time for which a table description is cached.",
							NULL, &dyn_guc_metadata_ttl, 300, 0, 86400,
							PGC_USERSET, GUC_UNIT_S, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo_fdw.fetch_memory",
							"Sets the maximum memory for the responses of one statement.",
							NULL, &dyn_guc_fetch_memory, 24 * 1024, 1024, 1024 * 1024,
							PGC_USERSET, GUC_UNIT_KB, check_fetch_memory, NULL, NULL);
	DefineCustomIntVariable("dynamo_fdw.analyze_read_units",
							"Sets the maximum read units of ANALYZE for one foreign table.",
							"Larger tables are sampled.",
							&dyn_guc_analyze_read_units, 1000, 1, INT_MAX,
							PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomRealVariable("dynamo_fdw.max_read_units_per_statement",
							 "Sets the maximum read units of one statement.",
							 "Zero means no limit. The server option max_read_units_per_statement applies if it is smaller.",
							 &dyn_guc_max_read_units_per_statement, 0, 0, 1e9,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomRealVariable("dynamo_fdw.preview_units",
							 "Sets the maximum read units of a LIMIT scan that looks for rows where scan_policy rejects full scans.",
							 "-1 means the option preview_units of the table or server, which applies if it is smaller.",
							 &dyn_guc_preview_units, -1, -1, 1e9,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	MarkGUCPrefixReserved("dynamo_fdw");
	initialized = true;
}
