/*
 * other_case_tables.c
 *		Columns whose attribute exists under a name in other case, of all foreign
 *		tables over a DynamoDB table.
 *
 * Whoever may create a foreign table on the server decides what is opened here,
 * by the user who asks for a description.  So nothing that others have made is
 * run, waited for, or reported as an error: no value is decoded but for
 * templates, and then only of built-in types.
 */
#include "postgres.h"

#include "access/relation.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "../exec/rows/rows.h"
#include "subtransaction.h"
#include "other_case.h"
#include "other_case_tables.h"
#include "foreign_tables.h"
#include "item_scan.h"

typedef struct Reader
{
	DynFolded  *folded;
	DynRows    *rows;
	int			first_path;		/* of rows->paths among all */
} Reader;

struct DynFoldedTables
{
	const DynConnection *connection;
	const char *table;
	const DynTableMeta *meta;
	MemoryContext item_context;
	List	   *readers;		/* of Reader * */
	DynPath    *paths;
	int			npaths;
};

/* One that is being opened. */
typedef struct Opening
{
	const DynFoldedTables *tables;
	Oid			relid;
	Reader	   *reader;			/* NULL: it is not compared */
} Opening;

/* ---- privileges ---- */

static bool
may_read_table(Oid relid)
{
	bool		is_missing = false;

	return pg_class_aclcheck_ext(relid, GetUserId(), ACL_SELECT,
								 &is_missing) == ACLCHECK_OK;
}

static bool
may_read(Oid relid)
{
	return may_read_table(relid) ||
		pg_attribute_aclcheck_all(relid, GetUserId(), ACL_SELECT,
								  ACLMASK_ANY) == ACLCHECK_OK;
}

/* Columns that the user may not read are not reported. */
static void
pass_over_columns(DynFolded *folded, const DynRelation *relation)
{
	if (may_read_table(relation->relid))
		return;
	for (int attnum = 1; attnum <= relation->ncolumns; attnum++)
	{
		if (!relation->columns[attnum - 1].dropped &&
			pg_attribute_aclcheck(relation->relid, attnum, GetUserId(),
								  ACL_SELECT) != ACLCHECK_OK)
			dyn_folded_see_column(folded, attnum);
	}
}

/* ---- setting up ---- */

static void
ignore_fault(void *arg, DynRowFault fault, AttrNumber attnum, const char *why)
{
}

/* What tells which items are rows, without the columns. */
static DynRows *
rows_of(DynRelation *relation, const DynTableMeta *meta)
{
	DynAccess  *access = dyn_scan_all_columns(relation, meta);
	DynRows    *rows;

	access->fields = NIL;
	rows = dyn_rows_create(relation, access, NULL, 0);
	dyn_rows_add_test(rows);
	dyn_rows_add_unnest(rows);
	rows->note_fault = ignore_fault;
	return rows;
}

/* Templates compare their texts with the values of columns. */
static bool
rows_need_user_code(const DynRelation *relation)
{
	for (int i = 0; i < relation->ncolumns && relation->nspelled > 0; i++)
	{
		if (!relation->columns[i].dropped &&
			dyn_codec_runs_user_code(&relation->columns[i].codec))
			return true;
	}
	return false;
}

static Reader *
open_reader(DynRelation *relation, const DynTableMeta *meta)
{
	Reader	   *reader;

	if (rows_need_user_code(relation))
		return NULL;
	dyn_relation_connect_described(relation, meta);
	reader = palloc0(sizeof(Reader));
	reader->folded = dyn_folded_create(relation);
	pass_over_columns(reader->folded, relation);
	if (!dyn_folded_is_open(reader->folded))
		return NULL;
	reader->rows = rows_of(relation, meta);
	return reader;
}

/* May raise an error.  The lock is kept until the transaction ends. */
static void
open_table(void *arg)
{
	Opening    *opening = arg;
	const DynFoldedTables *tables = opening->tables;
	Relation	rel;

	if (!ConditionalLockRelationOid(opening->relid, AccessShareLock))
		return;
	rel = try_relation_open(opening->relid, NoLock);
	if (rel == NULL)
		return;					/* dropped meanwhile */
	if (may_read(opening->relid) &&
		dyn_is_table_over(rel, tables->connection, tables->table))
		opening->reader = open_reader(dyn_relation_open(opening->relid, GetUserId()),
									  tables->meta);
	relation_close(rel, NoLock);
}

static void
add_reader(DynFoldedTables *tables, Reader *reader)
{
	const DynRows *rows = reader->rows;
	int			n = tables->npaths + rows->npaths;

	reader->first_path = tables->npaths;
	if (rows->npaths > 0)
	{
		tables->paths = tables->paths == NULL ? palloc(n * sizeof(DynPath))
			: repalloc(tables->paths, n * sizeof(DynPath));
		memcpy(tables->paths + tables->npaths, rows->paths,
			   rows->npaths * sizeof(DynPath));
	}
	tables->npaths = n;
	tables->readers = lappend(tables->readers, reader);
}

DynFoldedTables *
dyn_folded_tables_open(const DynConnection *connection, Oid serverid,
					   const char *table, const DynTableMeta *meta)
{
	DynFoldedTables *tables = palloc0(sizeof(DynFoldedTables));
	ListCell   *lc;

	tables->connection = connection;
	tables->table = table;
	tables->meta = meta;
	tables->item_context = AllocSetContextCreate(CurrentMemoryContext,
												 "dynamo_fdw item",
												 ALLOCSET_DEFAULT_SIZES);
	foreach(lc, dyn_tables_of_server(serverid))
	{
		Opening		opening = {.tables = tables,.relid = lfirst_oid(lc)};
		ErrorData  *failure;

		CHECK_FOR_INTERRUPTS();
		if (!may_read(opening.relid))
			continue;
		failure = dyn_attempt(open_table, &opening);
		if (failure != NULL && !dyn_failure_is_of_definition(failure))
			ReThrowError(failure);
		if (failure == NULL && opening.reader != NULL)
			add_reader(tables, opening.reader);
	}
	return tables;
}

const DynPath *
dyn_folded_tables_paths(const DynFoldedTables *tables, int *npaths)
{
	*npaths = tables->npaths;
	return tables->paths;
}

/* ---- items ---- */

static bool
is_row_of(DynRows *rows, const DynValue *values)
{
	bool		is_row;

	dyn_rows_begin(rows, values);
	is_row = dyn_rows_has_more(rows);
	dyn_rows_end(rows);
	return is_row;
}

void
dyn_folded_tables_see_item(void *arg, const DynValue *item,
						   const DynValue *values)
{
	DynFoldedTables *tables = arg;
	MemoryContext oldcontext = MemoryContextSwitchTo(tables->item_context);
	ListCell   *lc;

	foreach(lc, tables->readers)
	{
		Reader	   *reader = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (is_row_of(reader->rows, values + reader->first_path))
			dyn_folded_see_item(reader->folded, item);
	}
	MemoryContextSwitchTo(oldcontext);
	MemoryContextReset(tables->item_context);
}

void
dyn_folded_tables_report(const DynFoldedTables *tables)
{
	ListCell   *lc;

	foreach(lc, tables->readers)
		dyn_folded_report(((const Reader *) lfirst(lc))->folded);
}
