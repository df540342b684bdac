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

#include "../dynamodb/page.h"
#include "exact.h"
#include "options.h"
#include "row_test.h"
#include "session.h"
#include "types.h"

typedef struct DynColumn
{
	const char *name;
	bool		dropped;
	bool		not_null;
	Oid			collation;
	const DynPath *path;		/* of the value in the item */
	bool		null_on_mismatch;
	DynCodec	codec;
	DynTraits	traits;			/* see exact.h */
} DynColumn;

typedef struct DynRelation
{
	Oid			relid;
	const char *name;			/* of the foreign table */
	const char *table;			/* of the DynamoDB table, prefix included */
	DynConnection *connection;
	DynReadOptions options;		/* the table's, or else the server's */
	bool		consistent;		/* option or parameter consistent_read */
	double		max_read_units; /* the table's option; 0: no limit */
	DynRowTest	row_test;
	bool		locked;			/* planning: a row mark may add ctid, unseen */
	int			ncolumns;
	DynColumn  *columns;		/* by attnum - 1 */
} DynRelation;

/* `userid` is the user whose rights the statement uses. */
extern DynRelation *dyn_relation_open(Oid relid, Oid userid);

/* The policy in force: the stricter of option and parameter. */
extern DynScanPolicy dyn_relation_scan_policy(const DynRelation *relation);

/* The column with the value of a key attribute, of its type; 0 if none. */
extern AttrNumber dyn_relation_column_of(const DynRelation *relation,
										 const DynKeyAttr *attr);

static inline DynColumn *
dyn_relation_column(const DynRelation *relation, AttrNumber attnum)
{
	return &relation->columns[attnum - 1];
}

/* Can a value that an input function rejects become NULL? */
extern bool dyn_relation_needs_soft_input(const DynRelation *relation);

#endif
