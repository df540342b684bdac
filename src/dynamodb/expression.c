/*
 * expression.c
 *		Renders condition trees and paths as expressions.
 *
 * The same code writes requests, with placeholders for all names and values,
 * and EXPLAIN output, with the names and values themselves.
 *
 * Precedence is DynamoDB's: NOT, then AND, then OR.  Doubled parentheses are
 * an error in DynamoDB, so there are none around a comparison, and an AND in
 * an AND, or an OR in an OR, is written as one flat list.
 *
 * For requests, the renderer counts operators and bytes, and stops at the
 * limits.  The limit of operators also limits recursion, since each level adds
 * an operator: an AND or OR with one argument is replaced by the argument.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "../base/macros.h"
#include "../base/text.h"
#include "expression.h"

#define MAX_NAME_BYTES		65535	/* size of one name (bytes) */
#define MAX_NAMES_BYTES		(8 * 1024 * 1024)
#define MAX_VALUES_BYTES	(2 * 1024 * 1024)	/* size of all values */
#define PRINT_MAX_IN	5		/* values of an IN that EXPLAIN shows */

typedef struct Entry
{
	size_t		end;			/* end of the entry's JSON in Table.json */
	uint64_t	hash;			/* hash of the JSON */
} Entry;

/*
 * The names or the values of a request.  Entries are found by a linear search
 * for the hash: an expression of 4096 bytes has at most about 700 tokens, so
 * an index is not worth its cost.  Entries are added at the end, so truncating
 * the table removes the entries of an expression that could not be rendered.
 */
typedef struct Table
{
	DynBuffer	json;			/* JSON of all entries, without separators */
	Entry	   *entries;
	int			count;
	int			space;			/* number of entries allocated */
} Table;

struct DynTokens
{
	Table		names;			/* table of JSON strings */
	Table		values;			/* table of attribute values */
};

typedef struct Renderer
{
	DynTokens  *tokens;			/* tokens of the request; NULL for EXPLAIN */
	DynBuffer  *out;
	const char *comma;
	size_t		start;			/* out->len before the expression */
	int			nnames;			/* number of names before the expression */
	int			nvalues;		/* number of values before the expression */
	bool		had_failed;		/* out->failed before the expression */
	int			operators;
	bool		failed;
} Renderer;

/* ---- tokens ---- */

/* Returns the offset of entry i, which may be the next entry to be added. */
static size_t
entry_start(const Table *table, int i)
{
	return i > 0 ? table->entries[i - 1].end : 0;
}

/* Truncates the table to `count` entries, and clears table->json.failed. */
static void
table_split(Table *table, int count)
{
	table->count = count;
	table->json.len = entry_start(table, count);
	table->json.failed = false;
}

/*
 * Turns the JSON that was appended after the last entry into a new entry, or
 * removes this JSON if there is an equal entry.  Returns the number of the
 * entry, or -1 if memory runs out or the table is full.
 */
static int
table_enter(Table *table)
{
	size_t		start = entry_start(table, table->count);
	Entry		entry;
	const char *json;
	size_t		len;
	int			i;

	if (!table->json.failed && table->count == table->space)
	{
		int			space = table->space > 0 ? table->space * 2 : 16;
		Entry	   *entries = realloc(table->entries, space * sizeof(Entry));

		table->json.failed = table->json.out_of_memory = entries == NULL;
		if (entries != NULL)
		{
			table->entries = entries;
			table->space = space;
		}
	}
	if (table->json.failed)
	{
		table_split(table, table->count);
		return -1;
	}
	json = table->json.data + start;
	len = table->json.len - start;
	entry.end = table->json.len;
	entry.hash = dyn_hash_bytes(json, len);
	for (i = 0; i < table->count; i++)
	{
		size_t		begin = entry_start(table, i);

		if (table->entries[i].hash == entry.hash &&
			table->entries[i].end - begin == len &&
			memcmp(table->json.data + begin, json, len) == 0)
		{
			table_split(table, table->count);
			return i;
		}
	}
	table->entries[table->count++] = entry;
	return i;
}

DynTokens *
dyn_tokens_create(void)
{
	DynTokens  *tokens = calloc(1, sizeof(*tokens));

	if (tokens != NULL)
	{
		dyn_buffer_init(&tokens->names.json, MAX_NAMES_BYTES);
		dyn_buffer_init(&tokens->values.json, MAX_VALUES_BYTES);
	}
	return tokens;
}

void
dyn_tokens_reset(DynTokens *tokens)
{
	table_split(&tokens->names, 0);
	table_split(&tokens->values, 0);
	tokens->names.json.out_of_memory = false;
	tokens->values.json.out_of_memory = false;
}

bool
dyn_tokens_out_of_memory(const DynTokens *tokens)
{
	return tokens->names.json.out_of_memory || tokens->values.json.out_of_memory;
}

void
dyn_tokens_free(DynTokens *tokens)
{
	if (tokens == NULL)
		return;
	dyn_buffer_free(&tokens->names.json);
	dyn_buffer_free(&tokens->values.json);
	free(tokens->names.entries);
	free(tokens->values.entries);
	free(tokens);
}

/* Writes ,"member":{"#n0":...,"#n1":...}. */
static void
table_write(const Table *table, const char *member, const char *sigil,
			DynBuffer *out)
{
	if (table->count == 0)
		return;
	dyn_append_json_member(out, member);
	for (int i = 0; i < table->count; i++)
	{
		size_t		start = entry_start(table, i);

		dyn_buffer_append_str(out, i > 0 ? ",\"" : "{\"");
		dyn_buffer_append_str(out, sigil);
		dyn_append_number(out, (unsigned long) i);
		dyn_buffer_append_str(out, "\":");
		dyn_buffer_append(out, table->json.data + start,
						  table->entries[i].end - start);
	}
	dyn_buffer_append_char(out, '}');
}

bool
dyn_tokens_write(const DynTokens *tokens, DynBuffer *out)
{
	table_write(&tokens->names, "ExpressionAttributeNames", "#n", out);
	table_write(&tokens->values, "ExpressionAttributeValues", ":v", out);
	return !out->failed;
}

/* ---- names and values ---- */

static void
put(Renderer *r, const char *text)
{
	if (!dyn_buffer_append_str(r->out, text) ||
		(r->tokens != NULL && r->out->len - r->start > DYN_EXPR_MAX_BYTES))
		r->failed = true;
}

/* Enters the JSON that the table ends with; writes its placeholder. */
static void
put_token(Renderer *r, const char *sigil, Table *table)
{
	int			n = table_enter(table);

	if (n < 0)
		r->failed = true;
	else
	{
		dyn_buffer_append_str(r->out, sigil);
		dyn_append_number(r->out, (unsigned long) n);
	}
}

static void
put_name(Renderer *r, const char *name, size_t len)
{
	size_t		i = 0;

	if (r->tokens != NULL)
	{
		if (len == 0 || len > MAX_NAME_BYTES)
		{
			r->failed = true;
			return;
		}
		dyn_append_json_string(&r->tokens->names.json, name, len);
		put_token(r, "#n", &r->tokens->names);
		return;
	}
	while (i < len && (name[i] == '_' || dyn_is_alphanumeric(name[i])))
		i++;
	if (i == len && len > 0 && !(name[0] >= '0' && name[0] <= '9'))
		dyn_buffer_append(r->out, name, len);
	else
		dyn_append_json_string(r->out, name, len);
}

static void
put_value(Renderer *r, const DynScalar *value)
{
	if (r->tokens != NULL)
	{
		dyn_wire_scalar(&r->tokens->values.json, value);
		put_token(r, ":v", &r->tokens->values);
	}
	else
		dyn_scalar_print(r->out, value);
}

/* ---- paths ---- */

static void
render_path(Renderer *r, const DynPath *path)
{
	for (int i = 0; i < path->nsteps && !r->failed; i++)
	{
		const DynStep *step = &path->steps[i];

		if (step->name == NULL)
			dyn_buffer_printf(r->out, "[%lu]", (unsigned long) step->index);
		else
		{
			if (i > 0)
				put(r, ".");
			put_name(r, step->name, step->name_len);
		}
	}
}

/* ---- conditions ---- */

static void render(Renderer *r, const DynCond *cond);

static void
count_operators(Renderer *r, int n)
{
	r->operators += n;
	if (r->tokens != NULL && r->operators > DYN_EXPR_MAX_OPERATORS)
		r->failed = true;
}

static bool
is_junction(const DynCond *cond)
{
	return cond->kind == DYN_COND_AND || cond->kind == DYN_COND_OR;
}

/* Returns the condition inside of ANDs and ORs with only one argument. */
static const DynCond *
unwrap(const DynCond *cond)
{
	while (is_junction(cond) && cond->nargs == 1)
		cond = cond->args[0];
	return cond;
}

static void
render_argument(Renderer *r, DynCondKind parent, const DynCond *cond)
{
	bool		parens;

	cond = unwrap(cond);
	parens = (parent == DYN_COND_AND || parent == DYN_COND_NOT) &&
		(cond->kind == DYN_COND_OR || (cond->kind == DYN_COND_IN &&
									   r->tokens != NULL &&
									   cond->nvalues > DYN_EXPR_MAX_IN));
	if (parent == DYN_COND_NOT)
		parens |= is_junction(cond) || cond->kind == DYN_COND_NOT;
	if (parens)
		put(r, "(");
	render(r, cond);
	if (parens)
		put(r, ")");
}

static void
render_constant(Renderer *r, const DynCond *cond, const char *word)
{
	if (r->tokens != NULL)
		r->failed = true;
	put(r, word);
}

static void
render_junction(Renderer *r, const DynCond *cond, const char *word)
{
	bool		is_not = cond->kind == DYN_COND_NOT;

	if (cond->nargs == 0)
		r->failed = true;
	count_operators(r, cond->nargs - !is_not);
	for (int i = 0; i < cond->nargs && !r->failed; i++)
	{
		if (i > 0 || is_not)
			put(r, word);
		render_argument(r, cond->kind, cond->args[i]);
	}
}

static void
render_comparison(Renderer *r, const DynCond *cond, const char *word)
{
	count_operators(r, 1);
	render_path(r, cond->path);
	put(r, word);
	if (cond->path2 != NULL)
		render_path(r, cond->path2);
	else
		put_value(r, &cond->values[0]);
	if (cond->kind == DYN_COND_BETWEEN)
	{
		put(r, " AND ");
		put_value(r, &cond->values[1]);
	}
}

/* Writes one IN with values[from .. from + n - 1]. */
static void
render_in_chunk(Renderer *r, const DynCond *cond, const char *word, int from,
				int n)
{
	int			shown = n;

	if (r->tokens == NULL && n > PRINT_MAX_IN)
		shown = PRINT_MAX_IN;
	count_operators(r, 1);
	render_path(r, cond->path);
	put(r, word);
	put(r, "(");
	for (int i = 0; i < shown && !r->failed; i++)
	{
		if (i > 0)
			put(r, r->comma);
		put_value(r, &cond->values[from + i]);
	}
	if (shown < n)
		dyn_buffer_printf(r->out, ", ... (%d values)", n);
	put(r, ")");
}

static void
render_in(Renderer *r, const DynCond *cond, const char *word)
{
	int			chunk = r->tokens != NULL ? DYN_EXPR_MAX_IN : cond->nvalues;
	int			from = 0;

	if (cond->nvalues == 0)
		r->failed = true;
	while (from < cond->nvalues && !r->failed)
	{
		int			left = cond->nvalues - from;

		if (from > 0)
		{
			count_operators(r, 1);
			put(r, " OR ");
		}
		render_in_chunk(r, cond, word, from, left < chunk ? left : chunk);
		from += chunk;
	}
}

static void
render_function(Renderer *r, const DynCond *cond, const char *word)
{
	const char *name = dyn_type_name(cond->type);
	const DynScalar type = {DYN_TYPE_S, name, strlen(name)};

	count_operators(r, 1);
	put(r, word);
	put(r, "(");
	render_path(r, cond->path);
	if (cond->kind != DYN_COND_EXISTS && cond->kind != DYN_COND_NOT_EXISTS)
	{
		put(r, r->comma);
		/* a type is written as a string such as "S" */
		put_value(r, cond->kind == DYN_COND_IS_TYPE ? &type : &cond->values[0]);
	}
	put(r, ")");
}

typedef struct Kind
{
	void		(*render) (Renderer *r, const DynCond *cond, const char *word);
	const char *word;
} Kind;

static const Kind kinds[] = {
	[DYN_COND_TRUE] = {render_constant, "TRUE"},
	[DYN_COND_FALSE] = {render_constant, "FALSE"},
	[DYN_COND_AND] = {render_junction, " AND "},
	[DYN_COND_OR] = {render_junction, " OR "},
	[DYN_COND_NOT] = {render_junction, "NOT "},
	[DYN_COND_EQ] = {render_comparison, " = "},
	[DYN_COND_NE] = {render_comparison, " <> "},
	[DYN_COND_LT] = {render_comparison, " < "},
	[DYN_COND_LE] = {render_comparison, " <= "},
	[DYN_COND_GT] = {render_comparison, " > "},
	[DYN_COND_GE] = {render_comparison, " >= "},
	[DYN_COND_BETWEEN] = {render_comparison, " BETWEEN "},
	[DYN_COND_IN] = {render_in, " IN "},
	[DYN_COND_BEGINS_WITH] = {render_function, "begins_with"},
	[DYN_COND_CONTAINS] = {render_function, "contains"},
	[DYN_COND_EXISTS] = {render_function, "attribute_exists"},
	[DYN_COND_NOT_EXISTS] = {render_function, "attribute_not_exists"},
	[DYN_COND_IS_TYPE] = {render_function, "attribute_type"},
};

static void
render(Renderer *r, const DynCond *cond)
{
	assert((size_t) cond->kind < LENGTHOF(kinds));
	kinds[cond->kind].render(r, cond, kinds[cond->kind].word);
}

static Renderer
renderer(DynTokens *tokens, DynBuffer *out)
{
	return (Renderer) {
		.tokens = tokens,.out = out,.comma = tokens != NULL ? "," : ", ",
		.start = out->len,
		.nnames = tokens != NULL ? tokens->names.count : 0,
		.nvalues = tokens != NULL ? tokens->values.count : 0,
		.had_failed = out->failed,.failed = out->failed
	};
}

/* Ends an expression; if rendering failed, removes it from a request. */
static bool
finish(Renderer *r)
{
	put(r, "");					/* check the length, which only put() does */
	if (r->failed && r->tokens != NULL)
	{
		table_split(&r->tokens->names, r->nnames);
		table_split(&r->tokens->values, r->nvalues);
		r->out->len = r->start;
		r->out->failed = r->had_failed;
	}
	return r->tokens != NULL ? !r->failed : !r->out->failed;
}

bool
dyn_expr_condition(DynTokens *tokens, const DynCond *cond, DynBuffer *out)
{
	Renderer	r = renderer(tokens, out);

	if (!r.failed)
		render(&r, unwrap(cond));
	return finish(&r);
}

bool
dyn_path_print(const DynPath *path, DynBuffer *out)
{
	Renderer	r = renderer(NULL, out);

	render_path(&r, path);
	return finish(&r);
}

/* ---- updates ---- */

bool
dyn_expr_update(DynTokens *tokens, const DynPathValue *values, int n,
				DynBuffer *out)
{
	static const char *const words[] = {"SET ", "REMOVE "};
	Renderer	r = renderer(tokens, out);

	for (int absent = 0; absent <= 1; absent++)
	{
		const char *before = words[absent];

		for (int i = 0; i < n && !r.failed; i++)
		{
			if ((values[i].value.type == DYN_TYPE_ABSENT) != absent)
				continue;
			if (before == words[1] && out->len > r.start)
				put(&r, " ");
			put(&r, before);
			before = r.comma;
			render_path(&r, values[i].path);
			if (absent)
				continue;
			put(&r, " = ");
			put_value(&r, &values[i].value);
		}
	}
	return finish(&r);
}

/* ---- simplification ---- */

/* Simplifies the arguments of an AND or OR; drops those without effect. */
static DynCond *
simplify_junction(DynCond *cond)
{
	bool		is_and = cond->kind == DYN_COND_AND;
	DynCondKind deciding = is_and ? DYN_COND_FALSE : DYN_COND_TRUE;
	DynCondKind neutral = is_and ? DYN_COND_TRUE : DYN_COND_FALSE;
	int			left = 0;

	for (int i = 0; i < cond->nargs; i++)
	{
		DynCond    *arg = dyn_cond_simplify(cond->args[i]);

		if (arg->kind == deciding)
			return arg;
		if (arg->kind != neutral)
			cond->args[left++] = arg;
	}
	cond->nargs = left;
	if (left == 0)
		cond->kind = neutral;
	return left == 1 ? cond->args[0] : cond;
}

DynCond *
dyn_cond_simplify(DynCond *cond)
{
	DynCond    *arg;

	switch (cond->kind)
	{
		case DYN_COND_AND:
		case DYN_COND_OR:
			return simplify_junction(cond);
		case DYN_COND_NOT:
			arg = cond->args[0] = dyn_cond_simplify(cond->args[0]);
			if (arg->kind == DYN_COND_NOT)
				return arg->args[0];
			if (arg->kind == DYN_COND_TRUE || arg->kind == DYN_COND_FALSE)
				cond->kind = arg->kind == DYN_COND_TRUE ? DYN_COND_FALSE
					: DYN_COND_TRUE;
			return cond;
		case DYN_COND_IN:
			if (cond->nvalues == 0)
				cond->kind = DYN_COND_FALSE;
			return cond;
		default:
			return cond;
	}
}

/* ---- projections ---- */

static DynPath
projected(const DynPath *path)
{
	int			n = 0;

	while (n < path->nsteps && path->steps[n].name != NULL)
		n++;
	return (DynPath) {path->steps, n};
}

static bool
is_covered(const DynPath *paths, int npaths, int i)
{
	DynPath		path = projected(&paths[i]);

	for (int j = 0; j < npaths; j++)
	{
		DynPath		other = projected(&paths[j]);

		if ((other.nsteps < path.nsteps || j < i) && dyn_path_is_inside(&path, &other))
			return true;
	}
	return false;
}

bool
dyn_expr_projection(DynTokens *tokens, const DynPath *paths, int npaths,
					DynBuffer *out)
{
	Renderer	r = renderer(tokens, out);

	for (int i = 0; i < npaths && !r.failed; i++)
	{
		DynPath		path = projected(&paths[i]);

		assert(path.nsteps > 0);
		if (is_covered(paths, npaths, i))
			continue;
		if (out->len > r.start)
			put(&r, r.comma);
		render_path(&r, &path);
	}
	return finish(&r);
}

/* ---- fingerprint ---- */

/* Appends a tag, the length of a part (which shows its end), and the part. */
static bool
append_part(DynBuffer *out, int tag, const char *data, size_t len)
{
	return dyn_buffer_printf(out, "%d:%zu:", tag, len) &&
		(len == 0 || data == NULL || dyn_buffer_append(out, data, len));
}

bool
dyn_cond_fingerprint(const DynCond *cond, DynBuffer *out)
{
	const DynPath *paths[] = {cond->path, cond->path2};
	bool		ok = dyn_buffer_printf(out, "(%d,%d,%d,%d,", cond->kind, cond->type,
									   cond->nvalues, cond->nargs);

	for (int i = 0; i < 2 && ok; i++)
	{
		DynBuffer	text = {0};

		ok = (paths[i] == NULL || dyn_path_print(paths[i], &text)) &&
			append_part(out, paths[i] != NULL, text.data, text.len);
		dyn_buffer_free(&text);
	}
	for (int i = 0; i < cond->nvalues && ok; i++)
		ok = append_part(out, cond->values[i].type, cond->values[i].data,
						 cond->values[i].len);
	for (int i = 0; i < cond->nargs && ok; i++)
		ok = dyn_cond_fingerprint(cond->args[i], out);
	return ok && dyn_buffer_append_char(out, ')');
}
