/*
 * path.h
 *		The column option "path" and the table option "unnest": document paths
 *		in user syntax.
 *
 * info.rating is the member rating of the map info, tags[0] the first element
 * of the list tags.  A name with characters other than letters, digits,
 * underscore and hyphen is written in double quotes, with quotes in it
 * doubled.
 *
 * A column of an unnested table may show the element instead: @ is the element,
 * @.name and @[0] are places below it, @index is its position in a list, @key
 * its name in a map.
 */
#ifndef DYN_MODEL_PATH_H
#define DYN_MODEL_PATH_H

#include "../../dynamodb/page.h"

#define DYN_MAX_PATH_STEPS	32	/* DynamoDB's limit of nesting and of paths */

/* What a column's path begins with. */
typedef enum DynPathBase
{
	DYN_PATH_ITEM,				/* an attribute */
	DYN_PATH_ELEMENT,			/* @ */
	DYN_PATH_INDEX,				/* @index: no path follows */
	DYN_PATH_KEY				/* @key: no path follows */
} DynPathBase;

/* True if it is a path; otherwise *why is a hint (palloc'd or static). */
extern bool dyn_path_check(const char *text, const char **why);

/* The same for the path of a column, which may begin with @. */
extern bool dyn_column_path_check(const char *text, const char **why);

/*
 * Parses into CurrentMemoryContext; raises an error for what is not a path.
 * The text is in the database's encoding, as options are; names in paths are
 * always UTF-8.
 */
extern DynPath *dyn_path_parse(const char *text);

/* Likewise of a column; that of an element may have no steps. */
extern DynPath *dyn_column_path_parse(const char *text, DynPathBase *base);

/* The path of the top-level attribute with this name; UTF-8. */
extern DynPath *dyn_path_of_attribute(const char *name);

/* The path of the item itself. */
extern DynPath *dyn_path_of_item(void);

/* A copy of `path` with one more member name appended; UTF-8. */
extern DynPath *dyn_path_extend(const DynPath *path, const char *name);

extern bool dyn_path_equal(const DynPath *a, const DynPath *b);

/* The position of the path among so many; -1 if it is none of them. */
extern int	dyn_path_position(const DynPath *path, const DynPath *paths, int n);

/* Is it the attribute `name` itself? */
extern bool dyn_path_is_attribute(const DynPath *path, const char *name);

/* For people, in the database's encoding. */
extern const char *dyn_path_text(const DynPath *path);

#endif
