/*
 * sharing.h
 *		Finds the scans of a statement that can share a read.
 *
 * Scans that would read the same full table or index, or the same keys, send
 * the requests only once (shared.h).  They may be scans of several foreign
 * tables for the entities of one DynamoDB table, of the branches of a UNION,
 * of the subqueries of a statement, or of a parent and its own elements.
 *
 * The decision is made when the first of them begins, and does not change the
 * plan.  The access plan of that scan is read, and the requests count as its
 * own.  A filter is sent only if each of the scans has one; if items are read
 * from the table after an index, that filter must be small enough to send.  If
 * one scan reads the full table in any case, Scans of its indexes use its
 * items.
 *
 * These are not shared: scans that are executed for each row of another node,
 * scans whose keys depend on other rows, merged Queries of several partitions,
 * executions of EvalPlanQual, and scans with filters that compare two
 * attributes.
 *
 * Legal order: dyn_sharing_open for an execution, and dyn_sharing_free at the
 * end of the scan.
 */
#ifndef DYN_EXEC_SHARING_H
#define DYN_EXEC_SHARING_H

#include "input.h"
#include "items.h"

/*
 * Returns the source of the execution that begins, with input->values, if a
 * shared read serves it; else NULL.  The first scan sets up the read.  Sends
 * no request.
 */
extern DynItems *dyn_sharing_open(DynInput *input);

/* True if the requests and their read units count for another scan. */
extern bool dyn_sharing_is_paid(const DynInput *input);

/* True if one of the scans reads all items, in the same plan or subplan. */
extern bool dyn_sharing_is_full_scan(const DynInput *input);

/*
 * Returns the access plan that is read in place of the scan's index; NULL if
 * its own access plan is read.
 */
extern const DynAccess *dyn_sharing_access(const DynInput *input);

/*
 * Returns true, at the first call only, if the scan must warn about its
 * requests.
 */
extern bool dyn_sharing_warns(const DynInput *input);

extern void dyn_sharing_free(DynInput *input);

/* Figures for EXPLAIN. */
typedef struct DynSharedFigures
{
	int			scans;			/* number of scans that share the read */
	bool		table;			/* the table is read, not the index */
	const char *reading_table;	/* foreign table of the scan that reads; NULL:
								 * this scan */
} DynSharedFigures;

/* Stores the figures; false if no execution was served from a shared read. */
extern bool dyn_sharing_figures(const DynInput *input, DynSharedFigures *figures);

#endif
