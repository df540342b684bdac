/*
 * any_json.h
 *		Is a text JSON, as the page reader sees it?
 *
 * The reader skips members of a response that it does not know, whatever they
 * are: so the text becomes the value of one, and the element of a list that is
 * the value of another one.  No text but a value can be both.
 */
#ifndef DYN_TEST_ANY_JSON_H
#define DYN_TEST_ANY_JSON_H

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dynamodb/page.h"

/*
 * Reads the text between `before` and `after`, in memory that ends with them.
 * The error's offset is that in the text.
 */
static inline bool
is_read_between(const char *before, const char *text, size_t len,
				const char *after, DynPageError *error)
{
	size_t		begin = strlen(before);
	size_t		size = begin + len + strlen(after);
	char	   *document = malloc(size);
	DynPathTree *tree = dyn_path_tree_create(NULL, 0);
	DynPage		page = {0};
	bool		read = false;

	*error = (DynPageError) {.reason = "out of memory"};
	if (document != NULL && tree != NULL)
	{
		memcpy(document, before, begin);
		memcpy(document + begin, text, len);
		memcpy(document + begin + len, after, size - begin - len);
		read = dyn_page_parse(&page, DYN_PARSE_RESPONSE, tree, document, size, error);
	}
	assert(read || error->offset <= size);
	error->offset -= error->offset < begin ? error->offset : begin;
	if (error->offset > len)
		error->offset = len;
	dyn_page_free(&page);
	dyn_path_tree_free(tree);
	free(document);
	return read;
}

static inline bool
is_json(const char *text, size_t len, DynPageError *error)
{
	return is_read_between("{\"Items\":[],\"unknown\":", text, len, "}", error) &&
		is_read_between("{\"Items\":[],\"unknown\":[", text, len, "]}", error);
}

#endif
