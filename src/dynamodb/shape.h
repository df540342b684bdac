/*
 * shape.h
 *		What is wanted of an item: document paths compiled into a tree.
 *
 * A node stands for a place in an item; the root is the item.  A node has a
 * slot if a path ends there, and children, by member name and by list index,
 * if paths go on.  A node may have both, for info and info.rating.
 *
 * Paths that are equal share a node, hence a slot; the others of them are
 * listed as twins, to be copied when an item is handed out.
 */
#ifndef DYN_DYNAMODB_SHAPE_H
#define DYN_DYNAMODB_SHAPE_H

#include "page.h"

#define DYN_SHAPE_MAX_SLOTS		65535
#define DYN_SHAPE_NO_SLOT		(-1)

typedef struct DynShapeNode
{
	int32_t		slot;			/* DYN_SHAPE_NO_SLOT: only passed through */
	DynStep		step;			/* from the parent to here */
	uint32_t	children;		/* index of the first child: names in the order
								 * of their bytes, then list indexes */
	uint32_t	nnames;
	uint32_t	nindexes;
} DynShapeNode;

/* Slot `to` has the same path as slot `from`. */
typedef struct DynShapeTwin
{
	uint16_t	from;
	uint16_t	to;
} DynShapeTwin;

struct DynShape
{
	DynShapeNode *nodes;		/* nodes[0] is the root */
	uint32_t	nnodes;
	DynShapeTwin *twins;
	int			ntwins;
	int			nslots;
	char	   *text;			/* the names */
};

/* The child a name or list index leads to, or NULL.  `node` may be NULL. */
extern const DynShapeNode *dyn_shape_member(const DynShape *shape,
											const DynShapeNode *node,
											const char *name, size_t len);
extern const DynShapeNode *dyn_shape_element(const DynShape *shape,
											 const DynShapeNode *node,
											 uint32_t index);

#endif
