/*
 * evaluated.c
 *		Walks the parts of an expression that are evaluated whenever the
 *		expression is.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "evaluated.h"

bool
dyn_walk_evaluated(Node *node, DynExprWalker walker, void *context)
{
	switch (nodeTag(node))
	{
		case T_CoalesceExpr:
			return walker(linitial(((CoalesceExpr *) node)->args), context);
		case T_BoolExpr:
			/* AND, OR: only the first argument; NOT has just one */
			return walker(linitial(((BoolExpr *) node)->args), context);
		case T_CaseExpr:
			return walker((Node *) ((CaseExpr *) node)->arg, context) ||
				walker((Node *) linitial_node(CaseWhen, ((CaseExpr *) node)->args)->expr,
					   context);
		case T_RowCompareExpr:
			return walker(linitial(((RowCompareExpr *) node)->largs), context) ||
				walker(linitial(((RowCompareExpr *) node)->rargs), context);
		case T_SubscriptingRef:
			return walker((Node *) ((SubscriptingRef *) node)->refexpr, context);
		default:
			return expression_tree_walker(node, walker, context);
	}
}

static bool
evaluates(Node *node, void *param)
{
	if (node == NULL || IsA(node, SubPlan) || IsA(node, AlternativeSubPlan))
		return false;
	if (IsA(node, Param))
		return ((Param *) node)->paramkind == PARAM_EXEC &&
			((Param *) node)->paramid == *(const int *) param;
	return IsA(node, Aggref) || dyn_walk_evaluated(node, evaluates, param);
}

bool
dyn_targets_evaluate(List *targetlist, int param)
{
	return evaluates((Node *) targetlist, &param);
}
