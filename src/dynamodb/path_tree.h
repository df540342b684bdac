/*
 * path_tree.h
 *		Compiles the wanted document paths into a tree.
 *
 * A node is a location in an item; the root is the item.  A node has a slot if
 * a path ends there, and children, by member name and by list index, if paths
 * continue.  It may have both, for info and info.rating.
 *
 * Equal paths share a node, which has the slot of one of them.  The slots of
 * the others are aliases: they are copied when an item is returned.
 */
#ifndef DYN_DYNAMODB_PATH_TREE_H
#define DYN_DYNAMODB_PATH_TREE_H

#include <string.h>

#include "page.h"

#define DYN_PATH_TREE_MAX_SLOTS		65535
#define DYN_PATH_TREE_NO_SLOT		(-1)

typedef struct DynPathNode
{
	int32_t		slot;			/* DYN_PATH_TREE_NO_SLOT: no path ends here */
	DynStep		step;			/* step from the parent to this node */
	uint32_t	children;		/* index of the first child: names in byte
								 * order, then list indexes */
	uint32_t	nnames;
	uint32_t	nindexes;
} DynPathNode;

/* Slot `to` has the same path as slot `from`. */
typedef struct DynPathAlias
{
	uint16_t	from;
	uint16_t	to;
} DynPathAlias;

struct DynPathTree
{
	DynPathNode *nodes;			/* nodes[0] is the root */
	uint32_t	nnodes;
	DynPathAlias *aliases;
	int			naliases;
	int			nslots;
	char	   *text;			/* memory of the names */
};

/* Inline, because each request compares many paths. */
static inline bool
dyn_step_equal(const DynStep *a, const DynStep *b)
{
	if (a->name == NULL || b->name == NULL)
		return a->name == b->name && a->index == b->index;
	return a->name_len == b->name_len && memcmp(a->name, b->name, a->name_len) == 0;
}

/* Return the child for a name or list index, or NULL.  `node` may be NULL. */
extern const DynPathNode *dyn_path_tree_member(const DynPathTree *tree,
											   const DynPathNode *node,
											   const char *name, size_t len);
extern const DynPathNode *dyn_path_tree_element(const DynPathTree *tree,
												const DynPathNode *node,
												uint32_t index);

#endif
