/*
 * jsonload.h
 *		Parsing a JSON document with jansson, in spite of its way to run out of
 *		memory.
 */
#ifndef DYN_BASE_JSONLOAD_H
#define DYN_BASE_JSONLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

/*
 * As json_loadb.  NULL if the text is not JSON or memory fails, which
 * *out_of_memory tells; out_of_memory itself may be NULL.
 */
extern json_t *dyn_json_load(const char *text, size_t len, size_t flags,
							 bool *out_of_memory);

#endif
