/*
 * json_option.h
 *		Options whose value is a JSON object: attributes, and something of each.
 *
 * jansson checks the text, since it tells where an error is, and finds names
 * that occur twice; jsonb holds its numbers exactly.
 */
#ifndef DYN_MODEL_JSON_OPTION_H
#define DYN_MODEL_JSON_OPTION_H

#include "utils/jsonb.h"

/*
 * The object in the text, if it has a member and no name twice; otherwise NULL,
 * with a hint in *why that ends with `example`.
 */
extern Jsonb *dyn_json_option_check(const char *text, const char *example,
									const char **why);

/* The object in a text that was checked before. */
extern Jsonb *dyn_json_option_parse(const char *text);

/* The text of a string, in UTF-8 and NUL-terminated. */
extern char *dyn_json_option_text(const JsonbValue *string, size_t *len);

#endif
