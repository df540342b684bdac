/*
 * asking.c
 *		Collects what lookups ask for, and sends it.
 */
#include "postgres.h"

#include "../../dynamodb/operation.h"
#include "asking.h"

void
dyn_asking_init(DynAsking *asking)
{
	asking->context = AllocSetContextCreate(CurrentMemoryContext,
											"dynamo_fdw asked",
											ALLOCSET_DEFAULT_SIZES);
}

void
dyn_asking_reset(DynAsking *asking, int nparts)
{
	for (int i = 0; i < asking->n; i++)
	{
		DynAnswer  *answer = asking->asked[i];

		if (answer == NULL || answer->state != DYN_ANSWER_ASKED)
			continue;
		answer->state = DYN_ANSWER_UNKNOWN;
		dyn_answer_end_listing(answer);
		if (answer->uses == 0)
			dyn_answer_forget(asking->answers, answer);
	}
	MemoryContextReset(asking->context);
	asking->nparts = nparts;
	asking->n = asking->space = asking->sent = 0;
	asking->asked = NULL;
	asking->keys = NULL;
	asking->terms = NULL;
	asking->requests = NULL;
	asking->fetch = NULL;
}

/* ---- the list ---- */

void *
dyn_grown(void *array, Size size)
{
	return array ? repalloc_huge(array, size)
		: MemoryContextAllocHuge(CurrentMemoryContext, size);
}

static void
make_space(DynAsking *asking)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(asking->context);

	asking->space = Max(16, asking->space * 2);
	asking->asked = dyn_grown(asking->asked, asking->space * sizeof(DynAnswer *));
	if (asking->nparts > 0)
		asking->keys = dyn_grown(asking->keys, (Size) asking->space * asking->nparts *
								 sizeof(DynKeyPart));
	else
		asking->terms = dyn_grown(asking->terms,
								  asking->space * sizeof(DynQueryTerms));
	MemoryContextSwitchTo(oldcontext);
}

void
dyn_asking_add(DynAsking *asking, DynAnswer *answer)
{
	if (asking->n == asking->space)
		make_space(asking);
	answer->state = DYN_ANSWER_ASKED;
	answer->asked_at = asking->n;
	answer->ended = false;
	answer->keeping = true;
	answer->taken = 0;
	answer->count = 0;
	asking->asked[asking->n++] = answer;
}

void
dyn_asking_keep_key(DynAsking *asking, const DynAnswer *answer,
					const DynKeyPart *parts)
{
	DynKeyPart *kept = &asking->keys[(Size) answer->asked_at * asking->nparts];

	for (int i = 0; i < asking->nparts; i++)
	{
		kept[i] = parts[i];
		kept[i].value.data = memcpy(MemoryContextAlloc(asking->context,
													   parts[i].value.len + 1),
									parts[i].value.data, parts[i].value.len);
	}
}

/* ---- requests ---- */

static DynRequests *
requests_of(const DynAsking *asking, int n)
{
	const DynReader *reader = asking->reader;
	const DynRows *rows = asking->rows;

	if (asking->nparts > 0)
		return dyn_requests_of_keys(reader->relation, asking->keys, n,
									asking->nparts, rows->projection,
									rows->nprojection);
	return dyn_requests_of_terms(reader->relation, reader->access, asking->terms, n,
								 reader->access->nhash, rows->projection,
								 rows->nprojection);
}

static void
start_fetch(DynAsking *asking, int n)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(asking->context);

	asking->requests = requests_of(asking, n);
	asking->fetch = dyn_reader_start(asking->reader, asking->requests,
									 asking->rows, true);
	MemoryContextSwitchTo(oldcontext);
}

void
dyn_asking_send(DynAsking *asking, int n)
{
	MemoryContext oldcontext;

	if (n == asking->sent)
		return;
	if (asking->fetch == NULL)
		start_fetch(asking, n);
	else if (asking->nparts > 0)
		dyn_requests_set_keys(asking->requests, asking->keys, n);
	else
		dyn_requests_set_terms(asking->requests, asking->terms, n);
	asking->sent = n;
	oldcontext = MemoryContextSwitchTo(asking->work_context);
	dyn_fetch_extend(asking->fetch, asking->requests->nstreams);
	MemoryContextSwitchTo(oldcontext);
	dyn_reset_if_large(asking->work_context);
}

void
dyn_asking_set_origin(DynAsking *asking)
{
	dyn_reader_set_origin(asking->reader, asking->fetch, asking->requests);
}

int
dyn_asking_complete(const DynAsking *asking)
{
	return asking->nparts > 0 ? asking->n - asking->n % DYN_BATCH_GET_MAX_KEYS
		: asking->n;
}

int
dyn_asking_stream(const DynAsking *asking, const DynAnswer *answer)
{
	return asking->nparts > 0 ? answer->asked_at / DYN_BATCH_GET_MAX_KEYS
		: answer->asked_at;
}

/* ---- answers ---- */

void
dyn_asking_finish(DynAsking *asking, DynAnswer *answer)
{
	if (answer->keeping)
		asking->asked[answer->asked_at] = NULL;
	dyn_answer_end(asking->answers, answer);
}

void
dyn_asking_give_up(DynAsking *asking, DynAnswer *answer)
{
	if (answer->uses > 0 || answer->state != DYN_ANSWER_ASKED ||
		asking->nparts > 0)
		return;
	if (asking->fetch != NULL)
		dyn_fetch_drop(asking->fetch, dyn_asking_stream(asking, answer));
	asking->asked[answer->asked_at] = NULL;
	dyn_answer_forget(asking->answers, answer);
}
