/*
 * keyed_server.c
 *		Responds to reads by key from a small generated data set, and writes, as
 *		fast as the machine allows.
 *
 *		keyed_server [--port N] [--delay-ms D] [--record FILE]
 *
 * For benchmarks of joins and writes.  Each table has the number of partitions given below,
 * each with the same number of items, which are numbered from 1:
 *
 *		parents			id "p-000000"			10,000 of one item
 *		roots			id "p-000000"			the first 200 parents
 *		children		parent "p-000000", n	1,000 of five; id "c-000000"
 *		grandchildren	child "c-000000", n		5,000 of three; id "g-000000"
 *		entries			id "e-000000"			25,000 of one item
 *
 * Entries have a global index "by_grp" of their keys alone: 10 partitions of
 * 2,500, grp "q-000000", n.
 *
 * Query (one partition, either direction, Limit, which an index does not know),
 * GetItem, BatchGetItem and Scan (segments, Limit) are looked into just as far
 * as that takes: projections are not applied, filters and conditions on the
 * sort key are refused.  PutItem of an item that is there fails, as its
 * condition would; otherwise PutItem, UpdateItem, DeleteItem and
 * TransactWriteItems succeed and change nothing, so that a statement can be
 * measured again.  --record writes the requests to FILE, DescribeTable aside: a
 * line each, the operation, a tab, the body.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http_server.h"

#define PARENTS			10000
#define ROOTS			200
#define CHILDREN		5
#define GRANDCHILDREN	3
#define GROUPS			10
#define ENTRIES			2500	/* of a group; a page has space for them */
#define MAX_PAGE		3000	/* items; less than 1 MB */

typedef struct Item
{
	char	   *json;
	size_t		len;
} Item;

typedef struct Table
{
	const char *name;
	const char *hash;			/* its key */
	const char *range;			/* NULL: the partition key alone */
	char		prefix;			/* of the partition key's values */
	int			partitions;
	int			each;			/* items of a partition */
	void		(*write) (HttpText *text, int number);
	struct Table *index;		/* "by_grp" under the table's name, or NULL */
	Item	   *items;			/* in the order of the keys */
} Table;

/* The part of a table's items, which are numbered, that a request reads. */
typedef struct Range
{
	int			first;
	int			last;			/* -1 if there is none */
	bool		backward;
	int			limit;
} Range;

static FILE *record;

static const char *const words[] = {
	"amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath",
	"inlet", "juniper", "kelp", "larch", "marsh", "nettle", "ocean", "pine"
};

/* ---- the data ---- */

/* A word, the same each time. */
static const char *
word(int number, int salt)
{
	return words[((unsigned) number * 2654435761u + salt * 40503u) >> 7 & 15];
}

static void
write_parent(HttpText *text, int number)
{
	http_text_printf(text,
					 "{\"id\":{\"S\":\"p-%06d\"},\"name\":{\"S\":\"%s %s\"},\"city\":{\"S\":\"%s\"},"
					 "\"amount\":{\"N\":\"%d.%02d\"},\"active\":{\"BOOL\":%s},"
					 "\"note\":{\"S\":\"%s of the %s, or the %s beside it\"}}",
					 number, word(number, 1), word(number, 2), word(number, 3),
					 number % 9973, number % 100, number % 2 ? "true" : "false",
					 word(number, 4), word(number, 5), word(number, 6));
}

static void
write_child(HttpText *text, int number)
{
	http_text_printf(text,
					 "{\"parent\":{\"S\":\"p-%06d\"},\"n\":{\"N\":\"%d\"},\"id\":{\"S\":\"c-%06d\"},"
					 "\"owner\":{\"S\":\"p-%06d\"},\"amount\":{\"N\":\"%d.%02d\"},"
					 "\"created\":{\"S\":\"2026-%02d-%02dT08:%02d:00Z\"},"
					 "\"note\":{\"S\":\"%s and %s\"}}",
					 number / CHILDREN, number % CHILDREN + 1, number,
					 number * 7 % PARENTS, number % 997, number % 100,
					 number % 12 + 1, number % 28 + 1, number % 60,
					 word(number, 1), word(number, 2));
}

static void
write_grandchild(HttpText *text, int number)
{
	http_text_printf(text,
					 "{\"child\":{\"S\":\"c-%06d\"},\"n\":{\"N\":\"%d\"},\"id\":{\"S\":\"g-%06d\"},"
					 "\"owner\":{\"S\":\"p-%06d\"},\"quantity\":{\"N\":\"%d\"},"
					 "\"note\":{\"S\":\"%s, then %s\"}}",
					 number / GRANDCHILDREN, number % GRANDCHILDREN + 1, number,
					 number * 11 % PARENTS, number % 50 + 1,
					 word(number, 1), word(number, 2));
}

/* What the index holds of an entry. */
static void
write_listed(HttpText *text, int number)
{
	http_text_printf(text,
					 "{\"id\":{\"S\":\"e-%06d\"},\"grp\":{\"S\":\"q-%06d\"},\"n\":{\"N\":\"%d\"}",
					 number, number / ENTRIES, number % ENTRIES + 1);
}

static void
write_listing(HttpText *text, int number)
{
	write_listed(text, number);
	http_text_append(text, "}", 1);
}

static void
write_entry(HttpText *text, int number)
{
	write_listed(text, number);
	http_text_printf(text,
					 ",\"amount\":{\"N\":\"%d.%02d\"},\"note\":{\"S\":\"%s below %s\"}}",
					 number % 997, number % 100, word(number, 1), word(number, 2));
}

static Table entries_by_grp = {
	"entries", "grp", "n", 'q', GROUPS, ENTRIES, write_listing, NULL, NULL
};

static Table tables[] = {
	{"parents", "id", NULL, 'p', PARENTS, 1, write_parent, NULL, NULL},
	{"roots", "id", NULL, 'p', ROOTS, 1, write_parent, NULL, NULL},
	{"children", "parent", "n", 'p', 1000, CHILDREN, write_child, NULL, NULL},
	{"grandchildren", "child", "n", 'c', 1000 * CHILDREN, GRANDCHILDREN,
	write_grandchild, NULL, NULL},
	{"entries", "id", NULL, 'e', GROUPS * ENTRIES, 1, write_entry, &entries_by_grp, NULL},
};

static int
count_of(const Table *table)
{
	return table->partitions * table->each;
}

static void
generate(Table *table)
{
	int			n = count_of(table);

	table->items = calloc(n, sizeof(Item));
	if (!table->items)
		http_die("memory");
	for (int i = 0; i < n; i++)
	{
		HttpText	text = {0};

		table->write(&text, i);
		table->items[i] = (Item) {realloc(text.data, text.len), text.len};
	}
	if (table->index)
		generate(table->index);
}

static Table *
table_named(const char *name)
{
	for (size_t i = 0; name && i < sizeof(tables) / sizeof(tables[0]); i++)
	{
		if (strcmp(tables[i].name, name) == 0)
			return &tables[i];
	}
	return NULL;
}

/* ---- keys ---- */

/* The partition of a key's value; -1 if there is none. */
static int
partition_of(const Table *table, const json_t *value)
{
	const char *text = json_string_value(json_object_get(value, "S"));
	int			number;

	if (!text || text[0] != table->prefix || text[1] != '-' || strlen(text) != 8)
		return -1;
	number = atoi(text + 2);
	return number >= 0 && number < table->partitions ? number : -1;
}

/* The item of a full key; -1 if there is none. */
static int
item_of(const Table *table, const json_t *key)
{
	int			partition = partition_of(table, json_object_get(key, table->hash));
	const char *n = table->range
		? json_string_value(json_object_get(json_object_get(key, table->range), "N"))
		: "1";
	int			place = n ? atoi(n) - 1 : -1;

	if (partition < 0 || place < 0 || place >= table->each)
		return -1;
	return partition * table->each + place;
}

static void
write_key(HttpText *text, const Table *table, int item)
{
	http_text_printf(text, "{\"%s\":{\"S\":\"%c-%06d\"}", table->hash,
					 table->prefix, item / table->each);
	if (table->range)
		http_text_printf(text, ",\"%s\":{\"N\":\"%d\"}", table->range,
						 item % table->each + 1);
	http_text_append(text, "}", 1);
}

/* ---- responses ---- */

static void
refuse(HttpResponse *response, const char *why)
{
	response->status = 400;
	response->text.len = 0;
	http_text_printf(&response->text,
					 "{\"__type\":\"com.amazon.coral.validate#ValidationException\",\"message\":\"keyed_server: %s\"}",
					 why);
}

static void
write_capacity(HttpText *text, const Table *table, double units)
{
	http_text_printf(text, "{\"TableName\":\"%s\",\"CapacityUnits\":%.1f}",
					 table->name, units);
}

static void
write_item(HttpText *text, const Table *table, int item)
{
	http_text_append(text, table->items[item].json, table->items[item].len);
}

static void
respond_range(HttpResponse *response, const Table *table, const Range *range)
{
	HttpText   *text = &response->text;
	int			there = range->last - range->first + 1;
	int			count = there < range->limit ? there : range->limit;
	int			item = range->backward ? range->last : range->first;
	int			step = range->backward ? -1 : 1;

	http_text_printf(text, "{\"Items\":[");
	for (int i = 0; i < count; i++, item += step)
	{
		if (i > 0)
			http_text_append(text, ",", 1);
		write_item(text, table, item);
	}
	http_text_printf(text, "],\"Count\":%d,\"ScannedCount\":%d", count, count);
	if (count > 0 && count == range->limit)
	{
		http_text_printf(text, ",\"LastEvaluatedKey\":");
		write_key(text, table, item - step);
	}
	http_text_printf(text, ",\"ConsumedCapacity\":");
	write_capacity(text, table, 0.5 + count * 200 / 8192 * 0.5);
	http_text_append(text, "}", 1);
}

/* Narrows the range to what follows ExclusiveStartKey. */
static void
start_after(const Table *table, const json_t *request, Range *range)
{
	const json_t *key = json_object_get(request, "ExclusiveStartKey");
	int			item = key ? item_of(table, key) : -1;

	if (item >= 0 && range->backward)
		range->last = item - 1;
	else if (item >= 0)
		range->first = item + 1;
}

static int
integer_of(const json_t *request, const char *name, int otherwise)
{
	const json_t *value = json_object_get(request, name);

	return value ? (int) json_integer_value(value) : otherwise;
}

static int
limit_of(const json_t *request)
{
	int			limit = integer_of(request, "Limit", MAX_PAGE);

	return limit < MAX_PAGE ? limit : MAX_PAGE;
}

/* The value of the one comparison of the condition; NULL if there are more. */
static const json_t *
compared_value(const json_t *request)
{
	const char *condition = json_string_value(json_object_get(request, "KeyConditionExpression"));
	const char *colon = condition ? strchr(condition, ':') : NULL;
	size_t		len = colon ? 1 + strcspn(colon + 1, " )") : 0;
	char		name[64];

	if (!colon || len >= sizeof(name) || strchr(colon + 1, ':'))
		return NULL;
	memcpy(name, colon, len);
	name[len] = '\0';
	return json_object_get(json_object_get(request, "ExpressionAttributeValues"), name);
}

static void
respond_query(HttpResponse *response, const Table *table, const json_t *request)
{
	const json_t *value = compared_value(request);
	Range		range = {.limit = limit_of(request)};
	int			partition;

	if (json_object_get(request, "IndexName"))
		table = json_object_get(request, "Limit") ? NULL : table->index;
	if (!value || !table || json_object_get(request, "FilterExpression"))
	{
		refuse(response, "only full partitions are known here");
		return;
	}
	partition = partition_of(table, value);
	range.backward = json_is_false(json_object_get(request, "ScanIndexForward"));
	range.first = partition < 0 ? 0 : partition * table->each;
	range.last = partition < 0 ? -1 : range.first + table->each - 1;
	start_after(table, request, &range);
	respond_range(response, table, &range);
}

static void
respond_scan(HttpResponse *response, const Table *table, const json_t *request)
{
	long		segments = integer_of(request, "TotalSegments", 1);
	long		segment = integer_of(request, "Segment", 0);
	Range		range = {.limit = limit_of(request)};

	range.first = count_of(table) * segment / segments;
	range.last = count_of(table) * (segment + 1) / segments - 1;
	start_after(table, request, &range);
	respond_range(response, table, &range);
}

static void
respond_get(HttpResponse *response, const Table *table, const json_t *request)
{
	HttpText   *text = &response->text;
	int			item = item_of(table, json_object_get(request, "Key"));

	http_text_append(text, "{", 1);
	if (item >= 0)
	{
		http_text_printf(text, "\"Item\":");
		write_item(text, table, item);
		http_text_append(text, ",", 1);
	}
	http_text_printf(text, "\"ConsumedCapacity\":");
	write_capacity(text, table, 0.5);
	http_text_append(text, "}", 1);
}

static void
respond_write(HttpResponse *response, const Table *table, const json_t *request)
{
	HttpText   *text = &response->text;

	(void) request;
	http_text_printf(text, "{\"ConsumedCapacity\":");
	write_capacity(text, table, 1);
	http_text_append(text, "}", 1);
}

static void
respond_put(HttpResponse *response, const Table *table, const json_t *request)
{
	int			item = item_of(table, json_object_get(request, "Item"));

	if (item < 0 || !json_object_get(request, "ConditionExpression"))
	{
		respond_write(response, table, request);
		return;
	}
	response->status = 400;
	http_text_printf(&response->text,
					 "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException\","
					 "\"message\":\"The conditional request failed\",\"Item\":");
	write_item(&response->text, table, item);
	http_text_append(&response->text, "}", 1);
}

/* Of one table. */
static void
respond_batch(HttpResponse *response, const json_t *request)
{
	HttpText   *text = &response->text;
	void	   *entry = json_object_iter(json_object_get(request, "RequestItems"));
	Table	   *table = entry ? table_named(json_object_iter_key(entry)) : NULL;
	const json_t *keys = entry ? json_object_get(json_object_iter_value(entry), "Keys") : NULL;
	const char *comma = "";

	if (!table)
	{
		refuse(response, "unknown table");
		return;
	}
	http_text_printf(text, "{\"Responses\":{\"%s\":[", table->name);
	for (size_t i = 0; i < json_array_size(keys); i++)
	{
		int			item = item_of(table, json_array_get(keys, i));

		if (item < 0)
			continue;
		http_text_append(text, comma, strlen(comma));
		write_item(text, table, item);
		comma = ",";
	}
	http_text_printf(text, "]},\"UnprocessedKeys\":{},\"ConsumedCapacity\":[");
	write_capacity(text, table, 0.5 * json_array_size(keys));
	http_text_append(text, "]}", 2);
}

/* Puts into one table. */
static void
respond_transaction(HttpResponse *response, const json_t *request)
{
	const json_t *items = json_object_get(request, "TransactItems");
	const json_t *put = json_object_get(json_array_get(items, 0), "Put");
	const Table *table = table_named(json_string_value(json_object_get(put, "TableName")));

	if (!table)
	{
		refuse(response, "unknown table");
		return;
	}
	http_text_printf(&response->text, "{\"ConsumedCapacity\":[");
	write_capacity(&response->text, table, 2.0 * json_array_size(items));
	http_text_append(&response->text, "]}", 2);
}

/* Its attributes, the end of their list, and itself. */
static void
describe_index(HttpText *text, const Table *index)
{
	http_text_printf(text,
					 ",{\"AttributeName\":\"%s\",\"AttributeType\":\"S\"}"
					 ",{\"AttributeName\":\"%s\",\"AttributeType\":\"N\"}],"
					 "\"GlobalSecondaryIndexes\":[{\"IndexName\":\"by_grp\",\"IndexStatus\":\"ACTIVE\","
					 "\"KeySchema\":[{\"AttributeName\":\"%s\",\"KeyType\":\"HASH\"},"
					 "{\"AttributeName\":\"%s\",\"KeyType\":\"RANGE\"}],"
					 "\"Projection\":{\"ProjectionType\":\"KEYS_ONLY\"},"
					 "\"ItemCount\":%d,\"IndexSizeBytes\":%d}",
					 index->hash, index->range, index->hash, index->range,
					 count_of(index), count_of(index) * 50);
}

static void
respond_describe(HttpResponse *response, const Table *table)
{
	HttpText   *text = &response->text;

	http_text_printf(text,
					 "{\"Table\":{\"TableName\":\"%s\",\"TableStatus\":\"ACTIVE\",\"ItemCount\":%d,\"TableSizeBytes\":%d,"
					 "\"KeySchema\":[{\"AttributeName\":\"%s\",\"KeyType\":\"HASH\"}",
					 table->name, count_of(table), count_of(table) * 150, table->hash);
	if (table->range)
		http_text_printf(text, ",{\"AttributeName\":\"%s\",\"KeyType\":\"RANGE\"}", table->range);
	http_text_printf(text, "],\"AttributeDefinitions\":[{\"AttributeName\":\"%s\",\"AttributeType\":\"S\"}", table->hash);
	if (table->range)
		http_text_printf(text, ",{\"AttributeName\":\"%s\",\"AttributeType\":\"N\"}", table->range);
	if (table->index)
		describe_index(text, table->index);
	http_text_printf(text,
					 "],\"TableArn\":\"arn:aws:dynamodb:us-east-1:000000000000:table/%s\","
					 "\"BillingModeSummary\":{\"BillingMode\":\"PAY_PER_REQUEST\"}}}", table->name);
}

/* ---- requests ---- */

static const struct
{
	const char *name;
	void		(*respond) (HttpResponse *response, const Table *table, const json_t *request);
}			operations[] =
{
	{"Query", respond_query},
	{"GetItem", respond_get},
	{"Scan", respond_scan},
	{"PutItem", respond_put},
	{"UpdateItem", respond_write},
	{"DeleteItem", respond_write},
};

static void
respond_request(const char *operation, const json_t *request, HttpResponse *response)
{
	const Table *table = table_named(json_string_value(json_object_get(request, "TableName")));

	if (strcmp(operation, "BatchGetItem") == 0)
	{
		respond_batch(response, request);
		return;
	}
	if (strcmp(operation, "TransactWriteItems") == 0)
	{
		respond_transaction(response, request);
		return;
	}
	if (!table)
	{
		refuse(response, "unknown table");
		return;
	}
	if (strcmp(operation, "DescribeTable") == 0)
	{
		respond_describe(response, table);
		return;
	}
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
	{
		if (strcmp(operations[i].name, operation) == 0)
		{
			operations[i].respond(response, table, request);
			return;
		}
	}
	refuse(response, "unknown operation");
}

static void
handle(const char *operation, const char *body, size_t len, HttpResponse *response)
{
	json_t	   *request = json_loadb(body, len, 0, NULL);

	respond_request(operation, request, response);
	json_decref(request);
	http_response_text(response);
	if (record && strcmp(operation, "DescribeTable") != 0)
	{
		fprintf(record, "%s\t%.*s\n", operation, (int) len, body);
		fflush(record);
	}
}

static void
usage(FILE *to)
{
	fputs("usage: keyed_server [--port N] [--delay-ms D] [--record FILE]\n"
		  "Serves generated tables by their keys; prints its URL.\n"
		  "  --port      0, the default, is a free one\n"
		  "  --delay-ms  before every response, without one waiting for another\n"
		  "  --record    append each request to this file\n", to);
}

int
main(int argc, char **argv)
{
	static const struct option options[] = {
		{"port", required_argument, NULL, 'p'}, {"delay-ms", required_argument, NULL, 'm'},
		{"record", required_argument, NULL, 'r'}, {"help", no_argument, NULL, 'h'}, {0}
	};
	uint64_t	delay_ns = 0;
	int			port = 0;
	int			option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1)
		switch (option)
		{
			case 'p': port = atoi(optarg); break;
			case 'm': delay_ns = atof(optarg) * 1e6; break;
			case 'r':
				record = fopen(optarg, "a");
				if (!record)
					http_die(optarg);
				break;
			case 'h': usage(stdout); return 0;
			default: usage(stderr); return 2;
		}
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		generate(&tables[i]);
	http_serve(port, delay_ns, handle);
}
