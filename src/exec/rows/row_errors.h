/*
 * row_errors.h
 *		Raises errors for items and values that do not match their foreign
 *		table.
 *
 * The errors name the table, the column or attribute, and the item's key,
 * which is requested if it was not read.
 */
#ifndef DYN_EXEC_ROW_ERRORS_H
#define DYN_EXEC_ROW_ERRORS_H

#include "../../base/attributes.h"
#include "rows.h"
#include "template_parts.h"

/* Reports a mismatched value of the column in the current item. */
DYN_NORETURN extern void dyn_report_mismatch(DynRows *rows, const DynValue *value,
											 const DynColumn *column,
											 const char *why);

/*
 * Reports a value that cannot be unnested, since it is not a list, set or map.
 */
DYN_NORETURN extern void dyn_report_scalar(const DynRows *rows,
										   const DynValue *value);

/* Reports that the rows' column `i` is NULL, but declared NOT NULL. */
DYN_NORETURN extern void dyn_report_null(DynRows *rows, int i);

/* Reports that the attribute matches its template in several ways. */
DYN_NORETURN extern void dyn_report_ambiguous(const DynRows *rows,
											  const DynValue *values,
											  const char *attribute);

/*
 * Reports a part of the current item that is not in its enumeration, or cannot
 * be a value of its column.
 */
DYN_NORETURN extern void dyn_report_placeholder_mismatch(DynRows *rows,
														 const DynMismatch *mismatch);

#endif
