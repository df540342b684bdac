/*
 * secret_json.h
 *		Parses a JSON document that contains secrets.
 */
#ifndef DYN_CREDENTIALS_SECRET_JSON_H
#define DYN_CREDENTIALS_SECRET_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/jsonload.h"

typedef struct DynSecretJson
{
	json_t	   *root;			/* root of the document (an object or an
								 * array) */
	json_malloc_t malloc;		/* jansson's functions, while this is open */
	json_free_t free;
} DynSecretJson;

/*
 * Parses the text.  All that jansson allocates until the document is closed is
 * overwritten when it is freed.  Returns false, with nothing left open, if the
 * text is not JSON or memory runs out; *out_of_memory is true in the second
 * case.  Only one document may be open, and nothing else may use jansson until
 * it is closed.
 */
extern bool dyn_secret_json_open(DynSecretJson *json, const char *text,
								 size_t len, bool *out_of_memory);
extern void dyn_secret_json_close(DynSecretJson *json);

/*
 * Returns the text of a member; NULL if it is missing, null or not a string.
 */
extern const char *dyn_secret_json_text(const json_t *object,
										const char *name);

#endif
