/*
 * jsonload.h
 *		Parses JSON with jansson, and detects its failed allocations.
 */
#ifndef DYN_BASE_JSONLOAD_H
#define DYN_BASE_JSONLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "buffer.h"

/*
 * Parses JSON text, as json_loadb does; returns NULL on failure.  Unless
 * `out_of_memory` is NULL, sets *out_of_memory to whether memory ran out.
 */
extern json_t *dyn_json_load(const char *text, size_t len, size_t flags,
							 bool *out_of_memory);

#endif
