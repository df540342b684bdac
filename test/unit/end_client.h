/*
 * end_client.h
 *		The end of a client, whose process goes on without it, and what it did.
 *
 * A backend has its client until it exits.
 */
#ifndef DYN_TEST_END_CLIENT_H
#define DYN_TEST_END_CLIENT_H

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

#include "aws/client_private.h"

/* All calls must have been destroyed. */
static inline void
end_client(DynClient *client)
{
	DynLoop    *loop = &client->connections.loop;

	assert(client->active == NULL && client->exchanges == NULL &&
		   client->watchers == NULL);
	dyn_client_close_idle(client);
	curl_multi_cleanup(loop->multi);
	close(loop->timer_fd);
	close(loop->epoll_fd);
	dyn_connections_return(&client->connections, DYN_LOOP_FDS);
	free(client->connections.sockets.list);
	while (client->nspare > 0)
		dyn_buffer_free(&client->spare[--client->nspare]);
	free(client);
}

/* Connections opened since the client was created. */
static inline uint64_t
connections_of(const DynClient *client)
{
	return client->connections.sockets.opened;
}

#endif
