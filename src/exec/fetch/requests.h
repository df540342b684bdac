/*
 * requests.h
 *		Renders the requests of a resolved access plan for a fetch.
 *
 * Each constructor (dyn_requests_of_*) defines the streams of the fetch.  The
 * caller sets the projection; by default, entire items are requested.  Key
 * conditions, filter and projection are rendered again for each request, into
 * buffers that are reused.
 */
#ifndef DYN_EXEC_REQUESTS_H
#define DYN_EXEC_REQUESTS_H

#include "lib/stringinfo.h"

#include "../../dynamodb/operation.h"
#include "../../dynamodb/page_check.h"
#include "../../model/session/session.h"
#include "../../model/tables/relation.h"
#include "../keys/resolve_keys.h"

typedef struct DynRequests
{
	const DynRelation *relation;
	DynOperation op;			/* operation of every stream */
	const char *index;			/* index name; NULL: the table */
	bool		local_index;	/* true for a local index, which can return
								 * attributes that it does not project */
	bool		count_only;		/* true for Select=COUNT */
	bool		backward;
	int			nstreams;

	const DynKeyPart *keys;		/* GET: full keys; SCAN: key names and types */
	int			nkeys;
	int			nparts;			/* parts per key, or per DynQuery.key */
	const DynQuery *queries;	/* QUERY: the Query of each stream */
	int			total_segments; /* SCAN: total number of segments */
	const int  *segments;		/* SCAN: segment of each stream; NULL if stream
								 * n reads segment n */
	DynQuery	scan;			/* SCAN: only filters, without a key */
	const DynPath *projection;	/* paths to request */
	int			nprojection;	/* number of paths; 0: entire items */

	const DynCond *filter;		/* filter of the last prepared request */
	DynTokens  *tokens;			/* names and values of the expressions; freed
								 * with the memory context */
	DynBuffer	key_condition_text;
	DynBuffer	filter_text;
	DynBuffer	projection_text;
} DynRequests;

/*
 * Returns true if the reads are strongly consistent.  A global index does not
 * support such reads, so plans with consistent_read never use one.  A session
 * that has just written the table uses such reads, except for a global index.
 */
static inline bool
dyn_requests_are_consistent(const DynRequests *requests)
{
	return requests->relation->consistent ||
		(requests->relation->own_writes &&
		 (requests->index == NULL || requests->local_index));
}

/*
 * Returns the requests of an access plan.  If the plan has fetch_base_items,
 * returns only the requests to the index.  The result is in
 * CurrentMemoryContext, and points into `resolved`.  `segments` is the number
 * of segments of a Scan, unless the plan determines it (access->segments).
 */
extern DynRequests *dyn_requests_of_access(const DynRelation *relation,
										   const DynAccess *access,
										   const DynResolvedAccess *resolved,
										   int segments);

/* Returns the number of segments for a Scan of `bytes` bytes. */
extern int	dyn_requests_segments(const DynRelation *relation, double bytes);

/* Returns the requests for full keys of the table: GetItem or BatchGetItem. */
extern DynRequests *dyn_requests_of_keys(const DynRelation *relation,
										 const DynKeyPart *keys, int nkeys,
										 int nparts);

/* Returns the requests for Queries of the access plan, one stream for each. */
extern DynRequests *dyn_requests_of_queries(const DynRelation *relation,
											const DynAccess *access,
											const DynQuery *queries, int nqueries,
											int nparts);

/*
 * Replaces the array of keys or Queries with a longer one, which begins with
 * the same elements.  The new keys must not extend a stream that has begun.
 */
extern void dyn_requests_set_keys(DynRequests *requests, const DynKeyPart *keys,
								  int nkeys);
extern void dyn_requests_set_queries(DynRequests *requests,
									 const DynQuery *queries, int nqueries);

/*
 * Fills in the request of a stream, except for Limit and ExclusiveStartKey.
 * If `full`, ignores the projection.  Pointers are valid until the next call.
 */
extern void dyn_requests_prepare(DynRequests *requests, int stream, bool full,
								 DynReadRequest *request);

/* Prepares a stream's request again, and appends its description for the log. */
extern void dyn_requests_describe(DynRequests *requests, int stream,
								  StringInfo line);

/* Fills in the keys that a stream requests. */
extern void dyn_requests_expected(const DynRequests *requests, int stream,
								  DynExpected *expected);

/* Returns the operation, table and index for messages about the requests. */
extern DynRequestContext dyn_requests_about(const DynRequests *requests);

#endif
