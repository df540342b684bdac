/*
 * sharing.h
 *		Finds the scans of a statement that can share a read.
 *
 * Foreign tables for the entities of one DynamoDB table are read together.
 * Scans that would read the same full table or index, or the same keys, send
 * the requests once (shared.h).  This also holds for the branches of a UNION,
 * the subqueries of a statement, and a parent with its own elements.  It is
 * decided when the first of them begins, and changes no plan.  The first
 * scan's access plan is read, and the requests count as its own; a filter is
 * sent only if each of them has one.  Index, then base: that filter must be
 * small enough to send.  Where one scans the table in any case, Scans of its
 * indexes are served from that.
 *
 * Not shared: scans executed for each row of another node, keys that are known
 * only then, Queries of several partitions that are merged, executions of
 * EvalPlanQual, and filters that compare two attributes.
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
 * shared read serves it; else NULL.  The first of its scans sets the read up;
 * no request is sent.
 */
extern DynItems *dyn_sharing_open(DynInput *input);

/* True if another scan counts the requests and their read units. */
extern bool dyn_sharing_is_paid(const DynInput *input);

/* True if one of the scans reads all items, in the same plan or subplan. */
extern bool dyn_sharing_is_full_scan(const DynInput *input);

/*
 * Returns the access plan that is read in place of the scan's index, as others
 * need it; NULL if its own is read.
 */
extern const DynAccess *dyn_sharing_access(const DynInput *input);

/* True if the scan must warn of its requests: only at the first call. */
extern bool dyn_sharing_warns(const DynInput *input);

extern void dyn_sharing_free(DynInput *input);

/* Figures for EXPLAIN. */
typedef struct DynSharedFigures
{
	int			scans;			/* number of scans that share the read */
	bool		table;			/* the table is read, not the index */
	const char *reading_table;	/* reading scan's; NULL: this one reads */
} DynSharedFigures;

/* Stores the figures; false if no execution was served from a shared read. */
extern bool dyn_sharing_figures(const DynInput *input, DynSharedFigures *figures);

#endif
