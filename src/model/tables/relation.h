/*
 * relation.h
 *		The definition of a foreign table: columns, options, DynamoDB table.
 *
 * dyn_relation_open reads the catalogs; the result is allocated in
 * CurrentMemoryContext, and its connection is pinned there.  Descriptions of
 * the DynamoDB table are read on demand (dyn_session_table); executing a plan
 * does not need them.
 */
#ifndef DYN_MODEL_RELATION_H
#define DYN_MODEL_RELATION_H

#include "access/attnum.h"
#include "utils/relcache.h"

#include "../../dynamodb/page.h"
#include "../definition/column.h"
#include "../definition/options.h"
#include "../definition/row_test.h"
#include "../definition/template_columns.h"
#include "../session/session.h"
#include "../values/path.h"

/* What the row test said of the items of a scan, however they were read. */
typedef struct DynRowTally
{
	bool		any_row;		/* some item was a row */
	uint64		rejected;		/* items that were none */
	char	   *rejected_key;	/* of the first one; NULL: not known */
} DynRowTally;

typedef struct DynRelation
{
	DynRowTally *tally;			/* of an executing scan; NULL: not counted */

	Oid			relid;
	const char *name;			/* of the foreign table */
	const char *table;			/* of the DynamoDB table, prefix included */
	DynConnection *connection;
	DynReadOptions options;		/* the table's, or else the server's */
	bool		consistent;		/* option or parameter consistent_read */
	double		max_read_units_per_second; /* the table's option; 0: no limit */
	DynRowTest	row_test;		/* match and ttl */
	int			nspelled;		/* templates */
	DynTemplatedAttr *templated;
	bool		connected;
	List	   *trusted_indexes;	/* of char * */
	const DynPath *unnest;		/* rows are the elements there; NULL: items */
	bool		skips_scalars;	/* unnest: anything else there is no row */
	bool		locked;			/* planning: a row mark may add ctid, unseen */
	int			ncolumns;
	DynColumn  *columns;		/* by attnum - 1 */
} DynRelation;

/* `userid` is the user whose rights the statement uses. */
extern DynRelation *dyn_relation_open(Oid relid, Oid userid);

/*
 * The name of the DynamoDB table of a foreign table with these options; `name`
 * is the foreign table's.
 */
extern const char *dyn_relation_remote_name(const DynConnection *connection,
											const char *name, List *options);

/*
 * Connects the templates, for which the table's key must be known.  Before, no
 * column is read from a part.  Raises an error if a template does not fit the
 * columns.
 */
extern void dyn_relation_connect(DynRelation *relation, const DynKeyAttr *base,
								 int nbase);

extern void dyn_relation_connect_described(DynRelation *relation,
										   const DynTableMeta *meta);

/*
 * The types that the templates' attributes have as keys, integers in their
 * order: known where the table's description is, and kept in plans.
 */
extern List *dyn_relation_text_types(const DynRelation *relation);
extern void dyn_relation_set_text_types(DynRelation *relation,
										const List *types);

/* The template of an attribute, or NULL. */
extern const DynTemplatedAttr *dyn_relation_templated(const DynRelation *relation,
													  const char *attribute);

/* Is there a template of an index key that all statements must read? */
extern bool dyn_relation_has_listed(const DynRelation *relation);

/* May an item be no row? */
extern bool dyn_relation_has_row_test(const DynRelation *relation);

/* Is the index in trusted_indexes? */
extern bool dyn_relation_trusts(const DynRelation *relation, const char *index);

/* The policy in force: the stricter of option and parameter. */
extern DynScanPolicy dyn_relation_scan_policy(const DynRelation *relation);

/* The column with the value of a key attribute, of its type; 0 if none. */
extern AttrNumber dyn_relation_column_of(const DynRelation *relation,
										 const DynKeyAttr *attr);

/*
 * For estimates: the column that alone determines a key attribute, as its value
 * or as the only part of its text; 0 if there is none.
 */
extern AttrNumber dyn_relation_only_column_of(const DynRelation *relation,
											  const DynKeyAttr *attr);

static inline DynColumn *
dyn_relation_column(const DynRelation *relation, AttrNumber attnum)
{
	return &relation->columns[attnum - 1];
}

/* Does the column show the item, or what is left of it? */
static inline bool
dyn_column_is_document(const DynColumn *column)
{
	return column->document != DYN_NO_DOCUMENT;
}

/* Can a value that an input function rejects become NULL? */
extern bool dyn_relation_needs_soft_input(const DynRelation *relation);

#endif
