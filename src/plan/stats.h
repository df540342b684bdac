/*
 * stats.h
 *		Statistics of a foreign table's columns, and guesses if there are none.
 */
#ifndef DYN_PLAN_STATS_H
#define DYN_PLAN_STATS_H

#include "nodes/pathnodes.h"
#include "utils/selfuncs.h"

/* Items per partition key, without statistics. */
#define DYN_COLLECTION_ITEMS	50.0

/* Has the column been analysed? */
extern bool dyn_has_statistics(Oid relid, AttrNumber attnum);

/*
 * Is the length of the table's item collections our guess, and not the default
 * of core?
 */
extern bool dyn_collections_are_guessed(const RelOptInfo *rel);

/* Are these statistics a guess, made by stats_hook.c? */
extern bool dyn_is_guess(const VariableStatData *variable);

/*
 * Installs the hook that passes our guesses to core.  Called once, when the
 * library is loaded.
 */
extern void dyn_stats_init(void);

/* The partition key's column, or 0. */
extern AttrNumber dyn_partition_column(const RelOptInfo *rel);

#endif
