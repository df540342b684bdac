/*
 * key_scalar.h
 *		Reads the values of an item's key.
 */
#ifndef DYN_EXEC_KEY_SCALAR_H
#define DYN_EXEC_KEY_SCALAR_H

#include "../../dynamodb/wire.h"
#include "../../model/tables/relation.h"

/*
 * Returns an item's key as text from the given slots: for example, pk = "a",
 * sk = 5.  Returns NULL if a slot is -1, or if its value cannot be in a key.
 * Raises no error for any value, since it is used in error messages.
 */
extern char *dyn_item_key_text(const DynKeyAttr *base, int nbase,
							   const int *slots, const DynValue *values);

/*
 * Stores a key attribute's value in *scalar, decoded into
 * CurrentMemoryContext.  Raises an error that names the attribute if a key
 * cannot have the value.
 */
extern void dyn_key_scalar(const DynRelation *relation, const char *name,
						   const DynValue *value, DynScalar *scalar);

/*
 * Returns a readable form of a key, with the separator between its parts;
 * palloc'd.
 */
extern char *dyn_key_text(const DynKeyPart *parts, int nparts,
						  const char *separator);

#endif
