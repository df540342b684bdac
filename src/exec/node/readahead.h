/*
 * readahead.h
 *		Executor node of a lookup join.
 *
 * Reads the outer side of a nested loop ahead, and prefetches for the scans on
 * the inner side.
 */
#ifndef DYN_EXEC_READAHEAD_H
#define DYN_EXEC_READAHEAD_H

#include "nodes/extensible.h"

extern const CustomScanMethods dyn_read_ahead_methods;

#endif
