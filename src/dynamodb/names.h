/*
 * names.h
 *		A set of attribute names, searched by binary search.
 */
#ifndef DYN_DYNAMODB_NAMES_H
#define DYN_DYNAMODB_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* NUL-terminated UTF-8 names, sorted by bytes; duplicates are allowed. */
typedef struct DynNames
{
	int			n;
	const char **names;
} DynNames;

extern void dyn_names_sort(DynNames *names);

/* Returns true if the set has the name, which need not be NUL-terminated. */
extern bool dyn_names_have(const DynNames *names, const char *name, size_t len);

#endif
