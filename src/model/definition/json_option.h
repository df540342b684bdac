/*
 * json_option.h
 *		Parses options whose value is a JSON object with an attribute name
 *		as each key.
 *
 * The text is checked with jansson, which reports the position of an error and
 * finds duplicate names, and parsed as jsonb, which keeps numbers exact.
 */
#ifndef DYN_MODEL_JSON_OPTION_H
#define DYN_MODEL_JSON_OPTION_H

#include "utils/jsonb.h"

#include "../../base/attributes.h"

/*
 * Returns the object if it has members and no duplicate names.  Otherwise
 * returns NULL, with a hint in *why, in which `example` is a valid object.
 */
extern Jsonb *dyn_json_option_check(const char *text, const char *example,
									const char **why);

/* Returns the object in a text that was checked before. */
extern Jsonb *dyn_json_option_parse(const char *text);

/* Returns a palloc'd copy of a string in UTF-8, with NUL; sets *len. */
extern char *dyn_json_option_text(const JsonbValue *string, size_t *len);

/* Raises the error that the value of any option is not valid. */
DYN_NORETURN extern void dyn_option_invalid(const char *name, const char *value,
											const char *why);

#endif
