/*
 * bare_client.c
 *		What a plain libcurl program needs for the same requests: the yardstick.
 *
 *		bare_client --url URL --scan N      all pages, by N segments at a time
 *		bare_client --url URL --calls N     the same GetItem N times in a row
 *		bare_client --url URL --replay FILE --in-flight N
 *
 * The scan follows LastEvaluatedKey and looks at nothing else.  The replay sends
 * the requests that keyed_server recorded, in their order, N at any time, and
 * reads no response; its connections are there before the clock starts, as
 * those of a session are.  The requests are signed once, or rather look so: the
 * bench servers do not check.  Prints one line of name=value pairs: wall and CPU
 * seconds, requests and bytes, and for calls the median and 95th percentile in
 * microseconds.
 */
#define _GNU_SOURCE
#include <curl/curl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define TAIL 64					/* bytes of a response that may hold its cursor */

/* A recorded request. */
typedef struct Request
{
	char	   *body;
	struct curl_slist *headers;
} Request;

/* One transfer at a time, and its next request. */
typedef struct Chain
{
	CURL	   *easy;
	char		body[1024];
	char		tail[2 * TAIL + 1]; /* the response's last bytes */
	size_t		tail_len;
	int			segment;
} Chain;

static const char *url;
static const char *table = "bench";
static long requests;
static double bytes;

static double
now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static double
cpu(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return used.ru_utime.tv_sec + used.ru_utime.tv_usec / 1e6 +
		used.ru_stime.tv_sec + used.ru_stime.tv_usec / 1e6;
}

static void
die(const char *what)
{
	fprintf(stderr, "bare_client: %s\n", what);
	exit(1);
}

/* Keeps the last bytes only, as the cursor stands there. */
static size_t
on_body(char *data, size_t size, size_t count, void *arg)
{
	Chain	   *chain = arg;
	size_t		len = size * count;
	size_t		take = len < TAIL ? len : TAIL;

	bytes += len;
	if (chain->tail_len > TAIL)
	{
		memmove(chain->tail, chain->tail + chain->tail_len - TAIL, TAIL);
		chain->tail_len = TAIL;
	}
	memcpy(chain->tail + chain->tail_len, data + len - take, take);
	chain->tail_len += take;
	chain->tail[chain->tail_len] = '\0';
	return len;
}

static struct curl_slist *
headers(const char *operation)
{
	struct curl_slist *list = NULL;
	char		target[128];

	snprintf(target, sizeof(target), "X-Amz-Target: DynamoDB_20120810.%s", operation);
	list = curl_slist_append(list, target);
	list = curl_slist_append(list, "Content-Type: application/x-amz-json-1.0");
	list = curl_slist_append(list, "X-Amz-Date: 20260101T000000Z");
	list = curl_slist_append(list, "Expect:");
	return curl_slist_append(list, "Authorization: AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/"
							 "aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature="
							 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
}

static void
prepare(Chain *chain, struct curl_slist *list)
{
	chain->easy = curl_easy_init();
	curl_easy_setopt(chain->easy, CURLOPT_URL, url);
	curl_easy_setopt(chain->easy, CURLOPT_HTTPHEADER, list);
	curl_easy_setopt(chain->easy, CURLOPT_POSTFIELDS, chain->body);
	curl_easy_setopt(chain->easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(chain->easy, CURLOPT_WRITEDATA, chain);
	curl_easy_setopt(chain->easy, CURLOPT_PRIVATE, chain);
	curl_easy_setopt(chain->easy, CURLOPT_BUFFERSIZE, 512L * 1024);
	curl_easy_setopt(chain->easy, CURLOPT_FAILONERROR, 1L);
}

/* The request for the page after the last response's cursor; 0 when there is none. */
static int
prepare_next(Chain *chain, int segments, int first)
{
	char	   *cursor = first ? NULL : strstr(chain->tail, "cursor-");
	char		start[96] = "";

	if (!first && !cursor)
		return 0;
	if (cursor)
		snprintf(start, sizeof(start), ",\"ExclusiveStartKey\":{\"id\":{\"S\":\"cursor-%ld\"}}",
				 strtol(cursor + 7, NULL, 10));
	snprintf(chain->body, sizeof(chain->body),
			 "{\"TableName\":\"%s\",\"TotalSegments\":%d,\"Segment\":%d%s}",
			 table, segments, chain->segment, start);
	curl_easy_setopt(chain->easy, CURLOPT_POSTFIELDSIZE, (long) strlen(chain->body));
	chain->tail_len = 0;
	chain->tail[0] = '\0';
	return 1;
}

/* Takes finished transfers and sends their chains on. */
static int
continue_chains(CURLM *multi, int segments)
{
	CURLMsg    *message;
	int			queued;
	int			finished = 0;

	while ((message = curl_multi_info_read(multi, &queued)))
	{
		Chain	   *chain;

		if (message->msg != CURLMSG_DONE)
			continue;
		if (message->data.result != CURLE_OK)
			die(curl_easy_strerror(message->data.result));
		requests++;
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &chain);
		curl_multi_remove_handle(multi, chain->easy);
		if (prepare_next(chain, segments, 0))
			curl_multi_add_handle(multi, chain->easy);
		else
			finished++;
	}
	return finished;
}

static void
scan(int segments)
{
	CURLM	   *multi = curl_multi_init();
	Chain	   *chains = calloc(segments, sizeof(Chain));
	struct curl_slist *list = headers("Scan");
	int			left = segments;
	int			running;
	int			i;

	for (i = 0; i < segments; i++)
	{
		prepare(&chains[i], list);
		chains[i].segment = i;
		prepare_next(&chains[i], segments, 1);
		curl_multi_add_handle(multi, chains[i].easy);
	}
	while (left > 0)
	{
		curl_multi_perform(multi, &running);
		left -= continue_chains(multi, segments);
		if (left > 0 && running > 0)
			curl_multi_poll(multi, NULL, 0, 1000, NULL);
	}
}

static int
by_value(const void *a, const void *b)
{
	double		x = *(const double *) a,
				y = *(const double *) b;

	return (x > y) - (x < y);
}

/* To the byte what the extension sends for all columns of the bench's table. */
static const char get_item[] =
"{\"TableName\":\"%s\",\"Key\":{\"id\":{\"S\":\"id-00000000\"}},"
"\"ProjectionExpression\":\"#n0,#n1,#n2,#n3,#n4,#n5,#n6,#n7\","
"\"ExpressionAttributeNames\":{\"#n0\":\"id\",\"#n1\":\"n\","
"\"#n2\":\"price\",\"#n3\":\"name\",\"#n4\":\"created\",\"#n5\":\"active\","
"\"#n6\":\"note\",\"#n7\":\"info\"},\"ReturnConsumedCapacity\":\"TOTAL\"}";

static void
call(long count)
{
	Chain		chain = {0};
	double	   *took = calloc(count, sizeof(double));
	long		i;

	prepare(&chain, headers("GetItem"));
	snprintf(chain.body, sizeof(chain.body), get_item, table);
	for (i = 0; i < count; i++)
	{
		double		start = now_s();
		CURLcode	status = curl_easy_perform(chain.easy);

		if (status != CURLE_OK)
			die(curl_easy_strerror(status));
		took[i] = now_s() - start;
		chain.tail_len = 0;
		requests++;
	}
	qsort(took, count, sizeof(double), by_value);
	printf("p50_us=%.1f p95_us=%.1f ", took[count / 2] * 1e6, took[count * 95 / 100] * 1e6);
}

/* ---- replay ---- */

static size_t
ignore_body(char *data, size_t size, size_t count, void *arg)
{
	(void) data;
	(void) arg;
	bytes += size * count;
	return size * count;
}

/* Headers of an operation, made once. */
static struct curl_slist *
headers_of(const char *operation)
{
	static struct
	{
		char	   *operation;
		struct curl_slist *list;
	}			known[8];
	int			i = 0;

	while (i < 8 && known[i].operation && strcmp(known[i].operation, operation) != 0)
		i++;
	if (i == 8)
		die("too many operations");
	if (!known[i].operation)
	{
		known[i].operation = strdup(operation);
		known[i].list = headers(operation);
	}
	return known[i].list;
}

static Request *
read_requests(const char *path, long *count)
{
	FILE	   *file = fopen(path, "r");
	Request    *list = NULL;
	long		space = 0;
	char	   *line = NULL;
	size_t		line_space = 0;

	if (!file)
		die(path);
	*count = 0;
	while (getline(&line, &line_space, file) > 0)
	{
		char	   *tab = strchr(line, '\t');

		if (!tab)
			die("a line of the record has no tab");
		*tab = '\0';
		tab[1 + strcspn(tab + 1, "\n")] = '\0';
		if (*count == space)
			list = realloc(list, (space = space * 2 + 1024) * sizeof(Request));
		list[(*count)++] = (Request) {strdup(tab + 1), headers_of(line)};
	}
	free(line);
	fclose(file);
	return list;
}

static void
send_request(CURLM *multi, CURL *easy, const Request *request)
{
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, request->headers);
	curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request->body);
	curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long) strlen(request->body));
	curl_multi_add_handle(multi, easy);
}

/* Sends them all, as many at a time as there are handles. */
static void
send_all(CURLM *multi, CURL **handles, int in_flight, const Request *list, long count)
{
	long		next = 0;
	long		done = 0;
	int			running;

	for (int i = 0; i < in_flight && next < count; i++)
		send_request(multi, handles[i], &list[next++]);
	while (done < count)
	{
		CURLMsg    *message;
		int			queued;

		curl_multi_perform(multi, &running);
		while ((message = curl_multi_info_read(multi, &queued)))
		{
			CURL	   *easy = message->easy_handle;

			if (message->data.result != CURLE_OK)
				die(curl_easy_strerror(message->data.result));
			done++;
			curl_multi_remove_handle(multi, easy);
			if (next < count)
				send_request(multi, easy, &list[next++]);
		}
		if (done < count)
			curl_multi_poll(multi, NULL, 0, 1000, NULL);
	}
	requests = count;
}

/* The seconds of the entire replay. */
static double
replay(const char *path, int in_flight)
{
	CURLM	   *multi = curl_multi_init();
	CURL	  **handles = calloc(in_flight, sizeof(CURL *));
	Request    *first = calloc(in_flight, sizeof(Request));
	long		count;
	Request    *list = read_requests(path, &count);
	double		start;

	if (count == 0)
		die("the record is empty");
	for (int i = 0; i < in_flight; i++)
	{
		Chain		unused = {0};

		prepare(&unused, list[0].headers);
		handles[i] = unused.easy;
		curl_easy_setopt(handles[i], CURLOPT_WRITEFUNCTION, ignore_body);
		/* a condition that fails is a response, too */
		curl_easy_setopt(handles[i], CURLOPT_FAILONERROR, 0L);
		first[i] = list[0];
	}
	send_all(multi, handles, in_flight, first, in_flight);
	bytes = 0;
	start = now_s();
	send_all(multi, handles, in_flight, list, count);
	return now_s() - start;
}

static void
usage(FILE *to)
{
	fputs("usage: bare_client --url URL --scan N | --calls N [--table NAME]\n"
		  "       bare_client --url URL --replay FILE --in-flight N\n"
		  "Downloads all pages, N segments at a time, or sends the same GetItem N times, or recorded requests.\n", to);
}

int
main(int argc, char **argv)
{
	static const struct option options[] = {
		{"url", required_argument, NULL, 'u'}, {"scan", required_argument, NULL, 's'},
		{"calls", required_argument, NULL, 'c'}, {"table", required_argument, NULL, 't'},
		{"replay", required_argument, NULL, 'r'}, {"in-flight", required_argument, NULL, 'n'},
		{"help", no_argument, NULL, 'h'}, {0}
	};
	const char *recorded = NULL;
	int			in_flight = 0;
	int			segments = 0;
	long		calls = 0;
	int			option;
	double		took;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1)
		switch (option)
		{
			case 'u': url = optarg; break;
			case 's': segments = atoi(optarg); break;
			case 'c': calls = atol(optarg); break;
			case 't': table = optarg; break;
			case 'r': recorded = optarg; break;
			case 'n': in_flight = atoi(optarg); break;
			case 'h': usage(stdout); return 0;
			default: usage(stderr); return 2;
		}
	if (!url || (segments > 0) + (calls > 0) + (recorded && in_flight > 0) != 1)
	{
		usage(stderr);
		return 2;
	}
	curl_global_init(CURL_GLOBAL_DEFAULT);
	took = now_s();
	if (recorded)
		took = replay(recorded, in_flight);
	else
	{
		if (segments > 0)
			scan(segments);
		else
			call(calls);
		took = now_s() - took;
	}
	printf("elapsed_s=%.4f cpu_s=%.4f requests=%ld bytes=%.0f\n", took, cpu(), requests, bytes);
	return 0;
}
