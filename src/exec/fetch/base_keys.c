/*
 * base_keys.c
 *		Detects the keys that an index returns repeatedly.
 *
 * When the hash table is full, new keys are set aside in a sort (base_keys.h).
 * After the first such key, no key is added to the hash table any more.  So no
 * key is in both, and the sort has to remove only its own duplicates.
 */
#include "postgres.h"

#include "../../model/server/memory.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"

#include "../../model/server/pg_compat.h"
#include "base_keys.h"

struct DynBaseKeys
{
	MemoryContext context;
	const DynAccess *access;
	Size		max_bytes;
	HTAB	   *known;			/* hash set of the keys (DynByteKey) that are
								 * stored in memory */
	DynBuffer	bytes;			/* bytes of the key searched for (malloc'd) */
	Tuplesortstate *aside;		/* sort of the keys (bytea) that were set
								 * aside; NULL if none were */
	bool		sorted;
	bytea	   *last;			/* last key that the sort returned, or NULL */
};

/* ---- keys as bytes ---- */

static uint32
hash_key(const void *key, Size keysize)
{
	const DynByteKey *k = key;

	return hash_bytes((const unsigned char *) k->data, (int) k->len);
}

static int
compare_keys(const void *a, const void *b, Size keysize)
{
	const DynByteKey *x = a;
	const DynByteKey *y = b;

	return x->len == y->len ? memcmp(x->data, y->data, x->len) : 1;
}

HTAB *
dyn_byte_key_table(const char *name, long nelem, Size entrysize,
				   MemoryContext context)
{
	HASHCTL		ctl = {.keysize = sizeof(DynByteKey),.entrysize = entrysize,
	.hash = hash_key,.match = compare_keys,.hcxt = context};

	return hash_create(name, nelem, &ctl, HASH_ELEM | HASH_FUNCTION |
					   HASH_COMPARE | HASH_CONTEXT);
}

void
dyn_key_append(DynBuffer *bytes, const DynKeyPart *parts, int nparts)
{
	for (int i = 0; i < nparts; i++)
	{
		uint32		len = parts[i].value.len;

		dyn_buffer_append(bytes, &len, sizeof(len));
		dyn_buffer_append(bytes, parts[i].value.data, len);
	}
}

void
dyn_key_read(const char *bytes, const DynAccess *access, DynKeyPart *parts)
{
	for (int i = 0; i < access->nbase; i++)
	{
		uint32		len;

		memcpy(&len, bytes, sizeof(len));
		bytes += sizeof(len);
		parts[i].name = access->base[i].name;
		parts[i].value = (DynScalar) {access->base[i].type, bytes, len};
		bytes += len;
	}
}

/* ---- creation ---- */

DynBaseKeys *
dyn_base_keys_create(const DynAccess *access)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo_fdw base keys",
												  ALLOCSET_DEFAULT_SIZES);
	DynBaseKeys *keys = MemoryContextAllocZero(context, sizeof(DynBaseKeys));

	Assert(access->nbase > 0);
	keys->context = context;
	keys->access = access;
	keys->max_bytes = get_hash_memory_limit();
	keys->known = dyn_byte_key_table("dynamo_fdw base keys", 256,
									 sizeof(DynByteKey), context);
	dyn_buffer_init_in(&keys->bytes, context);
	return keys;
}

void
dyn_base_keys_free(DynBaseKeys *keys)
{
	if (keys->aside != NULL)
		tuplesort_end(keys->aside);
	MemoryContextDelete(keys->context);
}

/* ---- adding keys ---- */

static void
set_aside(DynBaseKeys *keys)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(keys->context);
	bytea	   *key = palloc(VARHDRSZ + keys->bytes.len);

	Assert(keys->bytes.len > 0);
	Assert(!keys->sorted);
	if (keys->aside == NULL)
		keys->aside = tuplesort_begin_datum(BYTEAOID,
											lookup_type_cache(BYTEAOID,
															  TYPECACHE_LT_OPR)->lt_opr,
											InvalidOid, false, work_mem, NULL,
											TUPLESORT_NONE);
	SET_VARSIZE(key, VARHDRSZ + keys->bytes.len);
	memcpy(VARDATA(key), keys->bytes.data, keys->bytes.len);
	tuplesort_putdatum(keys->aside, PointerGetDatum(key), false);
	pfree(key);
	MemoryContextSwitchTo(oldcontext);
}

bool
dyn_base_keys_is_full(const DynBaseKeys *keys)
{
	return keys->aside != NULL ||
		MemoryContextMemAllocated(keys->context, true) > keys->max_bytes;
}

/* Returns the parts as bytes, which are valid until the next call. */
static DynByteKey
key_of_parts(DynBaseKeys *keys, const DynKeyPart *parts)
{
	DynByteKey	key;

	dyn_buffer_reset(&keys->bytes);
	dyn_key_append(&keys->bytes, parts, keys->access->nbase);
	dyn_check_oom(keys->bytes.failed);
	key.data = keys->bytes.data;
	key.len = keys->bytes.len;
	return key;
}

/* Adds a new key.  Copies its bytes first, so that an error adds no entry. */
static void
remember(DynBaseKeys *keys, const DynByteKey *key)
{
	DynByteKey	copy = {memcpy(MemoryContextAlloc(keys->context, Max(key->len, 1)),
							   key->data, key->len), key->len};
	bool		found;

	(void) hash_search(keys->known, &copy, HASH_ENTER, &found);
	Assert(!found);
}

bool
dyn_base_keys_has(DynBaseKeys *keys, const DynKeyPart *parts)
{
	DynByteKey	key = key_of_parts(keys, parts);

	return hash_search(keys->known, &key, HASH_FIND, NULL) != NULL;
}

void
dyn_base_keys_remember(DynBaseKeys *keys, const char *bytes, Size len)
{
	DynByteKey	key = {bytes, len};

	Assert(keys->aside == NULL);
	if (hash_search(keys->known, &key, HASH_FIND, NULL) == NULL)
		remember(keys, &key);
}

bool
dyn_base_keys_add(DynBaseKeys *keys, const DynKeyPart *parts)
{
	DynByteKey	key = key_of_parts(keys, parts);

	Assert(!keys->sorted);
	if (hash_search(keys->known, &key, HASH_FIND, NULL) != NULL)
		return false;
	if (!dyn_base_keys_is_full(keys))
	{
		remember(keys, &key);
		return true;
	}
	set_aside(keys);
	return false;
}

/* ---- keys set aside ---- */

/* Returns the sort's next key that differs from keys->last, or NULL. */
static bytea *
next_aside(DynBaseKeys *keys)
{
	Datum		value;
	bool		isnull;

	Assert(keys->sorted);
	while (dyn_tuplesort_getdatum(keys->aside, &value, &isnull))
	{
		bytea	   *key = DatumGetByteaPP(value);

		if (keys->last == NULL || VARSIZE_ANY(keys->last) != VARSIZE_ANY(key) ||
			memcmp(VARDATA_ANY(keys->last), VARDATA_ANY(key),
				   VARSIZE_ANY_EXHDR(key)) != 0)
			return key;
		pfree(key);
	}
	return NULL;
}

bool
dyn_base_keys_next(DynBaseKeys *keys, DynKeyPart *parts)
{
	MemoryContext oldcontext;
	bytea	   *key;
	const char *bytes;
	uint32		len;

	if (keys->aside == NULL)
		return false;
	oldcontext = MemoryContextSwitchTo(keys->context);
	if (!keys->sorted)
		tuplesort_performsort(keys->aside);
	keys->sorted = true;
	key = next_aside(keys);
	MemoryContextSwitchTo(oldcontext);
	if (key == NULL)
		return false;
	if (keys->last != NULL)
		pfree(keys->last);
	keys->last = key;
	len = VARSIZE_ANY_EXHDR(key);
	bytes = memcpy(palloc(Max(len, 1)), VARDATA_ANY(key), len);
	dyn_key_read(bytes, keys->access, parts);
	return true;
}
