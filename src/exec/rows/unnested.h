/*
 * unnested.h
 *		Rows of one item of an unnested table: a cursor over the elements of
 *		its list, set or map.
 *
 * Elements point into the item's values, which must not change.
 * dyn_unnested_find_values finds the values of columns in the current element.
 * Columns of the item itself are decoded once for all of its rows, into memory
 * that lasts until the next item.
 */
#ifndef DYN_EXEC_FETCH_UNNESTED_H
#define DYN_EXEC_FETCH_UNNESTED_H

#include "../../dynamodb/elements.h"
#include "../../model/tables/relation.h"

typedef struct DynUnnested
{
	int			slot;			/* slot with the list, set or map */
	DynElements elements;
	int			nvalues;		/* number of values, one for each column */
	DynValue   *values;			/* values in the current element */
	int		   *below_slots;	/* slot of each column in `below`; -1: none */

	/* private */
	DynPathBase *bases;
	DynPathTree *tree;			/* paths below an element, or NULL */
	DynValue   *below;			/* values below the current element */
	DynBuffer	scratch;
	char		position[12];

	/* context of the decoded columns of the item */
	MemoryContext context;
	bool		decoded;		/* true if the columns of the item are
								 * decoded */
	Datum	   *datums;
	bool	   *nulls;
} DynUnnested;

/*
 * Returns a cursor, in CurrentMemoryContext, for the columns `attnums`, in
 * this order.  `slot` is the slot of the list, set or map.
 */
extern DynUnnested *dyn_unnested_create(const DynRelation *relation,
										const AttrNumber *attnums, int ncolumns,
										int slot);

/* Move to the first element, and to the next one.  Return false at the end. */
extern bool dyn_unnested_begin(DynUnnested *unnested, const DynValue *collection);
extern bool dyn_unnested_next(DynUnnested *unnested);

/* Sets values[i] for the columns of the current element. */
extern void dyn_unnested_find_values(DynUnnested *unnested);

/*
 * Returns why column `i` has no value for elements of the current collection's
 * type; NULL if it has one.
 */
extern const char *dyn_unnested_error(const DynUnnested *unnested, int i);

#endif
