/*
 * requests.h
 *		The requests of a bound access plan, ready for dyn_fetch_start.
 *
 * Each constructor computes the streams; prepare and describe are the
 * callbacks of the fetch.  Key conditions, filter and projection are rendered
 * anew for each request, into buffers that are used again.
 */
#ifndef DYN_EXEC_REQUESTS_H
#define DYN_EXEC_REQUESTS_H

#include "../keys/resolve_keys.h"
#include "fetch.h"

/* What one Query asks for. */
typedef struct DynQueryTerms
{
	const DynKeyPart *key;		/* of the partition */
	DynCond    *const *range;
	int			nrange;
	DynCond    *filter;			/* NULL: none */
	DynCond    *enforced;		/* what must be sent of it; NULL: nothing */
} DynQueryTerms;

/* Those of partition `i` of bound values. */
extern void dyn_resolved_terms(const DynResolvedAccess *resolved, int i, DynQueryTerms *terms);

typedef struct DynRequests
{
	const DynRelation *relation;
	DynOperation op;			/* of every stream; GET_ITEM and
								 * BATCH_GET_ITEM are told apart by the number
								 * of keys */
	const char *index;
	bool		local_index;	/* a local one: it can get attributes that it
								 * does not project */
	bool		count_only;
	bool		backward;
	int			nstreams;

	const DynKeyPart *keys;		/* GET: whole keys */
	int			nkeys;
	int			nparts;			/* of a key, QUERY's likewise */
	const DynQueryTerms *terms; /* QUERY: of each stream */
	DynCond    *filter;			/* SCAN */
	DynCond    *enforced;		/* SCAN: what must be sent of it */
	const DynPath *projection;	/* paths to ask for; none: whole items */
	int			nprojection;

	DynTokens  *tokens;			/* malloc'd; freed with the memory context */
	DynBuffer	key_condition_text;
	DynBuffer	filter_text;
	DynBuffer	projection_text;
} DynRequests;

/*
 * The requests of an access plan: all of it, or with fetch_base_items those to the
 * index.  Lives in CurrentMemoryContext, as does what `resolved` points to.
 * `segments` is for a Scan.
 */
extern DynRequests *dyn_requests_of_access(const DynRelation *relation,
										   const DynAccess *access,
										   const DynResolvedAccess *resolved,
										   const DynPath *projection,
										   int nprojection, int segments);

/* Into how many segments a Scan of so many bytes is divided. */
extern int	dyn_requests_segments(const DynRelation *relation, double bytes);

/* The requests that read whole keys of the table. */
extern DynRequests *dyn_requests_of_keys(const DynRelation *relation,
										 const DynKeyPart *keys, int nkeys,
										 int nparts, const DynPath *projection,
										 int nprojection);

/* The Queries of those terms, each a stream, as the access plan reads. */
extern DynRequests *dyn_requests_of_terms(const DynRelation *relation,
										  const DynAccess *access,
										  const DynQueryTerms *terms, int nterms,
										  int nparts, const DynPath *projection,
										  int nprojection);

/*
 * More of the same at the end of what there was, which may have moved.  What a
 * stream asks for must not change any more once it was sent.
 */
extern void dyn_requests_set_keys(DynRequests *requests, const DynKeyPart *keys,
								  int nkeys);
extern void dyn_requests_set_terms(DynRequests *requests,
								   const DynQueryTerms *terms, int nterms);

/* Callbacks; `arg` is the DynRequests. */
extern void dyn_requests_prepare(void *arg, int stream, DynReadRequest *request);
extern void dyn_requests_describe(void *arg, int stream, StringInfo line);
extern void dyn_requests_expected(void *arg, int stream, DynExpected *expected);

#endif
