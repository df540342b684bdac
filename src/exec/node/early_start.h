/*
 * early_start.h
 *		Sends the first requests of independent scans together.
 *
 * PostgreSQL requests rows from the nodes of a plan one after the other.  A
 * join of two item collections, each with a constant key, would wait for the
 * first response before the second request is sent.  When the first scan of a
 * statement runs, this starts the other scans that will very likely be read as
 * well; early_start.c defines which scans qualify.
 */
#ifndef DYN_EXEC_EARLY_START_H
#define DYN_EXEC_EARLY_START_H

#include "scan.h"

/*
 * Starts the other scans; to be called when an execution of the scan has
 * begun.  Does so once for each plan and subplan of a statement, within the
 * statement's limits.  Responses, including errors, wait until the first row
 * of their scan is requested.
 */
extern void dyn_start_early(const DynScan *scan);

#endif
