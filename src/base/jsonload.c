/*
 * jsonload.c
 *		Parsing a JSON document with jansson, in spite of its way to run out of
 *		memory.
 *
 * When jansson cannot enlarge the buffer of a string it goes on without the
 * byte: the document parses, with a name or a value that nobody wrote.  Other
 * failed allocations look like errors of syntax.  So its allocator is watched
 * while it parses, and a document is given out only if none failed.
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
