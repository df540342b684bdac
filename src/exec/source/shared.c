/*
 * shared.c
 *		Returns the items of one read to its members.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "../../dynamodb/item_match.h"
#include "../../model/server/memory.h"
#include "../../plan/keys/match_keys.h"
#include "../keys/make_cond.h"
#include "../keys/resolve_keys.h"
#include "shared.h"

/* ---- the read ---- */

void
dyn_shared_add(DynSharedRead *read, DynMember *member)
{
	DynRows    *rows = member->scandesc->rows;

	member->read = read;
	member->number = list_length(read->members);
	member->nslots = rows->npaths;
	member->slots = palloc(rows->npaths * sizeof(int));
	if (read->members == NIL)
		read->rows = rows;
	dyn_rows_add_rows(read->rows, rows, member->slots);
	read->members = lappend(read->members, member);
}

bool
dyn_shared_limit_parts(DynSharedRead *read)
{
	ListCell   *lc;

	foreach(lc, read->members)
	{
		DynMember  *member = lfirst(lc);

		if (!dyn_rows_limit_parts(member->scandesc->rows,
								  member->input->scandesc->own_rows, read->rows))
			return false;
	}
	return true;
}

void
dyn_shared_start(DynSharedRead *read, const DynResolvedAccess *resolved)
{
	DynScanDesc *scandesc = ((DynMember *) linitial(read->members))->scandesc;
	int			n = list_length(read->members);
	bool	   *may_rewind = palloc(n * sizeof(bool));
	ListCell   *lc;

	Assert(read->store == NULL && scandesc->rows == read->rows);
	dyn_scandesc_check_schema(scandesc);
	read->slots = palloc0(read->rows->npaths * sizeof(DynValue));
	foreach(lc, read->members)
	{
		DynMember  *member = lfirst(lc);

		may_rewind[member->number] = member->may_rewind;
		/* each of several members has its own current item */
		member->item = n == 1 ? read->slots
			: palloc0(member->nslots * sizeof(DynValue));
	}
	read->store = dyn_item_store_create(read->rows->npaths, n, may_rewind);
	if (!resolved->contradiction)
		read->items = dyn_items_start(scandesc, resolved);
}

/*
 * Closes the source.  Does not call dyn_items_close, which would drop the
 * remaining rows of a member's current item.
 */
static void
close_items(DynSharedRead *read)
{
	if (read->items != NULL && read->items->methods->close != NULL)
		read->items->methods->close(read->items);
	read->items = NULL;
}

void
dyn_shared_stop(DynSharedRead *read)
{
	close_items(read);
	if (read->store != NULL)
		dyn_item_store_free(read->store);
	read->store = NULL;
}

/* ---- receiving items ---- */

static bool
is_cached_for_any(const DynMember *member)
{
	bool		any = false;
	ListCell   *lc;

	foreach(lc, member->read->members)
	{
		const DynMember *other = lfirst(lc);

		any |= other->state != DYN_MEMBER_LEFT &&
			(other != member || other->may_rewind);
	}
	return any;
}

/*
 * Stores a copy of the received item for members that have not reached it, or
 * may read it again.  When the copies use a quarter of work_mem, members that
 * have not begun, and may never begin, leave the read.  They send requests of
 * their own if they begin.
 */
static void
keep_item(DynMember *member)
{
	DynSharedRead *read = member->read;
	ListCell   *lc;

	dyn_item_store_add(read->store, member->number, read->slots);
	if (dyn_item_store_bytes(read->store) / 1024 < (uint64) work_mem / 4)
		return;
	foreach(lc, read->members)
	{
		DynMember  *other = lfirst(lc);

		if (other->state == DYN_MEMBER_WAITS && !other->expected)
			dyn_member_leave(other);
	}
}

/* Stores the member's next item, cached or received now, in read->slots. */
static DynFetchState
take_item(DynMember *member, bool wait)
{
	DynSharedRead *read = member->read;
	DynScanDesc *scandesc = ((DynMember *) linitial(read->members))->scandesc;
	const DynValue *item;

	if (dyn_item_store_next(read->store, member->number, read->slots))
		return DYN_FETCH_ITEM;
	if (read->items == NULL)
		return DYN_FETCH_END;

	/*
	 * If `wait` is true, the scan waits alone; if not, its group waits
	 * (async.c).  The descriptor passes the group to requests that the source
	 * starts later.
	 */
	scandesc->group_in_flight = wait ? NULL : member->input->scandesc->group_in_flight;
	dyn_items_set_group(read->items, scandesc->group_in_flight);
	if (!wait && dyn_items_would_wait(read->items))
		return DYN_FETCH_WAITS;
	item = read->items->methods->next(read->items);
	if (item == NULL)
	{
		close_items(read);
		return DYN_FETCH_END;
	}
	memcpy(read->slots, item, read->rows->npaths * sizeof(DynValue));
	if (is_cached_for_any(member))
		keep_item(member);
	return DYN_FETCH_ITEM;
}

/* Stores in member->item the next item that the member's filters select. */
static DynFetchState
find_item(DynMember *member, bool wait)
{
	const DynSharedRead *read = member->read;
	DynFetchState state = DYN_FETCH_ITEM;
	bool		passes = false;

	Assert(!member->contradiction);
	while (!passes && (state = take_item(member, wait)) == DYN_FETCH_ITEM)
	{
		CHECK_FOR_INTERRUPTS();
		for (int i = 0; member->item != read->slots && i < member->nslots; i++)
			member->item[i] = read->slots[member->slots[i]];
		passes = member->cond == NULL ||
			dyn_item_matches(member->cond, member->item, &member->scratch);
		dyn_check_oom(member->scratch.failed);
	}
	member->count += passes;
	return state;
}

/* ---- the source ---- */

static const DynValue *
member_next(DynItems *items)
{
	DynMember  *member = (DynMember *) items;

	Assert(member->state == DYN_MEMBER_OPEN);
	if (!member->found && find_item(member, true) != DYN_FETCH_ITEM)
		return NULL;
	member->found = false;
	return member->item;
}

/* Returns true if the member would wait; a count waits for all items. */
static bool
member_would_wait(DynItems *items)
{
	DynMember  *member = (DynMember *) items;
	bool		counts = member->input->scandesc->access->count_only;
	DynFetchState state = DYN_FETCH_ITEM;

	while (!member->found || counts)
	{
		state = find_item(member, false);
		member->found = (state == DYN_FETCH_ITEM);
		if (!member->found)
			break;
	}
	return state == DYN_FETCH_WAITS;
}

static DynFetch *
member_awaited(const DynItems *items)
{
	const DynSharedRead *read = ((const DynMember *) items)->read;

	return read->items ? dyn_items_awaited(read->items) : NULL;
}

static bool
member_has_next(const DynItems *items)
{
	const DynMember *member = (const DynMember *) items;

	return dyn_item_store_has_next(member->read->store, member->number);
}

static bool
member_rewind(DynItems *items)
{
	DynMember  *member = (DynMember *) items;

	if (!member->may_rewind)
		return false;
	dyn_item_store_rewind(member->read->store, member->number);
	member->found = false;
	member->count = 0;
	return true;
}

/*
 * Returns the number of items, including those that were found while polling.
 */
static uint64
member_count(DynItems *items)
{
	DynMember  *member = (DynMember *) items;

	while (find_item(member, true) == DYN_FETCH_ITEM)
		continue;
	return member->count;
}

static void
member_close(DynItems *items)
{
	DynMember  *member = (DynMember *) items;

	/*
	 * the group of the Append must not wait for the responses in flight:
	 * another member of the read, or a later execution, takes them in
	 */
	dyn_items_set_group(items, NULL);
	if (!member->comes_again)
		dyn_member_leave(member);
}

static const DynItemsMethods member_methods = {
	.next = member_next,
	.would_wait = member_would_wait,
	.awaited = member_awaited,
	.has_next = member_has_next,
	.rewind = member_rewind,
	.count = member_count,
	.close = member_close,
};

/* ---- members ---- */

bool
dyn_input_is_complete(const DynInput *input, const DynValues *values)
{
	const DynScanDesc *scandesc = input->scandesc;

	return dyn_index_conditions_hold(scandesc->access, scandesc->relation, values->values,
									 values->nulls);
}

/* The member's rows also have slots for all attributes that filters read. */
void
dyn_member_init(DynMember *member, DynInput *input, List *filters)
{
	const DynScanDesc *full = input->scandesc;

	member->items.methods = &member_methods;
	member->input = input;
	member->own_access = *full->access;
	member->own_access.count_only = false;
	member->own_access.nconditions = 0;
	member->own_access.filters = list_difference_ptr(full->access->filters, filters);
	member->filters.kind = DYN_ACCESS_SCAN;
	member->filters.filters = filters;
	member->scandesc = dyn_scandesc_create(full->statement, full->relation,
										   &member->own_access);
	member->scandesc->count_into = full->count_into;
	dyn_scandesc_set_cached_rows(member->scandesc, filters);
	member->items.rows = member->scandesc->rows;
	dyn_buffer_init_in(&member->scratch, CurrentMemoryContext);
}

void
dyn_member_resolve(DynMember *member, const DynValues *values)
{
	const DynRows *rows = member->scandesc->rows;
	DynResolvedAccess *resolved = palloc(sizeof(DynResolvedAccess));

	dyn_resolve_access(&member->filters, member->scandesc->relation, values, resolved);
	member->contradiction = resolved->contradiction;
	member->cond = member->contradiction ? NULL : resolved->filter;
	if (member->cond != NULL && !dyn_cond_bind(member->cond, rows->paths, rows->npaths))
		elog(ERROR, "a field of a filter is not cached");
}

void
dyn_member_restrict(DynMember *member, DynCond *cond)
{
	const DynRows *rows = member->scandesc->rows;

	if (!dyn_cond_bind(cond, rows->paths, rows->npaths))
		elog(ERROR, "a key attribute is not cached");
	member->cond = member->cond == NULL ? cond
		: dyn_make_both(DYN_COND_AND, cond, member->cond);
}

DynItems *
dyn_member_open(DynMember *member)
{
	member->state = DYN_MEMBER_OPEN;
	if (member->comes_again)
		(void) member_rewind(&member->items);
	return &member->items;
}

void
dyn_member_leave(DynMember *member)
{
	ListCell   *lc;

	if (member->state == DYN_MEMBER_LEFT)
		return;
	member->state = DYN_MEMBER_LEFT;
	dyn_item_store_leave(member->read->store, member->number);
	foreach(lc, member->read->members)
	{
		const DynMember *other = lfirst(lc);

		if (other->state != DYN_MEMBER_LEFT)
			return;
	}
	dyn_shared_stop(member->read);
}
