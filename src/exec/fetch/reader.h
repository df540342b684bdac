/*
 * reader.h
 *		Reads a foreign table by its access plan.
 *
 * What executes an access plan, for one scan or for many executions together,
 * does it through a reader: it knows the relation, the access plan and what of
 * an item becomes a row, starts fetches, and can name the item in hand for an
 * error.
 */
#ifndef DYN_EXEC_FETCH_READER_H
#define DYN_EXEC_FETCH_READER_H

#include "fetch.h"
#include "request.h"
#include "rows.h"

typedef struct DynReader
{
	DynStatement *statement;
	DynRelation *relation;
	DynAccess  *access;
	DynRows    *rows;			/* what is returned */
	DynRows    *index_rows;		/* index, then base: the base keys that the
								 * index lists; else NULL */
	DynCounters counters;
	DynCounters *count_into;	/* these, or another reader's */
	bool		checked;		/* the plan fits the table's description */
	bool		keeps;			/* executions may be repeated as they are */
	int		   *group_in_flight;	/* as in DynFetchSpec; NULL: no peers */

	/* where the item in hand came from; NULL: there is none */
	DynFetch   *origin;
	DynRequests *origin_requests;
} DynReader;

/* In CurrentMemoryContext. */
extern DynReader *dyn_reader_create(DynStatement *statement,
									DynRelation *relation, DynAccess *access);

/*
 * Before the first execution, and before anything is bound for it: raises an error
 * if table or index are described otherwise than the plan was made for.  Asks for
 * the description if there is none that is young enough.
 */
extern void dyn_reader_check_schema(DynReader *reader);

/*
 * Other rows of the same reader that show every item's base key, by which items
 * can be told apart.  CurrentMemoryContext.
 */
extern DynRows *dyn_reader_rows_with_keys(DynReader *reader);

/*
 * Likewise, with the partition key: for Queries of several partitions, whose
 * answers are compared with what was asked for.
 */
extern DynRows *dyn_reader_rows_with_partition(DynReader *reader);

/*
 * Index, then base: what is read of an entry, its base key first and no columns.
 * CurrentMemoryContext.
 */
extern DynRows *dyn_reader_index_rows(const DynReader *reader,
									  bool with_partition);

/*
 * Starts the fetch of requests whose items go to `rows`; they become the origin
 * of items in hand.  A keyed fetch is waited for by itself, without
 * an async group.  The fetch
 * lives in CurrentMemoryContext.
 */
extern DynFetch *dyn_reader_start(DynReader *reader, DynRequests *requests,
								  const DynRows *rows, bool keyed);

/* The items in hand come from this fetch from now on. */
extern void dyn_reader_set_origin(DynReader *reader, DynFetch *fetch,
								  DynRequests *requests);

/*
 * item_key.c: the key of the item in hand, asked for again where it was not
 * among the attributes; NULL if it cannot be told, with a reason in *why if the
 * request did not succeed.  `arg` is the DynReader.  Raises an error only for
 * an interrupt while it waits, or for a lack of memory.
 */
extern char *dyn_reader_item_key(void *arg, const char **why);

#endif
