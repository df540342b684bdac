/*
 * update.h
 *		Composes items and maps from paths with values.
 *
 * A foreign table may have a column for info and other columns for info.rating
 * or info.cast.lead.  A write stores all of them in one attribute, so this
 * file merges their values into one value.  Update expressions are rendered
 * from the same DynPathValues (expression.h).
 */
#ifndef DYN_DYNAMODB_UPDATE_H
#define DYN_DYNAMODB_UPDATE_H

#include <stdbool.h>

#include "../base/buffer.h"
#include "expression.h"

/*
 * Appends an item as a JSON object, such as
 * {"a":{"S":"x"},"info":{"M":{"rating":{"N":"5"}}}}.  Maps on a path are
 * created, and absent values are omitted.  The paths must not have list steps,
 * and must not be equal to another path or a prefix of it.  Returns false if
 * memory runs out.
 */
extern bool dyn_path_values_item(const DynPathValue *values, int n, DynBuffer *out);

/*
 * Returns a value as a jansson tree, {"S":"x"}, which the caller frees; NULL
 * if memory runs out, or if a set, list or map is not valid JSON.
 */
extern struct json_t *dyn_scalar_tree(const DynScalar *value);

/* Errors of dyn_path_values_merge */
#define DYN_MERGE_NO_MEMORY		(-1)
#define DYN_MERGE_NOT_A_MAP		(-2)

/*
 * Merges values of overlapping paths (info and info.rating) into one value of
 * the outermost path, in place, and returns the number of values left.  An
 * inner value replaces or adds the member at its path in the outer value; an
 * absent value removes the member.  If several values have the same path, the
 * last one is used.  Merged values are in `memory`, which is reset first; the
 * other values do not change.  Returns DYN_MERGE_NO_MEMORY, or
 * DYN_MERGE_NOT_A_MAP if a path leads into a value that is not a map; then the
 * contents of the array are undefined.
 */
extern int	dyn_path_values_merge(DynPathValue *values, int n, DynBuffer *memory);

#endif
