/*
 * table_pace.h
 *		The pace of each table and index that a connection reads (aws/pace.h).
 *
 * What one statement has learned, another one forgets: it begins like in a new
 * session, whatever has happened to the ones before.  But a statement that runs
 * inside another one, which has just read the same table, goes on at its pace:
 * it is one load for the service.
 */
#ifndef DYN_MODEL_TABLE_PACE_H
#define DYN_MODEL_TABLE_PACE_H

#include "../../aws/pace.h"
#include "session.h"

typedef struct DynTablePace
{
	struct DynTablePace *next;
	char	   *table;
	char	   *index;			/* "": the table itself */
	DynPace		pace;
	int			in_flight;		/* requests of all statements */
	uint64		statement;		/* that it was begun for */

	/* the last throttle that named the limit of a partition */
	double		hot_ms;
	const void *hot_stream;		/* NULL: none */
	double		shared_ms;		/* the last one that followed another stream's
								 * soon: the partition may be the same */
} DynTablePace;

/*
 * Found or made in the connection's memory; valid as long as the connection is
 * pinned.  Statements are told apart by a number; is_running tells whether one
 * has not ended yet.
 */
extern DynTablePace *dyn_table_pace(DynConnection *connection,
									const char *table, const char *index,
									uint64 statement,
									bool (*is_running) (uint64 statement));

#endif
