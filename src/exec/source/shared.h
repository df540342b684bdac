/*
 * shared.h
 *		Shares one read among members.
 *
 * The members are several scans of a statement (sharing.h), or the executions
 * of one scan (caching.h), which is then the only member and returns for each
 * execution.
 *
 * The items are received with every attribute that any member needs, and
 * without the filters that its members evaluate themselves
 * (dynamodb/item_match.h), as DynamoDB would evaluate them.  So each member
 * gets the rows, and the errors, that requests of its own would give.  Each
 * goes through the items at its own pace: items that a member has not reached,
 * or may read again, are stored (item_store.h).  A read continues where it
 * stopped when a member needs more.
 *
 * Legal order: for each member dyn_member_init and dyn_shared_add;
 * dyn_shared_limit_parts.  Then dyn_shared_start, and for each member
 * dyn_member_open; dyn_shared_stop at any time, and start again.
 */
#ifndef DYN_EXEC_SHARED_H
#define DYN_EXEC_SHARED_H

#include "input.h"
#include "item_store.h"
#include "items.h"

typedef enum DynMemberState
{
	DYN_MEMBER_WAITS,			/* execution has not begun */
	DYN_MEMBER_OPEN,
	DYN_MEMBER_LEFT				/* member has left the read */
} DynMemberState;

typedef struct DynSharedRead
{
	List	   *members;		/* list of DynMember *; the first one's access
								 * plan is read */
	DynRows    *rows;			/* the first member's, and more */

	/* while it is started */
	DynItems   *items;			/* source; NULL: everything was received */
	DynItemStore *store;		/* store; NULL: the read is not started */
	DynValue   *slots;			/* slots of an item */
} DynSharedRead;

typedef struct DynMember
{
	DynItems	items;			/* those its filters select (must be first) */
	DynInput   *input;
	DynSharedRead *read;
	int			number;			/* number among the read's members */
	DynMemberState state;

	/* set by the creator */
	bool		expected;		/* begins, unless an input is empty */
	bool		may_rewind;
	bool		comes_again;	/* true if closing does not leave the read */

	/* the scan's access plan, divided */
	DynAccess	own_access;		/* without filters evaluated here */
	DynAccess	filters;		/* these filters, without keys */
	DynScanDesc *scandesc;		/* scan descriptor of the rows */

	/* the filters with values */
	bool		contradiction;	/* true if no item passes */
	DynCond    *cond;			/* condition; NULL: every item passes */
	DynBuffer	scratch;

	int			nslots;			/* rows' slots; the read may have more */
	int		   *slots;			/* the read's slot for each of them */
	DynValue   *item;			/* current item, with the rows' slots */
	bool		found;			/* true if it was not returned yet */
	uint64		count;			/* number of items found */
} DynMember;

/* True if the filters (DynPred *) can be evaluated here. */
extern bool dyn_member_can_filter(List *filters);

/*
 * True if the planned index has all items that an execution with these values
 * selects.  If not, a read of the index is useless for it.
 */
extern bool dyn_input_is_complete(const DynInput *input, const DynValues *values);

/*
 * Divides the scan's access plan: those of its filters are evaluated here.
 * The member is zeroed, except for what its creator sets.  In
 * CurrentMemoryContext.
 */
extern void dyn_member_init(DynMember *member, DynInput *input, List *filters);

/* Puts values into the filters. The condition is in CurrentMemoryContext. */
extern void dyn_member_resolve(DynMember *member, const DynValues *values);

/* Returns the member's source, which begins at the first item. */
extern DynItems *dyn_member_open(DynMember *member);

/* Removes the member from the read, which is stopped when all have left. */
extern void dyn_member_leave(DynMember *member);

/*
 * Adds a member to a read, which is zeroed before its first member; in
 * CurrentMemoryContext.
 */
extern void dyn_shared_add(DynSharedRead *read, DynMember *member);

/* Hides parts from members that are read for others; false if it cannot. */
extern bool dyn_shared_limit_parts(DynSharedRead *read);

/*
 * Starts the read, in CurrentMemoryContext; a contradiction has no items.
 * Does not send requests.
 */
extern void dyn_shared_start(DynSharedRead *read, const DynResolvedAccess *resolved);

/* Frees the items and abandons requests in flight, if it was started. */
extern void dyn_shared_stop(DynSharedRead *read);

#endif
