/*
 * base_keys.h
 *		Collects base keys: the primary keys in the entries of an index, by
 *		which items are then read from the table.
 *
 * An entry can move within a global secondary index while the index is read.
 * The index may then return the entry twice; the item must be returned once.
 * So keys are stored in a hash table.  Once it has reached its memory limit,
 * keys that it lacks go to a sort instead, which may use a temporary file.
 *
 * Legal order: dyn_base_keys_create; dyn_base_keys_add for each entry of the
 * index; dyn_base_keys_next until it returns false; dyn_base_keys_free at any
 * time.  After an error, the end of the transaction frees the set.
 */
#ifndef DYN_EXEC_FETCH_BASE_KEYS_H
#define DYN_EXEC_FETCH_BASE_KEYS_H

#include "../../dynamodb/wire.h"
#include "../../plan/keys/access.h"

typedef struct DynBaseKeys DynBaseKeys;

/* Returns an empty set of keys, in a new child of CurrentMemoryContext. */
extern DynBaseKeys *dyn_base_keys_create(const DynAccess *access);

/*
 * Adds the key of an index entry.  Returns true if the key was added to the
 * hash table; the caller must then read its item.  Returns false if the hash
 * table already had the key, or was full and the key was added to the sort.
 */
extern bool dyn_base_keys_add(DynBaseKeys *keys, const DynKeyPart *parts);

/*
 * Adds a key to the hash table, even to a full one.  `bytes` is the key as
 * dyn_key_append writes it.  Must not be called after a key went to the sort.
 */
extern void dyn_base_keys_remember(DynBaseKeys *keys, const char *bytes, Size len);

/*
 * dyn_base_keys_has returns true if the key is in the hash table.
 * dyn_base_keys_is_full returns true if the hash table has reached its limit.
 */
extern bool dyn_base_keys_has(DynBaseKeys *keys, const DynKeyPart *parts);
extern bool dyn_base_keys_is_full(const DynBaseKeys *keys);

/*
 * Stores the sort's next key in *parts, with values in CurrentMemoryContext.
 * Returns false at the end.  Must be called after the last dyn_base_keys_add.
 */
extern bool dyn_base_keys_next(DynBaseKeys *keys, DynKeyPart *parts);

extern void dyn_base_keys_free(DynBaseKeys *keys);

/* ---- a key as bytes: equal keys of a table have equal bytes ---- */

/* First member of the entries of a dyn_byte_key_table; the caller owns `data`. */
typedef struct DynByteKey
{
	const char *data;
	Size		len;
} DynByteKey;

/* Creates an empty hash table, in a child of `context`. */
extern struct HTAB *dyn_byte_key_table(const char *name, long nelem,
									   Size entrysize, MemoryContext context);

/* Appends the key parts as bytes; sets bytes->failed if out of memory. */
extern void dyn_key_append(DynBuffer *bytes, const DynKeyPart *parts, int nparts);

/* Reads a key written by dyn_key_append; the parts' values point into `bytes`. */
extern void dyn_key_read(const char *bytes, const DynAccess *access, DynKeyPart *parts);

#endif
