/*
 * relation.h
 *		One foreign table: its columns and where their values come from, its
 *		options, the DynamoDB table behind it.
 *
 * dyn_relation_open reads the catalogs; what it returns lives in
 * CurrentMemoryContext, its connection is pinned there.  Descriptions of the
 * DynamoDB table come on demand (dyn_session_table), so that executing a
 * plan needs none.
 */
#ifndef DYN_MODEL_RELATION_H
#define DYN_MODEL_RELATION_H

#include "access/attnum.h"
#include "utils/relcache.h"

#include "../dynamodb/page.h"
#include "exact.h"
#include "options.h"
#include "session.h"
#include "types.h"

typedef struct DynColumn
{
	const char *name;
	bool		dropped;
	bool		not_null;
	Oid			collation;
	const DynPath *path;		/* where the value is in the item */
	bool		null_on_mismatch;
	DynCodec	codec;
	DynTraits	traits;			/* what DynamoDB can do with its values */
} DynColumn;

typedef struct DynRelation
{
	Oid			relid;
	const char *name;			/* of the foreign table */
	const char *table;			/* of the DynamoDB table, prefix included */
	DynConnection *connection;
	DynScanPolicy scan_policy;	/* as the options say */
	bool		consistent;		/* option or parameter consistent_read */
	int			fetch_size;
	bool		locked;			/* planning: a row mark may add ctid, unseen */
	int			ncolumns;
	DynColumn  *columns;		/* by attnum - 1 */
} DynRelation;

/* `userid` is whom the statement reads as. */
extern DynRelation *dyn_relation_open(Oid relid, Oid userid);

/* The policy that holds for this session: the tighter of option and parameter. */
extern DynScanPolicy dyn_relation_scan_policy(const DynRelation *relation);

/* The column that shows a key attribute, of its type; 0 if there is none. */
extern AttrNumber dyn_relation_column_of(const DynRelation *relation,
										 const DynKeyAttr *attr);

static inline DynColumn *
dyn_relation_column(const DynRelation *relation, AttrNumber attnum)
{
	return &relation->columns[attnum - 1];
}

/* May a value that an input function refuses become NULL? */
extern bool dyn_relation_needs_soft_input(const DynRelation *relation);

#endif
