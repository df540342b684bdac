/*
 * names.h
 *		A set of attribute names.
 */
#ifndef DYN_DYNAMODB_NAMES_H
#define DYN_DYNAMODB_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* UTF-8, terminated; sorted by their bytes, maybe with doubles. */
typedef struct DynNames
{
	int			n;
	const char **names;
} DynNames;

extern void dyn_names_sort(DynNames *names);

/* Is it one of them?  The name need not be terminated. */
extern bool dyn_names_have(const DynNames *names, const char *name, size_t len);

#endif
