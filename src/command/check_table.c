/*
 * check_table.c
 *		Checks how foreign tables read a table's items:
 *		dynamo_fdw_check_table().
 *
 * Reads all items with one Scan.  Each item is converted to rows for each of
 * the server's foreign tables over the DynamoDB table.  The conversion works
 * as in a scan of the foreign table, except that errors are recorded, not
 * raised (exec/rows/rows.h).  A result contains the number of items that it
 * concerns, and the key of the first such item.
 *
 * If some foreign tables have templates for the key, tables without such
 * templates (for example, imported tables) are left out, unless the caller
 * names them.  An item that is a row of no compared table is unclaimed, unless
 * the item_filter of a left-out table selects it.  If some compared tables
 * have such templates or an item_filter, tables that show every item do not
 * claim items.
 *
 * The requests use the current user's keys.  Values are converted as the owner
 * of each foreign table, in a restricted context, since constraints of domains
 * may run code of other users.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "foreign/foreign.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "../exec/source/scan_policy.h"
#include "../exec/rows/rows.h"
#include "../model/server/encoding.h"
#include "../model/server/pg_compat.h"
#include "../model/values/path.h"
#include "check_table.h"
#include "../model/server/soft_errors.h"
#include "target.h"

/* Maximum number of pairs of foreign tables that are reported separately. */
#define MAX_PAIRS	100

PG_FUNCTION_INFO_V1(dynamo_fdw_check_table);

/* ---- recording issues ---- */

/*
 * Returns the key of the current item as JSON; NULL if jsonb cannot represent
 * it.
 */
static char *
key_of_item(DynCheck *check)
{
	const DynAccess *access = check->scan->access;
	StringInfoData json;

	initStringInfo(&json);
	for (int i = 0; i < access->nbase; i++)
	{
		const DynValue *value = &check->values[i];
		const char *why;
		Datum		datum;

		if (value->type == DYN_TYPE_ABSENT ||
			!dyn_codec_decode(&check->jsonb, value, true, &datum, &why))
			return NULL;
		appendStringInfoChar(&json, i == 0 ? '{' : ',');
		escape_json(&json, dyn_from_utf8_lossy(access->base[i].name));
		appendStringInfo(&json, ": %s",
						 JsonbToCString(NULL, &DatumGetJsonbP(datum)->root,
										VARSIZE_ANY_EXHDR(DatumGetPointer(datum))));
	}
	appendStringInfoChar(&json, '}');
	return json.data;
}

static void
count(DynCheck *check, DynIssue *issue, const char *detail)
{
	MemoryContext oldcontext;

	if (issue->last_item == check->item)
		return;
	issue->last_item = check->item;
	if (issue->items++ > 0)
		return;
	oldcontext = MemoryContextSwitchTo(check->context);
	issue->example = key_of_item(check);
	issue->detail = detail ? pstrdup(detail) : NULL;
	MemoryContextSwitchTo(oldcontext);
}

/* Records an error; called during the conversion to rows. */
static void
note_error(void *arg, DynRowError err, AttrNumber attnum, const char *why)
{
	DynCheckedTable *table = arg;
	DynCheck   *check = table->check;

	if (check->quiet)
		return;
	check->undecided |= err == DYN_ERROR_AMBIGUOUS || err == DYN_ERROR_SCALAR;
	switch (err)
	{
		case DYN_ERROR_MISMATCH:
			table->seen[attnum] = true;
			count(check, &table->mismatches[attnum], why);
			break;
		case DYN_ERROR_NULL:
			count(check, &table->nulls[attnum], NULL);
			break;
		case DYN_ERROR_SCALAR:
			count(check, &table->mismatches[0],
				  psprintf("a value of DynamoDB type %s has no elements to unnest", why));
			break;
		case DYN_ERROR_AMBIGUOUS:
			count(check, &table->ambiguous,
				  psprintf("attribute \"%s\" matches its template only if a placeholder contains its separator",
						   dyn_from_utf8_lossy(why)));
			break;
	}
}

/* ---- items ---- */

/* Switches to the owner of the foreign table; the caller restores the user. */
static void
become_owner(const DynCheckedTable *table, Oid *user, int *context)
{
	GetUserIdAndSecContext(user, context);
	SetUserIdAndSecContext(table->owner,
						   *context | SECURITY_RESTRICTED_OPERATION);
}

/*
 * Returns true if the current item is a row in this view of the foreign table.
 * Does not record errors.
 */
static bool
is_row_of(DynCheckedTable *table, const DynView *view)
{
	DynCheck   *check = table->check;
	bool		is_row;
	Oid			user;
	int			context;

	become_owner(table, &user, &context);
	check->quiet = true;
	dyn_view_begin(view, check->values);
	is_row = dyn_rows_has_more(view->rows);
	dyn_rows_end(view->rows);
	check->quiet = false;
	SetUserIdAndSecContext(user, context);
	return is_row;
}

/* Checks the assertions for the current item, whose row is in the slot. */
static void
check_assertions(DynCheckedTable *table)
{
	ListCell   *lc;

	foreach(lc, table->assertions)
	{
		DynAssertion *assertion = lfirst(lc);
		bool		has_all = true;
		int			attnum = -1;

		while ((attnum = bms_next_member(assertion->columns, attnum)) >= 0)
			has_all &= !table->slot->tts_isnull[attnum - 1];
		if (has_all && !is_row_of(table, assertion->view))
			count(table->check, &assertion->broken, NULL);
	}
}

/*
 * Converts the current item to rows, and reads all their values; returns true
 * if there are any rows.
 */
static bool
read_rows(DynCheckedTable *table)
{
	const DynValue *values = table->check->values;
	bool		is_row;
	Oid			user;
	int			context;

	become_owner(table, &user, &context);
	dyn_view_begin(table->view, values);
	is_row = dyn_rows_has_more(table->view->rows);
	table->rows += is_row;
	for (int i = 0; i < table->npaths; i++)
	{
		DynCheckedPath *path = &table->paths[i];

		path->seen |= (path->unnested || is_row) &&
			values[path->slot].type != DYN_TYPE_ABSENT;
	}
	if (is_row)
		dyn_folded_see_item(table->folded, &values[table->check->full]);
	while (dyn_rows_next(table->view->rows, table->slot))
	{
		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < table->relation->ncolumns; i++)
			table->seen[i + 1] |= !table->slot->tts_isnull[i];
		check_assertions(table);
	}
	SetUserIdAndSecContext(user, context);
	return is_row;
}

/*
 * Counts the current item for each pair of the given tables.  At most
 * MAX_PAIRS pairs are counted.
 */
static void
count_shared(DynCheck *check, Bitmapset *tables)
{
	for (int i = -1; (i = bms_next_member(tables, i)) >= 0;)
	{
		for (int k = i; (k = bms_next_member(tables, k)) >= 0;)
		{
			DynSharedItems *shared = NULL;
			ListCell   *lc;

			foreach(lc, check->shared)
			{
				shared = lfirst(lc);
				if (shared->first == i && shared->second == k)
					break;
			}
			if (lc == NULL && list_length(check->shared) < MAX_PAIRS)
			{
				MemoryContext oldcontext = MemoryContextSwitchTo(check->context);

				shared = palloc0(sizeof(DynSharedItems));
				shared->first = i;
				shared->second = k;
				check->shared = lappend(check->shared, shared);
				MemoryContextSwitchTo(oldcontext);
			}
			else if (lc == NULL)
				continue;
			count(check, &shared->issue, NULL);
		}
	}
}

/*
 * Checks one item.  A row of an unnested table is an element and not the item,
 * so an unnested table may share items with other tables.
 */
static void
check_item(DynCheck *check, const DynValue *values)
{
	Bitmapset  *claims = NULL;
	bool		claimed = false;
	bool		expired = false;
	ListCell   *lc;

	check->values = values;
	check->item++;
	check->undecided = false;
	foreach(lc, check->tables)
	{
		DynCheckedTable *table = lfirst(lc);
		bool		unnests;
		bool		is_row;

		if (table->err != NULL || table->left_out)
			continue;
		is_row = read_rows(table);
		unnests = table->relation->unnest != NULL;
		/* a table that shows every item does not claim this item */
		if (check->selective && !table->selective && !unnests)
			continue;
		claimed |= is_row;
		if (is_row && !unnests)
			claims = bms_add_member(claims, foreach_current_index(lc));
		if (!is_row && table->untimed != NULL)
			expired |= is_row_of(table, table->untimed);
	}
	if (bms_membership(claims) == BMS_MULTIPLE)
		count_shared(check, claims);
	else if (!claimed && !check->undecided)
	{
		/* ignore an item that the item_filter of a left-out table selects */
		foreach(lc, check->tables)
		{
			DynCheckedTable *table = lfirst(lc);

			if (table->left_out && table->selective &&
				is_row_of(table, table->view))
				return;
		}
		count(check, expired ? &check->expired : &check->unclaimed, NULL);
	}
}

/* ---- foreign tables ---- */

static DynView *
view_of(DynCheckedTable *table, DynRelation *relation)
{
	DynView    *view = dyn_item_scan_view(table->check->scan, relation);

	view->rows->note_error = note_error;
	view->rows->note_error_arg = table;
	return view;
}

/*
 * Adds the assertion about an index in trusted_indexes, if an attribute of its
 * key has a template and is not in the table's key.
 */
static void
add_assertion(DynCheckedTable *table, const DynRelation *relation,
			  const DynIndexMeta *index)
{
	DynAssertion *assertion = palloc0(sizeof(DynAssertion));
	DynRelation *strict = palloc(sizeof(DynRelation));
	bool		any = false;

	*strict = *relation;
	strict->templated = palloc(relation->ntemplated * sizeof(DynTemplatedAttr));
	memcpy(strict->templated, relation->templated,
		   relation->ntemplated * sizeof(DynTemplatedAttr));
	for (int i = 0; i < strict->ntemplated; i++)
	{
		DynTemplatedAttr *templated = &strict->templated[i];

		if (templated->base || !dyn_is_in_key(&index->key, dyn_templated_name(templated)))
			continue;
		any = templated->base = true;
		for (int p = 0; p < templated->tmpl->nparts; p++)
			assertion->columns = bms_add_member(assertion->columns,
												templated->parts[p].attnum);
	}
	if (!any)
		return;
	assertion->index = index->name;
	assertion->view = view_of(table, strict);
	table->assertions = lappend(table->assertions, assertion);
}

/* Returns true if a conversion could call user-defined functions. */
static bool
runs_user_code(const DynCodec *codec)
{
	return (codec->element != NULL && runs_user_code(codec->element)) ||
		codec->typid >= FirstNormalObjectId;
}

/*
 * Raises an error if the conversion could reveal the items, which are read
 * with the caller's keys, to code of the table's owner.  The owner's code may
 * see the items if the owner is the caller, a superuser, or a role of which
 * the caller is a member.  A superuser's membership does not count, since
 * superusers are members of every role.
 */
static void
check_columns(const DynCheckedTable *table, const DynRelation *relation)
{
	if (table->owner == GetUserId() || superuser_arg(table->owner) ||
		(!superuser() && has_privs_of_role(GetUserId(), table->owner)))
		return;
	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];

		if (!column->dropped && runs_user_code(&column->codec))
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("not compared: type %s of column \"%s\" could show the items to role \"%s\"",
							format_type_be(column->codec.typid), column->name,
							GetUserNameFromId(table->owner, false))));
	}
}

static void
expect_path(DynCheckedTable *table, const DynPath *path, bool unnested)
{
	DynCheckedPath *added = &table->paths[table->npaths++];

	added->path = path;
	added->slot = dyn_item_scan_read(table->check->scan, path, 1);
	added->unnested = unnested;
}

/* Records which columns and attributes at least one row should have. */
static void
expect_values(DynCheckedTable *table, const DynRelation *relation)
{
	table->paths = palloc0((relation->ntemplated + 1) * sizeof(DynCheckedPath));
	if (relation->unnest != NULL)
		expect_path(table, relation->unnest, true);
	for (int i = 0; i < relation->ntemplated; i++)
	{
		/*
		 * skip attributes that all items have (those of the key), and those
		 * that have a column, because columns are checked as well
		 */
		const DynPath *path = relation->templated[i].path;
		bool		is_read = relation->templated[i].base;

		for (int k = 0; k < relation->ncolumns; k++)
			is_read |= !relation->columns[k].dropped &&
				dyn_column_is_of_item(&relation->columns[k]) &&
				dyn_path_equal(relation->columns[k].path, path);
		if (!is_read)
			expect_path(table, path, false);
	}
	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];

		/*
		 * do not report these columns as absent: segments and positions of
		 * elements are not stored, and documents are never NULL
		 */
		table->seen[i + 1] = column->dropped || dyn_column_is_document(column) ||
			column->segments > 0 ||
			(column->base != DYN_PATH_ITEM && column->base != DYN_PATH_ELEMENT);
	}
}

/* Opens the foreign table; raises an error if its definition is not valid. */
static void
open_relation(void *arg)
{
	DynCheckedTable *table = arg;
	const DynTableMeta *meta = table->check->scan->meta;
	DynRelation *relation = dyn_relation_open(table->relid, GetUserId());
	const DynItemFilter *test = &relation->item_filter;
	/* the term of ttl_attribute, if any, is the last term */
	bool		has_ttl = test->nterms > 0 && test->terms[test->nterms - 1].ttl;
	ListCell   *lc;

	check_columns(table, relation);
	dyn_relation_connect_described(relation, meta);
	table->view = view_of(table, relation);
	if (has_ttl)
	{
		DynRelation *untimed = palloc(sizeof(DynRelation));

		*untimed = *relation;
		untimed->item_filter.nterms--;
		table->untimed = view_of(table, untimed);
	}
	/*
	 * an unnested table has no assertions: its columns that are read from
	 * elements cannot be in templates
	 */
	foreach(lc, relation->unnest == NULL ? relation->trusted_indexes : NIL)
	{
		const DynIndexMeta *index = dyn_metadata_index(meta, lfirst(lc));

		if (index != NULL)
			add_assertion(table, relation, index);
	}
	expect_values(table, relation);
	table->folded = dyn_folded_create(relation, InvalidOid);
	for (int i = 0; i < relation->ntemplated; i++)
		table->has_template |= relation->templated[i].base;
	/* an unnested table is not compared with tables of items */
	table->selective = relation->unnest == NULL &&
		(table->has_template || test->nterms > (has_ttl ? 1 : 0));
	table->relation = relation;
}

static void
open_checked_table(DynCheck *check, Relation rel)
{
	DynCheckedTable *table = palloc0(sizeof(DynCheckedTable));
	int			ncolumns = RelationGetDescr(rel)->natts;
	ErrorData  *failure;

	table->check = check;
	table->relid = RelationGetRelid(rel);
	table->owner = rel->rd_rel->relowner;
	table->name = pstrdup(RelationGetRelationName(rel));
	table->named = list_member_oid(check->named, table->relid);
	table->slot = MakeSingleTupleTableSlot(CreateTupleDescCopy(RelationGetDescr(rel)),
										   &TTSOpsVirtual);
	table->seen = palloc0((ncolumns + 1) * sizeof(bool));
	table->mismatches = palloc0((ncolumns + 1) * sizeof(DynIssue));
	table->nulls = palloc0((ncolumns + 1) * sizeof(DynIssue));
	check->tables = lappend(check->tables, table);
	failure = dyn_attempt(open_relation, table);
	if (failure == NULL)
		return;
	if (!dyn_failure_is_of_definition(failure))
		ReThrowError(failure);
	table->err = dyn_failure_text(failure);
	table->error_column = failure->column_name;
}

static void
open_checked_tables(DynCheck *check, Oid serverid)
{
	const DynRelation *relation = check->scan->relation;
	List	   *opened = NIL;
	bool		has_template = false;
	ListCell   *lc;

	foreach(lc, dyn_tables_of_server(serverid))
	{
		Oid			relid = lfirst_oid(lc);
		Relation	rel = try_relation_open(relid, AccessShareLock);
		bool		wanted;

		if (rel == NULL)
			continue;			/* dropped in the meantime */
		wanted = list_member_oid(check->named, relid) ||
			(!check->only_named && (!OidIsValid(check->schema) ||
									RelationGetNamespace(rel) == check->schema));
		if (wanted && dyn_is_table_over(rel, relation->connection, relation->table))
		{
			open_checked_table(check, rel);
			opened = lappend_oid(opened, relid);
		}
		relation_close(rel, NoLock);
	}
	foreach(lc, check->named)
	{
		if (!list_member_oid(opened, lfirst_oid(lc)))
			ereport(ERROR,
					(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					 errmsg("\"%s\" is not a foreign table for DynamoDB table \"%s\"",
							get_rel_name(lfirst_oid(lc)), relation->table)));
	}
	foreach(lc, check->tables)
		has_template |= ((DynCheckedTable *) lfirst(lc))->has_template;
	foreach(lc, check->tables)
	{
		DynCheckedTable *table = lfirst(lc);

		table->left_out = has_template && table->err == NULL &&
			!table->has_template && !table->named;
		check->selective |= table->selective && !table->left_out;
	}
}

/* ---- the function ---- */

/* Returns the Scan, with the options of the foreign table. */
static DynItemScan *
open_scan(Oid relid)
{
	ForeignTable *table = GetForeignTable(relid);
	DynConnection *connection = dyn_session_connection(table->serverid, GetUserId());
	Relation	rel = relation_open(relid, NoLock);
	const char *name = dyn_relation_remote_name(connection,
												RelationGetRelationName(rel),
												table->options);
	DynItemScan *scan = dyn_item_scan_of_table(connection, name,
											   dyn_session_table(connection, name));

	relation_close(rel, NoLock);
	scan->relation->options = dyn_option_reads(table->options, &connection->reads);
	scan->relation->max_read_units_per_second =
		dyn_option_real(table->options, "max_read_units_per_second", 0);
	return scan;
}

/*
 * Reads the arguments.  In older versions of the extension, the SQL function
 * has only the first argument.
 */
static void
set_arguments(DynCheck *check, FunctionCallInfo fcinfo)
{
	check->named = list_make1_oid(PG_GETARG_OID(0));
	check->only_named = PG_NARGS() > 1 && !PG_ARGISNULL(1);
	if (check->only_named)
	{
		Datum	   *tables;
		bool	   *nulls;
		int			n;

		deconstruct_array(PG_GETARG_ARRAYTYPE_P(1), REGCLASSOID, sizeof(Oid), true,
						  TYPALIGN_INT, &tables, &nulls, &n);
		for (int i = 0; i < n; i++)
		{
			if (!nulls[i])
				check->named = lappend_oid(check->named, DatumGetObjectId(tables[i]));
		}
	}
	if (PG_NARGS() > 2 && !PG_ARGISNULL(2))
		check->schema = PG_GETARG_OID(2);
}

Datum
dynamo_fdw_check_table(PG_FUNCTION_ARGS)
{
	DynCheck	check = {0};
	DynItemScan *scan;
	DynFormat	no_format = {0};
	DynEstimate estimate;
	double		limit;
	Oid			relid;
	EState	   *estate;
	DynFetch   *fetch;
	const DynValue *values;

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("foreign_table must not be NULL")));
	relid = PG_GETARG_OID(0);
	dyn_target_check(relid);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	check.rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	set_arguments(&check, fcinfo);
	check.context = CurrentMemoryContext;
	check.item_context = AllocSetContextCreate(CurrentMemoryContext,
											   "dynamo_fdw item",
											   ALLOCSET_DEFAULT_SIZES);
	check.scan = scan = open_scan(relid);
	/* do not warn, since the function always reads the full table */
	limit = dyn_statement_max_units(scan->relation->connection);
	dyn_scan_describe(scan->relation, scan->meta, &estimate);
	if (dyn_relation_scan_policy(scan->relation) == DYN_SCAN_ERROR)
		dyn_scan_policy_apply(scan->relation, NULL, &estimate, NULL, 0);
	if (limit > 0)
		dyn_scan_check_units(scan->relation, NULL, &estimate, NULL, 0, limit);
	dyn_codec_init(&check.jsonb, JSONBOID, -1, &no_format, "example");
	for (int i = 0; i < scan->access->nbase; i++)
		(void) dyn_item_scan_read(scan, dyn_path_of_attribute(scan->access->base[i].name), 1);
	check.full = dyn_item_scan_read(scan, dyn_path_of_item(), 1);
	open_checked_tables(&check, GetForeignTable(relid)->serverid);
	estate = CreateExecutorState();
	fetch = dyn_item_scan_start(scan, dyn_statement_get(estate), 0);
	while ((values = dyn_fetch_next(fetch)) != NULL)
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(check.item_context);

		CHECK_FOR_INTERRUPTS();
		check_item(&check, values);
		MemoryContextSwitchTo(oldcontext);
		MemoryContextReset(check.item_context);
	}
	dyn_fetch_stop(fetch);
	FreeExecutorState(estate);
	dyn_check_report(&check);
	return (Datum) 0;
}
