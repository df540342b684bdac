/*
 * import.c
 *		Implements IMPORT FOREIGN SCHEMA.
 *
 * The import creates one foreign table for each DynamoDB table or, with the
 * option entity_attribute, one for each entity (value of this attribute).  The
 * import sends ListTables, and for each wanted table DescribeTable and a Scan
 * of the first items.
 *
 * A column's SQL type depends only on DynamoDB's types, not on values, so that
 * later items are likely to match.
 *
 * A name that is too long is truncated as PostgreSQL truncates names in SQL, so
 * the full name can still be used in statements.  A checksum is appended if
 * the truncated name is already used, or also results from another long name.
 *
 * A table is left out with a warning in two cases: it was dropped after
 * ListTables, or LIMIT TO does not name it and DescribeTable is not permitted.
 * If the Scan is throttled or not permitted, only the keys become columns.
 * These errors are caught in a subtransaction; all other errors end the import.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "catalog/heap.h"
#include "executor/executor.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "port/pg_bitutils.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/json.h"
#include "utils/memutils.h"

#include "../base/text.h"
#include "../model/definition/closest.h"
#include "../model/server/encoding.h"
#include "../model/tables/relation.h"
#include "../model/server/soft_errors.h"
#include "remote_table.h"

/* Maximum number of names in one sentence of a notice. */
#define MAX_NAMES	10

#define LONGEST_NAME	(NAMEDATALEN - 1)
#define CHECKSUM_DIGITS	8

typedef struct Import
{
	ImportForeignSchemaStmt *stmt;
	const char *tag_option;		/* option entity_attribute, or NULL */
	HTAB	   *taken;			/* names already given to foreign tables */
	List	   *known;			/* names that LIMIT TO may contain (char *) */
	List	   *limits;			/* names that LIMIT TO contains (RangeVar *) */
	List	   *commands;
	MemoryContext context;		/* memory of the commands */

	/* current table */
	const char *name;			/* name of the foreign table */
	const char *listed;			/* DynamoDB table's name without table_prefix */
	bool		named;			/* true if LIMIT TO contains `name` */
	DynSample	sample;			/* sample of the table; its connection, estate,
								 * tag and limit are the same for all tables */
} Import;

typedef struct NewColumn
{
	const DynAttribute *source;
	char	   *name;
	char	   *attribute;		/* attribute name in the database's encoding */
	unsigned	types;			/* DynamoDB types of its values, except NULL */
} NewColumn;

typedef struct NewColumns
{
	int			n;
	NewColumn  *columns;		/* keys, then other attributes by name */
	List	   *left_out;		/* attributes without a column (char *) */
} NewColumns;

/* ---- names ---- */

static HTAB *
create_names(void)
{
	HASHCTL		ctl = {
		.keysize = NAMEDATALEN,
		.entrysize = NAMEDATALEN,
		.hcxt = CurrentMemoryContext
	};

	return hash_create("dynamo_fdw names", 64, &ctl,
					   HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
}

static bool
take_if_unused(HTAB *taken, const char *name)
{
	bool		found;

	(void) hash_search(taken, name, HASH_ENTER, &found);
	return !found;
}

static char *
split(const char *text, int len)
{
	return pnstrdup(text, pg_mbcliplen(text, strlen(text), len));
}

/* Makes a unique name of each text (char *), and adds the names to `taken`. */
static List *
assign_names(HTAB *taken, List *texts)
{
	HTAB	   *once = create_names();	/* truncated long texts */
	HTAB	   *again = create_names(); /* truncated texts that repeat */
	List	   *names = NIL;
	ListCell   *lc;

	foreach(lc, texts)
	{
		char	   *text = lfirst(lc);
		bool		is_long = strlen(text) > LONGEST_NAME;

		if (is_long && !take_if_unused(once, split(text, LONGEST_NAME)))
			(void) take_if_unused(again, split(text, LONGEST_NAME));
		names = lappend(names, !is_long && take_if_unused(taken, text) ? text : NULL);
	}
	foreach(lc, names)
	{
		const char *text = list_nth(texts, foreach_current_index(lc));
		char	   *name;
		uint32		checksum = 0;

		if (lfirst(lc) != NULL)
			continue;
		name = strlen(text) > LONGEST_NAME ? split(text, LONGEST_NAME) : NULL;
		if (name != NULL && hash_search(again, name, HASH_FIND, NULL) != NULL)
			name = NULL;		/* another text has the same truncated name */
		while (name == NULL || !take_if_unused(taken, name))
		{
			checksum = dyn_crc32(checksum, text, strlen(text));
			name = psprintf("%s_%08x",
							split(text, LONGEST_NAME - CHECKSUM_DIGITS - 1), checksum);
		}
		lfirst(lc) = name;
	}
	return names;
}

/* ---- columns ---- */

/*
 * Returns UTF-8 text in the database's encoding; NULL if the text cannot be an
 * option's value, because it would not be converted back to the same UTF-8.
 */
static char *
option_text_of(const char *utf8)
{
	char	   *text = unconstify(char *, utf8);
	size_t		len = strlen(utf8);
	const char *why;

	return dyn_from_utf8(&text, &len, &why) && strcmp(dyn_to_utf8(text), utf8) == 0
		? text : NULL;
}

static void
add_column(NewColumns *columns, const DynAttribute *attribute)
{
	char	   *name = attribute->has_nul || attribute->name[0] == '\0' ? NULL
		: option_text_of(attribute->name);
	/* a longer name, as an option, might exceed a row of pg_attribute */
	bool		too_long = name != NULL && strlen(name) > 4096;
	NewColumn  *column;

	if (name == NULL || too_long || columns->n == MaxHeapAttributeNumber)
	{
		columns->left_out = lappend(columns->left_out, too_long
									? "(a name of more than 4 kB)"
									: pstrdup(dyn_from_utf8_lossy(attribute->name)));
		return;
	}
	column = &columns->columns[columns->n++];
	column->source = attribute;
	column->attribute = name;
	column->types = attribute->types & ~(1u << DYN_TYPE_NULL);
}

static NewColumns *
infer_columns(const DynTableMeta *meta, const List *items)
{
	NewColumns *columns = palloc0(sizeof(NewColumns));
	HTAB	   *taken = create_names();
	List	   *texts = NIL;
	List	   *names;
	int			n;
	const DynAttribute *attributes = dyn_sample_attributes(meta, items, &n);

	columns->columns = palloc0(MaxHeapAttributeNumber * sizeof(NewColumn));
	for (int i = 0; i < n; i++)
		add_column(columns, &attributes[i]);
	for (int attnum = -1; attnum > FirstLowInvalidHeapAttributeNumber; attnum--)
		(void) take_if_unused(taken, NameStr(SystemAttributeDefinition(attnum)->attname));
	for (int i = 0; i < columns->n; i++)
		texts = lappend(texts, columns->columns[i].attribute);
	names = assign_names(taken, texts);
	for (int i = 0; i < columns->n; i++)
		columns->columns[i].name = list_nth(names, i);
	return columns;
}

static const char *
sql_type(const NewColumn *column)
{
	static const char *const names[] = {
		[DYN_TYPE_S] = "pg_catalog.text",
		[DYN_TYPE_N] = "pg_catalog.\"numeric\"",
		[DYN_TYPE_B] = "pg_catalog.bytea",
		[DYN_TYPE_BOOL] = "pg_catalog.bool",
		[DYN_TYPE_SS] = "pg_catalog.text[]",
		[DYN_TYPE_NS] = "pg_catalog.\"numeric\"[]",
		[DYN_TYPE_BS] = "pg_catalog.bytea[]",
	};

	for (int type = 0; type < lengthof(names); type++)
	{
		if (column->types == 1u << type && names[type] != NULL)
			return names[type];
	}
	return "pg_catalog.jsonb";
}

/* Returns CREATE FOREIGN TABLE; `match` is the option item_filter, or NULL. */
static char *
write_command(const Import *import, const char *name, const NewColumns *columns,
			  const char *match)
{
	StringInfo	sql = makeStringInfo();

	appendStringInfo(sql, "CREATE FOREIGN TABLE %s (", quote_identifier(name));
	for (int i = 0; i < columns->n; i++)
	{
		const NewColumn *column = &columns->columns[i];
		const char *type = sql_type(column);
		bool		renamed = strcmp(column->name, column->attribute) != 0;
		bool		is_set = strstr(type, "[]") != NULL;

		appendStringInfo(sql, "%s\n  %s %s", i > 0 ? "," : "", quote_identifier(column->name), type);
		if (renamed || is_set)
			appendStringInfo(sql, " OPTIONS (%s%s%s%s)", renamed ? "attribute " : "",
							 renamed ? quote_literal_cstr(column->attribute) : "",
							 renamed && is_set ? ", " : "",
							 is_set ? "format 'set'" : "");
		if (column->source->in_any_key && column->types == 1u << DYN_TYPE_S)
			appendStringInfoString(sql, " COLLATE pg_catalog.\"C\"");
		if (column->source->in_key)
			appendStringInfoString(sql, " NOT NULL");
	}
	appendStringInfo(sql, "\n) SERVER %s\nOPTIONS (table_name %s",
					 quote_identifier(import->stmt->server_name),
					 quote_literal_cstr(import->listed));
	if (match != NULL)
		appendStringInfo(sql, ", item_filter %s", quote_literal_cstr(match));
	appendStringInfoChar(sql, ')');
	return sql->data;
}

/* ---- which tables ---- */

static bool
is_in_list(const List *list, const char *name)
{
	ListCell   *lc;

	foreach(lc, list)
	{
		if (strcmp(lfirst_node(RangeVar, lc)->relname, name) == 0)
			return true;
	}
	return false;
}

/* Returns true if LIMIT TO may contain an entity's table (table_entity). */
static bool
entity_is_in_list(const Import *import, const char *name)
{
	size_t		len = strlen(name);
	bool		is_long = len > NAMEDATALEN / 2;	/* names may be truncated */
	ListCell   *lc;

	foreach(lc, import->limits)
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
			return is_in_list(import->limits, name) ||
				(import->sample.tag != NULL && entity_is_in_list(import, name));
		case FDW_IMPORT_SCHEMA_EXCEPT:
			return !is_in_list(import->stmt->table_list, name);
		default:
			return true;
	}
}

/* ---- one foreign table ---- */

/* Calls step(); returns NULL, or an error that does not end the import. */
static ErrorData *
attempt(Import *import, void (*step) (void *arg))
{
	ErrorData  *failure = dyn_attempt(step, &import->sample);
	bool		is_described = import->sample.meta != NULL;

	if (failure == NULL || failure->sqlerrcode == ERRCODE_FDW_TABLE_NOT_FOUND ||
		(failure->sqlerrcode == ERRCODE_INSUFFICIENT_PRIVILEGE &&
		 (is_described || !import->named)) ||
		(failure->sqlerrcode == ERRCODE_CONFIGURATION_LIMIT_EXCEEDED && /* throttled */
		 is_described))
		return failure;
	ReThrowError(failure);
}

static void
warn_of(const Import *import, const ErrorData *failure, bool left_out)
{
	const char *table = import->sample.table;

	ereport(WARNING,
			(errcode(failure->sqlerrcode),
			 left_out ? errmsg("could not import DynamoDB table \"%s\"", table)
			 : errmsg("importing only the keys of DynamoDB table \"%s\"", table),
			 errdetail("%s%s%s", failure->message, failure->detail ? ": " : ".",
					   failure->detail ? failure->detail : ""),
			 failure->hint ? errhint("%s", failure->hint) : 0));
}

static void
append_names(StringInfo text, const char *label, const List *names)
{
	for (int i = 0; i < list_length(names) && i <= MAX_NAMES; i++)
		appendStringInfo(text, "%s%s", i > 0 ? ", " : psprintf(" %s: ", label),
						 i < MAX_NAMES ? (const char *) list_nth(names, i) : "...");
	if (names != NIL)
		appendStringInfoChar(text, '.');
}

static void
report_table(const Import *import, const char *name, const char *match,
			 const NewColumns *columns, int nitems)
{
	List	   *mixed = NIL;
	List	   *untyped = NIL;
	StringInfo	detail = makeStringInfo();

	for (int i = 0; i < columns->n; i++)
	{
		const NewColumn *column = &columns->columns[i];

		if (column->types == 0)
			untyped = lappend(untyped, column->name);
		else if (pg_popcount32(column->types) > 1)
			mixed = lappend(mixed, column->name);
	}
	appendStringInfoString(detail, "The columns are the keys");
	if (import->sample.taken)
		appendStringInfo(detail, ", and the attributes of %d %s%s%s", nitems,
						 nitems == 1 ? "item" : "items",
						 match ? " with " : "", match ? match : "");
	appendStringInfoChar(detail, '.');
	append_names(detail, "Of several types, and jsonb", mixed);
	append_names(detail, "NULL only, and jsonb", untyped);
	append_names(detail, "Attributes that no column can have", columns->left_out);
	ereport(NOTICE,
			(errmsg("imported DynamoDB table \"%s\" as foreign table \"%s\"",
					import->sample.table, name),
			 errdetail_internal("%s", detail->data)));
}

static void
add_table(Import *import, const char *name, const char *match, List *items)
{
	MemoryContext context;
	MemoryContext oldcontext;
	NewColumns *columns;
	char	   *sql;

	CHECK_FOR_INTERRUPTS();
	if (!IsImportableForeignTable(name, import->stmt))
		return;
	context = AllocSetContextCreate(CurrentMemoryContext,
									"dynamo_fdw import of a foreign table",
									ALLOCSET_DEFAULT_SIZES);
	oldcontext = MemoryContextSwitchTo(context);
	columns = infer_columns(import->sample.meta, items);
	sql = write_command(import, name, columns, match);
	report_table(import, name, match, columns, list_length(items));
	MemoryContextSwitchTo(import->context);
	import->commands = lappend(import->commands, pstrdup(sql));
	MemoryContextSwitchTo(oldcontext);
	MemoryContextDelete(context);
}

/* ---- entities ---- */

static char *
json_of(const char *text)
{
	StringInfo	json = makeStringInfo();

	if (text == NULL)
		return NULL;
	escape_json(json, text);
	return json->data;
}

/* Returns the option item_filter for one value of the entity attribute. */
static char *
match_of(const Import *import, const char *json)
{
	return psprintf("{%s: %s}", json_of(import->tag_option), json);
}

typedef struct Entity
{
	const char *json;			/* value of the entity attribute, as JSON */
	char	   *text;			/* foreign table's name before truncation */
	List	   *items;
} Entity;

static void
add_to_entity(const Import *import, List **entities, const char *json,
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
	entity->text = psprintf("%s_%s", import->name,
							item->tag_type == DYN_TYPE_S
							? dyn_from_utf8_lossy(item->tag) : item->tag);
	entity->items = list_make1(item);
	*entities = lappend(*entities, entity);
}

static int
compare_entities(const ListCell *a, const ListCell *b)
{
	return strcmp(((Entity *) lfirst(a))->text, ((Entity *) lfirst(b))->text);
}

/*
 * Divides the items by the value of the entity attribute.  Leaves out items
 * with a value that item_filter cannot represent, and returns their number.
 */
static int
divide_items(const Import *import, List **entities, List **untagged)
{
	int			unsaid = 0;
	ListCell   *lc;

	foreach(lc, import->sample.items)
	{
		DynSampleItem *item = lfirst(lc);
		const char *json = item->tag;

		if (item->tag_type == DYN_TYPE_ABSENT || item->tag_type == DYN_TYPE_NULL)
		{
			*untagged = lappend(*untagged, item);
			continue;
		}
		if (json != NULL && item->tag_type == DYN_TYPE_S)
			json = json_of(option_text_of(json));
		if (json == NULL)
			unsaid++;
		else
			add_to_entity(import, entities, json, item);
	}
	list_sort(*entities, compare_entities);
	return unsaid;
}

static void
add_entities(Import *import, List *entities)
{
	List	   *texts = NIL;
	ListCell   *lc;
	ListCell   *name;

	foreach(lc, entities)
		texts = lappend(texts, ((Entity *) lfirst(lc))->text);
	forboth(lc, entities, name, assign_names(import->taken, texts))
	{
		const Entity *entity = lfirst(lc);
		MemoryContext oldcontext = MemoryContextSwitchTo(import->context);
		char	   *known = pstrdup(lfirst(name));

		import->known = lappend(import->known, known);
		/* a table name in LIMIT TO means all entities of the table */
		if (import->named)
			import->stmt->table_list = lappend(import->stmt->table_list,
											   makeRangeVar(NULL, known, -1));
		MemoryContextSwitchTo(oldcontext);
		add_table(import, lfirst(name), match_of(import, entity->json),
				  entity->items);
	}
}

/* Raises no error, because some tables may contain only one entity. */
static void
notice_no_entities(const Import *import)
{
	const DynSample *sample = &import->sample;
	int			n;
	DynAttribute *attributes = dyn_sample_attributes(sample->meta, sample->items, &n);
	DynClosest	closest;

	dyn_closest_init(&closest, import->tag_option);
	for (int i = 0; i < n; i++)
	{
		if (strcmp(attributes[i].name, sample->tag) != 0)
			dyn_closest_try(&closest, dyn_from_utf8_lossy(attributes[i].name));
	}
	ereport(NOTICE,
			(errmsg("no sampled item of DynamoDB table \"%s\" has a value in attribute \"%s\"",
					sample->table, import->tag_option),
			 closest.best ? errhint("Perhaps you meant the attribute \"%s\".",
									closest.best) : 0));
}

static void
add_divided(Import *import)
{
	DynSample  *sample = &import->sample;
	List	   *entities = NIL;
	List	   *untagged = NIL;
	int			unsaid = divide_items(import, &entities, &untagged);

	if (entities == NIL)
	{
		if (untagged != NIL && unsaid == 0)
			notice_no_entities(import);
		add_table(import, import->name, NULL, sample->items);
		return;
	}
	add_entities(import, entities);
	if (untagged != NIL && !dyn_is_in_key(&sample->meta->key, sample->tag))
		add_table(import, import->name, match_of(import, "null"), untagged);
	if (unsaid > 0)
		ereport(WARNING,
				(errmsg_plural("%d sampled item of DynamoDB table \"%s\" does not belong to an imported table",
							   "%d sampled items of DynamoDB table \"%s\" do not belong to an imported table",
							   unsaid, unsaid, sample->table),
				 errdetail("Their attribute \"%s\" is not a string, number or Boolean, or the database encoding cannot represent it.",
						   import->tag_option)));
}

/* ---- the statement ---- */

/* Describes and samples the table; returns false if the table is left out. */
static bool
look_at(Import *import)
{
	DynSample  *sample = &import->sample;
	ErrorData  *failure = attempt(import, dyn_sample_describe);

	if (failure == NULL && strcmp(sample->meta->status, "DELETING") == 0)
	{
		ereport(NOTICE,
				(errmsg("could not import DynamoDB table \"%s\"", sample->table),
				 errdetail("The table is being deleted.")));
		return false;
	}
	if (failure == NULL && sample->limit > 0)
	{
		failure = attempt(import, dyn_sample_take);
		if (failure != NULL && failure->sqlerrcode != ERRCODE_FDW_TABLE_NOT_FOUND)
		{
			warn_of(import, failure, false);
			return true;
		}
	}
	if (failure != NULL)
		warn_of(import, failure, true);
	return failure == NULL;
}

static void
import_table(Import *import, const char *name, const char *listed)
{
	DynSample  *sample = &import->sample;
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo_fdw import of a table",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext oldcontext = MemoryContextSwitchTo(context);

	import->name = name;
	import->listed = listed;
	import->named = is_in_list(import->limits, name);
	sample->table = psprintf("%s%s", sample->connection->table_prefix, listed);
	sample->meta = NULL;
	sample->items = NIL;
	sample->taken = false;
	if (look_at(import))
	{
		if (sample->tag != NULL)
			add_divided(import);
		else
			add_table(import, name, NULL, sample->items);
	}
	MemoryContextSwitchTo(oldcontext);
	MemoryContextDelete(context);
}

static void
warn_unknown(const Import *import, const char *name)
{
	DynClosest	closest;
	ListCell   *lc;

	dyn_closest_init(&closest, name);
	foreach(lc, import->known)
	{
		if (strcmp(lfirst(lc), name) == 0)
			return;
		dyn_closest_try(&closest, lfirst(lc));
	}
	ereport(WARNING,
			(errcode(ERRCODE_FDW_TABLE_NOT_FOUND),
			 errmsg("table \"%s\" in LIMIT TO was not found on server \"%s\"", name,
					import->stmt->server_name),
			 import->tag_option == NULL
			 ? 0
			 : errdetail("Server \"%s\" has no table with this name, and no item of the samples has this value in attribute \"%s\".",
						 import->stmt->server_name, import->tag_option),
			 closest.best ? errhint("Perhaps you meant \"%s\".", closest.best)
			 : 0));
}

List *
dynImportForeignSchema(ImportForeignSchemaStmt *stmt, Oid serverid)
{
	Import	   *import = palloc0(sizeof(Import));
	DynSample  *sample = &import->sample;
	DynRelation relation = {0};
	List	   *listed;
	ListCell   *lc;
	ListCell   *name;

	dyn_options_check_import(stmt->options);
	import->stmt = stmt;
	import->context = CurrentMemoryContext;
	import->tag_option = dyn_option_text(stmt->options, "entity_attribute");
	if (import->tag_option != NULL)
		sample->tag = dyn_to_utf8(import->tag_option);
	sample->limit = dyn_option_int_or_default(stmt->options, "sample_items");
	sample->connection = dyn_session_connection(serverid, GetUserId());
	/* apply scan_policy: a sample is a bounded read, but still a Scan */
	relation.options = sample->connection->reads;
	if (sample->limit > 0 && dyn_relation_scan_policy(&relation) == DYN_SCAN_ERROR)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("reading items of all tables of server \"%s\" is disabled by scan_policy \"error\"",
						sample->connection->server_name),
				 errdetail("The scan_policy is \"error\"."),
				 errhint("Use OPTIONS (sample_items '0') to import only the keys, or set scan_policy to \"warn\" or \"allow\".")));
	sample->estate = CreateExecutorState();
	import->taken = create_names();
	if (stmt->list_type == FDW_IMPORT_SCHEMA_LIMIT_TO)
		import->limits = list_copy(stmt->table_list);
	listed = dyn_list_tables(sample->connection);
	/* names do not depend on LIMIT TO, so unwanted tables get names, too */
	forboth(lc, listed, name, assign_names(import->taken, listed))
	{
		CHECK_FOR_INTERRUPTS();
		/* skip a table whose name is just table_prefix: no name is left */
		if (((const char *) lfirst(lc))[0] == '\0')
			continue;
		import->known = lappend(import->known, lfirst(name));
		if (is_wanted(import, lfirst(name)))
			import_table(import, lfirst(name), lfirst(lc));
	}
	/* PostgreSQL itself does not report unknown names in LIMIT TO */
	foreach(lc, import->limits)
		warn_unknown(import, lfirst_node(RangeVar, lc)->relname);
	FreeExecutorState(sample->estate);
	return import->commands;
}
