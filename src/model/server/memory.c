/*
 * memory.c
 *		Helper functions for memory contexts and malloc'd memory.
 */
#include "postgres.h"

#include "encoding.h"
#include "memory.h"

void
dyn_call_at_reset(MemoryContext context, MemoryContextCallbackFunction func,
				  void *arg)
{
	MemoryContextCallback *callback = MemoryContextAlloc(context, sizeof(*callback));

	callback->func = func;
	callback->arg = arg;
	MemoryContextRegisterResetCallback(context, callback);
}

static void
free_buffer(void *buf)
{
	dyn_buffer_free(buf);
}

void
dyn_buffer_init_in(DynBuffer *buf, MemoryContext context)
{
	dyn_buffer_init(buf, 0);
	dyn_call_at_reset(context, free_buffer, buf);
}

DynBuffer *
dyn_buffer_create(void)
{
	DynBuffer  *buf = palloc(sizeof(DynBuffer));

	dyn_buffer_init_in(buf, CurrentMemoryContext);
	return buf;
}

char *
dyn_copy_bytes(const DynBuffer *buf)
{
	char	   *copy = NULL;

	if (!buf->failed && AllocSizeIsValid(buf->len + 1))
		copy = MemoryContextAllocExtended(CurrentMemoryContext, buf->len + 1,
										  MCXT_ALLOC_NO_OOM);
	if (copy != NULL && buf->len > 0)
		memcpy(copy, buf->data, buf->len);
	return copy;
}

char *
dyn_take_bytes(DynBuffer *buf, size_t *len)
{
	char	   *copy = dyn_copy_bytes(buf);

	*len = buf->len;
	dyn_buffer_free(buf);
	dyn_check_oom(copy == NULL);
	return copy;
}

const char *
dyn_take_text(DynBuffer *buf)
{
	size_t		len;
	char	   *copy = dyn_take_bytes(buf, &len);

	copy[len] = '\0';
	return dyn_from_utf8_lossy(copy);
}
