/*
 * row_test.h
 *		Which items of the DynamoDB table are rows of the foreign table: the
 *		table options match and ttl.
 *
 * An item is a row if it satisfies every term.  A term of match compares an
 * attribute with constants, by DynamoDB's type and value; null stands for an
 * attribute that is absent or NULL.  The term of ttl excludes items that have
 * expired: the attribute is a number of seconds since 1970 that is not after
 * the start of the transaction, nor more than five years before it (Amazon
 * DynamoDB Developer Guide, "Using time to live").
 */
#ifndef DYN_MODEL_ROW_TEST_H
#define DYN_MODEL_ROW_TEST_H

#include "../../dynamodb/page.h"
#include "../../dynamodb/wire.h"

typedef struct DynRowTerm
{
	const DynPath *path;		/* of a top-level attribute */
	bool		ttl;			/* the item must not have expired; nothing else
								 * is set then */
	bool		or_null;		/* NULL or no attribute will do */
	int			nvalues;
	DynScalar  *values;			/* of the types S, N and BOOL */
} DynRowTerm;

typedef struct DynRowTest
{
	int			nterms;			/* 0: every item is a row */
	DynRowTerm *terms;
} DynRowTest;

/* True if it is a value for match; otherwise *why is a hint. */
extern bool dyn_match_check(const char *text, const char **why);

/*
 * The test of these options, each NULL if it is not set.  Allocates in
 * CurrentMemoryContext; raises an error for what dyn_match_check refuses.
 */
extern DynRowTest dyn_row_test(const char *match, const char *ttl);

/* The name of the term's attribute; UTF-8. */
extern const char *dyn_row_term_attribute(const DynRowTerm *term);

/* What the ttl attribute of an expired item is between; canonical numbers. */
extern void dyn_expired_range(DynScalar *first, DynScalar *last);

#endif
