/*
 * unnested.h
 *		The rows of one item of an unnested table: a cursor over the elements
 *		of its list, set or map.
 *
 * Elements are slices of the item, whose values must stay as they are.  What
 * the columns show of the element at hand is found when the cursor moves to
 * it; what they show of the item itself is decoded once for all its rows, into
 * memory that lasts until the next item.
 */
#ifndef DYN_EXEC_FETCH_UNNESTED_H
#define DYN_EXEC_FETCH_UNNESTED_H

#include "../../dynamodb/elements.h"
#include "../../model/tables/relation.h"

typedef struct DynUnnested
{
	int			slot;			/* of the item: the list, set or map */
	DynElements elements;
	int			nvalues;		/* of the columns: one each */
	DynValue   *values;			/* of the element at hand */
	int		   *below_slots;	/* their slots in `below`; -1: in none */

	/* private */
	DynPathBase *bases;
	DynPathTree *tree;			/* of the paths below an element; NULL: none */
	DynValue   *below;
	DynBuffer	scratch;
	char		position[12];

	/* of the item */
	MemoryContext context;
	bool		decoded;		/* these are */
	Datum	   *datums;
	bool	   *nulls;
} DynUnnested;

/*
 * A cursor for the columns given, in their order; `slot` is that of the
 * collection.  CurrentMemoryContext.
 */
extern DynUnnested *dyn_unnested_create(const DynRelation *relation,
										const AttrNumber *attnums, int ncolumns,
										int slot);

/*
 * Moves to the first element of the item, or to the next one; false if there
 * is none.
 */
extern bool dyn_unnested_begin(DynUnnested *unnested, const DynValue *collection);
extern bool dyn_unnested_next(DynUnnested *unnested);

/* Sets values[i] for the columns of the element at hand. */
extern void dyn_unnested_find_values(DynUnnested *unnested);

/* Why a column has no value for the elements of this collection, or NULL. */
extern const char *dyn_unnested_error(const DynUnnested *unnested, int i);

#endif
