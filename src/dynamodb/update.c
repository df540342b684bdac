/*
 * update.c
 *		Composes items and maps from paths with values.
 *
 * put_map composes a map from the values whose paths lead into it, and calls
 * itself for the maps inside.  If paths overlap, which is rare, the outer
 * value is parsed, and the inner values are set in the resulting tree.
 *
 * The values of a map are found by comparing their paths, so the array need
 * not be sorted.  It has only one value for each column that is written, so
 * sorting is not worth its cost.
 */
#include "update.h"

#include <assert.h>
#include <string.h>

#include "../base/jsonload.h"
#include "../base/text.h"
#include "path_tree.h"

typedef struct Composer
{
	const DynPathValue *values; /* values to compose */
	int			n;
	DynBuffer  *out;
} Composer;

/*
 * Returns true if both paths begin with the same `depth` steps; false if `a`
 * is NULL.
 */
static bool
share_steps(const DynPath *a, const DynPath *b, int depth)
{
	if (a == NULL || a->nsteps < depth || b->nsteps < depth)
		return false;
	while (depth > 0 &&			/* compare the last step first, since it
								 * differs most often */
		   dyn_step_equal(&a->steps[depth - 1], &b->steps[depth - 1]))
		depth--;
	return depth == 0;
}

static bool
is_absent(const DynPathValue *value)
{
	return value->value.type == DYN_TYPE_ABSENT;
}

/*
 * Returns true if the path of a value before values[i] begins with the same
 * `depth` steps.
 */
static bool
is_repeated(const DynPathValue *values, int i, int depth)
{
	for (int j = 0; j < i; j++)
	{
		if (share_steps(values[j].path, values[i].path, depth))
			return true;
	}
	return false;
}

/* ---- composing ---- */

/*
 * Begins a member: appends its name and a colon, after a comma unless it is
 * the first.
 */
static void
put_name(DynBuffer *out, size_t start, const DynStep *step)
{
	if (out->len > start)
		dyn_buffer_append_char(out, ',');
	dyn_append_json_string(out, step->name, step->name_len);
	dyn_buffer_append_char(out, ':');
}

/* Appends the map at the first `depth` steps of a path, as a JSON object. */
static void
put_map(Composer *c, const DynPath *path, int depth)
{
	size_t		start;

	dyn_buffer_append_char(c->out, '{');
	start = c->out->len;
	for (int i = 0; i < c->n; i++)
	{
		const DynPath *member = c->values[i].path;
		bool		stored = false;

		if (!share_steps(member, path, depth) || member->nsteps == depth ||
			is_repeated(c->values, i, depth + 1))
			continue;
		assert(member->steps[depth].name != NULL);
		for (int j = i; j < c->n && !stored; j++)
			stored = share_steps(c->values[j].path, member, depth + 1) &&
				!is_absent(&c->values[j]);
		if (!stored)
			continue;
		put_name(c->out, start, &member->steps[depth]);
		if (member->nsteps == depth + 1)
		{
			dyn_wire_scalar(c->out, &c->values[i].value);
			continue;
		}
		dyn_buffer_append_str(c->out, "{\"M\":");
		put_map(c, member, depth + 1);
		dyn_buffer_append_char(c->out, '}');
	}
	dyn_buffer_append_char(c->out, '}');
}

bool
dyn_path_values_map(const DynPathValue *values, int n, int depth,
					DynBuffer *out)
{
	Composer	c = {.values = values, .n = n, .out = out};

	if (n == 0)
		return dyn_buffer_append_str(out, "{}");
	put_map(&c, values[0].path, depth);
	return !out->failed;
}

/* ---- merging ---- */

static const DynScalar empty_map = {DYN_TYPE_M, "{}", 2};

/* Removes the values whose path is NULL; returns the number of values left. */
static int
compact(DynPathValue *values, int n)
{
	int			left = 0;

	for (int i = 0; i < n; i++)
	{
		if (values[i].path != NULL)
			values[left++] = values[i];
	}
	return left;
}

/*
 * Removes all but the last value of each path; returns the number of values
 * left.
 */
static int
drop_replaced(DynPathValue *values, int n)
{
	for (int i = n - 1; i > 0; i--)
	{
		for (int j = 0; j < i && values[i].path != NULL; j++)
		{
			if (values[j].path != NULL &&
				values[j].path->nsteps == values[i].path->nsteps &&
				share_steps(values[j].path, values[i].path,
							values[i].path->nsteps))
				values[j].path = NULL;
		}
	}
	return compact(values, n);
}

/* Returns true if the path of `value` leads into the value of `outer`. */
static bool
is_inside(const DynPathValue *value, const DynPathValue *outer)
{
	return value->path != NULL && outer->path != NULL &&
		value->path->nsteps > outer->path->nsteps &&
		share_steps(value->path, outer->path, outer->path->nsteps);
}

/* Returns the value as a tree, {"S":"x"}, or NULL if memory runs out. */
static json_t *
tree_of(const DynScalar *value)
{
	DynBuffer	text;
	json_t	   *tree = NULL;

	dyn_buffer_init(&text, 0);
	if (dyn_wire_scalar(&text, value))
		tree = dyn_json_load(text.data, text.len, JSON_ALLOW_NUL, NULL);
	dyn_buffer_free(&text);
	return tree;
}

/*
 * Sets the value in a tree, or removes it if ABSENT.  The tree is the map at
 * the first `depth` steps of the value's path.  Returns 0, or an error of
 * dyn_path_values_merge.
 */
static int
set_inside(json_t *tree, int depth, const DynPathValue *value)
{
	const DynPath *path = value->path;
	json_t	   *members = json_object_get(tree, "M");
	const DynStep *last = &path->steps[path->nsteps - 1];

	for (; members != NULL && depth < path->nsteps - 1; depth++)
	{
		const DynStep *step = &path->steps[depth];
		json_t	   *member = json_object_getn(members, step->name, step->name_len);

		if (member == NULL && is_absent(value))
			return 0;
		if (member == NULL)
		{
			member = tree_of(&empty_map);
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
								  tree_of(&value->value)) != 0)
		return DYN_MERGE_NO_MEMORY;
	return 0;
}

/*
 * Merges the values inside of `outer` into the value of `outer`, shortest
 * paths first, and sets the paths of the merged values to NULL.  The data of
 * the result remains NULL, because the buffer may still move.  Returns 0, or
 * an error of dyn_path_values_merge.
 */
static int
merge_into(DynPathValue *values, int n, DynPathValue *outer, DynBuffer *memory)
{
	const DynScalar *base = &outer->value;
	int			depth = outer->path->nsteps;
	int			deepest = depth;
	size_t		start = memory->len;
	bool		stored = false;
	int			result = 0;

	for (int i = 0; i < n; i++)
	{
		if (!is_inside(&values[i], outer))
			continue;
		if (deepest < values[i].path->nsteps)
			deepest = values[i].path->nsteps;
		stored |= !is_absent(&values[i]);
	}
	if (deepest == depth)
		return 0;
	if (is_absent(outer) && stored)
		base = &empty_map;
	if (base->type == DYN_TYPE_M)
	{
		json_t	   *tree = tree_of(base);

		result = tree == NULL ? DYN_MERGE_NO_MEMORY : 0;
		for (int steps = depth + 1; steps <= deepest; steps++)
		{
			for (int i = 0; i < n && result == 0; i++)
			{
				if (is_inside(&values[i], outer) && values[i].path->nsteps == steps)
					result = set_inside(tree, depth, &values[i]);
			}
		}
		if (result == 0 && !dyn_json_dump(json_object_get(tree, "M"), memory))
			result = DYN_MERGE_NO_MEMORY;
		json_decref(tree);
		outer->value = (DynScalar) {DYN_TYPE_M, NULL, memory->len - start};
	}
	else if (stored)
		result = DYN_MERGE_NOT_A_MAP;
	for (int i = 0; i < n; i++)
	{
		if (is_inside(&values[i], outer))
			values[i].path = NULL;
	}
	return result;
}

int
dyn_path_values_merge(DynPathValue *values, int n, DynBuffer *memory)
{
	size_t		at = 0;

	dyn_buffer_reset(memory);
	n = drop_replaced(values, n);
	for (int i = 0; i < n; i++)
	{
		int			outer = 0;
		int			result = 0;

		while (outer < n && !is_inside(&values[i], &values[outer]))
			outer++;
		if (outer == n && values[i].path != NULL)
			result = merge_into(values, n, &values[i], memory);
		if (result != 0)
			return result;
	}
	n = compact(values, n);
	for (int i = 0; i < n; i++)
	{
		DynScalar  *value = &values[i].value;

		if (value->type != DYN_TYPE_M || value->data != NULL)
			continue;
		value->data = memory->data + at;
		at += value->len;
	}
	return n;
}
