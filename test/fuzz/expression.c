/*
 * expression.c
 *		Fuzzes conditions: simplifying, rendering, printing, evaluating.
 *
 * The first line of the input describes a condition, the second one is an
 * item.  The text of an expression has only names of tokens, keywords and
 * punctuation, whatever names and values are; simplifying does not change what
 * a condition means, and NOT negates it.
 */
#include "dynamodb/expression.h"
#include "fuzz.h"

#define MAX_NODES	200
#define MAX_ARGS	4

static const DynStep steps[] = {{"a", 1, 0}, {"b \"\\", 4, 0}, {NULL, 0, 1}};
static const DynPath paths[] = {{steps, 1}, {steps + 1, 1}, {steps, 2}};

#define NPATHS	((int) (sizeof(paths) / sizeof(paths[0])))

static int	nnodes;

/* Blocks to free when the input is done; simplifying drops nodes. */
static void *blocks[8 * MAX_NODES];
static int	nblocks;

static void *
take_memory(size_t size)
{
	void	   *block = calloc(1, size);

	demand(block != NULL && nblocks < (int) (sizeof(blocks) / sizeof(blocks[0])));
	blocks[nblocks++] = block;
	return block;
}

static DynScalar
make_value(Input *input)
{
	static const DynScalar values[] = {
		{DYN_TYPE_S, "", 0}, {DYN_TYPE_S, "x", 1}, {DYN_TYPE_S, "#n0 = :v0", 9},
		{DYN_TYPE_N, "0", 1}, {DYN_TYPE_N, "-12.5", 5}, {DYN_TYPE_B, "\0\1", 2},
		{DYN_TYPE_BOOL, NULL, 1}, {DYN_TYPE_BOOL, NULL, 0}, {DYN_TYPE_NULL, NULL, 0}
	};

	return values[take_number(input, sizeof(values) / sizeof(values[0]))];
}

static DynCond *
make_cond(Input *input, int depth)
{
	DynCond    *cond = take_memory(sizeof(DynCond));
	DynScalar  *values = take_memory(MAX_ARGS * sizeof(DynScalar));

	nnodes++;
	cond->kind = take_number(input, DYN_COND_IS_TYPE + 1);
	if (depth > 8 && cond->kind <= DYN_COND_NOT)
		cond->kind = DYN_COND_EXISTS;
	if (cond->kind >= DYN_COND_AND && cond->kind <= DYN_COND_NOT)
	{
		cond->nargs = cond->kind == DYN_COND_NOT ? 1 : (int) take_number(input, MAX_ARGS);
		if (nnodes > MAX_NODES)
			cond->nargs = cond->kind == DYN_COND_NOT;
		cond->args = take_memory(MAX_ARGS * sizeof(DynCond *));
		for (int i = 0; i < cond->nargs; i++)
			cond->args[i] = make_cond(input, depth + 1);
	}
	cond->path = &paths[take_number(input, NPATHS)];
	cond->nvalues = cond->kind == DYN_COND_IN ? (int) take_number(input, MAX_ARGS)
		: cond->kind == DYN_COND_BETWEEN ? 2
		: cond->kind >= DYN_COND_EQ && cond->kind <= DYN_COND_CONTAINS ? 1 : 0;
	for (int i = 0; i < cond->nvalues; i++)
		values[i] = make_value(input);
	cond->values = values;
	cond->type = take_number(input, 2) ? DYN_TYPE_S : DYN_TYPE_N;
	return cond;
}

static DynCond *
copy_cond(const DynCond *cond)
{
	DynCond    *copy = take_memory(sizeof(DynCond));

	*copy = *cond;
	copy->args = take_memory(MAX_ARGS * sizeof(DynCond *));
	for (int i = 0; i < cond->nargs; i++)
		copy->args[i] = copy_cond(cond->args[i]);
	return copy;
}

/* The text could not be more than tokens and the words of expressions. */
static void
check_text(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		demand(dyn_is_alphanumeric(text[i]) || strchr(" _(),.=<>#:[]", text[i]) != NULL);
}

static void
render(const DynCond *cond)
{
	DynTokens  *tokens = dyn_tokens_create();
	DynBuffer	out;

	demand(tokens != NULL);
	dyn_buffer_init(&out, 0);
	if (dyn_expr_condition(tokens, cond, &out))
	{
		demand(out.len > 0 && out.len <= DYN_EXPR_MAX_BYTES);
		check_text(out.data, out.len);
		dyn_buffer_reset(&out);
		demand(dyn_tokens_write(tokens, &out) && dyn_utf8_valid(out.data, out.len));
	}
	else
		demand(out.len == 0 && !dyn_tokens_out_of_memory(tokens));
	dyn_buffer_reset(&out);
	demand(dyn_expr_condition(NULL, cond, &out));
	dyn_buffer_free(&out);
	dyn_tokens_free(tokens);
}

static bool
matches(DynCond *cond, const DynValue *slots)
{
	DynBuffer	scratch;
	bool		result;

	if (cond->kind == DYN_COND_TRUE || cond->kind == DYN_COND_FALSE)
		return cond->kind == DYN_COND_TRUE;
	dyn_buffer_init(&scratch, 0);
	demand(dyn_cond_bind(cond, paths, NPATHS));
	result = dyn_item_matches(cond, slots, &scratch);
	demand(!scratch.failed);
	dyn_buffer_free(&scratch);
	return result;
}

/* The meaning, without dyn_cond_simplify. */
static bool
means(DynCond *cond, const DynValue *slots)
{
	switch (cond->kind)
	{
		case DYN_COND_AND:
			for (int i = 0; i < cond->nargs; i++)
			{
				if (!means(cond->args[i], slots))
					return false;
			}
			return true;
		case DYN_COND_OR:
			for (int i = 0; i < cond->nargs; i++)
			{
				if (means(cond->args[i], slots))
					return true;
			}
			return false;
		case DYN_COND_NOT:
			return !means(cond->args[0], slots);
		case DYN_COND_IN:
			return cond->nvalues > 0 && matches(cond, slots);
		default:
			return matches(cond, slots);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static DynPathTree *tree;
	static DynPage page;
	Input		input = {(const char *) data, size};
	size_t		len;
	char	   *recipe = take_line(&input, &len);
	Input		of_cond = {recipe, len};
	char	   *item = take_rest(&input, &len);
	DynCond    *cond;
	DynCond    *copy;
	DynCond    *simple;
	DynValue	slots[NPATHS] = {0};
	DynPageError error;
	DynPageCursor cursor;

	if (tree == NULL)
		tree = dyn_path_tree_create(paths, NPATHS);
	nnodes = 0;
	cond = make_cond(&of_cond, 0);
	copy = copy_cond(cond);
	simple = dyn_cond_simplify(copy);
	if (simple->kind != DYN_COND_TRUE && simple->kind != DYN_COND_FALSE)
		render(simple);
	if (dyn_page_parse(&page, DYN_PARSE_ITEM, tree, item, len, &error))
	{
		dyn_page_cursor_init(&cursor, &page);
		if (dyn_page_next(&cursor, slots))
			demand(matches(simple, slots) == means(cond, slots));
	}
	while (nblocks > 0)
		free(blocks[--nblocks]);
	free(recipe);
	free(item);
	return 0;
}
