/*
 * table_pace.h
 *		The pace (measured rate, aws/pace.h) of each table and index that a
 *		connection reads, and of the writes of each table.
 *
 * A new statement does not reuse the pace learned by an earlier one; it starts
 * as in a new session.  A statement that is nested in a running statement, and
 * reads a table that the outer statement has just read, continues at the outer
 * statement's pace, since both statements read from this table.
 */
#ifndef DYN_MODEL_TABLE_PACE_H
#define DYN_MODEL_TABLE_PACE_H

#include "../../aws/pace.h"
#include "session.h"

typedef struct DynTablePace
{
	struct DynTablePace *next;
	char	   *table;
	char	   *index;			/* index name; "": the table itself; " writes":
								 * writes of the table */
	DynPace		pace;
	int			in_flight;		/* number of requests in flight, of all
								 * statements */
	uint64		statement;		/* number of the statement that started the
								 * pace */

	/*
	 * time and stream of the last request that a partition's limit throttled
	 */
	double		hot_ms;
	const void *hot_stream;		/* stream, or NULL */
	double		shared_ms;		/* last time that such requests of two streams
								 * were throttled shortly after each other:
								 * both streams may read one partition */
} DynTablePace;

/*
 * Returns the pace, found or created in the connection's memory; valid as long
 * as the connection is pinned.  `statement` is the number of the running
 * statement; `is_running` returns true for a statement that has not ended yet.
 */
extern DynTablePace *dyn_table_pace(DynConnection *connection,
									const char *table, const char *index,
									uint64 statement,
									bool (*is_running) (uint64 statement));

#endif
