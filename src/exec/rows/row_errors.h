/*
 * row_errors.h
 *		The errors of items and values that do not fit their foreign table.
 *
 * They name the table, the column, and the item by its key, which is asked for
 * if it was not read.
 */
#ifndef DYN_EXEC_ROW_ERRORS_H
#define DYN_EXEC_ROW_ERRORS_H

#include "../../base/attributes.h"
#include "rows.h"
#include "template_parts.h"

/* A value of the column, of the item in hand. */
DYN_NORETURN extern void dyn_report_mismatch(DynRows *rows, const DynValue *value,
											 const DynColumn *column,
											 const char *why);

/* What is to be unnested is no list, set or map. */
DYN_NORETURN extern void dyn_report_scalar(const DynRows *rows,
										   const DynValue *value);

/* The rows' column i is NULL, and declared NOT NULL. */
DYN_NORETURN extern void dyn_report_null(DynRows *rows, int i);

/* The attribute fits its template in several ways. */
DYN_NORETURN extern void dyn_report_ambiguous(const DynRows *rows,
											  const DynValue *values,
											  const char *attribute);

/* A part of the item in hand is no value of its column. */
DYN_NORETURN extern void dyn_report_placeholder_mismatch(DynRows *rows,
														 const DynMismatch *mismatch);

#endif
