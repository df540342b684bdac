/*
 * table_pace.c
 *		Finds or creates the pace of a table or index.
 *
 * The list contains only the tables that a session reads or writes, so a
 * linear search is enough.
 */
#include "postgres.h"

#include "table_pace.h"

/* Time in ms after which an unused pace is considered outdated. */
#define FRESH_MS	10000.0

DynTablePace *
dyn_table_pace(DynConnection *connection, const char *table,
			   const char *index, uint64 statement,
			   bool (*is_running) (uint64 statement))
{
	DynTablePace *pace = connection->paces;

	while (pace != NULL && (strcmp(pace->table, table) != 0 ||
							strcmp(pace->index, index ? index : "") != 0))
		pace = pace->next;
	if (pace == NULL)
	{
		pace = MemoryContextAllocZero(connection->context, sizeof(DynTablePace));
		pace->table = MemoryContextStrdup(connection->context, table);
		pace->index = MemoryContextStrdup(connection->context, index ? index : "");
		dyn_pace_init(&pace->pace, connection->max_concurrency);
		pace->next = connection->paces;
		connection->paces = pace;
	}
	if (pace->statement == statement)
		return pace;
	pace->hot_stream = NULL;
	pace->shared_ms = 0;
	/*
	 * restart a pace that is outdated, or whose statement has ended: the
	 * running statement is not nested in an ended statement
	 */
	if (!is_running(pace->statement) ||
		(pace->pace.throttled &&
		 dyn_session_now() - pace->pace.seen_ms >= FRESH_MS))
	{
		dyn_pace_init(&pace->pace, connection->max_concurrency);
		pace->statement = statement;
	}
	return pace;
}
