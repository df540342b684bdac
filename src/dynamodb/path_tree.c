/*
 * path_tree.c
 *		Compiles document paths into the tree that the item parser follows.
 *
 * The tree is one block: DynPathTree, nodes, hash table, aliases, and names.
 */
#include "path_tree.h"

#include <stdlib.h>
#include <string.h>

#include "../base/text.h"

static bool
step_equal(const DynStep *a, const DynStep *b)
{
	if (a->name == NULL || b->name == NULL)
		return a->name == b->name && a->index == b->index;
	return a->name_len == b->name_len && memcmp(a->name, b->name, a->name_len) == 0;
}

bool
dyn_path_equal(const DynPath *a, const DynPath *b)
{
	return a->nsteps == b->nsteps && dyn_path_is_inside(a, b);
}

bool
dyn_path_is_inside(const DynPath *path, const DynPath *above)
{
	int			same = 0;

	if (path->nsteps < above->nsteps)
		return false;
	while (same < above->nsteps && step_equal(&path->steps[same], &above->steps[same]))
		same++;
	return same == above->nsteps;
}

int
dyn_path_position(const DynPath *path, const DynPath *paths, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (dyn_path_equal(&paths[i], path))
			return i;
	}
	return -1;
}

/* Returns the child's hash table entry; a free entry if there is no child. */
static uint32_t *
find_child(const DynPathTree *tree, uint32_t parent, const DynStep *step)
{
	uint32_t	hash = step->name != NULL
		? (uint32_t) dyn_hash_bytes(step->name, step->name_len)
		: step->index * UINT32_C(0x9e3779b1);
	uint32_t	at = (hash + parent * UINT32_C(0x85ebca6b)) & tree->mask;

	while (tree->table[at] != 0)
	{
		const DynPathNode *child = &tree->nodes[tree->table[at]];

		if (child->parent == parent && step_equal(&child->step, step))
			break;
		at = (at + 1) & tree->mask;
	}
	return &tree->table[at];
}

/*
 * Returns the index of a node's child for this step.  Adds a missing child: its
 * name is copied to *text, and *text moves to the end of the copy.
 */
static uint32_t
add_child(DynPathTree *tree, uint32_t parent, const DynStep *step, char **text)
{
	uint32_t   *entry = find_child(tree, parent, step);
	DynPathNode *child;

	if (*entry != 0)
		return *entry;
	*entry = tree->nnodes++;
	child = &tree->nodes[*entry];
	child->slot = DYN_PATH_TREE_NO_SLOT;
	child->parent = parent;
	child->step = *step;
	if (step->name != NULL)
	{
		child->step.name = memcpy(*text, step->name, step->name_len);
		*text += step->name_len;
	}
	tree->nodes[parent].has_names |= step->name != NULL;
	tree->nodes[parent].has_indexes |= step->name == NULL;
	return *entry;
}

DynPathTree *
dyn_path_tree_create(const DynPath *paths, int npaths)
{
	DynPathTree *tree;
	size_t		most_nodes = 1;
	size_t		entries = 4;
	size_t		text_len = 0;
	char	   *text;

	if (npaths > UINT16_MAX)
		return NULL;
	for (int i = 0; i < npaths; i++)
	{
		most_nodes += paths[i].nsteps;
		for (int j = 0; j < paths[i].nsteps; j++)
			text_len += paths[i].steps[j].name ? paths[i].steps[j].name_len : 0;
	}
	while (entries < 2 * most_nodes)
		entries *= 2;
	tree = calloc(1, sizeof(*tree) + most_nodes * sizeof(*tree->nodes) +
				  entries * sizeof(*tree->table) +
				  npaths * sizeof(*tree->aliases) + text_len);
	if (tree == NULL)
		return NULL;
	tree->nodes = (DynPathNode *) (tree + 1);
	tree->table = (uint32_t *) (tree->nodes + most_nodes);
	tree->mask = (uint32_t) entries - 1;
	tree->aliases = (DynPathAlias *) (tree->table + entries);
	text = (char *) (tree->aliases + npaths);
	tree->nslots = npaths;
	tree->nodes[0].slot = DYN_PATH_TREE_NO_SLOT;
	tree->nnodes = 1;
	for (int i = 0; i < npaths; i++)
	{
		uint32_t	node = 0;

		for (int j = 0; j < paths[i].nsteps; j++)
			node = add_child(tree, node, &paths[i].steps[j], &text);
		if (tree->nodes[node].slot == DYN_PATH_TREE_NO_SLOT)
			tree->nodes[node].slot = i;
		else
			tree->aliases[tree->naliases++] = (DynPathAlias)
			{(uint16_t) tree->nodes[node].slot, (uint16_t) i};
	}
	return tree;
}

void
dyn_path_tree_free(DynPathTree *tree)
{
	free(tree);
}

const DynPathNode *
dyn_path_tree_child(const DynPathTree *tree, const DynPathNode *node,
					DynStep step)
{
	uint32_t	child = *find_child(tree, (uint32_t) (node - tree->nodes), &step);

	return child != 0 ? &tree->nodes[child] : NULL;
}
