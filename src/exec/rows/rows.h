/*
 * rows.h
 *		Converts items to rows (TupleTableSlots).
 *
 * The page parser stores an item as an array of values, one for each path that
 * is read (DynRows.paths).  An index into this array is called a slot of the
 * item.  A DynRows lists the columns that a scan fetches, and their slots.
 * Decoded values live in CurrentMemoryContext.
 */
#ifndef DYN_EXEC_ROWS_H
#define DYN_EXEC_ROWS_H

#include "executor/tuptable.h"

#include "../../dynamodb/elements.h"
#include "../../dynamodb/expression.h"
#include "../../dynamodb/wire.h"
#include "../../plan/keys/access.h"

typedef enum DynRowError
{
	DYN_ERROR_MISMATCH,			/* value does not match its column */
	DYN_ERROR_NULL,				/* NULL in a column declared NOT NULL */
	DYN_ERROR_AMBIGUOUS,		/* key matches its template in several ways */
	DYN_ERROR_SCALAR			/* value to be unnested is a scalar */
} DynRowError;

/*
 * Cursor over the elements of an item, which are the rows of an unnested
 * table.  The elements point into the item's values.
 */
typedef struct DynUnnested
{
	int			slot;			/* slot with the list, set or map */
	DynElements elements;
	DynPathTree *tree;			/* paths below an element, or NULL */
	DynValue   *below;			/* values at these paths */
	DynBuffer	scratch;
	char		position[12];	/* position of the element, as text */
	MemoryContext context;		/* context of the item's own columns, which are
								 * decoded once for all of its rows */
	bool		decoded;
} DynUnnested;

typedef struct DynRowColumn
{
	DynColumn  *column;
	AttrNumber	attnum;
	bool		partial;		/* true if only members of a document are
								 * needed; the document may exist without them,
								 * so NOT NULL is not checked */
	int			slot;			/* index among the item's slots; -1 if the
								 * column is read from the unnested element */
	int			position;		/* position in the row, from 0 */
	DynNames   *only;			/* members to be shown; NULL: all */

	/* unnested table */
	int			below_slot;		/* index in DynUnnested.below, or -1 */
	Datum		datum;			/* value, if read from the item itself */
	bool		isnull;
} DynRowColumn;

typedef struct DynRows
{
	DynRelation *relation;
	Oid			reader;			/* user who may see items in messages, or
								 * InvalidOid; stored here, because an error
								 * callback must not read catalogs */
	int			ncolumns;
	DynRowColumn *columns;
	bool		composed;		/* true if items were not received, but
								 * composed (requested.c, reread.c), so NULLs
								 * may violate NOT NULL or a domain */

	/* paths that the page parser reads, those of the columns first */
	int			npaths;
	int			path_space;
	DynPath    *paths;

	/* requested projection, with only the needed paths of jsonb columns */
	const List *scalars;		/* key attributes (String) to request in full,
								 * since DynamoDB rejects paths below them */
	bool		full;			/* true to request full items */
	int			nprojection;
	int			projection_space;
	DynPath    *projection;

	/* primary key of the table, and its slots (-1 if not fetched) */
	int			nbase;
	const DynKeyAttr *base;
	int			base_slots[2];
	int			sort_slots[DYN_MAX_KEY_ATTRS];	/* slots for DYN_ROWS_SORT */
	/*
	 * Finds the current item's key if it was not fetched.  Returns NULL if the
	 * key remains unknown, with a reason in *why if a request was sent.
	 */
	const char *(*find_key) (void *arg, const char **why);
	void	   *find_key_arg;

	/*
	 * If this callback is set, each error, even under on_mismatch 'null', is
	 * passed to it and not raised.  A value with an error becomes NULL.  An
	 * item whose key matches its template in several ways is skipped.
	 * `attnum` is 0 for an error without a column.
	 */
	void		(*note_error) (void *arg, DynRowError err, AttrNumber attnum,
							   const char *why);
	void	   *note_error_arg;

	DynCond    *test;			/* item filter as a condition, or NULL */
	struct DynParts *parts;		/* parts of templated attributes, or NULL */
	DynNames   *omitted;		/* attributes of the current item that a "rest"
								 * column (option document 'rest') omits; NULL
								 * if it omits the same ones for all items */
	DynBuffer	scratch;		/* scratch buffer of `test` */
	DynUnnested *unnested;		/* elements that are rows, or NULL */

	const DynValue *values;		/* values of the current item */
	int			left;			/* 1 if the item has another row, else 0 */
	const DynRowColumn *current;	/* column being decoded, or NULL; its
									 * member `column` is NULL while the item's
									 * key is decoded */
} DynRows;

/* Flags of dyn_rows_create; the first three add attributes to be read */
#define DYN_ROWS_SORT		0x01	/* sort attributes of the access plan */
#define DYN_ROWS_KEY		0x02	/* the table's key */
#define DYN_ROWS_PARTITION	0x04	/* partition key of the table or index */
#define DYN_ROWS_CONVERT	0x08	/* convert items: check item filter and
									 * templates, and unnest elements */

/*
 * Creates the row conversion of an access plan, in CurrentMemoryContext.
 * Reads and requests the plan's columns, the attributes that `flags`
 * (DYN_ROWS_*) selects, and those in `filters` (list of DynPred *).
 */
extern DynRows *dyn_rows_create(DynRelation *relation, const DynAccess *access,
								int flags, const List *filters);

/*
 * Adds the paths and the projection of `others`, a conversion for the same
 * table, to `rows`.  Stores in slots[i] the slot of `rows` that has the value
 * of slot i of `others`.  Must be called before `rows` converts an item.
 * Allocates in CurrentMemoryContext.
 */
extern void dyn_rows_add_rows(DynRows *rows, const DynRows *others, int *slots);

/*
 * Makes `rows` ignore the parts of documents that its scan does not need, so
 * that values there cannot raise errors.  Returns false if a part cannot be
 * ignored.  `own` has the paths that this scan needs; `all` has all paths that
 * are read (`rows`, or the DynRows to which dyn_rows_add_rows added `rows`).
 * Must be called after dyn_rows_add_rows.  Allocates in CurrentMemoryContext.
 */
extern bool dyn_rows_limit_parts(DynRows *rows, const DynRows *own,
								 const DynRows *all);

/* Returns the slot of a top-level attribute; -1 if there is none. */
extern int	dyn_rows_slot(const DynRows *rows, const char *name);

/*
 * The following functions convert an item to rows: call dyn_rows_begin with
 * the item's values, then dyn_rows_next until it returns false.  The item's
 * values must not change in the meantime.  An item has at most one row, unless
 * the relation is unnested.  The values of a row's columns are valid until the
 * next item is begun.  Both functions raise errors (enum DynRowError), unless
 * note_error is set.  dyn_rows_skip skips a row; dyn_rows_end drops the rest.
 */
extern void dyn_rows_begin(DynRows *rows, const DynValue *values);
extern bool dyn_rows_next(DynRows *rows, TupleTableSlot *slot);
extern void dyn_rows_end(DynRows *rows);

/* Makes the current row's values valid until the memory of `rows` is freed. */
extern void dyn_rows_keep_row(DynRows *rows);

static inline void
dyn_rows_skip(DynRows *rows)
{
	Assert(rows->left > 0);
	rows->left = rows->unnested != NULL && dyn_elements_next(&rows->unnested->elements);
}

static inline bool
dyn_rows_has_more(const DynRows *rows)
{
	return rows->left > 0;
}

/* ---- keys of items ---- */

/* Decodes the item's key into CurrentMemoryContext; needs DYN_ROWS_KEY. */
extern void dyn_rows_item_key(const DynRows *rows, const DynValue *values,
							  DynKeyPart *parts);

/*
 * Returns true if the item's key has the same encoding as `parts`.  If not,
 * the keys may still be equal, such as the numbers 1 and 1.0.
 */
extern bool dyn_rows_encodes_key(const DynRows *rows, const DynValue *values,
								 const DynKeyPart *parts);

/*
 * Returns an item's key as text, such as pk = "a", sk = 5, from the given
 * slots.  Returns NULL if a slot is -1, or if its value cannot be in a key.
 * Raises no errors, because the text is used in error messages.
 */
extern const char *dyn_item_key_text(const DynKeyAttr *base, int nbase,
									 const int *slots, const DynValue *values);

/*
 * Stores a key attribute's value in *scalar, decoded into
 * CurrentMemoryContext.  Raises an error that names the attribute if a key
 * cannot have the value.
 */
extern void dyn_key_scalar(const DynRelation *relation, const char *name,
						   const DynValue *value, DynScalar *scalar);

/* Returns a key as text in the database's encoding (dyn_from_utf8_lossy). */
extern const char *dyn_key_text(const DynKeyPart *parts, int nparts,
								const char *separator);

/* ---- single items ---- */

/*
 * Reads single items: JSON objects of attribute values, as in the response to
 * a write.
 */
typedef struct DynItemReader
{
	DynRows    *rows;
	DynPathTree *tree;			/* paths of `rows` */
	DynPage		page;
	DynValue   *values;
} DynItemReader;

/* Returns a reader in CurrentMemoryContext, whose reset frees the reader. */
extern DynItemReader *dyn_item_reader_create(DynRows *rows);

/* Parses an item; returns its slots, which are valid until the next call. */
extern const DynValue *dyn_item_reader_read(DynItemReader *reader,
											const char *item, size_t len);

#endif
