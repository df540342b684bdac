/*
 * path.c
 *		Parses and builds document paths.
 *
 * All memory is allocated in CurrentMemoryContext.
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "../../dynamodb/expression.h"
#include "../server/encoding.h"
#include "../server/memory.h"
#include "path.h"

typedef struct PathParser
{
	const char *p;
	DynStep		steps[DYN_MAX_PATH_STEPS];
	int			nsteps;
	const char **why;
} PathParser;

static bool
fail(PathParser *parser, const char *why)
{
	*parser->why = why;
	return false;
}

static bool
push_step(PathParser *parser, const char *name, size_t len, uint32 index)
{
	if (parser->nsteps == DYN_MAX_PATH_STEPS)
		return fail(parser, "A path has at most 32 steps.");
	parser->steps[parser->nsteps++] = (DynStep) {name, len, index};
	return true;
}

static bool
parse_name(PathParser *parser)
{
	const char *start = parser->p;
	StringInfoData name;
	bool		closed = false;

	if (*start == '"')
	{
		initStringInfo(&name);
		for (parser->p++; *parser->p != '\0'; parser->p++)
		{
			closed = (*parser->p == '"' && *++parser->p != '"');
			if (closed)
				break;
			appendStringInfoChar(&name, *parser->p);
		}
		if (!closed || name.len == 0)
			return fail(parser, "A quoted name must not be empty and ends with a double quote.");
		return push_step(parser, name.data, name.len, 0);
	}
	while (isalnum((unsigned char) *parser->p) || *parser->p == '_' ||
		   *parser->p == '-' || IS_HIGHBIT_SET(*parser->p))
		parser->p++;
	if (parser->p == start)
		return fail(parser, "A path looks like info.rating or tags[0]. Write unusual names in double quotes.");
	return push_step(parser, pnstrdup(start, parser->p - start),
					 parser->p - start, 0);
}

static bool
parse_steps(PathParser *parser)
{
	while (*parser->p != '\0')
	{
		if (*parser->p == '[')
		{
			char	   *end;
			unsigned long index = strtoul(parser->p + 1, &end, 10);

			if (!isdigit((unsigned char) parser->p[1]) || *end != ']' || index > 1000000)
				return fail(parser, "A list index is a number in brackets, such as tags[0].");
			parser->p = end + 1;
			if (!push_step(parser, NULL, 0, (uint32) index))
				return false;
		}
		else if (*parser->p++ != '.')
			return fail(parser, "A path looks like info.rating or tags[0]. Write unusual names in double quotes.");
		else if (!parse_name(parser))
			return false;
	}
	return true;
}

/* Returns a path of these steps, with space for one more. */
static DynPath *
make_path(const DynStep *steps, int nsteps)
{
	DynPath    *path = palloc(sizeof(DynPath) + (nsteps + 1) * sizeof(DynStep));
	DynStep    *copy = (DynStep *) (path + 1);

	if (nsteps > 0)
		memcpy(copy, steps, nsteps * sizeof(DynStep));
	path->steps = copy;
	path->nsteps = nsteps;
	return path;
}

DynPath *
dyn_path_parse(const char *text, DynPathBase *base, const char **why)
{
	PathParser	parser = {.p = dyn_to_utf8(text), .why = why};
	bool		ok = true;

	if (*parser.p != '@')
		ok = parse_name(&parser) && parse_steps(&parser);
	else if (base == NULL)
		ok = fail(&parser, "A path begins with the name of an attribute. Write unusual names in double quotes.");
	else
	{
		parser.p++;
		*base = strcmp(parser.p, "index") == 0 ? DYN_PATH_INDEX
			: strcmp(parser.p, "key") == 0 ? DYN_PATH_KEY : DYN_PATH_ELEMENT;
		if (*base == DYN_PATH_ELEMENT)
			ok = *parser.p == '\0' || *parser.p == '.' || *parser.p == '['
				? parse_steps(&parser)
				: fail(&parser, "The path of an element is @, @index, @key, or looks like @.name or @[0].");
	}
	return ok ? make_path(parser.steps, parser.nsteps) : NULL;
}

DynPath *
dyn_path_of_item(void)
{
	return make_path(NULL, 0);
}

DynPath *
dyn_path_of_attribute(const char *name)
{
	return make_path(&(DynStep) {pstrdup(name), strlen(name), 0}, 1);
}

DynPath *
dyn_path_extend(const DynPath *path, const char *name)
{
	DynPath    *longer = make_path(path->steps, path->nsteps);

	unconstify(DynStep *, longer->steps)[longer->nsteps++] =
		(DynStep) {pstrdup(name), strlen(name), 0};
	return longer;
}

bool
dyn_path_is_attribute(const DynPath *path, const char *name)
{
	return path->nsteps == 1 && strcmp(path->steps[0].name, name) == 0;
}

const char *
dyn_path_text(const DynPath *path)
{
	DynBuffer	text;

	dyn_buffer_init(&text, 0);
	dyn_path_print(path, &text);
	return dyn_take_text(&text);
}
