/*
 * rewrite_given.c
 *		Classifies conditions without columns of the table, in ORs and ANDs.
 *
 * These conditions are evaluated at the start of each execution.  For example,
 * `$1 IS NULL OR k = $1` is true for all rows if $1 is NULL; otherwise it is a
 * condition on k.  For a local table, PostgreSQL does not evaluate the args of
 * an OR after an arg that is true.  So a value that might raise an error must
 * not be evaluated if its arg is not needed.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "classify.h"

/* Returns true if evaluating the expression would execute a subquery. */
static bool
reads_result(Node *node, void *root)
{
	ListCell   *lc;

	if (node == NULL)
		return false;
	if (!IsA(node, Param) || ((Param *) node)->paramkind != PARAM_EXEC)
		return expression_tree_walker(node, reads_result, root);
	/* the subquery may belong to an outer query level */
	for (const PlannerInfo *level = root; level != NULL; level = level->parent_root)
	{
		foreach(lc, level->init_plans)
		{
			if (list_member_int(lfirst_node(SubPlan, lc)->setParam,
								((Param *) node)->paramid))
				return true;
		}
	}
	return false;
}

static bool
may_fail(const DynClassify *context, void *expr)
{
	return dyn_may_fail(expr) || reads_result(expr, context->plan->root);
}

DynPred *
dyn_classify_given(const DynClassify *context, Node *node)
{
	return exprType(node) == BOOLOID && dyn_is_runtime_value(context, node) &&
		!may_fail(context, node)
		? dyn_make_given(node) : NULL;
}

/*
 * For coalesce(values, column), returns the values as an expression.  Returns
 * NULL for other expressions, and for coalesce(column), which may remain after
 * the planner has removed constant NULLs.
 */
static Node *
leading_values(Node *node, const Node *column)
{
	CoalesceExpr *coalesce = (CoalesceExpr *) node;
	CoalesceExpr *rest;
	int			n;

	if (!IsA(node, CoalesceExpr) || !equal(llast(coalesce->args), column))
		return NULL;
	n = list_length(coalesce->args) - 1;
	if (n <= 1)
		return n == 0 ? NULL : linitial(coalesce->args);
	rest = makeNode(CoalesceExpr);
	*rest = *coalesce;
	rest->args = list_copy_head(coalesce->args, n);
	return (Node *) rest;
}

Node *
dyn_expand_coalesce(const DynClassify *context, const OpExpr *op)
{
	Node	   *left = linitial(op->args);
	Node	   *right = lsecond(op->args);
	Node	   *value = leading_values(left, right);
	DynOperator comparison;
	OpExpr	   *equality;
	NullTest   *test;

	if (value == NULL)
		value = leading_values(right, left);
	if (value == NULL || !dyn_is_runtime_value(context, value) ||
		!dyn_describe_operator(op->opno, op->inputcollid, &comparison) ||
		comparison.comparison != DYN_COMPARE_EQ)
		return NULL;
	equality = makeNode(OpExpr);
	*equality = *op;
	equality->args = IsA(left, CoalesceExpr) ? list_make2(value, right)
		: list_make2(left, value);
	test = makeNode(NullTest);
	test->arg = (Expr *) value;
	test->nulltesttype = IS_NULL;
	test->location = -1;
	return (Node *) make_orclause(list_make2(test, equality));
}

/* A condition that decides whether values are evaluated or replaced by NULL */
typedef struct Guard
{
	const DynClassify *context;
	Node	   *given;
	bool		needed;			/* true if the value is needed only where
								 * `given` is true; false if it is needed only
								 * where `given` is false or NULL */
} Guard;

/* Returns a CASE that yields NULL where the value is not needed (Guard). */
static Expr *
guarded(const Guard *guard, Expr *value)
{
	CaseExpr   *expr = makeNode(CaseExpr);
	CaseWhen   *when = makeNode(CaseWhen);
	Node	   *node = (Node *) value;
	Expr	   *none = (Expr *) makeNullConst(exprType(node), exprTypmod(node),
											  exprCollation(node));

	when->expr = (Expr *) guard->given;
	when->result = guard->needed ? value : none;
	when->location = -1;
	expr->casetype = exprType(node);
	expr->casecollid = exprCollation(node);
	expr->args = list_make1(when);
	expr->defresult = guard->needed ? none : value;
	expr->location = -1;
	return (Expr *) expr;
}

static bool
guard_value(DynPred *pred, void *arg)
{
	const Guard *guard = arg;
	ListCell   *lc;

	foreach(lc, pred->conversion != NULL ? pred->conversion->steps : NIL)
	{
		DynConversionStep *step = lfirst(lc);

		if (step->operand != NULL && may_fail(guard->context, step->operand))
			step->operand = guarded(guard, step->operand);
	}
	if (!dyn_pred_is_given(pred) && pred->value != NULL &&
		may_fail(guard->context, pred->value))
		pred->value = guarded(guard, pred->value);
	return false;
}

void
dyn_guard_values(const DynClassify *context, DynPred *pred, bool all)
{
	Guard		guard = {context, NULL, all};
	List	   *given = NIL;
	ListCell   *lc;

	foreach(lc, pred->args)
	{
		const DynPred *arm = lfirst(lc);

		if (dyn_pred_is_given(arm))
			given = lappend(given, arm->value);
	}
	if (given == NIL)
		return;
	guard.given = list_length(given) == 1 ? linitial(given)
		: guard.needed ? (Node *) make_andclause(given)
		: (Node *) make_orclause(given);
	(void) dyn_pred_visit(pred, false, guard_value, &guard);
}
