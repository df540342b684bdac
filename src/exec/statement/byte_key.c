/*
 * byte_key.c
 *		Hashes and compares keys of bytes.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "utils/hsearch.h"

#include "byte_key.h"

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
	HASHCTL		ctl = {0};

	ctl.keysize = sizeof(DynByteKey);
	ctl.entrysize = entrysize;
	ctl.hash = hash_key;
	ctl.match = compare_keys;
	ctl.hcxt = context;
	return hash_create(name, nelem, &ctl, HASH_ELEM | HASH_FUNCTION |
					   HASH_COMPARE | HASH_CONTEXT);
}
