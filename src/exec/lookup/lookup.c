/*
 * lookup.c
 *		Answers many executions of one scan together.
 *
 * Requests leave as soon as they are complete, while more is announced (asking.c).
 * Items of a batch are told apart by their keys.
 *
 * Index, then base: a Query lists keys of the table; these are asked for as
 * answers of their own, a piece of them at a time (piece: about as many as fill
 * the lanes), and the index's answer holds references to them.
 *
 * An answer is taken from its stream while the first execution that needs it is
 * served, and kept for the others: those announced, and as far as memory allows
 * those that may follow.  If what is needed later has to be let go, dyn_lookups_open
 * refuses and the scan asks alone.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "../../model/pg_compat.h"
#include "answers.h"
#include "asking.h"
#include "lookup.h"

/* What a batch of announcements asks for at most, for each lane. */
#define KEYS_PER_LANE		(2 * DYN_BATCH_GET_MAX_KEYS)
#define QUERIES_PER_LANE	64
#define INDEX_QUERIES_PER_LANE	16

/* Of one request: rows that are not remembered take no more than this. */
#define PASSING_BYTES		(1024 * 1024)

/* The execution for one outer row. */
typedef struct Announced
{
	Datum	   *values;			/* copies */
	bool	   *nulls;
	bool		refused;		/* it cannot be served */
	int			nanswers;
	DynAnswer **answers;
} Announced;

struct DynLookups
{
	DynReader  *reader;
	int			nvalues;		/* of an execution */
	int16	   *lens;			/* of the values */
	bool	   *byvals;
	MemoryContext context;
	MemoryContext announced_context;	/* of the batch */
	MemoryContext work_context; /* of one announcement or item */
	DynAnswers *answers;
	bool		by_key;			/* first asks for whole keys, not partitions */
	DynRows    *rows;			/* of what becomes a row */
	DynRows    *index_rows;		/* index, then base: of what the index lists */
	TupleTableSlot *slot;		/* for rows that are kept */
	DynAsking	first;			/* by the values */
	DynAsking	base;			/* then_base: by the keys that came */
	DynBuffer	identity;		/* of a request, while it is looked for */
	uint64		listings;		/* Querys that were asked, see DynAnswer */
	DynLookupCounters counters;

	int			nannounced;
	int			space;
	Announced  *announced;
	int			next;			/* is expected to be executed */
	bool		last;			/* no other batch is expected */

	Announced  *open;			/* NULL: none */
	int			position;		/* among its answers */
	int			row;			/* of that answer; then_base: of its items */
	int			item_row;		/* then_base: of that item */
};

/* ---- making ---- */

/*
 * Rows of whole keys show the key, by which they are told apart; those of
 * Queries their partition key, as Queries of many are in flight.
 */
static DynRows *
lookup_rows(DynReader *reader)
{
	if (reader->access->count_only)
		return reader->rows;
	if (reader->access->kind == DYN_ACCESS_QUERY && reader->index_rows == NULL)
		return dyn_reader_rows_with_partition(reader);
	return dyn_reader_rows_with_keys(reader);
}

static void
init_asking(DynLookups *lookups, DynAsking *asking, const DynRows *rows)
{
	asking->reader = lookups->reader;
	asking->answers = lookups->answers;
	asking->rows = rows;
	asking->work_context = lookups->work_context;
	dyn_asking_init(asking);
}

static void
init_types(DynLookups *lookups, const List *exprs)
{
	int			n = list_length(exprs);

	lookups->nvalues = n;
	lookups->lens = palloc(Max(n, 1) * sizeof(int16));
	lookups->byvals = palloc(Max(n, 1) * sizeof(bool));
	for (int i = 0; i < n; i++)
		get_typlenbyval(exprType(list_nth(exprs, i)), &lookups->lens[i],
						&lookups->byvals[i]);
}

/* Runs when the context goes. */
static void
release_identity(void *arg)
{
	dyn_buffer_free(arg);
}

static void
init_identity(DynLookups *lookups)
{
	MemoryContextCallback *callback = palloc(sizeof(MemoryContextCallback));

	dyn_buffer_init(&lookups->identity, 0);
	callback->func = release_identity;
	callback->arg = &lookups->identity;
	MemoryContextRegisterResetCallback(lookups->context, callback);
}

DynLookups *
dyn_lookups_create(DynReader *reader, List *exprs, TupleDesc desc)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo_fdw lookups",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext oldcontext = MemoryContextSwitchTo(context);
	DynLookups *lookups = palloc0(sizeof(DynLookups));

	dyn_reader_check_schema(reader);
	lookups->reader = reader;
	lookups->context = context;
	lookups->by_key = (reader->access->kind == DYN_ACCESS_GET);
	lookups->rows = lookup_rows(reader);
	if (reader->index_rows != NULL)
		lookups->index_rows = dyn_reader_index_rows(reader, true);
	lookups->answers = dyn_answers_create(get_hash_memory_limit());
	lookups->announced_context = AllocSetContextCreate(context,
													   "dynamo_fdw announced",
													   ALLOCSET_DEFAULT_SIZES);
	lookups->work_context = AllocSetContextCreate(context,
												  "dynamo_fdw lookup work",
												  ALLOCSET_DEFAULT_SIZES);
	init_asking(lookups, &lookups->first,
				lookups->index_rows ? lookups->index_rows : lookups->rows);
	init_asking(lookups, &lookups->base, lookups->rows);
	init_types(lookups, exprs);
	init_identity(lookups);
	/* a copy, which nobody has to unpin */
	lookups->slot = MakeSingleTupleTableSlot(CreateTupleDescCopy(desc),
											 &TTSOpsVirtual);
	MemoryContextSwitchTo(oldcontext);
	return lookups;
}

void
dyn_lookups_free(DynLookups *lookups)
{
	/* listings may have files */
	dyn_asking_reset(&lookups->first, 0);
	MemoryContextDelete(lookups->context);
}

const DynLookupCounters *
dyn_lookups_counters(const DynLookups *lookups)
{
	return &lookups->counters;
}

/* ---- identities ---- */

static DynAnswer *
answer_of_identity(DynLookups *lookups)
{
	if (lookups->identity.failed)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	return dyn_answers_get(lookups->answers, lookups->identity.data,
						   lookups->identity.len);
}

/* The parts have the same names and types wherever they are compared. */
static void
begin_identity(DynLookups *lookups, char kind, const DynKeyPart *parts, int nparts)
{
	dyn_buffer_reset(&lookups->identity);
	dyn_buffer_append_char(&lookups->identity, kind);
	dyn_key_append(&lookups->identity, parts, nparts);
}

/* The answer to a whole key of the table. */
static DynAnswer *
answer_of_key(DynLookups *lookups, const DynKeyPart *parts, int nparts)
{
	begin_identity(lookups, 'k', parts, nparts);
	return answer_of_identity(lookups);
}

/* The answer to a Query. */
static DynAnswer *
answer_of_query(DynLookups *lookups, const DynBound *bound, int partition)
{
	begin_identity(lookups, 'q', &bound->keys[(Size) partition * bound->nparts],
				   bound->nparts);
	for (int i = 0; i < bound->nrange; i++)
		dyn_cond_identity(bound->range[i], &lookups->identity);
	if (bound->filter != NULL)
	{
		dyn_buffer_append_char(&lookups->identity, 'f');
		dyn_cond_identity(bound->filter, &lookups->identity);
	}
	return answer_of_identity(lookups);
}

/* ---- announcing ---- */

static void
release_announced(DynLookups *lookups, Announced *announced)
{
	for (int i = 0; i < announced->nanswers; i++)
	{
		dyn_answer_release(lookups->answers, announced->answers[i]);
		dyn_asking_give_up(&lookups->first, announced->answers[i]);
	}
	announced->nanswers = 0;
}

void
dyn_lookups_begin(DynLookups *lookups)
{
	dyn_lookups_close(lookups);
	while (lookups->next < lookups->nannounced)
		release_announced(lookups, &lookups->announced[lookups->next++]);
	dyn_asking_reset(&lookups->base, lookups->reader->access->nbase);
	dyn_asking_reset(&lookups->first,
					 lookups->by_key ? lookups->reader->access->nbase : 0);
	MemoryContextReset(lookups->announced_context);
	lookups->nannounced = lookups->space = lookups->next = 0;
	lookups->announced = NULL;
}

/* With a copy of the values. */
static Announced *
new_announced(DynLookups *lookups, const DynValues *values)
{
	Announced  *announced;

	if (lookups->nannounced == lookups->space)
	{
		lookups->space = Max(16, lookups->space * 2);
		lookups->announced = dyn_grown(lookups->announced,
								   lookups->space * sizeof(Announced));
	}
	announced = &lookups->announced[lookups->nannounced++];
	announced->values = palloc(Max(values->n, 1) * (sizeof(Datum) + sizeof(bool)));
	announced->nulls = (bool *) (announced->values + values->n);
	for (int i = 0; i < values->n; i++)
	{
		announced->nulls[i] = values->nulls[i];
		announced->values[i] = values->nulls[i] ? (Datum) 0
			: datumCopy(values->values[i], lookups->byvals[i], lookups->lens[i]);
	}
	return announced;
}

/* Binds once more, where conditions may stay, and fills in what is new. */
static void
fill_terms(DynLookups *lookups, const Announced *announced, int first_new)
{
	DynAsking  *asking = &lookups->first;
	DynReader  *reader = lookups->reader;
	DynValues	values = {lookups->nvalues, announced->values, announced->nulls};
	MemoryContext oldcontext = MemoryContextSwitchTo(asking->context);
	DynBound   *bound = palloc(sizeof(DynBound));

	dyn_bind_values(reader->access, reader->relation, &values, bound);
	for (int i = 0; i < announced->nanswers; i++)
	{
		const DynAnswer *answer = announced->answers[i];

		if (answer->state == DYN_ANSWER_ASKED && answer->asked_at >= first_new)
			dyn_bound_terms(bound, i, &asking->terms[answer->asked_at]);
	}
	MemoryContextSwitchTo(oldcontext);
}

static void
find_answers(DynLookups *lookups, Announced *announced, const DynBound *bound)
{
	for (int i = 0; i < bound->nkeys; i++)
	{
		const DynKeyPart *parts = &bound->keys[(Size) i * bound->nparts];
		DynAnswer  *answer = lookups->by_key
			? answer_of_key(lookups, parts, bound->nparts)
			: answer_of_query(lookups, bound, i);

		CHECK_FOR_INTERRUPTS();
		if (answer->state == DYN_ANSWER_UNKNOWN)
		{
			dyn_asking_add(&lookups->first, answer);
			answer->listing = ++lookups->listings;
			if (lookups->by_key)
				dyn_asking_keep_key(&lookups->first, answer, parts);
			lookups->counters.distinct_keys++;
		}
		else
			lookups->counters.repeated_keys++;
		dyn_answer_use(answer);
		announced->answers[announced->nanswers++] = answer;
	}
}

/*
 * The keys are looked for in memory that is given back at once; only what is
 * new is made again to stay.
 */
void
dyn_lookups_announce(DynLookups *lookups, const DynValues *given)
{
	DynReader  *reader = lookups->reader;
	MemoryContext oldcontext = MemoryContextSwitchTo(lookups->announced_context);
	Announced  *announced = new_announced(lookups, given);
	DynValues	values = {lookups->nvalues, announced->values, announced->nulls};
	int			first_new = lookups->first.n;
	DynBound	bound;

	announced->nanswers = 0;
	announced->answers = NULL;
	MemoryContextSwitchTo(lookups->work_context);
	dyn_bind_values(reader->access, reader->relation, &values, &bound);
	announced->refused = bound.incomplete;
	if (!bound.nothing && !bound.incomplete)
	{
		announced->answers = MemoryContextAllocHuge(lookups->announced_context,
													bound.nkeys * sizeof(DynAnswer *));
		find_answers(lookups, announced, &bound);
	}
	MemoryContextSwitchTo(oldcontext);
	dyn_reset_if_large(lookups->work_context);
	if (!lookups->by_key && lookups->first.n > first_new)
		fill_terms(lookups, announced, first_new);
	dyn_asking_send(&lookups->first, dyn_asking_complete(&lookups->first));
}

bool
dyn_lookups_is_full(const DynLookups *lookups)
{
	int			lanes = lookups->reader->relation->connection->max_concurrency;

	if (lookups->by_key)
		return lookups->first.n >= lanes * KEYS_PER_LANE;
	return lookups->first.n >= lanes * (lookups->reader->access->then_base
										? INDEX_QUERIES_PER_LANE : QUERIES_PER_LANE);
}

Size
dyn_lookups_memory(const DynLookups *lookups)
{
	return MemoryContextMemAllocated(lookups->announced_context, false) +
		MemoryContextMemAllocated(lookups->first.context, false);
}

void
dyn_lookups_start(DynLookups *lookups, bool last)
{
	lookups->last = last;
	dyn_asking_send(&lookups->first, lookups->first.n);
}

/* ---- opening ---- */

static bool
values_are(const DynLookups *lookups, const DynValues *values,
		   const Announced *announced)
{
	for (int i = 0; i < values->n; i++)
	{
		if (values->nulls[i] != announced->nulls[i] ||
			(!values->nulls[i] &&
			 !datum_image_eq(values->values[i], announced->values[i],
							 lookups->byvals[i], lookups->lens[i])))
			return false;
	}
	return true;
}

/*
 * Executions come in the order in which they were announced; some may be
 * passed over.  One that is repeated was served already.
 */
static int
find_announced(const DynLookups *lookups, const DynValues *values)
{
	int			next = lookups->next;

	if (next < lookups->nannounced &&
		values_are(lookups, values, &lookups->announced[next]))
		return next;
	if (next > 0 && values_are(lookups, values, &lookups->announced[next - 1]))
		return -1;
	for (int i = next + 1; i < lookups->nannounced; i++)
	{
		if (values_are(lookups, values, &lookups->announced[i]))
			return i;
	}
	return -1;
}

static bool
is_servable(const DynAnswer *answer)
{
	if (answer->state == DYN_ANSWER_UNKNOWN)
		return false;
	for (int i = 0; i < answer->nitems; i++)
	{
		if (answer->items[i]->state == DYN_ANSWER_UNKNOWN)
			return false;
	}
	return answer->keeping || answer->taken == 0;
}

/* The next row to serve is the first one of an answer. */
static void
begin_answer(DynLookups *lookups)
{
	lookups->row = lookups->item_row = 0;
	dyn_rows_end(lookups->rows);
}

bool
dyn_lookups_open(DynLookups *lookups, const DynValues *values)
{
	int			at = find_announced(lookups, values);
	bool		servable;

	Assert(lookups->open == NULL);
	if (at < 0)
		return false;
	servable = !lookups->announced[at].refused;
	while (lookups->next < at)
		release_announced(lookups, &lookups->announced[lookups->next++]);
	lookups->next = at + 1;
	lookups->open = &lookups->announced[at];
	lookups->position = 0;
	begin_answer(lookups);
	for (int i = 0; i < lookups->open->nanswers; i++)
		servable &= is_servable(lookups->open->answers[i]);
	if (!servable)
		dyn_lookups_close(lookups);
	return servable;
}

void
dyn_lookups_close(DynLookups *lookups)
{
	if (lookups->open != NULL)
		release_announced(lookups, lookups->open);
	lookups->open = NULL;
	(void) dyn_answers_trim(lookups->answers);
}

/* ---- receiving ---- */

/* Items often come in the order in which they were asked for. */
static DynAnswer *
answer_of_item(DynLookups *lookups, const DynAsking *asking,
			   const DynValue *item, int guess)
{
	int			nparts = lookups->reader->access->nbase;
	DynKeyPart	parts[2];
	DynAnswer  *answer = guess < asking->n ? asking->asked[guess] : NULL;

	dyn_rows_item_key(asking->rows, item, parts);
	begin_identity(lookups, 'k', parts, nparts);
	if (answer != NULL && !lookups->identity.failed &&
		answer->key.len == lookups->identity.len &&
		memcmp(answer->key.data, lookups->identity.data, answer->key.len) == 0)
		return answer;
	return answer_of_identity(lookups);
}

/* May the answer's row be forgotten as soon as it was served? */
static bool
is_passing(const DynLookups *lookups, const DynAsking *asking,
		   const DynAnswer *answer, const DynPassingRows *passing)
{
	return lookups->last && asking == &lookups->first && answer->uses == 1 &&
		MemoryContextMemAllocated(passing->context, false) < PASSING_BYTES;
}

static void
receive_rows(DynLookups *lookups, DynAnswer *answer)
{
	while (dyn_rows_next(lookups->rows, lookups->slot))
		dyn_answer_add_row(lookups->answers, answer, lookups->slot);
	ExecClearTuple(lookups->slot);
}

/* An item gives one row. */
static void
receive_passing_row(DynLookups *lookups, DynAnswer *answer,
					DynPassingRows *passing)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(passing->context);

	if (dyn_rows_next(lookups->rows, lookups->slot))
		dyn_answer_pass_row(answer, passing, lookups->slot);
	ExecClearTuple(lookups->slot);
	MemoryContextSwitchTo(oldcontext);
}

/* An item of a batch: the rows of the answer to its key. */
static void
receive_item(DynLookups *lookups, DynAsking *asking, const DynValue *item,
			 int guess, DynPassingRows *passing)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(lookups->work_context);
	DynAnswer  *answer = answer_of_item(lookups, asking, item, guess);

	if (answer->state != DYN_ANSWER_ASKED || answer->nrows > 0 ||
		answer->passing != NULL || asking->asked[answer->asked_at] != answer)
		elog(ERROR, "a batch holds an item that was not asked for");
	dyn_rows_begin(lookups->rows, item);
	if (is_passing(lookups, asking, answer, passing))
		receive_passing_row(lookups, answer, passing);
	else
		receive_rows(lookups, answer);
	MemoryContextSwitchTo(oldcontext);
	dyn_reset_if_large(lookups->work_context);
}

static DynPassingRows *
create_passing_rows(const DynAsking *asking)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(asking->context);
	DynPassingRows *passing = dyn_passing_rows_create();

	MemoryContextSwitchTo(oldcontext);
	return passing;
}

/* All of the batch that brings the answer; keys without an item have no row. */
static void
receive_batch(DynLookups *lookups, DynAsking *asking, int stream)
{
	int			first = stream * DYN_BATCH_GET_MAX_KEYS;
	DynPassingRows *passing = create_passing_rows(asking);
	const DynValue *item;
	int			guess = first;

	dyn_asking_set_origin(asking);
	while ((item = dyn_fetch_next_of(asking->fetch, stream)) != NULL)
		receive_item(lookups, asking, item, guess++, passing);
	if (passing->left == 0)
		MemoryContextDelete(passing->context);
	for (int i = first; i < Min(first + DYN_BATCH_GET_MAX_KEYS, asking->n); i++)
	{
		if (asking->asked[i] != NULL)
			dyn_asking_finish(asking, asking->asked[i]);
	}
	(void) dyn_answers_trim(lookups->answers);
}

/* Keeps the row for others, and for later if there is room. */
static void
keep_row(DynLookups *lookups, DynAnswer *answer, TupleTableSlot *slot)
{
	answer->taken++;
	if (!answer->keeping)
		return;
	dyn_answer_add_row(lookups->answers, answer, slot);
	if (!dyn_answers_trim(lookups->answers))
		dyn_answer_stop_keeping(lookups->answers, answer);
}

/* ---- serving ---- */

/* Begins the next item of a Query, from its stream; false at its end. */
static bool
begin_stream_item(DynLookups *lookups, DynAnswer *answer)
{
	DynAsking  *asking = &lookups->first;
	const DynValue *item = NULL;

	dyn_asking_set_origin(asking);
	if (!answer->ended)
		item = dyn_fetch_next_of(asking->fetch, answer->asked_at);
	if (item == NULL)
		dyn_asking_finish(asking, answer);
	else
		dyn_rows_begin(lookups->rows, item);
	return item != NULL;
}

static bool
next_of_stream(DynLookups *lookups, DynAnswer *answer, TupleTableSlot *slot)
{
	while (!dyn_rows_next(lookups->rows, slot))
	{
		if (!begin_stream_item(lookups, answer))
			return false;
	}
	keep_row(lookups, answer, slot);
	lookups->row = answer->nrows;
	if (lookups->reader->access->single)
	{
		/* nobody asks for a second row */
		dyn_rows_end(lookups->rows);
		dyn_fetch_drop(lookups->first.fetch, answer->asked_at);
		dyn_asking_finish(&lookups->first, answer);
	}
	return true;
}

static void
store_passing_row(const DynAnswer *answer, TupleTableSlot *slot)
{
	int			n = slot->tts_tupleDescriptor->natts;

	ExecClearTuple(slot);
	memcpy(slot->tts_values, answer->values, n * sizeof(Datum));
	memcpy(slot->tts_isnull, answer->nulls, n * sizeof(bool));
	ExecStoreVirtualTuple(slot);
}

static bool
next_of_rows(DynLookups *lookups, const DynAnswer *answer, TupleTableSlot *slot)
{
	if (answer->passing != NULL && lookups->row == 0)
	{
		store_passing_row(answer, slot);
		lookups->row++;
		return true;
	}
	if (lookups->row >= answer->nrows)
		return false;
	ExecForceStoreMinimalTuple(answer->rows[lookups->row++], slot, false);
	return true;
}

/* ---- index, then base ---- */

static int
piece_keys(const DynLookups *lookups)
{
	return lookups->reader->relation->connection->max_concurrency *
		DYN_BATCH_GET_MAX_KEYS;
}

/* Asks the table for a key that the index lists, unless it was asked before. */
static void
list_key(DynLookups *lookups, DynAnswer *answer, const DynKeyPart *parts)
{
	DynAnswer  *item = answer_of_key(lookups, parts, lookups->reader->access->nbase);

	answer->taken++;
	if (item->listed_by == answer->listing)
		return;
	if (item->state == DYN_ANSWER_UNKNOWN)
	{
		dyn_asking_add(&lookups->base, item);
		dyn_asking_keep_key(&lookups->base, item, parts);
	}
	item->listed_by = answer->listing;
	dyn_answer_add_item(lookups->answers, answer, item);
}

/* The next key that is new, of the index or of those that were set aside. */
static bool
next_listed_key(DynLookups *lookups, DynAnswer *answer, DynKeyPart *parts)
{
	const DynValue *entry;

	while ((entry = dyn_fetch_next_of(lookups->first.fetch,
									  answer->asked_at)) != NULL)
	{
		dyn_rows_item_key(lookups->index_rows, entry, parts);
		if (answer->base_keys == NULL || dyn_base_keys_add(answer->base_keys, parts))
			return true;
	}
	return answer->base_keys != NULL && dyn_base_keys_next(answer->base_keys, parts);
}

/* Lists what the index has for the answer, until the piece is full. */
static void
list_keys(DynLookups *lookups, DynAnswer *answer)
{
	bool		found = true;

	while (found && lookups->base.n < piece_keys(lookups))
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(lookups->work_context);
		DynKeyPart	parts[2];

		found = next_listed_key(lookups, answer, parts);
		if (found)
			list_key(lookups, answer, parts);
		MemoryContextSwitchTo(oldcontext);
		dyn_reset_if_large(lookups->work_context);
	}
	if (!found)
		dyn_asking_finish(&lookups->first, answer);
}

/*
 * The listing goes beyond one piece: from now on its keys are remembered apart
 * from its items, which may be forgotten, since the index may list them again.
 */
static void
remember_listed(DynLookups *lookups, DynAnswer *answer)
{
	const DynAccess *access = lookups->reader->access;
	MemoryContext oldcontext = MemoryContextSwitchTo(lookups->first.context);

	answer->base_keys = dyn_base_keys_create(access->base, access->nbase,
											 get_hash_memory_limit());
	MemoryContextSwitchTo(oldcontext);
	for (int i = 0; i < answer->nitems; i++)
	{
		DynKeyPart	parts[2];

		/* behind the identity's kind */
		dyn_key_split(answer->items[i]->key.data + 1, access->base, access->nbase,
					  parts);
		dyn_base_keys_remember(answer->base_keys, parts);
	}
}

/* What was listed was served, and is kept only if another execution needs it. */
static void
forget_listed(DynLookups *lookups, DynAnswer *answer)
{
	if (answer->nitems == 0)
		return;
	if (answer->base_keys == NULL)
		remember_listed(lookups, answer);
	if (answer->uses > 1 && dyn_answers_trim(lookups->answers))
		return;
	dyn_answer_stop_keeping(lookups->answers, answer);
	begin_answer(lookups);
}

/* The next piece: from the answer that is being served on. */
static void
next_piece(DynLookups *lookups, DynAnswer *answer)
{
	dyn_asking_reset(&lookups->base, lookups->reader->access->nbase);
	dyn_asking_set_origin(&lookups->first);
	forget_listed(lookups, answer);
	for (int i = answer->asked_at;
		 i < lookups->first.n && lookups->base.n < piece_keys(lookups); i++)
	{
		DynAnswer  *other = lookups->first.asked[i];

		if (other != NULL && !other->ended)
			list_keys(lookups, other);
	}
	dyn_asking_send(&lookups->base, lookups->base.n);
}

/* Stores the next row of the items that are listed; false after the last. */
static bool
next_listed_row(DynLookups *lookups, DynAnswer *answer, TupleTableSlot *slot)
{
	while (lookups->row < answer->nitems)
	{
		DynAnswer  *item = answer->items[lookups->row];

		if (item->state == DYN_ANSWER_ASKED)
			receive_batch(lookups, &lookups->base,
						  dyn_asking_stream(&lookups->base, item));
		if (item->state != DYN_ANSWER_KNOWN)
			elog(ERROR, "item of an index is neither known nor asked for");
		if (lookups->item_row < item->nrows)
		{
			ExecForceStoreMinimalTuple(item->rows[lookups->item_row++], slot, false);
			return true;
		}
		lookups->row++;
		lookups->item_row = 0;
	}
	return false;
}

static bool
next_of_items(DynLookups *lookups, DynAnswer *answer, TupleTableSlot *slot)
{
	while (!next_listed_row(lookups, answer, slot))
	{
		if (answer->ended || answer->state == DYN_ANSWER_KNOWN)
			return false;
		next_piece(lookups, answer);
	}
	return true;
}

/* ---- serving, all kinds ---- */

static bool
next_of_answer(DynLookups *lookups, DynAnswer *answer, TupleTableSlot *slot)
{
	if (lookups->reader->access->then_base)
		return next_of_items(lookups, answer, slot);
	if (lookups->by_key && answer->state == DYN_ANSWER_ASKED)
		receive_batch(lookups, &lookups->first, dyn_asking_stream(&lookups->first, answer));
	if (next_of_rows(lookups, answer, slot))
		return true;
	return answer->state != DYN_ANSWER_KNOWN &&
		next_of_stream(lookups, answer, slot);
}

bool
dyn_lookups_next(DynLookups *lookups, TupleTableSlot *slot)
{
	const Announced *open = lookups->open;

	if (open == NULL)
		elog(ERROR, "no lookup is open");
	while (lookups->position < open->nanswers)
	{
		if (next_of_answer(lookups, open->answers[lookups->position], slot))
			return true;
		lookups->position++;
		begin_answer(lookups);
	}
	return false;
}

uint64
dyn_lookups_count(DynLookups *lookups)
{
	const Announced *open = lookups->open;
	uint64		count = 0;

	for (int i = 0; i < open->nanswers; i++)
	{
		DynAnswer  *answer = open->answers[i];

		if (answer->state == DYN_ANSWER_ASKED)
		{
			answer->count = dyn_fetch_count_of(lookups->first.fetch,
											   answer->asked_at);
			dyn_asking_finish(&lookups->first, answer);
		}
		count += answer->count;
	}
	return count;
}
