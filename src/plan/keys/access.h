/*
 * access.h
 *		Access plans: the requests that read a foreign table
 *
 * The planner builds a DynAccess (match_keys.c), which the plan stores as a
 * node.  During planning, predicates contain their values as expressions.  In
 * the node, they contain positions in the plan's fdw_exprs.
 *
 * The node refers to columns by attribute number, and to key attributes by
 * name and type.  The description of the table may be outdated when the plan
 * is executed.  So the plan also contains the schema, which is compared with
 * later descriptions and responses.
 *
 * An OR of full keys, such as (pk = 1 AND sk = 'a') OR (pk = 2 AND sk = 'b'),
 * is matched as *row-wise keys*.  A *guard* is an arm without columns, such as
 * $1 IS NULL in $1 IS NULL OR k = $1.  If a guard is true when the statement
 * starts, an access plan that does not need k = $1 is used instead (choice.c).
 */
#ifndef DYN_PLAN_ACCESS_H
#define DYN_PLAN_ACCESS_H

#include "../../dynamodb/metadata.h"
#include "../../dynamodb/units.h"
#include "../clauses/quals.h"

/* DynSortAttr.part for a full attribute, not a part of its template */
#define DYN_FULL	(-1)

/* Summary of the values that predicates allow for a key attribute (terms.c) */
typedef struct DynCount
{
	double		most;			/* maximum number; infinity if unknown */
	double		expected;		/* estimated number of values or ranges */
	bool		points;			/* true for values, false for ranges */
	bool		single;			/* true if all selected items share a value */
	bool		each;			/* true if values in a range are enumerated */
	bool		unsure;			/* true if run-time values may make the key
								 * unusable */
	int			point_parts;	/* number of the key template's leading
								 * placeholders that have values, not ranges */
	int			one_value_parts;	/* leading placeholders with one value */
} DynCount;

/*
 * The predicates, connected by AND, that are matched to one key attribute.  If
 * there are none, the attribute is matched by row_keys of the access plan.
 */
typedef struct DynKeyMatch
{
	DynKeyAttr	attr;
	List	   *preds;			/* DynPred *: point and range predicates
								 * (terms.h).  For the segment column (number
								 * of the Scan segment), also IS [NOT] NULL */
	DynCount	values;			/* planning only: values that `preds` allow */
} DynKeyMatch;

/*
 * A condition on one key attribute of an index, which is checked at the start
 * of an execution.  If it is false, the index may lack selected items, and the
 * table is read instead (index_complete.c).  An index has no items whose value
 * is empty or too long, so the condition is true if one of `preds` excludes
 * such values.  A predicate on a key template is alone in `preds`; it must
 * allow only strings that are short enough for the index.
 */
typedef struct DynIndexCondition
{
	DynKeyAttr	attr;
	int			max_bytes;		/* size limit (bytes) of the key attribute */
	List	   *preds;			/* DynPred * */
} DynIndexCondition;

/* Estimated reads and prices of one execution (cost.c) */
typedef struct DynEstimate
{
	DynAccessKind kind;
	DynReads	reads;
	DynPrices	prices;
	double		items;			/* number of items that the requests return */
	double		check_cost;		/* planner cost of evaluating clauses */
	double		full_ms;		/* table Scan time (ms) without transfer */
	double		examined;		/* number of items that the requests read */
	int			segments;		/* number of segments to read; 0 if the segment
								 * column is not read */
	int			total_segments;
	double		item_rows;		/* rows per examined item */
	double		local_selectivity;	/* selectivity of the clauses that are not
									 * matched to keys */
	double		partition_units;	/* read units of the items in one partition
									 * of the table; 0: unknown */
	double		first_share;	/* fraction of all reads that must be done
								 * before a semijoin has its first row */
	double		first_page;		/* number of items in the first page under a
								 * LIMIT; 0: a full page */
	bool		assumed;		/* true if the table's size is unknown */
	bool		rows_unknown;	/* true if items per partition are unknown */
	bool		alone;			/* true for a Query if it is the only read of
								 * the query level */
} DynEstimate;

/* A sort key attribute, or a part of its template, by which rows are sorted */
typedef struct DynSortAttr
{
	DynKeyAttr	attr;
	int			part;			/* position in the template, or DYN_FULL */
	bool		by_text;		/* true to merge rows by the full attribute,
								 * false to merge them by the part */
} DynSortAttr;

typedef struct DynAccess
{
	DynAccessKind kind;
	const char *index;			/* index name; NULL: the table itself */
	bool		global;			/* true for a global index, which has no
								 * consistent reads */
	/* true to read keys from the index, and then items from the table */
	bool		fetch_base_items;
	bool		backward;		/* Query: true for descending order */
	bool		ordered;		/* true if rows must be in sort key order */
	bool		count_only;		/* true for Select=COUNT (returns a number) */
	bool		may_stop_early; /* true if a plan node above may stop early */
	bool		multi_partition;	/* true if several partitions may be
									 * read */
	bool		contradiction;	/* true if no row can match: no request is
								 * sent */
	bool		first_row_only; /* true if only the first row is needed */
	bool		one_request;	/* true for an access by key that is expected
								 * to send one request */
	bool		shares_lists;	/* result of dyn_access_shares_lists */
	bool		per_value;		/* QUERY: true if each value of range[0] has
								 * its own Query */
	bool		one_round;		/* true if the requests are sent together with
								 * those of another scan of the same keys */
	bool		rechecks_item_filter;	/* true if the item filter is checked
										 * locally */
	bool		is_small;		/* Scan: true if limit_hint is so small that
								 * scan_policy does not apply */
	int			preview_rows;	/* rows of the LIMIT if this is a Scan to which
								 * the option preview_units applies; else 0 */
	bool		is_presumed;	/* GET: true if no request is sent, because the
								 * ConditionExpression of a write decides
								 * whether the row exists */
	bool		unsure;			/* true if run-time values may make the keys
								 * unusable, so that the fallback is used */
	bool		same_items;		/* QUERY: true if executions differ only in
								 * values of filters, not of keys, so that
								 * they share one cached read */
	bool		presumes;		/* Scan of `index`: true if clauses may be left
								 * unchecked, because all items of `index`
								 * satisfy them */
	int			limit_hint;		/* Limit of the first page (items); 0: none */

	int			segments;		/* SCAN: total segments, if the query reads the
								 * segment column; 0: chosen by the executor */
	int			nhash;			/* number of hash attributes.  SCAN: 1 if
								 * hash[0] has predicates on the segment */
	int			nrange;			/* number of matched range attributes */
	DynKeyMatch hash[DYN_MAX_KEY_ATTRS];
	DynKeyMatch range[DYN_MAX_KEY_ATTRS];
	DynPred    *row_keys;		/* NULL, or an OR of ANDs; each AND has a
								 * point predicate for each of row_attrs */
	int			nrow_attrs;		/* number of row_attrs.  A GET has the full
								 * key; a QUERY has the hash attributes, with
								 * or without the first range attribute */
	DynKeyAttr	row_attrs[DYN_MAX_KEY_ATTRS + 1];

	bool		in_turn;		/* ordered: true if partitions are read one
								 * after the other, not merged */
	int			nsort;			/* ordered: number of attributes to sort by */
	DynSortAttr sort[DYN_MAX_KEY_ATTRS];
	DynCount	keys;			/* planning only: number of keys to read */
	int			nbase;			/* number of attributes in the primary key */
	DynKeyAttr	base[2];

	List	   *key_names;		/* String *: key attributes of the table, and
								 * of `index` */
	List	   *scalars;		/* String *: key attributes (of the table or
								 * any index) that are requested in full,
								 * because DynamoDB rejects paths such as k.a */
	const char *schema;			/* schema at planning (dyn_metadata_schema) */
	List	   *filters;		/* DynPred *, ANDed */
	List	   *fields;			/* DynField *: fields to fetch */
	List	   *text_types;		/* key types of the attributes with templates
								 * (dyn_relation_text_types) */
	List	   *conversions;	/* conversions (DynConversion *) of the values
								 * in fdw_exprs; set only in the outermost
								 * access plan */
	const char *advice;			/* advice for EXPLAIN (dyn_advise), or NULL */
	bool		keyed;			/* SCAN: true if clauses restrict keys that the
								 * plan does not use (advice.c) */
	Bitmapset  *lacking;		/* SCAN: columns in the partition key's
								 * template to which clauses give no values */
	DynEstimate estimate;

	List	   *conditions;		/* DynIndexCondition *: a key attribute of the
								 * index has at most two, one for its column
								 * and one for its template */
	/* inner access plans (choice.c, union_path.c); see the functions below */
	List	   *arms;			/* UNION: DynAccess * (GET, QUERY), in order of
								 * reading; all rows are rechecked */
	struct DynAccess *fallback; /* reads the table if the index is not complete,
								 * or the keys cannot be used; or NULL */
	List	   *guards;			/* DynPred *, such as $1 IS NULL */
	struct DynAccess *alternative;	/* replaces this access plan if a guard is
									 * true; NULL without guards */
	bool		is_arm;			/* true for an arm of a UNION, which reads the
								 * table's key to detect duplicate items */

	/* only during planning */
	List	   *key_rinfos;		/* RestrictInfo *: matched to the keys */
	List	   *hash_rinfos;	/* QUERY: matched to the hash attributes */
	List	   *filter_rinfos;	/* RestrictInfo *: sent as filters */
	List	   *exact_rinfos;	/* RestrictInfo *: need no local check */
	List	   *local_rinfos;	/* RestrictInfo *: need a local check */
	List	   *having;			/* count_only: HAVING, as an implicit AND */
	List	   *checks;			/* count_only: conditions that are checked
								 * locally if `fallback` runs instead */
} DynAccess;

/* Returns the match of key attribute i; hash attributes come first. */
static inline const DynKeyMatch *
dyn_access_match(const DynAccess *access, int i)
{
	return i < access->nhash ? &access->hash[i] : &access->range[i - access->nhash];
}

/* Returns the predicates on keys (DynPred *); access->row_keys comes first. */
extern List *dyn_access_key_preds(const DynAccess *access);

/* Abilities of an access plan, which do not depend on run-time values */
typedef enum DynAccessAbility
{
	DYN_CAN_BATCH,				/* several executions can send their requests
								 * together; false if the executions take their
								 * items from one cached read */
	DYN_CAN_CACHE,				/* the items can be cached for executions that
								 * differ only in filter values */
	DYN_CAN_SHARE,				/* several scans can use the same items */
	DYN_CAN_START_AHEAD,		/* the requests can be sent before the executor
								 * requests rows */
	DYN_CAN_USE_ALL,			/* the scan needs all items that it reads */
	DYN_CAN_READ_TABLE,			/* a Scan of the table can replace this Scan */
	DYN_CAN_ORDER,				/* items are in the order of the sort key, so a
								 * LIMIT can end the reading */
	DYN_CAN_COUNT,				/* DynamoDB can count the rows, if no clause is
								 * checked locally */
	DYN_CAN_BE_SMALL,			/* no filter or recheck removes items, so a
								 * Scan can read just the items of a LIMIT */
	DYN_CAN_PREVIEW,			/* a Scan can read page by page until it has
								 * the rows of a LIMIT (preview_units) */
	DYN_CAN_PRESUME				/* the ConditionExpression of a write can
								 * decide whether the row exists */
} DynAccessAbility;

/* Returns true if one of the predicates compares two attributes. */
extern bool dyn_preds_compare_fields(const List *preds);

extern bool dyn_access_can(const DynAccess *access, DynAccessAbility ability);

/* Return the arms (DynAccess *; may be NIL) or the fallback (may be NULL). */
extern List *dyn_access_arms(const DynAccess *access);
extern DynAccess *dyn_access_fallback(const DynAccess *access);

/*
 * Returns the access plans (DynAccess *) among which guards choose: `access`,
 * its alternative, and so on.  The first one that has no true guard is used.
 */
extern List *dyn_access_alternatives(const DynAccess *access);

extern List *dyn_access_guards(const DynAccess *access);

/* Returns a copy for a scan that is certain to be read to its end. */
extern DynAccess *dyn_access_to_end(const DynAccess *access);

/* Returns true if `a` and `b` read the same index, or both read the table. */
extern bool dyn_access_same_index(const DynAccess *a, const DynAccess *b);

/* Returns the column that maps to the attribute or part, or 0. */
extern AttrNumber dyn_sort_column(const DynRelation *relation, const DynSortAttr *sort);

/*
 * Sets access->sort to the attributes of the sort key, or the parts of their
 * templates, by which the rows of `from` are sorted; and access->in_turn to
 * true if reading one partition after the other gives this order.  `access`
 * may be `from`, or uninitialized.
 */
extern void dyn_sort_attributes(const DynRelPlan *plan, const DynAccess *from,
								DynAccess *access);

/* Returns true if the description still has the keys and index of the plan. */
extern bool dyn_access_is_valid(const DynAccess *access, const DynTableMeta *meta);

/* Returns true if a LastEvaluatedKey has the expected attributes. */
extern bool dyn_access_is_valid_key(const DynAccess *access, const char *json,
									size_t len);

/*
 * Returns a node with a copy of the access plan.  Sets *exprs to the value
 * expressions, to which the node refers by position.
 */
extern Node *dyn_access_node(const DynAccess *access, List **exprs);

/*
 * Returns the access plan in a node of dyn_access_node, not a copy of it.  The
 * node may belong to a cached plan, so the access plan must not be changed.
 */
extern const DynAccess *dyn_access_of_node(const Node *node);

/* Registers the node type.  Called once, when the library is loaded. */
extern void dyn_access_init(void);

#endif
