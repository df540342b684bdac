/*
 * wiping.h
 *		libcurl, with an allocator that overwrites what it frees, except the
 *		buffers that it receives into.
 */
#ifndef DYN_AWS_WIPING_H
#define DYN_AWS_WIPING_H

#include <stdbool.h>

/*
 * CURLOPT_BUFFERSIZE: what libcurl receives at once.  Not a power of two: by
 * its size the buffer is told from others (wiping.c).
 */
#define DYN_RECEIVE_BUFFER	(130L * 1024)

/*
 * Initialises libcurl for the process; false if that fails.  If somebody else
 * in the process has done so before, libcurl keeps his allocator.
 */
extern bool dyn_wiping_init_libcurl(void);

#endif
