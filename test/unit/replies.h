/*
 * replies.h
 *		Replies to exchanges that were not sent.
 */
#ifndef DYN_TEST_REPLIES_H
#define DYN_TEST_REPLIES_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* memmem */
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aws/client.h"

#define KEY_ID		"ASIAEXAMPLEKEYID"
#define SECRET		"wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
#define TOKEN		"FwoGZXIvYXdzEXAMPLETOKEN0123456789abcdef=="

/* 2026-01-02T03:04:05Z */
#define EXPIRES		INT64_C(1767323045)

static inline void
reply(DynExchange *exchange, int status, const char *body)
{
	exchange->failure = DYN_FAIL_NONE;
	exchange->status = status;
	dyn_buffer_reset(&exchange->response);
	dyn_buffer_append_str(&exchange->response, body);
}

static inline void
break_off(DynExchange *exchange, DynFailure failure, const char *message)
{
	exchange->failure = failure;
	exchange->status = 0;
	snprintf(exchange->message, sizeof(exchange->message), "%s", message);
	dyn_buffer_reset(&exchange->response);
}

/* A file with this text; the name stays valid until the next call. */
static inline const char *
file_with(const char *text, size_t len)
{
	static char name[] = "/tmp/dyn_replies_XXXXXX";
	int			fd;

	strcpy(name + sizeof(name) - 7, "XXXXXX");
	fd = mkstemp(name);
	if (fd < 0 || write(fd, text, len) != (ssize_t) len || close(fd) != 0)
	{
		perror(name);
		exit(1);
	}
	return name;
}

/*
 * How often the text is in memory that malloc has given or got back; -1 if
 * that is unknown.  For texts that nothing on the heap contains rightly.
 */
static inline int
count_on_heap(const char *text)
{
	FILE	   *maps = fopen("/proc/self/maps", "r");
	char		line[512];
	int			found = -1;

	while (maps && fgets(line, sizeof(line), maps))
	{
		unsigned long start;
		unsigned long end;
		const char *p;

		if (strstr(line, "[heap]") == NULL ||
			sscanf(line, "%lx-%lx", &start, &end) != 2)
			continue;
		found = 0;
		for (p = (const char *) start;
			 (p = memmem(p, end - (unsigned long) p, text, strlen(text)));
			 p++)
			found++;
	}
	if (maps)
		fclose(maps);
	return found;
}

#endif
