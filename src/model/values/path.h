/*
 * path.h
 *		The column option "path" and the table option "unnest": document
 *		paths in user syntax.
 *
 * info.rating is a member of the map "info", and tags[0] is the first element
 * of the list "tags".  A name with characters other than letters, digits,
 * underscore and hyphen is written in double quotes; quotes in it are doubled.
 *
 * A column of an unnested table may show the element of the row: @ is the
 * element, @.name and @[0] are values inside the element, @index is the
 * element's position in a list, and @key is its name in a map.
 */
#ifndef DYN_MODEL_PATH_H
#define DYN_MODEL_PATH_H

#include "../../dynamodb/page.h"

#define DYN_MAX_PATH_STEPS	32	/* DynamoDB's limit for nesting and paths */

/*
 * Name of a pseudo-attribute, whose value is the number of the Scan segment
 * that contains the item.  No attribute has an empty name.  The value is never
 * requested, but set by exec/fetch/fetch.c.
 */
#define DYN_SEGMENT_NAME	""

/* Start of a column's path. */
typedef enum DynPathBase
{
	DYN_PATH_ITEM,				/* no prefix: an attribute of the item */
	DYN_PATH_ELEMENT,			/* @: the unnested element */
	DYN_PATH_INDEX,				/* @index: no path follows */
	DYN_PATH_KEY				/* @key: no path follows */
} DynPathBase;

/*
 * Returns a parsed path, in CurrentMemoryContext; NULL with a hint in *why if
 * `text` is not a path.  The text is in the database's encoding, like all
 * options; names in paths are always UTF-8.  If the text begins with @, sets
 * *base; if `base` is NULL, @ is not allowed.
 */
extern DynPath *dyn_path_parse(const char *text, DynPathBase *base,
							   const char **why);

/* Returns the path of the top-level attribute with this name (UTF-8). */
extern DynPath *dyn_path_of_attribute(const char *name);

extern DynPath *dyn_path_of_item(void);

/* Returns a copy of `path` with one more member name (UTF-8) appended. */
extern DynPath *dyn_path_extend(const DynPath *path, const char *name);

extern bool dyn_path_is_attribute(const DynPath *path, const char *name);

/* Returns the path's text for messages, in the database's encoding. */
extern const char *dyn_path_text(const DynPath *path);

#endif
