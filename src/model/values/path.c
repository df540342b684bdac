/*
 * path.c
 *		Parses and builds document paths.
 *
 * A path begins with the name of a top-level attribute.  A column's path may
 * also begin with @.  Only the paths of the item, of @, of @index and of @key
 * have no steps.  All memory is allocated in CurrentMemoryContext.
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
	DynPathBase base;
	DynStep		steps[DYN_MAX_PATH_STEPS];
	int			nsteps;
	const char *why;
} PathParser;

static bool
fail(PathParser *parser, const char *why)
{
	parser->why = why;
	return false;
}

static bool
push_step(PathParser *parser, const char *name, size_t len, uint32 index)
{
	DynStep    *step;

	if (parser->nsteps == DYN_MAX_PATH_STEPS)
		return fail(parser, "A path has at most 32 steps.");
	step = &parser->steps[parser->nsteps++];
	step->name = name;
	step->name_len = len;
	step->index = index;
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

/* Parses names and indexes up to the end. */
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
		else if (*parser->p == '.')
		{
			parser->p++;
			if (!parse_name(parser))
				return false;
		}
		else
			return fail(parser, "A path looks like info.rating or tags[0]. Write unusual names in double quotes.");
	}
	return true;
}

/* Parses a path; only that of a column may begin with @. */
static bool
parse_path(PathParser *parser, const char *text, bool of_column)
{
	bool		element = of_column && *text == '@';

	parser->p = element ? text + 1 : text;
	parser->base = DYN_PATH_ITEM;
	parser->nsteps = 0;
	parser->why = NULL;
	if (!element && *text == '@')
		return fail(parser, "A path begins with the name of an attribute. Write unusual names in double quotes.");
	if (!element)
		return parse_name(parser) && parse_steps(parser);
	if (strcmp(text, "@index") == 0)
		parser->base = DYN_PATH_INDEX;
	else if (strcmp(text, "@key") == 0)
		parser->base = DYN_PATH_KEY;
	else if (text[1] != '\0' && text[1] != '.' && text[1] != '[')
		return fail(parser, "The path of an element is @, @index, @key, or looks like @.name or @[0].");
	else
		parser->base = DYN_PATH_ELEMENT;
	return parser->base != DYN_PATH_ELEMENT || parse_steps(parser);
}

/* Returns a path of these steps, with space for one more. */
static DynPath *
make_path(const DynStep *steps, int nsteps)
{
	DynPath    *path = palloc(sizeof(DynPath));
	DynStep    *copy = palloc((nsteps + 1) * sizeof(DynStep));

	if (nsteps > 0)
		memcpy(copy, steps, nsteps * sizeof(DynStep));
	path->steps = copy;
	path->nsteps = nsteps;
	return path;
}

bool
dyn_path_check(const char *text, const char **why)
{
	PathParser	parser;
	bool		ok = parse_path(&parser, text, false);

	*why = parser.why;
	return ok;
}

bool
dyn_column_path_check(const char *text, const char **why)
{
	PathParser	parser;
	bool		ok = parse_path(&parser, text, true);

	*why = parser.why;
	return ok;
}

DynPath *
dyn_column_path_parse(const char *text, DynPathBase *base)
{
	PathParser	parser;

	if (!parse_path(&parser, dyn_to_utf8(text), base != NULL))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid document path: \"%s\"", text),
				 errhint("%s", parser.why)));
	if (base != NULL)
		*base = parser.base;
	return make_path(parser.steps, parser.nsteps);
}

DynPath *
dyn_path_parse(const char *text)
{
	return dyn_column_path_parse(text, NULL);
}

DynPath *
dyn_path_of_item(void)
{
	return make_path(NULL, 0);
}

DynPath *
dyn_path_extend(const DynPath *path, const char *name)
{
	DynPath    *longer = make_path(path->steps, path->nsteps);

	unconstify(DynStep *, longer->steps)[longer->nsteps++] =
		(DynStep) {pstrdup(name), strlen(name), 0};
	return longer;
}

/* Path of a top-level attribute, the most common path, in one allocation. */
typedef struct AttributePath
{
	DynPath		path;
	DynStep		step;
	char		name[FLEXIBLE_ARRAY_MEMBER];
} AttributePath;

DynPath *
dyn_path_of_attribute(const char *name)
{
	size_t		len = strlen(name);
	AttributePath *made = palloc(offsetof(AttributePath, name) + len + 1);

	memcpy(made->name, name, len + 1);
	made->step = (DynStep) {made->name, len, 0};
	made->path = (DynPath) {&made->step, 1};
	return &made->path;
}

int
dyn_path_position(const DynPath *path, const DynPath *paths, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (dyn_path_equal(&paths[i], path))
			return i;
	}
	return -1;
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
