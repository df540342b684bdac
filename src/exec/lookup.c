/*
 * lookup.c
 *		Answers many executions of one scan together.
 *
 * What is asked for together is an Asking: a list of answers, each at its
 * position, and the fetch that brings them in that order.  Requests leave as soon as
 * they are complete, while more is announced.  Whole primary keys
 * are asked for in batches, whose items come in any order and are told apart
 * by their keys; partitions by one Query each, a stream of its own.
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

#include "../model/pg_compat.h"
#include "answers.h"
#include "lookup.h"

/* What a batch of announcements asks for at most, for each lane. */
#define KEYS_PER_LANE		(2 * DYN_BATCH_GET_MAX_KEYS)
#define QUERIES_PER_LANE	64
#define INDEX_QUERIES_PER_LANE	16

/* The execution for one outer row. */
typedef struct Announced
{
	Datum	   *values;			/* of the scan; copies */
	bool	   *nulls;
	int			nanswers;
	DynAnswer **answers;
} Announced;

typedef struct Asking
{
	MemoryContext context;		/* of what is asked for; reset for each batch */
	int			n;
	int			space;
	DynAnswer **asked;			/* NULL: given up */
	DynKeyPart *keys;			/* whole keys: nparts each */
	DynQueryTerms *terms;		/* partitions */
	int			nparts;
	const DynRows *rows;
	DynRequests *requests;
	int			sent;			/* of them, for which there are streams */
	DynFetch   *fetch;			/* NULL: nothing was sent */
} Asking;

struct DynLookups
{
	DynScan    *scan;
	int16	   *lens;			/* of the scan's values */
	bool	   *byvals;
	MemoryContext context;
	MemoryContext announced_context;	/* of the batch */
	MemoryContext work_context; /* of one announcement or item */
	DynAnswers *answers;
	bool		by_key;			/* first asks for whole keys, not partitions */
	DynRows    *rows;			/* of what becomes a row */
	TupleTableSlot *slot;		/* for rows that are kept */
	Asking		first;			/* by the values */
	Asking		base;			/* then_base: by the keys that came */
	DynBuffer	identity;		/* of a request, while it is looked for */
	uint64		listings;		/* Querys that were asked, see DynAnswer */
	DynLookupCounters counters;

	int			nannounced;
	int			space;
	Announced  *announced;
	int			next;			/* is expected to be executed */

	Announced  *open;			/* NULL: none */
	int			position;		/* among its answers */
	int			row;			/* of that answer, or item */
};

/* ---- making ---- */

/* Rows of whole keys show the key, by which they are told apart. */
static DynRows *
lookup_rows(const DynScan *scan)
{
	const DynAccess *access = scan->access;
	DynRows    *rows;

	if (access->kind == DYN_ACCESS_QUERY && !access->then_base)
		return scan->rows;
	rows = dyn_rows_create(scan->relation, access, access->base, access->nbase);
	rows->find_key = scan->rows->find_key;
	rows->find_key_arg = scan->rows->find_key_arg;
	return rows;
}

static void
init_asking(Asking *asking, const DynRows *rows)
{
	asking->context = AllocSetContextCreate(CurrentMemoryContext,
											"dynamo_fdw asked",
											ALLOCSET_DEFAULT_SIZES);
	asking->rows = rows;
}

/* Types of the scan's values. */
static void
init_types(DynLookups *lookups)
{
	ForeignScan *plan = (ForeignScan *) lookups->scan->node->ss.ps.plan;
	int			n = list_length(plan->fdw_exprs);

	lookups->lens = palloc(Max(n, 1) * sizeof(int16));
	lookups->byvals = palloc(Max(n, 1) * sizeof(bool));
	for (int i = 0; i < n; i++)
		get_typlenbyval(exprType(list_nth(plan->fdw_exprs, i)),
						&lookups->lens[i], &lookups->byvals[i]);
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
dyn_lookups_create(DynScan *scan)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo_fdw lookups",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext oldcontext = MemoryContextSwitchTo(context);
	DynLookups *lookups = palloc0(sizeof(DynLookups));
	TupleDesc	desc = scan->node->ss.ss_ScanTupleSlot->tts_tupleDescriptor;

	lookups->scan = scan;
	lookups->context = context;
	lookups->by_key = (scan->access->kind == DYN_ACCESS_GET);
	lookups->rows = lookup_rows(scan);
	lookups->answers = dyn_answers_create(get_hash_memory_limit());
	lookups->announced_context = AllocSetContextCreate(context,
													   "dynamo_fdw announced",
													   ALLOCSET_DEFAULT_SIZES);
	lookups->work_context = AllocSetContextCreate(context,
												  "dynamo_fdw lookup work",
												  ALLOCSET_DEFAULT_SIZES);
	init_asking(&lookups->first,
				scan->access->then_base ? scan->keys : lookups->rows);
	init_asking(&lookups->base, lookups->rows);
	init_types(lookups);
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
	MemoryContextDelete(lookups->context);
}

const DynLookupCounters *
dyn_lookups_counters(const DynLookups *lookups)
{
	return &lookups->counters;
}

/* ---- asking ---- */

/* Lets go of what was asked for; answers that did not come are unknown. */
static void
reset_asking(DynLookups *lookups, Asking *asking)
{
	for (int i = 0; i < asking->n; i++)
	{
		DynAnswer  *answer = asking->asked[i];

		if (answer == NULL || answer->state != DYN_ANSWER_ASKED)
			continue;
		answer->state = DYN_ANSWER_UNKNOWN;
		if (answer->uses == 0)
			dyn_answer_forget(lookups->answers, answer);
	}
	MemoryContextReset(asking->context);
	asking->n = asking->space = asking->sent = 0;
	asking->asked = NULL;
	asking->keys = NULL;
	asking->terms = NULL;
	asking->requests = NULL;
	asking->fetch = NULL;
}

static void *
grown(void *array, Size size)
{
	return array ? repalloc_huge(array, size)
		: MemoryContextAllocHuge(CurrentMemoryContext, size);
}

/* Puts an answer onto the list; its key or terms are to be filled in. */
static void
ask(Asking *asking, DynAnswer *answer)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(asking->context);

	if (asking->n == asking->space)
	{
		asking->space = Max(16, asking->space * 2);
		asking->asked = grown(asking->asked, asking->space * sizeof(DynAnswer *));
		if (asking->nparts > 0)
			asking->keys = grown(asking->keys, asking->space * asking->nparts *
								 sizeof(DynKeyPart));
		else
			asking->terms = grown(asking->terms,
								  asking->space * sizeof(DynQueryTerms));
	}
	answer->state = DYN_ANSWER_ASKED;
	answer->asked_at = asking->n;
	answer->ended = false;
	answer->keeping = true;
	answer->taken = 0;
	answer->count = 0;
	asking->asked[asking->n++] = answer;
	MemoryContextSwitchTo(oldcontext);
}

static DynRequests *
requests_of(const DynLookups *lookups, const Asking *asking, int n)
{
	const DynScan *scan = lookups->scan;
	const DynRows *rows = asking->rows;

	if (asking->nparts > 0)
		return dyn_requests_of_keys(scan->relation, asking->keys, n,
									asking->nparts, rows->projection,
									rows->nprojection);
	return dyn_requests_of_terms(scan->relation, scan->access, asking->terms, n,
								 scan->access->nhash, rows->projection,
								 rows->nprojection);
}

static void
start_asking(DynLookups *lookups, Asking *asking, int n)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(asking->context);

	asking->requests = requests_of(lookups, asking, n);
	asking->fetch = dyn_scan_start_fetch(lookups->scan, asking->requests,
										 asking->rows, true);
	MemoryContextSwitchTo(oldcontext);
}

/* Sends requests for the first n of what is asked for, as many as may be sent. */
static void
send_asked(DynLookups *lookups, Asking *asking, int n)
{
	MemoryContext oldcontext;

	if (n == asking->sent)
		return;
	if (asking->fetch == NULL)
		start_asking(lookups, asking, n);
	else if (asking->nparts > 0)
		dyn_requests_set_keys(asking->requests, asking->keys, n);
	else
		dyn_requests_set_terms(asking->requests, asking->terms, n);
	asking->sent = n;
	oldcontext = MemoryContextSwitchTo(lookups->work_context);
	dyn_fetch_extend(asking->fetch, asking->requests->nstreams);
	MemoryContextSwitchTo(oldcontext);
	dyn_reset_if_large(lookups->work_context);
}

/* The stream that brings an answer. */
static int
stream_of(const Asking *asking, const DynAnswer *answer)
{
	return asking->nparts > 0 ? answer->asked_at / DYN_BATCH_GET_MAX_KEYS
		: answer->asked_at;
}

/* All of it came.  What is known may be forgotten at any time. */
static void
finish_answer(DynLookups *lookups, Asking *asking, DynAnswer *answer)
{
	if (answer->keeping)
		asking->asked[answer->asked_at] = NULL;
	dyn_answer_end(lookups->answers, answer);
}

/* An answer that nobody needs any more: its Query is given up. */
static void
give_up(DynLookups *lookups, Asking *asking, DynAnswer *answer)
{
	if (answer->uses > 0 || answer->state != DYN_ANSWER_ASKED ||
		asking->nparts > 0)
		return;
	if (asking->fetch != NULL)
		dyn_fetch_drop(asking->fetch, stream_of(asking, answer));
	asking->asked[answer->asked_at] = NULL;
	dyn_answer_forget(lookups->answers, answer);
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
	DynBuffer  *identity = &lookups->identity;

	dyn_buffer_reset(identity);
	dyn_buffer_append_char(identity, kind);
	for (int i = 0; i < nparts; i++)
	{
		uint32		len = parts[i].value.len;

		dyn_buffer_append(identity, &len, sizeof(len));
		dyn_buffer_append(identity, parts[i].value.data, len);
	}
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
	begin_identity(lookups, 'q', &bound->keys[partition * bound->nparts],
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
		give_up(lookups, &lookups->first, announced->answers[i]);
	}
	announced->nanswers = 0;
}

void
dyn_lookups_begin(DynLookups *lookups)
{
	dyn_lookups_close(lookups);
	while (lookups->next < lookups->nannounced)
		release_announced(lookups, &lookups->announced[lookups->next++]);
	reset_asking(lookups, &lookups->base);
	reset_asking(lookups, &lookups->first);
	MemoryContextReset(lookups->announced_context);
	lookups->nannounced = lookups->space = lookups->next = 0;
	lookups->announced = NULL;
	lookups->first.nparts = lookups->by_key ? lookups->scan->access->nbase : 0;
	lookups->base.nparts = lookups->scan->access->nbase;
}

/* A copy of the scan's values. */
static Announced *
new_announced(DynLookups *lookups)
{
	const DynValues *values = &lookups->scan->values;
	Announced  *announced;

	if (lookups->nannounced == lookups->space)
	{
		lookups->space = Max(16, lookups->space * 2);
		lookups->announced = grown(lookups->announced,
								   lookups->space * sizeof(Announced));
	}
	announced = &lookups->announced[lookups->nannounced++];
	announced->values = palloc(Max(values->n, 1) * sizeof(Datum));
	announced->nulls = palloc(Max(values->n, 1) * sizeof(bool));
	for (int i = 0; i < values->n; i++)
	{
		announced->nulls[i] = values->nulls[i];
		announced->values[i] = values->nulls[i] ? (Datum) 0
			: datumCopy(values->values[i], lookups->byvals[i], lookups->lens[i]);
	}
	return announced;
}

/* Copies the parts of a key to where they may stay. */
static void
keep_parts(Asking *asking, int position, const DynKeyPart *parts, int nparts)
{
	DynKeyPart *kept = &asking->keys[position * nparts];

	for (int i = 0; i < nparts; i++)
	{
		kept[i] = parts[i];
		kept[i].value.data = memcpy(MemoryContextAlloc(asking->context,
													   parts[i].value.len + 1),
									parts[i].value.data, parts[i].value.len);
	}
}

/* Binds once more, where conditions may stay, and fills in what is new. */
static void
fill_terms(DynLookups *lookups, const Announced *announced, int first_new)
{
	Asking	   *asking = &lookups->first;
	DynScan    *scan = lookups->scan;
	DynValues	values = {scan->values.n, announced->values, announced->nulls};
	MemoryContext oldcontext = MemoryContextSwitchTo(asking->context);
	DynBound   *bound = palloc(sizeof(DynBound));

	dyn_bind_values(scan->access, scan->relation, &values, bound);
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
		const DynKeyPart *parts = &bound->keys[i * bound->nparts];
		DynAnswer  *answer = lookups->by_key
			? answer_of_key(lookups, parts, bound->nparts)
			: answer_of_query(lookups, bound, i);

		if (answer->state == DYN_ANSWER_UNKNOWN)
		{
			ask(&lookups->first, answer);
			answer->listing = ++lookups->listings;
			if (lookups->by_key)
				keep_parts(&lookups->first, answer->asked_at, parts, bound->nparts);
			lookups->counters.distinct_keys++;
		}
		else
			lookups->counters.repeated_keys++;
		dyn_answer_use(answer);
		announced->answers[announced->nanswers++] = answer;
	}
}

/* How much of what is asked for fills whole requests. */
static int
complete_requests(const DynLookups *lookups)
{
	int			n = lookups->first.n;

	return lookups->by_key ? n - n % DYN_BATCH_GET_MAX_KEYS : n;
}

/*
 * The keys are looked for in memory that is given back at once; only what is
 * new is made again to stay.
 */
void
dyn_lookups_announce(DynLookups *lookups)
{
	DynScan    *scan = lookups->scan;
	MemoryContext oldcontext = MemoryContextSwitchTo(lookups->announced_context);
	Announced  *announced = new_announced(lookups);
	DynValues	values = {scan->values.n, announced->values, announced->nulls};
	int			first_new = lookups->first.n;
	DynBound	bound;

	announced->nanswers = 0;
	announced->answers = NULL;
	MemoryContextSwitchTo(lookups->work_context);
	dyn_bind_values(scan->access, scan->relation, &values, &bound);
	if (!bound.nothing)
	{
		announced->answers = MemoryContextAllocHuge(lookups->announced_context,
													bound.nkeys * sizeof(DynAnswer *));
		find_answers(lookups, announced, &bound);
	}
	MemoryContextSwitchTo(oldcontext);
	dyn_reset_if_large(lookups->work_context);
	if (!lookups->by_key && lookups->first.n > first_new)
		fill_terms(lookups, announced, first_new);
	send_asked(lookups, &lookups->first, complete_requests(lookups));
}

bool
dyn_lookups_is_full(const DynLookups *lookups)
{
	int			lanes = lookups->scan->relation->connection->max_concurrency;

	if (lookups->by_key)
		return lookups->first.n >= lanes * KEYS_PER_LANE;
	return lookups->first.n >= lanes * (lookups->scan->access->then_base
										? INDEX_QUERIES_PER_LANE : QUERIES_PER_LANE);
}

Size
dyn_lookups_memory(const DynLookups *lookups)
{
	return MemoryContextMemAllocated(lookups->announced_context, false) +
		MemoryContextMemAllocated(lookups->first.context, false);
}

void
dyn_lookups_start(DynLookups *lookups)
{
	send_asked(lookups, &lookups->first, lookups->first.n);
}

/* ---- opening ---- */

static bool
values_are(const DynLookups *lookups, const Announced *announced)
{
	const DynValues *values = &lookups->scan->values;

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
find_announced(const DynLookups *lookups)
{
	int			next = lookups->next;

	if (next < lookups->nannounced &&
		values_are(lookups, &lookups->announced[next]))
		return next;
	if (next > 0 && values_are(lookups, &lookups->announced[next - 1]))
		return -1;
	for (int i = next + 1; i < lookups->nannounced; i++)
	{
		if (values_are(lookups, &lookups->announced[i]))
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

bool
dyn_lookups_open(DynLookups *lookups)
{
	int			at = find_announced(lookups);
	bool		servable = true;

	Assert(lookups->open == NULL);
	if (at < 0)
		return false;
	while (lookups->next < at)
		release_announced(lookups, &lookups->announced[lookups->next++]);
	lookups->next = at + 1;
	lookups->open = &lookups->announced[at];
	lookups->position = lookups->row = 0;
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

/* For those who have to name an item of what is being received. */
static void
show_origin(DynLookups *lookups, const Asking *asking)
{
	lookups->scan->fetch = asking->fetch;
	lookups->scan->requests = asking->requests;
}

static int
item_key(const DynLookups *lookups, const DynRows *rows, const DynValue *item,
		 DynKeyPart *parts)
{
	const DynAccess *access = lookups->scan->access;

	for (int i = 0; i < access->nbase; i++)
	{
		parts[i].name = access->base[i].name;
		dyn_key_scalar(&item[rows->extra_slots[i]], &parts[i].value);
	}
	return access->nbase;
}

static void
report_unwanted_item(const DynLookups *lookups)
{
	ereport(ERROR,
			(errcode(ERRCODE_FDW_UNABLE_TO_CREATE_REPLY),
			 errmsg("BatchGetItem of DynamoDB table \"%s\" returned an item that was not asked for",
					lookups->scan->relation->table),
			 errhint("What answers at the endpoint does not behave as DynamoDB does.")));
}

/* An item of a batch: a row of the answer to its key. */
static void
receive_item(DynLookups *lookups, Asking *asking, const DynValue *item)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(lookups->work_context);
	DynKeyPart	parts[2];
	int			nparts = item_key(lookups, asking->rows, item, parts);
	DynAnswer  *answer = answer_of_key(lookups, parts, nparts);

	if (answer->state != DYN_ANSWER_ASKED || answer->nrows > 0 ||
		asking->asked[answer->asked_at] != answer)
		report_unwanted_item(lookups);
	dyn_rows_store(lookups->rows, item, lookups->slot);
	dyn_answer_add_row(lookups->answers, answer, lookups->slot);
	ExecClearTuple(lookups->slot);
	MemoryContextSwitchTo(oldcontext);
	dyn_reset_if_large(lookups->work_context);
}

/* All of the batch that brings the answer; keys without an item have no row. */
static void
receive_batch(DynLookups *lookups, Asking *asking, int stream)
{
	int			first = stream * DYN_BATCH_GET_MAX_KEYS;
	const DynValue *item;

	show_origin(lookups, asking);
	while ((item = dyn_fetch_next_of(asking->fetch, stream)) != NULL)
		receive_item(lookups, asking, item);
	for (int i = first; i < Min(first + DYN_BATCH_GET_MAX_KEYS, asking->n); i++)
	{
		if (asking->asked[i] != NULL)
			finish_answer(lookups, asking, asking->asked[i]);
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

/* The next row of a Query, from its stream. */
static bool
next_of_stream(DynLookups *lookups, DynAnswer *answer, TupleTableSlot *slot)
{
	Asking	   *asking = &lookups->first;
	const DynValue *item = NULL;

	show_origin(lookups, asking);
	if (!answer->ended)
		item = dyn_fetch_next_of(asking->fetch, answer->asked_at);
	if (item == NULL)
	{
		finish_answer(lookups, asking, answer);
		return false;
	}
	dyn_rows_store(lookups->rows, item, slot);
	keep_row(lookups, answer, slot);
	lookups->row = answer->nrows;
	if (lookups->scan->access->single)
	{
		/* nobody asks for a second row */
		dyn_fetch_drop(asking->fetch, answer->asked_at);
		finish_answer(lookups, asking, answer);
	}
	return true;
}

static bool
next_of_rows(DynLookups *lookups, const DynAnswer *answer, TupleTableSlot *slot)
{
	if (lookups->row >= answer->nrows)
		return false;
	ExecForceStoreMinimalTuple(answer->rows[lookups->row++], slot, false);
	return true;
}

/* ---- index, then base ---- */

static int
piece_keys(const DynLookups *lookups)
{
	return lookups->scan->relation->connection->max_concurrency *
		DYN_BATCH_GET_MAX_KEYS;
}

/* Asks the table for a key that the index lists, unless it did before. */
static void
list_item(DynLookups *lookups, DynAnswer *answer, const DynValue *entry)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(lookups->work_context);
	DynKeyPart	parts[2];
	int			nparts = item_key(lookups, lookups->scan->keys, entry, parts);
	DynAnswer  *item = answer_of_key(lookups, parts, nparts);

	answer->taken++;
	if (item->listed_by != answer->listing)
	{
		if (item->state == DYN_ANSWER_UNKNOWN)
		{
			ask(&lookups->base, item);
			keep_parts(&lookups->base, item->asked_at, parts, nparts);
		}
		item->listed_by = answer->listing;
		dyn_answer_add_item(lookups->answers, answer, item);
	}
	MemoryContextSwitchTo(oldcontext);
	dyn_reset_if_large(lookups->work_context);
}

/* Lists what the index has for the answer, until the piece is full. */
static void
list_items(DynLookups *lookups, DynAnswer *answer)
{
	while (lookups->base.n < piece_keys(lookups))
	{
		const DynValue *entry = dyn_fetch_next_of(lookups->first.fetch,
												  answer->asked_at);

		if (entry == NULL)
		{
			finish_answer(lookups, &lookups->first, answer);
			return;
		}
		list_item(lookups, answer, entry);
	}
}

/*
 * The next piece: from the answer that is being served on.  What it listed
 * before was served, and is kept only if another execution needs it.
 */
static void
next_piece(DynLookups *lookups, DynAnswer *answer)
{
	reset_asking(lookups, &lookups->base);
	show_origin(lookups, &lookups->first);
	if (answer->nitems > 0 &&
		(answer->uses == 1 || !dyn_answers_trim(lookups->answers)))
	{
		dyn_answer_stop_keeping(lookups->answers, answer);
		lookups->row = 0;
	}
	for (int i = answer->asked_at;
		 i < lookups->first.n && lookups->base.n < piece_keys(lookups); i++)
	{
		DynAnswer  *other = lookups->first.asked[i];

		if (other != NULL && !other->ended)
			list_items(lookups, other);
	}
	send_asked(lookups, &lookups->base, lookups->base.n);
}

static bool
next_of_items(DynLookups *lookups, DynAnswer *answer, TupleTableSlot *slot)
{
	for (;;)
	{
		while (lookups->row < answer->nitems)
		{
			DynAnswer  *item = answer->items[lookups->row++];

			if (item->state == DYN_ANSWER_ASKED)
				receive_batch(lookups, &lookups->base,
							  stream_of(&lookups->base, item));
			if (item->state != DYN_ANSWER_KNOWN)
				elog(ERROR, "item of an index is neither known nor asked for");
			if (item->nrows > 0)
			{
				ExecForceStoreMinimalTuple(item->rows[0], slot, false);
				return true;
			}
		}
		if (answer->ended || answer->state == DYN_ANSWER_KNOWN)
			return false;
		next_piece(lookups, answer);
	}
}

/* ---- serving, all kinds ---- */

static bool
next_of_answer(DynLookups *lookups, DynAnswer *answer, TupleTableSlot *slot)
{
	if (lookups->scan->access->then_base)
		return next_of_items(lookups, answer, slot);
	if (lookups->by_key && answer->state == DYN_ANSWER_ASKED)
		receive_batch(lookups, &lookups->first, stream_of(&lookups->first, answer));
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
		lookups->row = 0;
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
			finish_answer(lookups, &lookups->first, answer);
		}
		count += answer->count;
	}
	return count;
}
