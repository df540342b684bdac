/*
 * no_rows.h
 *		Tells that items were read, but none of them is a row.
 *
 * A template with a misspelt literal fits nothing, without an error: each item
 * may be one of another entity.
 */
#ifndef DYN_EXEC_NO_ROWS_H
#define DYN_EXEC_NO_ROWS_H

#include "scan.h"

/*
 * At the end of a Scan or Query that was read to its end: a NOTICE, once in a
 * client's statement, if the row test alone left nothing of what was read.
 */
extern void dyn_notice_no_rows(const DynScan *scan);

#endif
