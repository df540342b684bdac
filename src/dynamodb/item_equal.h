/*
 * item_equal.h
 *		Compares an item in a response with the item that was written.
 *
 * Items are JSON objects of attribute values.  Values are compared as in
 * DynamoDB: sets in any order, everything else by type and value.  Numbers may
 * have different forms: one item comes from DynamoDB, the other one from us.
 *
 * Plain C; jansson.
 */
#ifndef DYN_DYNAMODB_ITEM_EQUAL_H
#define DYN_DYNAMODB_ITEM_EQUAL_H

#include <stdbool.h>
#include <stddef.h>

#include "update.h"

typedef struct DynItemTree DynItemTree;

/*
 * Parses an item; the caller frees the result.  Returns NULL if the text is
 * not an item, or if memory runs out.
 */
extern DynItemTree *dyn_item_tree_parse(const char *json, size_t len);
extern void dyn_item_tree_free(DynItemTree *item);

/* Returns true if both items have the same attributes with equal values. */
extern bool dyn_item_tree_equal(const DynItemTree *a, const DynItemTree *b);

/*
 * Returns true if the item has these values, and no value at the paths of
 * ABSENT values.
 */
extern bool dyn_item_tree_has(const DynItemTree *item, const DynPathValue *values, int n);

/*
 * Returns the type of the value at the first `nsteps` steps of the path;
 * ABSENT if the item has none.
 */
extern DynType dyn_item_tree_type(const DynItemTree *item, const DynPath *path,
								  int nsteps);

/*
 * Reads the value at a path, exactly as it is stored; type ABSENT if the item
 * has none.  Strings and numbers point into the item; other values are
 * appended to `memory`, which must not change while the scalar is used.
 * Returns false if memory runs out or a B is not valid base64.
 */
extern bool dyn_item_tree_scalar(const DynItemTree *item, const DynPath *path,
								 DynScalar *out, DynBuffer *memory);

#endif
