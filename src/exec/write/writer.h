/*
 * writer.h
 *		Sends the writes of a statement, several at a time.
 *
 * There is one writer for each executing statement.  It is the only sender of
 * writes.  Each row is one conditional request, sent as soon as the row is
 * known.  Up to max_concurrency requests of the statement are in flight, if
 * its memory permits.  Writes of the same key are sent one after the other.
 *
 * If nothing is written for a row, for example because its item is gone, the
 * statement's number of rows is corrected.  If a write fails, the writer first
 * waits for the other writes in flight, so that the number of items written is
 * known exactly.
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
	DYN_WRITE_UNREAD,			/* condition failed; the item must be read */
	DYN_WRITE_WRITTEN,			/* confirmed, or nothing to change */
	DYN_WRITE_NO_ROW,			/* nothing was written for the row */
	DYN_WRITE_FAILED			/* its error will be raised */
} DynWriteState;

/* The write of one item, or of all collected items (TransactWriteItems). */
typedef struct DynWrite
{
	struct DynModify *modify;
	DynWriteState state;
	MemoryContext context;		/* memory of what the fields below point to;
								 * dyn_write_judge_item adds child contexts */
	bool		returned;		/* true if the executor has counted the row */

	/* the request */
	DynOperation op;
	DynKeyPart	key[2];
	const char *key_bytes;		/* encoding of the key, to compare keys */
	size_t		key_len;
	DynScalar	item;			/* PutItem: the item, a value of type M */
	size_t		least_bytes;	/* minimum size of the values to be written */
	DynPathValue *values;		/* UpdateItem: values to set; ABSENT removes */
	int			nvalues;
	DynPathValue *composed;		/* UpdateItem: `values` before create_maps(),
								 * which replaces values inside a missing map
								 * by one value for this map */
	int			ncomposed;
	DynPathValue *created;		/* UpdateItem: paths of maps to create, and the
								 * values (ABSENT or NULL) that they replace */
	int			ncreated;
	DynPathValue *guard;		/* values that must not have changed */
	int			nguard;
	DynCall    *call;
	double		cost;			/* write units charged to the budgets */

	/* used to evaluate the row again (UPDATE, DELETE, DO UPDATE) */
	MinimalTuple plan_row;		/* subplan's row; DO UPDATE: row to insert */
	List	   *repeated;		/* list of MinimalTuple: later rows of the
								 * subplan for the same item */
	MinimalTuple old_row;		/* the table's row, as last read */
	Bitmapset  *guarded;		/* columns that the guard compares */
	Bitmapset  *replaced;		/* columns that the guard also compares if the
								 * write is repeated after an unknown outcome */
	bool		affects;		/* true if its row was added to `affected` */
	bool		overtaken;		/* true if a nested statement has written the row
								 * after it was read or sent */
	bool		guards_replaced;	/* true if `replaced` was added to guard */
	bool		derived;		/* true if new values depend on read values */
	int			rounds;			/* number of times that the write was composed
								 * again; transaction: number of conflicts */

	int			unanswered;		/* number of attempts of unknown outcome */
	double		due_ms;			/* monotonic time (ms) of next attempt, or 0 */
	DynWritten	written;		/* response that confirms the request */
	DynScalar	attributes;		/* item that RETURNING shows, or ABSENT */
	void		(*report) (struct DynWrite *write); /* raises the error */
	const char *why;			/* if FAILED: text for the error message; in
								 * other states: description of what is wrong
								 * with the last response; NULL if none */
} DynWrite;

static inline bool
dyn_write_is_transaction(const DynWrite *write)
{
	return write->op == DYN_OP_TRANSACT_WRITE_ITEMS;
}

typedef struct DynWriter
{
	DynStatement *statement;
	MemoryContext context;		/* its reset abandons requests in flight */
	int			level;			/* transaction nesting level at creation */
	struct DynWriter *next;		/* next older writer of the session, maybe of a
								 * statement that waits for this one */
	List	   *modifies;		/* list of DynModify * */
	List	   *deferred;		/* list of DynDeferredRun: rows to be sent later,
								 * in this order (flush.c) */
	struct HTAB *met;			/* keys of rows that UPDATE or DELETE wrote or
								 * deferred; NULL if no row can come twice */
	struct HTAB *affected;		/* keys of rows that the statement or its functions
								 * inserted or updated; NULL without DO UPDATE */
	struct HTAB *nested;		/* keys of rows that functions and triggers of the
								 * statement have updated or deleted; or NULL */
	bool		skipped;		/* true if rows were skipped because an earlier
								 * row of the same item was deferred */
	List	   *writes;			/* list of DynWrite: SENT, PAUSED, UNREAD or,
								 * after dyn_writers_await, FAILED */
	DynWrite   *waiting;		/* write that waits to be sent, or NULL */
	List	   *collected;		/* writes to be sent together (atomic.c) */
	List	   *later;			/* rest of `collected`: the writes that follow
								 * the write whose condition failed, while that
								 * failure is handled */
	size_t		collected_bytes;	/* sum of least_bytes in `collected` */
	size_t		collected_json; /* sum of the items' sizes as JSON */
	bool		omits_items;	/* true if responses to failed conditions must
								 * omit the items, which are too large */
	DynTokens  *tokens;			/* placeholders of the request being rendered */
	DynBuffer	update;
	DynBuffer	condition;
	DynWrite   *failed;			/* write whose error will be raised, or NULL */
} DynWriter;

/* Returns the writer of a statement, created on first use. */
extern DynWriter *dyn_writer_get(EState *estate);

extern DynWriter *dyn_writer_find(const EState *estate);

/*
 * Sends the write when the statement's limits allow it.  If `wait`, waits
 * until the write has ended; the caller must then free the write.  Otherwise
 * the writer owns the write.
 */
extern void dyn_writer_send(DynWriter *writer, DynWrite *write, bool wait);

/*
 * Waits until no other statement of the session has a write of the table in
 * flight, because the statement of `estate` will read or write the table.  The
 * other statements are suspended: they have called the functions that execute
 * this statement.  Their writes that were throttled, or whose outcome is
 * unknown, are sent again here.
 */
extern void dyn_writers_await(const EState *estate, const struct DynRelation *relation);

/* Waits until nothing is in flight. */
extern void dyn_writer_finish(DynWriter *writer);

/* Waits until nothing is in flight, then sends the collected writes. */
extern void dyn_writer_end(DynWriter *writer);

/* Ends the requests of writers of transaction nesting level >= `level`. */
extern void dyn_writers_abandon(int level);

/* ---- write_mode 'atomic' (atomic.c) ---- */

/*
 * Adds a write to those that dyn_writer_end sends in one TransactWriteItems.
 * The writer then owns the write.  Raises an error if DynamoDB would reject
 * the transaction, for example because it is too large.
 */
extern void dyn_atomic_add(DynWriter *writer, DynWrite *write);

/*
 * Raises an error if a nested statement has changed a row that a collected
 * UPDATE, DELETE or INSERT ... ON CONFLICT DO UPDATE is to write.
 */
extern void dyn_atomic_check_nested(const DynWriter *writer);

/*
 * Renders one request for all collected writes.  `transaction` represents
 * them, and is sent like any other write.
 */
extern void dyn_atomic_render(DynWriter *writer, DynWrite *transaction);

/*
 * Marks the call of a canceled transaction as throttled or conflicting, or as
 * failed with the error that canceled it.  Called after dyn_write_check_call.
 */
extern void dyn_atomic_check(const DynWriter *writer, DynWrite *transaction);

/*
 * Handles the response, like dyn_write_judge.  If a condition has failed,
 * nothing was written: the request is then composed again or, if the statement
 * cannot continue, the error is raised at once.
 */
extern void dyn_atomic_judge(DynWriter *writer, DynWrite *transaction);

#endif
