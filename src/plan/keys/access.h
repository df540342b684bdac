/*
 * access.h
 *		Access plans: the requests that read a foreign table
 *
 * The planner builds a DynAccess (match_keys.c), which the plan stores as a
 * node.  During planning, predicates hold their values as expressions.  In the
 * node, they hold positions in the plan's fdw_exprs.
 *
 * The node refers to columns by attribute number, and to key attributes by
 * name and type.  The description of the table may be outdated when the plan
 * is executed.  Therefore the plan contains the schema that it was made for,
 * which is compared with later descriptions and responses.
 */
#ifndef DYN_PLAN_ACCESS_H
#define DYN_PLAN_ACCESS_H

#include "../../dynamodb/metadata.h"
#include "../../dynamodb/units.h"
#include "../clauses/quals.h"
#include "../clauses/rel_plan.h"

/*
 * Position that stands for the full text of an attribute, not one part of it
 */
#define DYN_FULL	(-1)

/* Summary of the values that predicates allow for a key attribute (terms.c) */
typedef struct DynCount
{
	double		most;			/* maximum number of values, or ranges of
								 * values; infinity if unknown until they are
								 * evaluated */
	double		expected;		/* estimate of this number */
	bool		points;			/* true if these are values, not ranges */
	bool		single;			/* true if there is one value, the same for all
								 * items */
	bool		each;			/* true if the values include all those
								 * between two bounds */
	bool		unsure;			/* true if run-time values may make the key
								 * unusable */
	bool		templated;		/* true if all values are texts of a
								 * template */
	int			point_parts;	/* templated: leading parts with values */
	int			one_value_parts;	/* leading parts with one value each */
} DynCount;

/*
 * The predicates matched to one key attribute; a value must satisfy all of
 * them.  If there are none, row_keys match the attribute.
 */
typedef struct DynKeyMatch
{
	const char *name;
	DynType		type;
	List	   *preds;			/* list of DynPred; an OR has points in all
								 * arms, except for segments */
	DynCount	values;			/* summary, made during planning, of the values
								 * that the predicates allow */
} DynKeyMatch;

/*
 * A condition for completeness: the values of a key attribute must be known at
 * run time to be in the index.  At least one of the predicates must allow only
 * values that the index can hold.  A predicate of kind TEMPLATED is alone;
 * then the index must be able to hold all texts that it allows
 * (index_complete.c).
 */
typedef struct DynIndexCondition
{
	DynKeyAttr	attr;
	int			max_bytes;		/* size limit of a value in this part of the
								 * key */
	List	   *preds;			/* DynPred * */
} DynIndexCondition;

/*
 * The price of one execution (cost.c); a plan stores the bytes of this struct.
 */
typedef struct DynEstimate
{
	DynReads	reads;
	DynPrices	prices;
	double		items;			/* number of items that the requests return */
	double		check_cost;		/* cost of evaluating clauses */
	double		full_ms;		/* minimum price of a Scan of the table (ms) */
	double		examined;		/* number of items that the requests read */
	int			segments;		/* number of segments that are read, out of
								 * total_segments; 0: rows do not show their
								 * segments */
	int			total_segments;
	double		item_rows;		/* rows per item examined */
	double		kept;			/* fraction of the rows that satisfy the clauses
								 * not matched to keys */
	double		partition_units;	/* read units of all items with one
									 * partition key of the table; 0: unknown */
	double		first_share;	/* fraction read for the first row of a
								 * semijoin */
	double		first_page;		/* fraction read on the first page under a
								 * LIMIT; 0: a full page */
	bool		assumed;		/* true if the table's size is unknown */
	bool		rows_unknown;	/* true if the number of items per partition
								 * key is unknown */
	bool		alone;			/* true for a Query if the query level reads
								 * nothing else */
} DynEstimate;

/* Use of an access plan that is inside of another one */
typedef enum DynAccessUse
{
	DYN_USE_ALWAYS,				/* arm of a UNION (GET or QUERY); its rows are
								 * checked by all clauses */
	DYN_USE_IF_INCOMPLETE,		/* read from the table, if the conditions for
								 * the index's completeness fail */
	DYN_USE_IF_OPEN				/* replaces the outer access plan while a guard
								 * (choice.c) is true */
} DynAccessUse;

typedef struct DynAccess
{
	DynAccessKind kind;
	const char *index;			/* index name; NULL: the table itself */
	bool		global;			/* true for a global index: no consistent
								 * reads */
	bool		fetch_base_items;	/* true to read keys from the index, and
									 * then the items from the table */
	bool		backward;		/* Query: true for descending order */
	bool		ordered;		/* true if rows must be in sort key order */
	bool		count_only;		/* true for Select=COUNT: one number instead of
								 * rows */
	bool		may_stop_early; /* true if a node above may stop early */
	bool		multi_partition;	/* true if several partitions may be
									 * read */
	bool		contradiction;	/* true if no row can match: no request is
								 * sent */
	bool		first_row_only; /* true if only the first row is needed */
	bool		one_request;	/* true if keyed and expected to take one
								 * request */
	bool		one_round;		/* true if its requests are sent together with
								 * those of another scan by the same keys */
	bool		rechecks_item_filter;	/* true if the requests do not enforce
										 * the item filter */
	bool		is_small;		/* Scan: true if limit_hint items are enough,
								 * and so few that scan_policy does not
								 * apply */
	int			preview_rows;	/* Scan: number of rows that a preview must
								 * find; 0: no preview */
	bool		is_presumed;	/* GET: true if no request is sent, because the
								 * condition of a write decides whether the
								 * rows exist */
	bool		unsure;			/* true if run-time values may make the keys
								 * unusable; then the table is read without
								 * them */
	bool		presumes;		/* true if an item's existence in the index
								 * replaces conditions */
	int			limit_hint;		/* items of the first page; 0: no hint */

	int			segments;		/* SCAN: total number of segments if the query
								 * reads the segment column; 0: any number can
								 * be used */
	int			nhash;			/* SCAN: 1 if hash[0] are predicates on the
								 * segment */
	int			nrange;			/* matched range attributes (from the left) */
	DynKeyMatch hash[DYN_MAX_KEY_ATTRS];
	DynKeyMatch range[DYN_MAX_KEY_ATTRS];
	DynPred    *row_keys;		/* OR of ANDs, each with points for all of
								 * row_attrs; or NULL */
	int			nrow_attrs;		/* attributes of row_keys.  GET: the full key;
								 * QUERY: the hash attributes, and maybe the
								 * first range attribute */
	DynKeyAttr	row_attrs[DYN_MAX_KEY_ATTRS + 1];

	bool		in_turn;		/* ordered: true if each partition's rows are
								 * after those of the partitions before */
	int			nsort;			/* ordered: number of attributes to merge by */
	DynKeyAttr	sort[DYN_MAX_KEY_ATTRS];
	bool		sort_texts[DYN_MAX_KEY_ATTRS];	/* merging: true if the full
												 * text sorts as the part */
	int			sort_parts[DYN_MAX_KEY_ATTRS];	/* part of the attribute's
												 * template, or DYN_FULL */
	DynCount	keys;			/* number of keys that are read, counted during
								 * planning */
	int			nbase;			/* attributes in the primary key of the
								 * table */
	DynKeyAttr	base[2];

	List	   *key_names;		/* String: key attributes of the table and of
								 * the index read */
	List	   *scalars;		/* list of String: key attributes, of the table
								 * or any index, below which the relation has
								 * paths; DynamoDB rejects such paths */
	const char *schema;			/* schema of the table and index during
								 * planning (dyn_metadata_schema) */
	List	   *filters;		/* DynPred *, ANDed */
	List	   *fields;			/* DynField *: fields to fetch */
	List	   *text_types;		/* types of the templates' attributes
								 * (relation.h) */
	List	   *conversions;	/* DynConversion * for values in fdw_exprs;
								 * only in the top access plan */
	const char *advice;			/* advice for EXPLAIN, how to write a cheaper
								 * query */
	DynEstimate estimate;

	int			nconditions;	/* conditions on the index, checked at run
								 * time */
	DynIndexCondition conditions[4 * DYN_MAX_KEY_ATTRS];	/* two for each
															 * attribute: for
															 * its column, and
															 * for its
															 * template */
	List	   *optional_quals; /* list of DynPred: guards (choice.c), of which
								 * one is enough */
	DynAccessUse use;
	List	   *inner;			/* DynAccess *: access plans that this one
								 * uses */
	bool		is_arm;			/* true for an arm; its items need the table's
								 * key, by which items that several arms return
								 * are recognized */

	/* only during planning */
	List	   *key_rinfos;		/* RestrictInfos matched to the keys */
	List	   *filter_rinfos;	/* RestrictInfos sent as filters */
	List	   *exact_rinfos;	/* RestrictInfos that need no local check */
	List	   *local_rinfos;	/* RestrictInfos of all other clauses */
	List	   *having;			/* count_only: HAVING, an implicit AND */
	List	   *checks;			/* count_only: clauses for the fallback */
} DynAccess;

/* Returns the number of key parts that a Query specifies. */
static inline int
dyn_access_key_parts(const DynAccess *access)
{
	return access->row_keys != NULL ? access->nrow_attrs : access->nhash;
}

/*
 * Operations that an access plan permits, regardless of its executions; a
 * table in access.c decides.
 */
typedef enum DynAccessAbility
{
	DYN_CAN_BATCH,				/* one batch of requests can serve several
								 * executions */
	DYN_CAN_CACHE,				/* items can be cached for executions that
								 * differ only in filters */
	DYN_CAN_SHARE,				/* several scans can use the items of one
								 * read */
	DYN_CAN_START_AHEAD,		/* the request can be sent before the executor
								 * requests rows */
	DYN_CAN_USE_ALL,			/* an execution uses every item that its
								 * requests return */
	DYN_CAN_READ_TABLE,			/* a Scan of the table returns the same rows */
	DYN_CAN_ORDER,				/* items are in the order of the sort key, so
								 * the first ones may be enough */
	DYN_CAN_COUNT,				/* DynamoDB counts the rows if no clause is
								 * checked locally */
	DYN_CAN_BE_SMALL,			/* no item that is read is dropped: no filter,
								 * no recheck of the item filter */
	DYN_CAN_PREVIEW,			/* items that are read one after another
								 * contain the first rows */
	DYN_CAN_PRESUME				/* the condition of a write can decide whether
								 * the rows exist */
} DynAccessAbility;

/* Returns true if one of the predicates compares two attributes. */
extern bool dyn_preds_compare_fields(const List *preds);

extern bool dyn_access_can(const DynAccess *access, DynAccessAbility ability);

/*
 * Adds an inner access plan.  Arms must be added first, in their order, and
 * then at most one access plan for each other use.
 */
extern void dyn_access_add(DynAccess *access, DynAccess *inner, DynAccessUse use);

/* Returns the inner access plan with this use, or NULL. */
extern DynAccess *dyn_access_inner(const DynAccess *access, DynAccessUse use);

/* Returns the arms of a UNION (DynAccess *); NIL for others. */
extern List *dyn_access_arms(const DynAccess *access);

/* Returns true if both read the same index, or both the table itself. */
extern bool dyn_access_same_index(const DynAccess *a, const DynAccess *b);

/*
 * Returns the column that shows the sort attribute, or this part of it; 0 if
 * there is none.
 */
extern AttrNumber dyn_sort_column(const DynRelation *relation,
								  const DynKeyAttr *attr, int part);

/*
 * Sets access->sort to the attributes of the sort key, or parts of their
 * texts, that determine the order of rows.  Several requests can be merged by
 * them, or be read in turn (access->in_turn).  `from` is the access plan of
 * that table or index.
 */
extern void dyn_sort_attributes(const DynRelPlan *plan, const DynIndexMeta *index,
								const DynAccess *from, DynAccess *access);

/* Returns true if the description still has the keys and index of the plan. */
extern bool dyn_access_is_valid(const DynAccess *access, const DynTableMeta *meta);

/*
 * Returns true if a LastEvaluatedKey has the attributes that the plan expects.
 */
extern bool dyn_access_is_valid_key(const DynAccess *access, const char *json,
									size_t len);

/* Returns a copy with copies of its arguments; expressions are shared. */
extern DynPred *dyn_pred_copy(const DynPred *pred);

/*
 * Returns a node with a copy of the access plan, and moves its value
 * expressions to *exprs.  A fallback uses the same expressions: predicates
 * that would need others are omitted from it.
 */
extern Node *dyn_access_node(const DynAccess *access, List **exprs);

/*
 * Returns the access plan in such a node, which may belong to a cached plan.
 */
extern const DynAccess *dyn_access_of_node(const Node *node);

/* Sets is_presumed in such a node, which must belong to a new plan. */
extern void dyn_access_node_presume(Node *node);

/* Registers the node type.  Called once, when the library is loaded. */
extern void dyn_access_init(void);

#endif
