/*
 * options.h
 *		The options of servers, user mappings, tables and columns.
 *
 * One static table in options.c defines every option: the objects it belongs
 * to, the values it accepts, its default, who may set it, one line of help.
 * The validator, its hints, the readers below and the test of the manual use
 * it.
 *
 * The table has no options that are not implemented.
 *
 * Readers take a List of DefElem from the catalogs; they raise PostgreSQL
 * errors only for values that the validator would have rejected.
 */
#ifndef DYN_MODEL_OPTIONS_H
#define DYN_MODEL_OPTIONS_H

#include "nodes/pg_list.h"

typedef enum DynScanPolicy
{
	DYN_SCAN_ALLOW,
	DYN_SCAN_WARN,
	DYN_SCAN_ERROR
} DynScanPolicy;

/* The option document of a column. */
typedef enum DynDocument
{
	DYN_NO_DOCUMENT,
	DYN_FULL_ITEM,
	DYN_REST_OF_ITEM
} DynDocument;

/* What a table takes from its server unless it has an option of its own. */
typedef struct DynReadOptions
{
	DynScanPolicy scan_policy;
	bool		consistent;		/* consistent_read */
	int			fetch_size;		/* 0: as many items as the service returns */

	/* what reads cost (dynamodb/units.h) */
	double		round_trip_ms;
	double		read_capacity;	/* units a second; 0: as described */
	double		read_percent;
	double		unit_cost_ms;
} DynReadOptions;

/* The value of an option as text, or NULL if it is not set. */
extern const char *dyn_option_text(List *options, const char *name);

/* Typed readers; `fallback`, or the default, is returned if the option is not set. */
extern int	dyn_option_int(List *options, const char *name, int fallback);
extern int	dyn_option_int_or_default(List *options, const char *name);
extern double dyn_option_real(List *options, const char *name, double fallback);
extern int	dyn_option_enum(List *options, const char *name,
							const char *const *words, int fallback);

extern DynDocument dyn_option_document(List *options);

/* The names in a list with commas, as char *; NIL if one is missing. */
extern List *dyn_option_names(const char *value);

/* Those that are set, the others as they are in `fallback`. */
extern DynReadOptions dyn_option_reads(List *options,
									   const DynReadOptions *fallback);
extern const DynReadOptions dyn_default_reads;

/* Validates the options of IMPORT FOREIGN SCHEMA, which no catalog has. */
extern void dyn_options_check_import(List *options);

#endif
