/*
 * shared.c
 *		Hands the items of one shared read to each of the scans that use them
 *		(the read's members).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "../../dynamodb/expression.h"
#include "../../model/server/memory.h"
#include "../../model/server/pg_compat.h"
#include "../keys/resolve_keys.h"
#include "../rows/item_record.h"
#include "shared.h"

/*
 * Number of items that members take from the tuplestore before items that no
 * member still needs are freed.
 */
#define TAKEN_BETWEEN_TRIMS	64

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
								  member->scandesc->own_rows, read->rows))
			return false;
	}
	return true;
}

/*
 * Creates the tuplestore with the current resource owner, that of the portal,
 * so that an open cursor keeps the file if a savepoint is rolled back.
 */
void
dyn_shared_start(DynSharedRead *read)
{
	const DynMember *first = linitial(read->members);
	DynScanDesc *scandesc = first->scandesc;
	TupleDesc	desc = CreateTemplateTupleDesc(1);
	ListCell   *lc;

	Assert(read->stored == NULL && scandesc->rows == read->rows);
	dyn_scandesc_check_schema(scandesc);
	read->context = CurrentMemoryContext;
	read->slots = palloc0(read->rows->npaths * sizeof(DynValue));
	read->stored = tuplestore_begin_heap(false, false, work_mem);
	TupleDescInitEntry(desc, 1, "item", BYTEAOID, -1, 0);
	dyn_finish_descriptor(desc);
	read->tuple = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	read->nstored = read->stored_bytes = read->taken = 0;
	foreach(lc, read->members)
	{
		DynMember  *member = lfirst(lc);
		int			eflags = member->may_rewind ? EXEC_FLAG_REWIND : 0;

		if (member->number == 0)
			tuplestore_set_eflags(read->stored, eflags);
		else
			(void) tuplestore_alloc_read_pointer(read->stored, eflags);
		member->position = 0;
		member->record = NULL;
		member->record_space = 0;
		/* a single member can use the slots of the read as its own */
		member->item = list_length(read->members) == 1 ? read->slots
			: palloc0(member->nslots * sizeof(DynValue));
	}
	if (!first->resolved.contradiction)
		read->items = dyn_items_start(scandesc, &first->resolved);
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
	if (read->stored == NULL)
		return;
	ExecDropSingleTupleTableSlot(read->tuple);
	tuplestore_end(read->stored);
	read->stored = NULL;
}

/* ---- stored items ---- */

static void
reserve_record(DynMember *member, Size size)
{
	if (size <= member->record_space)
		return;
	if (member->record != NULL)
		pfree(member->record);
	member->record_space = Max(size, 2 * member->record_space);
	member->record = MemoryContextAllocHuge(member->read->context, member->record_space);
}

/*
 * Reads the member's next item from the tuplestore into read->slots.  At times
 * frees the items that all members have taken, unless a member may be rewound.
 */
static void
take_stored(DynMember *member)
{
	DynSharedRead *read = member->read;
	bytea	   *record;
	ListCell   *lc;

	tuplestore_select_read_pointer(read->stored, member->number);
	if (!tuplestore_gettupleslot(read->stored, true, false, read->tuple))
		elog(ERROR, "a cached item is missing");
	slot_getallattrs(read->tuple);
	record = (bytea *) DatumGetPointer(read->tuple->tts_values[0]);
	reserve_record(member, VARSIZE_ANY(record));
	memcpy(member->record, record, VARSIZE_ANY(record));
	/* free a tuple that was read from the temporary file */
	ExecClearTuple(read->tuple);
	dyn_item_record_read(member->record, read->slots, read->rows->npaths);
	member->position++;
	if (++read->taken < TAKEN_BETWEEN_TRIMS)
		return;
	read->taken = 0;
	/*
	 * Advance the read pointers of members that have left, because items after
	 * these pointers are not freed.
	 */
	foreach(lc, read->members)
	{
		const DynMember *other = lfirst(lc);

		if (other->state == DYN_MEMBER_LEFT)
			tuplestore_copy_read_pointer(read->stored, member->number, other->number);
	}
	tuplestore_trim(read->stored);
}

/* ---- receiving items ---- */

/*
 * Stores a copy of the received item if another member has not reached it, or
 * if a member may read it again.  read->slots then point into the copy.  When
 * the copies use a quarter of work_mem, removes the members that are not open
 * yet and might never be opened.  If the scan of such a member is executed
 * later, the scan sends requests of its own.
 */
static void
keep_item(DynMember *member)
{
	DynSharedRead *read = member->read;
	int			nslots = read->rows->npaths;
	bool		needed = false;
	bool		isnull = false;
	Datum		value;
	Size		size;
	ListCell   *lc;

	foreach(lc, read->members)
	{
		const DynMember *other = lfirst(lc);

		needed |= other->state != DYN_MEMBER_LEFT &&
			(other != member || other->may_rewind);
	}
	if (!needed)
		return;
	Assert(member->position == read->nstored);
	tuplestore_select_read_pointer(read->stored, member->number);
	/*
	 * This call finds no tuple, but sets the read pointer to EOF.  A pointer
	 * that is selected and at EOF skips the tuple that is added below.
	 */
	if (tuplestore_gettupleslot(read->stored, true, false, read->tuple))
		elog(ERROR, "an item is stored before the end");
	size = dyn_item_record_size(read->slots, nslots);
	reserve_record(member, size);
	dyn_item_record_write(member->record, read->slots, nslots);
	value = PointerGetDatum(member->record);
	tuplestore_putvalues(read->stored, read->tuple->tts_tupleDescriptor, &value, &isnull);
	dyn_item_record_read(member->record, read->slots, nslots);
	/* the read pointer is now after the added tuple */
	member->position++;
	read->nstored++;
	read->stored_bytes += size;
	if (read->stored_bytes / 1024 < (uint64) work_mem / 4)
		return;
	foreach(lc, read->members)
	{
		DynMember  *other = lfirst(lc);

		if (other->state == DYN_MEMBER_WAITS && !other->expected)
			dyn_member_leave(other);
	}
}

static DynFetchState
take_item(DynMember *member, bool wait)
{
	DynSharedRead *read = member->read;
	DynScanDesc *scandesc = ((DynMember *) linitial(read->members))->scandesc;
	const DynValue *item;

	if (member->position < read->nstored)
	{
		take_stored(member);
		return DYN_FETCH_ITEM;
	}
	if (read->items == NULL)
		return DYN_FETCH_END;

	/*
	 * If `wait` is false, the caller is an Append, which waits for a group of
	 * fetches at once.  Add the current fetch of the shared read to the group
	 * of this member's scan (async.c).  Later fetches get the group from the
	 * scan descriptor.
	 */
	scandesc->group = wait ? NULL : member->input->scandesc->group;
	dyn_items_set_group(read->items, scandesc->group);
	if (!wait && dyn_items_would_wait(read->items))
		return DYN_FETCH_WAITS;
	item = read->items->methods->next(read->items);
	if (item == NULL)
	{
		close_items(read);
		return DYN_FETCH_END;
	}
	memcpy(read->slots, item, read->rows->npaths * sizeof(DynValue));
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

/* Returns true if `next` would wait or, for a count, if `count` would wait. */
static bool
member_would_wait(DynItems *items)
{
	DynMember  *member = (DynMember *) items;
	bool		counts = member->filters.count_only;
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

	return member->position < member->read->nstored;
}

static bool
member_rewind(DynItems *items)
{
	DynMember  *member = (DynMember *) items;

	if (!member->may_rewind)
		return false;
	tuplestore_select_read_pointer(member->read->stored, member->number);
	tuplestore_rescan(member->read->stored);
	member->position = 0;
	member->found = false;
	member->count = 0;
	return true;
}

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
	 * Another member or a later execution takes in the responses in flight, so
	 * the group of this member's scan (async.c) must not wait for them.
	 */
	dyn_items_set_group(items, NULL);
	/* a single member may be opened again (caching.c) */
	if (list_length(member->read->members) > 1)
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

void
dyn_member_init(DynMember *member, DynInput *input, const DynScanDesc *full,
				List *filters)
{
	bool		by_partition = full->access->kind == DYN_ACCESS_QUERY &&
		!full->access->fetch_base_items;

	member->items.methods = &member_methods;
	member->input = input;
	member->own_access = *full->access;
	member->own_access.count_only = false;
	member->own_access.filters = list_difference_ptr(full->access->filters, filters);
	member->filters.kind = DYN_ACCESS_SCAN;
	member->filters.filters = filters;
	member->filters.count_only = full->access->count_only;
	member->scandesc = dyn_scandesc_create(full->statement, full->relation,
										   &member->own_access);
	member->scandesc->count_into = full->count_into;
	member->scandesc->own_rows = full->own_rows;
	/* cached items need the table's key, for error messages */
	member->scandesc->rows =
		dyn_rows_create(full->relation, &member->own_access,
						DYN_ROWS_SORT | DYN_ROWS_KEY | DYN_ROWS_CONVERT |
						(by_partition ? DYN_ROWS_PARTITION : 0), filters);
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

DynItems *
dyn_member_open(DynMember *member)
{
	member->state = DYN_MEMBER_OPEN;
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
	foreach(lc, member->read->members)
	{
		const DynMember *other = lfirst(lc);

		if (other->state != DYN_MEMBER_LEFT)
			return;
	}
	dyn_shared_stop(member->read);
}
