/*
 * rewrite_keyset.h
 *		Rewrites conditions for keyset paging: (a, b) > (x, y), and a > x OR (a
 *		= x AND b > y).
 *
 * Such a condition implies a >= x.  If another condition fixes a to a value v,
 * the values decide: if v is x, the condition is one on b.  Among the columns
 * only a is certain to have a value: (5, NULL) > (4, 1) is true.
 */
#ifndef DYN_PLAN_REWRITE_KEYSET_H
#define DYN_PLAN_REWRITE_KEYSET_H

#include "classify.h"

/*
 * Returns the row comparison as ORs and ANDs of comparisons; NULL if it does
 * not compare columns with run-time values.  Clears `exact` if the result is
 * weaker.
 */
extern Node *dyn_keyset_expand(DynClassify *context, RowCompareExpr *row);

/*
 * Returns the condition implied for one column, given the other conditions
 * (RestrictInfo *); NULL if there is none.  Sets *first if it is a comparison
 * of the first column, which then has a value.
 */
extern Node *dyn_keyset_bound(const DynClassify *context, Node *clause,
							  List *rinfos, bool *first);

#endif
