/*
 * update.c
 *		Builds items from paths and values, and compares items.
 *
 * If paths overlap, which is rare, the value of the outer path is parsed, and
 * the values of the inner paths are set in the resulting tree.
 *
 * A row may have too many paths to compare all pairs.  So merging sorts the
 * paths, and composing compares only paths into maps, which are few.
 */
#include "update.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "../base/jsonload.h"
#include "../base/number.h"
#include "../base/text.h"

static bool
is_absent(const DynPathValue *value)
{
	return value->value.type == DYN_TYPE_ABSENT;
}

/* Returns true if one of the first `i` paths is `map`, or inside it. */
static bool
is_repeated(const DynPathValue *values, int i, const DynPath *map)
{
	for (int j = 0; j < i; j++)
	{
		if (dyn_path_is_inside(values[j].path, map))
			return true;
	}
	return false;
}

/* ---- composing ---- */

static void
put_members(const DynPathValue *values, int n, DynPath map, DynBuffer *out)
{
	size_t		start = out->len;

	for (int i = 0; i < n; i++)
	{
		DynPath		member = {values[i].path->steps, map.nsteps + 1};
		const DynStep *step = &member.steps[map.nsteps];
		bool		deeper = values[i].path->nsteps > member.nsteps;
		size_t		before = out->len;
		size_t		inside;

		if (values[i].path->nsteps < member.nsteps || !dyn_path_is_inside(&member, &map) ||
			(deeper ? is_repeated(values, i, &member) : is_absent(&values[i])))
			continue;
		assert(step->name != NULL);
		if (before > start)
			dyn_buffer_append_char(out, ',');
		dyn_append_json_string(out, step->name, step->name_len);
		dyn_buffer_append_str(out, deeper ? ":{\"M\":{" : ":");
		if (!deeper)
		{
			dyn_wire_scalar(out, &values[i].value);
			continue;
		}
		inside = out->len;
		put_members(values, n, member, out);
		if (out->len > inside)
			dyn_buffer_append_str(out, "}}");
		else
			out->len = before;
	}
}

bool
dyn_path_values_item(const DynPathValue *values, int n, DynBuffer *out)
{
	dyn_buffer_append_char(out, '{');
	put_members(values, n, (DynPath) {NULL, 0}, out);
	return dyn_buffer_append_char(out, '}');
}

/* ---- merging ---- */

/* Converts a value to a jansson tree, such as {"S":"x"}; NULL on failure. */
static json_t *
scalar_tree(const DynScalar *value)
{
	DynBuffer	text = {0};
	json_t	   *tree = NULL;

	if (dyn_wire_scalar(&text, value))
		tree = dyn_json_load(text.data, text.len, JSON_ALLOW_NUL, NULL);
	dyn_buffer_free(&text);
	return tree;
}

/* Orders values by path, outer before inner; equal paths by array order. */
static int
compare_paths(const void *a, const void *b)
{
	const DynPathValue *left = *(DynPathValue *const *) a;
	const DynPathValue *right = *(DynPathValue *const *) b;
	int			result = 0;

	for (int i = 0; i < left->path->nsteps && i < right->path->nsteps && result == 0; i++)
	{
		DynStep		x = left->path->steps[i];
		DynStep		y = right->path->steps[i];

		assert(x.name != NULL && y.name != NULL);
		result = x.name_len != y.name_len ? (x.name_len < y.name_len ? -1 : 1)
			: memcmp(x.name, y.name, x.name_len);
	}
	if (result == 0)
		result = left->path->nsteps - right->path->nsteps;
	return result != 0 ? result : left < right ? -1 : 1;
}

/*
 * Sets the member at the path of `value` in the outer value, or removes the
 * member if `value` is ABSENT.  *tree is the changed outer value; it is NULL
 * before the first change.
 */
static int
set_inside(const DynPathValue *outer, json_t **tree, const DynPathValue *value)
{
	static const DynScalar empty_map = {DYN_TYPE_M, "{}", 2};
	const DynStep *step = &value->path->steps[outer->path->nsteps];
	const DynStep *last = &value->path->steps[value->path->nsteps - 1];
	json_t	   *members;

	if (*tree == NULL && outer->value.type != DYN_TYPE_M && is_absent(value))
		return 0;
	if (*tree == NULL && outer->value.type != DYN_TYPE_M && !is_absent(outer))
		return DYN_MERGE_NOT_A_MAP;
	if (*tree == NULL)
		*tree = scalar_tree(is_absent(outer) ? &empty_map : &outer->value);
	if (*tree == NULL)
		return DYN_MERGE_NO_MEMORY;
	members = json_object_get(*tree, "M");
	for (; members != NULL && step < last; step++)
	{
		json_t	   *member = json_object_getn(members, step->name, step->name_len);

		if (member == NULL && is_absent(value))
			return 0;
		if (member == NULL)
		{
			member = scalar_tree(&empty_map);
			if (json_object_setn_new(members, step->name, step->name_len, member) != 0)
				return DYN_MERGE_NO_MEMORY;
		}
		members = json_object_get(member, "M");
	}
	if (is_absent(value))
		(void) json_object_deln(members, last->name, last->name_len);
	else if (members == NULL)
		return DYN_MERGE_NOT_A_MAP;
	else if (json_object_setn_new(members, last->name, last->name_len,
								  scalar_tree(&value->value)) != 0)
		return DYN_MERGE_NO_MEMORY;
	return 0;
}

/*
 * Copies each value whose path is inside the path of another value into the
 * tree of the outermost such value.  Of equal paths, uses only the last.  Sets
 * the paths of values that were copied or not used to NULL.
 */
static int
set_all(DynPathValue *values, int n, json_t **trees)
{
	DynPathValue **sorted = malloc((n + 1) * sizeof(DynPathValue *));
	DynPathValue *outer = NULL;
	int			result = 0;

	if (sorted == NULL)
		return DYN_MERGE_NO_MEMORY;
	for (int i = 0; i < n; i++)
		sorted[i] = &values[i];
	qsort(sorted, n, sizeof(DynPathValue *), compare_paths);
	for (int i = 0; i < n && result == 0; i++)
	{
		DynPathValue *value = sorted[i];

		if (outer == NULL || !dyn_path_is_inside(value->path, outer->path))
			outer = value;
		else if (value->path->nsteps > outer->path->nsteps)
		{
			result = set_inside(outer, &trees[outer - values], value);
			value->path = NULL;
		}
		else
		{
			outer->path = NULL;
			outer = value;
		}
	}
	free(sorted);
	return result;
}

static int
append(const char *bytes, size_t len, void *out)
{
	return dyn_buffer_append(out, bytes, len) ? 0 : -1;
}

int
dyn_path_values_merge(DynPathValue *values, int n, DynBuffer *memory)
{
	json_t	  **trees = calloc(n + 1, sizeof(json_t *));
	int			result = trees ? set_all(values, n, trees) : DYN_MERGE_NO_MEMORY;
	int			left = 0;
	size_t		at = 0;

	dyn_buffer_reset(memory);
	for (int i = 0; i < n && trees != NULL; i++)
	{
		size_t		start = memory->len;

		if (result == 0 && trees[i] != NULL)
		{
			if (json_dump_callback(json_object_get(trees[i], "M"), append, memory,
								   JSON_COMPACT) != 0)
				result = DYN_MERGE_NO_MEMORY;
			/* the buffer may still move, so `data` is set by the next loop */
			values[i].value = (DynScalar) {DYN_TYPE_M, NULL, memory->len - start};
		}
		json_decref(trees[i]);
		if (values[i].path != NULL)
			values[left++] = values[i];
	}
	free(trees);
	for (int i = 0; i < left && result == 0; i++)
	{
		DynScalar  *value = &values[i].value;

		if (value->type != DYN_TYPE_M || value->data != NULL)
			continue;
		value->data = memory->data + at;
		at += value->len;
	}
	return result == 0 ? left : result;
}

/* ---- comparing: rare, so it need not be fast ---- */

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
 * Changes an attribute value so that equal values are equal as JSON: numbers
 * become canonical, and a set becomes an object with its elements as names.
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
	left = scalar_tree(a);
	right = scalar_tree(b);
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
	DynPage		page = {0};
	DynPageCursor cursor;
	DynPageError error;
	DynValue	value;
	bool		read;

	read = tree != NULL && dyn_page_parse(&page, DYN_PARSE_ITEM, tree,
										  item->data, item->len, &error);
	dyn_page_cursor_init(&cursor, &page);
	read = read && dyn_page_next(&cursor, &value);
	dyn_page_free(&page);
	dyn_path_tree_free(tree);
	if (!read)
		return false;
	*out = (DynScalar) {value.type, value.data, value.len};
	/* keep an N as it is; dyn_scalar_read cannot read sets, lists and maps */
	return value.type == DYN_TYPE_ABSENT || value.type == DYN_TYPE_N ||
		value.type >= DYN_TYPE_SS || dyn_scalar_read(&value, memory, out);
}

bool
dyn_item_has(const DynScalar *item, const DynPathValue *values, int n)
{
	bool		has = true;

	for (int i = 0; i < n && has; i++)
	{
		DynBuffer	memory = {0};
		DynScalar	value;

		has = dyn_item_value(item, values[i].path, &memory, &value) &&
			dyn_scalar_same(&value, &values[i].value);
		dyn_buffer_free(&memory);
	}
	return has;
}
