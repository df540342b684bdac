/*
 * nodes.h
 *		Lists all values in a list, map or set in one pass.
 *
 * The nodes are for a consumer that needs the size or the members of a
 * container before it can write the container.  The nodes are in the order of
 * the JSON text: a container, then its members.  They point into the value,
 * which must not change.
 *
 * The memory of the nodes is reused for the next value.
 */
#ifndef DYN_DYNAMODB_NODES_H
#define DYN_DYNAMODB_NODES_H

#include "attrvalue.h"

typedef struct DynNode
{
	DynValue	value;			/* value; for a container, len is the number of
								 * members */
	const char *name;			/* name between the quotes, maybe with escapes;
								 * NULL if not in a map */
	uint32_t	name_len;
	uint32_t	end;			/* index of the first node after this one and
								 * its members */
} DynNode;

/* The owner initializes it with zeros, and frees the nodes. */
typedef struct DynNodes
{
	DynNode    *nodes;
	uint32_t	count;
	uint32_t	cap;
	uint32_t	numbers;		/* number of nodes that are numbers */
	bool		escaped_names;	/* true if any name contains JSON escapes */
	size_t		bytes;			/* size of all names, and of the payloads of
								 * all scalars */
} DynNodes;

/*
 * Lists a valid slice (attrvalue.h) of any type; nodes[0] is the value
 * itself.  At least eight bytes can be read at the start of each name, since a
 * value follows the name.  Returns false if memory runs out.
 */
extern bool dyn_nodes_list(DynNodes *list, const DynValue *value);

/* Frees the memory if an unusually large value has enlarged it. */
extern void dyn_nodes_trim(DynNodes *list);

#endif
