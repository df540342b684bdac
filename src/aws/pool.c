/*
 * pool.c
 *		Easy handles and response buffers that are used again.
 *
 * They make a request on a warm client cheap.  Buffers are limited in number
 * and bytes.
 *
 * Layer: aws.
 */
#include "pool.h"

#define MOST_SPARE_HANDLES	16
#define MOST_SPARE_BYTES	((size_t) 6 * 1024 * 1024)

DynHttp *
dyn_pool_take_handle(DynPool *pool, DynSockets *sockets, DynTls *tls)
{
	DynHttp    *http = pool->handles;

	if (http == NULL)
		return dyn_http_create(sockets, tls);
	pool->handles = http->next;
	pool->nhandles--;
	return http;
}

void
dyn_pool_give_handle(DynPool *pool, DynHttp *http)
{
	dyn_http_release(http);
	if (pool->nhandles >= MOST_SPARE_HANDLES)
	{
		dyn_http_destroy(http);
		return;
	}
	http->next = pool->handles;
	pool->handles = http;
	pool->nhandles++;
}

/* The largest spare buffer; small ones held a packed body or an error. */
static DynBuffer
take_buffer(DynPool *pool)
{
	DynBuffer	taken;
	int			best = 0;
	int			i;

	for (i = 1; i < pool->nbuffers; i++)
		if (pool->buffers[i].cap > pool->buffers[best].cap)
			best = i;
	taken = pool->buffers[best];
	pool->buffers[best] = pool->buffers[--pool->nbuffers];
	pool->buffer_bytes -= taken.cap;
	return taken;
}

void
dyn_pool_ready_buffer(DynPool *pool, DynBuffer *buf, size_t max)
{
	if (buf->cap == 0 && pool->nbuffers > 0)
		*buf = take_buffer(pool);
	dyn_buffer_reset(buf);
	buf->max = max;
}

void
dyn_pool_give_buffer(DynPool *pool, DynBuffer *buf)
{
	if (buf->cap == 0 || pool->nbuffers == DYN_POOL_BUFFERS ||
		pool->buffer_bytes + buf->cap > MOST_SPARE_BYTES)
	{
		dyn_buffer_free(buf);
		return;
	}
	pool->buffers[pool->nbuffers++] = *buf;
	pool->buffer_bytes += buf->cap;
	dyn_buffer_init(buf, buf->max);
}

void
dyn_pool_free_handles(DynPool *pool)
{
	DynHttp    *http;

	while ((http = pool->handles) != NULL)
	{
		pool->handles = http->next;
		dyn_http_destroy(http);
	}
	pool->nhandles = 0;
}

void
dyn_pool_free_buffers(DynPool *pool)
{
	int			i;

	for (i = 0; i < pool->nbuffers; i++)
		dyn_buffer_free(&pool->buffers[i]);
	pool->nbuffers = 0;
}
