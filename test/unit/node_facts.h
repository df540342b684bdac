/*
 * node_facts.h
 *		The nodes of a value are what a walk over it finds.
 */
#ifndef DYN_TEST_NODE_FACTS_H
#define DYN_TEST_NODE_FACTS_H

#include <stdlib.h>
#include <string.h>

#include "dynamodb/elements.h"

static inline bool
is_same_scalar(const DynValue *node, const DynValue *v)
{
	if (node->type == DYN_TYPE_BOOL || node->type == DYN_TYPE_NULL)
		return node->type == v->type && node->flags == v->flags;
	return node->type == v->type && node->data == v->data &&
		node->len == v->len &&
		(node->flags & DYN_VALUE_ESCAPED) == (v->flags & DYN_VALUE_ESCAPED);
}

/* Are the node's name and the name of the walk the same slice, or neither? */
static inline bool
is_same_name(const DynNode *node, const DynValue *name, const char *end)
{
	if (name->data == NULL)
		return node->name == NULL && node->name_len == 0;
	return node->name == name->data && node->name_len == name->len &&
		node->name + 8 <= end;
}

/*
 * Compares the nodes from *n on with a value and the values in it; *n becomes
 * the index of the node after them.  Removes the sizes from list->bytes and
 * list->numbers.
 */
static inline bool
nodes_agree(DynNodes *list, uint32_t *n, const DynValue *v, const DynValue *name,
			const char *end)
{
	const DynNode *node = &list->nodes[*n];
	DynElements inside;
	uint32_t	members = 0;

	if (*n == list->count || !is_same_name(node, name, end) ||
		((name->flags & DYN_VALUE_ESCAPED) && !list->escaped_names))
		return false;
	++*n;
	list->bytes -= name->len;
	if (v->type < DYN_TYPE_SS)
	{
		list->bytes -= v->len;
		list->numbers -= v->type == DYN_TYPE_N;
		return node->end == *n && is_same_scalar(&node->value, v);
	}
	dyn_elements_begin(&inside, v);
	while (dyn_elements_next(&inside))
	{
		if (!nodes_agree(list, n, &inside.value, &inside.name, end))
			return false;
		members++;
	}
	return node->value.type == v->type && node->end == *n && node->value.len == members;
}

/*
 * Lists a copy of the value, after which nothing may be read, and compares.
 * The memory serves value after value.
 */
static inline bool
nodes_follow_walk(const DynValue *value)
{
	static DynNodes list;
	char	   *data = malloc(value->len > 0 ? value->len : 1);
	DynValue	copy = *value;
	DynValue	no_name = {0};
	uint32_t	n = 0;
	bool		same;

	memcpy(data, value->data, value->len);
	copy.data = data;
	same = dyn_nodes_list(&list, &copy) &&
		nodes_agree(&list, &n, &copy, &no_name, data + copy.len) &&
		n == list.count && list.bytes == 0 && list.numbers == 0;
	free(data);
	return same;
}

#endif
