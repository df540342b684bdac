/*
 * access.h
 *		Access plans: the requests that read a foreign table.
 *
 * The planner builds a DynAccess (match_keys.c), which the plan keeps as a node.
 * During planning, predicates hold their values as expressions; the node has
 * them in the plan's fdw_exprs, and predicates hold positions there.
 *
 * The node refers to columns by attribute number, and to key attributes by name
 * and type.  The description of the table may be outdated when the plan is
 * executed; so the plan contains the schema that it was made for, which is
 * compared with later descriptions and responses.
 */
#ifndef DYN_PLAN_ACCESS_H
#define DYN_PLAN_ACCESS_H

#include "../../dynamodb/metadata.h"
#include "../../dynamodb/units.h"
#include "../clauses/quals.h"
#include "../clauses/rel_plan.h"

/* Not one part of an attribute's text. */
#define DYN_FULL	(-1)

/* What predicates leave a key attribute, or a part of its text (key_counts.h). */
typedef struct DynCount
{
	double		n;				/* so many values, or ranges of values; infinity
								 * if that is not known before they are */
	bool		points;			/* values */
	bool		single;			/* one value, the same for all items */
	bool		integers;		/* some are all integers between two bounds */
} DynCount;

/*
 * The predicates matched to one key attribute; they are intersected.  If there
 * are none, row_keys match it.
 */
typedef struct DynKeyMatch
{
	const char *name;
	DynType		type;
	List	   *preds;			/* of DynPred *; an OR is a union of points */
	DynCount	most;			/* that they leave it; at planning */
} DynKeyMatch;

/*
 * A key attribute of an index whose presence depends on run-time values: one
 * of the predicates must select only values that the index can hold.  A
 * predicate of kind SPELLED stands alone: all texts that it allows must fit
 * (index_complete.h).
 */
typedef struct DynIndexCondition
{
	DynKeyAttr	attr;
	int			max_bytes;		/* of a value in this part of the key */
	List	   *preds;			/* of DynPred * */
} DynIndexCondition;

/* The price of one execution (cost.c); a plan keeps the struct's bytes. */
typedef struct DynEstimate
{
	DynReads	reads;
	DynPrices	prices;
	double		items;			/* that the requests return */
	double		check_cost;		/* of evaluating clauses */
	double		full_ms;		/* least price of a Scan of the table */
	double		examined;		/* items that the requests read */
	double		first_share;	/* of them, for the first row of a semijoin */
	double		first_page;		/* of them, on the first page of a LIMIT; 0: as
								 * many as fit */
	bool		assumed;		/* the table's size is unknown */
	bool		rows_unknown;	/* so are the items of a partition key */
	bool		alone;			/* a Query, and all that the query level reads */
} DynEstimate;

typedef struct DynAccess
{
	DynAccessKind kind;
	const char *index;			/* NULL: the table itself */
	bool		global;			/* global index: no consistent reads */
	bool		fetch_base_items;	/* keys of the index, items of table */
	bool		backward;		/* Query: descending */
	bool		ordered;		/* rows must be in sort key order */
	bool		count_only;		/* Select=COUNT: no rows, one number */
	bool		may_stop_early; /* a node above may stop early */
	bool		multi_partition;	/* may read more than one partition */
	bool		contradiction;	/* no rows: send no request */
	bool		first_row_only; /* only the first row is needed */
	bool		one_request;	/* keyed, and expected to take one request */
	bool		rechecks_item_filter;	/* the requests do not enforce the row
										 * test */
	bool		is_small;		/* Scan: limit_hint items are enough, and few */
	bool		presumes;		/* that an item is in the index stands for
								 * conditions */
	int			limit_hint;		/* items of the first page; 0: no hint */

	int			nhash;
	int			nrange;			/* matched ones, from the left */
	DynKeyMatch hash[DYN_MAX_KEY_ATTRS];
	DynKeyMatch range[DYN_MAX_KEY_ATTRS];
	DynPred    *row_keys;		/* an OR of ANDs, each of which has points for
								 * all of row_attrs; or NULL */
	int			nrow_attrs;		/* GET: the whole key; QUERY: the hash
								 * attributes, and maybe the first range one */
	DynKeyAttr	row_attrs[DYN_MAX_KEY_ATTRS + 1];

	int			nsort;			/* ordered: what to merge by */
	DynKeyAttr	sort[DYN_MAX_KEY_ATTRS];
	int			sort_parts[DYN_MAX_KEY_ATTRS];	/* of the attribute's template,
												 * or DYN_FULL */
	int			nbase;			/* primary key of the table */
	DynKeyAttr	base[2];

	List	   *key_names;		/* of String: key attributes of the table and
								 * of the index read */
	List	   *scalars;		/* of String: key attributes of the table or of
								 * any index, of those below which the relation's
								 * paths lead; DynamoDB takes no such path */
	const char *schema;			/* of the table and index at planning
								 * (dyn_metadata_schema) */
	List	   *filters;		/* of DynPred *, ANDed */
	List	   *fields;			/* of DynField *: what to fetch */
	List	   *text_types;		/* of the templates' attributes (relation.h) */
	List	   *conversions;	/* of DynConversion *: of values in fdw_exprs; of
								 * the top of a plan */
	const char *advice;			/* for EXPLAIN: how to make it cheaper */
	DynEstimate estimate;

	int			nconditions;	/* of an index: checked at run time */
	DynIndexCondition conditions[4 * DYN_MAX_KEY_ATTRS];	/* two for an attribute:
															 * of its column, and of
															 * its template */
	struct DynAccess *fallback; /* of the table, if they fail; or NULL */

	List	   *arms;			/* UNION: of DynAccess *, GET or QUERY; every row
								 * is checked by all clauses */
	bool		is_arm;			/* items show their key of the table, by which
								 * those of several arms are told apart */
	List	   *optional_quals; /* of DynPred *: while one is true, otherwise */
	struct DynAccess *alternative;	/* is executed in place of this; or NULL */

	/* at planning only */
	List	   *key_rinfos;		/* RestrictInfos matched to the keys */
	List	   *filter_rinfos;	/* those sent as filters */
	List	   *exact_rinfos;	/* those that need no local check */
	List	   *local_rinfos;	/* the others */
	List	   *having;			/* count_only: HAVING, an implicit AND */
	List	   *checks;			/* count_only: clauses for the fallback */
} DynAccess;

/* The parts of a key that a Query asks for. */
static inline int
dyn_access_key_parts(const DynAccess *access)
{
	return access->row_keys != NULL ? access->nrow_attrs : access->nhash;
}

/* What an access plan permits, whatever the state of its executions. */
typedef enum DynAccessAbility
{
	DYN_CAN_BATCH = 1 << 0,		/* one batch of requests for several executions */
	DYN_CAN_CACHE = 1 << 1,		/* items are kept for executions that differ in
								 * filters only */
	DYN_CAN_SHARE = 1 << 2,		/* several scans go through the items of one read */
	DYN_CAN_START_AHEAD = 1 << 3,	/* its request is sent before its turn */
	DYN_CAN_USE_ALL = 1 << 4,	/* all that it could read is used, if it runs */
	DYN_CAN_READ_TABLE = 1 << 5 /* a Scan of the table gives the same rows */
} DynAccessAbility;

extern bool dyn_access_can(const DynAccess *access, DynAccessAbility ability);

/* Do both read the same index, or the table itself? */
extern bool dyn_access_same_index(const DynAccess *a, const DynAccess *b);

/* The column that shows what is sorted by; 0: none. */
extern AttrNumber dyn_sort_column(const DynRelation *relation,
								  const DynKeyAttr *attr, int part);

/* Does the description still have the keys and index of the plan? */
extern bool dyn_access_is_valid(const DynAccess *access, const DynTableMeta *meta);

/* Does a LastEvaluatedKey have the attributes that the plan expects? */
extern bool dyn_access_is_valid_key(const DynAccess *access, const char *json,
									size_t len);

/* With copies of its arguments; expressions are shared. */
extern DynPred *dyn_pred_copy(const DynPred *pred);

/*
 * A node with a copy of the access plan, whose value expressions are moved to
 * *exprs.  A fallback shares them: it is copied without predicates that would
 * need others.
 */
extern Node *dyn_access_node(const DynAccess *access, List **exprs);

/* The access plan of such a node: it may be part of a cached plan. */
extern const DynAccess *dyn_access_of_node(const Node *node);

/* Called once, when the library is loaded. */
extern void dyn_access_init(void);

#endif
