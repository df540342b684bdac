/*
 * path_tree.h
 *		Compiles the wanted document paths into a tree.
 *
 * A node is a location in an item; the root is the item.  A node has a slot if
 * a path ends there.  If paths continue, it has a child for each next step (a
 * member name or a list index).  With the paths info and info.rating, the node
 * of info has a slot and a child.
 *
 * Equal paths share a node, which has the slot of one of these paths.  The
 * other slots are aliases: values are copied to them when an item is returned.
 */
#ifndef DYN_DYNAMODB_PATH_TREE_H
#define DYN_DYNAMODB_PATH_TREE_H

#include "page.h"

#define DYN_PATH_TREE_NO_SLOT		(-1)

typedef struct DynPathNode
{
	int32_t		slot;			/* slot, or DYN_PATH_TREE_NO_SLOT */
	uint32_t	parent;			/* index of the parent */
	DynStep		step;			/* step from the parent to this node */
	bool		has_names;		/* true if a child is a member */
	bool		has_indexes;	/* true if a child is a list element */
} DynPathNode;

/* A slot `to` with the same path as slot `from` */
typedef struct DynPathAlias
{
	uint16_t	from;
	uint16_t	to;
} DynPathAlias;

struct DynPathTree
{
	DynPathNode *nodes;			/* nodes[0] is the root */
	uint32_t	nnodes;
	uint32_t   *table;			/* hash table that finds a node by parent and
								 * step; 0 in a free entry */
	uint32_t	mask;			/* number of entries in `table`, minus 1 */
	DynPathAlias *aliases;
	int			naliases;
	int			nslots;
};

/* Returns the child of a node for a step, or NULL. */
extern const DynPathNode *dyn_path_tree_child(const DynPathTree *tree,
											  const DynPathNode *node,
											  DynStep step);

/* Return the child for a name or list index, or NULL; `node` may be NULL. */
static inline const DynPathNode *
dyn_path_tree_member(const DynPathTree *tree, const DynPathNode *node,
					 const char *name, size_t len)
{
	return node == NULL || !node->has_names ? NULL
		: dyn_path_tree_child(tree, node, (DynStep) {name, (uint32_t) len, 0});
}

static inline const DynPathNode *
dyn_path_tree_element(const DynPathTree *tree, const DynPathNode *node,
					  uint32_t index)
{
	return node == NULL || !node->has_indexes ? NULL
		: dyn_path_tree_child(tree, node, (DynStep) {NULL, 0, index});
}

#endif
