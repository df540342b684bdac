/*
 * page_check.h
 *		Checks that a response matches its request.
 *
 * Legal JSON with a correct checksum need not be the response to the request.
 * It may be a proxy's message with status 200, an error document, or the late
 * response to an earlier request.  Each of these could look like "no rows".
 * So a response is accepted only if it has the members of its operation, and
 * contains only items that were requested.
 *
 * The functions allocate memory only in DynBuffers.
 */
#ifndef DYN_DYNAMODB_PAGE_CHECK_H
#define DYN_DYNAMODB_PAGE_CHECK_H

#include "metadata.h"
#include "operation.h"
#include "page.h"

/*
 * Maximum number of key parts.  A Query can require one value for each
 * attribute of the partition key and for the first attribute of the sort key.
 */
#define DYN_MAX_EXPECTED_PARTS	(DYN_MAX_KEY_ATTRS + 1)

/*
 * State of a key in a batch.  A batch may take several BatchGetItem requests.
 * A key is complete if a response has its item, or implies that there is none.
 */
typedef enum DynKeyState
{
	DYN_KEY_OPEN,				/* not requested yet, or left unprocessed */
	DYN_KEY_REQUESTED,			/* in the current request */
	DYN_KEY_COMPLETE
} DynKeyState;

typedef struct DynBatch
{
	int			nkeys;			/* at most DYN_BATCH_GET_MAX_KEYS */
	uint8_t		state[DYN_BATCH_GET_MAX_KEYS];	/* DynKeyState of each key */
} DynBatch;

/* Starts a batch; all its keys are open. */
extern void dyn_batch_begin(DynBatch *batch, int nkeys);

/*
 * Marks up to `most` open keys as requested, and stores their indexes in
 * `picked`, which has space for `most`.  Returns the number of marked keys.
 */
extern int	dyn_batch_request(DynBatch *batch, int most, uint8_t *picked);

/* Marks the requested keys as open again, after an unusable response. */
extern void dyn_batch_reopen(DynBatch *batch);

extern int	dyn_batch_count(const DynBatch *batch, DynKeyState state);

/*
 * The sort attribute's value in the last item of a page of a Query, for the
 * check that the next page begins after it.  In the order of the Query, the
 * first item of the next page must have a later value or, unless the values
 * are `unique`, the same value.  Otherwise the response does not begin at the
 * requested position.  Must be zero-initialized.
 */
typedef struct DynSeam
{
	int			slot;			/* slot of the sort attribute; -1 if it is not
								 * projected, which disables the check */
	bool		backward;
	bool		unique;			/* true for the table's sort key, whose values
								 * differ within a partition */
	DynType		type;			/* type of the last item's value; ABSENT if
								 * there is no item yet, or no valid value */
	DynBuffer	value;
} DynSeam;

/* Prepares `seam`, whose memory is reused, for the first page of a Query. */
extern void dyn_seam_begin(DynSeam *seam, int slot, bool backward, bool unique);
extern void dyn_seam_free(DynSeam *seam);

/* The expected contents of the response to a request */
typedef struct DynExpected
{
	DynOperation op;			/* GET_ITEM, BATCH_GET_ITEM, QUERY or SCAN */
	const char *table;
	bool		count_only;

	/*
	 * Requested keys: the primary keys of a GetItem or BatchGetItem.  A Query
	 * has one key, with the values that it requires.  A Scan has one key,
	 * which only has the names and types of the table's key.
	 */
	const DynKeyPart *keys;		/* key i at keys[i * nparts] */
	int			nkeys;
	int			nparts;
	const int  *slots;			/* slot of each part, or -1 if the part is not
								 * projected.  A BatchGetItem projects all. */
	DynBatch   *batch;			/* BatchGetItem: batch of the keys */
	DynSeam    *seam;			/* Query: end of the previous page, or NULL */
} DynExpected;

/*
 * Returns NULL if the response matches the request; otherwise a static string
 * that completes the sentence "The response ...".  `left` is the page with the
 * unprocessed keys (DYN_PARSE_KEYS), or NULL.  In a batch, marks the
 * unprocessed keys as open, and the other requested keys as complete.
 */
extern const char *dyn_page_check(const DynPage *page, const DynPage *left,
								  const DynExpected *expected,
								  DynBuffer *scratch);

/* Returns the name of a table that is given by its name or ARN. */
extern const char *dyn_table_name(const char *table);

/*
 * Returns true if `name` is the name of the requested table.  Most responses
 * repeat the name or ARN of the request, but the description of a table that
 * was requested by its ARN has the plain name.
 */
extern bool dyn_names_table(const char *requested, const char *name,
							size_t len);

/*
 * Detects cycles in the LastEvaluatedKeys of consecutive pages (Brent's
 * algorithm).  Each key is compared with the previous key, and with an older
 * key: the key of the latest page whose number is a power of two.  Therefore a
 * cycle of any length is detected.  Must be zero-initialized.
 */
typedef struct DynProgress
{
	DynBuffer	last;			/* key of the previous page; empty at first */
	DynBuffer	older;
	uint32_t	pages;
	uint32_t	replace_at;
} DynProgress;

/* Starts a sequence of pages; reuses the memory of *progress. */
extern void dyn_progress_begin(DynProgress *progress);
extern void dyn_progress_free(DynProgress *progress);

/*
 * Records the LastEvaluatedKey of the next page.  Returns NULL on success;
 * `repeated` if the key is equal to progress->last or progress->older; or
 * dyn_check_memory if memory runs out.
 */
extern const char *dyn_progress_note(DynProgress *progress, const char *key,
									 size_t len, const char *repeated);

/* The error returned if memory runs out; callers compare its address. */
extern const char dyn_check_memory[];

#endif
