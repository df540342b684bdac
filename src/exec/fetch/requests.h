/*
 * requests.h
 *		Renders the requests of a resolved access plan, for dyn_fetch_start.
 *
 * Each constructor determines the streams; the functions at the end are
 * callbacks of the fetch.  Key conditions, filter and projection are rendered
 * again for each request, into buffers that are reused.
 */
#ifndef DYN_EXEC_REQUESTS_H
#define DYN_EXEC_REQUESTS_H

#include "../keys/resolve_keys.h"
#include "fetch.h"

typedef struct DynRequests
{
	const DynRelation *relation;
	DynOperation op;			/* operation of every stream; the number of
								 * keys distinguishes GET_ITEM from
								 * BATCH_GET_ITEM */
	const char *index;
	bool		local_index;	/* true for a local index, which can also
								 * return attributes that it does not
								 * project */
	bool		count_only;
	bool		backward;
	int			nstreams;

	const DynKeyPart *keys;		/* GET: full keys */
	int			nkeys;
	int			nparts;			/* number of parts of a key, also for QUERY */
	const DynQuery *queries;	/* QUERY: the Query of each stream */
	int			total_segments; /* SCAN */
	const int  *segments;		/* SCAN: segment of each stream; NULL: the
								 * stream's number */
	DynCond    *filter;			/* SCAN: filter */
	DynCond    *enforced;		/* SCAN: conditions that must be sent */
	const DynPath *projection;	/* paths to request; empty: entire items */
	int			nprojection;

	DynTokens  *tokens;			/* malloc'd; freed with the context */
	DynBuffer	key_condition_text;
	DynBuffer	filter_text;
	DynBuffer	projection_text;
} DynRequests;

/* Returns true for consistent reads; global indexes do not have them. */
static inline bool
dyn_requests_are_consistent(const DynRequests *requests)
{
	return requests->relation->consistent ||
		(requests->relation->own_writes &&
		 (requests->index == NULL || requests->local_index));
}

/*
 * Returns the requests of an access plan; with fetch_base_items, only those to
 * the index.  Allocated in CurrentMemoryContext, in which the data of
 * `resolved` must also be.  `segments` is for a Scan.
 */
extern DynRequests *dyn_requests_of_access(const DynRelation *relation,
										   const DynAccess *access,
										   const DynResolvedAccess *resolved,
										   const DynPath *projection,
										   int nprojection, int segments);

/* Returns the number of segments for a Scan of that many bytes. */
extern int	dyn_requests_segments(const DynRelation *relation, double bytes);

/* Returns the requests that read full keys of the table. */
extern DynRequests *dyn_requests_of_keys(const DynRelation *relation,
										 const DynKeyPart *keys, int nkeys,
										 int nparts, const DynPath *projection,
										 int nprojection);

/* Returns the requests for these Queries, each a stream, of the access plan. */
extern DynRequests *dyn_requests_of_queries(const DynRelation *relation,
											const DynAccess *access,
											const DynQuery *queries, int nqueries,
											int nparts, const DynPath *projection,
											int nprojection);

/*
 * Adds keys or Queries at the end of the existing ones, which may have moved.
 * The keys of a stream must not change after its request was sent.
 */
extern void dyn_requests_set_keys(DynRequests *requests, const DynKeyPart *keys,
								  int nkeys);
extern void dyn_requests_set_queries(DynRequests *requests,
									 const DynQuery *queries, int nqueries);

/* Callbacks; `arg` is the DynRequests. */
extern void dyn_requests_prepare(void *arg, int stream, DynReadRequest *request);
extern void dyn_requests_describe(void *arg, int stream, StringInfo line);
extern void dyn_requests_expected(void *arg, int stream, DynExpected *expected);

#endif
