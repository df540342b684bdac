/*
 * test_page_random.c
 *		The page reader against jansson, on thousands of random responses.
 *
 * For each response, intact and damaged, the verdict and every slot of every
 * item are compared with what follows from jansson's tree and a plain reading
 * of the rules for attribute values; lists, maps and sets through a walk.
 *
 * Where the two differ on purpose:
 *	- jansson refuses U+0000 in names; we accept it (DynamoDB allows it);
 *	- jansson refuses JSON numbers that no double holds; we read no JSON
 *	  numbers but counts and units, so we accept them;
 *	- we refuse JSON escapes in N and NS, which no service writes, so that the
 *	  slice can be used as it stands;
 *	- we refuse -0 as a count;
 *	- jansson passes over a zero byte after a JSON number, which is illegal.
 * DYN_TEST_SEED and DYN_TEST_COUNT change what is tried.
 */
#include "expected_page.h"
#include "harness.h"
#include "node_facts.h"
#include "random_page.h"

#define DEFAULT_COUNT	4000
#define SPOILED_EACH	8
#define MAX_PATHS		24

/*
 * ----------
 * A slot, turned back into a tree by a walk
 * ----------
 */

static json_t *
text_of(const DynValue *v)
{
	char	   *text = malloc(v->len + 1);
	size_t		len = dyn_value_text(v, text);
	json_t	   *j = json_stringn(text, len);

	/* the flag must be right */
	CHECK(((v->flags & DYN_VALUE_HAS_NUL) != 0) ==
		  (memchr(text, 0, len) != NULL));
	free(text);
	return j;
}

static json_t *
payload_from(const DynValue *v)
{
	switch (v->type)
	{
		case DYN_TYPE_BOOL:
			return json_boolean(v->flags & DYN_VALUE_TRUE);
		case DYN_TYPE_NULL:
			return json_true();
		case DYN_TYPE_M:
			return json_object();
		case DYN_TYPE_S:
		case DYN_TYPE_N:
		case DYN_TYPE_B:
			return text_of(v);
		default:
			return json_array();
	}
}

static json_t *
wrap(DynType type, json_t *payload)
{
	return json_pack("{s:o}", dyn_type_name(type), payload);
}

static json_t *rebuild(const DynValue *value);

/* Returns a value's payload; an element of a set is only its payload. */
static json_t *
rebuild_payload(const DynValue *value)
{
	json_t	   *payload = payload_from(value);
	DynElements inside;

	if (value->type < DYN_TYPE_SS)
		return payload;
	dyn_elements_begin(&inside, value);
	while (dyn_elements_next(&inside))
	{
		json_t	   *name = value->type == DYN_TYPE_M ? text_of(&inside.name) : NULL;

		if (name != NULL)
			json_object_setn_new(payload, json_string_value(name),
								 json_string_length(name), rebuild(&inside.value));
		else
			json_array_append_new(payload, value->type == DYN_TYPE_L ?
								  rebuild(&inside.value) : rebuild_payload(&inside.value));
		json_decref(name);
	}
	return payload;
}

static json_t *
rebuild(const DynValue *value)
{
	return wrap(value->type, rebuild_payload(value));
}

static bool
holds_nul(json_t *j)
{
	const char *name;
	json_t	   *member;
	size_t		i;

	if (json_is_string(j))
		return memchr(json_string_value(j), 0, json_string_length(j)) != NULL;
	json_object_foreach(j, name, member)
	{
		if (holds_nul(member))
			return true;
	}
	for (i = 0; i < json_array_size(j); i++)
	{
		if (holds_nul(json_array_get(j, i)))
			return true;
	}
	return false;
}

/*
 * ----------
 * Paths
 * ----------
 */

static DynStep path_steps[MAX_PATHS][3];
static DynPath paths[MAX_PATHS];
static int	npaths;

static void
make_paths(void)
{
	int			i;
	int			j;

	npaths = below(MAX_PATHS + 1);
	for (i = 0; i < npaths; i++)
	{
		paths[i].steps = path_steps[i];
		paths[i].nsteps = percent(60) ? 1 : percent(10) ? 0 : 2 + below(2);
		for (j = 0; j < paths[i].nsteps; j++)
		{
			DynStep    *step = &path_steps[i][j];

			memset(step, 0, sizeof(*step));
			step->index = below(4);
			if (j > 0 && percent(40))
				continue;
			step->name = name_pool[below(NAME_COUNT)];
			step->name_len = (uint32_t) strlen(step->name);
		}
	}
}

/* The attribute value a path leads to, or NULL; a reference of its own. */
static json_t *
follow(json_t *item, const DynPath *path)
{
	json_t	   *j;
	int			i;

	if (path->nsteps == 0)
		return json_pack("{s:O}", "M", item);
	j = json_object_getn(item, path->steps[0].name, path->steps[0].name_len);
	for (i = 1; j != NULL && i < path->nsteps; i++)
	{
		const DynStep *step = &path->steps[i];

		j = step->name == NULL ?
			json_array_get(json_object_get(j, "L"), step->index) :
			json_object_getn(json_object_get(j, "M"), step->name,
							 step->name_len);
	}
	return json_incref(j);
}

/*
 * ----------
 * Comparing
 * ----------
 */

/* What the tests met, to know that they tried what they are for. */
static struct
{
	int			accepted;
	int			refused;
	int			duplicates;
	int			spoiled_accepted;
	int			items;
	int			values;
	int			nested;
	int			full;
	int			known;
} met;

static void
compare_slot(json_t *item, int i, const DynValue *slot)
{
	json_t	   *wanted = follow(item, &paths[i]);
	json_t	   *seen;

	if (wanted == NULL || slot->type == DYN_TYPE_ABSENT)
	{
		CHECK(wanted == NULL && slot->type == DYN_TYPE_ABSENT);
		json_decref(wanted);
		return;
	}
	seen = rebuild(slot);
	CHECK(json_equal(seen, wanted));
	CHECK(nodes_follow_walk(slot));
	CHECK(((slot->flags & DYN_VALUE_HAS_NUL) != 0) == holds_nul(wanted));
	met.values++;
	if (paths[i].nsteps > 1)
		met.nested++;
	met.full += (paths[i].nsteps == 0);
	json_decref(wanted);
	json_decref(seen);
}

static void
compare_items(const DynPage *page, json_t *items)
{
	DynValue	slots[MAX_PATHS];
	DynPageCursor cursor;
	size_t		n = 0;
	int			i;

	dyn_page_cursor_init(&cursor, page);
	CHECK_EQ_INT(page->nitems, json_array_size(items));
	while (dyn_page_next(&cursor, slots))
	{
		if (!CHECK(n < json_array_size(items)))
			return;
		for (i = 0; i < npaths; i++)
			compare_slot(json_array_get(items, n), i, &slots[i]);
		n++;
		met.items++;
	}
	CHECK_EQ_INT(n, json_array_size(items));
}

/* A raw slice of the response against the tree. */
static void
compare_slice(const char *slice, size_t len, json_t *wanted)
{
	json_t	   *seen;

	if (wanted == NULL || json_object_size(wanted) == 0)
	{
		CHECK(slice == NULL && len == 0);
		return;
	}
	if (!CHECK(slice != NULL))
		return;
	seen = json_loadb(slice, len, JSON_ALLOW_NUL, NULL);
	CHECK(json_equal(seen, wanted));
	json_decref(seen);
}

static void
compare_page(DynPage *page, const Expected *e)
{
	CHECK(((page->members & DYN_PAGE_COUNT) != 0) == e->has_count);
	CHECK_EQ_INT(page->count, e->count);
	CHECK_EQ_INT(page->scanned_count, e->scanned);
	CHECK(page->units == e->units);
	compare_slice(page->last_key, page->last_key_len, e->last_key);
	compare_slice(page->unprocessed, page->unprocessed_len, e->unprocessed);
	compare_items(page, e->items);
	/* a second time from the start */
	compare_items(page, e->items);
}

/* Is this one of the differences that are meant? */
static bool
known_difference(const char *buf, size_t len, bool accepted,
				 const DynPageError *error, const json_error_t *jerror)
{
	const char *at = buf + error->offset;

	if (accepted)
		return json_error_code(jerror) == json_error_null_byte_in_key ||
			json_error_code(jerror) == json_error_numeric_overflow;
	if (strcmp(error->reason, "malformed number") == 0)
	{
		const char *quote = memchr(at, '"', len - error->offset);

		return quote != NULL && memchr(at, '\\', quote - at) != NULL;
	}
	if (strcmp(error->reason, "a count was expected") == 0)
		return *at == '-';
	return error->offset > 0 && error->offset < len && *at == '\0' &&
		at[-1] >= '0' && at[-1] <= '9';
}

static void
show(const char *buf, size_t len)
{
	printf("#   response: %.*s\n", (int) len, buf);
}

static void
compare(DynPage *page, const DynPathTree *shape, const Text *text, bool spoiled)
{
	int			before = harness_bad_checks;
	/* exactly as long as the response, so that reading on is noticed */
	char	   *buf = malloc(text->len + 1);
	DynPageError error = {0, NULL};
	json_error_t jerror;
	json_t	   *tree;
	Expected	e;
	bool		legal = false;
	bool		accepted;

	buf = realloc(buf, text->len ? text->len : 1);
	memcpy(buf, text->data, text->len);
	tree = json_loadb(buf, text->len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL,
					  &jerror);
	e.items = NULL;
	if (tree != NULL)
		legal = expect(&e, tree);
	accepted = dyn_page_parse(page, DYN_PARSE_RESPONSE, shape, buf, text->len, &error);

	if (accepted != legal &&
		known_difference(buf, text->len, accepted, &error, &jerror))
		met.known++;
	else if (CHECK(accepted == legal) && accepted)
		compare_page(page, &e);
	if (!accepted)
	{
		CHECK(error.reason != NULL && error.offset <= text->len);
		met.refused++;
		if (strcmp(error.reason, "duplicate name") == 0)
			met.duplicates++;
	}
	else
	{
		met.accepted++;
		met.spoiled_accepted += spoiled;
	}
	if (harness_bad_checks > before)
	{
		printf("#   %s: %s at %zu, %s\n", accepted ? "accepted" : "refused",
			   error.reason ? error.reason : "", error.offset,
			   legal ? "legal" : jerror.text);
		show(buf, text->len);
	}
	json_decref(e.items);
	json_decref(tree);
	free(buf);
}

static long
setting(const char *name, long alternative)
{
	const char *value = getenv(name);

	return value ? atol(value) : alternative;
}

static void
responses_read_as_jansson_reads_them(void)
{
	long		count = setting("DYN_TEST_COUNT", DEFAULT_COUNT);
	Text		full = {malloc(TEXT_MAX), 0};
	Text		text = {malloc(TEXT_MAX), 0};
	DynPage		page = {0};
	long		i;
	int			j;

	random_state = (uint64_t) setting("DYN_TEST_SEED", 1);
	for (i = 0; i < count && harness_bad_checks < 10; i++)
	{
		DynPathTree   *shape;

		make_paths();
		shape = dyn_path_tree_create(paths, npaths);
		make_response(&full);
		compare(&page, shape, &full, false);
		for (j = 0; j < SPOILED_EACH; j++)
		{
			text.len = full.len;
			memcpy(text.data, full.data, full.len);
			spoil(&text);
			if (percent(20))
				spoil(&text);
			compare(&page, shape, &text, true);
		}
		dyn_path_tree_free(shape);
	}
	dyn_page_free(&page);
	free(full.data);
	free(text.data);
	printf("# %d accepted (%d of them spoiled), %d refused (%d for duplicate "
		   "names), %d known differences; %d items, %d values, %d nested\n",
		   met.accepted, met.spoiled_accepted, met.refused, met.duplicates,
		   met.known, met.items, met.values, met.nested);
	if (count >= DEFAULT_COUNT)
	{
		CHECK(met.accepted >= count);
		CHECK(met.spoiled_accepted >= count / 2);
		CHECK(met.refused >= count);
		CHECK(met.duplicates >= count / 50);
		CHECK(met.items >= 3 * count);
		CHECK(met.values >= 3 * count);
		CHECK(met.nested >= count / 20);
		CHECK(met.full >= count / 20);
		CHECK(met.known <= met.accepted / 10);
	}
}

int
main(void)
{
	if (!rules_begin())
		return 1;
	RUN(responses_read_as_jansson_reads_them);
	rules_end();
	return DONE("page_random");
}
