/*
 * jsonload.c
 *		Parses a JSON document with jansson, even if malloc fails.
 *
 * When jansson cannot enlarge the buffer of a string, it drops a byte and
 * continues.  If that byte was the closing quotation mark, jansson later reads
 * beyond the buffer, or an assertion stops the process.  So each allocation
 * must succeed while jansson parses.  If malloc fails, the memory comes from a
 * reserve that was allocated before, and jansson receives no more of the
 * document.  So the reserve need only suffice for the bytes received so far.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jsonload.h"
#include "text.h"

/* Bytes of the document that jansson receives at a time. */
#define CHUNK	64

/*
 * Size of the reserve (bytes): an upper bound of what jansson needs for the
 * rest of a chunk after malloc has failed.  Each byte of the chunk needs at
 * most 128 bytes.  The current string, and an object's hash table while it is
 * doubled, need at most 16 bytes for each byte of the document (`len`).
 */
#define RESERVE(len)	(128 * CHUNK + 16 * (len) + 4096)

static json_malloc_t true_malloc;
static json_free_t true_free;
static bool failed;

/* the reserve, the start of its unused part, and its end */
static char *reserve;
static char *reserve_next;
static char *reserve_end;

static void *
watched_malloc(size_t size)
{
	void	   *block = failed ? NULL : true_malloc(size);

	if (block != NULL)
		return block;
	failed = true;
	size = (size + 15) & ~(size_t) 15;
	assert(size <= (size_t) (reserve_end - reserve_next));
	if (size > (size_t) (reserve_end - reserve_next))
		return NULL;
	block = reserve_next;
	reserve_next += size;
	return block;
}

static void
watched_free(void *block)
{
	if ((char *) block < reserve || (char *) block >= reserve_end)
		true_free(block);
}

/* The part of the document that jansson has not received yet. */
typedef struct Rest
{
	const char *text;
	size_t		len;
} Rest;

static size_t
next_chunk(void *chunk, size_t size, void *arg)
{
	Rest	   *rest = arg;
	size_t		len = rest->len < CHUNK ? rest->len : CHUNK;

	if (failed || size < len)
		return 0;
	memcpy(chunk, rest->text, len);
	rest->text += len;
	rest->len -= len;
	return len;
}

static json_t *
load(const char *text, size_t len, size_t flags, bool *out_of_memory,
	 json_error_t *error)
{
	Rest		rest = {text, len};
	json_t	   *document = NULL;

	json_get_alloc_funcs(&true_malloc, &true_free);
	reserve = reserve_next = true_malloc(RESERVE(len));
	failed = reserve == NULL;
	if (reserve != NULL)
	{
		reserve_end = reserve + RESERVE(len);
		json_set_alloc_funcs(watched_malloc, watched_free);
		document = json_load_callback(next_chunk, &rest, flags, error);
		if (failed)
		{
			json_decref(document);
			document = NULL;
		}
		json_set_alloc_funcs(true_malloc, true_free);
		true_free(reserve);
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
dyn_json_check(const char *text, size_t len, char **err)
{
	json_error_t error;
	bool		out_of_memory;
	json_t	   *document = load(text, len, JSON_REJECT_DUPLICATES |
								JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL,
								&out_of_memory, &error);
	bool		valid = document != NULL;

	json_decref(document);
	*err = NULL;
	if (!valid && !out_of_memory && (*err = malloc(sizeof(error.text) + 64)) != NULL)
		snprintf(*err, sizeof(error.text) + 64, "%s, at line %d, column %d",
				 error.text, error.line, error.column);
	return valid;
}
