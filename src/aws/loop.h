/*
 * loop.h
 *		Makes libcurl's multi handle waitable through one descriptor.
 *
 * The epoll descriptor is readable whenever dyn_loop_turn has something to do.
 */
#ifndef DYN_AWS_LOOP_H
#define DYN_AWS_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include <curl/curl.h>

#include "sockets.h"

#define DYN_LOOP_NEVER	INT64_MAX

/*
 * Value of CURLOPT_BUFFERSIZE, the maximum number of bytes that libcurl
 * receives at once.  wiping.c recognizes the buffer by this unusual size.
 */
#define DYN_RECEIVE_BUFFER	(130L * 1024)

/* A dyn_client_drive that is delayed by more than this (us) counts as late. */
#define DYN_LOOP_LATE_US	300000

/* Number of descriptors of the loop itself, not counting sockets. */
#define DYN_LOOP_FDS	2

typedef struct DynLoop
{
	CURLM	   *multi;
	DynSockets *sockets;		/* table of the sockets that libcurl watches */
	int			epoll_fd;
	int			timer_fd;		/* watched by epoll_fd */
	int64_t		curl_due_us;	/* time to call libcurl next (monotonic us) */
	int64_t		armed_us;		/* expiry of timer_fd (monotonic us) */
} DynLoop;

/* Returns the monotonic time (us). */
extern int64_t dyn_loop_now_us(void);

/*
 * Returns the seconds since the machine was started.  This clock cannot be
 * set, and it continues while the machine sleeps.
 */
extern int64_t dyn_loop_uptime_s(void);

/*
 * Initializes libcurl for the process, with an allocator that overwrites
 * memory before freeing it (wiping.c); returns false on failure.  If other
 * code has initialized libcurl before, libcurl's allocator does not change.
 */
extern bool dyn_wiping_init_libcurl(void);

/* Opens the loop; on failure, returns false with everything closed. */
extern bool dyn_loop_open(DynLoop *loop, DynSockets *sockets);

/* Adds a transfer, and runs it without waiting; returns false on failure. */
extern bool dyn_loop_add(DynLoop *loop, CURL *easy);

/*
 * Resumes a transfer that a callback has paused.  Bytes that libcurl has
 * already received arrive immediately, and may pause the transfer again.  On
 * failure, the transfer has ended with the returned result.  The caller must
 * remove the transfer, because libcurl does not report this end.
 */
extern CURLcode dyn_loop_resume(DynLoop *loop, CURL *easy);

/*
 * Stops reporting the events of a paused transfer to libcurl.  Otherwise some
 * versions of libcurl (8.5 among them) would read data without a limit.
 */
extern void dyn_loop_park(DynLoop *loop, CURL *easy);

/*
 * Makes the epoll descriptor readable while another component's `fd` is
 * readable.  Returns false on failure.  Unwatch `fd` before closing it.
 */
extern bool dyn_loop_watch(DynLoop *loop, int fd);
extern void dyn_loop_unwatch(DynLoop *loop, int fd);

/* Handles all events and timers that are due, without waiting. */
extern void dyn_loop_turn(DynLoop *loop);

/* Returns a transfer that has ended, and its result; NULL if there is none. */
extern CURL *dyn_loop_finished(DynLoop *loop, CURLcode *result);

/*
 * Sets the timer to libcurl's deadline or to `due_us`, whichever is earlier.
 * Must be called before control returns to the client's caller.
 */
extern void dyn_loop_arm(DynLoop *loop, int64_t due_us);

/* Closes all connections; not allowed while a transfer is in the loop. */
extern void dyn_loop_drop_connections(DynLoop *loop);

#endif
