/*
 * wire.c
 *		Writes values and keys as JSON, compares and prints them.
 *
 * Numbers are in canonical form (base/number.h), so equal numbers have equal
 * bytes, and numbers need no escapes.  Sets, lists and maps already are JSON.
 */
#include <string.h>

#include "../base/jsonload.h"
#include "../base/number.h"
#include "../base/text.h"
#include "wire.h"

#define PRINT_CHARS	64			/* maximum number of characters per value */

void
dyn_wire_payload(DynBuffer *buf, const DynScalar *value)
{
	switch (value->type)
	{
		case DYN_TYPE_S:
		case DYN_TYPE_N:
			dyn_append_json_string(buf, value->data, value->len);
			break;
		case DYN_TYPE_B:
			dyn_buffer_append_char(buf, '"');
			dyn_append_base64(buf, value->data, value->len);
			dyn_buffer_append_char(buf, '"');
			break;
		case DYN_TYPE_BOOL:
			dyn_buffer_append_str(buf, value->len ? "true" : "false");
			break;
		case DYN_TYPE_NULL:		/* payload is always true */
			dyn_buffer_append_str(buf, "true");
			break;
		default:
			dyn_buffer_append(buf, value->data, value->len);
			break;
	}
}

bool
dyn_wire_scalar(DynBuffer *buf, const DynScalar *value)
{
	dyn_buffer_append(buf, "{\"", 2);
	dyn_buffer_append_str(buf, dyn_type_name(value->type));
	dyn_buffer_append(buf, "\":", 2);
	dyn_wire_payload(buf, value);
	return dyn_buffer_append_char(buf, '}');
}

bool
dyn_wire_key(DynBuffer *buf, const DynKeyPart *parts, int nparts)
{
	dyn_buffer_append_char(buf, '{');
	for (int i = 0; i < nparts; i++)
	{
		if (i > 0)
			dyn_buffer_append_char(buf, ',');
		dyn_append_json_text(buf, parts[i].name);
		dyn_buffer_append_char(buf, ':');
		dyn_wire_scalar(buf, &parts[i].value);
	}
	return dyn_buffer_append_char(buf, '}');
}

/* Compares bytes like strcmp(); the pointer of an empty string may be NULL. */
static int
compare_bytes(const DynScalar *a, const DynScalar *b)
{
	size_t		len = a->len < b->len ? a->len : b->len;
	int			cmp = 0;

	if (len > 0 && a->data != NULL && b->data != NULL)
		cmp = memcmp(a->data, b->data, len);
	if (cmp == 0)
		cmp = (a->len > b->len) - (a->len < b->len);
	return cmp;
}

bool
dyn_wire_key_names(const char *json, size_t len, const char *const *names,
				   int n, bool *out_of_memory)
{
	json_t	   *key = dyn_json_load(json, len, JSON_ALLOW_NUL, out_of_memory);
	bool		same = json_is_object(key) && json_object_size(key) == (size_t) n;

	for (int i = 0; same && i < n; i++)
		same = json_object_get(key, names[i]) != NULL;
	json_decref(key);
	return same;
}

bool
dyn_scalar_read(const DynValue *value, DynBuffer *scratch, DynScalar *scalar)
{
	char	   *memory;
	long		nbytes;

	*scalar = (DynScalar) {value->type, value->data, value->len};
	if (value->type == DYN_TYPE_BOOL || value->type == DYN_TYPE_NULL)
	{
		scalar->data = NULL;
		scalar->len = (value->flags & DYN_VALUE_TRUE) != 0;
		return true;
	}
	if (value->type == DYN_TYPE_S && !(value->flags & DYN_VALUE_ESCAPED))
		return true;
	if (value->type == DYN_TYPE_ABSENT || value->type > DYN_TYPE_B ||
		!dyn_buffer_reserve(scratch, value->len + DYN_NUMBER_BUFSIZE))
		return false;
	scalar->data = memory = scratch->data + scratch->len;
	if (value->type == DYN_TYPE_S)
		scalar->len = dyn_value_text(value, memory);
	else if (value->type == DYN_TYPE_B)
	{
		nbytes = dyn_value_bytes(value, (unsigned char *) memory);
		if (nbytes < 0)
			return false;
		scalar->len = (size_t) nbytes;
	}
	else if (dyn_number_canonical(value->data, value->len, memory,
								  &scalar->len) != DYN_NUMBER_OK)
		return false;
	scratch->len += scalar->len;
	return true;
}

bool
dyn_scalar_equal(const DynScalar *a, const DynScalar *b)
{
	return a->type == b->type && compare_bytes(a, b) == 0;
}

int
dyn_scalar_compare(const DynScalar *a, const DynScalar *b)
{
	if (a->type == DYN_TYPE_N)
		return dyn_number_compare(a->data, a->len, b->data, b->len);
	return compare_bytes(a, b);
}

int
dyn_scalar_order(const void *a, const void *b)
{
	return dyn_scalar_compare(a, b);
}

static size_t
printed_bytes(const DynScalar *value)
{
	size_t		chars = 0;
	size_t		shown;

	if (value->type == DYN_TYPE_B)
		return value->len > PRINT_CHARS / 2 ? PRINT_CHARS / 2 : value->len;
	for (shown = 0; shown < value->len; shown++)
	{
		if (!dyn_utf8_continues(value->data[shown]) && chars++ == PRINT_CHARS)
			break;
	}
	return shown;
}

bool
dyn_scalar_print(DynBuffer *buf, const DynScalar *value)
{
	size_t		shown;

	if (value->type == DYN_TYPE_NULL)
		return dyn_buffer_append_str(buf, "null");
	if (value->type == DYN_TYPE_BOOL)
		return dyn_buffer_append_str(buf, value->len ? "true" : "false");
	shown = printed_bytes(value);
	if (value->type == DYN_TYPE_S)
		dyn_append_json_string(buf, value->data, shown);
	else if (value->type == DYN_TYPE_B)
	{
		dyn_buffer_append(buf, "x'", 2);
		for (size_t i = 0; i < shown; i++)
			dyn_buffer_printf(buf, "%02x", (unsigned char) value->data[i]);
		dyn_buffer_append_char(buf, '\'');
	}
	else
		dyn_buffer_append(buf, value->data, shown);
	if (shown < value->len)
		dyn_buffer_append_str(buf, "...");
	return !buf->failed;
}
