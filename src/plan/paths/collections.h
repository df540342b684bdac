/*
 * collections.h
 *		Estimates the number of items per partition key from statistics.
 */
#ifndef DYN_PLAN_COLLECTIONS_H
#define DYN_PLAN_COLLECTIONS_H

#include "../clauses/rel_plan.h"

/* Assumed number of items per partition key, without statistics */
#define DYN_COLLECTION_ITEMS	50.0

/*
 * Returns true if the table is large, and the column has no statistics and is
 * the partition key of the table (if it has a sort key) or of a global index.
 * Then DYN_COLLECTION_ITEMS, not core's default, determines the number of
 * items per value.
 */
extern bool dyn_collections_are_unknown(const RelOptInfo *rel,
										AttrNumber attnum);

/* Returns true if ANALYZE has stored statistics of the column. */
extern bool dyn_has_statistics(Oid relid, AttrNumber attnum);

/*
 * Returns the only column that maps to the partition key; 0 if there is not
 * exactly one, or if the partition key has several attributes.
 */
extern AttrNumber dyn_partition_column(const DynRelPlan *plan, const DynKeySchema *key);

/*
 * Returns the estimated number of items with one value of the partition key:
 * from statistics, or else DYN_COLLECTION_ITEMS; all items if no column or
 * template maps to the key.  If the table is too large to be read in full,
 * ANALYZE samples complete item collections of a few keys (command/analyze.c).
 * Then n_distinct is the number of keys in the sample, not in the table, so
 * the size of the sample is divided by n_distinct.
 */
extern double dyn_collection_items(const DynRelPlan *plan, const DynKeyAttr *attr);

/*
 * Returns the estimated number of items with one partition key, including
 * items that are not rows, if the key is composed by this template (or NULL).
 * Returns 0 if it is unknown, because a column has no statistics, or because
 * several values of a column have the same text in the key.
 */
extern double dyn_composed_key_items(const DynRelPlan *plan, const DynTemplatedAttr *templated);

#endif
