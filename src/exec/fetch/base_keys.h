/*
 * base_keys.h
 *		The distinct keys of the table that an index lists.
 *
 * An entry can move within a global index while the index is read, and so be
 * listed twice; it must give one row.  Keys are remembered as they are, within
 * a bound of memory.  When that is used up, keys that are not remembered are
 * set aside in a sort, which goes to disk, and come at the end of the listing,
 * each once.
 *
 * Legal order: dyn_base_keys_create; dyn_base_keys_add for each entry of the
 * listing; dyn_base_keys_next until it returns false; dyn_base_keys_free at any
 * time, unless an error ends the transaction.
 */
#ifndef DYN_EXEC_FETCH_BASE_KEYS_H
#define DYN_EXEC_FETCH_BASE_KEYS_H

#include "../../dynamodb/wire.h"
#include "../../dynamodb/metadata.h"

typedef struct DynBaseKeys DynBaseKeys;

/*
 * In a context of its own below the current one.  `base` are the nbase
 * attributes of the table's key, and must outlive the keys.
 */
extern DynBaseKeys *dyn_base_keys_create(const DynKeyAttr *base, int nbase,
										 Size max_bytes);

/* Is the key new, and to be read now?  Otherwise it was listed or is set aside. */
extern bool dyn_base_keys_add(DynBaseKeys *keys, const DynKeyPart *parts);

/* The key was read before: it is remembered, whatever the bound. */
extern void dyn_base_keys_remember(DynBaseKeys *keys, const DynKeyPart *parts);

/*
 * After the last add: the next key that was set aside, in CurrentMemoryContext;
 * false if there is none.
 */
extern bool dyn_base_keys_next(DynBaseKeys *keys, DynKeyPart *parts);

extern void dyn_base_keys_free(DynBaseKeys *keys);

/* ---- a key as bytes: equal keys of one table are equal bytes ---- */

/* Appends the parts; the buffer's `failed` tells of missing memory. */
extern void dyn_key_append(DynBuffer *bytes, const DynKeyPart *parts, int nparts);

/* The other way: parts that point into the bytes. */
extern void dyn_key_split(const char *bytes, const DynKeyAttr *base, int nbase,
						  DynKeyPart *parts);

#endif
