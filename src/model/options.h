/*
 * options.h
 *		The options of servers, user mappings, tables and columns.
 *
 * One static table in options.c names every option: where it stands, what it
 * accepts, its default, who may set it, one line of help.  The validator, its
 * hints, the readers below and the manual's test derive from it.
 *
 * An option is accepted only once it works.
 *
 * Readers take a List of DefElem as the catalogs give it; they raise
 * PostgreSQL errors only for values that the validator would have refused.
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

/* The words of scan_policy in the order of the enum, NULL at the end. */
extern const char *const dyn_scan_policy_names[];

/* The value of an option as text, or NULL if it is not set. */
extern const char *dyn_option_text(List *options, const char *name);

/* Typed readers; `fallback` is what holds when it is not set. */
extern int	dyn_option_int(List *options, const char *name, int fallback);
extern double dyn_option_real(List *options, const char *name, double fallback);
extern bool dyn_option_bool(List *options, const char *name, bool fallback);
extern int	dyn_option_enum(List *options, const char *name,
							const char *const *words, int fallback);

/* The default from the table, for integers. */
extern int	dyn_option_default_int(const char *name);

#endif
