/*
 * elements.h
 *		The elements of a list, set or map, one by one.
 *
 * A DynElements is a position in a collection; its elements are slices of it,
 * which must stay as it is.  Nothing is copied or allocated for an element.
 *
 * Plain C.
 */
#ifndef DYN_DYNAMODB_ELEMENTS_H
#define DYN_DYNAMODB_ELEMENTS_H

#include "../base/buffer.h"
#include "attrvalue.h"
#include "page.h"

typedef struct DynElements
{
	DynValue	collection;

	/* the element at hand */
	DynValue	value;
	DynValue	name;			/* in a map, like an S; otherwise ABSENT */
	uint32_t	position;		/* from 0 */

	/* private */
	uint32_t	given;
	DynWalk		walk;
} DynElements;

/* Has the value elements?  A list, set or map. */
static inline bool
dyn_is_collection(const DynValue *value)
{
	return value->type >= DYN_TYPE_SS;
}

/* Before the first element of a collection. */
extern void dyn_elements_begin(DynElements *elements,
							   const DynValue *collection);

/* Moves to the next element; false at the end. */
extern bool dyn_elements_next(DynElements *elements);

/*
 * The values at the tree's paths below a value: fills one slot for each path,
 * as dyn_page_next does for an item.  Names with escapes are decoded in the
 * scratch buffer; scratch->failed is set if memory runs out.
 */
extern void dyn_values_below(const DynPathTree *tree, const DynValue *value,
							 DynValue *slots, DynBuffer *scratch);

#endif
