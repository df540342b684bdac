/*
 * key_type.h
 *		Detects columns whose type does not match the type of a key
 *		attribute.
 */
#ifndef DYN_MODEL_KEY_TYPE_H
#define DYN_MODEL_KEY_TYPE_H

#include "relation.h"

/*
 * Returns true if the column shows this attribute of the item, as its own
 * value.
 */
extern bool dyn_column_shows(const DynColumn *column, const char *attribute);
/*
 * Raises an error if the column cannot hold its key attribute.  `meta` may be
 * outdated: returns it, or a new description with which the column can.
 */
extern const DynTableMeta *dyn_key_type_check(const DynRelation *relation,
											  const DynTableMeta *meta,
											  AttrNumber attnum);

#endif
