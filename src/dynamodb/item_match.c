/*
 * item_match.c
 *		Evaluates conditions on items: one small function for each kind.
 *
 * Values of items are compared without decoding if their bytes allow that; S
 * with escapes, B and numbers that are not canonical are decoded first.
 */
#include "item_match.h"

#include <string.h>

#include "../base/number.h"
#include "path_tree.h"

/* ---- binding ---- */

static bool
same_path(const DynPath *a, const DynPath *b)
{
	int			i = 0;

	while (i < a->nsteps && i < b->nsteps &&
		   dyn_step_equal(&a->steps[i], &b->steps[i]))
		i++;
	return i == a->nsteps && i == b->nsteps;
}

bool
dyn_cond_bind(DynCond *cond, const DynPath *paths, int npaths)
{
	for (int i = 0; i < cond->nargs; i++)
	{
		if (!dyn_cond_bind(cond->args[i], paths, npaths))
			return false;
	}
	if (cond->path == NULL)
		return true;
	for (cond->slot = 0; cond->slot < npaths; cond->slot++)
	{
		if (same_path(cond->path, &paths[cond->slot]))
			break;
	}
	return cond->slot < npaths && cond->path2 == NULL;
}

/* ---- values ---- */

/*
 * Decodes a scalar of the item.  Returns false if memory runs out, or if the
 * value is invalid.
 */
static bool
read_scalar(const DynValue *value, DynBuffer *scratch, DynScalar *scalar)
{
	size_t		space = value->len;
	long		nbytes;

	scalar->type = value->type;
	scalar->data = value->data;
	scalar->len = value->len;
	if (value->type == DYN_TYPE_BOOL)
	{
		scalar->data = NULL;
		scalar->len = (value->flags & DYN_VALUE_TRUE) != 0;
	}
	if (value->type == DYN_TYPE_S && !(value->flags & DYN_VALUE_ESCAPED))
		return true;
	if (value->type != DYN_TYPE_S && value->type != DYN_TYPE_N &&
		value->type != DYN_TYPE_B)
		return true;
	if (value->type == DYN_TYPE_B)
		space = dyn_value_bytes_max(value);
	else if (value->type == DYN_TYPE_N)
		space = DYN_NUMBER_BUFSIZE;
	if (!dyn_buffer_reserve(scratch, space + 1))
		return false;
	scalar->data = scratch->data;
	switch (value->type)
	{
		case DYN_TYPE_S:
			scalar->len = dyn_value_text(value, scratch->data);
			return true;
		case DYN_TYPE_N:
			return dyn_number_canonical(value->data, value->len, scratch->data,
										&scalar->len) == DYN_NUMBER_OK;
		default:
			nbytes = dyn_value_bytes(value, (unsigned char *) scratch->data);
			scalar->len = nbytes < 0 ? 0 : (size_t) nbytes;
			return nbytes >= 0;
	}
}

static bool
equals(const DynValue *value, const DynScalar *wanted, DynBuffer *scratch)
{
	DynScalar	scalar;

	if (value->type != wanted->type)
		return false;
	/* equal numbers usually have equal bytes */
	if (value->type == DYN_TYPE_N && value->len == wanted->len &&
		memcmp(value->data, wanted->data, wanted->len) == 0)
		return true;
	return read_scalar(value, scratch, &scalar) &&
		dyn_scalar_equal(&scalar, wanted);
}

/* Sets *order.  Returns false if the two values have no order. */
static bool
compare(const DynValue *value, const DynScalar *with, DynBuffer *scratch,
		int *order)
{
	DynScalar	scalar;

	if (value->type != with->type || value->type == DYN_TYPE_ABSENT ||
		value->type > DYN_TYPE_B || !read_scalar(value, scratch, &scalar))
		return false;
	*order = dyn_scalar_compare(&scalar, with);
	return true;
}

static bool
in_order(const DynCond *cond, const DynValue *value, DynBuffer *scratch)
{
	int			order;

	if (!compare(value, &cond->values[0], scratch, &order))
		return false;
	switch (cond->kind)
	{
		case DYN_COND_LT:
			return order < 0;
		case DYN_COND_LE:
			return order <= 0;
		case DYN_COND_GT:
			return order > 0;
		default:
			return order >= 0;
	}
}

/* ---- parts of values ---- */

static bool
begins_with(const DynValue *value, const DynScalar *prefix, DynBuffer *scratch)
{
	DynScalar	scalar;

	if (value->type != prefix->type ||
		(value->type != DYN_TYPE_S && value->type != DYN_TYPE_B) ||
		!read_scalar(value, scratch, &scalar) || scalar.len < prefix->len)
		return false;
	return prefix->len == 0 ||
		memcmp(scalar.data, prefix->data, prefix->len) == 0;
}

static bool
holds_bytes(const DynScalar *full, const DynScalar *part)
{
	if (part->len == 0)
		return true;
	for (size_t i = 0; i + part->len <= full->len; i++)
	{
		const char *p = memchr(full->data + i, part->data[0],
							   full->len - part->len - i + 1);

		if (p == NULL)
			return false;
		if (memcmp(p, part->data, part->len) == 0)
			return true;
		i = (size_t) (p - full->data);
	}
	return false;
}

static bool
has_element(const DynValue *value, const DynScalar *wanted, DynBuffer *scratch)
{
	DynWalk		walk;
	DynValue	element;

	dyn_walk_begin(&walk, value);
	(void) dyn_walk_next(&walk, &element);
	while (dyn_walk_element(&walk, value, &element))
	{
		if (equals(&element, wanted, scratch))
			return true;
	}
	return false;
}

static bool
contains(const DynValue *value, const DynScalar *part, DynBuffer *scratch)
{
	DynScalar	scalar;

	switch (value->type)
	{
		case DYN_TYPE_S:
		case DYN_TYPE_B:
			return value->type == part->type &&
				read_scalar(value, scratch, &scalar) &&
				holds_bytes(&scalar, part);
		case DYN_TYPE_SS:
		case DYN_TYPE_NS:
		case DYN_TYPE_BS:
		case DYN_TYPE_L:
			return has_element(value, part, scratch);
		default:
			return false;
	}
}

/* ---- the tree ---- */

static bool
matches_leaf(const DynCond *cond, const DynValue *value, DynBuffer *scratch)
{
	int			lower;
	int			upper;

	switch (cond->kind)
	{
		case DYN_COND_EQ:
			return equals(value, &cond->values[0], scratch);
		case DYN_COND_NE:
			return !equals(value, &cond->values[0], scratch);
		case DYN_COND_BETWEEN:
			return compare(value, &cond->values[0], scratch, &lower) &&
				lower >= 0 &&
				compare(value, &cond->values[1], scratch, &upper) &&
				upper <= 0;
		case DYN_COND_IN:
			for (int i = 0; i < cond->nvalues; i++)
			{
				if (equals(value, &cond->values[i], scratch))
					return true;
			}
			return false;
		case DYN_COND_BEGINS_WITH:
			return begins_with(value, &cond->values[0], scratch);
		case DYN_COND_CONTAINS:
			return contains(value, &cond->values[0], scratch);
		case DYN_COND_EXISTS:
			return value->type != DYN_TYPE_ABSENT;
		case DYN_COND_NOT_EXISTS:
			return value->type == DYN_TYPE_ABSENT;
		case DYN_COND_IS_TYPE:
			return value->type == cond->type;
		default:
			return in_order(cond, value, scratch);
	}
}

bool
dyn_item_matches(const DynCond *cond, const DynValue *slots, DynBuffer *scratch)
{
	bool		is_or = cond->kind == DYN_COND_OR;

	switch (cond->kind)
	{
		case DYN_COND_TRUE:
			return true;
		case DYN_COND_FALSE:
			return false;
		case DYN_COND_AND:
		case DYN_COND_OR:
			for (int i = 0; i < cond->nargs; i++)
			{
				if (dyn_item_matches(cond->args[i], slots, scratch) == is_or)
					return is_or;
			}
			return !is_or;
		case DYN_COND_NOT:
			return !dyn_item_matches(cond->args[0], slots, scratch);
		default:
			return matches_leaf(cond, &slots[cond->slot], scratch);
	}
}
