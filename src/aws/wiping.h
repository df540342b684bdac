/*
 * wiping.h
 *		libcurl, with an allocator that overwrites what it frees.
 */
#ifndef DYN_AWS_WIPING_H
#define DYN_AWS_WIPING_H

#include <stdbool.h>

/*
 * Initialises libcurl for the process; false if that fails.  If somebody else
 * in the process has done so before, libcurl keeps his allocator.
 */
extern bool dyn_wiping_init_libcurl(void);

#endif
