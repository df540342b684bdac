/*
 * input.h
 *		Input of a scan: the scan descriptor, the run-time values, and the
 *		openers.  Each execution tries the openers one after the other, until
 *		one of them opens a source of the execution's items.
 *
 * An input is part of the scan's state (DynScan).  DynStatement lists a
 * statement's inputs, so that scans of the same items find each other.
 */
#ifndef DYN_EXEC_INPUT_H
#define DYN_EXEC_INPUT_H

#include "nodes/execnodes.h"

#include "../../plan/keys/match_keys.h"
#include "../../plan/tree/plantree.h"
#include "../statement/values.h"
#include "items.h"

struct DynMember;
struct ExplainState;

typedef struct DynOpener
{
	/*
	 * Opens a source, in CurrentMemoryContext, for an execution with
	 * input->values.  Returns NULL if a later opener must serve the execution.
	 * `open` itself is NULL for an opener that has only other callbacks.
	 */
	DynItems   *(*open) (void *state);

	/* Called first at a rescan, before input->values change; or NULL. */
	void		(*rescan) (void *state);

	/* Adds figures to EXPLAIN ANALYZE; NULL: there are none. */
	void		(*explain) (const void *state, struct ExplainState *es);

	/* Called at the end of the scan; NULL: not needed. */
	void		(*free) (void *state);

	bool		only_compares;	/* true if `open` only compares the run-time
								 * values, and keeps no pointer to them after
								 * it returns */
	void	   *state;
} DynOpener;

typedef struct DynInput
{
	ForeignScanState *node;
	DynScanDesc *scandesc;
	List	   *openers;		/* list of DynOpener *, tried in this order */

	/* run-time values */
	List	   *exprs;			/* list of ExprState */
	List	   *conversions;	/* list of DynConversion * */
	DynValues	values;			/* values of the current execution */
	DynValues	next_values;	/* values of an execution that has not begun
								 * (prefetching, sharing) */

	/* executions */
	MemoryContext run_context;	/* context of one execution */
	bool		running;
	DynItems   *items;			/* source of the current execution, or NULL */
	bool		finished;		/* true if the source has returned all rows */
	bool		reading;		/* true while rows are read from the source,
								 * and still true if reading them has failed */
	bool		ahead;			/* true from the time when start_early (scan.c)
								 * begins the execution until the executor
								 * fetches its first row */
	double		found;			/* number of rows returned by the execution */
	bool		begun;			/* true if any execution has fetched a row */
	bool		has_prefetcher; /* true if a lookup join node prefetches */
	bool		requested;		/* true if an execution has sent requests, or
								 * used those of a shared read */
	bool		runs_once;		/* true if the read may be bounded, because the
								 * scan is executed only once (DynReadBound) */
	uint64		fallbacks;		/* number of executions, or arms of an OR, that
								 * read the table in place of an index */

	struct DynMember *member;	/* member of a shared read, or NULL */
	bool		was_member;		/* true if an execution used a shared read */
	bool		reads_alone;	/* true if the scan cannot share a read */
} DynInput;

/*
 * Adds a copy of an opener, in CurrentMemoryContext.  Openers with
 * `only_compares` come first: if one of them serves an execution, the run-time
 * values need not be copied.
 */
static inline void
dyn_input_add_opener(DynInput *input, const DynOpener *opener)
{
	DynOpener  *copy = palloc(sizeof(DynOpener));

	*copy = *opener;
	input->openers = opener->only_compares ? lcons(copy, input->openers)
		: lappend(input->openers, copy);
}

/*
 * Each of the following functions adds an opener, if the access plan permits
 * it.
 *
 *		united.c	reads the arms of an OR, and returns each row once
 *		caching.c	uses items that an earlier execution has received
 *		sharing.c	uses items that are received for several scans
 *		requested.c	sends the requests of the access plan
 *
 * dyn_add_caching returns its cache, or NULL if the read must not be cached.
 * For a fallback, the caller passes this cache to dyn_start_fallback, which
 * opens the source of cached items itself, so `open` is NULL.
 */
extern void dyn_add_united(DynInput *input);
extern struct Caching *dyn_add_caching(DynInput *input, DynScanDesc *scandesc);
extern void dyn_add_sharing(DynInput *input);
extern void dyn_add_requested(DynInput *input);

/*
 * Starts a fallback, which reads the table in place of an index.  Applies
 * scan_policy.  Returns the source, in CurrentMemoryContext.  From the scan's
 * second fallback on, the source may use `caching`, if this is not NULL.
 */
extern DynItems *dyn_start_fallback(DynInput *input, DynScanDesc *scandesc,
									struct Caching *caching,
									const DynResolvedAccess *resolved);

/*
 * Must be called before the statement `writing` writes to the DynamoDB table
 * of `relation`.  Reads and stores the remaining rows of open scans of this
 * table in other statements: cursors, and statements that called the function
 * in which `writing` runs.  Raises the errors of the scans that are read.
 */
extern void dyn_inputs_read_rest(const DynStatement *writing,
								 const DynRelation *relation);

/* Evaluates the scan's expressions into `values`, in CurrentMemoryContext. */
static inline void
dyn_input_evaluate(DynInput *input, DynValues *values)
{
	dyn_values_evaluate(values, input->exprs, input->conversions,
						input->node->ss.ps.ps_ExprContext);
}

/*
 * Returns true if the access plan has `ability`, no execution has sent
 * requests, and no node prefetches for the scan.
 */
static inline bool
dyn_input_can(const DynInput *input, DynAccessAbility ability)
{
	return !input->requested && !input->has_prefetcher &&
		dyn_access_can(input->scandesc->access, ability);
}

/*
 * Returns true if the planned index has all items that an execution with these
 * values selects.  If not, the execution must read the table instead.
 */
static inline bool
dyn_input_is_complete(const DynInput *input, const DynValues *values)
{
	const DynScanDesc *scandesc = input->scandesc;

	return dyn_index_conditions_hold(scandesc->access, scandesc->relation,
									 values->values, values->nulls);
}

/* Returns the plan or subplan that contains the scan. */
static inline Plan *
dyn_input_tree(const DynInput *input)
{
	return dyn_plan_tree_of(input->node->ss.ps.state->es_plannedstmt,
							input->node->ss.ps.plan);
}

#endif
