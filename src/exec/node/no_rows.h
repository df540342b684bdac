/*
 * no_rows.h
 *		Reports that items were read, but none of them is a row.
 *
 * A template with a misspelled literal matches no item, without an error: each
 * item may belong to another entity.
 */
#ifndef DYN_EXEC_NO_ROWS_H
#define DYN_EXEC_NO_ROWS_H

#include "scan.h"

/*
 * Sends a NOTICE if a Scan or Query was read to its end, and the item filter
 * alone removed every item.  To be called at the end of the scan; sends one
 * NOTICE for each statement of a client.
 */
extern void dyn_notice_no_rows(const DynScan *scan);

#endif
