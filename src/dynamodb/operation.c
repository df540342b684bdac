/*
 * operation.c
 *		Writes the requests of operations, and reads ListTables responses.
 *
 * Every member except the first is written with a comma before it, so members
 * can be omitted.  Their order is fixed, so equal requests have equal bytes.
 */
#include <assert.h>
#include <string.h>

#include "../base/jsonload.h"
#include "../base/text.h"
#include "operation.h"
#include "page_check.h"

static const char *const operation_names[] = {
	[DYN_OP_GET_ITEM] = "GetItem",
	[DYN_OP_BATCH_GET_ITEM] = "BatchGetItem",
	[DYN_OP_QUERY] = "Query",
	[DYN_OP_SCAN] = "Scan",
	[DYN_OP_DESCRIBE_TABLE] = "DescribeTable",
	[DYN_OP_LIST_TABLES] = "ListTables",
	[DYN_OP_PUT_ITEM] = "PutItem",
	[DYN_OP_UPDATE_ITEM] = "UpdateItem",
	[DYN_OP_DELETE_ITEM] = "DeleteItem",
	[DYN_OP_TRANSACT_WRITE_ITEMS] = "TransactWriteItems",
	[DYN_OP_CREATE_TABLE] = "CreateTable",
};

const char *
dyn_operation_name(DynOperation op)
{
	return operation_names[op];
}

static void
begin_document(DynBuffer *buf, const char *table)
{
	dyn_buffer_reset(buf);
	dyn_buffer_append_str(buf, "{\"TableName\":");
	dyn_append_json_text(buf, table);
}

static void
common_members(DynBuffer *buf, const DynReadRequest *req)
{
	if (req->consistent)
		dyn_buffer_append_str(buf, ",\"ConsistentRead\":true");
	if (req->count_only)
		dyn_append_json_text_member(buf, "Select", "COUNT");
	else if (req->all_attributes)
		dyn_append_json_text_member(buf, "Select", "ALL_ATTRIBUTES");
	else
		dyn_append_json_text_member(buf, "ProjectionExpression", req->projection);
	if (req->tokens != NULL)
		dyn_tokens_write(req->tokens, buf);
}

/* Writes {"RequestItems":{"table":{"Keys":[...],...}}; the caller adds "}". */
static void
write_request_items(DynBuffer *buf, const DynReadRequest *req)
{
	int			n = req->picked ? req->npicked : req->nkeys;

	dyn_buffer_reset(buf);
	dyn_buffer_append_str(buf, "{\"RequestItems\":{");
	dyn_append_json_text(buf, req->table);
	dyn_buffer_append_str(buf, ":{\"Keys\":[");
	for (int i = 0; i < n; i++)
	{
		int			key = req->picked ? req->picked[i] : i;

		if (i > 0)
			dyn_buffer_append_char(buf, ',');
		dyn_wire_key(buf, req->keys + (size_t) key * req->nparts, req->nparts);
	}
	dyn_buffer_append_char(buf, ']');
	common_members(buf, req);
	dyn_buffer_append_str(buf, "}}");
}

static void
write_pages(DynBuffer *buf, const DynReadRequest *req)
{
	bool		is_query = req->op == DYN_OP_QUERY;

	begin_document(buf, req->table);
	dyn_append_json_text_member(buf, "IndexName", req->index);
	if (is_query)
		dyn_append_json_text_member(buf, "KeyConditionExpression", req->key_condition);
	dyn_append_json_text_member(buf, "FilterExpression", req->filter);
	common_members(buf, req);
	if (is_query && req->backward)
		dyn_buffer_append_str(buf, ",\"ScanIndexForward\":false");
	if (!is_query && req->total_segments > 1)
		dyn_buffer_printf(buf, ",\"Segment\":%d,\"TotalSegments\":%d",
						  req->segment, req->total_segments);
	if (req->limit > 0)
		dyn_buffer_printf(buf, ",\"Limit\":%ld", req->limit);
	if (req->start_key != NULL && req->start_key_len > 0)
	{
		dyn_append_json_member(buf, "ExclusiveStartKey");
		dyn_buffer_append(buf, req->start_key, req->start_key_len);
	}
}

void
dyn_write_read(DynBuffer *buf, const DynReadRequest *req)
{
	switch (req->op)
	{
		case DYN_OP_GET_ITEM:
			begin_document(buf, req->table);
			dyn_buffer_append_str(buf, ",\"Key\":");
			dyn_wire_key(buf, req->keys, req->nparts);
			common_members(buf, req);
			break;
		case DYN_OP_BATCH_GET_ITEM:
			write_request_items(buf, req);
			break;
		default:
			assert(req->op == DYN_OP_QUERY || req->op == DYN_OP_SCAN);
			write_pages(buf, req);
			break;
	}
	if (req->report_units)
		dyn_append_json_text_member(buf, "ReturnConsumedCapacity", "TOTAL");
	dyn_buffer_append_char(buf, '}');
}

void
dyn_write_describe_table(DynBuffer *buf, const char *table)
{
	begin_document(buf, table);
	dyn_buffer_append_char(buf, '}');
}

/* ---- CreateTable ---- */

/* Writes {"AttributeName":name,member:value}, after a comma unless `first`. */
static void
put_attribute(DynBuffer *buf, bool first, const char *name, const char *member,
			  const char *value)
{
	dyn_buffer_append_str(buf, first ? "{\"AttributeName\":" :
						  ",{\"AttributeName\":");
	dyn_append_json_text(buf, name);
	dyn_append_json_text_member(buf, member, value);
	dyn_buffer_append_char(buf, '}');
}

static void
put_key(DynBuffer *buf, const DynKeySchema *key)
{
	dyn_buffer_append_str(buf, "\"KeySchema\":[");
	for (int i = 0; i < key->nhash + key->nrange; i++)
		put_attribute(buf, i == 0, dyn_key_attr(key, i)->name, "KeyType",
					  i < key->nhash ? "HASH" : "RANGE");
	dyn_buffer_append_char(buf, ']');
}

/* Writes AttributeDefinitions, with each key attribute once. */
static void
put_definitions(DynBuffer *buf, const DynTableMeta *table)
{
	bool		first = true;
	int			j;

	dyn_buffer_append_str(buf, ",\"AttributeDefinitions\":[");
	for (int n = 0; n <= table->nindexes; n++)
	{
		const DynKeySchema *key = dyn_key_number(table, n);

		for (int i = 0; i < key->nhash + key->nrange; i++)
		{
			const DynKeyAttr *attr = dyn_key_attr(key, i);

			for (j = 0; j < n && !dyn_is_in_key(dyn_key_number(table, j), attr->name);)
				j++;
			if (j < n)
				continue;
			put_attribute(buf, first, attr->name, "AttributeType",
						  dyn_type_name(attr->type));
			first = false;
		}
	}
	dyn_buffer_append_char(buf, ']');
}

static void
put_indexes(DynBuffer *buf, const DynTableMeta *table, bool global,
			const char *member)
{
	static const char *const words[] = {
		[DYN_PROJECT_ALL] = "ALL",
		[DYN_PROJECT_KEYS_ONLY] = "KEYS_ONLY",
		[DYN_PROJECT_INCLUDE] = "INCLUDE"
	};
	bool		first = true;

	for (int i = 0; i < table->nindexes; i++)
	{
		const DynIndexMeta *index = &table->indexes[i];

		if (index->global != global)
			continue;
		if (first)
			dyn_buffer_printf(buf, ",\"%s\":[", member);
		dyn_buffer_append_str(buf, first ? "{\"IndexName\":" : ",{\"IndexName\":");
		dyn_append_json_text(buf, index->name);
		dyn_buffer_append_char(buf, ',');
		put_key(buf, &index->key);
		dyn_buffer_printf(buf, ",\"Projection\":{\"ProjectionType\":\"%s\"",
						  words[index->projection]);
		for (int j = 0; j < index->nincluded; j++)
		{
			dyn_buffer_append_str(buf, j == 0 ? ",\"NonKeyAttributes\":[" : ",");
			dyn_append_json_text(buf, index->included[j]);
		}
		dyn_buffer_append_str(buf, index->nincluded > 0 ? "]}}" : "}}");
		first = false;
	}
	if (!first)
		dyn_buffer_append_char(buf, ']');
}

void
dyn_write_create_table(DynBuffer *buf, const DynTableMeta *table)
{
	begin_document(buf, table->name);
	dyn_buffer_append_str(buf, ",\"BillingMode\":\"PAY_PER_REQUEST\",");
	put_key(buf, &table->key);
	put_definitions(buf, table);
	put_indexes(buf, table, false, "LocalSecondaryIndexes");
	put_indexes(buf, table, true, "GlobalSecondaryIndexes");
	dyn_buffer_append_char(buf, '}');
}

/* ---- ListTables ---- */

void
dyn_write_list_tables(DynBuffer *buf, const char *start_name)
{
	dyn_buffer_reset(buf);
	dyn_buffer_append_char(buf, '{');
	if (start_name != NULL && start_name[0] != '\0')
	{
		dyn_buffer_append_str(buf, "\"ExclusiveStartTableName\":");
		dyn_append_json_text(buf, start_name);
	}
	dyn_buffer_append_char(buf, '}');
}

const char *
dyn_read_list_tables(const char *buf, size_t len, DynBuffer *names, char **last)
{
	bool		out_of_memory;
	json_t	   *root = dyn_json_load(buf, len, 0, &out_of_memory);
	const json_t *array = json_object_get(root, "TableNames");
	const json_t *next = json_object_get(root, "LastEvaluatedTableName");
	const char *err = NULL;
	size_t		valid = 0;

	dyn_buffer_reset(names);
	*last = NULL;
	while (json_is_string(json_array_get(array, valid)))
		valid++;
	if (out_of_memory)
		err = dyn_check_memory;
	else if (!json_is_object(root))
		err = "is not a JSON object";
	else if (json_object_get(root, "__type") != NULL)
		err = "is an error document, but has a success status";
	else if (!json_is_array(array) || valid < json_array_size(array))
		err = "lacks the list TableNames";
	else if (next != NULL && !json_is_null(next) && !json_is_string(next))
		err = "has a LastEvaluatedTableName that is not a name";
	else if (json_string_length(next) > 0 &&
			 (*last = strdup(json_string_value(next))) == NULL)
		err = dyn_check_memory;
	for (size_t i = 0; err == NULL && i < valid; i++)
	{
		const char *name = json_string_value(json_array_get(array, i));

		if (!dyn_buffer_append(names, name, strlen(name) + 1))
			err = dyn_check_memory;
	}
	json_decref(root);
	return err;
}
