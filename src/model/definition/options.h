/*
 * options.h
 *		The options of servers, user mappings, tables and columns.
 *
 * A static table in options.c defines every option.  The functions below take
 * a List of DefElem from the catalogs.  They do not report invalid values,
 * because the validator has rejected these.
 */
#ifndef DYN_MODEL_OPTIONS_H
#define DYN_MODEL_OPTIONS_H

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "../../base/macros.h"

typedef enum DynScanPolicy
{
	DYN_SCAN_ALLOW,
	DYN_SCAN_WARN,
	DYN_SCAN_ERROR
} DynScanPolicy;

/* The option "document" of a column. */
typedef enum DynDocument
{
	DYN_NO_DOCUMENT,
	DYN_FULL_ITEM,
	DYN_REST_OF_ITEM
} DynDocument;

/* Options that a table inherits from its server unless the table sets them. */
typedef struct DynReadOptions
{
	DynScanPolicy scan_policy;
	double		preview_units;	/* read units that a LIMIT scan may use under
								 * scan_policy 'error'; 0: none */
	bool		consistent;		/* option consistent_read */
	int			fetch_size;		/* items per page; 0: chosen by DynamoDB */

	/* cost of reads (dynamodb/units.h) */
	double		round_trip_ms;
	double		read_capacity;	/* units per second; 0: from DescribeTable */
	double		read_percent;
	double		unit_cost_ms;
} DynReadOptions;

/* Returns the value of an option as text, or NULL if it is not set. */
extern const char *dyn_option_text(List *options, const char *name);

/*
 * These functions return an option's typed value or, if it is not set, return
 * `fallback` (dyn_option_int_or_default: the default in the option table).
 * dyn_option_enum returns a position in `words`, which ends with NULL.
 */
extern int	dyn_option_int(List *options, const char *name, int fallback);
extern int	dyn_option_int_or_default(List *options, const char *name);
extern bool dyn_option_bool(List *options, const char *name, bool fallback);
extern double dyn_option_real(List *options, const char *name, double fallback);
extern int	dyn_option_enum(List *options, const char *name,
							const char *const *words, int fallback);

extern DynDocument dyn_option_document(List *options);

/* Splits a comma-separated list into names (char *); NIL if one is empty. */
extern List *dyn_option_names(const char *value);

/* Returns the read options; those that are not set come from `fallback`. */
extern DynReadOptions dyn_option_reads(List *options,
									   const DynReadOptions *fallback);
extern const DynReadOptions dyn_default_reads;

/* Raises the error that the value of the option `name` is not valid. */
DYN_NORETURN extern void dyn_option_invalid(const char *name, const char *value,
											const char *why);

/* Validates options of IMPORT FOREIGN SCHEMA, which core does not validate. */
extern void dyn_options_check_import(List *options);

/*
 * ---- JSON objects with an attribute name as each key (json_option.c) ----
 *
 * jansson checks the text, because it reports the position of an error and
 * finds duplicate names.  jsonb parses the text, because it keeps numbers exact.
 */

/*
 * Returns the object if it has members and no duplicate names.  Otherwise
 * returns NULL, with a hint in *why that shows `example`, a valid object.
 */
extern Jsonb *dyn_json_option_check(const char *text, const char *example,
									const char **why);

/* Returns the object in a text that dyn_json_option_check has accepted. */
extern Jsonb *dyn_json_option_parse(const char *text);

/* Returns the string in UTF-8, palloc'd and with a NUL; sets *len. */
extern char *dyn_json_option_text(const JsonbValue *string, size_t *len);

#endif
