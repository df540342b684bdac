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
 * The boundary between two pages of a Query: the sort attribute's value in the
 * last item of the previous page.  The first item of the next page must have a
 * later value in the order of the Query.  Unless the values are `unique`, it may
 * also have the same value.  Any other value means that the response does not
 * begin at the requested position.  Must be zero-initialized.
 */
typedef struct DynSeam
{
	int			slot;			/* slot of the sort attribute; -1: not
								 * projected, so there is no check */
	bool		backward;
	bool		unique;			/* true for the table's sort key, whose values
								 * differ within a partition */
	DynType		type;			/* type of the last item's value; ABSENT: no
								 * item yet, or no valid value */
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
	 * Requested keys.  GetItem, BatchGetItem: primary keys.  Query: the
	 * partition key, maybe with the first sort attribute; nkeys is 1.  Scan:
	 * names and types of the table's key; nkeys is 1.
	 */
	const DynKeyPart *keys;		/* key i at keys[i * nparts] */
	int			nkeys;
	int			nparts;
	const int  *slots;			/* slot of each part; -1: not projected.  In a
								 * BatchGetItem, all parts are projected. */
	DynBatch   *batch;			/* BatchGetItem: batch of the keys */
	DynSeam    *seam;			/* Query: end of the previous page, or NULL */
} DynExpected;

/*
 * Returns NULL if the response matches the request; otherwise a description of
 * the error (a static string) that completes a sentence beginning with "The
 * response".  `left` has the unprocessed keys (DYN_PARSE_KEYS), or is NULL.
 * In a batch, marks unprocessed keys open, and other requested keys complete.
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
 * Detects cycles in the LastEvaluatedKeys of consecutive pages.  Each key is
 * compared with the last key and with an older key.  On pages 1, 2, 4, 8 and
 * so on, the page's key becomes the older key.  So every cycle is detected
 * soon (Brent's algorithm).  Must be zero-initialized.
 */
typedef struct DynProgress
{
	DynBuffer	last;			/* last key; empty before the first page */
	DynBuffer	older;
	uint32_t	pages;
	uint32_t	replace_at;
} DynProgress;

/* Starts a sequence of pages; reuses the memory of *progress. */
extern void dyn_progress_begin(DynProgress *progress);
extern void dyn_progress_free(DynProgress *progress);

/*
 * Records the LastEvaluatedKey of the next page.  Returns NULL on success;
 * `repeated` if the key is equal to the last or the older one; or
 * dyn_check_memory if memory runs out.
 */
extern const char *dyn_progress_note(DynProgress *progress, const char *key,
									 size_t len, const char *repeated);

/* The error returned if memory runs out; callers compare its address. */
extern const char dyn_check_memory[];

#endif
