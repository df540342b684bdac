/*
 * update.c
 *		Composes items and maps from paths with values.
 *
 * put_map composes a map from the values whose paths lead into it, and from
 * the value of an outer path, if there is one (the base).  It calls itself for
 * the maps inside.  An item is composed without a base; overlapping paths are
 * merged into a base.
 *
 * The values of a map are found by comparing their paths, so the array need
 * not be sorted.  It has only one value for each column that is written, so
 * another structure would not pay off.
 */
#include "update.h"

#include <assert.h>
#include <string.h>

#include "../base/text.h"
#include "path_tree.h"

typedef struct Composer
{
	const DynPathValue *values; /* values to compose; those without a path are
								 * ignored */
	int			n;
	DynBuffer  *out;
	DynBuffer	name;			/* a name of the base without escapes */
	bool		not_a_map;		/* true if a path leads into a value that is
								 * not a map */
} Composer;

/* True if both paths begin with the same `depth` steps. */
static bool
share_steps(const DynPath *a, const DynPath *b, int depth)
{
	if (a == NULL || a->nsteps < depth || b->nsteps < depth)
		return false;
	while (depth > 0 &&			/* compare the last step first: it differs most
								 * often */
		   dyn_step_equal(&a->steps[depth - 1], &b->steps[depth - 1]))
		depth--;
	return depth == 0;
}

static bool
is_absent(const DynPathValue *value)
{
	return value->value.type == DYN_TYPE_ABSENT;
}

/* True if a value before values[i] has the same first `depth` steps. */
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

/* Appends a value of the existing document, which is already encoded. */
static void
put_encoded(DynBuffer *out, const DynValue *value)
{
	const char *quote = value->type <= DYN_TYPE_B ? "\"" : "";

	dyn_buffer_append_str(out, "{\"");
	dyn_buffer_append_str(out, dyn_type_name(value->type));
	dyn_buffer_append_str(out, "\":");
	dyn_buffer_append_str(out, quote);
	if (value->type == DYN_TYPE_BOOL && !(value->flags & DYN_VALUE_TRUE))
		dyn_buffer_append_str(out, "false");
	else if (value->type == DYN_TYPE_BOOL || value->type == DYN_TYPE_NULL)
		dyn_buffer_append_str(out, "true");
	else
		dyn_buffer_append(out, value->data, value->len);
	dyn_buffer_append_str(out, quote);
	dyn_buffer_append_char(out, '}');
}

/* ---- members of the base ---- */

/*
 * Moves to the next member of a map, whose iterator has begun.  Sets *name to its
 * name in the JSON, and c->name to the name without escapes.  Returns false at
 * the end, or if memory runs out.
 */
static bool
next_member(Composer *c, const DynValue *map, DynValueIterator *iterator, DynValue *name,
			DynValue *value)
{
	if (dyn_value_iterator_next(iterator, name) != DYN_VALUE_NAME)
		return false;
	dyn_buffer_reset(&c->name);
	if (!dyn_buffer_reserve(&c->name, name->len))
	{
		c->out->failed = true;
		return false;
	}
	c->name.len = dyn_value_text(name, c->name.data);
	return dyn_value_iterator_element(iterator, map, value);
}

static void
begin_members(const DynValue *map, DynValueIterator *iterator)
{
	DynValue	open;

	dyn_value_iterator_begin(iterator, map);
	dyn_value_iterator_next(iterator, &open);
}

static bool
is_name(const DynBuffer *name, const DynStep *step)
{
	return name->len == step->name_len &&
		memcmp(name->data, step->name, name->len) == 0;
}

/* Finds the member of the base at a step. */
static bool
find_member(Composer *c, const DynValue *base, const DynStep *step,
			DynValue *value)
{
	DynValueIterator		iterator;
	DynValue	name;

	begin_members(base, &iterator);
	while (next_member(c, base, &iterator, &name, value))
	{
		if (is_name(&c->name, step))
			return true;
	}
	return false;
}

/* True if a path leads from the map into its member c->name. */
static bool
is_named(const Composer *c, const DynPath *map, int depth)
{
	for (int i = 0; i < c->n; i++)
	{
		const DynPath *path = c->values[i].path;

		if (share_steps(path, map, depth) && path->nsteps > depth &&
			is_name(&c->name, &path->steps[depth]))
			return true;
	}
	return false;
}

/* ---- maps ---- */

/*
 * Begins a member: appends a comma (unless it is the first member) and its
 * name.
 */
static void
put_name(DynBuffer *out, size_t start, const DynStep *step)
{
	if (out->len > start)
		dyn_buffer_append_char(out, ',');
	dyn_append_json_string(out, step->name, step->name_len);
	dyn_buffer_append_char(out, ':');
}

static void put_map(Composer *c, const DynPath *path, int depth,
					const DynValue *base);

/*
 * Appends the member at the first `depth` steps of a path.  It is the value
 * with exactly this path, or else that of the base (if not NULL); values with
 * longer paths are merged into it.
 */
static void
put_member(Composer *c, const DynPath *path, int depth, const DynValue *base,
		   size_t start)
{
	const DynPathValue *parent = NULL;
	int			inside = 0;		/* number of values with longer paths... */
	int			stored = 0;		/* ...that are not absent */
	bool		is_map;
	DynValue	container;

	for (int i = 0; i < c->n; i++)
	{
		const DynPathValue *value = &c->values[i];

		if (!share_steps(value->path, path, depth))
			continue;
		if (value->path->nsteps == depth)
			parent = value;
		else
		{
			inside++;
			stored += !is_absent(value);
		}
	}
	if (parent != NULL)
	{
		container = (DynValue) {parent->value.data, (uint32_t) parent->value.len,
			(uint8_t) parent->value.type, 0};
		base = is_absent(parent) ? NULL : &container;
	}
	is_map = base != NULL && base->type == DYN_TYPE_M;
	if (stored == 0 && base == NULL)
		return;
	put_name(c->out, start, &path->steps[depth - 1]);
	if (stored > 0 || (inside > 0 && is_map))
	{
		c->not_a_map |= base != NULL && !is_map;
		dyn_buffer_append_str(c->out, "{\"M\":");
		put_map(c, path, depth, is_map ? base : NULL);
		dyn_buffer_append_char(c->out, '}');
	}
	else if (parent != NULL)
		dyn_wire_scalar(c->out, &parent->value);
	else
		put_encoded(c->out, base);
}

/* Appends the map at the first `depth` steps of a path. */
static void
put_map(Composer *c, const DynPath *path, int depth, const DynValue *base)
{
	DynValueIterator		iterator;
	DynValue	name;
	DynValue	value;
	size_t		start;

	dyn_buffer_append_char(c->out, '{');
	start = c->out->len;
	for (int i = 0; i < c->n; i++)
	{
		const DynPath *member = c->values[i].path;
		bool		found;

		if (!share_steps(member, path, depth) || member->nsteps == depth ||
			is_repeated(c->values, i, depth + 1))
			continue;
		assert(member->steps[depth].name != NULL);
		found = base != NULL &&
			find_member(c, base, &member->steps[depth], &value);
		put_member(c, member, depth + 1, found ? &value : NULL, start);
	}
	if (base != NULL)
	{
		begin_members(base, &iterator);
		while (next_member(c, base, &iterator, &name, &value))
		{
			if (is_named(c, path, depth))
				continue;
			dyn_buffer_append_str(c->out, c->out->len > start ? ",\"" : "\"");
			dyn_buffer_append(c->out, name.data, name.len);
			dyn_buffer_append_str(c->out, "\":");
			put_encoded(c->out, &value);
		}
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
	put_map(&c, values[0].path, depth, NULL);
	return !out->failed;
}

/* ---- merging ---- */

/* Removes the values without a path; returns the number of those left. */
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

/* Removes absent values, and all but the last value of each path. */
static int
drop_replaced(DynPathValue *values, int n, bool nulls_say_nothing)
{
	for (int i = 0; i < n; i++)
	{
		if (nulls_say_nothing && is_absent(&values[i]))
			values[i].path = NULL;
	}
	n = compact(values, n);
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

/* True if the path of `value` leads into that of `outer`. */
static bool
is_inside(const DynPathValue *value, const DynPathValue *outer)
{
	return value->path != NULL && outer->path != NULL &&
		value->path->nsteps > outer->path->nsteps &&
		share_steps(value->path, outer->path, outer->path->nsteps);
}

/*
 * Merges the values inside `outer` into its value, and removes them.  The
 * result has no pointer yet, since the buffer may still move.
 */
static void
merge_into(Composer *c, DynPathValue *values, DynPathValue *outer)
{
	DynScalar  *parent = &outer->value;
	DynValue	base = {parent->data, (uint32_t) parent->len, (uint8_t) parent->type, 0};
	size_t		start = c->out->len;
	int			inside = 0;
	int			stored = 0;

	for (int i = 0; i < c->n; i++)
	{
		if (!is_inside(&values[i], outer))
			continue;
		inside++;
		stored += !is_absent(&values[i]);
	}
	if (inside > 0 && (parent->type == DYN_TYPE_M || (is_absent(outer) && stored > 0)))
	{
		put_map(c, outer->path, outer->path->nsteps, is_absent(outer) ? NULL : &base);
		*parent = (DynScalar) {DYN_TYPE_M, NULL, c->out->len - start};
	}
	else
		c->not_a_map |= stored > 0;
	for (int i = 0; i < c->n && inside > 0; i++)
	{
		if (is_inside(&values[i], outer))
			values[i].path = NULL;
	}
}

int
dyn_path_values_merge(DynPathValue *values, int n, bool nulls_say_nothing,
					  DynBuffer *memory)
{
	Composer	c = {.values = values, .out = memory};
	size_t		at = 0;

	dyn_buffer_reset(memory);
	c.n = n = drop_replaced(values, n, nulls_say_nothing);
	for (int i = 0; i < n; i++)
	{
		int			outer = 0;

		while (outer < n && !is_inside(&values[i], &values[outer]))
			outer++;
		if (outer == n && values[i].path != NULL)
			merge_into(&c, values, &values[i]);
	}
	dyn_buffer_free(&c.name);
	if (memory->failed)
		return DYN_MERGE_NO_MEMORY;
	if (c.not_a_map)
		return DYN_MERGE_NOT_A_MAP;
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
