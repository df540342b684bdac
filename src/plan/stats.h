/*
 * stats.h
 *		Statistics of a foreign table's columns, and the guesses that stand in
 *		for them.
 */
#ifndef DYN_PLAN_STATS_H
#define DYN_PLAN_STATS_H

#include "nodes/pathnodes.h"
#include "utils/selfuncs.h"

/* Items of one partition key, where nothing is known. */
#define DYN_COLLECTION_ITEMS	50.0

/* Has the column been analysed? */
extern bool dyn_has_statistics(Oid relid, AttrNumber attnum);

/*
 * Is the length of the table's item collections a guess, other than core's own
 * would be?
 */
extern bool dyn_collections_are_guessed(const RelOptInfo *rel);

/* stats_hook.c: are these not statistics, but what dyn_stats_init makes of their absence? */
extern bool dyn_is_guess(const VariableStatData *variable);

/* Tells core's estimates what we assume.  Once, when the library is loaded. */
extern void dyn_stats_init(void);

/* The partition key's column, or 0. */
extern AttrNumber dyn_partition_column(const RelOptInfo *rel);

#endif
