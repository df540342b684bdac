/*
 * memory.h
 *		Helper functions for memory contexts and malloc'd memory.
 */
#ifndef DYN_MODEL_MEMORY_H
#define DYN_MODEL_MEMORY_H

#include "utils/memutils.h"

#include "../../base/buffer.h"

/*
 * Resets a context that is used for many small steps, but only if it has
 * grown: a reset costs more than most of the steps.
 */
static inline void
dyn_reset_if_large(MemoryContext context)
{
	if (MemoryContextMemAllocated(context, false) > 64 * 1024)
		MemoryContextReset(context);
}

/* Enlarges an array; if it is NULL, allocates it in CurrentMemoryContext. */
static inline void *
dyn_grown(void *array, Size size)
{
	return array ? repalloc_huge(array, size)
		: MemoryContextAllocHuge(CurrentMemoryContext, size);
}

/* Raises an out-of-memory error if `out_of_memory` is true (malloc failed). */
static inline void
dyn_check_oom(bool out_of_memory)
{
	if (unlikely(out_of_memory))
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
}

/* Registers func(arg), to be called when the context is reset or deleted. */
extern void dyn_call_at_reset(MemoryContext context,
							  MemoryContextCallbackFunction func, void *arg);

/* Initializes an empty buffer, which a reset of the context frees. */
extern void dyn_buffer_init_in(DynBuffer *buf, MemoryContext context);

/* Returns a new empty buffer, which is freed with CurrentMemoryContext. */
extern DynBuffer *dyn_buffer_create(void);

/*
 * Copies the buffer's bytes to CurrentMemoryContext.  If the buffer has failed
 * or memory runs out, returns NULL, so that the caller can free the buffer.
 */
extern char *dyn_copy_bytes(const DynBuffer *buf);

/*
 * Copies the buffer's bytes to CurrentMemoryContext, sets *len, and frees the
 * buffer.  Raises an error if the buffer has failed or memory runs out.
 */
extern char *dyn_take_bytes(DynBuffer *buf, size_t *len);

/* Works like dyn_take_bytes, and converts the text (dyn_from_utf8_lossy). */
extern const char *dyn_take_text(DynBuffer *buf);

#endif
