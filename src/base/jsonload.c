/*
 * jsonload.c
 *		Parses a JSON document with jansson, and detects its failed
 *		allocations.
 *
 * When jansson cannot enlarge the buffer of a string, it drops the byte and
 * continues: the document parses, but holds a wrong name or value.  Other
 * failed allocations look like syntax errors.  So we watch its allocator while
 * it parses, and return a document only if no allocation failed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "jsoncheck.h"
#include "jsonload.h"

static json_malloc_t true_malloc;
static bool failed;

static void *
watched_malloc(size_t size)
{
	void	   *block = true_malloc(size);

	if (block == NULL)
		failed = true;
	return block;
}

static json_t *
load(const char *text, size_t len, size_t flags, bool *out_of_memory,
	 json_error_t *error)
{
	json_t	   *document;
	json_free_t true_free;

	json_get_alloc_funcs(&true_malloc, &true_free);
	json_set_alloc_funcs(watched_malloc, true_free);
	failed = false;
	document = json_loadb(text, len, flags, error);
	json_set_alloc_funcs(true_malloc, true_free);
	if (failed)
	{
		json_decref(document);
		document = NULL;
	}
	if (out_of_memory)
		*out_of_memory = failed;
	return document;
}

json_t *
dyn_json_load(const char *text, size_t len, size_t flags, bool *out_of_memory)
{
	return load(text, len, flags, out_of_memory, NULL);
}

bool
dyn_json_check(const char *text, size_t len, char **fault)
{
	json_error_t error;
	bool		out_of_memory;
	json_t	   *document = load(text, len, JSON_REJECT_DUPLICATES |
								JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL,
								&out_of_memory, &error);
	bool		valid = document != NULL;

	json_decref(document);
	*fault = NULL;
	if (!valid && !out_of_memory && (*fault = malloc(sizeof(error.text) + 64)) != NULL)
		snprintf(*fault, sizeof(error.text) + 64, "%s, at line %d, column %d",
				 error.text, error.line, error.column);
	return valid;
}
