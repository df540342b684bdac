/*
 * shared.h
 *		One read, and those that go through its items: several scans of a
 *		statement (sharing.h), or the executions of one scan (caching.h), which
 *		is then the only member and comes again.
 *
 * The items are received with what any member wants of them, and without the
 * filters that its members evaluate themselves (dynamodb/item_match.h), as DynamoDB
 * would evaluate them; so each gets the rows, and the errors, that requests of its own
 * would give.  Each goes through the items at its own pace: what somebody has not
 * come to, or may come to again, is kept (item_store.h).  A read goes on where it
 * stood when a member needs more.
 *
 * Legal order: for each member dyn_member_init and
 * dyn_shared_add; dyn_shared_limit_parts.  Then dyn_shared_start, and for each
 * member dyn_member_open; dyn_shared_stop at any time, and start again.
 */
#ifndef DYN_EXEC_SHARED_H
#define DYN_EXEC_SHARED_H

#include "input.h"
#include "item_store.h"
#include "items.h"

typedef enum DynMemberState
{
	DYN_MEMBER_WAITS,			/* its execution has not begun */
	DYN_MEMBER_OPEN,
	DYN_MEMBER_LEFT				/* it reads no more from this */
} DynMemberState;

typedef struct DynSharedRead
{
	List	   *members;		/* of DynMember *; the first one is the reader, by
								 * whose access plan is read */
	DynRows    *rows;			/* what is read: the reader's, and more */

	/* while it is started */
	DynItems   *items;			/* NULL: everything was received */
	DynItemStore *store;		/* NULL: it is not started */
	DynValue   *slots;			/* of an item */
} DynSharedRead;

typedef struct DynMember
{
	DynItems	items;			/* first: those that its filters select */
	DynInput   *input;
	DynSharedRead *read;
	int			number;			/* among the read's members */
	DynMemberState state;

	/* set by the creator */
	bool		expected;		/* to begin, unless an input is empty */
	bool		may_rewind;
	bool		comes_again;	/* to be closed is not to leave the read */

	/* the scan's access plan, divided */
	DynAccess	own_access;		/* without the filters that are evaluated here */
	DynAccess	filters;		/* these; no keys */
	DynScanDesc *scandesc;		/* of rows, by `asked` */

	/* the filters with values */
	bool		contradiction;	/* no item passes */
	DynCond    *cond;			/* NULL: every item passes */
	DynBuffer	scratch;

	int			nslots;			/* of the rows; the read's own may have more */
	int		   *slots;			/* of the read's items, for each of the rows' */
	DynValue   *item;			/* the item at hand, with the rows' slots */
	bool		found;			/* it was not handed out yet */
	uint64		count;			/* of items that were found */
} DynMember;

/* Can the filters (DynPred *) be evaluated here? */
extern bool dyn_member_can_filter(List *filters);

/*
 * Has the planned index all items that an execution with these values selects?
 * If not, a read of the index is of no use to it.
 */
extern bool dyn_input_is_complete(const DynInput *input, const DynValues *values);

/*
 * Divides the scan's access plan: those of its filters are evaluated here.  The
 * member is zeroed but for what its creator sets.  In CurrentMemoryContext.
 */
extern void dyn_member_init(DynMember *member, DynInput *input, List *filters);

/* Puts values into the filters.  The condition is in CurrentMemoryContext. */
extern void dyn_member_resolve(DynMember *member, const DynValues *values);

/* The members' source, from the first item on. */
extern DynItems *dyn_member_open(DynMember *member);

/* When all have left, the read is stopped. */
extern void dyn_member_leave(DynMember *member);

/* To a read that is zeroed before its first member; in CurrentMemoryContext. */
extern void dyn_shared_add(DynSharedRead *read, DynMember *member);

/*
 * Keeps members from seeing what is read for others; false if that cannot be
 * done.
 */
extern bool dyn_shared_limit_parts(DynSharedRead *read);

/*
 * Begins to read, in CurrentMemoryContext; a contradiction has no items.  Sends
 * nothing.
 */
extern void dyn_shared_start(DynSharedRead *read, const DynResolvedAccess *resolved);

/* Gives up what is kept, and requests in flight, if it was started. */
extern void dyn_shared_stop(DynSharedRead *read);

#endif
