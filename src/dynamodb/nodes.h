/*
 * nodes.h
 *		All values of a list, map or set, listed in one pass.
 *
 * For a consumer that needs the size or the members of a container before it
 * can write it.  The nodes stand in the order of the text: a container, then
 * its members.  They point into the value, which must stay as it is.
 *
 * The memory of the nodes is used again for the next value.
 */
#ifndef DYN_DYNAMODB_NODES_H
#define DYN_DYNAMODB_NODES_H

#include "attrvalue.h"

typedef struct DynNode
{
	DynValue	value;			/* of a container, len counts its members */
	const char *name;			/* between the quotes; NULL: not in a map */
	uint32_t	name_len;
	uint32_t	end;			/* first node after this one and its members */
} DynNode;

/* All zero before the first use. */
typedef struct DynNodes
{
	DynNode    *nodes;
	uint32_t	count;
	uint32_t	cap;
	uint32_t	numbers;		/* how many nodes are numbers */
	bool		escaped_names;	/* some names hold JSON escapes */
	size_t		bytes;			/* of all names and payloads of scalars */
} DynNodes;

/*
 * Lists the value, a valid slice (attrvalue.h) of any type; nodes[0] is the
 * value itself.  Eight bytes can be read at each name, since a value follows
 * it.  Returns false if memory runs out.
 */
extern bool dyn_nodes_list(DynNodes *list, const DynValue *value);

/* Gives back the memory of an uncommonly large value. */
extern void dyn_nodes_trim(DynNodes *list);

#endif
