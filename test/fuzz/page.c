/*
 * page.c
 *		Fuzzes the page reader, the walk and the decoders.
 *
 * An accepted page is consistent: every slice is in the response, every
 * walk ends balanced, text is never longer than its slice, the items are as
 * many as were counted, and the page is legal JSON.
 */
#include "any_json.h"
#include "fuzz.h"
#include "node_facts.h"

#define SLOTS 9

static const DynStep steps[SLOTS][3] = {
	{{"a", 1, 0}},
	{{"id", 2, 0}},
	{{"tags", 4, 0}, {NULL, 0, 1}},
	{{"info", 4, 0}, {"rating", 6, 0}},
	{{"info", 4, 0}},
	{{"info", 4, 0}, {"tags", 4, 0}, {NULL, 0, 0}},
	{{"a name of 22 bytes....", 22, 0}},
	{{"a", 1, 0}},
	{{"", 0, 0}},
};

static const DynPath paths[SLOTS] = {
	{steps[0], 1}, {steps[1], 1}, {steps[2], 2}, {steps[3], 2}, {steps[4], 1},
	{steps[5], 3}, {steps[6], 1}, {steps[7], 1}, {steps[8], 1},
};

static void
finish_scalar(const DynValue *v)
{
	char	   *text;

	if (v->type == DYN_TYPE_B)
	{
		unsigned char *bytes = malloc(dyn_value_bytes_max(v) + 1);

		bytes = realloc(bytes, dyn_value_bytes_max(v));
		demand(dyn_value_bytes(v, bytes) <= (long) dyn_value_bytes_max(v));
		free(bytes);
	}
	text = malloc(v->len ? v->len : 1);
	demand(dyn_value_text(v, text) <= v->len);
	free(text);
}

static void
visit_value(const DynValue *value)
{
	DynElements inside;

	if (value->type < DYN_TYPE_SS)
		finish_scalar(value);
	else
	{
		dyn_elements_begin(&inside, value);
		while (dyn_elements_next(&inside))
		{
			demand(inside.value.data >= value->data &&
				   inside.value.data + inside.value.len <= value->data + value->len);
			visit_value(&inside.value);
		}
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static DynPathTree *shape;
	static DynPage page;
	const char *buf = (const char *) data;
	DynValue	slots[SLOTS];
	DynPageError error;
	DynPageCursor cursor;
	uint64_t	seen = 0;
	int			i;

	if (shape == NULL)
		shape = dyn_path_tree_create(paths, SLOTS);
	if (!dyn_page_parse(&page, DYN_PARSE_RESPONSE, shape, buf, size, &error))
	{
		demand(error.reason != NULL && error.offset <= size);
		return 0;
	}
	demand(is_json(buf, size, &error));
	dyn_page_cursor_init(&cursor, &page);
	for (; dyn_page_next(&cursor, slots); seen++)
	{
		for (i = 0; i < SLOTS; i++)
		{
			if (slots[i].type == DYN_TYPE_ABSENT)
				continue;
			demand(slots[i].data >= buf &&
				   slots[i].data + slots[i].len <= buf + size);
			visit_value(&slots[i]);
			demand(nodes_follow_walk(&slots[i]));
		}
	}
	demand(seen == page.nitems);
	return 0;
}

