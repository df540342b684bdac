/*
 * item_filter.h
 *		The item filter: determines which items are rows of the foreign table,
 *		according to the table options item_filter and ttl_attribute.
 *
 * An item is a row if it satisfies every term.  A term of item_filter compares
 * the DynamoDB type and value of an attribute with constants; null matches an
 * attribute that is absent or NULL.
 *
 * The term of ttl_attribute, if this option is set, is the last one.  The term
 * excludes expired items: their ttl_attribute, in seconds since 1970, is in
 * the five years up to the start of the transaction (Amazon DynamoDB Developer
 * Guide, "Using time to live").
 */
#ifndef DYN_MODEL_ITEM_FILTER_H
#define DYN_MODEL_ITEM_FILTER_H

#include "../../dynamodb/page.h"
#include "../../dynamodb/wire.h"

typedef struct DynFilterTerm
{
	const DynPath *path;		/* path of a top-level attribute */
	bool		ttl;			/* true if the term tests for expiry; then the
								 * fields below are not set */
	bool		or_null;		/* true if NULL or absence matches */
	int			nvalues;
	DynScalar  *values;			/* constants of the types S, N and BOOL */
} DynFilterTerm;

typedef struct DynItemFilter
{
	int			nterms;			/* 0: every item is a row */
	DynFilterTerm *terms;
} DynItemFilter;

/* Returns true if the text is valid; else sets *why to a hint. */
extern bool dyn_item_filter_check(const char *text, const char **why);

/*
 * Returns the item filter, in CurrentMemoryContext.  The options item_filter
 * (`match`) and ttl_attribute (`ttl`) may be NULL.
 */
extern DynItemFilter dyn_item_filter(const char *match, const char *ttl);

static inline const DynFilterTerm *
dyn_item_filter_ttl(const DynItemFilter *filter)
{
	return filter->nterms > 0 && filter->terms[filter->nterms - 1].ttl
		? &filter->terms[filter->nterms - 1] : NULL;
}

/* Returns the attribute's name (UTF-8). */
static inline const char *
dyn_filter_term_attribute(const DynFilterTerm *term)
{
	return term->path->steps[0].name;
}

/* Sets the least and the greatest value of ttl_attribute in expired items. */
extern void dyn_expired_range(DynScalar *first, DynScalar *last);

#endif
