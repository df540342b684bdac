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

void
dyn_elements_begin(DynElements *elements, const DynValue *collection)
{
	memset(&elements->name, 0, sizeof(elements->name));
	elements->collection = *collection;
	elements->given = 0;
	dyn_value_iterator_begin(&elements->iterator, collection);
	(void) dyn_value_iterator_next(&elements->iterator, &elements->value);
}

bool
dyn_elements_next(DynElements *elements)
{
	if (elements->collection.type == DYN_TYPE_M &&
		dyn_value_iterator_next(&elements->iterator, &elements->name) != DYN_VALUE_NAME)
		return false;
	elements->position = elements->given++;
	return dyn_value_iterator_element(&elements->iterator, &elements->collection,
									  &elements->value);
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
	if (node->nnames + node->nindexes == 0 ||
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
