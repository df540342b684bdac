/*
 * pool.h
 *		Easy handles and response buffers that are used again.
 */
#ifndef DYN_AWS_POOL_H
#define DYN_AWS_POOL_H

#include "../base/buffer.h"
#include "http.h"
#include "sockets.h"
#include "tls.h"

#define DYN_POOL_BUFFERS	4

/* Zero-initialise it. */
typedef struct DynPool
{
	DynHttp    *handles;
	int			nhandles;
	DynBuffer	buffers[DYN_POOL_BUFFERS];
	int			nbuffers;
	size_t		buffer_bytes;	/* capacity of the spare buffers */
} DynPool;

/* A spare handle or a new one; NULL if memory runs out. */
extern DynHttp *dyn_pool_take_handle(DynPool *pool, DynSockets *sockets,
									 DynTls *tls);

/* Takes a handle back, whose exchange has ended. */
extern void dyn_pool_give_handle(DynPool *pool, DynHttp *http);

/* Empties the buffer, gives it the bound, and a spare one's memory if any. */
extern void dyn_pool_ready_buffer(DynPool *pool, DynBuffer *buf, size_t max);

/* Takes a buffer's memory, or frees it if there is enough; it is empty then. */
extern void dyn_pool_give_buffer(DynPool *pool, DynBuffer *buf);

/* Frees the spare ones; some versions of libcurl keep the latest request in them. */
extern void dyn_pool_free_handles(DynPool *pool);
extern void dyn_pool_free_buffers(DynPool *pool);

#endif
