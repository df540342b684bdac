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

json_t *
dyn_json_load(const char *text, size_t len, size_t flags, bool *out_of_memory)
{
	json_t	   *document;
	json_free_t true_free;

	json_get_alloc_funcs(&true_malloc, &true_free);
	json_set_alloc_funcs(watched_malloc, true_free);
	failed = false;
	document = json_loadb(text, len, flags, NULL);
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
