/*
 * item_equal.c
 *		Compares items as jansson trees.  The comparison is only needed if a
 *		response leaves open whether a write has succeeded, which is rare.
 */
#include "item_equal.h"

#include <string.h>

#include "../base/jsonload.h"
#include "../base/number.h"

/* The tree is an attribute value, {"M":{...}}. */
DynItemTree *
dyn_item_tree_parse(const char *json, size_t len)
{
	json_t	   *item = json_loadb(json, len, JSON_ALLOW_NUL, NULL);

	if (json_is_object(item))
		return (DynItemTree *) json_pack("{s:o}", "M", item);
	json_decref(item);
	return NULL;
}

void
dyn_item_tree_free(DynItemTree *item)
{
	json_decref((json_t *) item);
}

/* ---- equality ---- */

static bool
normalize_number(json_t *number)
{
	char		buf[DYN_NUMBER_BUFSIZE];
	size_t		len;

	return dyn_number_canonical(json_string_value(number),
								json_string_length(number), buf, &len) != DYN_NUMBER_OK ||
		json_string_setn(number, buf, len) == 0;
}

/*
 * Changes an attribute value, such as {"N":"1.0"}, so that equal values are
 * equal as JSON: numbers become canonical, and a set becomes an object with
 * its elements as names.  Returns false if memory runs out.
 */
static bool
normalize(json_t *value)
{
	const char *type = json_object_iter_key(json_object_iter(value));
	json_t	   *payload = type ? json_object_get(value, type) : NULL;
	json_t	   *set;
	json_t	   *member;
	const char *name;
	size_t		i;
	bool		ok = true;

	if (json_is_string(payload))
		return strcmp(type, "N") != 0 || normalize_number(payload);
	json_object_foreach(payload, name, member)
		ok = ok && normalize(member);
	if (!json_is_array(payload))
		return ok;
	if (strcmp(type, "L") == 0)
	{
		json_array_foreach(payload, i, member)
			ok = ok && normalize(member);
		return ok;
	}
	set = json_pack("{}");
	json_array_foreach(payload, i, member)
		ok = ok && (strcmp(type, "NS") != 0 || normalize_number(member)) &&
		json_object_setn_new(set, json_string_value(member),
							 json_string_length(member), json_null()) == 0;
	return json_object_set_new(value, type, set) == 0 && ok;
}

/*
 * Returns true if two attribute values are equal; false also if memory runs
 * out.
 */
static bool
values_equal(const json_t *a, const json_t *b)
{
	json_t	   *left = json_deep_copy(a);
	json_t	   *right = json_deep_copy(b);
	bool		equal = normalize(left) && normalize(right) && json_equal(left, right);

	json_decref(left);
	json_decref(right);
	return equal;
}

bool
dyn_item_tree_equal(const DynItemTree *a, const DynItemTree *b)
{
	return values_equal((const json_t *) a, (const json_t *) b);
}

/* ---- paths ---- */

/*
 * Returns the attribute value at the first `nsteps` steps of a path, or NULL.
 */
static json_t *
find(const DynItemTree *item, const DynPath *path, int nsteps)
{
	json_t	   *value = (json_t *) item;

	for (int i = 0; i < nsteps && value != NULL; i++)
	{
		const DynStep *step = &path->steps[i];

		value = step->name
			? json_object_getn(json_object_get(value, "M"), step->name, step->name_len)
			: json_array_get(json_object_get(value, "L"), step->index);
	}
	return value;
}

DynType
dyn_item_tree_type(const DynItemTree *item, const DynPath *path, int nsteps)
{
	json_t	   *value = find(item, path, nsteps);
	const char *type = value ? json_object_iter_key(json_object_iter(value)) : NULL;

	return type ? dyn_type_of_name(type, strlen(type)) : DYN_TYPE_ABSENT;
}

/*
 * Reads a payload that is not a JSON string; appends a list, map or set to
 * `memory`.
 */
static bool
read_tree(json_t *value, DynScalar *out, DynBuffer *memory)
{
	size_t		start = memory->len;

	if (json_is_boolean(value))
	{
		out->data = NULL;
		out->len = out->type == DYN_TYPE_BOOL && json_is_true(value);
		return true;
	}
	if (!dyn_json_dump(value, memory))
		return false;
	out->data = memory->data + start;
	out->len = memory->len - start;
	return true;
}

static bool
read_binary(DynScalar *out, DynBuffer *memory)
{
	DynValue	value = {out->data, (uint32_t) out->len, DYN_TYPE_B, 0};
	size_t		most = dyn_value_bytes_max(&value);
	long		len;

	if (!dyn_buffer_reserve(memory, most + 1))
		return false;
	len = dyn_value_bytes(&value, (unsigned char *) memory->data + memory->len);
	if (len < 0)
		return false;
	out->data = memory->data + memory->len;
	out->len = (size_t) len;
	memory->len += (size_t) len;
	return true;
}

bool
dyn_item_tree_scalar(const DynItemTree *item, const DynPath *path,
					 DynScalar *out, DynBuffer *memory)
{
	json_t	   *value = find(item, path, path->nsteps);
	const char *type = value ? json_object_iter_key(json_object_iter(value)) : NULL;

	memset(out, 0, sizeof(*out));
	out->type = type ? dyn_type_of_name(type, strlen(type)) : DYN_TYPE_ABSENT;
	if (out->type == DYN_TYPE_ABSENT)
		return true;
	value = json_object_get(value, type);
	if (!json_is_string(value))
		return read_tree(value, out, memory);
	out->data = json_string_value(value);
	out->len = json_string_length(value);
	return out->type != DYN_TYPE_B || read_binary(out, memory);
}

/*
 * Returns true if the item has the wanted value at its path, or has no value
 * there if the wanted value is ABSENT.
 */
static bool
has_value(const DynItemTree *item, const DynPathValue *wanted)
{
	json_t	   *value = find(item, wanted->path, wanted->path->nsteps);
	json_t	   *other;
	DynBuffer	text;
	bool		equal;

	if (value == NULL || wanted->value.type == DYN_TYPE_ABSENT)
		return (value == NULL) == (wanted->value.type == DYN_TYPE_ABSENT);
	dyn_buffer_init(&text, 0);
	dyn_wire_scalar(&text, &wanted->value);
	other = text.failed ? NULL : json_loadb(text.data, text.len, JSON_ALLOW_NUL, NULL);
	equal = other != NULL && values_equal(value, other);
	json_decref(other);
	dyn_buffer_free(&text);
	return equal;
}

bool
dyn_item_tree_has(const DynItemTree *item, const DynPathValue *values, int n)
{
	for (int i = 0; i < n; i++)
		if (!has_value(item, &values[i]))
			return false;
	return true;
}
