/*
 * base_keys.h
 *		Collects the distinct keys of the table that an index lists.
 *
 * An entry can move within a global secondary index while the index is read.
 * Then its item is listed twice, but must be returned once.  Listed keys are
 * stored in a hash table.  When the hash table reaches its memory limit, each
 * further key that is not in it is set aside.  It goes to a sort, which may
 * use a temporary file.  At the end of the listing the sort returns those
 * keys, each once.
 *
 * Legal order: dyn_base_keys_create; dyn_base_keys_add for each entry of the
 * listing; dyn_base_keys_next until it returns false; dyn_base_keys_free at
 * any time, unless an error ends the transaction.
 */
#ifndef DYN_EXEC_FETCH_BASE_KEYS_H
#define DYN_EXEC_FETCH_BASE_KEYS_H

#include "../../dynamodb/metadata.h"
#include "../../dynamodb/wire.h"

typedef struct DynBaseKeys DynBaseKeys;

/*
 * Returns an empty set, in a context of its own below the current one.  `base`
 * has the `nbase` attributes of the table's key, and must outlive the keys.
 */
extern DynBaseKeys *dyn_base_keys_create(const DynKeyAttr *base, int nbase,
										 Size max_bytes);

/*
 * Adds a key of the listing.  Returns true if it is new, and to be read now;
 * false if it was listed before, or is set aside.
 */
extern bool dyn_base_keys_add(DynBaseKeys *keys, const DynKeyPart *parts);

/* Adds a key that has been read to the hash table, even if that is full. */
extern void dyn_base_keys_remember(DynBaseKeys *keys, const char *bytes, Size len);

/*
 * dyn_base_keys_has returns true if the key is in the hash table.
 * dyn_base_keys_is_full returns true if the hash table is full, so that
 * further keys would be set aside; it then stays full.
 */
extern bool dyn_base_keys_has(DynBaseKeys *keys, const DynKeyPart *parts);
extern bool dyn_base_keys_is_full(const DynBaseKeys *keys);

/*
 * Returns, after the last add, the next key that was set aside, in
 * CurrentMemoryContext; false at the end.
 */
extern bool dyn_base_keys_next(DynBaseKeys *keys, DynKeyPart *parts);

extern void dyn_base_keys_free(DynBaseKeys *keys);

/* ---- a key as bytes: equal keys of a table have equal bytes ---- */

/* Begins a hash table's entry; the caller owns what it points to. */
typedef struct DynByteKey
{
	const char *data;
	Size		len;
} DynByteKey;

/* Creates an empty hash table directly in `context`, not in a child of it. */
extern struct HTAB *dyn_byte_key_table(const char *name, long nelem,
									   Size entrysize, MemoryContext context);

/* Appends the parts; sets the buffer's `failed` if out of memory. */
extern void dyn_key_append(DynBuffer *bytes, const DynKeyPart *parts, int nparts);

#endif
