/*
 * rewrite_time.h
 *		Classifies conditions on dates and times whose values have another
 *		type, or on expressions over dates and times.
 *
 * A comparison of a timestamptz with a date or timestamp, or of a timestamp
 * with a date, compares the column with the converted value: it is exact, and
 * may match a key.  All other conditions imply bounds on the column and are
 * checked again.
 */
#ifndef DYN_PLAN_REWRITE_TIME_H
#define DYN_PLAN_REWRITE_TIME_H

#include "classify.h"

/*
 * Classifies left op right.  With `array`, right is an array, and any (=) or
 * all (<>) of its elements count.  Returns NULL if it is not such a condition;
 * a comparison of a column with a value of its own type is not.
 */
extern DynPred *dyn_classify_times(DynClassify *context, const DynOperator *op,
								   Node *left, Node *right, bool array);

#endif
