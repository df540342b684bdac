/*
 * elements.c
 *		Iterates over the elements of a list, set or map.
 *
 * dyn_elements_next reads an element to its end.  If the element is a list or
 * map on a requested path, dyn_values_below reads it again for the values
 * inside, so a value is read once for each level of nesting.
 */
#include "elements.h"

#include <string.h>

#include "path_tree.h"
#include "slice.h"

void
dyn_elements_begin(DynElements *elements, const DynValue *collection)
{
	memset(elements, 0, sizeof(*elements));
	elements->collection = *collection;
	elements->next = collection->data + 1;
}

/* Returns true if a string, or a part of a document, contains \u0000. */
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

/* Reads the string whose quote is at `p`; returns the position after it. */
static const char *
read_string(const char *p, const char *end, DynType type, DynValue *value)
{
	bool		escaped = false;
	const char *quote = dyn_slice_quote(p + 1, end, &escaped);

	*value = (DynValue) {p + 1, (uint32_t) (quote - p - 1), (uint8_t) type, 0};
	if (escaped)
		value->flags = DYN_VALUE_ESCAPED |
			(has_nul(p, quote) ? DYN_VALUE_HAS_NUL : 0);
	return quote + 1;
}

/* Returns the position after the collection whose bracket is at `p`. */
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

/*
 * Reads the attribute value whose brace is at `p`; returns the position after
 * its payload.
 */
static const char *
read_value(DynElements *elements, const char *p, const char *end)
{
	DynValue   *value = &elements->value;
	const char *start;
	DynType		type;

	start = p = dyn_slice_tag(p, end, &type);
	if (type <= DYN_TYPE_B)
		return read_string(p, end, type, value);
	*value = (DynValue) {start, 0, (uint8_t) type, 0};
	if (!dyn_is_collection(value))
	{
		if (type == DYN_TYPE_BOOL && *p == 't')
			value->flags = DYN_VALUE_TRUE;
		return p + (*p == 't' ? 4 : 5);
	}
	p = skip_collection(start, end);
	value->len = (uint32_t) (p - start);
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
		elements->next = read_string(p, end, dyn_element_type(collection->type),
									 &elements->value);
		return true;
	}
	if (collection->type == DYN_TYPE_M)
		p = dyn_slice_token(read_string(p, end, DYN_TYPE_S, &elements->name), end);
	p = read_value(elements, p, end);
	/* the brace that ends the attribute value */
	elements->next = dyn_slice_token(p, end) + 1;
	return true;
}

typedef struct Search
{
	const DynPathTree *tree;
	DynValue   *slots;
	DynBuffer  *scratch;
} Search;

/*
 * Returns the path tree node of a member with this name; NULL if there is
 * none, or if memory runs out.
 */
static const DynPathNode *
find_member(const Search *search, const DynPathNode *node, const DynValue *name)
{
	const char *text = name->data;
	size_t		len = name->len;

	if (name->flags & DYN_VALUE_ESCAPED)
	{
		dyn_buffer_reset(search->scratch);
		if (!dyn_buffer_reserve(search->scratch, len + 1))
			return NULL;
		len = dyn_value_text(name, search->scratch->data);
		text = search->scratch->data;
	}
	return dyn_path_tree_member(search->tree, node, text, len);
}

/* Fills the slots of a path tree node and of the nodes below it. */
static void
fill_slots(const Search *search, const DynPathNode *node, const DynValue *value)
{
	DynElements inside;

	if (node->slot != DYN_PATH_TREE_NO_SLOT)
		search->slots[node->slot] = *value;
	if (!(node->has_names || node->has_indexes) ||
		(value->type != DYN_TYPE_M && value->type != DYN_TYPE_L))
		return;
	dyn_elements_begin(&inside, value);
	while (dyn_elements_next(&inside))
	{
		const DynPathNode *child = value->type == DYN_TYPE_M
			? find_member(search, node, &inside.name)
			: dyn_path_tree_element(search->tree, node, inside.position);

		if (child != NULL)
			fill_slots(search, child, &inside.value);
	}
}

void
dyn_values_below(const DynPathTree *tree, const DynValue *value,
				 DynValue *slots, DynBuffer *scratch)
{
	Search		search = {tree, slots, scratch};

	memset(slots, 0, tree->nslots * sizeof(*slots));
	if (value->type != DYN_TYPE_M && value->type != DYN_TYPE_L)
		return;
	fill_slots(&search, &tree->nodes[0], value);
	for (int i = 0; i < tree->naliases; i++)
		slots[tree->aliases[i].to] = slots[tree->aliases[i].from];
}
