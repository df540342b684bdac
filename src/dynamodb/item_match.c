/*
 * item_match.c
 *		Evaluates conditions on items.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* memmem */
#endif

#include <stdlib.h>
#include <string.h>

#include "elements.h"
#include "expression.h"

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
	cond->slot = dyn_path_position(cond->path, paths, npaths);
	return cond->slot >= 0 && cond->path2 == NULL;
}

static bool
read_scalar(const DynValue *value, DynBuffer *scratch, DynScalar *scalar)
{
	dyn_buffer_empty(scratch);
	return dyn_scalar_read(value, scratch, scalar);
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

/*
 * Compares `value` to `with` like strcmp(), and stores the result in *order.
 * Returns false if the two have no order, or if memory runs out.
 */
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
is_among_sorted(const DynCond *cond, const DynValue *value, DynBuffer *scratch)
{
	DynScalar	scalar;

	return value->type == cond->values[0].type && read_scalar(value, scratch, &scalar) &&
		bsearch(&scalar, cond->values, cond->nvalues, sizeof(DynScalar), dyn_scalar_order) != NULL;
}

static bool
begins_with(const DynValue *value, const DynScalar *prefix, DynBuffer *scratch)
{
	DynScalar	scalar;

	if (value->type != prefix->type ||
		(value->type != DYN_TYPE_S && value->type != DYN_TYPE_B) ||
		!read_scalar(value, scratch, &scalar) || scalar.len < prefix->len)
		return false;
	return prefix->len == 0 || memcmp(scalar.data, prefix->data, prefix->len) == 0;
}

static bool
contains(const DynValue *value, const DynScalar *part, DynBuffer *scratch)
{
	DynScalar	scalar;
	DynElements elements;

	if (value->type == DYN_TYPE_S || value->type == DYN_TYPE_B)
		return value->type == part->type &&
			read_scalar(value, scratch, &scalar) &&
			(part->len == 0 ||
			 (scalar.len >= part->len &&
			  memmem(scalar.data, scalar.len, part->data, part->len) != NULL));
	if (value->type < DYN_TYPE_SS || value->type == DYN_TYPE_M)
		return false;
	dyn_elements_begin(&elements, value);
	while (dyn_elements_next(&elements))
	{
		if (equals(&elements.value, part, scratch))
			return true;
	}
	return false;
}

static bool
matches_leaf(const DynCond *cond, const DynValue *value, DynBuffer *scratch)
{
	int			order;
	int			upper;

	switch (cond->kind)
	{
		case DYN_COND_EQ:
			return equals(value, &cond->values[0], scratch);
		case DYN_COND_NE:
			return !equals(value, &cond->values[0], scratch);
		case DYN_COND_BETWEEN:
			return compare(value, &cond->values[0], scratch, &order) &&
				order >= 0 &&
				compare(value, &cond->values[1], scratch, &upper) &&
				upper <= 0;
		case DYN_COND_IN:
			if (cond->sorted)
				return is_among_sorted(cond, value, scratch);
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
			break;
	}
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
