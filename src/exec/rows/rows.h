/*
 * rows.h
 *		From items to tuple slots.
 *
 * A DynRows knows which columns a scan fetches and in which slot of an item
 * each is found.  Decoded values live in CurrentMemoryContext.
 */
#ifndef DYN_EXEC_ROWS_H
#define DYN_EXEC_ROWS_H

#include "executor/tuptable.h"

#include "../../dynamodb/item_match.h"
#include "../../dynamodb/wire.h"
#include "../../plan/keys/access.h"
#include "key_scalar.h"
#include "unnested.h"

/* What is wrong with an item or a value. */
typedef enum DynRowError
{
	DYN_ERROR_MISMATCH,			/* a value that does not fit its column */
	DYN_ERROR_NULL,				/* no value in a column declared NOT NULL */
	DYN_ERROR_AMBIGUOUS,		/* the text of a template */
	DYN_ERROR_SCALAR			/* what is to be unnested has no elements */
} DynRowError;

typedef struct DynRows
{
	DynRelation *relation;
	int			ncolumns;		/* fetched ones */
	AttrNumber *attnums;
	int		   *slots;			/* of column i; -1: it is of the element */
	bool	   *partial;		/* parts of the document are read, so that its
								 * absence says nothing of the whole */
	DynNames  **only;			/* of a partial column: the members that it has,
								 * whatever else was read; NULL: all */
	int		   *positions;		/* in the tuple; NULL: as in the table */

	/* what the page reader is to look for: the columns, then extra attributes */
	int			npaths;
	DynPath    *paths;
	int		   *extra_slots;	/* of the extra attributes */

	/*
	 * what to ask DynamoDB for: paths below jsonb columns instead of the
	 * whole; nothing but the item if a document is fetched
	 */
	const List *scalars;		/* of the access plan: asked for whole */
	bool		full;			/* all attributes: no projection */
	int			nprojection;
	DynPath    *projection;

	/* the table's primary key, to name an item by; slots, -1 if not fetched */
	int			nbase;
	const DynKeyAttr *base;
	int			base_slots[2];
	/*
	 * names the current item when its key was not fetched; may return NULL, with
	 * a reason in *why if the key could not be fetched
	 */
	char	   *(*find_key) (void *arg, const char **why);
	void	   *find_key_arg;

	/*
	 * if set, it is told of faults, also of those that become NULL, and no error
	 * is raised: the value is NULL, and what is ambiguous is no row.  `attnum` is
	 * 0 if a fault is none of a column
	 */
	void		(*note_error) (void *arg, DynRowError err, AttrNumber attnum,
							   const char *why);
	void	   *note_error_arg;

	DynCond    *test;			/* which items are rows; NULL: all of them */
	struct DynParts *parts;		/* of texts that templates spell; or NULL */
	struct DynRest *rest;		/* what documents leave out; NULL: always the
								 * same */
	DynBuffer	scratch;		/* of the test */
	DynUnnested *unnested;		/* rows are elements; NULL: items */

	const DynValue *values;		/* of the item in hand */
	int			left;			/* rows that it still gives; unnested: 1 if
								 * there is an element in hand */
	int			current;		/* column being decoded, for the error context;
								 * -1: none is needed */
} DynRows;

/*
 * Sets up the rows of an access plan, with slots for `nextra` further top-level
 * attributes.  CurrentMemoryContext.
 */
extern DynRows *dyn_rows_create(DynRelation *relation, const DynAccess *access,
								const DynKeyAttr *extra, int nextra);

/*
 * Adds slots for what filters (DynPred *) read, which is asked for but not part
 * of the rows.  Before the rows are used; CurrentMemoryContext.
 */
extern void dyn_rows_add_filters(DynRows *rows, const List *filters);

/*
 * From now on only items that pass the relation's row test give rows.  Adds
 * slots for what it reads; as dyn_rows_add_filters.
 */
extern void dyn_rows_add_test(DynRows *rows);

/*
 * If the relation is unnested, items give a row for each element from now on.
 * Adds a slot for the list, set or map; as dyn_rows_add_filters.
 */
extern void dyn_rows_add_unnest(DynRows *rows);

/*
 * Adds slots for everything that the other rows read, of the same table, and asks
 * for all that they ask for.  Fills in for each of the others' slots which one it
 * is here.  As dyn_rows_add_filters.
 */
extern void dyn_rows_add_rows(DynRows *rows, const DynRows *others, int *slots);

/*
 * A document of which parts were to be read has no others, so that nothing else
 * of it can be an error, although these rows ask for more than `own` do, or are
 * added to rows that do (`all`).  False if that cannot be done.  As
 * dyn_rows_add_filters, but after all that was added.  In rows_limit.c.
 */
extern bool dyn_rows_limit_parts(DynRows *rows, const DynRows *own,
								 const DynRows *all);

/*
 * The rows of an item: dyn_rows_begin with its values, then dyn_rows_next for
 * each row until it returns false.  An item gives at most one row, unless the
 * relation is unnested.  The values must stay as they are meanwhile.
 * dyn_rows_begin raises an error for what cannot be unnested, dyn_rows_next for
 * a value that does not fit its column, and for NULL in a column declared NOT
 * NULL.  dyn_rows_skip passes over the next row; dyn_rows_end gives up the rows
 * that were not asked for.
 *
 * What a row's columns show of the item lasts until the next item is begun.
 */
extern void dyn_rows_begin(DynRows *rows, const DynValue *values);
extern bool dyn_rows_next(DynRows *rows, TupleTableSlot *slot);
extern void dyn_rows_skip(DynRows *rows);
extern void dyn_rows_end(DynRows *rows);

/* Would dyn_rows_next store a row? */
static inline bool
dyn_rows_has_more(const DynRows *rows)
{
	return rows->left > 0;
}

/*
 * The base key of an item, of rows that were created with it as their extra
 * attributes.  Values are decoded into CurrentMemoryContext.
 */
extern void dyn_rows_item_key(const DynRows *rows, const DynValue *values,
							  DynKeyPart *parts);

/* Is that the key, as it is spelled?  False says nothing. */
extern bool dyn_rows_encodes_key(const DynRows *rows, const DynValue *values,
								 const DynKeyPart *parts);

/* The slot of a top-level attribute, -1 if it is not fetched whole. */
extern int	dyn_rows_slot(const DynRows *rows, const char *name);

#endif
