/*
 * jsoncheck.h
 *		Checks a JSON text that a user wrote.
 *
 * Apart from jsonload.h, since jansson's header cannot be included beside
 * PostgreSQL's.
 */
#ifndef DYN_BASE_JSONCHECK_H
#define DYN_BASE_JSONCHECK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Is the UTF-8 text JSON, with no name twice in an object?  If not, *fault is
 * what is wrong and where, malloc'd, or NULL if memory runs out.
 */
extern bool dyn_json_check(const char *text, size_t len, char **err);

#endif
