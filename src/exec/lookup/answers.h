/*
 * answers.h
 *		Answers to lookups, remembered within a bound of memory.
 *
 * An answer is found by the identity of its request.  It is in use while
 * announced executions still need it; one that is known and not in use stays
 * until its memory is wanted, the one longest unused going first.
 */
#ifndef DYN_EXEC_ANSWERS_H
#define DYN_EXEC_ANSWERS_H

#include "executor/tuptable.h"
#include "lib/ilist.h"

#include "../byte_key.h"
#include "../fetch/base_keys.h"

typedef enum DynAnswerState
{
	DYN_ANSWER_UNKNOWN,			/* not asked for, or given up */
	DYN_ANSWER_ASKED,			/* its request is part of a fetch */
	DYN_ANSWER_KNOWN			/* all of it is here */
} DynAnswerState;

/* Rows of one request that are needed once each, and freed together. */
typedef struct DynPassingRows
{
	MemoryContext context;		/* of the rows, and of this */
	int			left;			/* rows that are still needed */
} DynPassingRows;

typedef struct DynAnswer
{
	DynByteKey key;			/* first: what the table hashes */
	DynAnswerState state;
	int			asked_at;		/* ASKED: position among what was asked for */
	int			uses;			/* executions, and answers that list it */
	bool		ended;			/* its stream has nothing more */
	bool		keeping;		/* all that was taken so far is here */
	uint64		taken;			/* rows or items that came */
	uint64		count;			/* Select=COUNT */

	int			nrows;
	int			row_space;
	MinimalTuple *rows;

	/* or its only row, if that is needed only once */
	DynPassingRows *passing;	/* NULL: not so */
	Datum	   *values;
	bool	   *nulls;

	/* of an index: the answers to the table's keys that it lists */
	int			nitems;
	int			item_space;
	struct DynAnswer **items;
	DynBaseKeys *base_keys;		/* that were listed and forgotten; NULL: none */
	uint64		listing;		/* number of the present listing, never used again */
	uint64		listed_by;		/* the last listing that had it; tells repeated keys */

	Size		bytes;
	bool		is_idle;
	dlist_node	idle;			/* in the order of last use */
} DynAnswer;

typedef struct DynAnswers
{
	MemoryContext context;
	struct HTAB *table;
	dlist_head	idle;
	Size		bytes;
	Size		max_bytes;
} DynAnswers;

/* In a context of its own below the current one. */
extern DynAnswers *dyn_answers_create(Size max_bytes);

/* The answer to a request, made UNKNOWN if there was none.  Copies the key. */
extern DynAnswer *dyn_answers_get(DynAnswers *answers, const char *key, Size len);

/* One more use, one less. */
extern void dyn_answer_use(DynAnswer *answer);
extern void dyn_answer_release(DynAnswers *answers, DynAnswer *answer);

/* Adds a copy of the slot's row. */
extern void dyn_answer_add_row(DynAnswers *answers, DynAnswer *answer,
							   TupleTableSlot *slot);

/* For rows of one request; below the current context. */
extern DynPassingRows *dyn_passing_rows_create(void);

/*
 * The slot's row is the answer's only one, and is gone when the answer's only
 * use is released; the answer is unknown then.  What the slot's values point to is
 * in the context of the passing rows already.
 */
extern void dyn_answer_pass_row(DynAnswer *answer, DynPassingRows *passing,
								const TupleTableSlot *slot);

/* Adds what an index lists, and a use of it. */
extern void dyn_answer_add_item(DynAnswers *answers, DynAnswer *answer,
								DynAnswer *item);

/* Its index lists no more for it. */
extern void dyn_answer_end_listing(DynAnswer *answer);

/* It came to its end: KNOWN if all of it was kept. */
extern void dyn_answer_end(DynAnswers *answers, DynAnswer *answer);

/*
 * Forgets what the answer holds; what comes from now on is not kept.
 */
extern void dyn_answer_stop_keeping(DynAnswers *answers, DynAnswer *answer);

/* Frees the answer, which nobody uses. */
extern void dyn_answer_forget(DynAnswers *answers, DynAnswer *answer);

/* Forgets idle ones above the bound; true if the rest is within it. */
extern bool dyn_answers_trim(DynAnswers *answers);

#endif
