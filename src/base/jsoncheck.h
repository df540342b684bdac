/*
 * jsoncheck.h
 *		Checks a JSON text that a user wrote.
 *
 * This is not in jsonload.h, since jansson's header cannot be included
 * together with PostgreSQL's.
 */
#ifndef DYN_BASE_JSONCHECK_H
#define DYN_BASE_JSONCHECK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns true if the UTF-8 text is JSON without duplicate names in an object.
 * Otherwise *err is a malloc'd text that describes the error and its position,
 * or NULL if memory runs out.
 */
extern bool dyn_json_check(const char *text, size_t len, char **err);

#endif
