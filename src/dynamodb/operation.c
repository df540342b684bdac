/*
 * operation.c
 *		The request documents of GetItem, BatchGetItem, Query, Scan,
 *		DescribeTable and ListTables, and the response of ListTables.
 *
 * Documents are written member by member; every member except the first writes
 * the comma before it, so that members can be omitted.  The order is fixed,
 * TableName first, so that equal requests have equal bytes.
 *
 * Parts that are JSON already (tokens of expressions, LastEvaluatedKey) are
 * copied unchanged.
 */
#include <stdlib.h>
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
};

const char *
dyn_operation_name(DynOperation op)
{
	return operation_names[op];
}

static void
put_string(DynBuffer *buf, const char *s)
{
	dyn_append_json_string(buf, s, strlen(s));
}

/* ,"name":"text", or nothing if there is no text */
static void
member_text(DynBuffer *buf, const char *name, const char *text)
{
	if (text == NULL || text[0] == '\0')
		return;
	dyn_append_json_member(buf, name);
	put_string(buf, text);
}

static void
member_number(DynBuffer *buf, const char *name, long number)
{
	dyn_append_json_member(buf, name);
	dyn_append_number(buf, (unsigned long) number);
}

/* ,"name":json */
static void
member_raw(DynBuffer *buf, const char *name, const char *json, size_t len)
{
	if (json == NULL || len == 0)
		return;
	dyn_append_json_member(buf, name);
	dyn_buffer_append(buf, json, len);
}

static void
begin_document(DynBuffer *buf, const char *table)
{
	dyn_buffer_reset(buf);
	dyn_buffer_append_str(buf, "{\"TableName\":");
	put_string(buf, table);
}

static void
end_document(DynBuffer *buf, const DynReadRequest *req)
{
	if (req->report_units)
		member_text(buf, "ReturnConsumedCapacity", "TOTAL");
	dyn_buffer_append_char(buf, '}');
}

/* Members common to all four operations, ending with the tokens. */
static void
common_members(DynBuffer *buf, const DynReadRequest *req)
{
	if (req->consistent)
		dyn_buffer_append_str(buf, ",\"ConsistentRead\":true");
	if (req->count_only)
		member_text(buf, "Select", "COUNT");
	else if (req->all_attributes)
		member_text(buf, "Select", "ALL_ATTRIBUTES");
	else
		member_text(buf, "ProjectionExpression", req->projection);
	if (req->tokens != NULL)
		dyn_tokens_write(req->tokens, buf);
}

static void
write_get_item(DynBuffer *buf, const DynReadRequest *req)
{
	begin_document(buf, req->table);
	dyn_buffer_append_str(buf, ",\"Key\":");
	dyn_wire_key(buf, req->keys, req->nparts);
	common_members(buf, req);
	end_document(buf, req);
}

/* {"table":{"Keys":[...],...}} */
static void
put_request_items(DynBuffer *buf, const DynReadRequest *req)
{
	int			n = req->picked ? req->npicked : req->nkeys;
	int			i;

	dyn_buffer_append_char(buf, '{');
	put_string(buf, req->table);
	dyn_buffer_append_str(buf, ":{\"Keys\":[");
	for (i = 0; i < n; i++)
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
write_batch_get_item(DynBuffer *buf, const DynReadRequest *req)
{
	dyn_buffer_reset(buf);
	dyn_buffer_append_str(buf, "{\"RequestItems\":");
	put_request_items(buf, req);
	end_document(buf, req);
}

static void
write_query(DynBuffer *buf, const DynReadRequest *req)
{
	begin_document(buf, req->table);
	member_text(buf, "IndexName", req->index);
	member_text(buf, "KeyConditionExpression", req->key_condition);
	member_text(buf, "FilterExpression", req->filter);
	common_members(buf, req);
	if (req->backward)
		dyn_buffer_append_str(buf, ",\"ScanIndexForward\":false");
	if (req->limit > 0)
		member_number(buf, "Limit", req->limit);
	member_raw(buf, "ExclusiveStartKey", req->start_key, req->start_key_len);
	end_document(buf, req);
}

static void
write_scan(DynBuffer *buf, const DynReadRequest *req)
{
	begin_document(buf, req->table);
	member_text(buf, "IndexName", req->index);
	member_text(buf, "FilterExpression", req->filter);
	common_members(buf, req);
	if (req->total_segments > 1)
	{
		member_number(buf, "Segment", req->segment);
		member_number(buf, "TotalSegments", req->total_segments);
	}
	if (req->limit > 0)
		member_number(buf, "Limit", req->limit);
	member_raw(buf, "ExclusiveStartKey", req->start_key, req->start_key_len);
	end_document(buf, req);
}

void
dyn_write_read(DynBuffer *buf, const DynReadRequest *req)
{
	switch (req->op)
	{
		case DYN_OP_GET_ITEM:
			write_get_item(buf, req);
			break;
		case DYN_OP_BATCH_GET_ITEM:
			write_batch_get_item(buf, req);
			break;
		case DYN_OP_QUERY:
			write_query(buf, req);
			break;
		case DYN_OP_SCAN:
			write_scan(buf, req);
			break;
		default:				/* does not read items */
			dyn_buffer_reset(buf);
			buf->failed = true;
			break;
	}
}

void
dyn_write_describe_table(DynBuffer *buf, const char *table)
{
	begin_document(buf, table);
	dyn_buffer_append_char(buf, '}');
}

void
dyn_write_list_tables(DynBuffer *buf, const char *start_name)
{
	dyn_buffer_reset(buf);
	dyn_buffer_append_char(buf, '{');
	if (start_name != NULL && start_name[0] != '\0')
	{
		dyn_buffer_append_str(buf, "\"ExclusiveStartTableName\":");
		put_string(buf, start_name);
	}
	dyn_buffer_append_char(buf, '}');
}

static bool
all_strings(const json_t *array)
{
	size_t		i;

	for (i = 0; i < json_array_size(array); i++)
	{
		if (!json_is_string(json_array_get(array, i)))
			return false;
	}
	return json_is_array(array);
}

/* The name where the next page starts; *last is NULL if there is none. */
static const char *
read_last_name(const json_t *root, char **last)
{
	const json_t *value = json_object_get(root, "LastEvaluatedTableName");

	if (value == NULL || json_is_null(value))
		return NULL;
	if (!json_is_string(value))
		return "has a LastEvaluatedTableName that is not a name";
	if (json_string_length(value) == 0)
		return NULL;
	*last = strdup(json_string_value(value));
	return *last ? NULL : dyn_check_memory;
}

/* Validates all names before the first is passed to the callback. */
static const char *
read_list_tables(const json_t *root,
				 void (*each) (void *arg, const char *name), void *arg,
				 char **last)
{
	const json_t *names = json_object_get(root, "TableNames");
	const char *fault;
	size_t		i;

	if (!json_is_object(root))
		return "is not a JSON object";
	if (json_object_get(root, "__type") != NULL)
		return "is an error document, but has a success status";
	if (!all_strings(names))
		return "lacks the list TableNames";
	fault = read_last_name(root, last);
	if (fault != NULL)
		return fault;
	for (i = 0; i < json_array_size(names); i++)
		each(arg, json_string_value(json_array_get(names, i)));
	return NULL;
}

const char *
dyn_read_list_tables(const char *buf, size_t len,
					 void (*each) (void *arg, const char *name), void *arg,
					 char **last)
{
	bool		out_of_memory;
	json_t	   *root = dyn_json_load(buf, len, 0, &out_of_memory);
	const char *fault;

	*last = NULL;
	fault = out_of_memory ? dyn_check_memory :
		read_list_tables(root, each, arg, last);
	json_decref(root);
	return fault;
}
