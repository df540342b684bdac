/*
 * statistics.h
 *		Statistics of a foreign table's columns, and guesses if there are none
 */
#ifndef DYN_PLAN_STATISTICS_H
#define DYN_PLAN_STATISTICS_H

#include "nodes/pathnodes.h"
#include "utils/selfuncs.h"

#include "../../dynamodb/metadata.h"

/* Items per partition key, without statistics. */
#define DYN_COLLECTION_ITEMS	50.0

/* Returns true if the column has been analyzed. */
extern bool dyn_has_statistics(Oid relid, AttrNumber attnum);

/*
 * Returns true if the number of items with the same value of a column is our
 * guess, not core's default.  That is so for a column that is the partition
 * key of the table or of a global index.  The second function does the same
 * for the partition key of a schema.
 */
extern bool dyn_collections_are_unknown(const RelOptInfo *rel,
										AttrNumber attnum);
extern bool dyn_partitions_are_unknown(const RelOptInfo *rel,
									   const DynKeySchema *key);

/* Returns true if these statistics are a guess made by stats_hook.c. */
extern bool dyn_is_guess(const VariableStatData *variable);

/*
 * Installs the hook that passes our guesses to core.  Called once, when the
 * library is loaded.
 */
extern void dyn_stats_init(void);

#endif
