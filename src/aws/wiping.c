/*
 * wiping.c
 *		libcurl, with an allocator that overwrites what it frees.
 *
 * libcurl writes the headers of a request, a session token among them, into
 * memory of its own.  It frees such memory as it is; so we overwrite it.
 *
 * Its receive buffer is an exception: some versions (7.88 among them) allocate
 * one for each request, and to overwrite it would take longer than all else
 * that a small request does with memory.  http.c overwrites what is secret in
 * it.
 *
 * The memory is the C library's: what libcurl has allocated may be freed by
 * anybody with free(), and the other way round, as before.  So this changes
 * nothing for others in the process that use libcurl.
 *
 * Layer: aws.  Knows libcurl.
 */
#include "wiping.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

/* Whatever else libcurl allocates is smaller, or grows by doubling. */
static void
wipe_and_free(void *memory)
{
	size_t		size = memory != NULL ? malloc_usable_size(memory) : 0;
	bool		is_receive_buffer = size >= DYN_RECEIVE_BUFFER &&
		size < DYN_RECEIVE_BUFFER + DYN_RECEIVE_BUFFER / 16;

	if (memory != NULL && !is_receive_buffer)
		explicit_bzero(memory, size);
	free(memory);
}

/* The C library's would leave the old place as it is. */
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
