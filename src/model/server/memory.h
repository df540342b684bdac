/*
 * memory.h
 *		Helper functions for memory contexts and malloc'd memory.
 */
#ifndef DYN_MODEL_MEMORY_H
#define DYN_MODEL_MEMORY_H

#include "utils/memutils.h"

#include "../../base/buffer.h"

/*
 * Resets a context for many small steps, but only if it has grown: a reset
 * costs more than most of the steps.
 */
static inline void
dyn_reset_if_large(MemoryContext context)
{
	if (MemoryContextMemAllocated(context, false) > 64 * 1024)
		MemoryContextReset(context);
}

/*
 * Enlarges an array to `size` bytes, or allocates a new one in
 * CurrentMemoryContext if `array` is NULL.
 */
static inline void *
dyn_grown(void *array, Size size)
{
	return array ? repalloc_huge(array, size)
		: MemoryContextAllocHuge(CurrentMemoryContext, size);
}

/* Raises an error if malloc failed. */
static inline void
dyn_check_oom(bool out_of_memory)
{
	if (unlikely(out_of_memory))
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
}

/* Calls func(arg) when the context is reset or deleted, for any reason. */
extern void dyn_call_at_reset(MemoryContext context,
							  MemoryContextCallbackFunction func, void *arg);

/* Initializes an empty buffer, whose memory is freed with the context. */
extern void dyn_buffer_init_in(DynBuffer *buf, MemoryContext context);

/* Returns such a buffer, allocated in CurrentMemoryContext. */
extern DynBuffer *dyn_buffer_create(void);

/*
 * Returns the bytes of a buffer, copied into CurrentMemoryContext, and sets
 * *len to their number.  Frees the buffer.
 */
extern char *dyn_take_bytes(DynBuffer *buf, size_t *len);

/*
 * Returns the text of a buffer, which is UTF-8, in the database's encoding
 * (dyn_from_utf8_lossy), allocated in CurrentMemoryContext.  Frees the buffer.
 */
extern const char *dyn_take_text(DynBuffer *buf);

#endif
