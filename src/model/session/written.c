/*
 * written.c
 *		Counts the items that each level of subtransactions has written.
 *
 * When a level is released, its counts are merged into those of its parent.
 * Counts are malloc'd, because they outlive subtransactions.  They contain
 * copies of the tables' names, because an abort must not read the catalogs.
 */
#include "postgres.h"

#include "access/xact.h"
#include "lib/stringinfo.h"

#include "../server/memory.h"
#include "session.h"
#include "written.h"

/* Time (ms) after which eventually consistent reads should see a write. */
#define RECENT_MS	5000.0

typedef struct WrittenCount
{
	struct WrittenCount *next;
	int			level;			/* nesting level of the (sub)transaction */
	uint64		items[3];		/* items inserted, updated, deleted */
	char		relation[NAMEDATALEN];
} WrittenCount;

typedef struct WrittenTable
{
	struct WrittenTable *next;
	bool		in_transaction; /* true if the running transaction wrote it */
	double		written_ms;		/* time of the last write (monotonic ms) */
	char		id[FLEXIBLE_ARRAY_MEMBER];	/* dyn_session_table_id() */
} WrittenTable;

static WrittenCount *counts = NULL;
static WrittenTable *tables = NULL;

/* Number of abandoned requests, each of which may have written an item. */
static int	maybe_written = 0;

static void (*abandon_writes) (int level) = NULL;

/* ---- counts ---- */

static WrittenCount *
find_count(int level, const char *relation)
{
	WrittenCount *count = counts;

	while (count != NULL && (count->level != level ||
							 strcmp(count->relation, relation) != 0))
		count = count->next;
	return count;
}

void
dyn_written_count(const char *relation, DynOperation op)
{
	int			level = GetCurrentTransactionNestLevel();
	WrittenCount *count = find_count(level, relation);

	Assert(op >= DYN_OP_PUT_ITEM && op <= DYN_OP_DELETE_ITEM);
	if (count == NULL)
	{
		count = calloc(1, sizeof(WrittenCount));
		dyn_check_oom(count == NULL);
		count->level = level;
		strlcpy(count->relation, relation, NAMEDATALEN);
		count->next = counts;
		counts = count;
	}
	count->items[op - DYN_OP_PUT_ITEM]++;
}

void
dyn_written_maybe(int requests)
{
	maybe_written += requests;
}

static uint64
items_in(const WrittenCount *count)
{
	return count->items[0] + count->items[1] + count->items[2];
}

/* Returns the number of items of this level and of all levels nested in it. */
static uint64
items_of(int level)
{
	uint64		items = 0;

	for (WrittenCount *count = counts; count != NULL; count = count->next)
	{
		if (count->level >= level)
			items += items_in(count);
	}
	return items;
}

uint64
dyn_written_items(void)
{
	return items_of(1);
}

static void
drop_counts(int level)
{
	WrittenCount **link = &counts;

	while (*link != NULL)
	{
		WrittenCount *count = *link;

		if (count->level >= level)
		{
			*link = count->next;
			free(count);
		}
		else
			link = &count->next;
	}
	maybe_written = 0;
}

static void
merge_counts(int level)
{
	WrittenCount **link = &counts;

	while (*link != NULL)
	{
		WrittenCount *count = *link;
		WrittenCount *outer = count->level < level ? NULL
			: find_count(level - 1, count->relation);

		if (outer == NULL)
		{
			count->level = Min(count->level, level - 1);
			link = &count->next;
			continue;
		}
		for (int i = 0; i < lengthof(count->items); i++)
			outer->items[i] += count->items[i];
		*link = count->next;
		free(count);
	}
}

/*
 * Appends the sums of one foreign table's counts at `level` and deeper levels,
 * such as "orders: 110 inserted, 2 updated", and sets these counts to 0.
 */
static void
append_relation(StringInfo detail, WrittenCount *first, int level)
{
	static const char *const verbs[] = {"inserted", "updated", "deleted"};
	uint64		items[3] = {0, 0, 0};
	const char *separator = ": ";

	for (WrittenCount *count = first; count != NULL; count = count->next)
	{
		if (count->level < level || strcmp(count->relation, first->relation) != 0)
			continue;
		for (int i = 0; i < 3; i++)
			items[i] += count->items[i];
		memset(count->items, 0, sizeof(count->items));
	}
	appendStringInfo(detail, "%s%s", detail->len > 0 ? "; " : "", first->relation);
	for (int i = 0; i < 3; i++)
	{
		if (items[i] == 0)
			continue;
		appendStringInfo(detail, "%s" UINT64_FORMAT " %s", separator, items[i],
						 verbs[i]);
		separator = ", ";
	}
}

static void
warn(int level)
{
	uint64		items = items_of(level);
	StringInfoData detail;

	if (items == 0)
	{
		if (maybe_written > 0)
			ereport(WARNING,
					(errmsg_plural("up to %d item may have been written to DynamoDB, and is not rolled back",
								   "up to %d items may have been written to DynamoDB, and are not rolled back",
								   maybe_written, maybe_written)));
		return;
	}
	initStringInfo(&detail);
	for (WrittenCount *count = counts; count != NULL; count = count->next)
	{
		if (count->level >= level && items_in(count) > 0)
			append_relation(&detail, count, level);
	}
	if (maybe_written > 0)
		appendStringInfo(&detail, "; up to %d more may have been written", maybe_written);
	ereport(WARNING,
			(errmsg_plural(UINT64_FORMAT " item written to DynamoDB is not rolled back",
						   UINT64_FORMAT " items written to DynamoDB are not rolled back",
						   (unsigned long) items, items),
			 errdetail("%s.", detail.data)));
	pfree(detail.data);
}

/* ---- recently written tables ---- */

/* Returns the table if written recently, or NULL; frees outdated entries. */
static WrittenTable *
find_table(const char *id)
{
	double		now = dyn_session_now();
	WrittenTable **link = &tables;
	WrittenTable *found = NULL;
	WrittenTable *table;

	while ((table = *link) != NULL)
	{
		bool		recent = table->in_transaction || now - table->written_ms <= RECENT_MS;

		if (recent && strcmp(table->id, id) == 0)
			found = table;
		if (recent)
			link = &table->next;
		else
		{
			*link = table->next;
			free(table);
		}
	}
	return found;
}

void
dyn_written_table(const DynConnection *connection, const char *name)
{
	char	   *id = dyn_session_table_id(connection, name);
	WrittenTable *table = find_table(id);

	if (table == NULL)
	{
		table = calloc(1, offsetof(WrittenTable, id) + strlen(id) + 1);
		dyn_check_oom(table == NULL);
		strcpy(table->id, id);
		table->next = tables;
		tables = table;
	}
	table->in_transaction = true;
	table->written_ms = dyn_session_now();
	pfree(id);
}

bool
dyn_written_recently(const DynConnection *connection, const char *name)
{
	char	   *id;
	bool		found;

	if (tables == NULL)
		return false;
	id = dyn_session_table_id(connection, name);
	found = find_table(id) != NULL;
	pfree(id);
	return found;
}

/* ---- transactions ---- */

/*
 * Rejects PREPARE TRANSACTION after a write, because ROLLBACK PREPARED may run
 * in a session that cannot report the written items.
 */
static void
end_transaction(XactEvent event, void *arg)
{
	switch (event)
	{
		case XACT_EVENT_PRE_PREPARE:
			if (items_of(1) > 0 || maybe_written > 0)
				ereport(ERROR,
						(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						 errmsg("cannot prepare a transaction that has written to DynamoDB")));
			return;
		case XACT_EVENT_ABORT:
		case XACT_EVENT_PARALLEL_ABORT:
			abandon_writes(1);
			warn(1);
			break;
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_PARALLEL_COMMIT:
		case XACT_EVENT_PREPARE:
			break;
		default:
			return;
	}
	drop_counts(1);
	for (WrittenTable *table = tables; table != NULL; table = table->next)
		table->in_transaction = false;
}

static void
end_subtransaction(SubXactEvent event, SubTransactionId subid,
				   SubTransactionId parent, void *arg)
{
	int			level = GetCurrentTransactionNestLevel();

	if (event == SUBXACT_EVENT_COMMIT_SUB)
		merge_counts(level);
	else if (event == SUBXACT_EVENT_ABORT_SUB)
	{
		abandon_writes(level);
		warn(level);
		drop_counts(level);
	}
}

void
dyn_written_init(void (*abandon) (int level))
{
	abandon_writes = abandon;
	RegisterXactCallback(end_transaction, NULL);
	RegisterSubXactCallback(end_subtransaction, NULL);
}
