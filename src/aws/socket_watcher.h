/*
 * socket_watcher.h
 *		Lets the client's loop wait for a descriptor or a time of somebody else.
 */
#ifndef DYN_AWS_WATCH_H
#define DYN_AWS_WATCH_H

#include <stdint.h>

#include "client.h"

/*
 * Owned by the caller, who sets the first five; it must not be freed or moved
 * while it is watched.  notice(arg) is called by dyn_client_drive and
 * dyn_client_wait, at least when `fd` (-1: none) is readable or the time due_us
 * (of dyn_loop_now_us; DYN_LOOP_NEVER: none) has come, and often without that;
 * it may end the watch, or begin others.
 */
typedef struct DynSocketWatcher
{
	int			fd;
	int			held_fds;		/* descriptors to account for meanwhile */
	int64_t		due_us;
	void		(*notice) (void *arg);
	void	   *arg;

	/* private to client.c */
	struct DynSocketWatcher *next;
	bool		noticed;		/* in this turn */
} DynSocketWatcher;

/* Returns false if the descriptor cannot be watched. */
extern bool dyn_client_watcher(DynClient *client, DynSocketWatcher *watcher);
extern void dyn_client_unwatch(DynClient *client, DynSocketWatcher *watcher);

#endif
