/*
 * update.h
 *		Builds items from document paths and values, and compares items with
 *		such values.
 *
 * A foreign table may have a column for info and other columns for info.rating
 * or info.cast.lead.  A write stores these columns in one attribute, so this
 * file merges the values of the columns into one value.
 *
 * Comparisons ignore the order of a set's elements, and the form of a number:
 * 1.0 is equal to 1.
 */
#ifndef DYN_DYNAMODB_UPDATE_H
#define DYN_DYNAMODB_UPDATE_H

#include "expression.h"

/*
 * Appends an item as a JSON object, such as
 * {"a":{"S":"x"},"info":{"M":{"rating":{"N":"5"}}}}.  Creates the maps on the
 * paths, and omits absent values.  No path may contain a list index, equal
 * another path, or be a prefix of one.  Returns false if memory runs out.
 */
extern bool dyn_path_values_item(const DynPathValue *values, int n, DynBuffer *out);

/* Errors of dyn_path_values_merge */
#define DYN_MERGE_NO_MEMORY		(-1)
#define DYN_MERGE_NOT_A_MAP		(-2)

/*
 * Merges values of overlapping paths (info and info.rating) into one value of
 * the outermost path, in place, and returns the number of values left.  An
 * inner value replaces or adds the member at its path in the outer value; an
 * absent value removes the member.  If several values have the same path, the
 * last one is used.  Merged values are in `memory`, which is reset first; the
 * other values do not change.  On failure, the array is undefined, and the
 * result is DYN_MERGE_NOT_A_MAP if a path leads into a value that is not a
 * map, or DYN_MERGE_NO_MEMORY.
 */
extern int	dyn_path_values_merge(DynPathValue *values, int n, DynBuffer *memory);

/*
 * Returns true if the values are equal, or both ABSENT.  Returns false also if
 * a value is invalid, or if memory runs out.
 */
extern bool dyn_scalar_same(const DynScalar *a, const DynScalar *b);

/*
 * Returns true if the item (type M) has these values, and no values at the
 * paths of ABSENT values.  Returns false also if memory runs out.
 */
extern bool dyn_item_has(const DynScalar *item, const DynPathValue *values, int n);

/*
 * Reads the value at a path into *out, without changing the form of a number.
 * Without a value, the type is ABSENT.  *out points into the item or `memory`,
 * which must not change while *out is used.  Returns false if memory runs out,
 * if a B is not valid base64, or if `item` is not a valid item.
 */
extern bool dyn_item_value(const DynScalar *item, const DynPath *path,
						   DynBuffer *memory, DynScalar *out);

#endif
