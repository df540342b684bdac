/*
 * wiping.c
 *		Gives libcurl an allocator that overwrites memory before freeing it.
 *
 * libcurl copies the headers of a request, including a session token, into its
 * own memory, and would free this memory without overwriting it.
 *
 * The receive buffer is an exception, because some versions of libcurl (7.88
 * among them) allocate one for each request.  Overwriting it would take longer
 * than everything else that a small request does with memory, so http.c
 * overwrites only the secrets in it.
 *
 * The memory comes from the C library's allocator, so other users of libcurl
 * in the process may free libcurl's memory with free(), and vice versa.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

#include "credentials.h"
#include "loop.h"

/*
 * Frees a block.  Overwrites it first, unless its size (1 to 17/16 times
 * DYN_RECEIVE_BUFFER) shows that it is a receive buffer.  libcurl's other
 * large blocks double in size when they grow, and so skip this range of sizes.
 */
static void
wipe_and_free(void *memory)
{
	size_t		size = memory != NULL ? malloc_usable_size(memory) : 0;
	bool		is_receive_buffer = size >= DYN_RECEIVE_BUFFER &&
		size < DYN_RECEIVE_BUFFER + DYN_RECEIVE_BUFFER / 16;

	if (is_receive_buffer)
		free(memory);
	else
		dyn_secret_free(memory);
}

/* Works like realloc(), but overwrites the old block if it moves. */
static void *
move(void *memory, size_t size)
{
	size_t		old = memory != NULL ? malloc_usable_size(memory) : 0;
	void	   *moved;

	if (memory != NULL && size <= old)
		return memory;
	moved = malloc(size);
	if (moved == NULL || memory == NULL)
		return moved;
	memcpy(moved, memory, old);
	wipe_and_free(memory);
	return moved;
}

bool
dyn_wiping_init_libcurl(void)
{
	return curl_global_init_mem(CURL_GLOBAL_DEFAULT, malloc, wipe_and_free,
								move, strdup, calloc) == CURLE_OK;
}
