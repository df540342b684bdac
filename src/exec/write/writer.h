/*
 * writer.h
 *		Sends the writes of a statement, several at a time.
 *
 * There is one writer for each executing statement.  It is the only sender of
 * writes: each is a request of its own, conditional, started as soon as its
 * row is known.  Up to max_concurrency of the statement's requests are in
 * flight, within its memory; a key that is being written waits its turn.
 *
 * A write ends in one of three ways.  It is written, and counted.  It has no
 * row any more, because the item is gone or the statement's conditions do not
 * select it any longer; then the statement's number of rows is corrected.  Or
 * it fails: then all other writes in flight are awaited, so that the number of
 * items written is exact, and the error is raised.
 *
 * A request is never repeated blindly.  If its outcome is unknown, outcome.c
 * decides whether a repetition can be distinguished from the first one.
 */
#ifndef DYN_EXEC_WRITER_H
#define DYN_EXEC_WRITER_H

#include "nodes/execnodes.h"

#include "../../dynamodb/update.h"
#include "../../dynamodb/write.h"
#include "../statement/statement.h"

struct DynModify;

typedef enum DynWriteState
{
	DYN_WRITE_NEW,				/* composed, not sent */
	DYN_WRITE_SENT,
	DYN_WRITE_PAUSED,			/* to be sent again at due_ms */
	DYN_WRITE_WRITTEN,			/* DynamoDB has confirmed it */
	DYN_WRITE_NO_ROW,			/* there is nothing to write any more */
	DYN_WRITE_FAILED			/* its error will be raised */
} DynWriteState;

/* Errors of a write. */
typedef enum DynWriteFailure
{
	DYN_FAILS_CALL,				/* that of the call */
	DYN_FAILS_DUPLICATE,		/* its key exists */
	DYN_FAILS_CONCURRENT,		/* its row was changed by another writer */
	DYN_FAILS_UNKNOWN,			/* it is not known whether it was executed */
	DYN_FAILS_THROTTLED,		/* throttled for too long */
	DYN_FAILS_HIDDEN_VALUES,	/* would replace values that a column cannot
								 * show */
	DYN_FAILS_NOT_A_MAP			/* a path leads through another type */
} DynWriteFailure;

/* The write of one item. */
typedef struct DynWrite
{
	struct DynModify *modify;
	DynWriteState state;
	MemoryContext context;		/* holds what the fields below point to */
	bool		returned;		/* true if the executor has counted the row */

	/* the request */
	DynOperation op;
	DynKeyPart	key[2];
	const char *key_bytes;		/* the key, for comparison */
	size_t		key_len;
	const char *item;			/* PutItem: the item */
	size_t		item_len;
	DynPathValue *values;		/* UpdateItem: what it sets and removes */
	int			nvalues;
	DynPathValue *guard;		/* values that must not have changed */
	int			nguard;
	DynPath   **maps;			/* paths that must be maps */
	int			nmaps;
	DynReturnValues returns;
	DynCall    *call;
	double		cost;			/* expected write units */

	/* its row, for another evaluation (UPDATE, DELETE) */
	MinimalTuple plan_row;		/* row of the subplan */
	MinimalTuple old_row;		/* the table's row, as last read */
	Bitmapset  *guarded;		/* columns that the guard compares */
	bool		derived;		/* true if the values depend on what was read */
	int			rounds;			/* number of evaluations after the first */

	int			unanswered;		/* attempts whose outcome is unknown */
	double		due_ms;			/* PAUSED: time of the next attempt */
	const char *attributes;		/* WRITTEN: the item that was returned, or
								 * NULL */
	size_t		attributes_len;
	DynWriteFailure failure;	/* FAILED: its error... */
	const char *why;			/* ...and the reason or path for its text */
	const char *found;			/* DUPLICATE: the item that has the key, or
								 * NULL */
	size_t		found_len;
} DynWrite;

typedef struct DynWriter
{
	DynStatement *statement;
	MemoryContext context;		/* its reset abandons what is in flight */
	int			level;			/* nesting level of the transaction that it
								 * belongs to */
	struct DynWriter *next;		/* all writers of the session */
	List	   *modifies;		/* DynModify * */
	List	   *writes;			/* DynWrite *: SENT and PAUSED */
	List	   *collected;		/* DynWrite *: to be sent together (atomic.h) */
	size_t		collected_bytes;
	DynTokens  *tokens;
	DynBuffer	update_text;
	DynBuffer	condition_text;
	DynWrite   *failed;			/* write whose error is raised when the others
								 * have ended; or NULL */
} DynWriter;

/* Returns the writer of a statement, created on first use. */
extern DynWriter *dyn_writer_get(EState *estate);

/* Returns the writer of a statement, or NULL. */
extern DynWriter *dyn_writer_find(const EState *estate);

/*
 * Sends the write when the statement's limits allow it.  With `wait`, waits
 * for its end; the caller then frees it.  Otherwise the writer owns it.
 */
extern void dyn_writer_send(DynWriter *writer, DynWrite *write, bool wait);

/* Corrects the count of rows: one that was counted does not exist any more. */
extern void dyn_write_uncount(const struct DynModify *modify);

/* Waits until nothing is in flight. */
extern void dyn_writer_finish(DynWriter *writer);

/* Ends all requests of this nesting level of transactions and below. */
extern void dyn_writers_abandon(int level);

#endif
