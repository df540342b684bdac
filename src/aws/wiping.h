/*
 * wiping.h
 *		Gives libcurl an allocator that overwrites memory before freeing it,
 *		except the receive buffers.
 */
#ifndef DYN_AWS_WIPING_H
#define DYN_AWS_WIPING_H

#include <stdbool.h>

/*
 * Value of CURLOPT_BUFFERSIZE, the maximum number of bytes that libcurl
 * receives at once.  Not a power of two, since the buffer is recognized by its
 * size (wiping.c).
 */
#define DYN_RECEIVE_BUFFER	(130L * 1024)

/*
 * Initializes libcurl for the process; returns false if that fails.  If other
 * code in the process has initialized libcurl before, libcurl retains that
 * code's allocator.
 */
extern bool dyn_wiping_init_libcurl(void);

#endif
