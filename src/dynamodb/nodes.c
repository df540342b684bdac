/*
 * nodes.c
 *		Lists the values in a list, map or set.
 *
 * One loop reads the JSON text, which the page parser has validated.  The loop
 * first tries the bytes that DynamoDB itself would send (slice.h), and calls
 * attrvalue.c for everything else.
 */
#include "nodes.h"

#include <stdlib.h>

#include "slice.h"

#define FIRST_NODES		64
#define MOST_CACHED		16384	/* maximum number of nodes that remain
								 * allocated: about 0.5 MB */

/* The open containers, innermost last */
typedef struct Nest
{
	int			depth;
	uint32_t	open[DYN_MAX_DEPTH + 2];	/* index of the node of each open
											 * container */
} Nest;

static DYN_NOINLINE bool
grow(DynNodes *list)
{
	uint32_t	cap = list->cap == 0 ? FIRST_NODES : list->cap * 2;
	DynNode    *nodes = realloc(list->nodes, cap * sizeof(*nodes));

	if (nodes == NULL)
		return false;
	list->nodes = nodes;
	list->cap = cap;
	return true;
}

void
dyn_nodes_trim(DynNodes *list)
{
	if (list->cap <= MOST_CACHED)
		return;
	free(list->nodes);
	list->nodes = NULL;
	list->cap = list->count = 0;
}

/* Reads the name whose quote is at `p`; returns the position of its value. */
static DYN_HOT const char *
read_name(DynNodes *list, DynNode *node, const char *p, const char *end)
{
	bool		escaped = false;
	const char *quote = dyn_slice_quote(p + 1, end, &escaped);

	node->name = p + 1;
	node->name_len = (uint32_t) (quote - node->name);
	list->bytes += node->name_len;
	list->escaped_names |= escaped;
	return dyn_slice_after(quote + 1, end, ':');
}

/* Reads the S, N or B whose quote is at `p`; returns the position after it. */
static DYN_HOT const char *
read_string(DynNodes *list, DynValue *value, const char *p, const char *end)
{
	bool		escaped = false;
	const char *quote = dyn_slice_quote(p + 1, end, &escaped);

	value->data = p + 1;
	value->len = (uint32_t) (quote - value->data);
	value->flags = escaped ? DYN_VALUE_ESCAPED : 0;
	list->bytes += value->len;
	list->numbers += value->type == DYN_TYPE_N;
	return quote + 1;
}

static DYN_HOT void
set_value(DynNode *node, DynType type, const char *data)
{
	node->value.data = data;
	node->value.len = 0;
	node->value.type = (uint8_t) type;
	node->value.flags = 0;
}

/* Returns the position after the brace that ends an attribute value. */
static DYN_HOT const char *
end_value(const char *p, const char *end)
{
	if (DYN_LIKELY(*p == '}'))
		return p + 1;
	return dyn_slice_token(p, end) + 1;
}

/*
 * Reads the attribute value at `p`; returns the position after it.  A
 * container is only opened; the result is the position of its first member.
 */
static DYN_HOT const char *
read_value(DynNodes *list, DynNode *node, Nest *nest, const char *p,
		   const char *end)
{
	DynType		type;

	p = dyn_slice_tag(p, end, &type);
	set_value(node, type, p);
	if (type >= DYN_TYPE_SS)
	{
		nest->open[nest->depth++] = list->count - 1;
		return p + 1;
	}
	if (type == DYN_TYPE_BOOL || type == DYN_TYPE_NULL)
	{
		bool		is_true = *p == 't';

		node->value.flags = is_true && type == DYN_TYPE_BOOL ?
			DYN_VALUE_TRUE : 0;
		p += is_true ? 4 : 5;
	}
	else
		p = read_string(list, &node->value, p, end);
	return end_value(p, end);
}

/*
 * Reads a member of the innermost container.  Returns the same position as
 * read_value, or NULL if memory runs out.
 */
static DYN_HOT const char *
read_member(DynNodes *list, Nest *nest, const char *p, const char *end)
{
	DynNode    *parent;
	DynNode    *node;

	if (DYN_UNLIKELY(list->count == list->cap) && !grow(list))
		return NULL;
	parent = &list->nodes[nest->open[nest->depth - 1]];
	parent->value.len++;
	node = &list->nodes[list->count++];
	node->end = list->count;
	node->name = NULL;
	node->name_len = 0;
	if (parent->value.type == DYN_TYPE_M)
		p = read_name(list, node, p, end);
	if (parent->value.type >= DYN_TYPE_L)
		return read_value(list, node, nest, p, end);
	set_value(node, dyn_element_type(parent->value.type), p);
	return read_string(list, &node->value, p, end);
}

/*
 * Reads the members of nodes[0], up to its closing bracket; returns false if
 * memory runs out.
 */
static bool
read_members(DynNodes *list, const char *p, const char *end)
{
	Nest		nest;

	nest.open[0] = 0;
	nest.depth = 1;
	while ((p = dyn_slice_after(p, end, ',')) < end)
	{
		if (*p != ']' && *p != '}')
		{
			p = read_member(list, &nest, p, end);
			if (DYN_UNLIKELY(p == NULL))
				return false;
			continue;
		}
		nest.depth--;
		list->nodes[nest.open[nest.depth]].end = list->count;
		if (nest.depth == 0)
			break;
		p = end_value(p + 1, end);
	}
	return true;
}

bool
dyn_nodes_list(DynNodes *list, const DynValue *value)
{
	list->count = list->numbers = 0;
	list->bytes = 0;
	list->escaped_names = false;
	if (list->cap == 0 && !grow(list))
		return false;
	list->nodes[0] = (DynNode) {.value = *value, .end = 1};
	list->count = 1;
	if (value->type >= DYN_TYPE_SS)
	{
		list->nodes[0].value.len = 0;
		return read_members(list, value->data + 1, value->data + value->len);
	}
	list->bytes = value->len;
	list->numbers = value->type == DYN_TYPE_N;
	return true;
}
