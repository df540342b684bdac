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
 * Can the column hold values of the table's own key?  False for a column that
 * shows a key attribute, and cannot hold a value of its type: each row would be
 * an error there, and a condition on it would select nothing.  Not with a
 * format, or under on_mismatch 'null'; and keys of indexes are not meant, since
 * an older item may have any type there.
 */
extern bool dyn_key_type_fits(const DynRelation *relation,
							  const DynTableMeta *meta, AttrNumber attnum);

/*
 * Raises an error if it cannot.  The description may be outdated: returns a new
 * one by which it can.
 */
extern const DynTableMeta *dyn_key_type_check(const DynRelation *relation,
											  const DynTableMeta *meta,
											  AttrNumber attnum);

#endif
