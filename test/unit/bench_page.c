/*
 * bench_page.c
 *		How fast a page is read, against jansson on the same bytes.
 *
 * One page of about 1 MB, items of eight attributes (S, N, BOOL, a map, a
 * list, some escapes, some text that is not ASCII), made from a fixed seed and
 * written as DynamoDB writes.  Reading is timed with all eight attributes
 * wanted, with one, and with none, handing the items out included; jansson
 * only builds its tree.  The rounds are interleaved and each figure is the
 * median.  A second page lacks a third of its attributes, here and there,
 * which spoils the reader's guesses.
 */
#include "dynamodb/page.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ITEMS	4000
#define ROUNDS	31
#define PAGE_CAP (4 << 20)

static uint64_t state = 20250607;

static uint32_t
any(uint32_t below)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t) ((state >> 33) % below);
}

static const char *const words[] = {
	"order", "late", "blue", "caf\xc3\xa9", "river", "stone", "north",
	"M\xc3\xbcnchen", "paper", "say \\\"hi\\\"", "tab\\there", "quick",
	"seven", "lamp", "\xe6\x9d\xb1\xe4\xba\xac", "window", "of", "a",
	"garden", "mill", "station", "letter", "green", "copper", "and"
};

static size_t
put_words(char *p, int n)
{
	char	   *start = p;

	while (n-- > 0)
		p += sprintf(p, "%s%s", words[any(sizeof(words) / sizeof(*words))],
					 n ? " " : "");
	return p - start;
}

/* Attribute number k of item i, with a comma after it. */
static size_t
put_attribute(char *p, int k, int i)
{
	char	   *start = p;

	switch (k)
	{
		case 0:
			return sprintf(p, "\"customer_id\":{\"S\":\"c#%06u\"},",
						   any(400000));
		case 1:
			return sprintf(p, "\"ordered_at\":{\"N\":\"%u\"},",
						   1700000000 + i * 37);
		case 2:
			return sprintf(p, "\"status\":{\"S\":\"%s\"},",
						   any(3) ? "shipped" : "open");
		case 3:
			return sprintf(p, "\"total\":{\"N\":\"%u.%02u\"},", any(3000),
						   any(100));
		case 4:
			return sprintf(p, "\"paid\":{\"BOOL\":%s},",
						   any(4) ? "true" : "false");
		case 5:
			p += sprintf(p, "\"note\":{\"S\":\"");
			p += put_words(p, 2 + any(7));
			p += sprintf(p, "\"},");
			return p - start;
		case 6:
			p += sprintf(p, "\"address\":{\"M\":{\"city\":{\"S\":\"");
			p += put_words(p, 1);
			p += sprintf(p, "\"},\"zip\":{\"N\":\"%u\"}}},",
						 10000 + any(80000));
			return p - start;
		default:
			return sprintf(p, "\"tags\":{\"L\":[{\"S\":\"%s\"},"
						   "{\"S\":\"%s\"}]},", words[any(3)],
						   words[16 + any(9)]);
	}
}

/* The key is always there. */
static size_t
make_item(char *p, int i, int missing)
{
	char	   *start = p;
	int			k;

	*p++ = '{';
	for (k = 0; k < 8; k++)
	{
		if (k < 2 || (int) any(100) >= missing)
			p += put_attribute(p, k, i);
	}
	p[-1] = '}';				/* in place of the last comma */
	return p - start;
}

static size_t
make_page(char *buf, int missing)
{
	char	   *p = buf;
	int			i;

	p += sprintf(p, "{\"Count\":%d,\"Items\":[", ITEMS);
	for (i = 0; i < ITEMS; i++)
	{
		if (i > 0)
			*p++ = ',';
		p += make_item(p, i, missing);
	}
	p += sprintf(p, "],\"ScannedCount\":%d,\"LastEvaluatedKey\":"
				 "{\"customer_id\":{\"S\":\"c#1\"}}}", ITEMS);
	return p - buf;
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static double
time_page(const char *buf, size_t len, const DynPathTree *shape, DynPage *page)
{
	double		start = now();
	DynValue	slots[8];
	DynPageCursor cursor;
	DynPageError error;
	uint64_t	seen = 0;

	if (!dyn_page_parse(page, DYN_PARSE_RESPONSE, shape, buf, len, &error))
	{
		fprintf(stderr, "byte %zu: %s\n", error.offset, error.reason);
		exit(1);
	}
	dyn_page_cursor_init(&cursor, page);
	while (dyn_page_next(&cursor, slots))
		seen++;
	if (seen != ITEMS)
		exit(1);
	return now() - start;
}

static double
time_jansson(const char *buf, size_t len)
{
	double		start = now();
	json_t	   *tree = json_loadb(buf, len, 0, NULL);
	double		took = now() - start;

	if (tree == NULL)
		exit(1);
	json_decref(tree);
	return took;
}

static int
compare_times(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

static double
median(double *times)
{
	qsort(times, ROUNDS, sizeof(*times), compare_times);
	return times[ROUNDS / 2];
}

static DynPathTree *
shape_of(const char *const *names, int n)
{
	DynStep		steps[8];
	DynPath		paths[8];
	int			i;

	for (i = 0; i < n; i++)
	{
		steps[i].name = names[i];
		steps[i].name_len = (uint32_t) strlen(names[i]);
		paths[i].steps = &steps[i];
		paths[i].nsteps = 1;
	}
	return dyn_path_tree_create(paths, n);
}

static void
print(const char *what, size_t len, double took, double yardstick)
{
	printf("%-28s %8.0f us  %7.0f MB/s  %5.1f x jansson\n", what, took * 1e6,
		   len / took / 1e6, yardstick / took);
}

static void
bench(const char *title, int missing, DynPathTree **shapes)
{
	static double times[4][ROUNDS];
	char	   *buf = malloc(PAGE_CAP);
	size_t		len = make_page(buf, missing);
	DynPage		page = {0};
	double		yardstick;
	int			i;
	int			k;

	buf = realloc(buf, len);
	for (i = 0; i < ROUNDS; i++)
	{
		times[3][i] = time_jansson(buf, len);
		for (k = 0; k < 3; k++)
			times[k][i] = time_page(buf, len, shapes[k], &page);
	}
	yardstick = median(times[3]);
	printf("%s: %zu bytes, %d items\n", title, len, ITEMS);
	print("jansson", len, yardstick, yardstick);
	print("eight of eight attributes", len, median(times[0]), yardstick);
	print("one of eight", len, median(times[1]), yardstick);
	print("none", len, median(times[2]), yardstick);
	dyn_page_free(&page);
	free(buf);
}

int
main(void)
{
	static const char *const names[] = {
		"status", "customer_id", "ordered_at", "total", "paid", "note",
		"address", "tags"
	};
	DynPathTree   *shapes[3];
	int			k;

	shapes[0] = shape_of(names, 8);
	shapes[1] = shape_of(names, 1);
	shapes[2] = shape_of(names, 0);
	bench("every attribute in every item", 0, shapes);
	bench("a third of the attributes missing", 33, shapes);
	for (k = 0; k < 3; k++)
		dyn_path_tree_free(shapes[k]);
	return 0;
}
