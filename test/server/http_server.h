/*
 * http_server.h
 *		Responds to DynamoDB's kind of requests, for the servers of the benchmarks.
 *
 * A handler gets the operation and the body of a request and sets the
 * response.  It is called as soon as the request is there; the response leaves
 * after the delay, counted from the request's arrival, and no connection waits
 * for another.
 */
#ifndef HTTP_SERVER_H
#define HTTP_SERVER_H

#include <stddef.h>
#include <stdint.h>

/* Text that grows. */
typedef struct HttpText
{
	char	   *data;
	size_t		len;
	size_t		space;
} HttpText;

/* What to send: a body, and a few bytes that end it. */
typedef struct HttpResponse
{
	int			status;			/* 200 unless the handler sets another one */
	HttpText	text;			/* the handler's to use; empty at first */
	const char *body;			/* text.data, or bytes that stay */
	size_t		len;
	uint32_t	crc;			/* CRC-32 of these bytes */
	char		end[128];		/* follows them; a string */
	long		stop_after;		/* bytes of the body to send; -1: all */
} HttpResponse;

typedef void (*HttpHandler) (const char *operation, const char *body,
							 size_t len, HttpResponse *response);

/* Prints its URL, and serves until it is killed. */
extern void http_serve(int port, uint64_t delay_ns, HttpHandler handler);

extern void http_text_append(HttpText *text, const char *data, size_t len);
extern void http_text_printf(HttpText *text, const char *format,...)
			__attribute__((format(printf, 2, 3)));

/* The response is the handler's own text. */
extern void http_response_text(HttpResponse *response);

/* Writes what and errno, and exits. */
extern void http_die(const char *what) __attribute__((noreturn));

#endif
