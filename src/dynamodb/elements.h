/*
 * elements.h
 *		Reads the values in a list, set or map: one by one, or all at once.
 *
 * A DynElements is a position in a collection (a list, set or map).  A
 * DynNodes lists a collection and all values in it.  A collection's node comes
 * before its members, and contains the number of members: jsonb is written in
 * this order, and needs the number first.  Both structs point into the
 * collection, which must not change.
 */
#ifndef DYN_DYNAMODB_ELEMENTS_H
#define DYN_DYNAMODB_ELEMENTS_H

#include "../base/buffer.h"
#include "page.h"

typedef struct DynElements
{
	DynValue	collection;

	/* current element */
	DynValue	value;
	DynValue	name;			/* name (S) of a map's member, or ABSENT */
	uint32_t	position;		/* position of the element, from 0 */

	/* private */
	uint32_t	given;			/* number of elements read so far */
	const char *next;			/* position after the current element */
} DynElements;

/* Positions `elements` before the first element of a collection. */
extern void dyn_elements_begin(DynElements *elements,
							   const DynValue *collection);

/* Moves to the next element.  Returns false at the end. */
extern bool dyn_elements_next(DynElements *elements);

/*
 * Stores the value at each path of the tree in the path's slot.  This is like
 * dyn_page_next, but the paths begin at `value`.  The scratch buffer is used
 * to decode names; scratch->failed is set if memory runs out.
 */
extern void dyn_values_below(const DynPathTree *tree, const DynValue *value,
							 DynValue *slots, DynBuffer *scratch);

/* ---- all values at once ---- */

typedef struct DynNode
{
	DynValue	value;			/* `len` of a collection counts its members */
	const char *name;			/* name in a map, maybe escaped, or NULL */
	uint32_t	name_len;
	uint32_t	end;			/* index of the node after all its members */
} DynNode;

/* Must be zero-initialized.  Calls reuse `nodes`, and the owner frees it. */
typedef struct DynNodes
{
	DynNode    *nodes;
	uint32_t	count;
	uint32_t	cap;
	uint32_t	numbers;		/* number of nodes that are numbers */
	bool		escaped_names;	/* true if any name contains JSON escapes */
	size_t		bytes;			/* size of all names and scalars */
} DynNodes;

/*
 * Lists a value and all values in it; nodes[0] is the value itself.  Eight
 * bytes can be read at a node's name even if it is shorter, because the JSON
 * text of the member's value follows it.  Returns false if memory runs out.
 */
extern bool dyn_nodes_list(DynNodes *list, const DynValue *value);

/* Frees the list's memory if an unusually large value has enlarged it. */
extern void dyn_nodes_trim(DynNodes *list);

#endif
