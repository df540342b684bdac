/*
 * evaluated.h
 *		Parts of an expression that are evaluated whenever the expression is
 */
#ifndef DYN_PLAN_EVALUATED_H
#define DYN_PLAN_EVALUATED_H

#include "nodes/pg_list.h"
#include "nodes/primnodes.h"

typedef bool (*DynExprWalker) (Node *node, void *context);

/*
 * Like expression_tree_walker, but leaves out the parts of this node that may
 * remain unevaluated: most parts of COALESCE, AND, OR and CASE, subscripts,
 * and comparisons of rows after their first columns.
 */
extern bool dyn_walk_evaluated(Node *node, DynExprWalker walker, void *context);

/*
 * Returns true if the target list of a plan always evaluates the value of an
 * initplan, which sets the parameter `param` (PARAM_EXEC).  Until the end of
 * planning, min() and max() in the list stand for such a parameter, so they
 * count as every parameter.
 */
extern bool dyn_targets_evaluate(List *targetlist, int param);

#endif
