/*
 * early_start.h
 *		Sends the first requests of independent scans together.
 *
 * PostgreSQL asks the nodes of a plan for rows one after the other: a join of
 * two item collections, each named by a constant, waits for the first answer
 * before the second request is sent.  When the first scan of a statement runs,
 * this starts those others that will most likely be asked for rows, too; which
 * they are is told in early_start.c.
 */
#ifndef DYN_EXEC_INDEPENDENT_H
#define DYN_EXEC_INDEPENDENT_H

#include "scan.h"

/*
 * To be called when an execution of the scan has begun; does its work once for
 * each plan and subplan of a statement.  Sends no more than the statement's
 * bounds allow.  What comes back, errors too, waits until the sibling is asked
 * for its first row.
 */
extern void dyn_independent_start(const DynScan *scan);

#endif
