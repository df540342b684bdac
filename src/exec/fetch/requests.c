/*
 * requests.c
 *		Renders the requests of an access plan.
 *
 * If a filter is larger than DynamoDB accepts, the conditions that are also
 * checked locally are omitted: they only reduce the data transferred.  A
 * projection that is too large is omitted, too.
 */
#include "postgres.h"

#include <math.h>

#include "../../model/server/memory.h"
#include "miscadmin.h"

#include "../../model/values/path.h"
#include "../keys/filter.h"
#include "../rows/rows.h"
#include "requests.h"

/* Approximate number of bytes in one segment of a parallel Scan. */
#define BYTES_PER_SEGMENT	(4.0 * 1024 * 1024)

/* ---- setup ---- */

static void
free_tokens(void *tokens)
{
	dyn_tokens_free(tokens);
}

static DynRequests *
allocate_requests(const DynRelation *relation)
{
	DynRequests *requests = palloc0(sizeof(DynRequests));

	requests->relation = relation;
	dyn_buffer_init_in(&requests->key_condition_text, CurrentMemoryContext);
	dyn_buffer_init_in(&requests->filter_text, CurrentMemoryContext);
	dyn_buffer_init_in(&requests->projection_text, CurrentMemoryContext);
	requests->tokens = dyn_tokens_create();
	dyn_check_oom(requests->tokens == NULL);
	dyn_call_at_reset(CurrentMemoryContext, free_tokens, requests->tokens);
	return requests;
}

DynRequests *
dyn_requests_of_keys(const DynRelation *relation, const DynKeyPart *keys,
					 int nkeys, int nparts)
{
	DynRequests *requests = allocate_requests(relation);

	requests->op = nkeys == 1 ? DYN_OP_GET_ITEM : DYN_OP_BATCH_GET_ITEM;
	requests->nparts = nparts;
	dyn_requests_set_keys(requests, keys, nkeys);
	return requests;
}

void
dyn_requests_set_keys(DynRequests *requests, const DynKeyPart *keys, int nkeys)
{
	Assert(nkeys > 0 && nkeys >= requests->nkeys && requests->nparts > 0);
	Assert(nkeys == 1 || requests->op == DYN_OP_BATCH_GET_ITEM);
	requests->keys = keys;
	requests->nkeys = nkeys;
	requests->nstreams = (nkeys + DYN_BATCH_GET_MAX_KEYS - 1) / DYN_BATCH_GET_MAX_KEYS;
}

/* ---- Queries and Scans ---- */

static DynRequests *
allocate_reads(const DynRelation *relation, const DynAccess *access, DynOperation op)
{
	DynRequests *requests = allocate_requests(relation);

	requests->op = op;
	requests->index = access->index;
	requests->local_index = access->index != NULL && !access->global;
	requests->count_only = access->count_only;
	requests->backward = access->backward;
	return requests;
}

DynRequests *
dyn_requests_of_queries(const DynRelation *relation, const DynAccess *access,
						const DynQuery *queries, int nqueries, int nparts)
{
	DynRequests *requests = allocate_reads(relation, access, DYN_OP_QUERY);

	requests->nparts = nparts;
	dyn_requests_set_queries(requests, queries, nqueries);
	return requests;
}

void
dyn_requests_set_queries(DynRequests *requests, const DynQuery *queries,
						 int nqueries)
{
	Assert(nqueries > 0 && nqueries >= requests->nstreams);
	requests->queries = queries;
	requests->nstreams = nqueries;
}

DynRequests *
dyn_requests_of_access(const DynRelation *relation, const DynAccess *access,
					   const DynResolvedAccess *resolved, int segments)
{
	DynRequests *requests;
	DynKeyPart *shape;

	Assert(!resolved->contradiction && !resolved->incomplete);
	Assert(access->kind == DYN_ACCESS_SCAN || resolved->nkeys > 0);
	if (access->kind == DYN_ACCESS_GET)
		return dyn_requests_of_keys(relation, resolved->keys, resolved->nkeys,
									resolved->nparts);
	if (access->kind == DYN_ACCESS_QUERY)
	{
		DynQuery   *queries = resolved->queries;
		int			n = resolved->nqueries;

		if (access->in_turn && access->backward)
		{
			queries = palloc_extended(n * sizeof(DynQuery), MCXT_ALLOC_HUGE);
			for (int i = 0; i < n; i++)
				queries[i] = resolved->queries[n - 1 - i];
		}
		return dyn_requests_of_queries(relation, access, queries, n, resolved->nparts);
	}
	requests = allocate_reads(relation, access, DYN_OP_SCAN);
	requests->scan.filter = resolved->filter;
	requests->scan.enforced = resolved->enforced;
	requests->nstreams = requests->total_segments = segments;
	if (access->segments > 0)
	{
		requests->nstreams = resolved->segments ? resolved->nsegments : access->segments;
		requests->segments = resolved->segments;
		requests->total_segments = access->segments;
	}
	/* names and types of the key attributes that each item must have */
	shape = palloc0(access->nbase * sizeof(DynKeyPart));
	for (int i = 0; i < access->nbase; i++)
	{
		shape[i].name = access->base[i].name;
		shape[i].value.type = access->base[i].type;
	}
	requests->keys = shape;
	requests->nparts = access->nbase;
	return requests;
}

int
dyn_requests_segments(const DynRelation *relation, double bytes)
{
	double		segments = ceil(bytes / BYTES_PER_SEGMENT);

	return (int) Max(1, Min(segments, relation->connection->max_concurrency));
}

/* ---- rendering ---- */

static DynCond *
key_condition(const DynRequests *requests, int stream)
{
	const DynQuery *query = &requests->queries[stream];
	const DynKeyPart *parts = query->key;
	DynCond    *all = dyn_make_junction(DYN_COND_AND, requests->nparts + query->nrange);

	Assert(requests->op == DYN_OP_QUERY && stream < requests->nstreams);
	for (int i = 0; i < requests->nparts; i++)
		dyn_cond_add(all, dyn_make_cond(DYN_COND_EQ, dyn_path_of_attribute(parts[i].name),
										&parts[i].value, 1));
	for (int i = 0; i < query->nrange; i++)
		dyn_cond_add(all, query->range[i]);
	return all;
}

/* Returns the text of an expression; NULL if the expression was too large. */
static const char *
finished(const DynRequests *requests, DynBuffer *text, bool rendered)
{
	dyn_check_oom(rendered ? dyn_buffer_terminate(text) == NULL
				  : text->out_of_memory || dyn_tokens_out_of_memory(requests->tokens));
	return rendered ? text->data : NULL;
}

static const char *
render(DynRequests *requests, const DynCond *cond, DynBuffer *text)
{
	dyn_buffer_reset(text);
	return finished(requests, text, dyn_expr_condition(requests->tokens, cond, text));
}

static int
segment_of(const DynRequests *requests, int stream)
{
	return requests->segments ? requests->segments[stream] : stream;
}

static const char *
render_filter(DynRequests *requests, int stream)
{
	const DynQuery *query = requests->op == DYN_OP_QUERY
		? &requests->queries[stream] : &requests->scan;

	requests->filter = query->filter;
	if (query->filter != NULL &&
		render(requests, query->filter, &requests->filter_text) == NULL)
	{
		requests->filter = query->enforced;
		if (query->enforced != NULL &&
			render(requests, query->enforced, &requests->filter_text) == NULL)
			elog(ERROR, "filter cannot be written");
	}
	return requests->filter == NULL ? NULL : requests->filter_text.data;
}

void
dyn_requests_expected(const DynRequests *requests, int stream, DynExpected *expected)
{
	int			first = stream * DYN_BATCH_GET_MAX_KEYS;

	Assert(stream < requests->nstreams);
	expected->nparts = requests->nparts;
	expected->nkeys = 1;
	if (requests->op == DYN_OP_QUERY)
		expected->keys = requests->queries[stream].key;
	else if (requests->op == DYN_OP_SCAN)
		expected->keys = requests->keys;
	else
	{
		expected->keys = &requests->keys[(Size) first * requests->nparts];
		expected->nkeys = Min(requests->nkeys - first, DYN_BATCH_GET_MAX_KEYS);
	}
}

void
dyn_requests_prepare(DynRequests *requests, int stream, bool full,
					 DynReadRequest *request)
{
	Assert(stream >= 0 && stream < requests->nstreams);
	dyn_tokens_reset(requests->tokens);
	request->op = requests->op;
	request->table = requests->relation->table;
	request->index = requests->index;
	request->consistent = dyn_requests_are_consistent(requests);
	request->count_only = requests->count_only;
	request->backward = requests->backward;
	request->tokens = requests->tokens;
	if (requests->op == DYN_OP_QUERY)
	{
		request->key_condition = render(requests, key_condition(requests, stream),
										&requests->key_condition_text);
		if (request->key_condition == NULL)
			elog(ERROR, "could not render key condition");
	}
	else if (requests->op == DYN_OP_SCAN)
	{
		request->segment = segment_of(requests, stream);
		request->total_segments = requests->total_segments;
	}
	else
	{
		DynExpected expected;

		dyn_requests_expected(requests, stream, &expected);
		request->keys = expected.keys;
		request->nkeys = expected.nkeys;
		request->nparts = expected.nparts;
	}
	request->filter = render_filter(requests, stream);
	if (requests->nprojection > 0 && !requests->count_only && !full)
	{
		DynBuffer  *text = &requests->projection_text;

		dyn_buffer_reset(text);
		request->projection =
			finished(requests, text,
					 dyn_expr_projection(requests->tokens, requests->projection,
										 requests->nprojection, text));
	}
	request->all_attributes = request->projection == NULL && requests->local_index;
}

/* ---- descriptions for the log ---- */

static void
append_cond(StringInfo line, const char *label, const DynCond *cond)
{
	DynBuffer	text;

	dyn_buffer_init(&text, 0);
	dyn_expr_condition(NULL, cond, &text);
	appendStringInfo(line, "%s%s", label, dyn_take_text(&text));
}

void
dyn_requests_describe(DynRequests *requests, int stream, StringInfo line)
{
	/* set requests->filter, which may still be the filter of another stream */
	dyn_requests_prepare(requests, stream, false, &(DynReadRequest) {0});
	if (requests->op == DYN_OP_QUERY)
		append_cond(line, " key ", key_condition(requests, stream));
	else if (requests->op == DYN_OP_GET_ITEM)
		appendStringInfo(line, " key %s",
						 dyn_key_text(requests->keys, requests->nparts, " AND "));
	else if (requests->op == DYN_OP_BATCH_GET_ITEM)
		appendStringInfo(line, " %d keys",
						 Min(requests->nkeys - stream * DYN_BATCH_GET_MAX_KEYS,
							 DYN_BATCH_GET_MAX_KEYS));
	else if (requests->total_segments > 1)
		appendStringInfo(line, " segment %d of %d", segment_of(requests, stream),
						 requests->total_segments);
	if (requests->filter != NULL)
		append_cond(line, " filter ", requests->filter);
	if (requests->backward)
		appendStringInfoString(line, " backward");
	if (requests->count_only)
		appendStringInfoString(line, " count only");
}

DynRequestContext
dyn_requests_about(const DynRequests *requests)
{
	return (DynRequestContext) {requests->op, requests->relation->table, requests->index,
		requests->relation->connection};
}
