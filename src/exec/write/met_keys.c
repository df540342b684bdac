/*
 * met_keys.c
 *		Stores digests of 128 bits, in place of keys.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "executor/executor.h"

#include "../../model/server/memory.h"
#include "met_keys.h"

HTAB *
dyn_met_create(void)
{
	HASHCTL		ctl = {.keysize = 2 * sizeof(uint64),.entrysize = 2 * sizeof(uint64),
	.hcxt = CurrentMemoryContext};

	return hash_create("dynamo_fdw rows written", 1024, &ctl,
					   HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

/* Computes the digest of a key, by which it is stored. */
static void
digest_key(const DynModify *modify, const DynKeyPart *key, uint64 *digest)
{
	DynBuffer	bytes;

	dyn_buffer_init(&bytes, 0);
	dyn_wire_key(&bytes, key, modify->meta->key.nhash + modify->meta->key.nrange);
	dyn_check_oom(bytes.failed);
	digest[0] = hash_bytes_extended((const unsigned char *) bytes.data, bytes.len, 0);
	digest[1] = hash_bytes_extended((const unsigned char *) bytes.data, bytes.len,
									UINT64CONST(0x9E3779B97F4A7C15));
	dyn_buffer_free(&bytes);
}

bool
dyn_met_add(DynModify *modify, TupleTableSlot *row)
{
	DynKeyPart	key[2];
	uint64		digest[2];
	bool		found;

	if (modify->met == NULL)
		return false;
	slot_getallattrs(row);
	dyn_write_map_key(modify->map, row->tts_values, row->tts_isnull, key);
	digest_key(modify, key, digest);
	(void) hash_search(modify->met, digest, HASH_ENTER, &found);
	return found;
}

void
dyn_met_forget(const DynWrite *write)
{
	uint64		digest[2];

	digest_key(write->modify, write->key, digest);
	(void) hash_search(write->modify->met, digest, HASH_REMOVE, NULL);
}
