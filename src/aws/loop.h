/*
 * loop.h
 *		libcurl's multi handle behind one descriptor to wait for.
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

/* Descriptors of the loop itself, sockets not counted. */
#define DYN_LOOP_FDS	2

typedef struct DynLoop
{
	CURLM	   *multi;
	DynSockets *sockets;		/* told which ones libcurl watches */
	int			epoll_fd;
	int			timer_fd;		/* watched by epoll_fd */
	int64_t		curl_due_us;	/* when libcurl wants to be called */
	int64_t		armed_us;		/* what timer_fd is set to */
} DynLoop;

/* Monotonic time in microseconds. */
extern int64_t dyn_loop_now_us(void);

/* False, with nothing left open, when a part cannot be had. */
extern bool dyn_loop_open(DynLoop *loop, DynSockets *sockets);
extern void dyn_loop_close(DynLoop *loop);

/* Adds a transfer and lets it go as far as it goes without waiting. */
extern bool dyn_loop_add(DynLoop *loop, CURL *easy);

/* Takes a transfer out, finished or not. */
extern void dyn_loop_remove(DynLoop *loop, CURL *easy);

/* Whatever can be done without waiting. */
extern void dyn_loop_turn(DynLoop *loop);

/* A transfer that has ended and is still in the loop, or NULL. */
extern CURL *dyn_loop_finished(DynLoop *loop, CURLcode *result);

/*
 * Sets the timer to libcurl's wish or to `due_us`, whichever comes first.
 * Call it before giving control away.
 */
extern void dyn_loop_arm(DynLoop *loop, int64_t due_us);

/* Closes all connections; only while no transfer is in the loop. */
extern void dyn_loop_drop_connections(DynLoop *loop);

#endif
