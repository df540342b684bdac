/*
 * key_scalar.h
 *		The values of an item's key.
 */
#ifndef DYN_EXEC_KEY_SCALAR_H
#define DYN_EXEC_KEY_SCALAR_H

#include "../../dynamodb/wire.h"
#include "../../model/tables/relation.h"

/*
 * "pk = "a", sk = 5" of an item, from the slots given; NULL if a slot is -1, or
 * its value not one that a key can have.  Raises no error for a value, so that
 * errors can tell the key.
 */
extern char *dyn_item_key_text(const DynKeyAttr *base, int nbase,
							   const int *slots, const DynValue *values);

/*
 * The scalar of a key attribute's value, decoded into CurrentMemoryContext.
 * Raises an error that names the attribute if a key cannot have the value.
 */
extern void dyn_key_scalar(const DynRelation *relation, const char *name,
						   const DynValue *value, DynScalar *scalar);

/* A key for people, its parts between separators; palloc'd. */
extern char *dyn_key_text(const DynKeyPart *parts, int nparts,
						  const char *separator);

#endif
