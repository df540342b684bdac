/*
 * loop.h
 *		libcurl's multi handle, made waitable through one descriptor.
 *
 * The sockets libcurl wants watched and the next moment it wants to be called
 * are mirrored into an epoll descriptor, which is readable whenever
 * dyn_loop_turn has something to do.
 */
#ifndef DYN_AWS_LOOP_H
#define DYN_AWS_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include <curl/curl.h>

#include "sockets.h"

#define DYN_LOOP_NEVER	INT64_MAX

/* Whoever waits for the descriptor looks sooner than this after a deadline. */
#define DYN_LOOP_LATE_US	300000

/* Descriptors of the loop itself, sockets not counted. */
#define DYN_LOOP_FDS	2

typedef struct DynLoop
{
	CURLM	   *multi;
	DynSockets *sockets;		/* records which ones libcurl watches */
	int			epoll_fd;
	int			timer_fd;		/* watched by epoll_fd */
	int64_t		curl_due_us;	/* when libcurl wants to be called */
	int64_t		armed_us;		/* what timer_fd is set to */
	bool		late;			/* libcurl was called long after it wanted to,
								 * since control was given away last */
} DynLoop;

/* Monotonic time in microseconds. */
extern int64_t dyn_loop_now_us(void);

/*
 * Seconds since the machine was started.  Nobody sets this clock, and it goes
 * on while the machine sleeps.
 */
extern int64_t dyn_loop_uptime_s(void);

/*
 * Returns false, with everything closed, if any resource cannot be acquired.
 */
extern bool dyn_loop_open(DynLoop *loop, DynSockets *sockets);

/* Adds a transfer, and runs it as far as possible without waiting. */
extern bool dyn_loop_add(DynLoop *loop, CURL *easy);

/* Removes a transfer, finished or not. */
extern void dyn_loop_remove(DynLoop *loop, CURL *easy);

/*
 * Lets a transfer go on that a callback has paused.  Bytes that libcurl holds
 * arrive at once, and may pause it again.  If this fails, the transfer has
 * ended with that result: libcurl does not report it, so remove it.
 */
extern CURLcode dyn_loop_resume(DynLoop *loop, CURL *easy);

/*
 * Tells libcurl of nothing that comes for a transfer that a callback has paused:
 * some versions (8.5 among them) would read it, without a bound.
 */
extern void dyn_loop_park(DynLoop *loop, CURL *easy);

/*
 * Makes the epoll descriptor readable, too, while a descriptor of somebody else
 * is; false if that fails.  It must be unwatched before it is closed.
 */
extern bool dyn_loop_watcher(DynLoop *loop, int fd);
extern void dyn_loop_unwatch(DynLoop *loop, int fd);

/* Does everything that can be done without waiting. */
extern void dyn_loop_turn(DynLoop *loop);

/* A transfer that has ended and is still in the loop, or NULL. */
extern CURL *dyn_loop_finished(DynLoop *loop, CURLcode *result);

/*
 * Sets the timer to libcurl's deadline or to `due_us`, whichever is earlier.
 * Call it before returning control to the caller.
 */
extern void dyn_loop_arm(DynLoop *loop, int64_t due_us);

/* Closes all connections; not allowed while a transfer is in the loop. */
extern void dyn_loop_drop_connections(DynLoop *loop);

#endif
