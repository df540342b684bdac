/*
 * page_check.h
 *		Does an answer answer the operation that was asked?
 *
 * A response can be legal JSON under a right checksum and still be the answer
 * to something else: a proxy's notice with status 200, an error document, the
 * late answer to an earlier request.  Each would look like "no rows".  So an
 * answer is believed only if it has the members of its operation, and holds
 * nothing but what was asked for.  This is the one place that compares them.
 *
 * Plain C, malloc (through the scratch buffer only), raises nothing.
 */
#ifndef DYN_DYNAMODB_PAGE_CHECK_H
#define DYN_DYNAMODB_PAGE_CHECK_H

#include "metadata.h"
#include "operation.h"
#include "page.h"

/* A Query may bind all hash attributes and the first range attribute. */
#define DYN_MAX_ASKED_PARTS	(DYN_MAX_KEY_ATTRS + 1)

/*
 * The keys of a BatchGetItem, which may take several requests.  A key is open
 * until its item came, or an answer came that has no item for it.
 */
typedef enum DynKeyState
{
	DYN_KEY_OPEN,				/* to be asked for, or left unprocessed */
	DYN_KEY_ASKED,				/* in the request under way */
	DYN_KEY_ANSWERED
} DynKeyState;

typedef struct DynBatch
{
	int			nkeys;			/* at most DYN_BATCH_GET_MAX_KEYS */
	uint8_t		state[DYN_BATCH_GET_MAX_KEYS];	/* DynKeyState */
} DynBatch;

/* All of its keys are open. */
extern void dyn_batch_begin(DynBatch *batch, int nkeys);

/*
 * Marks up to `most` open keys as asked, and writes their numbers to picked,
 * which has room for all.  Returns how many.
 */
extern int	dyn_batch_ask(DynBatch *batch, int most, uint8_t *picked);

/* What was asked for is open again: no answer came that could be used. */
extern void dyn_batch_take_back(DynBatch *batch);

extern int	dyn_batch_count(const DynBatch *batch, DynKeyState state);

/* What was asked, as far as an answer can be compared with it. */
typedef struct DynAsked
{
	DynOperation op;			/* GET_ITEM, BATCH_GET_ITEM, QUERY or SCAN */
	const char *table;
	bool		count_only;

	/* GetItem, BatchGetItem: keys; Query: what binds the partition, nkeys 1 */
	const DynKeyPart *keys;		/* key i at keys[i * nparts] */
	int			nkeys;
	int			nparts;
	const int  *slots;			/* of the parts in an item; -1: not projected.
								 * BatchGetItem: all are projected. */
	DynBatch   *batch;			/* BatchGetItem */
} DynAsked;

/*
 * NULL if the answer fits; else what is wrong with it, a static text that
 * continues "The answer ...".  `left` holds the keys left unprocessed
 * (dyn_page_parse_keys), NULL if there are none; they are open again in the
 * batch then, and all others are answered.
 */
extern const char *dyn_page_check(const DynPage *page, const DynPage *left,
								  const DynAsked *asked, DynBuffer *scratch);

/*
 * Is this the name of the table that was asked for as `asked`?  An answer names
 * a table as the request did; a description of a table asked for by its ARN
 * has the plain name.
 */
extern bool dyn_names_table(const char *asked, const char *name, size_t len);

/*
 * Keys that page after page continues from, to find out whether they go in
 * circles.  Besides the last key one older one is kept and replaced at pages 1,
 * 2, 4, 8 ..., so that every circle is noticed within a few rounds.
 */
typedef struct DynProgress
{
	DynBuffer	last;			/* empty: no page came yet */
	DynBuffer	older;
	uint32_t	pages;
	uint32_t	replace_at;
} DynProgress;

/* Zero-initialise it first; keeps its memory. */
extern void dyn_progress_begin(DynProgress *progress);
extern void dyn_progress_free(DynProgress *progress);

/*
 * The next key.  NULL, `repeated` if it came before, or dyn_check_memory.
 */
extern const char *dyn_progress_note(DynProgress *progress, const char *key,
									 size_t len, const char *repeated);

/* Continues "The answer ...", but is no fault of the answer. */
extern const char dyn_check_memory[];

#endif
