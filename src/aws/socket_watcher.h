/*
 * socket_watcher.h
 *		Lets the client's loop wait for another component's descriptor or time.
 */
#ifndef DYN_AWS_WATCH_H
#define DYN_AWS_WATCH_H

#include <stdint.h>

#include "client.h"

/*
 * A watch, owned by the caller, who sets the first five members.  It must not
 * be freed or moved while it is watched.  dyn_client_drive and dyn_client_wait
 * call notice(arg) at least when `fd` (-1: none) is readable, or when the time
 * due_us (by dyn_loop_now_us; DYN_LOOP_NEVER: none) has come.  They often call
 * it earlier, too.  It may end the watch, or begin others.
 */
typedef struct DynSocketWatcher
{
	int			fd;
	int			held_fds;		/* number of descriptors to account for while
								 * it is watched */
	int64_t		due_us;
	void		(*notice) (void *arg);
	void	   *arg;

	/* private to client.c */
	struct DynSocketWatcher *next;
	bool		noticed;		/* true if it was notified in this turn */
} DynSocketWatcher;

/* Begins a watch; returns false if the descriptor cannot be watched. */
extern bool dyn_client_watcher(DynClient *client, DynSocketWatcher *watcher);
extern void dyn_client_unwatch(DynClient *client, DynSocketWatcher *watcher);

#endif
