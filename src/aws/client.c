/*
 * client.c
 *		Drives the calls and exchanges of a backend.
 *
 * libcurl puts ended transfers into a queue, and dyn_client_process takes them
 * from there.  No call is checked, restarted or freed inside a callback of
 * libcurl.
 *
 * Layer: aws.
 */
#include "client.h"

#include <assert.h>
#include <stdlib.h>

#include "attempt.h"
#include "exchange.h"
#include "socket_watcher.h"

/* ---- driving ---------------------------------------------------------- */

static bool
end_finished(DynClient *client)
{
	CURL	   *easy;
	CURLcode	code;
	bool		any = false;

	while ((easy = dyn_loop_finished(&client->connections.loop, &code)) != NULL)
	{
		char	   *private = NULL;
		DynHttp    *http;

		curl_easy_getinfo(easy, CURLINFO_PRIVATE, &private);
		http = (DynHttp *) (void *) private;
		if (http->is_exchange)
			dyn_exchange_end(http->owner, code);
		else
			dyn_attempt_end(http->owner, code);
		any = true;
	}
	return any;
}

/* Begins or ends attempts that are due. */
static bool
attend_due(DynClient *client)
{
	int64_t		now;
	DynActiveCall *call;
	DynActiveCall *next;
	bool		any = false;

	if (dyn_attempts_next_due(client) == DYN_LOOP_NEVER)
		return false;
	now = dyn_loop_now_us();
	for (call = client->active; call; call = next)
	{
		next = call->next;
		if (call->due_us > now)
			continue;
		if (call->public.state == DYN_CALL_BACKOFF)
			dyn_attempt_begin(call);
		else
			dyn_attempt_end_overdue(call, now);
		any = true;
	}
	return any;
}

void
dyn_client_arm(DynClient *client)
{
	int64_t		due = dyn_attempts_next_due(client);
	const DynSocketWatcher *watcher;

	for (watcher = client->watchers; watcher; watcher = watcher->next)
		if (watcher->due_us < due)
			due = watcher->due_us;
	if (dyn_exchanges_any_ended(client))
		due = 0;
	dyn_loop_arm(&client->connections.loop, due);
}

/* The loop ends because attempts are limited. */
void
dyn_client_process(DynClient *client)
{
	while (end_finished(client) || attend_due(client))
		continue;
	dyn_attempts_suspend_paused(client);
	dyn_client_arm(client);
}

/*
 * Calls each watcher once, though a watcher may remove itself and others at
 * the same time.
 */
static bool
call_watchers(DynClient *client)
{
	DynSocketWatcher *watcher;
	bool		any = false;

	for (watcher = client->watchers; watcher; watcher = watcher->next)
		watcher->called = false;
	while ((watcher = client->watchers) != NULL)
	{
		while (watcher && watcher->called)
			watcher = watcher->next;
		if (watcher == NULL)
			break;
		watcher->called = true;
		watcher->callback(watcher->arg);
		any = true;
	}
	return any;
}

/*
 * An event that a source of credentials has waited for may let calls continue,
 * and these may start a source.
 */
void
dyn_client_drive(DynClient *client)
{
	bool		others;

	dyn_loop_turn(&client->connections.loop);
	dyn_attempts_try_held(client, true);
	dyn_client_process(client);
	others = call_watchers(client);
	while (dyn_exchanges_settle(client) || others)
	{
		others = false;
		dyn_attempts_try_held(client, false);
		dyn_client_process(client);
	}
	client->has_completions = false;
}

/*
 * Work that could be done before the wait makes the descriptor readable.  Only
 * calls that ended in dyn_call_start need a separate check.  A source of
 * credentials may have been started since the client was last driven.
 */
DynWait
dyn_client_wait(DynClient *client, DynWaitFn wait, void *arg, long timeout_ms)
{
	DynWait		result = DYN_WAIT_READY;

	dyn_client_arm(client);
	if (!client->has_completions &&
		(client->active || client->exchanges || client->watchers))
		result = wait(arg, client->connections.loop.epoll_fd, timeout_ms);
	dyn_client_drive(client);
	return result;
}

void
dyn_client_wake(DynClient *client, double ms)
{
	dyn_loop_arm(&client->connections.loop,
				 dyn_loop_now_us() + (int64_t) (ms * 1000));
}

/* ---- watchers --------------------------------------------------------- */

bool
dyn_client_add_watcher(DynClient *client, DynSocketWatcher *watcher)
{
	if (watcher->fd >= 0 &&
		!dyn_loop_watch(&client->connections.loop, watcher->fd))
		return false;
	dyn_connections_hold(&client->connections, watcher->held_fds);
	watcher->called = false;
	watcher->next = client->watchers;
	client->watchers = watcher;
	dyn_client_arm(client);
	return true;
}

void
dyn_client_remove_watcher(DynClient *client, DynSocketWatcher *watcher)
{
	DynSocketWatcher **link = &client->watchers;

	while (*link != watcher)
		link = &(*link)->next;
	*link = watcher->next;
	dyn_connections_return(&client->connections, watcher->held_fds);
	if (watcher->fd >= 0)
		dyn_loop_unwatch(&client->connections.loop, watcher->fd);
}

/* ---- the client ------------------------------------------------------- */

DynClient *
dyn_client_create(const DynDescriptors *descriptors)
{
	DynClient  *client = calloc(1, sizeof(*client));

	if (client == NULL)
		return NULL;
	dyn_random_seed(&client->random);
	if (dyn_connections_open(&client->connections, descriptors))
		return client;
	free(client);
	return NULL;
}

void
dyn_client_end_statement(DynClient *client)
{
	dyn_connections_end_statement(&client->connections);
}

void
dyn_client_close_idle(DynClient *client)
{
	dyn_connections_close_idle(&client->connections);
	dyn_connections_free_handles(&client->connections);
}

int
dyn_client_fd(const DynClient *client)
{
	return client->connections.loop.epoll_fd;
}

int
dyn_client_open_fds(const DynClient *client)
{
	return (int) dyn_sockets_count(&client->connections.sockets) + DYN_LOOP_FDS;
}
