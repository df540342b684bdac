/*
 * key_type.h
 *		Columns that no key can fit.
 */
#ifndef DYN_MODEL_KEY_TYPE_H
#define DYN_MODEL_KEY_TYPE_H

#include "relation.h"

/* Does the column show this attribute of the item, as a value of its own? */
extern bool dyn_column_shows(const DynColumn *column, const char *attribute);
/*
 * Raises an error if it cannot.  The description may be outdated: returns a new
 * one by which it can.
 */
extern const DynTableMeta *dyn_key_type_check(const DynRelation *relation,
											  const DynTableMeta *meta,
											  AttrNumber attnum);

#endif
