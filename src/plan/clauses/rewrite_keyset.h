/*
 * rewrite_keyset.h
 *		Keyset paging: (a, b) > (x, y), and a > x OR (a = x AND b > y).
 *
 * Such a condition implies a >= x.  Where another condition fixes a to a value
 * v, the values decide: if v is x, the condition is one on b.  Of the columns
 * only a is certain to have a value: (5, NULL) > (4, 1) is true.
 */
#ifndef DYN_PLAN_REWRITE_KEYSET_H
#define DYN_PLAN_REWRITE_KEYSET_H

#include "classify.h"

/*
 * The row comparison as ORs and ANDs of comparisons; NULL if it is not one of
 * columns with run-time values.  Clears `exact` if that says less.
 */
extern Node *dyn_keyset_expand(DynClassify *context, RowCompareExpr *row);

/*
 * What the condition implies for one column, given the other conditions (of
 * RestrictInfo *); NULL if nothing.  Sets *first if that is a comparison of the
 * first column, which then has a value.
 */
extern Node *dyn_keyset_bound(const DynClassify *context, Node *clause,
							  List *rinfos, bool *first);

#endif
