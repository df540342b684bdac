/*
 * item_equal.c
 *		Compares items as jansson trees.  This is only needed if a response
 *		leaves open whether a write has succeeded, which is rare.
 */
#include "item_equal.h"

#include <jansson.h>
#include <string.h>

#include "../base/number.h"

DynItemTree *
dyn_item_tree_parse(const char *json, size_t len)
{
	json_t	   *item = json_loadb(json, len, JSON_ALLOW_NUL, NULL);

	if (json_is_object(item))
		return (DynItemTree *) item;
	json_decref(item);
	return NULL;
}

void
dyn_item_tree_free(DynItemTree *item)
{
	json_decref((json_t *) item);
}

/* ---- equality ---- */

static bool values_equal(json_t *a, json_t *b);

static bool
numbers_equal(json_t *a, json_t *b)
{
	char		canonical[2][DYN_NUMBER_BUFSIZE];
	size_t		len[2];

	return json_is_string(a) && json_is_string(b) &&
		dyn_number_canonical(json_string_value(a), json_string_length(a),
							 canonical[0], &len[0]) == DYN_NUMBER_OK &&
		dyn_number_canonical(json_string_value(b), json_string_length(b),
							 canonical[1], &len[1]) == DYN_NUMBER_OK &&
		len[0] == len[1] && memcmp(canonical[0], canonical[1], len[0]) == 0;
}

/*
 * True if each element of one set is in the other, and their sizes are equal:
 * the elements of a set are distinct.
 */
static bool
sets_equal(json_t *a, json_t *b, bool numbers)
{
	size_t		i,
				j;

	if (json_array_size(a) != json_array_size(b))
		return false;
	for (i = 0; i < json_array_size(a); i++)
	{
		for (j = 0; j < json_array_size(b); j++)
			if (numbers ? numbers_equal(json_array_get(a, i), json_array_get(b, j))
				: json_equal(json_array_get(a, i), json_array_get(b, j)))
				break;
		if (j == json_array_size(b))
			return false;
	}
	return true;
}

static bool
lists_equal(json_t *a, json_t *b)
{
	if (json_array_size(a) != json_array_size(b))
		return false;
	for (size_t i = 0; i < json_array_size(a); i++)
		if (!values_equal(json_array_get(a, i), json_array_get(b, i)))
			return false;
	return true;
}

static bool
maps_equal(json_t *a, json_t *b)
{
	const char *name;
	json_t	   *value;

	if (json_object_size(a) != json_object_size(b))
		return false;
	json_object_foreach(a, name, value)
		if (!values_equal(value, json_object_get(b, name)))
			return false;
	return true;
}

/* Compares two attribute values, {"S":"x"}. */
static bool
values_equal(json_t *a, json_t *b)
{
	const char *type = json_object_iter_key(json_object_iter(a));
	json_t	   *left,
			   *right;

	if (type == NULL || json_object_size(a) != 1 || json_object_size(b) != 1)
		return false;
	left = json_object_get(a, type);
	right = json_object_get(b, type);
	if (right == NULL || json_typeof(left) != json_typeof(right))
		return false;
	if (strcmp(type, "N") == 0)
		return numbers_equal(left, right);
	if (strcmp(type, "M") == 0)
		return maps_equal(left, right);
	if (strcmp(type, "L") == 0)
		return lists_equal(left, right);
	return json_is_array(left) ? sets_equal(left, right, strcmp(type, "NS") == 0)
		: json_equal(left, right);
}

bool
dyn_item_tree_equal(const DynItemTree *a, const DynItemTree *b)
{
	return maps_equal((json_t *) a, (json_t *) b);
}

/* ---- paths ---- */

/* Returns the attribute value at the first steps of a path, or NULL. */
static json_t *
find(const DynItemTree *item, const DynPath *path, int nsteps)
{
	json_t	   *members = (json_t *) item;
	json_t	   *value = NULL;

	for (int i = 0; i < nsteps; i++)
	{
		const DynStep *step = &path->steps[i];

		if (i > 0)
			members = json_object_get(value, step->name ? "M" : "L");
		value = step->name ? json_object_getn(members, step->name, step->name_len)
			: json_array_get(members, step->index);
		if (value == NULL)
			return NULL;
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

static int
append(const char *bytes, size_t len, void *memory)
{
	return dyn_buffer_append(memory, bytes, len) ? 0 : -1;
}

/* Reads the payload of a value that is not a string. */
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
	if (json_dump_callback(value, append, memory, JSON_COMPACT) != 0)
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

/* True if the item has the scalar at the path. */
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
