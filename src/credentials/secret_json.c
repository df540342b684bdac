/*
 * secret_json.c
 *		Parses a JSON document that contains secrets.
 *
 * jansson copies each string into a buffer of its scanner first, then into a
 * value, and frees both without overwriting them.  Overwriting the values
 * would therefore leave a copy.  So jansson allocates through functions that
 * store the size of each block, and overwrite the block when it is freed.
 *
 * Layer: credentials.  Knows jansson, and OpenSSL for a memset that is not
 * optimized away.
 */
#include "secret_json.h"

#include <stdint.h>
#include <stdlib.h>

#include <openssl/crypto.h>

/*
 * Bytes before each block that store its size; a multiple of every alignment.
 */
#define HEAD	16

static void *
wiping_malloc(size_t size)
{
	char	   *block = size <= SIZE_MAX - HEAD ? malloc(HEAD + size) : NULL;

	if (block == NULL)
		return NULL;
	*(size_t *) block = size;
	return block + HEAD;
}

static void
wiping_free(void *contents)
{
	char	   *block = contents ? (char *) contents - HEAD : NULL;

	if (block)
		OPENSSL_cleanse(block, HEAD + *(size_t *) block);
	free(block);
}

bool
dyn_secret_json_open(DynSecretJson *json, const char *text, size_t len,
					 bool *out_of_memory)
{
	json_get_alloc_funcs(&json->malloc, &json->free);
	json_set_alloc_funcs(wiping_malloc, wiping_free);
	json->root = dyn_json_load(text ? text : "", len, 0, out_of_memory);
	if (json->root)
		return true;
	json_set_alloc_funcs(json->malloc, json->free);
	return false;
}

void
dyn_secret_json_close(DynSecretJson *json)
{
	json_decref(json->root);
	json->root = NULL;
	json_set_alloc_funcs(json->malloc, json->free);
}

const char *
dyn_secret_json_text(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}
