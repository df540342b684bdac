/*
 * node_facts.h
 *		The nodes of a value are what a walk over it finds.
 */
#ifndef DYN_TEST_NODE_FACTS_H
#define DYN_TEST_NODE_FACTS_H

#include <stdlib.h>
#include <string.h>

#include "dynamodb/nodes.h"

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

/* Compares the nodes with the events of a walk. */
static inline bool
nodes_follow(const DynNodes *list, const DynValue *value)
{
	const DynNode *open[DYN_MAX_DEPTH + 2];
	uint32_t	members[DYN_MAX_DEPTH + 2];
	DynValue	name = {NULL, 0, DYN_TYPE_S, 0};
	size_t		bytes = 0;
	uint32_t	numbers = 0;
	uint32_t	n = 0;
	int			depth = 0;
	DynValueIterator		resolver;
	DynValueEvent event;
	DynValue	v;

	dyn_value_iterator_begin(&resolver, value);
	while ((event = dyn_value_iterator_next(&resolver, &v)) != DYN_VALUE_END)
	{
		const DynNode *node = &list->nodes[n];

		if (event == DYN_VALUE_CLOSE)
		{
			depth--;
			if (open[depth]->end != n || open[depth]->value.len != members[depth])
				return false;
			continue;
		}
		if (event == DYN_VALUE_NAME)
		{
			name = v;
			bytes += v.len;
			if ((v.flags & DYN_VALUE_ESCAPED) && !list->escaped_names)
				return false;
			continue;
		}
		if (n == list->count ||
			!is_same_name(node, &name, value->data + value->len))
			return false;
		if (depth > 0)
			members[depth - 1]++;
		name.data = NULL;
		n++;
		if (event == DYN_VALUE_OPEN)
		{
			if (node->value.type != v.type)
				return false;
			members[depth] = 0;
			open[depth++] = node;
			continue;
		}
		bytes += v.len;
		numbers += v.type == DYN_TYPE_N;
		if (node->end != n || !is_same_scalar(&node->value, &v))
			return false;
	}
	return depth == 0 && n == list->count && bytes == list->bytes &&
		numbers == list->numbers;
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
	bool		same;

	memcpy(data, value->data, value->len);
	copy.data = data;
	same = dyn_nodes_list(&list, &copy) && nodes_follow(&list, &copy);
	free(data);
	return same;
}

#endif
