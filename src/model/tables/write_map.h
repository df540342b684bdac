/*
 * write_map.h
 *		Determines what a row of a foreign table writes: the attributes and
 *		paths of its columns, the attributes of its templates, and the
 *		constants of its item filter.
 *
 * Only write_map.c decides which tables and columns can be written.  Each
 * attribute of the table's key must be determined by a template, by a column
 * that shows the attribute and has one encoding for each value, or by a
 * constant of the item filter.  All other attributes are optional.
 *
 * write_values.c composes the key and the values of a row, which is a slot
 * that has been deformed (slot_getallattrs).  Results are allocated in
 * CurrentMemoryContext, but the values of columns with the option document
 * 'rest' may point into the row.
 */
#ifndef DYN_MODEL_WRITE_MAP_H
#define DYN_MODEL_WRITE_MAP_H

#include "executor/tuptable.h"

#include "../../dynamodb/update.h"
#include "../values/types.h"
#include "relation.h"

/* The origin of a key attribute of the table; at most one field is set. */
typedef struct DynKeySource
{
	const DynTemplatedAttr *templated;
	AttrNumber	attnum;
	const DynScalar *constant;
} DynKeySource;

typedef struct DynWriteMap
{
	DynRelation *relation;		/* connected (dyn_relation_connect_described) */
	const DynTableMeta *meta;
	int			nparts;			/* number of the table's key attributes */

	/* columns read from the table's key attributes; an UPDATE keeps them */
	Bitmapset  *from_key;

	/*
	 * columns from which the table's key is built, directly or by a template;
	 * an UPDATE may change such a column if it is not in from_key, and the key
	 * stays the same
	 */
	Bitmapset  *key_columns;

	Bitmapset  *documents;		/* columns with the option document */
	Bitmapset  *unassignable;	/* columns that cannot be assigned, even if the
								 * table can be written */

	/* private to write_map.c and write_values.c */
	DynKeySource sources[2];	/* sources of the table's key attributes */
	bool		overlaps;		/* true if the path of a column or template is
								 * equal to another path, or inside it */
} DynWriteMap;

/* Raises an error unless the table's options permit writing. */
extern void dyn_write_map_permit(Oid relid, CmdType operation);

/*
 * Opens the foreign table as this user, and returns its write map, even if the
 * table cannot be written.  Sends DescribeTable if no description is cached.
 */
extern DynWriteMap *dyn_write_map_open(Oid relid, Oid user);

/*
 * Raises an error if the table does not support this operation: 55000 if the
 * option updatable does not permit it, 0A000 for other reasons.
 */
extern void dyn_write_map_require(const DynWriteMap *map, CmdType operation);

/* Raises an error (0A000) if an UPDATE cannot change the column. */
extern void dyn_write_map_require_column(const DynWriteMap *map, AttrNumber attnum);

/*
 * Composes the attribute of a template from the columns of a row, none of
 * which may be NULL.  `found` is true if the row was read, and false if it is
 * new.  Returns 0, or the column whose value cannot be stored, with *err set.
 */
extern AttrNumber dyn_templated_compose(const DynTemplatedAttr *templated,
										const Datum *values, bool found,
										DynScalar *out, DynStoreError *err);

/* Composes the key in schema order; `found` is true if the row was read. */
extern void dyn_write_map_key(DynWriteMap *map, const TupleTableSlot *slot,
							  bool found, DynKeyPart *parts);

/* Sets *out to a new item's values, key included; returns their number. */
extern int	dyn_write_map_insert(DynWriteMap *map, const TupleTableSlot *slot,
								 DynPathValue **out);

/*
 * Sets *out to the values that an UPDATE writes, and returns their number.
 * They are the changed columns (none may be in from_key), the templates that
 * contain them, and all templates of an index whose key changes.  The type
 * ABSENT stands for the removal of a value.
 *
 * If `compared` is not NULL, sets *out to all values of the new row, and
 * *compared to the columns with a value in *out, so that the caller can check
 * that the item will be read back as this row.  Values of unchanged columns
 * that we cannot encode are missing in *out.
 */
extern int	dyn_write_map_update(DynWriteMap *map, const TupleTableSlot *slot,
								 const Bitmapset *changed, Bitmapset **compared,
								 DynPathValue **out);

/* Returns the columns of the templates that dyn_write_map_update composes. */
extern Bitmapset *dyn_write_map_rewritten(const DynWriteMap *map,
										  const Bitmapset *changed);

/*
 * Sets *out to the guard of a write, and returns the number of its values.
 * The guard is the condition that attributes still have the values that were
 * read.  For each column in `read`, except key, document and segment columns,
 * it has the value as we encode it; ABSENT means that the attribute must not
 * exist.  If another application stored an equal value in another encoding,
 * the write fails, and is repeated with the stored value.
 */
extern int	dyn_write_map_guard(DynWriteMap *map, const TupleTableSlot *slot,
								const Bitmapset *read, DynPathValue **out);

/*
 * Marker in a guard for a stored value that we can read but not encode: an
 * empty set, which no item can contain.  For this marker, row_write.c sends a
 * condition that always fails, so that the response contains the stored value.
 */
extern const DynScalar dyn_only_theirs;

/* Returns true if a column or template sets the attribute of a filter term. */
extern bool dyn_write_map_names(const DynWriteMap *map, const DynFilterTerm *term);

#endif
