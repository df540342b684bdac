/*
 * forms_given.c
 *		Conditions without columns of the table, in ORs and ANDs.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "failure.h"
#include "forms_given.h"

DynPred *
dyn_classify_given(const DynClassify *context, Node *node)
{
	if (exprType(node) != BOOLOID || !dyn_is_runtime_value(context, node) ||
		dyn_may_fail(node))
		return NULL;
	return dyn_make_value_pred(DYN_PRED_GIVEN, NULL, node, BOOLOID);
}

/* The arguments before the last, if that is the column; else NULL. */
static Node *
leading_values(Node *node, const Node *column)
{
	CoalesceExpr *coalesce = (CoalesceExpr *) node;
	CoalesceExpr *rest;
	int			n;

	if (!IsA(node, CoalesceExpr) || !equal(llast(coalesce->args), column))
		return NULL;
	n = list_length(coalesce->args);
	if (n == 2)
		return linitial(coalesce->args);
	rest = makeNode(CoalesceExpr);
	*rest = *coalesce;
	rest->args = list_truncate(list_copy(coalesce->args), n - 1);
	return (Node *) rest;
}

Node *
dyn_expand_coalesce(const DynClassify *context, const OpExpr *op)
{
	Node	   *left = linitial(op->args);
	Node	   *right = lsecond(op->args);
	Node	   *value = leading_values(left, right);
	OpExpr	   *equality;
	NullTest   *test;

	if (value == NULL)
		value = leading_values(right, left);
	if (value == NULL || !dyn_is_runtime_value(context, value) ||
		dyn_comparison_kind(op->opno) != DYN_PRED_EQ)
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

/* CASE WHEN given THEN NULL ELSE value END */
static Expr *
guarded(Node *given, Node *value)
{
	CaseExpr   *expr = makeNode(CaseExpr);
	CaseWhen   *when = makeNode(CaseWhen);

	when->expr = (Expr *) given;
	when->result = (Expr *) makeNullConst(exprType(value), exprTypmod(value),
										  exprCollation(value));
	when->location = -1;
	expr->casetype = exprType(value);
	expr->casecollid = exprCollation(value);
	expr->args = list_make1(when);
	expr->defresult = (Expr *) value;
	expr->location = -1;
	return (Expr *) expr;
}

/* Operands are evaluated like the value. */
static void
guard_operands(DynConversion *conversion, Node *given)
{
	ListCell   *lc;

	foreach(lc, conversion->steps)
	{
		DynConversionStep *step = lfirst(lc);

		if (step->operand != NULL && dyn_may_fail((Node *) step->operand))
			step->operand = guarded(given, (Node *) step->operand);
	}
}

/* Visits a leaf. */
static bool
guard_value(DynPred *pred, void *given)
{
	if (pred->conversion != NULL)
		guard_operands(pred->conversion, given);
	if (pred->kind != DYN_PRED_GIVEN && pred->value != NULL &&
		dyn_may_fail((Node *) pred->value))
		pred->value = guarded(given, (Node *) pred->value);
	return false;
}

void
dyn_guard_values(DynPred *pred)
{
	List	   *given = NIL;
	ListCell   *lc;

	foreach(lc, pred->args)
	{
		const DynPred *arm = lfirst(lc);

		if (arm->kind == DYN_PRED_GIVEN)
			given = lappend(given, arm->value);
	}
	if (given != NIL)
		(void) dyn_pred_walk(pred, guard_value,
							 list_length(given) == 1 ? linitial(given)
							 : make_orclause(given));
}
