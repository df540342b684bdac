/*
 * loop.c
 *		Makes libcurl's multi handle waitable through one descriptor.
 *
 * A backend can wait for its latch and one descriptor.  So an epoll descriptor
 * watches the sockets that libcurl's "socket" interface reports, and a timerfd
 * that expires when libcurl must be called next.
 *
 * libcurl changes its deadline several times per request, nearly always to a
 * later time.  To save system calls, a later deadline does not change the
 * timerfd.  If the timerfd then expires early, dyn_loop_turn finds nothing to
 * do, and the timerfd is set again.
 *
 * Debian's libcurl resolves names in a thread, which inherits the signal mask;
 * a PostgreSQL signal handler must never run in that thread.  So all signals
 * but those that report an error in the code (such as SIGSEGV) are blocked
 * while libcurl runs transfers.
 */
#ifndef __linux__
#error "dynamo_fdw needs Linux: it waits with epoll and timerfd"
#endif

#include "../base/macros.h"
#include "loop.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_PER_TURN		64

/*
 * Size of libcurl's connection cache.  With a size below the number of
 * requests in flight, libcurl would close connections when requests end; but
 * the client decides when to close them (connections.c).
 */
#define IDLE_CONNECTIONS	1024L

/* Maximum number of consecutive timer runs: each run may request another. */
#define CALLS_PER_TURN		8

/* Time after which to call libcurl again if libcurl ran out of memory. */
#define RETRY_US			20000

int64_t
dyn_loop_now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t
dyn_loop_uptime_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (int64_t) now.tv_sec;
}

/* ---- signals ---------------------------------------------------------- */

static void
block_signals(sigset_t *before)
{
	static const int errs[] = {
		SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS
	};
	sigset_t	all;

	sigfillset(&all);
	for (size_t i = 0; i < LENGTHOF(errs); i++)
		sigdelset(&all, errs[i]);
	pthread_sigmask(SIG_SETMASK, &all, before);
}

/* ---- libcurl's callbacks ---------------------------------------------- */

/*
 * Adds a descriptor to epoll or, if it is `known` there, changes its events.
 * `known` may be wrong, since closing a descriptor removes it from epoll.  So
 * if one of the two operations fails, the other is tried.
 */
static void
watch_socket(DynLoop *loop, curl_socket_t fd, uint32_t wanted, bool known)
{
	struct epoll_event event = {.events = wanted,.data.fd = fd};
	int			op = known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;

	if (epoll_ctl(loop->epoll_fd, op, fd, &event) != 0)
	{
		op = errno == EEXIST ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
		(void) epoll_ctl(loop->epoll_fd, op, fd, &event);
	}
	if (!known)
		curl_multi_assign(loop->multi, fd, loop);
}

static int
on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *known)
{
	DynLoop    *loop = arg;
	uint32_t	wanted = (what & CURL_POLL_IN ? EPOLLIN : 0) |
		(what & CURL_POLL_OUT ? EPOLLOUT : 0);

	if (what == CURL_POLL_REMOVE)
	{
		if (!dyn_sockets_unwatch(loop->sockets, fd))
			dyn_loop_unwatch(loop, fd);
	}
	else if (!dyn_sockets_watch(loop->sockets, fd, wanted, easy))
		watch_socket(loop, fd, wanted, known != NULL);
	return 0;
}

static int
on_timer(CURLM *multi, long timeout_ms, void *arg)
{
	DynLoop    *loop = arg;

	loop->curl_due_us = timeout_ms < 0 ? DYN_LOOP_NEVER :
		dyn_loop_now_us() + (int64_t) timeout_ms * 1000;
	return 0;
}

/* ---- set-up ----------------------------------------------------------- */

#define SETS(option, value) \
	(curl_multi_setopt(multi, (option), (value)) == CURLM_OK)

static CURLM *
open_multi(DynLoop *loop)
{
	CURLM	   *multi = curl_multi_init();

#if LIBCURL_VERSION_NUM >= 0x081400
	/* do not wait for the resolver's thread; an older libcurl rejects this */
	(void) SETS(CURLMOPT_QUICK_EXIT, 1L);
#endif
	if (multi == NULL ||
		(SETS(CURLMOPT_SOCKETFUNCTION, on_socket) &&
		 SETS(CURLMOPT_SOCKETDATA, loop) &&
		 SETS(CURLMOPT_TIMERFUNCTION, on_timer) &&
		 SETS(CURLMOPT_TIMERDATA, loop) &&
		 SETS(CURLMOPT_PIPELINING, (long) CURLPIPE_NOTHING) &&
		 SETS(CURLMOPT_MAXCONNECTS, IDLE_CONNECTIONS)))
		return multi;
	curl_multi_cleanup(multi);
	return NULL;
}

/* Initializes libcurl on first use, so each backend does it after its fork. */
bool
dyn_loop_open(DynLoop *loop, DynSockets *sockets)
{
	static bool has_libcurl;
	loop->multi = NULL;
	loop->sockets = sockets;
	loop->curl_due_us = DYN_LOOP_NEVER;
	loop->armed_us = DYN_LOOP_NEVER;
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	loop->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (!has_libcurl)
		has_libcurl = dyn_wiping_init_libcurl();
	if (has_libcurl && loop->epoll_fd >= 0 && loop->timer_fd >= 0 &&
		dyn_loop_watch(loop, loop->timer_fd))
		loop->multi = open_multi(loop);
	if (loop->multi)
		return true;
	if (loop->timer_fd >= 0)
		close(loop->timer_fd);
	if (loop->epoll_fd >= 0)
		close(loop->epoll_fd);
	return false;
}

void
dyn_loop_drop_connections(DynLoop *loop)
{
	CURLM	   *fresh = open_multi(loop);

	if (fresh == NULL)
		return;
	curl_multi_cleanup(loop->multi);
	loop->multi = fresh;
	loop->curl_due_us = DYN_LOOP_NEVER;
}

/* ---- running ---------------------------------------------------------- */

/*
 * Calls libcurl again soon if it ran out of memory, because it may not have
 * reported which sockets to watch, or when to call it next.
 */
static void
act(DynLoop *loop, curl_socket_t fd, int what)
{
	int			running;
	int64_t		soon;

	if (curl_multi_socket_action(loop->multi, fd, what, &running) == CURLM_OK)
		return;
	soon = dyn_loop_now_us() + RETRY_US;
	if (soon < loop->curl_due_us)
		loop->curl_due_us = soon;
}

/* Runs libcurl's timers.  The caller has blocked signals. */
static void
run_timers(DynLoop *loop)
{
	int			i;

	for (i = 0; i < CALLS_PER_TURN && loop->curl_due_us != DYN_LOOP_NEVER &&
		 loop->curl_due_us <= dyn_loop_now_us(); i++)
	{
		loop->curl_due_us = DYN_LOOP_NEVER;
		act(loop, CURL_SOCKET_TIMEOUT, 0);
	}
}

/* Passes even the events of dyn_loop_watch to libcurl, which ignores them. */
static void
run_event(DynLoop *loop, const struct epoll_event *event)
{
	int			what = 0;
	uint64_t	expirations;

	if (event->data.fd == loop->timer_fd)
	{
		if (read(loop->timer_fd, &expirations, sizeof(expirations)) > 0)
			loop->armed_us = DYN_LOOP_NEVER;
		return;
	}
	if (dyn_sockets_handle_event(loop->sockets, event->data.fd))
	{
		dyn_loop_unwatch(loop, event->data.fd);
		return;
	}
	if (event->events & (EPOLLIN | EPOLLHUP))
		what |= CURL_CSELECT_IN;
	if (event->events & EPOLLOUT)
		what |= CURL_CSELECT_OUT;
	if (event->events & EPOLLERR)
		what |= CURL_CSELECT_ERR;
	act(loop, event->data.fd, what);
}

/* Calls epoll_wait once: if events remain, the descriptor stays readable. */
void
dyn_loop_turn(DynLoop *loop)
{
	struct epoll_event events[EVENTS_PER_TURN];
	sigset_t	before;
	int			n;

	block_signals(&before);
	n = epoll_wait(loop->epoll_fd, events, EVENTS_PER_TURN, 0);
	for (int i = 0; i < n; i++)
		run_event(loop, &events[i]);
	run_timers(loop);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool
dyn_loop_watch(DynLoop *loop, int fd)
{
	struct epoll_event event = {.events = EPOLLIN,.data.fd = fd};

	return epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

void
dyn_loop_unwatch(DynLoop *loop, int fd)
{
	(void) epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

bool
dyn_loop_add(DynLoop *loop, CURL *easy)
{
	sigset_t	before;
	bool		ok;

	block_signals(&before);
	ok = curl_multi_add_handle(loop->multi, easy) == CURLM_OK;
	if (ok)
		run_timers(loop);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ok;
}

void
dyn_loop_park(DynLoop *loop, CURL *easy)
{
	int			fd = dyn_sockets_park(loop->sockets, easy);

	if (fd >= 0)
		dyn_loop_unwatch(loop, fd);
}

CURLcode
dyn_loop_resume(DynLoop *loop, CURL *easy)
{
	sigset_t	before;
	CURLcode	result;
	uint32_t	events;
	int			fd = dyn_sockets_unpark(loop->sockets, easy, &events);

	if (fd >= 0)
		watch_socket(loop, fd, events, true);
	block_signals(&before);
	result = curl_easy_pause(easy, CURLPAUSE_CONT);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return result;
}

CURL *
dyn_loop_finished(DynLoop *loop, CURLcode *result)
{
	int			left;
	CURLMsg    *message = curl_multi_info_read(loop->multi, &left);

	/* the only messages of libcurl are CURLMSG_DONE */
	if (message == NULL)
		return NULL;
	*result = message->data.result;
	return message->easy_handle;
}

void
dyn_loop_arm(DynLoop *loop, int64_t due_us)
{
	struct itimerspec when = {{0, 0}, {0, 0}};

	if (loop->curl_due_us < due_us)
		due_us = loop->curl_due_us;
	if (due_us >= loop->armed_us)
		return;
	when.it_value.tv_sec = (time_t) (due_us / 1000000);
	when.it_value.tv_nsec = (long) (due_us % 1000000) * 1000 + 1;
	if (timerfd_settime(loop->timer_fd, TFD_TIMER_ABSTIME, &when, NULL) == 0)
		loop->armed_us = due_us;
}
