/*
 * memory.h
 *		Small helpers around memory contexts.
 */
#ifndef DYN_EXEC_MEMORY_H
#define DYN_EXEC_MEMORY_H

#include "utils/memutils.h"

/*
 * Resets a context of many small steps, but only once there is something to
 * reset: a reset costs more than most of the steps.
 */
static inline void
dyn_reset_if_large(MemoryContext context)
{
	if (MemoryContextMemAllocated(context, false) > 64 * 1024)
		MemoryContextReset(context);
}

/*
 * An array of `size` bytes that begins with what the old one held; a new one in
 * CurrentMemoryContext if `array` is NULL.
 */
static inline void *
dyn_grown(void *array, Size size)
{
	return array ? repalloc_huge(array, size)
		: MemoryContextAllocHuge(CurrentMemoryContext, size);
}

#endif
