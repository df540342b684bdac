/*
 * memory.h
 *		Small helpers around memory contexts, and around what is malloc'd.
 */
#ifndef DYN_MODEL_MEMORY_H
#define DYN_MODEL_MEMORY_H

#include "utils/memutils.h"

#include "../../base/buffer.h"

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

/* Raises an error if there was no memory for something that is malloc'd. */
static inline void
dyn_check_oom(bool out_of_memory)
{
	if (unlikely(out_of_memory))
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
}

/* Calls func(arg) when the context is reset or deleted, on every way out. */
extern void dyn_call_at_reset(MemoryContext context,
							  MemoryContextCallbackFunction func, void *arg);

/* Makes an empty buffer, whose bytes are freed with the context. */
extern void dyn_buffer_init_in(DynBuffer *buf, MemoryContext context);

/*
 * The text of a buffer, which is UTF-8, in the database's encoding
 * (dyn_from_utf8_lossy) and CurrentMemoryContext; the buffer is freed.
 */
extern const char *dyn_take_text(DynBuffer *buf);

#endif
