/*
 * write.c
 *		Writes the requests of the write operations, and reads their responses.
 *
 * Responses are read with the scanner of the page parser, because an item
 * could change if jansson parsed and wrote it.
 */
#include "write.h"

#include <stdio.h>
#include <string.h>

#include "../base/macros.h"
#include "../base/text.h"
#include "jsonscan.h"
#include "page_check.h"

/* ---- requests ---- */

void
dyn_write_write(DynBuffer *buf, const DynWriteRequest *req, bool member)
{
	const char *action = req->op == DYN_OP_PUT_ITEM ? "Put" :
		req->op == DYN_OP_UPDATE_ITEM ? "Update" : "Delete";

	if (!member)
		dyn_buffer_reset(buf);
	else if (buf->len > 0 && buf->data[buf->len - 1] == '}')
		dyn_buffer_append_char(buf, ',');
	if (member)
		dyn_buffer_printf(buf, "{\"%s\":", action);
	dyn_buffer_append_str(buf, "{\"TableName\":");
	dyn_append_json_text(buf, req->table);
	if (req->op == DYN_OP_PUT_ITEM)
	{
		dyn_append_json_member(buf, "Item");
		dyn_buffer_append(buf, req->item.data, req->item.len);
	}
	else
	{
		dyn_append_json_member(buf, "Key");
		dyn_wire_key(buf, req->key, req->nparts);
	}
	dyn_append_json_text_member(buf, "UpdateExpression", req->update);
	dyn_append_json_text_member(buf, "ConditionExpression", req->condition);
	dyn_append_json_text_member(buf, "ReturnValuesOnConditionCheckFailure",
								req->omits_item ? NULL : "ALL_OLD");
	dyn_tokens_write(req->tokens, buf);
	if (!member)
		dyn_append_json_text_member(buf, "ReturnConsumedCapacity", "TOTAL");
	if (!member && req->returning)
		dyn_append_json_text_member(buf, "ReturnValues",
									req->op == DYN_OP_UPDATE_ITEM ? "ALL_NEW" : "ALL_OLD");
	dyn_buffer_append_str(buf, member ? "}}" : "}");
}

void
dyn_write_begin_transaction(DynBuffer *buf)
{
	dyn_buffer_reset(buf);
	dyn_buffer_append_str(buf, "{\"TransactItems\":[");
}

void
dyn_write_end_transaction(DynBuffer *buf, const char *token)
{
	dyn_buffer_append_char(buf, ']');
	dyn_append_json_text_member(buf, "ClientRequestToken", token);
	dyn_append_json_text_member(buf, "ReturnConsumedCapacity", "TOTAL");
	dyn_buffer_append_char(buf, '}');
}

/* ---- responses ---- */

/* A response, or an error document, that is being read */
typedef struct Reply
{
	DynJson		scan;
	const char *table;			/* table of the request */
	bool		is_error;		/* true if __type marks an error document */
	bool		is_read;		/* true if any member is of a read response */
	const char *no_capacity;	/* error message; becomes NULL when the
								 * capacity of the table is found */
	double		units;
	DynScalar	item;			/* value (M) of Attributes or Item, or ABSENT */
	DynCancelReason *reasons;
	int			max_reasons;
	int			nreasons;
} Reply;

/* Reads null or an item, which the page parser will validate later. */
static const char *
read_item(Reply *reply, const char *p, DynScalar *item)
{
	const char *start = p;

	if (*p != '{' && *p != 'n')
		return dyn_scan_fail(&reply->scan, p, "an item was expected");
	p = dyn_scan_value(&reply->scan, p);
	if (p != NULL && *start == '{')
		*item = (DynScalar) {DYN_TYPE_M, start, p - start};
	return p;
}

static const char *
read_capacity_member(void *arg, const char *p, const DynJsonText *name)
{
	Reply	   *reply = arg;
	DynJsonText table;
	double		units;

	if (dyn_member_is(name, "CapacityUnits") && *p != 'n')
	{
		p = dyn_scan_double(&reply->scan, p, &units);
		/* analyzer: `units` is set if p is not NULL */
		if (p != NULL && units >= 0 && units <= DYN_PAGE_MOST_UNITS)
			reply->units += units;
		return p;
	}
	if (!dyn_member_is(name, "TableName"))
		return dyn_scan_value(&reply->scan, p);
	p = dyn_scan_text(&reply->scan, p, &table, "a string was expected");
	/* analyzer: `table` is set if p is not NULL */
	if (p != NULL && dyn_names_table(reply->table, table.text, table.len))
		reply->no_capacity = NULL;
	else if (reply->no_capacity != NULL)
		reply->no_capacity = "reports the capacity of another table";
	return p;
}

static const char *
read_capacity(void *arg, const char *p, const DynJsonText *name)
{
	Reply	   *reply = arg;

	return dyn_scan_object(&reply->scan, p, read_capacity_member, reply);
}

static const char *
read_reason_member(void *arg, const char *p, const DynJsonText *name)
{
	Reply	   *reply = arg;
	DynCancelReason *reason;
	DynJsonText text;
	bool		is_code;

	if (reply->nreasons > reply->max_reasons)
		return dyn_scan_value(&reply->scan, p);
	reason = &reply->reasons[reply->nreasons - 1];
	if (dyn_member_is(name, "Item"))
		return read_item(reply, p, &reason->item);
	is_code = dyn_member_is(name, "Code");
	if (!(is_code || dyn_member_is(name, "Message")) || *p == 'n')
		return dyn_scan_value(&reply->scan, p);
	p = dyn_scan_text(&reply->scan, p, &text, "a string was expected");
	/* analyzer: `text` is set if p is not NULL */
	if (p != NULL)
		snprintf(is_code ? reason->code : reason->message,
				 is_code ? sizeof(reason->code) : sizeof(reason->message), "%.*s",
				 (int) text.len, text.text);
	return p;
}

static const char *
read_reason(void *arg, const char *p, const DynJsonText *name)
{
	Reply	   *reply = arg;

	reply->nreasons++;
	return dyn_scan_object(&reply->scan, p, read_reason_member, reply);
}

/* Returns true if responses to writes never have this member. */
static bool
is_of_read(const DynJsonText *name)
{
	static const char *const names[] = {
		"Item", "Items", "Responses", "Count", "ScannedCount", "Table",
		"LastEvaluatedKey", "UnprocessedKeys", "UnprocessedItems"
	};

	for (size_t i = 0; i < LENGTHOF(names); i++)
	{
		if (dyn_member_is(name, names[i]))
			return true;
	}
	return false;
}

static const char *
read_member(void *arg, const char *p, const DynJsonText *name)
{
	Reply	   *reply = arg;

	reply->is_error |= dyn_member_is(name, "__type");
	reply->is_read |= is_of_read(name);
	if (dyn_member_is(name, "Attributes"))
		return read_item(reply, p, &reply->item);
	if (dyn_member_is(name, "ConsumedCapacity") && *p != 'n')
		return *p == '[' ? dyn_scan_array(&reply->scan, p, read_capacity, reply, "")
			: read_capacity(reply, p, name);
	return dyn_scan_value(&reply->scan, p);
}

static const char *
read_error_member(void *arg, const char *p, const DynJsonText *name)
{
	Reply	   *reply = arg;

	if (dyn_member_is(name, "Item"))
		return read_item(reply, p, &reply->item);
	if (!dyn_member_is(name, "CancellationReasons") || reply->reasons == NULL ||
		*p == 'n')
		return dyn_scan_value(&reply->scan, p);
	return *p == '[' ? dyn_scan_array(&reply->scan, p, read_reason, reply, "")
		: read_reason(reply, p, name);
}

/* Reads a document.  Returns NULL, or a description of the error. */
static const char *
read_reply(Reply *reply, const char *buf, size_t len, DynMemberReader read)
{
	DynJson    *scan = &reply->scan;
	DynDuplicateNames names;
	const char *p;

	dyn_duplicate_names_init(&names);
	*scan = (DynJson) {.buf = buf, .end = buf + len, .names = &names};
	p = dyn_scan_skip(scan, buf);
	if (p != NULL)
		p = dyn_scan_object(scan, p, read, reply);
	if (p != NULL)
		p = dyn_scan_end(scan, p);
	dyn_duplicate_names_free(&names);
	if (p != NULL)
		return NULL;
	return strcmp(scan->reason, "out of memory") == 0 ? dyn_check_memory :
		"is not a valid JSON object";
}

const char *
dyn_write_check(const char *buf, size_t len, const char *table, bool returning,
				DynWritten *written)
{
	Reply		reply = {
		.table = table,
		.no_capacity = "does not report the consumed capacity of the table"
	};
	const char *err = read_reply(&reply, buf, len, read_member);

	if (err != NULL)
		return err;
	if (reply.is_error)
		return "is an error document, but has a success status";
	if (reply.is_read || (reply.item.data != NULL && !returning))
		return "has members of another operation's response";
	if (reply.no_capacity != NULL)
		return reply.no_capacity;
	if (reply.item.data == NULL && returning)
		return "lacks the member Attributes";
	*written = (DynWritten) {reply.units, reply.item};
	return NULL;
}

DynScalar
dyn_write_failed_item(const char *buf, size_t len)
{
	Reply		reply = {0};

	return read_reply(&reply, buf, len, read_error_member) == NULL ? reply.item
		: (DynScalar) {0};
}

const char *
dyn_write_cancel_reasons(const char *buf, size_t len, DynCancelReason *reasons,
						 int n)
{
	Reply		reply = {.reasons = reasons, .max_reasons = n};
	const char *err;

	for (int i = 0; i < n; i++)
		reasons[i] = (DynCancelReason) {.code = "None"};
	err = read_reply(&reply, buf, len, read_error_member);
	if (err == NULL && reply.nreasons != n)
		err = "does not give a reason for each write of the transaction";
	return err;
}
