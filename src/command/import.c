/*
 * import.c
 *		IMPORT FOREIGN SCHEMA: one foreign table for each DynamoDB table, or one
 *		for each value of an entity tag.
 *
 * ListTables, then for each table that is wanted a DescribeTable, and a Scan of
 * its first items.  PostgreSQL runs nothing but CREATE FOREIGN TABLE of what we
 * return, no COMMENT; so notices say what was inferred.
 *
 * A table that may not be described, or has gone since it was listed, is left
 * out with a warning; if its items may not be read, it has its keys only. These
 * errors are caught in a subtransaction, all others end the import.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/memutils.h"

#include "../model/definition/closest.h"
#include "../model/server/encoding.h"
#include "../model/tables/relation.h"
#include "columns.h"
#include "import.h"
#include "listing.h"
#include "sql_names.h"
#include "subtransaction.h"

/* Names in one sentence of a notice. */
#define MAX_NAMES	10

typedef struct Import
{
	ImportForeignSchemaStmt *stmt;
	DynConnection *connection;
	EState	   *estate;
	int			sample;			/* items of each table; 0: none */
	const char *tag;			/* entity_tag, in UTF-8; NULL: none */
	const char *tag_option;		/* as it was given */
	HTAB	   *taken;			/* names of foreign tables */
	List	   *known;			/* char *: all of these names */
	List	   *limits;			/* of LIMIT TO: char * */
	List	   *commands;
	MemoryContext context;		/* of the commands */

	/* the table in hand */
	const char *name;			/* of the foreign table */
	const char *listed;			/* without table_prefix */
	const char *table;			/* of the DynamoDB table */
	bool		named;			/* in LIMIT TO */
	const DynTableMeta *meta;
	List	   *items;			/* DynSampleItem * */
	bool		sampled;
} Import;

/* ---- which tables ---- */

static bool
is_in_list(const ImportForeignSchemaStmt *stmt, const char *name)
{
	ListCell   *lc;

	foreach(lc, stmt->table_list)
	{
		if (strcmp(lfirst_node(RangeVar, lc)->relname, name) == 0)
			return true;
	}
	return false;
}

/* Does the list have a name that begins like those of the table's entities? */
static bool
entity_is_in_list(const Import *import, const char *name)
{
	size_t		len = strlen(name);
	bool		is_long = len > NAMEDATALEN / 2;	/* may have been shortened */
	ListCell   *lc;

	foreach(lc, import->stmt->table_list)
	{
		const char *listed = lfirst_node(RangeVar, lc)->relname;

		if (is_long ? strncmp(listed, name, NAMEDATALEN / 2) == 0
			: strncmp(listed, name, len) == 0 && listed[len] == '_')
			return true;
	}
	return false;
}

static bool
is_wanted(const Import *import, const char *name)
{
	switch (import->stmt->list_type)
	{
		case FDW_IMPORT_SCHEMA_LIMIT_TO:
			return is_in_list(import->stmt, name) ||
				(import->tag != NULL && entity_is_in_list(import, name));
		case FDW_IMPORT_SCHEMA_EXCEPT:
			return !is_in_list(import->stmt, name);
		default:
			return true;
	}
}

/* A foreign table may have this name. */
static void
know(Import *import, const char *name)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(import->context);

	import->known = lappend(import->known, pstrdup(name));
	MemoryContextSwitchTo(oldcontext);
}

/* If no foreign table may have it, *closest is the closest name. */
static bool
is_known(const Import *import, const char *name, DynClosest *closest)
{
	ListCell   *lc;

	dyn_closest_init(closest, name);
	foreach(lc, import->known)
	{
		if (strcmp(lfirst(lc), name) == 0)
			return true;
		dyn_closest_try(closest, lfirst(lc));
	}
	return false;
}

static void
collect_name(void *arg, const char *name)
{
	List	  **names = arg;

	/* a table whose name is the prefix has no name without it */
	if (name[0] != '\0')
		*names = lappend(*names, pstrdup(name));
}

/* ---- failures that concern one table only ---- */

static bool
is_tolerable(const Import *import, const ErrorData *failure)
{
	switch (failure->sqlerrcode)
	{
		case ERRCODE_FDW_TABLE_NOT_FOUND:
			return true;
		case ERRCODE_INSUFFICIENT_PRIVILEGE:
			return import->meta != NULL || !import->named;
		case ERRCODE_CONFIGURATION_LIMIT_EXCEEDED:	/* throttled */
			return import->meta != NULL;
		default:
			return false;
	}
}

/* An error with which the import goes on without the table, or its items. */
static ErrorData *
attempt(Import *import, void (*step) (void *arg))
{
	ErrorData  *failure = dyn_attempt(step, import);

	if (failure != NULL && !is_tolerable(import, failure))
		ReThrowError(failure);
	return failure;
}

static int
detail_of(const ErrorData *failure)
{
	return errdetail("%s%s%s", failure->message, failure->detail ? ": " : ".",
					 failure->detail ? failure->detail : "");
}

static void
warn_left_out(const Import *import, const ErrorData *failure)
{
	ereport(WARNING,
			(errcode(failure->sqlerrcode),
			 errmsg("DynamoDB table \"%s\" is not imported", import->table),
			 detail_of(failure),
			 failure->hint ? errhint("%s", failure->hint) : 0));
}

static void
report_deleted(const Import *import)
{
	ereport(NOTICE,
			(errmsg("DynamoDB table \"%s\" is not imported", import->table),
			 errdetail("It is being deleted.")));
}

static void
warn_unread(const Import *import, const ErrorData *failure)
{
	ereport(WARNING,
			(errcode(failure->sqlerrcode),
			 errmsg("only the keys of DynamoDB table \"%s\" are imported",
					import->table),
			 detail_of(failure),
			 failure->hint ? errhint("%s", failure->hint) : 0));
}

/* ---- notices ---- */

static void
append_listed(StringInfo text, int *n, const char *name)
{
	if (*n < MAX_NAMES)
		appendStringInfo(text, "%s%s", *n > 0 ? ", " : "", name);
	else if (*n == MAX_NAMES)
		appendStringInfoString(text, ", ...");
	(*n)++;
}

static void
end_list(StringInfo text, StringInfo names, const char *label, int n)
{
	if (n > 0)
		appendStringInfo(text, " %s: %s.", label, names->data);
	resetStringInfo(names);
}

/* What \d does not show. */
static void
append_particulars(StringInfo text, const DynNewColumns *columns)
{
	StringInfoData names;
	ListCell   *lc;
	int			n = 0;

	initStringInfo(&names);
	for (int i = 0; i < columns->n; i++)
	{
		if (dyn_column_is_mixed(&columns->columns[i]))
			append_listed(&names, &n, columns->columns[i].name);
	}
	end_list(text, &names, "Of several types, and jsonb", n);
	n = 0;
	for (int i = 0; i < columns->n; i++)
	{
		if (columns->columns[i].types == 0)
			append_listed(&names, &n, columns->columns[i].name);
	}
	end_list(text, &names, "NULL only, and jsonb", n);
	n = 0;
	foreach(lc, columns->left_out)
		append_listed(&names, &n, lfirst(lc));
	end_list(text, &names, "Attributes that no column can have", n);
}

static void
report_table(const Import *import, const char *name, const char *match,
			 const DynNewColumns *columns, int nitems)
{
	StringInfoData detail;

	initStringInfo(&detail);
	if (import->sampled)
		appendStringInfo(&detail, "The columns are the keys, and the attributes of %d %s%s%s.",
						 nitems, nitems == 1 ? "item" : "items", match ? " with " : "", match ? match : "");
	else
		appendStringInfoString(&detail, "The columns are the keys.");
	append_particulars(&detail, columns);
	ereport(NOTICE,
			(errmsg("imported DynamoDB table \"%s\" as foreign table \"%s\"",
					import->table, name),
			 errdetail_internal("%s", detail.data)));
}

/* ---- commands ---- */

static void
add_table(Import *import, const char *name, const char *match, List *items)
{
	MemoryContext oldcontext;
	DynNewColumns *columns;
	StringInfoData sql;

	if (!IsImportableForeignTable(name, import->stmt))
		return;
	columns = dyn_columns_infer(import->meta, items);
	initStringInfo(&sql);
	dyn_columns_write(&sql, name, columns, import->stmt->server_name,
					  import->listed, match);
	report_table(import, name, match, columns, list_length(items));
	oldcontext = MemoryContextSwitchTo(import->context);
	import->commands = lappend(import->commands, pstrdup(sql.data));
	MemoryContextSwitchTo(oldcontext);
}

/* ---- entities ---- */

/* The tag as JSON, in the database's encoding; NULL: match cannot say it. */
static char *
tag_as_json(const DynSampleItem *item)
{
	StringInfoData json;
	char	   *text = unconstify(char *, item->tag);
	const char *why;
	size_t		len;

	if (text == NULL)
		return NULL;
	len = strlen(text);
	if (item->tag_type != DYN_TYPE_S)
		return text;
	if (!dyn_from_utf8(&text, &len, &why) || strcmp(dyn_to_utf8(text), item->tag) != 0)
		return NULL;
	initStringInfo(&json);
	escape_json(&json, text);
	return json.data;
}

static char *
match_of(const Import *import, const char *json)
{
	StringInfoData match;

	initStringInfo(&match);
	appendStringInfoChar(&match, '{');
	escape_json(&match, import->tag_option);
	appendStringInfo(&match, ": %s}", json);
	return match.data;
}

typedef struct Entity
{
	const char *json;			/* the tag's value; "null": no tag */
	const char *text;			/* of the foreign table's name */
	List	   *items;
} Entity;

static void
add_to_entity(List **entities, const char *json, const char *text,
			  DynSampleItem *item)
{
	Entity	   *entity;
	ListCell   *lc;

	foreach(lc, *entities)
	{
		entity = lfirst(lc);
		if (strcmp(entity->json, json) == 0)
		{
			entity->items = lappend(entity->items, item);
			return;
		}
	}
	entity = palloc(sizeof(Entity));
	entity->json = json;
	entity->text = text;
	entity->items = list_make1(item);
	*entities = lappend(*entities, entity);
}

static int
compare_entities(const ListCell *a, const ListCell *b)
{
	return strcmp(((Entity *) lfirst(a))->text, ((Entity *) lfirst(b))->text);
}

/* Divides the items; returns how many match cannot say. */
static int
divide_items(const Import *import, List **entities, List **untagged)
{
	int			unsaid = 0;
	ListCell   *lc;

	foreach(lc, import->items)
	{
		DynSampleItem *item = lfirst(lc);
		const char *json;

		if (item->tag_type == DYN_TYPE_ABSENT || item->tag_type == DYN_TYPE_NULL)
			*untagged = lappend(*untagged, item);
		else if ((json = tag_as_json(item)) == NULL)
			unsaid++;
		else
			add_to_entity(entities, json,
						  psprintf("%s_%s", import->name,
								   item->tag_type == DYN_TYPE_S
								   ? dyn_from_utf8_lossy(item->tag) : item->tag),
						  item);
	}
	list_sort(*entities, compare_entities);
	return unsaid;
}

static bool
is_key_of_table(const DynTableMeta *meta, const char *attribute)
{
	return dyn_key_hash_position(&meta->key, attribute) >= 0 ||
		dyn_key_range_position(&meta->key, attribute) >= 0;
}

/* If LIMIT TO has the table, it has its entities, too. */
static void
name_entity(Import *import, const char *name)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(import->context);

	if (import->named && !is_in_list(import->stmt, name))
		import->stmt->table_list = lappend(import->stmt->table_list,
										   makeRangeVar(NULL, pstrdup(name), -1));
	MemoryContextSwitchTo(oldcontext);
}

static void
add_entities(Import *import, List *entities)
{
	const char **texts = palloc(list_length(entities) * sizeof(char *));
	const char **names;
	ListCell   *lc;

	foreach(lc, entities)
		texts[foreach_current_index(lc)] = ((Entity *) lfirst(lc))->text;
	names = dyn_names_assign(import->taken, texts, list_length(entities));
	foreach(lc, entities)
	{
		const Entity *entity = lfirst(lc);
		const char *name = names[foreach_current_index(lc)];

		know(import, name);
		name_entity(import, name);
		add_table(import, name, match_of(import, entity->json), entity->items);
	}
}

static void
add_divided(Import *import)
{
	List	   *entities = NIL;
	List	   *untagged = NIL;
	int			unsaid = divide_items(import, &entities, &untagged);

	if (entities == NIL)
	{
		add_table(import, import->name, NULL, import->items);
		return;
	}
	add_entities(import, entities);
	if (untagged != NIL && !is_key_of_table(import->meta, import->tag))
		add_table(import, import->name, match_of(import, "null"), untagged);
	if (unsaid > 0)
		ereport(WARNING,
				(errmsg("%d items of the sample of DynamoDB table \"%s\" belong to no imported table",
						unsaid, import->table),
				 errdetail("Their attribute \"%s\" is neither a string nor a number nor a Boolean, or cannot be written in the database's encoding.",
						   import->tag_option)));
}

/* ---- one DynamoDB table ---- */

/* A cached description may be some minutes old. */
static void
describe(void *arg)
{
	Import	   *import = arg;

	if (dyn_session_cached_table(import->connection, import->table) != NULL)
		dyn_session_forget_table(import->connection, import->table);
	import->meta = dyn_session_table(import->connection, import->table);
}

static void
take_sample(void *arg)
{
	Import	   *import = arg;

	import->items = dyn_sample_take(dyn_statement_get(import->estate),
									import->connection, import->table,
									import->meta, import->tag, import->sample);
	import->sampled = true;
}

static bool
has_status(const Import *import, const char *status)
{
	return strcmp(import->meta->status, status) == 0;
}

/* Sets meta and items; false if the table is left out. */
static bool
look_at(Import *import)
{
	ErrorData  *failure = attempt(import, describe);

	if (failure == NULL && has_status(import, "DELETING"))
	{
		report_deleted(import);
		return false;
	}
	/* a table that is being created has no items, and cannot be read */
	if (failure == NULL && import->sample > 0 && !has_status(import, "CREATING"))
	{
		failure = attempt(import, take_sample);
		if (failure != NULL && failure->sqlerrcode != ERRCODE_FDW_TABLE_NOT_FOUND)
		{
			warn_unread(import, failure);
			failure = NULL;
		}
	}
	if (failure != NULL)
		warn_left_out(import, failure);
	return failure == NULL;
}

static void
import_table(Import *import, const char *name, const char *listed)
{
	MemoryContext oldcontext;
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo_fdw import of a table",
												  ALLOCSET_DEFAULT_SIZES);

	oldcontext = MemoryContextSwitchTo(context);
	import->name = name;
	import->listed = listed;
	import->table = psprintf("%s%s", import->connection->table_prefix, listed);
	import->named = import->stmt->list_type == FDW_IMPORT_SCHEMA_LIMIT_TO &&
		is_in_list(import->stmt, name);
	import->meta = NULL;
	import->items = NIL;
	import->sampled = false;
	if (look_at(import))
	{
		if (import->tag != NULL)
			add_divided(import);
		else
			add_table(import, name, NULL, import->items);
	}
	MemoryContextSwitchTo(oldcontext);
	MemoryContextDelete(context);
}

/* ---- the statement ---- */

/* A sample reads a bounded part of the table, but it is a Scan. */
static void
check_policy(const Import *import)
{
	DynRelation relation = {.options = import->connection->reads};

	if (import->sample > 0 && dyn_relation_scan_policy(&relation) == DYN_SCAN_ERROR)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("reading items of all tables of server \"%s\" is not allowed",
						import->connection->server_name),
				 errdetail("The scan_policy is \"error\"."),
				 errhint("Import the keys only, with OPTIONS (sample '0'), or set scan_policy to \"warn\" or \"allow\".")));
}

/* A copy, as the statement's list gets the names of entities. */
static List *
limits_of(const ImportForeignSchemaStmt *stmt)
{
	List	   *limits = NIL;
	ListCell   *lc;

	if (stmt->list_type != FDW_IMPORT_SCHEMA_LIMIT_TO)
		return NIL;
	foreach(lc, stmt->table_list)
		limits = lappend(limits, lfirst_node(RangeVar, lc)->relname);
	return limits;
}

static Import *
begin_import(ImportForeignSchemaStmt *stmt, Oid serverid)
{
	Import	   *import = palloc0(sizeof(Import));

	dyn_options_check_import(stmt->options);
	import->stmt = stmt;
	import->context = CurrentMemoryContext;
	import->sample = dyn_option_int(stmt->options, "sample",
									dyn_option_default_int("sample"));
	import->tag_option = dyn_option_text(stmt->options, "entity_tag");
	if (import->tag_option != NULL)
		import->tag = dyn_to_utf8(import->tag_option);
	import->connection = dyn_session_connection(serverid, GetUserId());
	check_policy(import);
	import->taken = dyn_names_create();
	import->limits = limits_of(stmt);
	import->estate = CreateExecutorState();
	return import;
}

/* Names of LIMIT TO that nothing has; PostgreSQL does not tell of them. */
static void
warn_unknown(const Import *import)
{
	ListCell   *lc;

	foreach(lc, import->limits)
	{
		const char *name = lfirst(lc);
		DynClosest	closest;

		if (is_known(import, name, &closest))
			continue;
		ereport(WARNING,
				(errcode(ERRCODE_FDW_TABLE_NOT_FOUND),
				 errmsg("table \"%s\" of LIMIT TO is not imported", name),
				 import->tag == NULL
				 ? errdetail("Server \"%s\" lists no table of this name.",
							 import->stmt->server_name)
				 : errdetail("Server \"%s\" lists no table of this name, and no sample has an item whose \"%s\" gives a table of this name.",
							 import->stmt->server_name, import->tag_option),
				 closest.best ? errhint("Perhaps you meant \"%s\".", closest.best)
				 : 0));
	}
}

static const char **
texts_of(List *names)
{
	const char **texts = palloc(Max(list_length(names), 1) * sizeof(char *));
	ListCell   *lc;

	foreach(lc, names)
		texts[foreach_current_index(lc)] = lfirst(lc);
	return texts;
}

List *
dynImportForeignSchema(ImportForeignSchemaStmt *stmt, Oid serverid)
{
	Import	   *import = begin_import(stmt, serverid);
	List	   *listed = NIL;
	const char **texts;
	const char **names;

	dyn_list_tables(import->connection, collect_name, &listed);
	texts = texts_of(listed);
	/* of all tables, so that names do not depend on which are imported */
	names = dyn_names_assign(import->taken, texts, list_length(listed));
	for (int i = 0; i < list_length(listed); i++)
	{
		CHECK_FOR_INTERRUPTS();
		know(import, names[i]);
		if (is_wanted(import, names[i]))
			import_table(import, names[i], texts[i]);
	}
	warn_unknown(import);
	FreeExecutorState(import->estate);
	return import->commands;
}
