/*
 * path_tree.c
 *		Compiles document paths into the tree that the item parser follows.
 *
 * The paths are sorted by their steps.  Then the paths through a node are
 * consecutive (a run), and the paths through each child are a run within this
 * run.  The tree is built level by level, so the children of a node are
 * adjacent and are found by binary search.
 */
#include "path_tree.h"

#include <stdlib.h>
#include <string.h>

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
	while (same < above->nsteps && dyn_step_equal(&path->steps[same], &above->steps[same]))
		same++;
	return same == above->nsteps;
}

/* A path to be added to the tree, and its slot */
typedef struct Branch
{
	const DynPath *path;
	int			slot;
} Branch;

/* The paths through a node: branches[first .. first + count). */
typedef struct Run
{
	int			first;
	int			count;
} Run;

/* Compares two steps like strcmp().  Names sort before indexes. */
static int
compare_steps(const DynStep *a, const DynStep *b)
{
	int			cmp;

	if (a->name == NULL && b->name == NULL)
		return (a->index > b->index) - (a->index < b->index);
	if (a->name == NULL || b->name == NULL)
		return a->name != NULL ? -1 : 1;
	cmp = memcmp(a->name, b->name,
				 a->name_len < b->name_len ? a->name_len : b->name_len);
	return cmp != 0 ? cmp
		: (a->name_len > b->name_len) - (a->name_len < b->name_len);
}

/*
 * Compares two Branches like strcmp(), for qsort().  A path sorts before the
 * paths of which it is a prefix; equal paths sort by slot.
 */
static int
compare_branches(const void *va, const void *vb)
{
	const Branch *a = va;
	const Branch *b = vb;

	for (int i = 0; i < a->path->nsteps && i < b->path->nsteps; i++)
	{
		int			cmp = compare_steps(&a->path->steps[i],
										&b->path->steps[i]);

		if (cmp != 0)
			return cmp;
	}
	if (a->path->nsteps != b->path->nsteps)
		return a->path->nsteps < b->path->nsteps ? -1 : 1;
	return a->slot - b->slot;
}

/*
 * Assigns a slot and aliases to a node, from the paths that end there.  These
 * paths are the first of the node's run, and are removed from the run.
 */
static void
take_slots(DynPathTree *tree, DynPathNode *node, const Branch *branches, Run *run,
		   int depth)
{
	node->slot = DYN_PATH_TREE_NO_SLOT;
	for (; run->count > 0; run->first++, run->count--)
	{
		const Branch *branch = &branches[run->first];

		if (branch->path->nsteps != depth)
			break;
		if (node->slot == DYN_PATH_TREE_NO_SLOT)
			node->slot = branch->slot;
		else
		{
			tree->aliases[tree->naliases].from = (uint16_t) node->slot;
			tree->aliases[tree->naliases].to = (uint16_t) branch->slot;
			tree->naliases++;
		}
	}
}

/* Appends the children of a node to tree->nodes, and their runs to `runs`. */
static void
add_children(DynPathTree *tree, DynPathNode *node, const Branch *branches,
			 Run *runs, Run run, int depth, char **text)
{
	node->children = tree->nnodes;
	node->nnames = node->nindexes = 0;
	while (run.count > 0)
	{
		const DynStep *step = &branches[run.first].path->steps[depth];
		DynPathNode *child = &tree->nodes[tree->nnodes];
		int			n = 1;

		while (n < run.count &&
			   dyn_step_equal(&branches[run.first + n].path->steps[depth], step))
			n++;
		child->step = *step;
		if (step->name != NULL)
		{
			child->step.name = memcpy(*text, step->name, step->name_len);
			*text += step->name_len;
			node->nnames++;
		}
		else
			node->nindexes++;
		runs[tree->nnodes++] = (Run) {run.first, n};
		run.first += n;
		run.count -= n;
	}
}

DynPathTree *
dyn_path_tree_create(const DynPath *paths, int npaths)
{
	DynPathTree *tree;
	Branch	   *branches;
	Run		   *runs;
	size_t		nodes = 1;		/* upper bound on the number of nodes */
	size_t		text = 1;
	char	   *names;
	uint32_t	level_end = 1;
	bool		ok;
	int			depth = 0;

	if (npaths > DYN_PATH_TREE_MAX_SLOTS)
		return NULL;
	tree = calloc(1, sizeof(*tree));
	if (tree == NULL)
		return NULL;
	tree->nslots = npaths;
	for (int i = 0; i < npaths; i++)
	{
		nodes += paths[i].nsteps;
		for (int j = 0; j < paths[i].nsteps; j++)
			text += paths[i].steps[j].name ? paths[i].steps[j].name_len : 0;
	}
	tree->nodes = malloc(nodes * sizeof(*tree->nodes));
	tree->aliases = malloc((npaths + 1) * sizeof(*tree->aliases));
	tree->text = malloc(text);
	branches = malloc((npaths + 1) * sizeof(*branches));
	runs = malloc(nodes * sizeof(*runs));
	ok = tree->nodes != NULL && tree->aliases != NULL && tree->text != NULL &&
		branches != NULL && runs != NULL;
	if (ok)
	{
		for (int i = 0; i < npaths; i++)
			branches[i] = (Branch) {&paths[i], i};
		qsort(branches, npaths, sizeof(*branches), compare_branches);
		/* build level by level: each node appends its children */
		memset(&tree->nodes[0], 0, sizeof(tree->nodes[0]));
		tree->nnodes = 1;
		runs[0] = (Run) {0, npaths};
		names = tree->text;
		for (uint32_t k = 0; k < tree->nnodes; k++)
		{
			if (k == level_end)
			{
				level_end = tree->nnodes;
				depth++;
			}
			take_slots(tree, &tree->nodes[k], branches, &runs[k], depth);
			add_children(tree, &tree->nodes[k], branches, runs, runs[k], depth,
						 &names);
		}
	}
	else
		dyn_path_tree_free(tree);
	free(branches);
	free(runs);
	return ok ? tree : NULL;
}

void
dyn_path_tree_free(DynPathTree *tree)
{
	if (tree == NULL)
		return;
	free(tree->nodes);
	free(tree->aliases);
	free(tree->text);
	free(tree);
}

/* Returns the node with this step among nodes[low .. high), or NULL. */
static const DynPathNode *
find_step(const DynPathTree *tree, uint32_t low, uint32_t high,
		  const DynStep *step)
{
	while (low < high)
	{
		uint32_t	mid = low + (high - low) / 2;
		int			cmp = compare_steps(step, &tree->nodes[mid].step);

		if (cmp == 0)
			return &tree->nodes[mid];
		if (cmp < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

const DynPathNode *
dyn_path_tree_member(const DynPathTree *tree, const DynPathNode *node,
					 const char *name, size_t len)
{
	DynStep		step = {.name = name,.name_len = (uint32_t) len};

	if (node == NULL || node->nnames == 0)
		return NULL;
	return find_step(tree, node->children, node->children + node->nnames,
					 &step);
}

const DynPathNode *
dyn_path_tree_element(const DynPathTree *tree, const DynPathNode *node,
					  uint32_t index)
{
	uint32_t	first;
	DynStep		step = {.index = index};

	if (node == NULL || node->nindexes == 0)
		return NULL;
	first = node->children + node->nnames;
	return find_step(tree, first, first + node->nindexes, &step);
}
