/*
 * no_rows.h
 *		Reports that items were read, but none of them is a row.
 *
 * A template with a misspelt literal matches no item, without an error: each
 * item may belong to another entity.
 */
#ifndef DYN_EXEC_NO_ROWS_H
#define DYN_EXEC_NO_ROWS_H

#include "scan.h"

/*
 * Sends a NOTICE at the end of a Scan or Query that was read to its end, if
 * the item filter alone removed every item that was read.  Once in a client's
 * statement.
 */
extern void dyn_notice_no_rows(const DynScan *scan);

#endif
