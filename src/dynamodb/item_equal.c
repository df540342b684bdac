/*
 * item_equal.c
 *		Compares values as jansson trees.  The comparison is only needed if a
 *		response leaves open whether a write has succeeded, which is rare, so
 *		it need not be fast.
 */
#include "item_equal.h"

#include <string.h>

#include "../base/jsonload.h"
#include "../base/number.h"

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

bool
dyn_scalar_same(const DynScalar *a, const DynScalar *b)
{
	json_t	   *left;
	json_t	   *right;
	bool		equal;

	if (a->type == DYN_TYPE_ABSENT || b->type == DYN_TYPE_ABSENT)
		return a->type == b->type;
	left = dyn_scalar_tree(a);
	right = dyn_scalar_tree(b);
	equal = left != NULL && right != NULL && normalize(left) && normalize(right) &&
		json_equal(left, right);
	json_decref(left);
	json_decref(right);
	return equal;
}

bool
dyn_item_value(const DynScalar *item, const DynPath *path, DynBuffer *memory,
			   DynScalar *out)
{
	DynPathTree *tree = dyn_path_tree_create(path, 1);
	DynPage		page;
	DynPageCursor cursor;
	DynPageError error;
	DynValue	value;
	bool		read;

	dyn_page_init(&page);
	read = tree != NULL && dyn_page_parse_item(&page, tree, item->data, item->len, &error);
	dyn_page_cursor_init(&cursor, &page);
	read = read && dyn_page_next(&cursor, &value);
	dyn_page_free(&page);
	dyn_path_tree_free(tree);
	if (!read)
		return false;
	*out = (DynScalar) {value.type, value.data, value.len};
	/* ABSENT, numbers, sets, lists and maps are returned as they are */
	return value.type == DYN_TYPE_ABSENT || value.type == DYN_TYPE_N ||
		value.type >= DYN_TYPE_SS || dyn_scalar_read(&value, memory, out);
}

bool
dyn_item_has(const DynScalar *item, const DynPathValue *values, int n)
{
	bool		has = true;

	for (int i = 0; i < n && has; i++)
	{
		DynBuffer	memory;
		DynScalar	value;

		dyn_buffer_init(&memory, 0);
		has = dyn_item_value(item, values[i].path, &memory, &value) &&
			dyn_scalar_same(&value, &values[i].value);
		dyn_buffer_free(&memory);
	}
	return has;
}
