/*
 * elements.h
 *		Iterates over the elements of a list, set or map.
 *
 * A DynElements is a position in a collection.  Elements are slices of the
 * collection, which must not change; nothing is copied or allocated.
 */
#ifndef DYN_DYNAMODB_ELEMENTS_H
#define DYN_DYNAMODB_ELEMENTS_H

#include "../base/buffer.h"
#include "attrvalue.h"
#include "page.h"

typedef struct DynElements
{
	DynValue	collection;

	/* current element */
	DynValue	value;
	DynValue	name;			/* name (S) of a map's member; ABSENT in a list
								 * or set */
	uint32_t	position;		/* position of the element, from 0 */

	/* private */
	uint32_t	given;			/* number of elements read so far */
	const char *next;			/* position after the current element */
} DynElements;

/* Returns true if the value is a list, set or map. */
static inline bool
dyn_is_collection(const DynValue *value)
{
	return value->type >= DYN_TYPE_SS;
}

/* Positions `elements` before the first element of a collection. */
extern void dyn_elements_begin(DynElements *elements,
							   const DynValue *collection);

/* Moves to the next element.  Returns false at the end. */
extern bool dyn_elements_next(DynElements *elements);

/*
 * Stores the value at each path of the tree in the path's slot, like
 * dyn_page_next; the paths begin at `value`, not at an item.  Names with
 * escapes are decoded into the scratch buffer; scratch->failed is set if
 * memory runs out.
 */
extern void dyn_values_below(const DynPathTree *tree, const DynValue *value,
							 DynValue *slots, DynBuffer *scratch);

#endif
