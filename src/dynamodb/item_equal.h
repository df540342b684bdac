/*
 * item_equal.h
 *		Compares an item in a response with what was written.
 *
 * An item is given as a JSON object of attribute values, like a value of type
 * M.  Values are compared as in DynamoDB: sets in any order, everything else
 * by type and value.  Numbers may have different forms, because one item comes
 * from DynamoDB, and the other one from us.
 */
#ifndef DYN_DYNAMODB_ITEM_EQUAL_H
#define DYN_DYNAMODB_ITEM_EQUAL_H

#include <stdbool.h>
#include <stddef.h>

#include "update.h"

/*
 * Returns true if the values are equal, or both ABSENT; false also if one of
 * them is not valid, or if memory runs out.
 */
extern bool dyn_scalar_same(const DynScalar *a, const DynScalar *b);

/*
 * Returns true if the item has these values, and no value at the paths of
 * ABSENT values; false also if memory runs out.
 */
extern bool dyn_item_has(const DynScalar *item, const DynPathValue *values, int n);

/*
 * Reads the value at a path, exactly as it is stored; type ABSENT if the item
 * has no value there.  *out points into the item, or into `memory`, which must
 * not change while *out is used.  Returns false if memory runs out, if a B is
 * not valid base64, or if `item` is not a valid item.
 */
extern bool dyn_item_value(const DynScalar *item, const DynPath *path,
						   DynBuffer *memory, DynScalar *out);

#endif
