/*
 * http_server.c
 *		The servers of the benchmarks, except the contents of their responses.
 *
 * One thread, epoll, one request at a time on every connection; a delay is a
 * queue of connections in the order of their deadlines with one timer, so that
 * no connection waits for another.  A body may be held once for all responses: its
 * checksum is known, and is carried over the few bytes that end the response.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "http_server.h"

#define MAX_REQUEST (1 << 20)
#define PARTS 3					/* head, body, end */

typedef struct Connection
{
	int			fd;
	bool		writing;		/* a response is under way */
	bool		waiting;		/* in the queue of delayed responses */
	bool		dead;			/* closed while it was waiting */
	char	   *in;				/* the request, MAX_REQUEST bytes */
	size_t		in_len;
	HttpResponse	response;
	char		head[512];
	struct iovec out[PARTS];	/* what is still to be written */
	uint64_t	due;			/* nanoseconds */
	struct Connection *next;	/* in the queue */
} Connection;

static uint64_t delay_ns;
static uint64_t woken;			/* when there was something to do, nanoseconds */
static HttpHandler handler;

static int	epoll_fd,
			timer_fd;
static Connection *queue_head,
		   *queue_tail;

void
http_die(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what,
			strerror(errno));
	exit(1);
}

/* ---- text ---- */

static void
reserve(HttpText *text, size_t more)
{
	if (text->len + more <= text->space)
		return;
	text->space = (text->len + more) * 2;
	text->data = realloc(text->data, text->space);
	if (!text->data)
		http_die("memory");
}

void
http_text_append(HttpText *text, const char *data, size_t len)
{
	reserve(text, len);
	memcpy(text->data + text->len, data, len);
	text->len += len;
}

void
http_text_printf(HttpText *text, const char *format,...)
{
	va_list		args;
	int			len;

	reserve(text, 512);
	va_start(args, format);
	len = vsnprintf(text->data + text->len, text->space - text->len, format, args);
	va_end(args);
	if (len < 0 || text->len + len >= text->space)
		http_die(format);
	text->len += len;
}

void
http_response_text(HttpResponse *response)
{
	response->body = response->text.data;
	response->len = response->text.len;
	response->crc = crc32(0, (const unsigned char *) response->body, response->len);
}

/* ---- responses ---- */

/* The name after "DynamoDB_20120810." in the head, copied. */
static void
find_operation(const char *head, char *operation, size_t space)
{
	const char *target = strcasestr(head, "\nX-Amz-Target:");
	const char *dot = target ? strchr(target, '.') : NULL;
	size_t		len = dot ? strcspn(dot + 1, "\r\n ") : 0;

	if (len >= space)
		len = space - 1;
	if (len > 0)
		memcpy(operation, dot + 1, len);
	operation[len] = '\0';
}

static void
write_head(Connection *c)
{
	const HttpResponse *response = &c->response;
	size_t		end_len = strlen(response->end);
	uint32_t	crc = crc32(response->crc, (const unsigned char *) response->end, end_len);
	size_t		len = response->len;
	int			head_len;

	head_len = snprintf(c->head, sizeof(c->head),
						"HTTP/1.1 %d %s\r\n"
						"Server: Server\r\n"
						"Content-Type: application/x-amz-json-1.0\r\n"
						"Content-Length: %zu\r\n"
						"x-amz-crc32: %u\r\n\r\n",
						response->status, response->status == 200 ? "OK" : "Bad Request",
						len + end_len, crc);
	if (response->stop_after >= 0 && (size_t) response->stop_after < len)
	{
		len = response->stop_after;
		end_len = 0;
	}
	c->out[0] = (struct iovec) {c->head, head_len};
	c->out[1] = (struct iovec) {(char *) response->body, len};
	c->out[2] = (struct iovec) {c->response.end, end_len};
}

static void
prepare_response(Connection *c, const char *body, size_t len)
{
	HttpResponse *response = &c->response;
	char		operation[64];

	response->status = 200;
	response->text.len = 0;
	response->body = "";
	response->len = 0;
	response->crc = 0;
	response->end[0] = '\0';
	response->stop_after = -1;
	find_operation(c->in, operation, sizeof(operation));
	handler(operation, body, len, response);
	write_head(c);
}

/* ---- connections ---- */

static void
watch(Connection *c, uint32_t events, int how)
{
	struct epoll_event event = {.events = events,.data.ptr = c};

	if (epoll_ctl(epoll_fd, how, c->fd, &event) < 0)
		http_die("epoll_ctl");
}

static void
free_connection(Connection *c)
{
	free(c->response.text.data);
	free(c->in);
	free(c);
}

static void
close_connection(Connection *c)
{
	close(c->fd);
	c->dead = true;
	if (!c->waiting)			/* else the queue still knows it */
		free_connection(c);
}

/* Takes written bytes off the parts; true when nothing is left. */
static bool
advance(struct iovec *out, size_t written)
{
	size_t		left = 0;
	int			i;

	for (i = 0; i < PARTS; i++)
	{
		size_t		taken = written < out[i].iov_len ? written : out[i].iov_len;

		out[i].iov_base = (char *) out[i].iov_base + taken;
		out[i].iov_len -= taken;
		written -= taken;
		left += out[i].iov_len;
	}
	return left == 0;
}

static void
write_response(Connection *c)
{
	for (;;)
	{
		ssize_t		n = writev(c->fd, c->out, PARTS);

		if (n < 0 && errno == EAGAIN)
		{
			if (!c->writing)
				watch(c, EPOLLOUT, EPOLL_CTL_MOD);
			c->writing = true;
			return;
		}
		if (n < 0)
		{
			close_connection(c);
			return;
		}
		if (advance(c->out, n))
			break;
	}
	if (c->writing)
		watch(c, EPOLLIN, EPOLL_CTL_MOD);
	c->writing = false;
}

static uint64_t
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * UINT64_C(1000000000) + ts.tv_nsec;
}

static void
set_timer(uint64_t due)
{
	struct itimerspec at = {0};

	at.it_value.tv_sec = due / 1000000000;
	at.it_value.tv_nsec = due % 1000000000;
	timerfd_settime(timer_fd, TFD_TIMER_ABSTIME, &at, NULL);
}

/* All delays are equal, so the queue is in the order of the deadlines. */
static void
delay_response(Connection *c)
{
	c->due = woken + delay_ns;
	c->waiting = true;
	c->next = NULL;
	if (queue_tail)
		queue_tail->next = c;
	else
	{
		queue_head = c;
		set_timer(c->due);
	}
	queue_tail = c;
}

static void
send_due(void)
{
	uint64_t	expirations;
	uint64_t	now = now_ns();

	if (read(timer_fd, &expirations, sizeof(expirations)) < 0 && errno != EAGAIN)
		http_die("timer");
	while (queue_head && queue_head->due <= now)
	{
		Connection *c = queue_head;

		queue_head = c->next;
		if (!queue_head)
			queue_tail = NULL;
		c->waiting = false;
		if (c->dead)
			free_connection(c);
		else
			write_response(c);
	}
	if (queue_head)
		set_timer(queue_head->due);
}

/* Responds to the request once all of it is there. */
static void
respond_if_complete(Connection *c)
{
	char	   *body;
	long		body_len;

	c->in[c->in_len] = '\0';
	body = strstr(c->in, "\r\n\r\n");
	if (!body)
		return;
	*body = '\0';
	{
		const char *length = strcasestr(c->in, "\r\nContent-Length:");

		body_len = length ? strtol(length + 17, NULL, 10) : 0;
	}
	*body = '\r';
	body += 4;
	if (c->in_len < (size_t) (body - c->in) + body_len)
		return;
	prepare_response(c, body, body_len);
	c->in_len = 0;
	if (delay_ns)
		delay_response(c);
	else
		write_response(c);
}

static void
read_request(Connection *c)
{
	ssize_t		n = read(c->fd, c->in + c->in_len, MAX_REQUEST - 1 - c->in_len);

	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0)
	{
		close_connection(c);
		return;
	}
	c->in_len += n;
	if (!c->waiting && !c->writing)
		respond_if_complete(c);
}

static void
accept_all(int listener)
{
	int			fd;

	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0)
	{
		Connection *c = calloc(1, sizeof(Connection));
		int			on = 1;

		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		c->fd = fd;
		c->in = malloc(MAX_REQUEST);
		if (!c->in)
			http_die("memory");
		watch(c, EPOLLIN, EPOLL_CTL_ADD);
	}
}

static void
watch_fd(int *fd)
{
	struct epoll_event event = {.events = EPOLLIN,.data.ptr = fd};

	if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, *fd, &event) < 0)
		http_die("epoll_ctl");
}

static void
serve(int listener)
{
	struct epoll_event events[64];

	watch_fd(&listener);
	watch_fd(&timer_fd);
	for (;;)
	{
		int			n = epoll_wait(epoll_fd, events, 64, -1);
		bool		timer = false;
		int			i;

		woken = delay_ns ? now_ns() : 0;
		for (i = 0; i < n; i++)
		{
			Connection *c = events[i].data.ptr;

			if (events[i].data.ptr == &listener)
				accept_all(listener);
			else if (events[i].data.ptr == &timer_fd)
				timer = true;	/* last: it may free what an event names */
			else if (c->writing)
				write_response(c);
			else
				read_request(c);
		}
		if (timer)
			send_due();
	}
}

static int
listen_on(int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,.sin_port = htons(port)};
	socklen_t	len = sizeof(address);
	int			on = 1;
	int			fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *) &address, len) < 0 || listen(fd, 512) < 0)
		http_die("listen");
	getsockname(fd, (struct sockaddr *) &address, &len);
	printf("http://127.0.0.1:%d\n", ntohs(address.sin_port));
	fflush(stdout);
	return fd;
}

void
http_serve(int port, uint64_t delay, HttpHandler handle)
{
	delay_ns = delay;
	handler = handle;
	signal(SIGPIPE, SIG_IGN);	/* clients may hang up during the response */
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	serve(listen_on(port));
}
