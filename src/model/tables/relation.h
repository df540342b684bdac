/*
 * relation.h
 *		The definition of a foreign table: columns, options, DynamoDB table.
 *
 * The description of the DynamoDB table is read on demand (dyn_session_table);
 * executing a plan does not need it.
 */
#ifndef DYN_MODEL_RELATION_H
#define DYN_MODEL_RELATION_H

#include "access/attnum.h"
#include "utils/relcache.h"

#include "../../dynamodb/page.h"
#include "../definition/column.h"
#include "../definition/options.h"
#include "../definition/item_filter.h"
#include "../definition/template_columns.h"
#include "../session/session.h"
#include "../values/path.h"

/* Facts about the items of a scan, for messages. */
typedef struct DynRowTally
{
	bool		any_row;		/* true if some item was a row */
	uint64		rejected;		/* number of items that were not rows */
	char	   *rejected_key;	/* key of the first rejected item, if known */
} DynRowTally;

typedef struct DynRelation
{
	DynRowTally *tally;			/* tally of the executing scan, or NULL */

	Oid			relid;
	const char *name;			/* name of the foreign table */
	const char *table;			/* name of the DynamoDB table, with prefix */
	DynConnection *connection;
	DynReadOptions options;		/* options; those not set are the server's */
	bool		consistent;		/* option or parameter consistent_read */
	bool		own_writes;		/* true if the statement writes the table, or
								 * the session has just written it; reads are
								 * then consistent, except of global indexes */
	double		max_read_units_per_second;	/* limits of the table, in addition
											 * to the server's; 0: no limit */
	double		max_write_units_per_second;
	DynItemFilter item_filter;	/* item_filter and ttl_attribute */
	int			ntemplated;		/* number of templates */
	DynTemplatedAttr *templated;
	bool		connected;		/* true after dyn_relation_connect */
	List	   *trusted_indexes;	/* list of char *: names of indexes */
	const DynPath *unnest;		/* path of the list, set or map with the rows;
								 * NULL if the items are the rows */
	bool		skips_scalars;	/* true if an item without a list, set or map
								 * at `unnest` has no rows; false if such an
								 * item is an error */
	bool		target;			/* set by the planner: true if the statement
								 * writes the table's rows */
	bool		triggered;		/* set by the planner: true if an UPDATE fires
								 * a BEFORE trigger for each selected row */
	AttrNumber	segment_column; /* column of the Scan segment, or 0 */
	bool		hides_segment;	/* set by the planner: true if a writing
								 * statement does not read segment_column */
	int			ncolumns;
	DynColumn  *columns;		/* columns, indexed by attnum - 1 */
} DynRelation;

/*
 * Returns the definition of a foreign table, and pins the table's connection.
 * The definition and the pin last until CurrentMemoryContext is reset.
 * `userid` is the user whose user mapping is used; InvalidOid means the
 * current user.
 */
extern DynRelation *dyn_relation_open(Oid relid, Oid userid);

/* Returns the table's quoted name for a hint, with the schema if needed. */
extern const char *dyn_relation_quoted_name(const DynRelation *relation);

/*
 * Returns true if the current user may read these columns (NULL: all), so that
 * messages may show their values.  A user of a view may lack this privilege.
 */
extern bool dyn_relation_is_readable(const DynRelation *relation,
									 const Bitmapset *columns);

/* Returns the DynamoDB table's name; `name` is the foreign table's name. */
extern const char *dyn_relation_remote_name(const DynConnection *connection,
											const char *name, List *options);

/*
 * Returns true if the table does not have the option `unnest`, and the option
 * `updatable` is on.  If the table does not set `updatable`, the server's
 * option counts.  Needs no request or user mapping.
 */
extern bool dyn_relation_is_updatable(Oid relid);

/*
 * Connect the templates with the columns (dyn_templated_connect), so that
 * columns can be read from placeholders.  `base` is the key of the DynamoDB
 * table, and `meta` its description, or NULL.  dyn_relation_connect_described
 * also sets the types of the templates' attributes, and raises an error if an
 * index in the option trusted_indexes does not exist.
 */
extern void dyn_relation_connect(DynRelation *relation, const DynKeyAttr *base,
								 int nbase, const DynTableMeta *meta);

extern void dyn_relation_connect_described(DynRelation *relation,
										   const DynTableMeta *meta);

/*
 * Get and set the field `type` of the templates, as a list of integers in the
 * order of the templates.  Plans store this list, so that execution does not
 * need the table's description.
 */
extern List *dyn_relation_text_types(const DynRelation *relation);
extern void dyn_relation_set_text_types(DynRelation *relation,
										const List *types);

extern const DynTemplatedAttr *dyn_relation_templated(const DynRelation *relation,
													  const char *attribute);

extern bool dyn_relation_same_table(const DynRelation *a, const DynRelation *b);

/* Returns true if the DynamoDB table may contain items that are not rows. */
extern bool dyn_relation_may_reject_items(const DynRelation *relation);

extern bool dyn_relation_trusts(const DynRelation *relation, const char *index);

/*
 * Returns the policy for Scans: that of the table's option, which the
 * parameter scan_policy can make stricter or, with "allow", override.
 */
extern DynScanPolicy dyn_relation_scan_policy(const DynRelation *relation);

/*
 * Returns the first column that shows the key attribute (dyn_column_shows) and
 * stores values of the attribute's type; 0 if there is none.
 */
extern AttrNumber dyn_relation_column_of(const DynRelation *relation,
										 const DynKeyAttr *attr);

/*
 * Returns a column that shows the key attribute or, if there is none, the
 * column that is the only placeholder of the attribute's template.  Returns 0
 * if neither exists, or if the placeholder is a truncated time.
 */
extern AttrNumber dyn_relation_only_column_of(const DynRelation *relation,
											  const DynKeyAttr *attr);

static inline DynColumn *
dyn_relation_column(const DynRelation *relation, AttrNumber attnum)
{
	return &relation->columns[attnum - 1];
}

/* Returns true for a column with the option document, which is never NULL. */
static inline bool
dyn_column_is_document(const DynColumn *column)
{
	return column->document != DYN_NO_DOCUMENT;
}

/* Returns true if the column shows the full value of this attribute. */
extern bool dyn_column_shows(const DynColumn *column, const char *attribute);

/*
 * Returns a column that shows an attribute whose name differs from `attribute`
 * (UTF-8) only in case.  Returns NULL if there is none, or if a column shows
 * `attribute` itself, or a template composes it.
 */
extern const DynColumn *dyn_relation_folded_column(const DynRelation *relation,
												   const char *attribute);

/*
 * Returns the partition constraint of the foreign table (also open as `rel`) if
 * the constraint reads the segment column, else NIL.  All Vars have varno 1.
 */
extern List *dyn_relation_segment_bounds(const DynRelation *relation, Relation rel);

/*
 * If the column shows an attribute of the table's key, but cannot hold the
 * attribute's values, reads the table's description again.  Raises an error if
 * the column still does not match.  Returns `meta` or the new description.
 */
extern const DynTableMeta *dyn_key_type_check(const DynRelation *relation,
											  const DynTableMeta *meta,
											  AttrNumber attnum);

#endif
