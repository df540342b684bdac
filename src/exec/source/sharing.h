/*
 * sharing.h
 *		Finds the scans of a statement that can share a read.
 *
 * Foreign tables that show the entities of one DynamoDB table are read together:
 * scans that would read the same, a whole table or index, or the same keys, send
 * the requests once (shared.h).  (So do the branches of
 * a UNION and the subqueries of a statement, and a parent with its own elements.)
 * It is decided when the first of them begins, and changes no plan.  That one's
 * access plan is read, and the requests count as its own; there is a filter only
 * if each of them has one.  Index, then base: that filter has to fit.  Where one
 * scans the table in any case, Scans of its indexes are served from that.
 *
 * Not shared: what is executed for each row of another node, keys that are known
 * only then, Queries of several partitions that are merged, executions of
 * EvalPlanQual, and filters that compare two attributes.
 *
 * Legal order: dyn_sharing_open for an execution, and dyn_sharing_free at the end
 * of the scan.
 */
#ifndef DYN_EXEC_SHARING_H
#define DYN_EXEC_SHARING_H

#include "input.h"
#include "items.h"

/*
 * The source of the execution that begins, with input->values, if it is answered
 * from a shared read; else NULL.  For the first of its scans the read is set up;
 * nothing is sent.
 */
extern DynItems *dyn_sharing_open(DynInput *input);

/* Does another scan stand for the requests, so that it adds no read units? */
extern bool dyn_sharing_is_paid(const DynInput *input);

/* Does one of the scans read all there is, in the same plan or subplan? */
extern bool dyn_sharing_is_full_scan(const DynInput *input);

/* What is read in place of the scan's index, as others need it; NULL: nothing. */
extern const DynAccess *dyn_sharing_access(const DynInput *input);

/* Must the scan warn of its requests?  Only the first that asks must. */
extern bool dyn_sharing_warns(const DynInput *input);

extern void dyn_sharing_free(DynInput *input);

/* For EXPLAIN. */
typedef struct DynSharedFigures
{
	int			scans;			/* that the read is for */
	bool		table;			/* the reader reads it in place of its index */
	const char *scandesc;		/* foreign table of the scan that reads; NULL:
								 * this scan does */
} DynSharedFigures;

/* False if no execution was answered from a shared read. */
extern bool dyn_sharing_figures(const DynInput *input, DynSharedFigures *figures);

#endif
