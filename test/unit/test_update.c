/*
 * test_update.c
 *		Update expressions, items and maps from paths with values.
 */
#include "harness.h"

#include "dynamodb/update.h"

#include <jansson.h>
#include <stdlib.h>

#define LENGTHOF(array) (sizeof(array) / sizeof((array)[0]))

/*
 * A value in one text: PATH=TYPE:DATA; PATH=- is absent.  Steps of the path
 * are separated by '/'.
 */
typedef struct Values
{
	int			n;
	DynPathValue values[64];
	DynPath		paths[64];
	DynStep		steps[64][8];
} Values;

static void
add(Values *v, const char *text)
{
	int			i = v->n++;
	const char *end = strchr(text, '=');
	const char *colon;

	v->paths[i] = (DynPath) {v->steps[i], 0};
	v->values[i].path = &v->paths[i];
	while (text < end)
	{
		size_t		len = strcspn(text, "/=");

		v->steps[i][v->paths[i].nsteps++] = (DynStep) {text, (uint32_t) len, 0};
		text += len + 1;
	}
	text = end + 1;
	colon = strchr(text, ':');
	if (strcmp(text, "-") == 0)
		return;
	v->values[i].value.type = dyn_type_of_name(text, colon - text);
	if (v->values[i].value.type == DYN_TYPE_BOOL)
		v->values[i].value.len = strcmp(colon + 1, "true") == 0;
	else if (v->values[i].value.type != DYN_TYPE_NULL)
	{
		v->values[i].value.data = colon + 1;
		v->values[i].value.len = strlen(colon + 1);
	}
}

static void
add_all(Values *v, const char *const *texts)
{
	memset(v, 0, sizeof(*v));
	for (; *texts != NULL; texts++)
		add(v, *texts);
}

#define VALUES(v, ...) \
	add_all(v, (const char *const[]) {__VA_ARGS__, NULL})

/* The two forms of an update, with the tokens. */
static void
check_update(const Values *v, const char *request, const char *shown)
{
	DynTokens  *tokens = dyn_tokens_create();
	DynBuffer	out;

	dyn_buffer_init(&out, 0);
	CHECK(dyn_expr_update(tokens, v->values, v->n, &out));
	CHECK(dyn_tokens_write(tokens, &out));
	CHECK_EQ_STR(dyn_buffer_terminate(&out), request);
	dyn_buffer_reset(&out);
	CHECK(dyn_expr_update(NULL, v->values, v->n, &out));
	CHECK_EQ_STR(dyn_buffer_terminate(&out), shown);
	dyn_buffer_free(&out);
	dyn_tokens_free(tokens);
}

static void
updates_are_rendered(void)
{
	Values		v;

	VALUES(&v, "total=N:5", "info/rating=-", "a b=S:x", "gone=-");
	check_update(&v,
				 "SET #n0 = :v0,#n1 = :v1 REMOVE #n2.#n3,#n4"
				 ",\"ExpressionAttributeNames\":{\"#n0\":\"total\",\"#n1\":\"a b\","
				 "\"#n2\":\"info\",\"#n3\":\"rating\",\"#n4\":\"gone\"}"
				 ",\"ExpressionAttributeValues\":{\":v0\":{\"N\":\"5\"},\":v1\":{\"S\":\"x\"}}",
				 "SET total = 5, \"a b\" = \"x\" REMOVE info.rating, gone");
	VALUES(&v, "a=BOOL:true");
	check_update(&v,
				 "SET #n0 = :v0,\"ExpressionAttributeNames\":{\"#n0\":\"a\"}"
				 ",\"ExpressionAttributeValues\":{\":v0\":{\"BOOL\":true}}",
				 "SET a = true");
	VALUES(&v, "a=-");
	check_update(&v, "REMOVE #n0,\"ExpressionAttributeNames\":{\"#n0\":\"a\"}",
				 "REMOVE a");
	VALUES(&v, "a=SS:[\"x\"]", "b=M:{\"c\":{\"N\":\"1\"}}", "c=L:[]");
	check_update(&v,
				 "SET #n0 = :v0,#n1 = :v1,#n2 = :v2,"
				 "\"ExpressionAttributeNames\":{\"#n0\":\"a\",\"#n1\":\"b\",\"#n2\":\"c\"}"
				 ",\"ExpressionAttributeValues\":{\":v0\":{\"SS\":[\"x\"]},"
				 "\":v1\":{\"M\":{\"c\":{\"N\":\"1\"}}},\":v2\":{\"L\":[]}}",
				 "SET a = [\"x\"], b = {\"c\":{\"N\":\"1\"}}, c = []");
}

/* An update that is too long has no effect. */
static void
updates_have_limits(void)
{
	static DynPathValue values[500];
	static DynPath paths[500];
	static DynStep steps[500];
	static char names[500][16];
	DynTokens  *tokens = dyn_tokens_create();
	DynBuffer	out;

	for (int i = 0; i < 500; i++)
	{
		snprintf(names[i], sizeof(names[i]), "n%d", i);
		steps[i] = (DynStep) {names[i], (uint32_t) strlen(names[i]), 0};
		paths[i] = (DynPath) {&steps[i], 1};
		values[i].path = &paths[i];
		values[i].value = (DynScalar) {DYN_TYPE_S, names[i], strlen(names[i])};
	}
	dyn_buffer_init(&out, 0);
	dyn_buffer_append_str(&out, "kept");
	CHECK(!dyn_expr_update(tokens, values, 500, &out));
	CHECK(!dyn_tokens_out_of_memory(tokens));
	CHECK_EQ_STR(dyn_buffer_terminate(&out), "kept");
	CHECK(dyn_expr_update(tokens, values, 280, &out));
	CHECK(out.len <= 4 + DYN_EXPR_MAX_BYTES);
	dyn_buffer_free(&out);
	dyn_tokens_free(tokens);
}

static void
check_item(const Values *v, const char *json)
{
	DynBuffer	out;
	json_t	   *root;

	dyn_buffer_init(&out, 0);
	CHECK(dyn_path_values_item(v->values, v->n, &out));
	CHECK_EQ_STR(dyn_buffer_terminate(&out), json);
	root = json_loadb(out.data, out.len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
	CHECK(root != NULL);
	json_decref(root);
	dyn_buffer_free(&out);
}

static void
items_are_composed(void)
{
	Values		v;

	VALUES(&v, "a=S:x", "b=N:12345678901234567890123456789012345678",
		   "c=BOOL:false", "d=NULL:", "e=B:f");
	check_item(&v,
			  "{\"a\":{\"S\":\"x\"},\"b\":{\"N\":\"12345678901234567890123456789012345678\"},"
			  "\"c\":{\"BOOL\":false},\"d\":{\"NULL\":true},\"e\":{\"B\":\"Zg==\"}}");
	VALUES(&v, "i/r=N:1", "x=S:y", "i/c/l=S:z", "i/c/m=-", "i/s=SS:[\"a\"]");
	check_item(&v,
			  "{\"i\":{\"M\":{\"r\":{\"N\":\"1\"},\"c\":{\"M\":{\"l\":{\"S\":\"z\"}}},"
			  "\"s\":{\"SS\":[\"a\"]}}},\"x\":{\"S\":\"y\"}}");
	VALUES(&v, "i/a=-", "i/b/c=-", "j=-");
	check_item(&v, "{}");
	VALUES(&v, "i/a=-", "i/b/c=N:1");
	check_item(&v, "{\"i\":{\"M\":{\"b\":{\"M\":{\"c\":{\"N\":\"1\"}}}}}}");
	check_item(&(Values) {0}, "{}");
	VALUES(&v, "\"\\\n\xc3\xa9=S:\"\\\n\xc3\xa9", "a.b=S:", "a/b=S:");
	check_item(&v,
			  "{\"\\\"\\\\\\n\xc3\xa9\":{\"S\":\"\\\"\\\\\\n\xc3\xa9\"},"
			  "\"a.b\":{\"S\":\"\"},\"a\":{\"M\":{\"b\":{\"S\":\"\"}}}}");
}

/* The values left after merging, as an update. */
static void
check_merge(Values *v, const char *shown)
{
	DynBuffer	memory;
	DynBuffer	out;
	int			n;

	dyn_buffer_init(&memory, 0);
	dyn_buffer_init(&out, 0);
	n = dyn_path_values_merge(v->values, v->n, &memory);
	if (CHECK(n >= 0))
		dyn_expr_update(NULL, v->values, n, &out);
	CHECK_EQ_STR(dyn_buffer_terminate(&out), shown);
	dyn_buffer_free(&out);
	dyn_buffer_free(&memory);
}

static void
overlapping_paths_are_merged(void)
{
	Values		v;

	/* nothing overlaps */
	VALUES(&v, "a=N:1", "b/c=N:2", "b/d=-");
	check_merge(&v, "SET a = 1, b.c = 2 REMOVE b.d");
	/* equal paths: the last one */
	VALUES(&v, "a=N:1", "a=N:2", "b=N:1", "b=-", "c=-", "c=N:3");
	check_merge(&v, "SET a = 2, c = 3 REMOVE b");
	/* replaced, added, removed; in any order */
	VALUES(&v, "i/r=N:1", "i=M:{\"r\":{\"N\":\"2\"},\"x\":{\"S\":\"y\"},\"z\":{\"BOOL\":true}}",
		   "i/n=NULL:", "i/z=-", "k=N:7");
	check_merge(&v, "SET i = {\"r\":{\"N\":\"1\"},\"x\":{\"S\":\"y\"},\"n\":{\"NULL\":true}}, k = 7");
	VALUES(&v, "i/z=-", "i=M:{\"z\":{\"BOOL\":true}}");
	check_merge(&v, "SET i = {}");
	/* three levels, the innermost last */
	VALUES(&v, "i/a/b=N:3", "i/a=M:{\"b\":{\"N\":\"2\"},\"c\":{\"N\":\"2\"}}",
		   "i=M:{\"a\":{\"M\":{\"d\":{\"N\":\"1\"}}}}");
	check_merge(&v, "SET i = {\"a\":{\"M\":{\"b\":{\"N\":\"3\"},\"c\":{\"N\":\"2\"}}}}");
	/* into a map of the base, and into one that is missing there */
	VALUES(&v, "i=M:{\"a\":{\"M\":{\"x\":{\"L\":[{\"S\":\"]\"}]},\"q\":{\"NULL\":true}}}}", "i/a/b=N:3", "i/e/f=S:g");
	check_merge(&v, "SET i = {\"a\":{\"M\":{\"x\":{\"L\":[{\"S\":\"]\"}]},\"q\":{\"NULL\":true},\"b\":{\"N\":\"3\"}...");
	/* names with escapes */
	VALUES(&v, "i=M:{\"a\\u0062\":{\"N\":\"1\"},\"\\\"\":{\"N\":\"2\"}}", "i/ab=N:3");
	check_merge(&v, "SET i = {\"ab\":{\"N\":\"3\"},\"\\\"\":{\"N\":\"2\"}}");
}

/* An outer value that is absent, or not a map. */
static void
outer_values_may_be_missing(void)
{
	Values		v;
	DynBuffer	memory;

	VALUES(&v, "i=-", "i/a=-");
	check_merge(&v, "REMOVE i");
	VALUES(&v, "i=-", "i/a=N:1");
	check_merge(&v, "SET i = {\"a\":{\"N\":\"1\"}}");
	VALUES(&v, "i=S:x", "i/a=-");
	check_merge(&v, "SET i = \"x\"");
	VALUES(&v, "i=M:{\"a\":{\"S\":\"x\"}}", "i/a/b=-");
	check_merge(&v, "SET i = {\"a\":{\"S\":\"x\"}}");
	dyn_buffer_init(&memory, 0);
	VALUES(&v, "i=S:x", "i/a=N:1");
	CHECK_EQ_INT(dyn_path_values_merge(v.values, v.n, &memory),
				 DYN_MERGE_NOT_A_MAP);
	VALUES(&v, "i=M:{\"a\":{\"L\":[]}}", "i/a/b=N:1");
	CHECK_EQ_INT(dyn_path_values_merge(v.values, v.n, &memory),
				 DYN_MERGE_NOT_A_MAP);
	dyn_buffer_free(&memory);
	dyn_buffer_init(&memory, 4);
	VALUES(&v, "i=M:{}", "i/a=N:1");
	CHECK_EQ_INT(dyn_path_values_merge(v.values, v.n, &memory),
				 DYN_MERGE_NO_MEMORY);
	dyn_buffer_free(&memory);
}

/* Comparing each of these attributes with each would take minutes. */
static void
paths_may_be_many(void)
{
	enum {MANY = 400000};
	char	   *names = malloc(MANY * 8);
	DynStep    *steps = calloc(MANY, sizeof(DynStep));
	DynPath    *paths = calloc(MANY, sizeof(DynPath));
	DynPathValue *values = calloc(MANY, sizeof(DynPathValue));
	DynBuffer	memory = {0};
	DynBuffer	out = {0};

	for (int i = 0; i < MANY; i++)
	{
		int			len = snprintf(names + i * 8, 8, "%d", i / 2);

		steps[i] = (DynStep) {names + i * 8, (uint32_t) len, 0};
		paths[i] = (DynPath) {&steps[i], 1};
		values[i] = (DynPathValue) {&paths[i], {DYN_TYPE_BOOL, NULL, i % 2}};
	}
	CHECK_EQ_INT(dyn_path_values_merge(values, MANY, &memory), MANY / 2);
	for (int i = 0; i < MANY / 2; i++)
		CHECK(values[i].path == &paths[2 * i + 1] && values[i].value.len == 1);
	CHECK(dyn_path_values_item(values, MANY / 2, &out));
	CHECK(strncmp(out.data, "{\"0\":{\"BOOL\":true},\"1\":", 23) == 0);
	dyn_buffer_free(&out);
	dyn_buffer_free(&memory);
	free(values);
	free(paths);
	free(steps);
	free(names);
}

int
main(void)
{
	RUN(updates_are_rendered);
	RUN(updates_have_limits);
	RUN(items_are_composed);
	RUN(overlapping_paths_are_merged);
	RUN(outer_values_may_be_missing);
	RUN(paths_may_be_many);
	return DONE("update");
}
