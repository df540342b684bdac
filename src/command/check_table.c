/*
 * check_table.c
 *		Checks how foreign tables read a table's items:
 *		dynamo_fdw_check_table().
 *
 * One Scan reads all items of the DynamoDB table.  Each item is converted to
 * rows of each foreign table that the server has over this table, as in a scan
 * of the foreign table, but errors are recorded as issues.  A result row is an
 * issue, with the number of items that have it and the key of the first item.
 *
 * If some foreign tables have templates for the key, tables without templates
 * (for example, imported tables) are left out, unless the caller names them.
 * All other tables are compared with the items.
 *
 * An item that no table claims is also an issue.  A table without option
 * unnest is called selective if it has an item_filter, or templates for the
 * key.  There is one rule for each kind of table:
 * - Compared tables that are selective or have option unnest claim the items
 *   that are their rows.
 * - Other compared tables show items of all kinds.  They claim the items that
 *   are their rows only if no compared table is selective.
 * - Selective tables that are left out claim the items that their item_filter
 *   selects.
 *
 * The requests use the current user's credentials.  Values are converted as
 * the owner of each foreign table, in a restricted context, since constraints
 * of domains may run code.  Neither the caller nor the owner may gain
 * privileges by this code (dyn_target_check_column).
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "foreign/foreign.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

#include "../dynamodb/units.h"
#include "../exec/rows/rows.h"
#include "../model/server/encoding.h"
#include "../model/server/pg_compat.h"
#include "../model/server/soft_errors.h"
#include "../model/tables/write_map.h"
#include "../model/values/path.h"
#include "remote_table.h"
#include "target.h"

/* Maximum number of pairs of foreign tables that are reported separately. */
#define MAX_PAIRS	100

PG_FUNCTION_INFO_V1(dynamo_fdw_check_table);

typedef struct Issue
{
	uint64		items;			/* number of items with this issue */
	uint64		last_item;		/* last counted item (Check.item) */
	char	   *example;		/* key of the first item (JSON); NULL if jsonb
								 * cannot represent the key */
	char	   *detail;			/* message */
} Issue;

/*
 * A foreign table's assertion that an index contains each item whose row has
 * values in all `columns`.  These are the columns of the index key that are
 * declared NOT NULL.  If trusted_indexes lists the index, `columns` also
 * contains the columns in templates of the index key, and the table also
 * asserts that each such item matches these templates.
 */
typedef struct Assertion
{
	const DynIndexMeta *index;
	/*
	 * for each key attribute of the index, its position in Check.values; 0 if
	 * the table does not assert that items have the attribute
	 */
	int			slots[2 * DYN_MAX_KEY_ATTRS];
	Bitmapset  *columns;		/* attnums */
	DynView    *view;			/* shows items that match the templates of the
								 * index key; NULL if `index` is not trusted */
	Issue		broken;
} Assertion;

/*
 * The path of an attribute with a template, or of the unnested collection.  If
 * no item has a value at this path, the path is probably misspelled.
 */
typedef struct CheckedPath
{
	const DynPath *path;
	int			slot;
	bool		unnested;
	bool		seen;
} CheckedPath;

/* A foreign table, which is not compared if left_out or failure is set. */
typedef struct CheckedTable
{
	struct Check *check;
	Oid			relid;
	Oid			owner;
	ErrorData  *failure;		/* error in the table's definition, or NULL */
	DynRelation *relation;
	DynView    *view;
	DynView    *untimed;		/* view with expired items, too; or NULL */
	List	   *assertions;		/* list of Assertion * */
	uint64		rows;			/* number of items with at least one row */
	bool	   *seen;			/* array by attnum: true if a row has a value
								 * in the column, or no value is expected */
	int			npaths;
	CheckedPath *paths;
	DynFolded  *folded;
	bool		has_template;	/* true if the key has templates */
	bool		left_out;
	bool		selective;		/* true if item_filter or templates of the key
								 * select items; false with option unnest */
	bool		shares;			/* true if other foreign tables may show the
								 * same items, because this one has option
								 * unnest, or is a partition of a table that is
								 * divided by segments */
	TupleTableSlot *slot;
	Issue	   *mismatches;		/* array by attnum; element 0 has the errors
								 * that concern no column */
	Issue	   *nulls;
	Issue		ambiguous;
	Issue	   *shared;			/* for each later table in Check.tables, at the
								 * same index: counts the items that are rows
								 * of both tables; NULL if there are none */
} CheckedTable;

typedef struct Check
{
	ReturnSetInfo *rsinfo;
	DynItemScan *scan;
	List	   *tables;			/* list of CheckedTable * */
	List	   *named;			/* OIDs of the tables that the caller names */
	bool		only_named;		/* true if only `named` tables are compared */
	Oid			schema;			/* schema of the tables; InvalidOid: any */
	bool		selective;		/* true if some compared table is selective */
	MemoryContext context;		/* memory of the strings in all Issues */
	MemoryContext item_context;
	DynCodec	jsonb;			/* codec for the keys in Issue.example */
	int			full;			/* index in `values` of the entry that holds
								 * the full item (type M) */

	/* current item */
	const DynValue *values;		/* values of the item, with the key first */
	uint64		item;			/* number of the item, from 1 */
	bool		undecided;		/* true if an error prevents us from knowing
								 * whether the item is a row of a table */
	bool		quiet;			/* true if errors are not recorded */

	Issue		unclaimed;
	Issue		expired;
	int			npairs;			/* number of pairs of tables that share items */
	const char *emitting;		/* kind of issue that emit() emits now */
} Check;

/* ---- recording issues ---- */

/* Returns the key of the current item; NULL if jsonb cannot represent it. */
static char *
key_of_item(Check *check)
{
	const DynAccess *access = check->scan->access;
	StringInfo	json = makeStringInfo();

	for (int i = 0; i < access->nbase; i++)
	{
		const DynValue *value = &check->values[i];
		const char *why;
		Datum		datum;

		if (value->type == DYN_TYPE_ABSENT ||
			!dyn_codec_decode(&check->jsonb, value, true, &datum, &why))
			return NULL;
		appendStringInfoChar(json, i == 0 ? '{' : ',');
		escape_json(json, dyn_from_utf8_lossy(access->base[i].name));
		appendStringInfo(json, ": %s",
						 JsonbToCString(NULL, &DatumGetJsonbP(datum)->root,
										VARSIZE_ANY_EXHDR(DatumGetPointer(datum))));
	}
	appendStringInfoChar(json, '}');
	return json->data;
}

static void
count(Check *check, Issue *issue, const char *detail)
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

static void
note_error(void *arg, DynRowError err, AttrNumber attnum, const char *why)
{
	CheckedTable *table = arg;
	Check	   *check = table->check;

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

/* Returns true if the item is a row in this view; records no errors. */
static bool
is_row_of(CheckedTable *table, const DynView *view)
{
	bool		is_row;

	table->check->quiet = true;
	dyn_view_begin(view, table->check->values);
	is_row = dyn_rows_has_more(view->rows);
	dyn_rows_end(view->rows);
	table->check->quiet = false;
	return is_row;
}

/* Returns true if the index does not contain the current item. */
static bool
lacks_item(CheckedTable *table, const Assertion *assertion)
{
	const DynKeySchema *key = &assertion->index->key;

	for (int i = 0; i < key->nhash + key->nrange; i++)
	{
		const DynKeyAttr *attr = dyn_key_attr(key, i);
		const DynValue *value = &table->check->values[assertion->slots[i]];
		DynScalar	scalar;

		if (assertion->slots[i] == 0)
			continue;
		if (value->type != attr->type)
			return true;
		dyn_key_scalar(table->relation, attr->name, value, &scalar);
		if (scalar.len == 0 ||
			scalar.len > (i < key->nhash ? DYN_MAX_HASH_BYTES : DYN_MAX_RANGE_BYTES))
			return true;
	}
	return assertion->view != NULL && !is_row_of(table, assertion->view);
}

static const char *
describe_lack(const CheckedTable *table, const Assertion *assertion)
{
	const DynKeySchema *key = &assertion->index->key;
	const char *lack =
		psprintf(assertion->view != NULL
				 ? "the item lacks the key of trusted index \"%s\" that its columns imply"
				 : "index \"%s\" cannot contain the value of a column that is declared NOT NULL",
				 dyn_from_utf8_lossy(assertion->index->name));

	for (int i = 0; i < key->nhash + key->nrange && assertion->view != NULL; i++)
	{
		const DynKeyAttr *attr = dyn_key_attr(key, i);
		const DynTemplatedAttr *templated = dyn_relation_templated(table->relation, attr->name);
		const DynValue *values = table->check->values;
		const char *stored = dyn_item_key_text(attr, 1, &assertion->slots[i], values);
		DynKeyPart	part = {.name = attr->name};
		const char *implied;
		DynStoreError err;

		if (assertion->slots[i] == 0 || templated == NULL ||
			dyn_templated_compose(templated, table->slot->tts_values, false, &part.value, &err) != 0)
			continue;
		implied = dyn_key_text(&part, 1, "");
		if (stored == NULL || strcmp(stored, implied) != 0)
			return psprintf("%s, %s; it has %s", lack, implied, stored ? stored : "no such key");
	}
	return lack;
}

/* Checks the item, whose first row is in table->slot, against `assertions`. */
static void
check_assertions(CheckedTable *table)
{
	ListCell   *lc;

	foreach(lc, table->assertions)
	{
		Assertion  *assertion = lfirst(lc);
		bool		has_all = true;
		int			attnum = -1;

		while ((attnum = bms_next_member(assertion->columns, attnum)) >= 0)
			has_all &= !table->slot->tts_isnull[attnum - 1];
		if (has_all && lacks_item(table, assertion))
			count(table->check, &assertion->broken,
				  assertion->broken.items > 0 ? NULL : describe_lack(table, assertion));
	}
}

/* Reads all rows of the current item; returns true if there are any. */
static bool
read_rows(CheckedTable *table)
{
	const DynValue *values = table->check->values;
	bool		is_row;

	dyn_view_begin(table->view, values);
	is_row = dyn_rows_has_more(table->view->rows);
	table->rows += is_row;
	for (int i = 0; i < table->npaths; i++)
	{
		CheckedPath *path = &table->paths[i];

		path->seen |= (path->unnested || is_row) &&
			values[path->slot].type != DYN_TYPE_ABSENT;
	}
	if (is_row)
		dyn_folded_see_item(table->folded, &values[table->check->full]);
	for (bool first = true; dyn_rows_next(table->view->rows, table->slot);
		 first = false)
	{
		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < table->relation->ncolumns; i++)
			table->seen[i + 1] |= !table->slot->tts_isnull[i];
		if (first)
			check_assertions(table);
	}
	return is_row;
}

/* Counts the item as a row of two tables (positions in check->tables). */
static void
count_shared(Check *check, int first, int second)
{
	CheckedTable *table = list_nth(check->tables, first);
	bool		is_new = table->shared == NULL || table->shared[second].items == 0;

	if (is_new && check->npairs == MAX_PAIRS)
		return;
	check->npairs += is_new;
	if (table->shared == NULL)
		table->shared = MemoryContextAllocZero(check->context,
											   list_length(check->tables) * sizeof(Issue));
	count(check, &table->shared[second], NULL);
}

/*
 * Counts the item as an issue if no table claims it, or if it is claimed by
 * two tables that should have no items in common (CheckedTable.shares).
 */
static void
check_item(Check *check, const DynValue *values)
{
	Bitmapset  *claims = NULL;
	bool		claimed = false;
	bool		expired = false;
	Oid			user;
	int			context;
	ListCell   *lc;

	GetUserIdAndSecContext(&user, &context);
	check->values = values;
	check->item++;
	check->undecided = false;
	foreach(lc, check->tables)
	{
		CheckedTable *table = lfirst(lc);
		bool		may_claim;
		bool		is_row;

		if (table->failure != NULL || table->left_out)
			continue;
		/* some tables claim no items (see the beginning of this file) */
		may_claim = !check->selective || table->selective ||
			table->relation->unnest != NULL;
		SetUserIdAndSecContext(table->owner, context | SECURITY_RESTRICTED_OPERATION);
		is_row = read_rows(table);
		if (may_claim && !is_row && table->untimed != NULL)
			expired |= is_row_of(table, table->untimed);
		SetUserIdAndSecContext(user, context);
		claimed |= may_claim && is_row;
		if (may_claim && is_row && !table->shares)
			claims = bms_add_member(claims, foreach_current_index(lc));
	}
	for (int i = -1; (i = bms_next_member(claims, i)) >= 0;)
	{
		for (int k = i; (k = bms_next_member(claims, k)) >= 0;)
			count_shared(check, i, k);
	}
	if (!claimed && !check->undecided)
	{
		/* do not report an item that a selective left-out table claims */
		foreach(lc, check->tables)
		{
			CheckedTable *table = lfirst(lc);
			bool		is_row;

			if (!table->left_out || !table->selective)
				continue;
			SetUserIdAndSecContext(table->owner, context | SECURITY_RESTRICTED_OPERATION);
			is_row = is_row_of(table, table->view);
			SetUserIdAndSecContext(user, context);
			if (is_row)
				return;
		}
		count(check, expired ? &check->expired : &check->unclaimed, NULL);
	}
}

/* ---- foreign tables ---- */

static DynView *
view_of(CheckedTable *table, DynRelation *relation)
{
	DynView    *view = dyn_item_scan_view(table->check->scan, relation);

	view->rows->note_error = note_error;
	view->rows->note_error_arg = table;
	return view;
}

/* Adds the foreign table's Assertion about an index, unless there is none. */
static void
add_assertion(CheckedTable *table, const DynRelation *relation,
			  const DynIndexMeta *index)
{
	DynItemScan *scan = table->check->scan;
	bool		trusted = dyn_relation_trusts(relation, index->name);
	Assertion  *assertion = palloc0(sizeof(Assertion));
	DynRelation *strict = palloc(sizeof(DynRelation));
	size_t		bytes = relation->ntemplated * sizeof(DynTemplatedAttr);
	bool		any = false;

	*strict = *relation;
	if (bytes > 0)
		strict->templated = memcpy(palloc(bytes), relation->templated, bytes);
	assertion->index = index;
	for (int i = 0; i < index->key.nhash + index->key.nrange; i++)
	{
		const DynKeyAttr *attr = dyn_key_attr(&index->key, i);
		const DynTemplatedAttr *templated = dyn_relation_templated(strict, attr->name);
		AttrNumber	attnum = dyn_relation_column_of(relation, attr);

		if (dyn_is_in_key(&scan->meta->key, attr->name))
			continue;
		if (trusted && templated != NULL)
		{
			strict->templated[templated - strict->templated].base = true;
			assertion->columns = bms_join(assertion->columns,
										  dyn_templated_columns(templated));
		}
		else if (attnum != 0 && dyn_relation_column(relation, attnum)->not_null)
			assertion->columns = bms_add_member(assertion->columns, attnum);
		else
			continue;
		assertion->slots[i] = dyn_item_scan_read(scan, dyn_path_of_attribute(attr->name), 1);
		any = true;
	}
	if (!any)
		return;
	if (trusted)
		assertion->view = view_of(table, strict);
	table->assertions = lappend(table->assertions, assertion);
}

/* Sets up the check that columns and paths have a value in some row. */
static void
expect_values(CheckedTable *table, const DynRelation *relation)
{
	DynItemScan *scan = table->check->scan;

	table->paths = palloc0((relation->ntemplated + 1) * sizeof(CheckedPath));
	if (relation->unnest != NULL)
		table->paths[table->npaths++] = (CheckedPath) {
			.path = relation->unnest,
			.slot = dyn_item_scan_read(scan, relation->unnest, 1),
			.unnested = true
		};
	for (int i = 0; i < relation->ntemplated; i++)
	{
		/* skip the key, which all items have, and attributes with a column */
		const DynPath *path = relation->templated[i].path;
		bool		is_read = relation->templated[i].base;

		for (int k = 0; k < relation->ncolumns; k++)
			is_read |= !relation->columns[k].dropped &&
				dyn_column_is_of_item(&relation->columns[k]) &&
				dyn_path_equal(relation->columns[k].path, path);
		if (!is_read)
			table->paths[table->npaths++] = (CheckedPath) {
				.path = path,
				.slot = dyn_item_scan_read(scan, path, 1)
			};
	}
	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];

		/* do not check a column that is never NULL, or has no attribute */
		table->seen[i + 1] = column->dropped || dyn_column_is_document(column) ||
			column->segments > 0 ||
			(column->base != DYN_PATH_ITEM && column->base != DYN_PATH_ELEMENT);
	}
}

/* Opens a CheckedTable; raises an error if its definition is not valid. */
static void
open_relation(void *arg)
{
	CheckedTable *table = arg;
	const DynTableMeta *meta = table->check->scan->meta;
	DynRelation *relation = dyn_relation_open(table->relid, GetUserId());
	const DynItemFilter *test = &relation->item_filter;
	bool		has_ttl = dyn_item_filter_ttl(test) != NULL;

	for (int i = 0; i < relation->ncolumns; i++)
	{
		if (!relation->columns[i].dropped)
			dyn_target_check_column(&relation->columns[i], table->owner);
	}
	dyn_relation_connect_described(relation, meta);
	table->view = view_of(table, relation);
	if (has_ttl)
	{
		DynRelation *untimed = palloc(sizeof(DynRelation));

		*untimed = *relation;
		untimed->item_filter.nterms--;
		table->untimed = view_of(table, untimed);
	}
	for (int i = 0; i < meta->nindexes; i++)
		add_assertion(table, relation, &meta->indexes[i]);
	expect_values(table, relation);
	table->folded = dyn_folded_create(relation, InvalidOid);
	for (int i = 0; i < relation->ntemplated; i++)
		table->has_template |= relation->templated[i].base;
	table->selective = relation->unnest == NULL &&
		(table->has_template || test->nterms > (has_ttl ? 1 : 0));
	table->relation = relation;
}

static void
open_checked_table(Check *check, Relation rel)
{
	CheckedTable *table = palloc0(sizeof(CheckedTable));
	int			ncolumns = RelationGetDescr(rel)->natts;

	table->check = check;
	table->relid = RelationGetRelid(rel);
	table->owner = rel->rd_rel->relowner;
	table->slot = MakeSingleTupleTableSlot(CreateTupleDescCopy(RelationGetDescr(rel)),
										   &TTSOpsVirtual);
	table->seen = palloc0((ncolumns + 1) * sizeof(bool));
	table->mismatches = palloc0((ncolumns + 1) * sizeof(Issue));
	table->nulls = palloc0((ncolumns + 1) * sizeof(Issue));
	check->tables = lappend(check->tables, table);
	table->failure = dyn_attempt(open_relation, table);
	if (table->failure != NULL && !dyn_failure_is_of_definition(table->failure))
		ReThrowError(table->failure);
	table->shares = table->failure == NULL &&
		(table->relation->unnest != NULL ||
		 dyn_relation_segment_bounds(table->relation, rel) != NIL);
}

static void
open_checked_tables(Check *check, Oid serverid)
{
	const DynRelation *relation = check->scan->relation;
	List	   *opened = NIL;
	bool		has_template = false;
	ListCell   *lc;

	foreach(lc, dyn_tables_of_server(serverid))
	{
		Oid			relid = lfirst_oid(lc);
		bool		wanted = list_member_oid(check->named, relid) ||
			(!check->only_named && (!OidIsValid(check->schema) ||
									get_rel_namespace(relid) == check->schema));
		Relation	rel = wanted ? try_relation_open(relid, AccessShareLock) : NULL;

		if (rel == NULL)
			continue;			/* not wanted, or dropped in the meantime */
		wanted = dyn_is_table_over(rel, relation->connection, relation->table);
		if (wanted)
		{
			open_checked_table(check, rel);
			opened = lappend_oid(opened, relid);
		}
		/* keep locks only on foreign tables of the scanned DynamoDB table */
		relation_close(rel, wanted ? NoLock : AccessShareLock);
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
		has_template |= ((CheckedTable *) lfirst(lc))->has_template;
	foreach(lc, check->tables)
	{
		CheckedTable *table = lfirst(lc);

		table->left_out = has_template && table->failure == NULL &&
			!table->has_template && !list_member_oid(check->named, table->relid);
		check->selective |= table->selective && !table->left_out;
	}
}

/* ---- reporting ---- */

/* Kinds of results, in order of emission: causes of wrong rows come first. */
static const char *const kinds[] = {
	"definition", "missing index key", "ambiguous", "mismatch", "not null",
	"unclaimed", "shared", "expired", "absent"
};

/*
 * Emits a result in the pass for its kind (check->emitting), if some item has
 * the issue.  `issue` is NULL for results that are not about items.
 */
static void
emit(const Check *check, const char *kind,
	 const CheckedTable *table, const char *column, const Issue *issue, const char *detail)
{
	Datum		values[6] = {0};
	bool		nulls[6] = {false, table == NULL, column == NULL, issue == NULL,
	issue == NULL || issue->example == NULL};

	if (strcmp(kind, check->emitting) != 0 || (issue != NULL && issue->items == 0))
		return;
	if (detail == NULL && issue != NULL)
		detail = issue->detail;
	nulls[5] = detail == NULL;
	values[0] = CStringGetTextDatum(kind);
	values[1] = ObjectIdGetDatum(table ? table->relid : InvalidOid);
	/* namein truncates the name, which may come from a template */
	if (column != NULL)
		values[2] = DirectFunctionCall1(namein, CStringGetDatum(column));
	values[3] = Int64GetDatum(issue ? (int64) issue->items : 0);
	if (!nulls[4])
		values[4] = DirectFunctionCall1(jsonb_in, CStringGetDatum(issue->example));
	if (detail != NULL)
		values[5] = CStringGetTextDatum(detail);
	tuplestore_putvalues(check->rsinfo->setResult, check->rsinfo->setDesc, values, nulls);
}

/* Emits columns and paths without values, unless other issues explain this. */
static void
emit_absent(const CheckedTable *table)
{
	const Check *check = table->check;
	const DynRelation *relation = table->relation;
	bool		is_explained = table->mismatches[0].items > 0 || table->ambiguous.items > 0;
	bool		elements = true;

	if (check->item == 0)
		return;
	for (int i = 0; i < table->npaths; i++)
	{
		const CheckedPath *path = &table->paths[i];

		elements &= path->seen || !path->unnested;
		if (!path->seen && !is_explained && (path->unnested || table->rows > 0))
			emit(check, "absent", table, NULL, NULL,
				 psprintf(path->unnested
						  ? "no item has a value at \"%s\", the path in option \"unnest\""
						  : "no row has attribute \"%s\", which is in option key_templates",
						  dyn_path_text(path->path)));
	}
	if (table->rows == 0 && elements && !is_explained)
		emit(check, "absent", table, NULL, NULL,
			 "no item is a row of the foreign table");
	for (int i = 1; i <= relation->ncolumns && table->rows > 0; i++)
	{
		const DynColumn *column = &relation->columns[i - 1];

		if (table->seen[i] || table->nulls[i].items > 0)
			continue;
		emit(check, "absent", table, column->name, NULL,
			 !dyn_column_is_of_item(column) ? "no element has a value for the column"
			 : psprintf("no row has a value for the column, which is read from %s \"%s\"",
						column->path->nsteps == 1 ? "attribute" : "path",
						dyn_path_text(column->path)));
	}
}

static void
emit_table(CheckedTable *table)
{
	const Check *check = table->check;
	ListCell   *lc;

	if (table->left_out)
		return;
	if (table->failure != NULL)
	{
		emit(check, "definition", table, table->failure->column_name, NULL,
			 dyn_failure_text(table->failure));
		return;
	}
	for (int i = 0; table->shared != NULL && i < list_length(check->tables); i++)
	{
		const CheckedTable *other = list_nth(check->tables, i);

		if (table->shared[i].items > 0)
			emit(check, "shared", table, NULL, &table->shared[i],
				 psprintf("the item is also a row of %s",
						  dyn_relation_quoted_name(other->relation)));
	}
	emit(check, "ambiguous", table, NULL, &table->ambiguous, NULL);
	for (int i = 0; i <= table->relation->ncolumns; i++)
	{
		const char *column = i > 0 ? table->relation->columns[i - 1].name : NULL;

		emit(check, "mismatch", table, column, &table->mismatches[i], NULL);
		emit(check, "not null", table, column, &table->nulls[i],
			 "the item has no value for a column that is declared NOT NULL");
	}
	foreach(lc, table->assertions)
		emit(check, "missing index key", table, NULL, &((Assertion *) lfirst(lc))->broken, NULL);
	emit_absent(table);
}

static void
report(Check *check)
{
	ListCell   *lc;

	for (int i = 0; i < lengthof(kinds); i++)
	{
		check->emitting = kinds[i];
		emit(check, "unclaimed", NULL, NULL, &check->unclaimed,
			 "the item is a row of no foreign table");
		emit(check, "expired", NULL, NULL, &check->expired,
			 "the item has expired, and is a row of no foreign table");
		foreach(lc, check->tables)
			emit_table(lfirst(lc));
	}
	foreach(lc, check->tables)
	{
		const CheckedTable *table = lfirst(lc);

		if (table->failure == NULL && !table->left_out)
			dyn_folded_report(table->folded);
	}
}

static DynItemScan *
open_scan(Oid relid)
{
	ForeignTable *table = GetForeignTable(relid);
	DynConnection *connection = dyn_session_connection(table->serverid, GetUserId());
	const char *name = dyn_relation_remote_name(connection, get_rel_name(relid),
												table->options);

	return dyn_item_scan_of_table(connection, name, dyn_session_table(connection, name),
								  table->options);
}

/*
 * Raises an error if scan_policy or the limit of read units forbids the Scan.
 * Ignores the policy "warn": users of dynamo_fdw_check_table() expect a Scan.
 */
static void
check_limits(const DynItemScan *scan)
{
	const DynRelation *relation = scan->relation;
	const char *target = dyn_describe_target(relation->table, NULL);
	double		limit = dyn_statement_max_units(relation->connection);
	double		units = dyn_page_units(scan->meta->size_bytes) *
		(relation->consistent ? 2 : 1);

	if (dyn_relation_scan_policy(relation) == DYN_SCAN_ERROR)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("full scan of %s is disabled by scan_policy \"error\"", target),
				 scan->meta->item_count == 0 ? 0
				 : errdetail("It would use about %.1f read units.", units),
				 errhint("Set scan_policy to \"warn\" or \"allow\".")));
	if (limit > 0 && units > limit && scan->meta->item_count > 0)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg_plural("statement exceeds the limit of %g read unit",
							   "statement exceeds the limit of %g read units",
							   limit == 1 ? 1 : 2, limit),
				 errdetail("A full scan of %s uses about %.1f read units.", target, units),
				 errhint("Raise max_read_units_per_statement.")));
}

static void
set_arguments(Check *check, FunctionCallInfo fcinfo)
{
	check->named = list_make1_oid(PG_GETARG_OID(0));
	check->only_named = !PG_ARGISNULL(1);
	if (check->only_named)
	{
		DynArrayElements tables = dyn_array_elements(PG_GETARG_DATUM(1));

		for (int i = 0; i < tables.n; i++)
		{
			if (!tables.nulls[i])
				check->named = lappend_oid(check->named, DatumGetObjectId(tables.values[i]));
		}
	}
	if (!PG_ARGISNULL(2))
		check->schema = PG_GETARG_OID(2);
}

Datum
dynamo_fdw_check_table(PG_FUNCTION_ARGS)
{
	Check		check = {0};
	DynItemScan *scan;
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
											   "dynamo_fdw item", ALLOCSET_DEFAULT_SIZES);
	check.scan = scan = open_scan(relid);
	check_limits(scan);
	dyn_codec_init(&check.jsonb, JSONBOID, -1, &(DynFormat) {0}, "example");
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
	report(&check);
	return (Datum) 0;
}
