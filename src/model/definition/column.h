/*
 * column.h
 *		A column of a foreign table: where its value is in an item, and what it
 *		is converted to.
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
	bool		placed;			/* an option says where the value is */
	Oid			collation;
	DynPathBase base;			/* of the table's unnest: what of an element */
	const DynPath *path;		/* of the value in the item, or of the text
								 * that it is a part of; of a document, without
								 * steps; of an element, that of the collection */
	const DynPath *below;		/* of the value in the element */
	DynDocument document;
	int			templated;		/* that text is of this template's attribute
								 * (template_columns.h); -1: the value itself */
	int			part;			/* of the template */
	bool		null_on_mismatch;
	DynCodec	codec;			/* of the value, or of the part's text */
	DynTraits	traits;			/* see exact.h */
} DynColumn;

/* Is the column's value in the item, and not in an element of it? */
static inline bool
dyn_column_is_of_item(const DynColumn *column)
{
	return column->base == DYN_PATH_ITEM;
}

/* Is it read from a part of an attribute's text? */
static inline bool
dyn_column_is_part(const DynColumn *column)
{
	return column->templated >= 0;
}

#endif
