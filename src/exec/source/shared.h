/*
 * shared.h
 *		Shares one read among members.
 *
 * The members are either several scans of a statement (sharing.c), or one
 * scan, which is opened again for each of its executions (caching.c).
 *
 * The requests return every attribute that any member needs, and at least the
 * items that any member's filters select.  The members evaluate their filters
 * as DynamoDB would (dynamodb/item_match.c).  So each member gets the same
 * rows, and the same errors, as with requests of its own.  Members progress
 * independently: items that a member has not reached, or may read again, are
 * stored in a tuplestore, which uses a temporary file beyond work_mem.  When a
 * member needs more items, the read continues where it stopped.
 *
 * Legal order of calls:
 *
 *		dyn_member_init, dyn_shared_add		for each member
 *		dyn_shared_limit_parts				once, after the last member
 *		dyn_shared_start					sets up the read
 *		dyn_member_open						for each member; for a single member,
 *											any number of times
 *		dyn_shared_stop						at any time; then only dyn_shared_start
 */
#ifndef DYN_EXEC_SHARED_H
#define DYN_EXEC_SHARED_H

#include "input.h"

typedef enum DynMemberState
{
	DYN_MEMBER_WAITS,			/* not opened yet */
	DYN_MEMBER_OPEN,
	DYN_MEMBER_LEFT				/* reads no more items */
} DynMemberState;

typedef struct DynSharedRead
{
	List	   *members;		/* list of DynMember *; the requests follow
								 * the access plan of the first one */
	DynRows    *rows;			/* row conversion of the first member, with
								 * slots for all members' attributes */

	bool		warned;			/* true if a member has warned of the Scan */

	/* set by dyn_shared_start, until dyn_shared_stop */
	MemoryContext context;
	DynItems   *items;			/* source; NULL if no items are left */
	DynValue   *slots;			/* slots of the last item read */
	struct Tuplestorestate *stored; /* stored items (item_record.h), or NULL */
	TupleTableSlot *tuple;		/* slot for a stored item */
	uint64		nstored;
	uint64		stored_bytes;
	int			taken;			/* items taken since the last trim */
} DynSharedRead;

typedef struct DynMember
{
	DynItems	items;			/* source of the member (must be first) */
	DynInput   *input;
	DynSharedRead *read;
	int			number;			/* position among the read's members, and
								 * number of the read pointer in `stored` */
	DynMemberState state;

	/* the run-time values */
	DynValues	values;
	bool		awaits_values;	/* true if filters need the value of an
								 * initplan that has not run yet */
	DynResolvedAccess resolved; /* resolved own_access */

	/* set by the creator */
	bool		expected;		/* true if the scan will be executed unless
								 * another input of a join is empty */
	bool		may_rewind;

	/* the scan's access plan, divided in two */
	DynAccess	own_access;		/* access plan without the member's filters */
	DynAccess	filters;		/* access plan with only the filters */
	DynScanDesc *scandesc;		/* scan descriptor of own_access */

	/* the member's filters, with run-time values */
	bool		contradiction;	/* true if no item passes */
	DynCond    *cond;			/* condition; NULL: every item passes */
	DynBuffer	scratch;

	int			nslots;			/* number of the member's slots */
	int		   *slots;			/* for each of the member's slots, the number
								 * of the slot in read->slots */
	uint64		position;		/* number of items before the read pointer */
	bytea	   *record;			/* last item that the member read from the
								 * tuplestore or added to it; a copy, because
								 * the tuplestore may move its tuples */
	Size		record_space;
	DynValue   *item;			/* current item, in the member's slots */
	bool		found;			/* true if `item` was not returned yet */
	uint64		count;			/* number of items that passed the filters */
} DynMember;

/*
 * Initializes a member, in CurrentMemoryContext.  `full` is the member's scan
 * with all its filters.  The member itself evaluates `filters`, a subset of
 * these, so own_access does not contain them.  No filter in `filters` may
 * compare two attributes.  The caller has zeroed the member, and set the
 * fields "set by the creator".
 */
extern void dyn_member_init(DynMember *member, DynInput *input,
							const DynScanDesc *full, List *filters);

/* Builds the member's condition from `values`, in CurrentMemoryContext. */
extern void dyn_member_resolve(DynMember *member, const DynValues *values);

extern DynItems *dyn_member_open(DynMember *member);

/* Removes the member from the read.  Stops the read if no member is left. */
extern void dyn_member_leave(DynMember *member);

/*
 * Adds a member, in CurrentMemoryContext.  The caller must zero *read before
 * it adds the first member.
 */
extern void dyn_shared_add(DynSharedRead *read, DynMember *member);

/*
 * Hides from each member the parts of documents (jsonb values) that are read
 * only for other members.  Returns false if the parts cannot be hidden.
 */
extern bool dyn_shared_limit_parts(DynSharedRead *read);

/* Starts the read in CurrentMemoryContext; sends no requests yet. */
extern void dyn_shared_start(DynSharedRead *read);

/* Frees the items, and abandons requests in flight. */
extern void dyn_shared_stop(DynSharedRead *read);

#endif
