/*
 * create_table.c
 *		Creates the DynamoDB table of a foreign table:
 *		dynamo_fdw_create_table(), for tests and demos.
 *
 * A foreign table does not define the keys of its DynamoDB table, so the keys
 * are arguments.  A key attribute's type follows from its column or template.
 *
 * CreateTable is sent again only if the failure, such as throttling, shows
 * that the table was not created.  After other failures, the table may exist.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/jsonb.h"

#include "../dynamodb/operation.h"
#include "../model/server/encoding.h"
#include "../model/server/memory.h"
#include "../model/session/usage.h"
#include "../model/tables/relation.h"
#include "target.h"

/*
 * Maximum number of ResourceNotFoundExceptions to ignore.  At first, some of
 * DynamoDB's servers may not know a new table.
 */
#define MAX_UNKNOWN_POLLS	30

#define FIRST_PAUSE_MS		50.0
#define LONGEST_PAUSE_MS	1000.0

#define INDEX_EXAMPLE \
	"Write an object such as {\"by_status\": {\"partition_key\": \"status\", \"sort_key\": \"placed\", \"projection\": [\"total\"]}, \"by_total\": {\"local\": true, \"sort_key\": \"total\"}}."

PG_FUNCTION_INFO_V1(dynamo_fdw_create_table);

/* ---- key attributes ---- */

/* Returns column `name`, or else a column that shows attribute `name`. */
static const DynColumn *
find_column(const DynRelation *relation, const char *name)
{
	const char *attribute = dyn_to_utf8(name);
	const DynColumn *found = NULL;

	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];

		if (column->dropped)
			continue;
		if (strcmp(column->name, name) == 0)
			return column;
		if (found == NULL && dyn_column_shows(column, attribute))
			found = column;
	}
	return found;
}

/* Returns true if the column is in a template, and no option sets its path. */
static bool
is_part(const DynRelation *relation, const DynColumn *column)
{
	for (int i = 0; i < relation->ntemplated && !column->placed; i++)
	{
		const DynTemplate *tmpl = relation->templated[i].tmpl;

		for (int k = 0; k < tmpl->nparts; k++)
		{
			if (strcmp(dyn_from_utf8_lossy(tmpl->parts[k].column.data), column->name) == 0)
				return true;
		}
	}
	return false;
}

static void
read_key_attr(const DynRelation *relation, const char *name, DynKeyAttr *attr)
{
	const DynTemplatedAttr *templated = dyn_relation_templated(relation, dyn_to_utf8(name));
	const DynColumn *column = find_column(relation, name);
	DynType		type = column != NULL ? column->codec.wire : DYN_TYPE_ABSENT;

	if (templated != NULL)
	{
		const DynTemplatePart *part = templated->tmpl->parts;

		column = dyn_template_is_bare(templated->tmpl)
			? find_column(relation, dyn_from_utf8_lossy(part->column.data)) : NULL;
		attr->name = dyn_templated_name(templated);
		attr->type = column != NULL && dyn_part_may_be_number(part, &column->codec)
			? DYN_TYPE_N : DYN_TYPE_S;
		return;
	}
	if (column != NULL && is_part(relation, column))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("column \"%s\" of foreign table \"%s\" belongs to a key template",
						column->name, relation->name),
				 errhint("Use the name of the attribute that has the template.")));
	if (column == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of foreign table \"%s\" does not exist",
						name, relation->name)));
	if (column->path->nsteps != 1 || column->segments > 0 || !dyn_column_is_of_item(column) ||
		(type != DYN_TYPE_S && type != DYN_TYPE_N && type != DYN_TYPE_B))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("column \"%s\" of foreign table \"%s\" cannot be part of a key",
						column->name, relation->name),
				 errhint("A key attribute must be a string, a number or a binary value at the top level of the item.")));
	attr->name = column->path->steps[0].name;
	attr->type = type;
}

/* ---- indexes ---- */

DYN_NORETURN static void
report_index(const char *name, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid definition of index \"%s\"", name),
			 errdetail("%s", detail),
			 errhint(INDEX_EXAMPLE)));
}

static char *
string_of(const JsonbValue *value)
{
	return pnstrdup(value->val.string.val, value->val.string.len);
}

/* Returns a string, or an array of strings, as a List of char *. */
static List *
read_names(const char *index, const char *member, const JsonbValue *value)
{
	List	   *names = NIL;
	JsonbContainer *array;

	if (value->type == jbvString)
		return list_make1(string_of(value));
	if (value->type != jbvBinary || !JsonContainerIsArray(value->val.binary.data))
		report_index(index, psprintf("The member \"%s\" must be a name, or an array of names.",
									 member));
	array = value->val.binary.data;
	for (uint32 i = 0; i < JsonContainerSize(array); i++)
	{
		const JsonbValue *element = getIthJsonbValueFromContainer(array, i);

		if (element->type != jbvString)
			report_index(index, psprintf("The member \"%s\" has an element that is not a name.",
										 member));
		names = lappend(names, string_of(element));
	}
	return names;
}

static int
read_key_side(const DynRelation *relation, const char *index,
			  const char *member, const JsonbValue *value, DynKeyAttr *attrs)
{
	List	   *names = read_names(index, member, value);
	ListCell   *lc;

	if (names == NIL || list_length(names) > DYN_MAX_KEY_ATTRS)
		report_index(index, psprintf("The member \"%s\" must have one to %d names.",
									 member, DYN_MAX_KEY_ATTRS));
	foreach(lc, names)
		read_key_attr(relation, lfirst(lc), &attrs[foreach_current_index(lc)]);
	return list_length(names);
}

static void
read_projection(const DynRelation *relation, DynIndexMeta *index,
				const JsonbValue *value)
{
	char	   *word = value->type == jbvString ? string_of(value) : "";
	List	   *names;
	ListCell   *lc;

	if (pg_strcasecmp(word, "all") == 0)
		return;
	index->projection = DYN_PROJECT_KEYS_ONLY;
	if (pg_strcasecmp(word, "keys_only") == 0)
		return;
	names = read_names(index->name, "projection", value);
	index->projection = DYN_PROJECT_INCLUDE;
	index->nincluded = list_length(names);
	index->included = palloc(Max(index->nincluded, 1) * sizeof(char *));
	foreach(lc, names)
	{
		const DynColumn *column = find_column(relation, lfirst(lc));

		if (column != NULL && column->segments > 0)
			report_index(index->name, "The column of a segment shows no attribute to project.");
		index->included[foreach_current_index(lc)] =
			column != NULL && column->path->nsteps > 0
			? column->path->steps[0].name : dyn_to_utf8(lfirst(lc));
	}
}

static void
read_index(const DynRelation *relation, const DynTableMeta *table,
		   DynIndexMeta *index, const char *name, const JsonbValue *definition)
{
	JsonbIterator *it;
	JsonbValue	member,
				value;

	index->name = name;
	index->global = true;
	index->projection = DYN_PROJECT_ALL;
	if (definition->type != jbvBinary ||
		!JsonContainerIsObject(definition->val.binary.data))
		report_index(name, "The definition must be a JSON object.");
	it = JsonbIteratorInit(definition->val.binary.data);
	(void) JsonbIteratorNext(&it, &member, true);
	while (JsonbIteratorNext(&it, &member, true) == WJB_KEY)
	{
		const char *word = string_of(&member);

		(void) JsonbIteratorNext(&it, &value, true);
		if (strcmp(word, "partition_key") == 0)
			index->key.nhash = read_key_side(relation, name, word, &value,
											 index->key.hash);
		else if (strcmp(word, "sort_key") == 0)
			index->key.nrange = read_key_side(relation, name, word, &value,
											  index->key.range);
		else if (strcmp(word, "projection") == 0)
			read_projection(relation, index, &value);
		else if (strcmp(word, "local") == 0 && value.type == jbvBool)
			index->global = !value.val.boolean;
		else
			report_index(name, strcmp(word, "local") == 0
						 ? "The member \"local\" must be true or false."
						 : psprintf("The member \"%s\" is not recognized.", word));
	}
	if (index->global && index->key.nhash == 0)
		report_index(name, "The member \"partition_key\" is missing.");
	if (!index->global && index->key.nhash > 0)
		report_index(name, "A local secondary index always has the partition key of the table.");
	if (!index->global)
	{
		index->key.nhash = 1;
		index->key.hash[0] = table->key.hash[0];
	}
	index->name = dyn_to_utf8(name);
}

static void
read_indexes(const DynRelation *relation, DynTableMeta *table, Jsonb *indexes)
{
	JsonbIterator *it;
	JsonbValue	name,
				value;

	if (!JB_ROOT_IS_OBJECT(indexes))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the indexes must be a JSON object"),
				 errhint(INDEX_EXAMPLE)));
	table->indexes = palloc0((JB_ROOT_COUNT(indexes) + 1) * sizeof(DynIndexMeta));
	it = JsonbIteratorInit(&indexes->root);
	(void) JsonbIteratorNext(&it, &name, true);
	while (JsonbIteratorNext(&it, &name, true) == WJB_KEY)
	{
		(void) JsonbIteratorNext(&it, &value, true);
		read_index(relation, table, &table->indexes[table->nindexes++],
				   string_of(&name), &value);
	}
}

/* Raises an error if columns that show one key attribute differ in type. */
static void
check_types(const DynTableMeta *table)
{
	for (int n = 0; n <= table->nindexes; n++)
	{
		const DynKeySchema *key = dyn_key_number(table, n);

		for (int i = 0; i < key->nhash + key->nrange; i++)
		{
			const DynKeyAttr *attr = dyn_key_attr(key, i);
			const DynKeyAttr *other = NULL;

			for (int k = 0; other == NULL; k++)
				other = dyn_key_find(dyn_key_number(table, k), attr->name);
			if (other->type != attr->type)
				ereport(ERROR,
						(errcode(ERRCODE_DATATYPE_MISMATCH),
						 errmsg("key attribute \"%s\" has columns of two types, %s and %s",
								dyn_from_utf8_lossy(attr->name),
								dyn_type_name(other->type),
								dyn_type_name(attr->type))));
		}
	}
}

/* ---- requests ---- */

static void
send_creation(DynConnection *connection, const DynTableMeta *table)
{
	DynRequestContext context = {DYN_OP_CREATE_TABLE, table->name, NULL, connection};
	DynCall    *call = dyn_session_call();

	call->once = true;
	dyn_write_create_table(dyn_call_body(call), table);
	if (!dyn_session_try(call, &connection->service, &context))
	{
		if (dyn_call_is_repeated(call))
			dyn_usage_give_up(dyn_usage_of(connection, table->name, NULL), context.op, call,
							  DYN_USAGE_OTHER);
		dyn_session_fail(call, &context);
	}
	dyn_call_destroy(call);
}

/*
 * Returns true if the table and its indexes are active.  If DynamoDB does not
 * know the table, adds 1 to *unknown; raises an error above MAX_UNKNOWN_POLLS.
 */
static bool
is_active(DynConnection *connection, const char *table, int *unknown)
{
	DynRequestContext context = {DYN_OP_DESCRIBE_TABLE, table, NULL, connection};
	DynCall    *call = dyn_session_call();
	bool		active = false;

	dyn_write_describe_table(dyn_call_body(call), table);
	if (dyn_session_try(call, &connection->service, &context))
	{
		const char *reason;
		DynTableMeta *meta = dyn_metadata_parse(call->response.data,
												call->response.len, &reason);

		/* an invalid description is reported when the table is first used */
		active = meta == NULL || strcmp(meta->status, "ACTIVE") == 0;
		for (int i = 0; meta != NULL && i < meta->nindexes; i++)
			active &= meta->indexes[i].active;
		dyn_metadata_free(meta);
	}
	else if (++*unknown > MAX_UNKNOWN_POLLS ||
			 strcmp(call->code, "ResourceNotFoundException") != 0)
		dyn_session_fail(call, &context);
	dyn_call_destroy(call);
	return active;
}

Datum
dynamo_fdw_create_table(PG_FUNCTION_ARGS)
{
	DynTableMeta table = {0};
	DynRelation *relation;
	double		pause = FIRST_PAUSE_MS;
	int			unknown = 0;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("foreign_table and partition_key must not be NULL")));
	/* transactions of a hot standby are read-only, too */
	PreventCommandIfReadOnly("dynamo_fdw_create_table()");
	dyn_target_check(PG_GETARG_OID(0));
	relation = dyn_relation_open(PG_GETARG_OID(0), GetUserId());
	if (strncmp(relation->table, "arn:", 4) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot create a DynamoDB table by its ARN"),
				 errhint("Set the table option table_name of foreign table \"%s\" to a name.",
						 relation->name)));
	table.name = relation->table;
	table.key.nhash = 1;
	read_key_attr(relation, NameStr(*PG_GETARG_NAME(1)), &table.key.hash[0]);
	if (!PG_ARGISNULL(2))
	{
		table.key.nrange = 1;
		read_key_attr(relation, NameStr(*PG_GETARG_NAME(2)), &table.key.range[0]);
	}
	if (!PG_ARGISNULL(3))
		read_indexes(relation, &table, PG_GETARG_JSONB_P(3));
	check_types(&table);
	send_creation(relation->connection, &table);
	while (!is_active(relation->connection, relation->table, &unknown))
	{
		dyn_session_sleep(NULL, pause, DYN_WAITS_FOR_TABLE);
		pause = Min(2 * pause, LONGEST_PAUSE_MS);
	}
	if (dyn_session_cached_table(relation->connection, relation->table) != NULL)
		dyn_session_forget_table(relation->connection, relation->table);
	PG_RETURN_VOID();
}
