/*
 * test_metadata.c
 *		What is read out of a DescribeTable response.
 */
#include "harness.h"

#include "dynamodb/metadata.h"

#define LENGTHOF(array) (sizeof(array) / sizeof((array)[0]))

/* Members of the documents below. */
#define TYPES(list) "\"AttributeDefinitions\":[" list "]"
#define TYPE(name, type) \
	"{\"AttributeName\":\"" name "\",\"AttributeType\":\"" type "\"}"
#define KEY(list) "\"KeySchema\":[" list "]"
#define HASH(name) "{\"AttributeName\":\"" name "\",\"KeyType\":\"HASH\"}"
#define RANGE(name) "{\"AttributeName\":\"" name "\",\"KeyType\":\"RANGE\"}"
#define PROJECT(type) "\"Projection\":{\"ProjectionType\":\"" type "\"}"

static DynTableMeta *
parse(const char *text)
{
	const char *reason = NULL;
	DynTableMeta *meta = dyn_metadata_parse(text, strlen(text), &reason);

	if (meta == NULL)
		CHECK(reason != NULL && reason[0] != '\0');
	return meta;
}

static const char full[] =
"{\"Table\":{"
"\"TableName\":\"songs\",\"TableStatus\":\"UPDATING\",\"Unknown\":[{}],"
"\"ItemCount\":1234567890123,\"TableSizeBytes\":98765,"
TYPES(TYPE("year", "N") "," TYPE("artist", "S") "," TYPE("song", "B") ","
	  TYPE("genre", "S")) ","
KEY(RANGE("song") "," HASH("artist")) ","
"\"GlobalSecondaryIndexes\":["
"{\"IndexName\":\"by_genre\"," KEY(HASH("genre") "," RANGE("year")) ","
"\"Projection\":{\"ProjectionType\":\"INCLUDE\","
"\"NonKeyAttributes\":[\"t\\u00eftle\",\"length\"]},"
"\"IndexStatus\":\"ACTIVE\",\"ItemCount\":7,\"IndexSizeBytes\":70},"
"{\"IndexName\":\"by_year\"," KEY(HASH("year")) "," PROJECT("KEYS_ONLY") ","
"\"IndexStatus\":\"ACTIVE\",\"Backfilling\":true}],"
"\"LocalSecondaryIndexes\":["
"{\"IndexName\":\"local\"," KEY(HASH("artist") "," RANGE("year")) ","
PROJECT("ALL") "}]}}";

static void
tables_are_described(void)
{
	DynTableMeta *meta = parse(full);

	if (!CHECK(meta != NULL))
		return;
	CHECK_EQ_STR(meta->name, "songs");
	CHECK_EQ_STR(meta->status, "UPDATING");
	CHECK_EQ_INT(meta->item_count, 1234567890123);
	CHECK_EQ_INT(meta->size_bytes, 98765);
	CHECK_EQ_INT(meta->key.nhash, 1);
	CHECK_EQ_INT(meta->key.nrange, 1);
	CHECK_EQ_STR(meta->key.hash[0].name, "artist");
	CHECK_EQ_INT(meta->key.hash[0].type, DYN_TYPE_S);
	CHECK_EQ_STR(meta->key.range[0].name, "song");
	CHECK_EQ_INT(meta->key.range[0].type, DYN_TYPE_B);
	CHECK(dyn_is_in_hash_key(&meta->key, "artist"));
	CHECK(!dyn_is_in_hash_key(&meta->key, "song"));
	CHECK(dyn_is_in_key(&meta->key, "song"));
	CHECK(!dyn_is_in_key(&meta->key, "son"));
	dyn_metadata_free(meta);
}

static void
indexes_are_described(void)
{
	DynTableMeta *meta = parse(full);
	const DynIndexMeta *index;

	if (!CHECK(meta != NULL) || !CHECK_EQ_INT(meta->nindexes, 3))
		return;
	index = &meta->indexes[0];
	CHECK_EQ_STR(index->name, "local");
	CHECK(!index->global && index->active);
	CHECK_EQ_INT(index->projection, DYN_PROJECT_ALL);
	CHECK_EQ_STR(index->key.range[0].name, "year");
	CHECK_EQ_INT(index->key.range[0].type, DYN_TYPE_N);

	index = &meta->indexes[1];
	CHECK(index == dyn_metadata_index(meta, "by_genre"));
	CHECK(index->global && index->active);
	CHECK_EQ_INT(index->projection, DYN_PROJECT_INCLUDE);
	CHECK_EQ_INT(index->nincluded, 2);
	CHECK_EQ_STR(index->included[1], "t\xc3\xaftle");
	CHECK_EQ_STR(index->included[0], "length");
	CHECK_EQ_INT(index->item_count, 7);
	CHECK_EQ_INT(index->size_bytes, 70);

	index = &meta->indexes[2];
	CHECK_EQ_STR(index->name, "by_year");
	CHECK(index->global && !index->active);
	CHECK_EQ_INT(index->projection, DYN_PROJECT_KEYS_ONLY);
	CHECK_EQ_INT(index->key.nrange, 0);
	CHECK(dyn_metadata_index(meta, "by_") == NULL);
	CHECK(dyn_metadata_index(meta, "songs") == NULL);
	dyn_metadata_free(meta);
}

static void
projections_are_known(void)
{
	static const struct
	{
		const char *index;
		const char *attr;
		bool		projected;
	}			rows[] = {
		{"local", "anything", true},
		{"by_genre", "genre", true},
		{"by_genre", "year", true},
		{"by_genre", "artist", true},
		{"by_genre", "song", true},
		{"by_genre", "length", true},
		{"by_genre", "t\xc3\xaftle", true},
		{"by_genre", "price", false},
		{"by_year", "year", true},
		{"by_year", "artist", true},
		{"by_year", "song", true},
		{"by_year", "genre", false},
		{"by_year", "", false},
	};
	DynTableMeta *meta = parse(full);
	size_t		i;

	if (!CHECK(meta != NULL))
		return;
	for (i = 0; i < LENGTHOF(rows); i++)
	{
		const DynIndexMeta *index = dyn_metadata_index(meta, rows[i].index);

		if (!CHECK(dyn_index_projects(meta, index, rows[i].attr) ==
				   rows[i].projected))
			printf("#     %s %s\n", rows[i].index, rows[i].attr);
	}
	dyn_metadata_free(meta);
}

#define TABLE_START \
	"{\"Table\":{\"TableName\":\"t\"," \
	TYPES(TYPE("a", "S") "," TYPE("b", "N") "," TYPE("c", "B") "," \
		  TYPE("d", "S") "," TYPE("e", "S") "," TYPE("f", "S") "," \
		  TYPE("g", "N") "," TYPE("h", "S") "," TYPE("i", "S") "," \
		  TYPE("x", "Z")) "," KEY(HASH("a"))

#define WITH_GSI(index) \
	TABLE_START ",\"GlobalSecondaryIndexes\":[" index "]}}"

static void
keys_of_many_attributes_are_read(void)
{
	DynTableMeta *meta =
		parse(WITH_GSI("{\"IndexName\":\"i\","
					   KEY(HASH("a") "," HASH("b") "," HASH("c") "," HASH("d")
						   "," RANGE("e") "," RANGE("f") "," RANGE("g") ","
						   RANGE("h")) "," PROJECT("ALL") "}"));
	const DynKeySchema *key;

	if (!CHECK(meta != NULL) || !CHECK_EQ_INT(meta->nindexes, 1))
		return;
	key = &meta->indexes[0].key;
	CHECK_EQ_INT(key->nhash, 4);
	CHECK_EQ_INT(key->nrange, 4);
	CHECK(dyn_is_in_hash_key(key, "d"));
	CHECK(!dyn_is_in_hash_key(key, "g") && dyn_is_in_key(key, "g"));
	CHECK_EQ_INT(key->hash[2].type, DYN_TYPE_B);
	CHECK_EQ_INT(key->range[2].type, DYN_TYPE_N);
	dyn_metadata_free(meta);
}

#define GSI(more) \
	"{\"IndexName\":\"i\"," KEY(HASH("b")) "," PROJECT("ALL") more "}"

static void
only_complete_indexes_are_active(void)
{
	static const struct
	{
		const char *text;
		bool		active;
	}			rows[] = {
		{WITH_GSI(GSI("")), true},
		{WITH_GSI(GSI(",\"IndexStatus\":null")), true},
		{WITH_GSI(GSI(",\"IndexStatus\":\"\"")), true},
		{WITH_GSI(GSI(",\"IndexStatus\":\"ACTIVE\"")), true},
		{WITH_GSI(GSI(",\"IndexStatus\":\"ACTIVE\",\"Backfilling\":false")),
		true},
		{WITH_GSI(GSI(",\"IndexStatus\":\"ACTIVE\",\"Backfilling\":true")),
		false},
		{WITH_GSI(GSI(",\"Backfilling\":true")), false},
		{WITH_GSI(GSI(",\"IndexStatus\":\"CREATING\"")), false},
		{WITH_GSI(GSI(",\"IndexStatus\":\"UPDATING\"")), true},
		{WITH_GSI(GSI(",\"IndexStatus\":\"DELETING\"")), false},
	};
	size_t		i;

	for (i = 0; i < LENGTHOF(rows); i++)
	{
		DynTableMeta *meta = parse(rows[i].text);

		if (CHECK(meta != NULL) && CHECK_EQ_INT(meta->nindexes, 1) &&
			!CHECK(meta->indexes[0].active == rows[i].active))
			printf("#     row %d\n", (int) i);
		dyn_metadata_free(meta);
	}
}

/* The table stays usable next to an index that cannot be read. */
static void
strange_indexes_are_left_out(void)
{
	static const char *const indexes[] = {
		WITH_GSI("{" KEY(HASH("b")) "," PROJECT("ALL") "}"),
		WITH_GSI("{\"IndexName\":\"i\"," PROJECT("ALL") "}"),
		WITH_GSI("{\"IndexName\":\"i\"," KEY("") "}"),
		WITH_GSI("{\"IndexName\":\"i\"," KEY(RANGE("b")) "}"),
		WITH_GSI("{\"IndexName\":\"i\"," KEY(HASH("nowhere")) "}"),
		WITH_GSI("{\"IndexName\":\"i\"," KEY(HASH("x")) "}"),
		WITH_GSI("{\"IndexName\":\"i\"," KEY(HASH("")) "}"),
		WITH_GSI("{\"IndexName\":\"i\"," KEY("{\"AttributeName\":\"b\","
											 "\"KeyType\":\"VECTOR\"}") "}"),
		WITH_GSI("{\"IndexName\":\"i\","
				 KEY(HASH("a") "," HASH("b") "," HASH("c") "," HASH("d") ","
					 HASH("e")) "}"),
		WITH_GSI("null"),
		WITH_GSI(""),
		TABLE_START ",\"GlobalSecondaryIndexes\":null}}",
		TABLE_START ",\"LocalSecondaryIndexes\":{}}}",
		TABLE_START ",\"LocalSecondaryIndexes\":[{\"IndexName\":\"i\","
		KEY(HASH("a") "," HASH("b")) "}]}}",
		TABLE_START "}}",
	};
	size_t		i;

	for (i = 0; i < LENGTHOF(indexes); i++)
	{
		DynTableMeta *meta = parse(indexes[i]);

		if (CHECK(meta != NULL))
			CHECK_EQ_INT(meta->nindexes, 0);
		dyn_metadata_free(meta);
	}
}

/* A good index after a bad one is read, and not into the bad one's rest. */
static void
good_indexes_stay(void)
{
	DynTableMeta *meta =
		parse(WITH_GSI("{\"IndexName\":\"bad\"," KEY(HASH("b") ","
													 HASH("nowhere")) "},"
					   "{\"IndexName\":\"good\"," KEY(HASH("b")) ","
					   "\"Projection\":{\"ProjectionType\":\"INCLUDE\","
					   "\"NonKeyAttributes\":[\"p\",null,\"q\"]}},"
					   "{\"IndexName\":\"odd\"," KEY(HASH("c")) ","
					   PROJECT("SOME") "}"));

	if (!CHECK(meta != NULL) || !CHECK_EQ_INT(meta->nindexes, 2))
		return;
	CHECK_EQ_STR(meta->status, "");
	CHECK_EQ_STR(meta->indexes[0].name, "good");
	CHECK_EQ_INT(meta->indexes[0].key.nhash, 1);
	CHECK_EQ_INT(meta->indexes[0].nincluded, 2);
	CHECK_EQ_STR(meta->indexes[0].included[1], "q");
	CHECK_EQ_INT(meta->indexes[1].projection, DYN_PROJECT_KEYS_ONLY);
	CHECK(!dyn_index_projects(meta, &meta->indexes[1], "b"));
	dyn_metadata_free(meta);
}

static void
other_documents_are_refused(void)
{
	static const char *const texts[] = {
		"", "null", "[]", "{}", "{\"Table\":null}", "{\"Table\":[]}",
		"{\"Table\":{}}",
		"{\"Table\":{\"TableName\":\"t\"}}",
		"{\"Table\":{\"TableName\":\"t\"," KEY(HASH("a")) "}}",
		"{\"Table\":{\"TableName\":\"t\"," TYPES(TYPE("a", "S")) "}}",
		"{\"Table\":{" TYPES(TYPE("a", "S")) "," KEY(HASH("a")) "}}",
		"{\"Table\":{\"TableName\":\"t\"," TYPES(TYPE("a", "BOOL")) ","
		KEY(HASH("a")) "}}",
		"{\"Table\":{\"TableName\":\"t\"," TYPES(TYPE("a", "")) ","
		KEY(HASH("a")) "}}",
		"{\"Table\":{\"TableName\":\"t\"," TYPES(TYPE("a", "S")) ","
		KEY(RANGE("a")) "}}",
		"{\"Table\":{\"TableName\":\"t\"," TYPES(TYPE("a", "S") ","
												 TYPE("b", "S")) ","
		KEY(HASH("a") "," HASH("b")) "}}",
		TABLE_START "}",
		TABLE_START "}} x",
		TABLE_START ",\"ItemCount\":\"\xff\"}}",
	};
	size_t		i;

	for (i = 0; i < LENGTHOF(texts); i++)
	{
		DynTableMeta *meta = parse(texts[i]);

		if (!CHECK(meta == NULL))
			printf("#     for: %s\n", texts[i]);
		dyn_metadata_free(meta);
	}
}

/* More of them than the slack of the block's text could hide. */
static void
many_indexes_have_space(void)
{
	enum
	{
		COUNT = 100
	};
	static char text[COUNT * 200];
	char	   *p = text;
	DynTableMeta *meta;
	int			i;

	p += sprintf(p, "%s", TABLE_START ",\"GlobalSecondaryIndexes\":[");
	for (i = 0; i < COUNT; i++)
		p += sprintf(p, "%s{\"IndexName\":\"i%d\"," KEY(HASH("b")) "}",
					 i > 0 ? "," : "", i);
	sprintf(p, "]}}");
	meta = parse(text);
	if (!CHECK(meta != NULL) || !CHECK_EQ_INT(meta->nindexes, COUNT))
		return;
	CHECK_EQ_STR(meta->name, "t");
	CHECK_EQ_STR(meta->indexes[0].name, "i0");
	CHECK_EQ_STR(meta->indexes[COUNT - 1].name, "i99");
	CHECK_EQ_STR(meta->indexes[COUNT - 1].key.hash[0].name, "b");
	dyn_metadata_free(meta);
}

static void
odd_counts_are_zero(void)
{
	DynTableMeta *meta = parse(TABLE_START ",\"ItemCount\":-1,"
							   "\"TableSizeBytes\":\"12\"}}");

	if (!CHECK(meta != NULL))
		return;
	CHECK_EQ_INT(meta->item_count, 0);
	CHECK_EQ_INT(meta->size_bytes, 0);
	dyn_metadata_free(meta);
}

/* Truncated anywhere, a description is refused and nothing is read beyond. */
static void
split_documents_are_refused(void)
{
	size_t		len;

	for (len = 0; len < sizeof(full) - 1; len++)
	{
		const char *reason;

		CHECK(dyn_metadata_parse(full, len, &reason) == NULL);
	}
}

/* The document `full`, with one text replaced. */
static DynTableMeta *
changed(const char *old, const char *new)
{
	static char text[2 * sizeof(full)];
	const char *at = strstr(full, old);

	if (!CHECK(at != NULL))
		return NULL;
	sprintf(text, "%.*s%s%s", (int) (at - full), full, new, at + strlen(old));
	return parse(text);
}

/* Is the schema that of `full`, in full and for a plan over that index? */
static void
compare_schemas(const char *old, const char *new, const char *index,
				bool same, bool same_for_plan)
{
	DynTableMeta *a = parse(full);
	DynTableMeta *b = changed(old, new);
	const char *text;

	if (!CHECK(a != NULL && b != NULL))
		return;
	CHECK_EQ_INT(dyn_metadata_same_schema(a, b), same);
	CHECK_EQ_INT(dyn_metadata_same_schema(b, a), same);
	text = dyn_metadata_schema(b, index);
	CHECK_EQ_INT(text != NULL && strcmp(dyn_metadata_schema(a, index), text) == 0,
				 same_for_plan);
	dyn_metadata_free(a);
	dyn_metadata_free(b);
}

/* What a table with those members, and its index, can serve. */
static void
check_throughput(const char *members, const char *of_index, bool provisioned,
				 double units, bool index_provisioned, double index_units)
{
	char		text[2048];
	DynTableMeta *meta;

	snprintf(text, sizeof(text), "{\"Table\":{\"TableName\":\"t\","
			 TYPES(TYPE("k", "S")) "," KEY(HASH("k")) "%s%s,"
			 "\"GlobalSecondaryIndexes\":[{\"IndexName\":\"i\","
			 KEY(HASH("k")) "," PROJECT("ALL") "%s%s}]}}",
			 members[0] ? "," : "", members, of_index[0] ? "," : "", of_index);
	meta = parse(text);
	if (!CHECK(meta != NULL && meta->nindexes == 1))
		return;
	CHECK_EQ_INT(meta->throughput.provisioned, provisioned);
	CHECK_EQ_INT((int) meta->throughput.read_units, (int) units);
	CHECK_EQ_INT(meta->indexes[0].throughput.provisioned, index_provisioned);
	CHECK_EQ_INT((int) meta->indexes[0].throughput.read_units,
				 (int) index_units);
	dyn_metadata_free(meta);
}

#define PROVISIONED(units) \
	"\"ProvisionedThroughput\":{\"ReadCapacityUnits\":" units "}"
#define ON_DEMAND \
	"\"BillingModeSummary\":{\"BillingMode\":\"PAY_PER_REQUEST\"}"
#define AT_MOST(units) \
	"\"OnDemandThroughput\":{\"MaxReadRequestUnits\":" units "}"
#define WARM(units) "\"WarmThroughput\":{\"ReadUnitsPerSecond\":" units "}"

static void
throughput_is_read(void)
{
	check_throughput("", "", false, 12000, false, 12000);
	check_throughput(PROVISIONED("25"), PROVISIONED("7"), true, 25, true, 7);
	check_throughput(PROVISIONED("0"), PROVISIONED("0"), false, 12000,
					 false, 12000);
	check_throughput(ON_DEMAND "," PROVISIONED("5"), PROVISIONED("5"),
					 false, 12000, false, 12000);
	check_throughput(ON_DEMAND "," AT_MOST("100"), AT_MOST("-1"),
					 false, 100, false, 12000);
	check_throughput(ON_DEMAND "," WARM("30000"), WARM("90000"),
					 false, 30000, false, 40000);
	check_throughput(ON_DEMAND "," WARM("90000") "," AT_MOST("60000"),
					 WARM("2000"), false, 60000, false, 12000);
}

static void
schemas_are_compared(void)
{
	compare_schemas("1234567890123", "5", NULL, true, true);
	compare_schemas("UPDATING", "ACTIVE", "by_genre", true, true);
	compare_schemas("\"t\\u00eftle\",\"length\"", "\"length\",\"t\\u00eftle\"",
					"by_genre", true, true);
	compare_schemas("\"length\"", "\"width\"", "by_genre", false, false);
	compare_schemas("\"length\"", "\"width\"", "by_year", false, true);
	compare_schemas("\"length\"", "\"width\"", NULL, false, true);
	compare_schemas("INCLUDE", "ALL", "by_genre", false, false);
	compare_schemas("\"IndexStatus\":\"ACTIVE\",\"ItemCount\"",
					"\"IndexStatus\":\"CREATING\",\"ItemCount\"", "by_genre",
					false, false);
	compare_schemas("\"IndexStatus\":\"ACTIVE\",\"ItemCount\"",
					"\"IndexStatus\":\"UPDATING\",\"ItemCount\"", "by_genre",
					true, true);
	compare_schemas("by_genre", "by_style", "by_genre", false, false);
	compare_schemas(TYPE("genre", "S"), TYPE("genre", "N"), "by_genre", false,
					false);
	compare_schemas(HASH("genre") "," RANGE("year"), HASH("genre") ","
					RANGE("song"), "by_genre", false, false);
	compare_schemas(HASH("genre") "," RANGE("year"), HASH("genre"), "by_genre",
					false, false);
	compare_schemas(TYPE("song", "B"), TYPE("song", "S"), "by_year", false,
					false);
	compare_schemas("\"IndexName\":\"local\"", "\"Index\":\"local\"", "by_year",
					false, true);
}

int
main(void)
{
	RUN(tables_are_described);
	RUN(indexes_are_described);
	RUN(projections_are_known);
	RUN(keys_of_many_attributes_are_read);
	RUN(only_complete_indexes_are_active);
	RUN(strange_indexes_are_left_out);
	RUN(good_indexes_stay);
	RUN(other_documents_are_refused);
	RUN(many_indexes_have_space);
	RUN(odd_counts_are_zero);
	RUN(split_documents_are_refused);
	RUN(throughput_is_read);
	RUN(schemas_are_compared);
	return DONE("metadata");
}
