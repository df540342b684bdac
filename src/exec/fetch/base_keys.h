/*
 * base_keys.h
 *		Collects the distinct base keys that an index lists.
 *
 * An entry can move within a global secondary index while the index is read.
 * The read may then list the entry twice, but the fetch must return its item
 * once.  Listed keys are stored in a hash table.  Once the hash table has
 * reached its memory limit, every further key that is not in it is set aside:
 * stored in a sort, which may use a temporary file.  At the end of the
 * listing, the sort returns these keys, each once.
 *
 * Legal order: dyn_base_keys_create; dyn_base_keys_add for each entry of the
 * listing; dyn_base_keys_next until it returns false; dyn_base_keys_free at
 * any time.  After an error, the end of the transaction frees the set.
 */
#ifndef DYN_EXEC_FETCH_BASE_KEYS_H
#define DYN_EXEC_FETCH_BASE_KEYS_H

#include "../../dynamodb/wire.h"
#include "../../plan/keys/access.h"

typedef struct DynBaseKeys DynBaseKeys;

/*
 * Returns an empty set of keys of the access plan's table, in a new child of
 * CurrentMemoryContext.  New keys are set aside once the set exceeds the
 * memory limit of hash tables.
 */
extern DynBaseKeys *dyn_base_keys_create(const DynAccess *access);

/*
 * Adds a key of the listing.  Returns true if the key is new, so that its item
 * must be read now.  Returns false if the key was listed before or is set
 * aside.
 */
extern bool dyn_base_keys_add(DynBaseKeys *keys, const DynKeyPart *parts);

/*
 * Adds a key to the hash table, even if the hash table is full.  `bytes` is
 * the key as dyn_key_append writes it.  Must not be called after a key was set
 * aside.
 */
extern void dyn_base_keys_remember(DynBaseKeys *keys, const char *bytes, Size len);

/*
 * dyn_base_keys_has returns true if the key is in the hash table.
 * dyn_base_keys_is_full returns true if further keys would be set aside; the
 * hash table then stays full.
 */
extern bool dyn_base_keys_has(DynBaseKeys *keys, const DynKeyPart *parts);
extern bool dyn_base_keys_is_full(const DynBaseKeys *keys);

/*
 * Returns the next of the keys that were set aside, in *parts, with values in
 * CurrentMemoryContext; returns false at the end.  Must not be called before
 * the last dyn_base_keys_add.
 */
extern bool dyn_base_keys_next(DynBaseKeys *keys, DynKeyPart *parts);

extern void dyn_base_keys_free(DynBaseKeys *keys);

/* ---- a key as bytes: equal keys of a table have equal bytes ---- */

/*
 * First member of each entry of a hash table whose keys are bytes
 * (dyn_byte_key_table); the caller owns `data`.
 */
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

/*
 * Sets the parts of a full key of the access plan's table, which are slices of
 * the bytes that dyn_key_append has written.
 */
extern void dyn_key_read(const char *bytes, const DynAccess *access, DynKeyPart *parts);

#endif
