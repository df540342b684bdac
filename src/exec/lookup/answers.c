/*
 * answers.c
 *		Remembers answers to lookups.
 *
 * Idle answers are kept in a list of their own, so that making room never looks
 * at those in use.  Memory is counted as asked for; what the allocator adds is
 * left to the bound's own slack.
 */
#include "postgres.h"

#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "answers.h"

DynAnswers *
dyn_answers_create(Size max_bytes)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo_fdw answers",
												  ALLOCSET_DEFAULT_SIZES);
	DynAnswers *answers = MemoryContextAllocZero(context, sizeof(DynAnswers));

	answers->context = context;
	answers->max_bytes = max_bytes;
	answers->table = dyn_byte_key_table("dynamo_fdw answers", 1024,
										sizeof(DynAnswer), context);
	dlist_init(&answers->idle);
	return answers;
}

static void
count_bytes(DynAnswers *answers, DynAnswer *answer, Size bytes)
{
	answer->bytes += bytes;
	answers->bytes += bytes;
}

DynAnswer *
dyn_answers_get(DynAnswers *answers, const char *key, Size len)
{
	DynByteKey wanted = {key, len};
	bool		found;
	DynAnswer  *answer = hash_search(answers->table, &wanted, HASH_ENTER, &found);
	char	   *copy;

	if (found)
		return answer;
	memset((char *) answer + sizeof(DynByteKey), 0,
		   sizeof(DynAnswer) - sizeof(DynByteKey));
	answer->keeping = true;
	/* until the copy is made, the caller's key serves */
	copy = MemoryContextAlloc(answers->context, Max(len, 1));
	memcpy(copy, key, len);
	answer->key.data = copy;
	count_bytes(answers, answer, sizeof(DynAnswer) + len);
	return answer;
}

static void
leave_idle(DynAnswer *answer)
{
	if (answer->is_idle)
		dlist_delete(&answer->idle);
	answer->is_idle = false;
}

static void
enter_idle(DynAnswers *answers, DynAnswer *answer)
{
	if (answer->uses > 0 || answer->is_idle || answer->state != DYN_ANSWER_KNOWN)
		return;
	answer->is_idle = true;
	dlist_push_tail(&answers->idle, &answer->idle);
}

void
dyn_answer_use(DynAnswer *answer)
{
	leave_idle(answer);
	answer->uses++;
}

/* ---- rows that are needed once ---- */

DynPassingRows *
dyn_passing_rows_create(void)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo_fdw passing rows",
												  ALLOCSET_DEFAULT_SIZES);
	DynPassingRows *passing = MemoryContextAlloc(context, sizeof(*passing));

	passing->context = context;
	passing->left = 0;
	return passing;
}

void
dyn_answer_pass_row(DynAnswer *answer, DynPassingRows *passing,
					const TupleTableSlot *slot)
{
	int			n = slot->tts_tupleDescriptor->natts;

	Assert(answer->uses == 1 && answer->nrows == 0 && answer->passing == NULL);
	answer->values = MemoryContextAlloc(passing->context,
										n * (sizeof(Datum) + sizeof(bool)));
	answer->nulls = (bool *) (answer->values + n);
	memcpy(answer->values, slot->tts_values, n * sizeof(Datum));
	memcpy(answer->nulls, slot->tts_isnull, n * sizeof(bool));
	answer->passing = passing;
	passing->left++;
}

static void
let_pass(DynAnswer *answer)
{
	DynPassingRows *passing = answer->passing;

	answer->passing = NULL;
	answer->state = DYN_ANSWER_UNKNOWN;
	if (--passing->left == 0)
		MemoryContextDelete(passing->context);
}

/* ---- uses ---- */

void
dyn_answer_release(DynAnswers *answers, DynAnswer *answer)
{
	Assert(answer->uses > 0);
	answer->uses--;
	if (answer->passing != NULL)
		let_pass(answer);
	enter_idle(answers, answer);
}

void
dyn_answer_add_row(DynAnswers *answers, DynAnswer *answer, TupleTableSlot *slot)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(answers->context);

	if (answer->nrows == answer->row_space)
	{
		answer->row_space = Max(4, answer->row_space * 2);
		answer->rows = answer->rows
			? repalloc_huge(answer->rows, answer->row_space * sizeof(MinimalTuple))
			: palloc(answer->row_space * sizeof(MinimalTuple));
	}
	answer->rows[answer->nrows] = ExecCopySlotMinimalTuple(slot);
	count_bytes(answers, answer,
				answer->rows[answer->nrows]->t_len + sizeof(MinimalTuple));
	answer->nrows++;
	MemoryContextSwitchTo(oldcontext);
}

void
dyn_answer_add_item(DynAnswers *answers, DynAnswer *answer, DynAnswer *item)
{
	if (answer->nitems == answer->item_space)
	{
		Size		size;

		answer->item_space = Max(8, answer->item_space * 2);
		size = answer->item_space * sizeof(DynAnswer *);
		answer->items = answer->items ? repalloc_huge(answer->items, size)
			: MemoryContextAlloc(answers->context, size);
	}
	answer->items[answer->nitems++] = item;
	dyn_answer_use(item);
	count_bytes(answers, answer, sizeof(DynAnswer *));
}

void
dyn_answer_end_listing(DynAnswer *answer)
{
	if (answer->base_keys != NULL)
		dyn_base_keys_free(answer->base_keys);
	answer->base_keys = NULL;
}

void
dyn_answer_end(DynAnswers *answers, DynAnswer *answer)
{
	dyn_answer_end_listing(answer);
	answer->ended = true;
	if (answer->keeping)
		answer->state = DYN_ANSWER_KNOWN;
	enter_idle(answers, answer);
}

static void
drop_contents(DynAnswers *answers, DynAnswer *answer)
{
	for (int i = 0; i < answer->nrows; i++)
		pfree(answer->rows[i]);
	if (answer->rows != NULL)
		pfree(answer->rows);
	for (int i = 0; i < answer->nitems; i++)
		dyn_answer_release(answers, answer->items[i]);
	if (answer->items != NULL)
		pfree(answer->items);
	answer->rows = NULL;
	answer->items = NULL;
	answer->nrows = answer->row_space = 0;
	answer->nitems = answer->item_space = 0;
}

void
dyn_answer_stop_keeping(DynAnswers *answers, DynAnswer *answer)
{
	Size		rest = sizeof(DynAnswer) + answer->key.len;

	drop_contents(answers, answer);
	answers->bytes -= answer->bytes - rest;
	answer->bytes = rest;
	answer->keeping = false;
}

void
dyn_answer_forget(DynAnswers *answers, DynAnswer *answer)
{
	char	   *key = unconstify(char *, answer->key.data);

	Assert(answer->uses == 0);
	leave_idle(answer);
	dyn_answer_end_listing(answer);
	drop_contents(answers, answer);
	answers->bytes -= answer->bytes;
	hash_search(answers->table, &answer->key, HASH_REMOVE, NULL);
	pfree(key);
}

bool
dyn_answers_trim(DynAnswers *answers)
{
	while (answers->bytes > answers->max_bytes && !dlist_is_empty(&answers->idle))
		dyn_answer_forget(answers, dlist_container(DynAnswer, idle,
												   dlist_head_node(&answers->idle)));
	return answers->bytes <= answers->max_bytes;
}
