/*
 * rewrite_time.h
 *		Conditions on dates and times whose values are of another type, or on
 *		expressions over dates and times.
 *
 * A comparison of a timestamptz with a date or timestamp, or of a timestamp
 * with a date, compares the column with the value as converted: exact, and
 * maybe a key.  All others imply bounds of the column and are checked again.
 */
#ifndef DYN_PLAN_REWRITE_TIME_H
#define DYN_PLAN_REWRITE_TIME_H

#include "classify.h"

/*
 * left op right; with `array`, right is one and any (=) or all (<>) of its
 * elements count.  NULL if it is no such condition, which also means: if a
 * column is compared with a value of its own type.
 */
extern DynPred *dyn_classify_times(DynClassify *context, const DynOperator *op,
								   Node *left, Node *right, bool array);

#endif
