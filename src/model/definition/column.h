/*
 * column.h
 *		A column of a foreign table: the location of its value in an item,
 *		and the type that the value is converted to.
 */
#ifndef DYN_MODEL_COLUMN_H
#define DYN_MODEL_COLUMN_H

#include "../../dynamodb/page.h"
#include "../values/path.h"
#include "../values/types.h"
#include "exact.h"
#include "options.h"

typedef struct DynColumn
{
	const char *name;
	bool		dropped;
	bool		not_null;
	bool		placed;			/* true if an option sets the location */
	Oid			collation;
	DynPathBase base;			/* start of the path; always ITEM unless the
								 * table is unnested */
	const DynPath *path;		/* path from the item to the value, to the
								 * string that a template composes from the
								 * value, or to the unnested collection; a
								 * document's path has no steps */
	const DynPath *below;		/* path in the element, if base is ELEMENT */
	DynDocument document;
	int			segments;		/* number of segments, if the column shows the
								 * Scan segment of the item; else 0 */
	int			templated;		/* index of the template that the column is
								 * read from (template_columns.h), or -1 */
	int			part;			/* index of the part in the template */
	bool		null_on_mismatch;
	DynCodec	codec;			/* codec of the value, or of the part */
	DynTraits	traits;			/* see exact.h */
} DynColumn;

/*
 * Returns true if the column is read from the item itself, not from an element
 * of an unnested collection.
 */
static inline bool
dyn_column_is_of_item(const DynColumn *column)
{
	return column->base == DYN_PATH_ITEM;
}

/* Returns true if the column is read from a part of a template. */
static inline bool
dyn_column_is_part(const DynColumn *column)
{
	return column->templated >= 0;
}

#endif
