/*
 * bench_server.c
 *		Serves prepared pages as DynamoDB would, as fast as the machine allows.
 *
 *		bench_server --dir DIR [--port N] [--delay-ms D] [--repeat K]
 *			[--stall-after BYTES] [--key NAME]
 *
 * DIR is what make_pages.py wrote: page-*.json (responses without
 * LastEvaluatedKey), table.json (DescribeTable), item.json (GetItem) and
 * batch.json (BatchGetItem).  Scan and Query get page after page, whatever else
 * they request; the cursor travels in ExclusiveStartKey as the string "cursor-N".
 * In a segmented scan every segment gets a contiguous range.  --repeat serves
 * the pages K times over, so that a small directory makes a big table, and
 * DescribeTable reports it.  --stall-after breaks off every response to Scan and
 * Query and leaves the connection open.
 *
 * A page is held once, with its checksum; what follows it depends on the request.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "http_server.h"

/* Bytes of a response that are prepared, and their CRC-32. */
typedef struct Body
{
	char	   *data;
	size_t		len;
	uint32_t	crc;
} Body;

static Body *pages;
static int	page_files;
static long total_pages;
static Body table_body,
			item_body,
			batch_body;
static const char *key_name = "id";
static long stall_after = -1;	/* bytes of a page, -1: all of it */


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
		http_die(path);
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

/* Multiplies the integer after a mark in the description. */
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
		http_die("table.json");
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
		http_die(directory);
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

static void
set_response(HttpResponse *response, const Body *body, const char *end)
{
	response->body = body->data;
	response->len = body->len;
	response->crc = body->crc;
	strcpy(response->end, end);
}

static void
respond_page(HttpResponse *response, const char *request)
{
	long		segments = number_after(request, "\"TotalSegments\"", 1);
	long		segment = number_after(request, "\"Segment\"", 0);
	long		first,
				last;
	long		page;
	char		end[sizeof(response->end)];

	if (segments < 1 || segment < 0 || segment >= segments)
		segments = 1, segment = 0;
	first = total_pages * segment / segments;
	last = total_pages * (segment + 1) / segments - 1;
	page = number_after(strstr(request, "\"ExclusiveStartKey\""), "cursor-", first);
	if (page < first || page > last)
	{
		static Body empty = {"{\"Count\":0,\"ScannedCount\":0,\"Items\":[]", 38, 0};

		empty.crc = crc32(0, (unsigned char *) empty.data, empty.len);
		set_response(response, &empty, "}");
		return;
	}
	if (page == last)
		strcpy(end, "}");
	else
		snprintf(end, sizeof(end), ",\"LastEvaluatedKey\":{\"%s\":{\"S\":\"cursor-%ld\"}}}",
				 key_name, page + 1);
	set_response(response, &pages[page % page_files], end);
	response->stop_after = stall_after;
}

static void
handle(const char *operation, const char *body, size_t len, HttpResponse *response)
{
	(void) len;
	if (strcmp(operation, "DescribeTable") == 0)
		set_response(response, &table_body, "");
	else if (strcmp(operation, "GetItem") == 0)
		set_response(response, &item_body, "");
	else if (strcmp(operation, "BatchGetItem") == 0)
		set_response(response, &batch_body, "");
	else
		respond_page(response, body);
}

static void
usage(FILE *to)
{
	fputs("usage: bench_server --dir DIR [--port N] [--delay-ms D] [--repeat K] [--stall-after BYTES] [--key NAME]\n"
		  "Serves the pages that make_pages.py wrote to DIR; prints its URL.\n"
		  "  --port      0, the default, is a free one\n"
		  "  --delay-ms  before every response, without one waiting for another\n"
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
	uint64_t	delay_ns = 0;
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
	read_directory(directory, repeat);
	http_serve(port, delay_ns, handle);
}
