/*
 * socket_watcher.h
 *		Lets the client's loop wait for another component's descriptor or time.
 */
#ifndef DYN_AWS_SOCKET_WATCHER_H
#define DYN_AWS_SOCKET_WATCHER_H

#include <stdint.h>

#include "client.h"

/*
 * A watcher, owned by the caller, who sets the first five members.  It must
 * not be freed or moved until it is removed.  dyn_client_drive and
 * dyn_client_wait call callback(arg) at least when `fd` (-1: none) is
 * readable, or when the time due_us (by dyn_loop_now_us; DYN_LOOP_NEVER: none)
 * has come.  They often call it earlier, too.  The callback may remove this
 * watcher, or add others.
 */
typedef struct DynSocketWatcher
{
	int			fd;
	int			held_fds;		/* number of descriptors to account for until
								 * it is removed */
	int64_t		due_us;
	void		(*callback) (void *arg);
	void	   *arg;

	/* private to client.c */
	struct DynSocketWatcher *next;
	bool		called;			/* true if it was called in this turn */
} DynSocketWatcher;

/* Adds a watcher; returns false if the descriptor cannot be watched. */
extern bool dyn_client_add_watcher(DynClient *client, DynSocketWatcher *watcher);
extern void dyn_client_remove_watcher(DynClient *client, DynSocketWatcher *watcher);

#endif
