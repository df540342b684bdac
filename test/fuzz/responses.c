/*
 * responses.c
 *		Fuzzes the comparison of a response with its request.
 *
 * The first byte selects the request.  An accepted response to a BatchGetItem
 * leaves no key in the state of the request, and has at most one item for each
 * key; an accepted GetItem has at most one item; keys that repeat are noticed.
 */
#include "dynamodb/page_check.h"
#include "fuzz.h"

#define KEYS 3

static const DynKeyPart keys[] = {
	{"h", {DYN_TYPE_S, "a", 1}}, {"r", {DYN_TYPE_N, "1", 1}},
	{"h", {DYN_TYPE_S, "a", 1}}, {"r", {DYN_TYPE_N, "2", 1}},
	{"h", {DYN_TYPE_S, "b", 1}}, {"r", {DYN_TYPE_N, "3", 1}},
};
static const int both[] = {0, 1};
static const int hash_only[] = {0, -1};

static void
check(const DynExpected *expected, const char *text, size_t len)
{
	static DynBuffer scratch;
	static DynPathTree *tree;
	static DynPage page;
	static DynPage left;
	DynPageError error;
	const char *err;

	if (tree == NULL)
	{
		static const DynStep steps[] = {{"h", 1, 0}, {"r", 1, 0}};
		static const DynPath paths[] = {{&steps[0], 1}, {&steps[1], 1}};

		tree = dyn_path_tree_create(paths, 2);
		dyn_buffer_init(&scratch, 0);
	}
	if (!dyn_page_parse(&page, DYN_PARSE_RESPONSE, tree, text, len, &error) ||
		(page.unprocessed != NULL &&
		 !dyn_page_parse(&left, DYN_PARSE_KEYS, tree, page.unprocessed, page.unprocessed_len, &error)))
		return;
	err = dyn_page_check(&page, page.unprocessed ? &left : NULL, expected, &scratch);
	demand(err != dyn_check_memory);
	if (err != NULL)
		return;
	if (expected->op == DYN_OP_GET_ITEM)
		demand(page.nitems <= 1);
	if (expected->op != DYN_OP_BATCH_GET_ITEM)
		return;
	demand(page.nitems <= KEYS);
	demand(dyn_batch_count(expected->batch, DYN_KEY_REQUESTED) == 0);
	demand(dyn_batch_count(expected->batch, DYN_KEY_OPEN) ==
		   (page.unprocessed ? (int) left.nitems : 0));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const DynOperation ops[] = {
		DYN_OP_GET_ITEM, DYN_OP_BATCH_GET_ITEM, DYN_OP_QUERY, DYN_OP_SCAN
	};
	Input		input = {(const char *) data, size};
	unsigned	choice = take_number(&input, 16);
	DynBatch	batch;
	DynSeam		seam = {0};
	uint8_t		picked[DYN_BATCH_GET_MAX_KEYS];
	DynExpected expected = {
		.op = ops[choice % 4],
		.table = "t",
		.keys = keys,
		.nkeys = ops[choice % 4] == DYN_OP_BATCH_GET_ITEM ? KEYS : 1,
		.nparts = ops[choice % 4] == DYN_OP_QUERY ? 1 : 2,
		.slots = choice & 4 && ops[choice % 4] != DYN_OP_BATCH_GET_ITEM ? hash_only : both,
		.batch = &batch,
		.count_only = choice & 8 && ops[choice % 4] >= DYN_OP_QUERY
	};
	size_t		len;
	char	   *text = take_rest(&input, &len);

	dyn_batch_begin(&batch, expected.nkeys);
	(void) dyn_batch_request(&batch, KEYS, picked);
	dyn_seam_begin(&seam, 1, (choice & 4) != 0, true);
	if (expected.op == DYN_OP_QUERY)
		expected.seam = &seam;
	check(&expected, text, len);
	if (expected.op == DYN_OP_QUERY)
		check(&expected, text, len);
	dyn_seam_free(&seam);
	free(text);
	return 0;
}
