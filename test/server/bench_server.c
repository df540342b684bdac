/*
 * bench_server.c
 *		Serves prepared pages as DynamoDB would, as fast as the machine allows.
 *
 *		bench_server --dir DIR [--port N] [--delay-ms D] [--repeat K]
 *			[--stall-after BYTES] [--key NAME]
 *
 * DIR is what make_pages.py wrote: page-*.json (answers without
 * LastEvaluatedKey), table.json (DescribeTable), item.json (GetItem) and
 * batch.json (BatchGetItem).  Scan and Query get page after page, whatever else
 * they ask; the cursor travels in ExclusiveStartKey as the string "cursor-N".
 * In a segmented scan every segment gets a contiguous range.  --repeat serves
 * the pages K times over, so that a small directory makes a big table, and
 * DescribeTable says so.  --stall-after breaks off every answer to Scan and
 * Query and leaves the connection open.
 *
 * A page is held once; its checksum is known, and is carried over the few bytes
 * that end the answer.  One thread, epoll, one request at a time on every
 * connection; a delay is a queue of connections in the order of their deadlines
 * behind one timer, so that nobody waits for another.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#define MAX_REQUEST (1 << 20)
#define PARTS 3					/* head, the prepared bytes, the end */

/* Bytes of an answer that are prepared, and their CRC-32. */
typedef struct Body
{
	char	   *data;
	size_t		len;
	uint32_t	crc;
} Body;

typedef struct Connection
{
	int			fd;
	bool		writing;		/* an answer is under way */
	bool		waiting;		/* in the queue of delayed answers */
	bool		dead;			/* closed while it was waiting */
	char	   *in;				/* the request, MAX_REQUEST bytes */
	size_t		in_len;
	char		head[512];
	char		end[128];
	struct iovec out[PARTS];	/* what is still to be written */
	uint64_t	due;			/* nanoseconds */
	struct Connection *next;	/* in the queue */
} Connection;

static Body *pages;
static int	page_files;
static long total_pages;
static Body table_body,
			item_body,
			batch_body;
static const char *key_name = "id";
static uint64_t delay_ns;
static long stall_after = -1;	/* bytes of a page, -1: all of it */

static int	epoll_fd,
			timer_fd;
static Connection *queue_head,
		   *queue_tail;

static void
die(const char *what)
{
	fprintf(stderr, "bench_server: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- prepared bodies ---- */

static Body
read_body(const char *directory, const char *name)
{
	char		path[4096];
	struct stat st;
	Body		body = {0};
	FILE	   *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "rb");
	if (!file || fstat(fileno(file), &st) < 0)
		die(path);
	body.data = malloc(st.st_size + 1);
	body.len = fread(body.data, 1, st.st_size, file);
	body.data[body.len] = '\0';
	body.crc = crc32(0, (unsigned char *) body.data, body.len);
	fclose(file);
	return body;
}

/* A page ends before its closing brace: what follows depends on the request. */
static Body
read_page(const char *directory, const char *name)
{
	Body		body = read_body(directory, name);
	char	   *brace = strrchr(body.data, '}');

	if (!brace)
	{
		fprintf(stderr, "bench_server: %s is no JSON object\n", name);
		exit(1);
	}
	body.len = brace - body.data;
	body.crc = crc32(0, (unsigned char *) body.data, body.len);
	return body;
}

/* Multiplies the integer behind a mark in the description. */
static void
multiply_number(Body *body, const char *mark, long factor)
{
	char	   *found = strstr(body->data, mark);
	char	   *end;
	char	   *data;
	long		number;

	if (!found)
		return;
	found += strlen(mark);
	number = strtol(found, &end, 10);
	if (asprintf(&data, "%.*s%ld%s", (int) (found - body->data), body->data,
				 number * factor, end) < 0)
		die("table.json");
	free(body->data);
	body->data = data;
	body->len = strlen(data);
	body->crc = crc32(0, (unsigned char *) body->data, body->len);
}

static int
is_page(const struct dirent *entry)
{
	return strncmp(entry->d_name, "page-", 5) == 0;
}

static void
read_directory(const char *directory, long repeat)
{
	struct dirent **names;
	int			i;

	page_files = scandir(directory, &names, is_page, alphasort);
	if (page_files <= 0)
		die(directory);
	pages = calloc(page_files, sizeof(Body));
	for (i = 0; i < page_files; i++)
		pages[i] = read_page(directory, names[i]->d_name);
	total_pages = page_files * repeat;
	table_body = read_body(directory, "table.json");
	multiply_number(&table_body, "\"ItemCount\":", repeat);
	multiply_number(&table_body, "\"TableSizeBytes\":", repeat);
	item_body = read_body(directory, "item.json");
	batch_body = read_body(directory, "batch.json");
}

/* ---- requests ---- */

/* The integer after a mark, or what to take where the mark is absent. */
static long
number_after(const char *text, const char *mark, long otherwise)
{
	const char *found = text ? strstr(text, mark) : NULL;

	if (!found)
		return otherwise;
	found += strlen(mark);
	while (*found == ' ' || *found == ':')
		found++;
	return strtol(found, NULL, 10);
}

/* Head, body and end of an answer; the checksum goes on over the end. */
static void
set_answer(Connection *c, const Body *body, const char *end)
{
	size_t		end_len = strlen(end);
	uint32_t	crc = crc32(body->crc, (const unsigned char *) end, end_len);
	int			head_len;

	memcpy(c->end, end, end_len);
	head_len = snprintf(c->head, sizeof(c->head),
						"HTTP/1.1 200 OK\r\n"
						"Server: Server\r\n"
						"Content-Type: application/x-amz-json-1.0\r\n"
						"Content-Length: %zu\r\n"
						"x-amzn-RequestId: BENCH000000000000000000000000000000000000000000000000\r\n"
						"x-amz-crc32: %u\r\n\r\n",
						body->len + end_len, crc);
	c->out[0] = (struct iovec) {c->head, head_len};
	c->out[1] = (struct iovec) {body->data, body->len};
	c->out[2] = (struct iovec) {c->end, end_len};
}

static void
answer_page(Connection *c, const char *request)
{
	long		segments = number_after(request, "\"TotalSegments\"", 1);
	long		segment = number_after(request, "\"Segment\"", 0);
	long		first,
				last;
	long		page;
	char		end[sizeof(c->end)];

	if (segments < 1 || segment < 0 || segment >= segments)
		segments = 1, segment = 0;
	first = total_pages * segment / segments;
	last = total_pages * (segment + 1) / segments - 1;
	page = number_after(strstr(request, "\"ExclusiveStartKey\""), "cursor-", first);
	if (page < first || page > last)
	{
		static Body empty = {"{\"Count\":0,\"ScannedCount\":0,\"Items\":[]", 38, 0};

		empty.crc = crc32(0, (unsigned char *) empty.data, empty.len);
		set_answer(c, &empty, "}");
		return;
	}
	if (page == last)
		strcpy(end, "}");
	else
		snprintf(end, sizeof(end), ",\"LastEvaluatedKey\":{\"%s\":{\"S\":\"cursor-%ld\"}}}",
				 key_name, page + 1);
	set_answer(c, &pages[page % page_files], end);
	if (stall_after >= 0 && (size_t) stall_after < c->out[1].iov_len)
	{
		c->out[1].iov_len = stall_after;
		c->out[2].iov_len = 0;
	}
}

/* The operation is named in a header, the rest stands in the body. */
static void
prepare_answer(Connection *c, const char *request_body)
{
	if (strcasestr(c->in, "DynamoDB_20120810.DescribeTable"))
		set_answer(c, &table_body, "");
	else if (strcasestr(c->in, "DynamoDB_20120810.GetItem"))
		set_answer(c, &item_body, "");
	else if (strcasestr(c->in, "DynamoDB_20120810.BatchGetItem"))
		set_answer(c, &batch_body, "");
	else
		answer_page(c, request_body);
}

/* ---- connections ---- */

static void
watch(Connection *c, uint32_t events, int how)
{
	struct epoll_event event = {.events = events,.data.ptr = c};

	if (epoll_ctl(epoll_fd, how, c->fd, &event) < 0)
		die("epoll_ctl");
}

static void
close_connection(Connection *c)
{
	close(c->fd);
	c->dead = true;
	if (c->waiting)
		return;					/* the queue still knows it */
	free(c->in);
	free(c);
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
write_answer(Connection *c)
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
delay_answer(Connection *c)
{
	c->due = now_ns() + delay_ns;
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
answer_due(void)
{
	uint64_t	expirations;
	uint64_t	now = now_ns();

	if (read(timer_fd, &expirations, sizeof(expirations)) < 0 && errno != EAGAIN)
		die("timer");
	while (queue_head && queue_head->due <= now)
	{
		Connection *c = queue_head;

		queue_head = c->next;
		if (!queue_head)
			queue_tail = NULL;
		c->waiting = false;
		if (c->dead)
		{
			free(c->in);
			free(c);
		}
		else
			write_answer(c);
	}
	if (queue_head)
		set_timer(queue_head->due);
}

/* Answers the request once all of it is there. */
static void
answer_if_complete(Connection *c)
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
	prepare_answer(c, body);
	c->in_len = 0;
	if (delay_ns)
		delay_answer(c);
	else
		write_answer(c);
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
		answer_if_complete(c);
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
		watch(c, EPOLLIN, EPOLL_CTL_ADD);
	}
}

static void
watch_fd(int *fd)
{
	struct epoll_event event = {.events = EPOLLIN,.data.ptr = fd};

	if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, *fd, &event) < 0)
		die("epoll_ctl");
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

		for (i = 0; i < n; i++)
		{
			Connection *c = events[i].data.ptr;

			if (events[i].data.ptr == &listener)
				accept_all(listener);
			else if (events[i].data.ptr == &timer_fd)
				timer = true;	/* last: it may free what an event names */
			else if (c->writing)
				write_answer(c);
			else
				read_request(c);
		}
		if (timer)
			answer_due();
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
		die("listen");
	getsockname(fd, (struct sockaddr *) &address, &len);
	printf("http://127.0.0.1:%d\n", ntohs(address.sin_port));
	fflush(stdout);
	return fd;
}

static void
usage(FILE *to)
{
	fputs("usage: bench_server --dir DIR [--port N] [--delay-ms D] [--repeat K] [--stall-after BYTES] [--key NAME]\n"
		  "Serves the pages that make_pages.py wrote to DIR; prints its URL.\n"
		  "  --port      0, the default, is a free one\n"
		  "  --delay-ms  before every answer, without one waiting for another\n"
		  "  --repeat    serve the pages that many times over\n"
		  "  --stall-after  send so many bytes of a page, and no more\n"
		  "  --key       the attribute that carries the cursor (id)\n", to);
}

int
main(int argc, char **argv)
{
	static const struct option options[] = {
		{"dir", required_argument, NULL, 'd'}, {"port", required_argument, NULL, 'p'},
		{"delay-ms", required_argument, NULL, 'm'}, {"repeat", required_argument, NULL, 'r'},
		{"stall-after", required_argument, NULL, 's'},
		{"key", required_argument, NULL, 'k'}, {"help", no_argument, NULL, 'h'}, {0}
	};
	const char *directory = NULL;
	long		repeat = 1;
	int			port = 0;
	int			option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1)
		switch (option)
		{
			case 'd': directory = optarg; break;
			case 'p': port = atoi(optarg); break;
			case 'm': delay_ns = atof(optarg) * 1e6; break;
			case 'r': repeat = atol(optarg); break;
			case 's': stall_after = atol(optarg); break;
			case 'k': key_name = optarg; break;
			case 'h': usage(stdout); return 0;
			default: usage(stderr); return 2;
		}
	if (!directory || repeat < 1)
	{
		usage(stderr);
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);	/* clients may hang up while they are answered */
	read_directory(directory, repeat);
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	serve(listen_on(port));
}
