/*
 * access.h
 *		An access plan: which requests read a foreign table, and its encoding in
 *		a plan's fdw_private.
 *
 * The planner builds a DynAccess (binding.c), encodes it, and the executor
 * decodes it: access.c alone knows the encoding.  While planning, predicates
 * hold their values as expressions; encoding collects the expressions into the
 * plan's fdw_exprs and leaves positions.
 *
 * A decoded access plan refers to columns by attribute number, to key
 * attributes by name and type.  It was made from a description of the table that
 * may be outdated when it is executed; so it keeps the schema that it was made
 * for, against which descriptions and answers are held.
 */
#ifndef DYN_PLAN_ACCESS_H
#define DYN_PLAN_ACCESS_H

#include "../dynamodb/metadata.h"
#include "quals.h"

typedef enum DynAccessKind
{
	DYN_ACCESS_GET,				/* whole primary keys: GetItem, BatchGetItem */
	DYN_ACCESS_QUERY,			/* one Query for each partition key value */
	DYN_ACCESS_SCAN
} DynAccessKind;

/*
 * The predicates that bind one key attribute; they are intersected.  None:
 * tuples bind it.
 */
typedef struct DynKeyMatch
{
	const char *name;
	DynType		type;
	List	   *preds;			/* of DynPred *; an OR is a union of points */
} DynKeyMatch;

/*
 * A key attribute of an index whose presence depends on run-time values: one of
 * the predicates must select only values that the index can hold (presence.h).
 */
typedef struct DynProof
{
	DynKeyAttr	attr;
	int			max_bytes;		/* of a value, at its place in the key */
	List	   *preds;			/* of DynPred * */
} DynProof;

typedef struct DynAccess
{
	DynAccessKind kind;
	const char *index;			/* NULL: the table itself */
	bool		global;			/* a global index: never with consistent reads */
	bool		fetch_base_items;		/* read keys from the index, items from the table */
	bool		backward;		/* Query: descending */
	bool		ordered;		/* rows are promised in sort key order */
	bool		count_only;		/* Select=COUNT: no rows, one number */
	bool		may_stop_early;			/* something above may stop early */
	bool		multi_partition;		/* more than one partition may be read */
	bool		contradiction;		/* a contradiction: send no request */
	bool		first_row_only;			/* the first row is all that is wanted */
	bool		one_request;	/* by key, expected to take no more than that */
	int			limit_hint;		/* items of the first page; 0: no hint */

	int			nhash;
	int			nrange;			/* bound ones, from the left */
	DynKeyMatch	hash[DYN_MAX_KEY_ATTRS];
	DynKeyMatch	range[DYN_MAX_KEY_ATTRS];
	DynPred    *row_keys;			/* an OR of ANDs, each of which has points for
								 * every attribute in `tuple`; or NULL */
	int			nrow_attrs;			/* GET: the whole key; QUERY: the hash
								 * attributes, and maybe the first range one */
	DynKeyAttr	row_attrs[DYN_MAX_KEY_ATTRS + 1];

	int			nsort;			/* ordered: attributes to merge partitions by */
	DynKeyAttr	sort[DYN_MAX_KEY_ATTRS];
	int			nbase;			/* primary key of the table */
	DynKeyAttr	base[2];

	List	   *key_names;		/* of String: all attributes of the keys of the
								 * table and of what is read; no path leads
								 * below one */
	const char *schema;			/* of the table, and the index, that the plan was
								 * made for (dyn_metadata_schema) */
	List	   *filters;		/* of DynPred *, ANDed */
	List	   *fields;			/* of DynField *: what to fetch */
	const char *advice;			/* for EXPLAIN: what would make it cheaper */

	int			nproofs;		/* of an index: to be checked at run time */
	DynProof	proofs[2 * DYN_MAX_KEY_ATTRS];
	struct DynAccess *fallback; /* if they fail, of the table; or NULL */

	/* at planning only */
	List	   *key_rinfos;		/* RestrictInfos that the keys are bound by */
	List	   *having;			/* count_only: HAVING, an implicit AND */
	List	   *checks;			/* count_only: what the fallback must check */
} DynAccess;

/*
 * Can many executions be answered together?  Their rows come in no order, or
 * in that of one partition.
 */
static inline bool
dyn_access_can_look_up(const DynAccess *access)
{
	return access->kind != DYN_ACCESS_SCAN && !access->contradiction &&
		!(access->ordered && access->multi_partition);
}

/* Fills in `schema` from the description that the plan is made from. */
extern void dyn_access_set_schema(DynAccess *access, const DynTableMeta *meta);

/* Does the description still tell the keys and index of the plan? */
extern bool dyn_access_fits(const DynAccess *access, const DynTableMeta *meta);

/* Whether a LastEvaluatedKey has the attributes that the plan's reads give it. */
extern bool dyn_access_fits_key(const DynAccess *access, const char *json,
								size_t len);

/*
 * Encodes the access plan as a List that copyObject can copy, and appends its
 * value expressions to *exprs.  A fallback has none of its own: it is encoded
 * without what would need more.
 */
extern List *dyn_access_encode(const DynAccess *access, List **exprs);

/* The other way; CurrentMemoryContext. */
extern DynAccess *dyn_access_decode(List *encoded);

#endif
