/*
 * elements.c
 *		Reads the values in a list, set or map.
 *
 * dyn_values_below may read a value once for each level of nesting, whereas
 * dyn_nodes_list reads each value only once.
 *
 * The page parser has validated the text.  Each step is fast for the form that
 * DynamoDB itself sends, and calls attrvalue.c for all other valid JSON.
 */
#include "elements.h"

#include <stdlib.h>
#include <string.h>

#include "path_tree.h"
#include "slice.h"

#define FIRST_NODES		64
#define MOST_CACHED		16384	/* maximum number of nodes to keep (0.5 MB) */

/* Reads the string at `p` without looking for U+0000; returns its end. */
static DYN_HOT const char *
read_string(const char *p, const char *end, DynType type, DynValue *value)
{
	bool		escaped = false;
	const char *quote = dyn_slice_quote(p + 1, end, &escaped);

	value->data = p + 1;
	value->len = (uint32_t) (quote - value->data);
	value->type = (uint8_t) type;
	value->flags = escaped ? DYN_VALUE_ESCAPED : 0;
	return quote + 1;
}

/* Reads the BOOL or NULL at `p`; returns the position after it. */
static DYN_HOT const char *
read_word(const char *p, DynType type, DynValue *value)
{
	bool		is_true = *p == 't';

	*value = (DynValue) {p, 0, (uint8_t) type,
		is_true && type == DYN_TYPE_BOOL ? DYN_VALUE_TRUE : 0};
	return p + (is_true ? 4 : 5);
}

/* Returns the position after the brace that ends an attribute value. */
static DYN_HOT const char *
end_value(const char *p, const char *end)
{
	if (DYN_LIKELY(*p == '}'))
		return p + 1;
	return dyn_slice_token(p, end) + 1;
}

/* ---- values one by one ---- */

void
dyn_elements_begin(DynElements *elements, const DynValue *collection)
{
	memset(elements, 0, sizeof(*elements));
	elements->collection = *collection;
	elements->next = collection->data + 1;
}

/* Returns true if the JSON text contains the escape \u0000. */
static bool
has_nul(const char *p, const char *end)
{
	while ((p = memchr(p, '\\', end - p)) != NULL)
	{
		if (end - p >= 6 && memcmp(p, "\\u0000", 6) == 0)
			return true;
		p += 2;
	}
	return false;
}

/* Reads the string at `p`, and looks for U+0000; returns its end. */
static const char *
read_text(const char *p, const char *end, DynType type, DynValue *value)
{
	p = read_string(p, end, type, value);
	if (value->flags != 0 && has_nul(value->data, p))
		value->flags |= DYN_VALUE_HAS_NUL;
	return p;
}

static const char *
skip_collection(const char *p, const char *end)
{
	bool		escaped;
	int			depth = 0;

	do
	{
		if (*p == '"')
			p = dyn_slice_quote(p + 1, end, &escaped);
		depth += (*p == '[' || *p == '{') - (*p == ']' || *p == '}');
		p++;
	} while (depth > 0);
	return p;
}

/* Reads the attribute value at `p`, but not its closing brace. */
static const char *
read_value(DynElements *elements, const char *p, const char *end)
{
	DynValue   *value = &elements->value;
	const char *start;
	DynType		type;

	p = dyn_slice_tag(p, end, &type);
	if (type <= DYN_TYPE_B)
		return read_text(p, end, type, value);
	if (type <= DYN_TYPE_NULL)
		return read_word(p, type, value);
	start = p;
	p = skip_collection(p, end);
	*value = (DynValue) {start, (uint32_t) (p - start), (uint8_t) type, 0};
	if ((elements->collection.flags & DYN_VALUE_HAS_NUL) && has_nul(start, p))
		value->flags = DYN_VALUE_HAS_NUL;
	return p;
}

bool
dyn_elements_next(DynElements *elements)
{
	const DynValue *collection = &elements->collection;
	const char *end = collection->data + collection->len;
	const char *p = dyn_slice_token(elements->next, end);

	if (*p == ']' || *p == '}')
		return false;
	elements->position = elements->given++;
	if (collection->type < DYN_TYPE_L)
	{
		elements->next = read_text(p, end, dyn_element_type(collection->type),
								   &elements->value);
		return true;
	}
	if (collection->type == DYN_TYPE_M)
		p = dyn_slice_token(read_text(p, end, DYN_TYPE_S, &elements->name), end);
	elements->next = end_value(read_value(elements, p, end), end);
	return true;
}

/* Returns the tree's node for a member; NULL if none, or memory runs out. */
static const DynPathNode *
find_member(const DynPathTree *tree, const DynPathNode *node,
			const DynValue *name, DynBuffer *scratch)
{
	const char *text = name->data;
	size_t		len = name->len;

	if (name->flags & DYN_VALUE_ESCAPED)
	{
		dyn_buffer_empty(scratch);
		if (!dyn_buffer_reserve(scratch, len + 1))
			return NULL;
		len = dyn_value_text(name, scratch->data);
		text = scratch->data;
	}
	return dyn_path_tree_member(tree, node, text, len);
}

static void
fill_slots(const DynPathTree *tree, const DynPathNode *node,
		   const DynValue *value, DynValue *slots, DynBuffer *scratch)
{
	DynElements inside;

	if (node->slot != DYN_PATH_TREE_NO_SLOT)
		slots[node->slot] = *value;
	if (!(node->has_names || node->has_indexes) ||
		(value->type != DYN_TYPE_M && value->type != DYN_TYPE_L))
		return;
	dyn_elements_begin(&inside, value);
	while (dyn_elements_next(&inside))
	{
		const DynPathNode *child = value->type == DYN_TYPE_M
			? find_member(tree, node, &inside.name, scratch)
			: dyn_path_tree_element(tree, node, inside.position);

		if (child != NULL)
			fill_slots(tree, child, &inside.value, slots, scratch);
	}
}

void
dyn_values_below(const DynPathTree *tree, const DynValue *value,
				 DynValue *slots, DynBuffer *scratch)
{
	memset(slots, 0, tree->nslots * sizeof(*slots));
	if (value->type != DYN_TYPE_M && value->type != DYN_TYPE_L)
		return;
	fill_slots(tree, &tree->nodes[0], value, slots, scratch);
	for (int i = 0; i < tree->naliases; i++)
		slots[tree->aliases[i].to] = slots[tree->aliases[i].from];
}

/* ---- all values at once ---- */

/* The collections that contain the current position, innermost last */
typedef struct Nest
{
	int			depth;
	uint32_t	open[DYN_MAX_DEPTH + 2];	/* indexes of their nodes */
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

static DYN_HOT const char *
read_scalar(DynNodes *list, DynValue *value, DynType type, const char *p,
			const char *end)
{
	p = read_string(p, end, type, value);
	list->bytes += value->len;
	list->numbers += type == DYN_TYPE_N;
	return p;
}

/* Reads the value at `p`; of a list, set or map only the opening bracket. */
static DYN_HOT const char *
read_node(DynNodes *list, DynNode *node, Nest *nest, const char *p,
		  const char *end)
{
	DynType		type;

	p = dyn_slice_tag(p, end, &type);
	if (type >= DYN_TYPE_SS)
	{
		node->value = (DynValue) {p, 0, (uint8_t) type, 0};
		nest->open[nest->depth++] = list->count - 1;
		return p + 1;
	}
	p = type <= DYN_TYPE_B ? read_scalar(list, &node->value, type, p, end)
		: read_word(p, type, &node->value);
	return end_value(p, end);
}

/* Reads the member at `p` like read_node.  Returns NULL if memory runs out. */
static DYN_HOT const char *
read_member(DynNodes *list, Nest *nest, const char *p, const char *end)
{
	DynNode    *parent;
	DynNode    *node;
	DynValue	name = {0};

	if (DYN_UNLIKELY(list->count == list->cap) && !grow(list))
		return NULL;
	parent = &list->nodes[nest->open[nest->depth - 1]];
	parent->value.len++;
	node = &list->nodes[list->count++];
	node->end = list->count;
	if (parent->value.type == DYN_TYPE_M)
	{
		p = dyn_slice_after(read_string(p, end, DYN_TYPE_S, &name), end, ':');
		list->bytes += name.len;
		list->escaped_names |= name.flags != 0;
	}
	node->name = name.data;
	node->name_len = name.len;
	if (parent->value.type >= DYN_TYPE_L)
		return read_node(list, node, nest, p, end);
	return read_scalar(list, &node->value, dyn_element_type(parent->value.type),
					   p, end);
}

/* Reads the members of nodes[0]; returns false if memory runs out. */
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
