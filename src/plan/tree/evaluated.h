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
 * and, in a row comparison, all columns after the first.
 */
extern bool dyn_walk_evaluated(Node *node, DynExprWalker walker, void *context);

/*
 * Returns true if evaluating the target list of a plan always needs the
 * PARAM_EXEC `param`, which an initplan sets.  Also returns true if the list
 * always evaluates an Aggref (min or max), which is in place of the Param
 * until the end of planning.
 */
extern bool dyn_targets_evaluate(List *targetlist, int param);

#endif
