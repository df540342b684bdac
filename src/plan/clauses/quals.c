/*
 * quals.c
 *		Translates SQL clauses into predicates over fields of the item.
 *
 * The planner has already rewritten conditions such as NOT a < b as a >= b.
 * For <> and NOT IN, exec/keys/filter.c also checks the attribute's type,
 * because DynamoDB treats a missing attribute as unequal.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "../../model/values/types.h"
#include "classify.h"
#include "quals.h"

/* ---- numbers as double precision ---- */

/*
 * SQL converts integer and numeric columns to compare them with doubles.  This
 * preserves all values of smallint and integer, and bigint values with a
 * magnitude below 2^53.  Otherwise several values of the column may become one
 * double.  Then an equality becomes a lower and an upper bound, and
 * model/values/encode.c widens each bound to the adjacent double.
 */

/* Maximum number of elements of a list that becomes an OR of ranges. */
#define MAX_LIST	25

static bool
is_rounded(const DynClassify *context, const DynOperator *op,
		   const DynField *field)
{
	DynCodecKind kind = dyn_field_column(context, field)->codec.kind;

	return op->column_type == FLOAT8OID && op->value_type == FLOAT8OID &&
		(kind == DYN_CODEC_INT8 || kind == DYN_CODEC_NUMERIC);
}

/*
 * Converts the doubles to numeric values.  Returns false, and converts
 * nothing, if one of the doubles is NaN or may be equal to several bigints.
 */
static bool
convert_doubles(DynArrayElements *doubles)
{
	for (int i = 0; i < doubles->n; i++)
	{
		double		value = doubles->nulls[i] ? 0 : DatumGetFloat8(doubles->values[i]);

		if (fabs(value) >= DYN_EXACT_DOUBLES || isnan(value))
			return false;
	}
	for (int i = 0; i < doubles->n; i++)
	{
		char	   *digits;

		if (doubles->nulls[i])
			continue;
		digits = psprintf("%.17g", DatumGetFloat8(doubles->values[i]));
		doubles->values[i] = DirectFunctionCall3(numeric_in, CStringGetDatum(digits),
												 ObjectIdGetDatum(InvalidOid),
												 Int32GetDatum(-1));
	}
	return true;
}

/* Classifies = as >= and <=, because rounding makes several values equal. */
static DynPred *
classify_neighbors(DynClassify *context, const DynOperator *op,
				   const DynField *field, Node *value)
{
	DynOperator range = *op;
	DynPred    *lower,
			   *upper;

	range.comparison = DYN_COMPARE_GE;
	lower = dyn_classify_comparison(context, &range, field, value, false);
	range.comparison = DYN_COMPARE_LE;
	upper = dyn_classify_comparison(context, &range, field, value, false);
	return dyn_make_between(lower, upper);
}

static DynPred *
classify_number(DynClassify *context, const DynOperator *op,
				const DynField *field, Node *value)
{
	const Const *constant = (const Const *) value;

	if (field->steps != NIL || !is_rounded(context, op, field))
		return dyn_classify_comparison(context, op, field, value, false);
	if (dyn_field_column(context, field)->codec.kind == DYN_CODEC_INT8 &&
		IsA(value, Const) && !constant->constisnull)
	{
		Datum		number = constant->constvalue;
		bool		isnull = false;
		DynArrayElements one = {.n = 1,.values = &number,.nulls = &isnull};
		DynOperator numeric = {op->comparison, NUMERICOID, NUMERICOID, op->collation};

		if (convert_doubles(&one))
			return dyn_classify_comparison(context, &numeric, field, (Node *)
										   makeConst(NUMERICOID, -1, InvalidOid, -1,
													 number, false, false), false);
	}
	return op->comparison == DYN_COMPARE_EQ
		? classify_neighbors(context, op, field, value)
		: dyn_classify_comparison(context, op, field, value, false);
}

/*
 * Returns true if field = ANY (array) or field <> ALL (array) can be
 * classified as a list, maybe after converting *array and *op to numeric.
 * Otherwise returns false, because an element may be equal to several values
 * of the column, and sets *pred to an OR of ranges, or to NULL.
 */
static bool
number_list_is_plain(DynClassify *context, DynOperator *op,
					 const DynField *field, Node **array, DynPred **pred)
{
	DynArrayElements doubles;
	List	   *arms = NIL;

	if (!is_rounded(context, op, field))
		return true;
	*pred = NULL;
	if (op->comparison != DYN_COMPARE_EQ || !IsA(*array, Const) ||
		((Const *) *array)->constisnull)
		return false;
	doubles = dyn_array_elements(((Const *) *array)->constvalue);
	if (doubles.n > 0 &&
		dyn_field_column(context, field)->codec.kind == DYN_CODEC_INT8 &&
		convert_doubles(&doubles))
	{
		op->column_type = op->value_type = NUMERICOID;
		*array = (Node *) makeConst(NUMERICARRAYOID, -1, InvalidOid, -1,
									dyn_array_of_elements(&doubles, NUMERICOID),
									false, false);
		return true;
	}
	for (int i = 0; i < doubles.n && doubles.n <= MAX_LIST; i++)
	{
		DynPred    *arm;

		if (doubles.nulls[i])
			continue;
		arm = classify_neighbors(context, op, field, (Node *)
								 makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8),
										   doubles.values[i], false, FLOAT8PASSBYVAL));
		if (arm == NULL)
			return false;
		arms = lappend(arms, arm);
	}
	*pred = arms == NIL ? NULL : dyn_make_connective(DYN_PRED_OR, arms);
	return false;
}

/* ---- kinds of expressions ---- */

static DynPred *
classify_pattern(DynClassify *context, bool literal, Node *left, Node *right,
				 Oid collation)
{
	DynField	field;
	DynPred    *pred;

	if (!dyn_classify_column(context, left, &field) ||
		!dyn_is_runtime_value(context, right) ||
		!dyn_classify_accept(context,
							 dyn_prefix_exactness(dyn_field_column(context, &field),
												  collation)))
		return NULL;
	pred = dyn_make_value_pred(DYN_PRED_LIKE, &field, right, TEXTOID);
	pred->literal = literal;
	pred->operator.collation = collation;
	return pred;
}

/* Classifies value = ANY (array_column); with `all`, array_column @> value. */
static DynPred *
classify_contains(DynClassify *context, const DynOperator *op, Node *column,
				  Node *value, bool all)
{
	DynField	field;
	DynPred    *pred;

	if (!dyn_classify_column(context, column, &field) ||
		!dyn_is_runtime_value(context, value) ||
		!dyn_classify_accept(context,
							 dyn_element_exactness(dyn_field_column(context, &field), op)))
		return NULL;
	pred = dyn_make_value_pred(DYN_PRED_CONTAINS, &field, value, op->value_type);
	pred->array = all;
	return pred;
}

/* Classifies element = value: the unnested collection contains the value. */
static DynPred *
classify_unnested(DynClassify *context, const DynOperator *op, Node *node,
				  Node *value)
{
	DynField	field;

	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	if (!dyn_match_any_column(context->plan, node, &field) ||
		!dyn_is_runtime_value(context, value) ||
		!dyn_classify_accept(context,
							 dyn_unnested_exactness(dyn_field_column(context, &field),
													op)))
		return NULL;
	return dyn_make_value_pred(DYN_PRED_CONTAINS, &field, value, op->value_type);
}

static DynPred *
classify_operands(DynClassify *context, DynOperator *op, Node *left,
				  Node *right)
{
	DynField	lfield,
				rfield;
	bool		ltext = false,
				rtext = false;
	bool		lmatch = dyn_match_comparand(context->plan, left, &lfield, &ltext);
	bool		rmatch = dyn_match_comparand(context->plan, right, &rfield, &rtext);
	DynPred    *pred;

	if (lmatch && rmatch)
	{
		if (ltext || rtext || lfield.steps != NIL || rfield.steps != NIL ||
			dyn_path_equal(dyn_field_path(context->plan->relation, &lfield),
						   dyn_field_path(context->plan->relation, &rfield)) ||
			!dyn_classify_accept(context,
								 dyn_columns_exactness(dyn_field_column(context, &lfield),
													   dyn_field_column(context, &rfield),
													   op)))
			return NULL;
		pred = dyn_make_pred(DYN_PRED_FIELDS, &lfield);
		pred->operator = *op;
		pred->other = rfield.attnum;
		return pred;
	}
	if (!lmatch && !rmatch)
	{
		pred = classify_unnested(context, op, left, right);
		if (pred != NULL)
			return pred;
		dyn_commute(op);
		return classify_unnested(context, op, right, left);
	}
	if (rmatch)
	{
		dyn_commute(op);
		lfield = rfield;
		ltext = rtext;
		right = left;
	}
	if (!dyn_is_runtime_value(context, right))
		return NULL;
	if (!ltext)
		return classify_number(context, op, &lfield, right);
	/*
	 * for info->>'a' = value, the filter may also select items in which ->>
	 * returns a different text (exec/keys/filter.c)
	 */
	return !dyn_classify_accept(context, dyn_member_exactness(op)) ? NULL
		: dyn_make_comparison(&lfield, op, right, false);
}

static DynPred *classify_expr(DynClassify *context, Node *node);

static DynPred *
classify_operator(DynClassify *context, OpExpr *op)
{
	Node	   *left = linitial(op->args);
	Node	   *right = lsecond(op->args);
	Node	   *expanded = dyn_expand_coalesce(context, op);
	DynOperator operator;
	DynPred    *pred;

	if (expanded != NULL)
	{
		context->exact = false;
		return classify_expr(context, expanded);
	}
	switch (get_opcode(op->opno))
	{
		case F_STARTS_WITH:
			return classify_pattern(context, true, left, right, op->inputcollid);
		case F_TEXTLIKE:
			return classify_pattern(context, false, left, right, op->inputcollid);
		case F_ARRAYCONTAINS:
			operator.comparison = DYN_COMPARE_EQ;
			operator.column_type = operator.value_type =
				get_base_element_type(exprType(right));
			operator.collation = op->inputcollid;
			return classify_contains(context, &operator, left, right, true);
	}
	if (!dyn_describe_operator(op->opno, op->inputcollid, &operator))
		return NULL;
	pred = dyn_classify_times(context, &operator, left, right, false);
	return pred != NULL ? pred : classify_operands(context, &operator, left, right);
}

static DynPred *
classify_array_operator(DynClassify *context, ScalarArrayOpExpr *op)
{
	Node	   *left = linitial(op->args);
	Node	   *array = lsecond(op->args);
	DynOperator operator;
	DynField	field;
	DynPred    *pred;
	bool		text;

	if (!dyn_describe_operator(op->opno, op->inputcollid, &operator) ||
		operator.comparison != (op->useOr ? DYN_COMPARE_EQ : DYN_COMPARE_NE))
		return NULL;
	pred = dyn_classify_times(context, &operator, left, array, true);
	if (pred != NULL)
		return pred;
	if (dyn_match_comparand(context->plan, left, &field, &text))
	{
		if (text || field.steps != NIL || !dyn_is_runtime_value(context, array))
			return NULL;
		if (!number_list_is_plain(context, &operator, &field, &array, &pred))
			return pred;
		return dyn_classify_comparison(context, &operator, &field, array, true);
	}
	dyn_commute(&operator);
	return !op->useOr ? NULL
		: classify_contains(context, &operator, array, left, false);
}

static DynPred *
classify_boolean(DynClassify *context, Node *node, bool negated)
{
	DynField	field;
	DynPred    *pred;

	if (!dyn_match_column(context->plan, node, &field) ||
		!dyn_classify_accept(context, dyn_field_column(context, &field)->traits.truth))
		return NULL;
	pred = dyn_make_pred(DYN_PRED_BOOLEAN, &field);
	pred->negated = negated;
	return pred;
}

/*
 * Returns true for IS NULL of a NOT NULL column, and for an AND that contains
 * such an IS NULL.  PostgreSQL does not remove these conditions from an OR.
 */
static bool
is_never_true(DynClassify *context, Node *node)
{
	const NullTest *test = (const NullTest *) node;
	DynField	field;
	ListCell   *lc;

	foreach(lc, is_andclause(node) ? ((BoolExpr *) node)->args : NIL)
	{
		if (is_never_true(context, lfirst(lc)))
			return true;
	}
	return IsA(node, NullTest) && !test->argisrow &&
		test->nulltesttype == IS_NULL &&
		dyn_match_column(context->plan, (Node *) test->arg, &field) &&
		dyn_field_column(context, &field)->not_null;
}

/*
 * Classifies AND, OR and NOT.  Args of an AND that cannot be sent are omitted;
 * an OR can be sent only if all its args can.  An arg without a column of the
 * table becomes a DYN_PRED_GIVEN, evaluated when an execution starts.
 */
static DynPred *
classify_bool(DynClassify *context, BoolExpr *expr)
{
	DynPred    *pred;
	ListCell   *lc;

	if (expr->boolop == NOT_EXPR && IsA(linitial(expr->args), DistinctExpr))
		return dyn_classify_not_distinct(context, linitial(expr->args));
	if (expr->boolop == NOT_EXPR)
		return classify_boolean(context, linitial(expr->args), true);
	pred = dyn_make_pred(expr->boolop == AND_EXPR ? DYN_PRED_AND : DYN_PRED_OR,
						 NULL);
	foreach(lc, expr->args)
	{
		DynPred    *arg;

		if (expr->boolop == OR_EXPR && is_never_true(context, lfirst(lc)))
			continue;
		arg = dyn_classify_given(context, lfirst(lc));
		if (arg == NULL)
			arg = classify_expr(context, lfirst(lc));
		if (arg != NULL)
			pred->args = lappend(pred->args, arg);
		else if (expr->boolop == OR_EXPR)
			return NULL;
		else
			context->exact = false;
	}
	dyn_guard_values(context, pred, expr->boolop == AND_EXPR);
	return pred->args == NIL ? NULL
		: expr->boolop == OR_EXPR && list_length(pred->args) == 1
		? linitial(pred->args) : pred;
}

/*
 * Classifies IS NULL (the attribute is absent, or of type NULL) and IS NOT
 * NULL (the attribute has the column's type).
 */
static DynPred *
classify_null_test(DynClassify *context, NullTest *test)
{
	DynField	field;
	bool		text;
	const DynTraits *traits;
	DynPred    *pred;

	if (test->argisrow ||
		!dyn_match_field(context->plan, (Node *) test->arg, &field, &text))
		return NULL;
	/* a column with the full item is never NULL: send no condition */
	if (test->nulltesttype == IS_NOT_NULL && field.steps == NIL &&
		dyn_column_is_document(dyn_field_column(context, &field)))
		return NULL;
	traits = &dyn_field_column(context, &field)->traits;
	if (!dyn_classify_accept(context, test->nulltesttype == IS_NULL
							 ? traits->null_test : traits->not_null_test))
		return NULL;
	/* `traits` describes the column, not a member of its jsonb value */
	if (field.steps != NIL)
		context->exact = false;
	pred = dyn_make_pred(DYN_PRED_NULL, &field);
	pred->negated = (test->nulltesttype == IS_NOT_NULL);
	return pred;
}

static DynPred *
classify_expr(DynClassify *context, Node *node)
{
	const BooleanTest *test;

	check_stack_depth();
	node = dyn_plain_equality(node);
	switch (nodeTag(node))
	{
		case T_OpExpr:
			return list_length(((OpExpr *) node)->args) == 2
				? classify_operator(context, (OpExpr *) node) : NULL;
		case T_ScalarArrayOpExpr:
			return classify_array_operator(context, (ScalarArrayOpExpr *) node);
		case T_BoolExpr:
			return classify_bool(context, (BoolExpr *) node);
		case T_RowCompareExpr:
			node = dyn_keyset_expand(context, (RowCompareExpr *) node);
			return node == NULL ? NULL : classify_expr(context, node);
		case T_NullTest:
			return classify_null_test(context, (NullTest *) node);
		case T_BooleanTest:
			test = (BooleanTest *) node;
			if (test->booltesttype != IS_TRUE && test->booltesttype != IS_FALSE)
				return NULL;
			return classify_boolean(context, (Node *) test->arg,
									test->booltesttype == IS_FALSE);
		case T_FuncExpr:
			if (((FuncExpr *) node)->funcid == F_STARTS_WITH)
				return classify_pattern(context, true,
										linitial(((FuncExpr *) node)->args),
										lsecond(((FuncExpr *) node)->args),
										((FuncExpr *) node)->inputcollid);
			return NULL;
		case T_Var:
			return classify_boolean(context, node, false);
		default:
			return NULL;
	}
}

/* Classifies a RestrictInfo as one clause; caches it for further paths. */
static const DynClause *
classify_once(DynRelPlan *plan, RestrictInfo *rinfo)
{
	DynClassify context = {plan, true, true};
	DynClause  *found;
	ListCell   *lc;

	foreach(lc, plan->classified)
	{
		if (((const DynClause *) lfirst(lc))->rinfo == rinfo)
			return lfirst(lc);
	}
	found = palloc0(sizeof(DynClause));
	found->rinfo = rinfo;
	found->pred = rinfo->pseudoconstant ? NULL
		: classify_expr(&context, dyn_plain_clause((Node *) rinfo->clause));
	found->exact = found->pred != NULL && context.exact;
	found->sized = context.sized;
	plan->classified = lappend(plan->classified, found);
	return found;
}

/*
 * Splits a clause whose predicate is an AND into one clause for each arg;
 * returns a copy of any other clause.  PostgreSQL has already split SQL ANDs,
 * so this AND is our translation of another SQL condition.  Each arg alone may
 * select more rows than the clause, so the new clauses are not exact.
 */
static List *
divide(const DynClause *found)
{
	bool		several = found->pred != NULL && found->pred->kind == DYN_PRED_AND;
	List	   *clauses = NIL;
	ListCell   *lc;

	foreach(lc, several ? found->pred->args : list_make1(found->pred))
	{
		DynClause  *clause = palloc(sizeof(DynClause));

		*clause = *found;
		clause->pred = lfirst(lc);
		clause->exact &= !several;
		clause->implied |= several;
		clauses = lappend(clauses, clause);
	}
	return clauses;
}

List *
dyn_quals_classify(DynRelPlan *plan, List *rinfos)
{
	/* the flags have no effect: the predicates are only matched to keys */
	DynClassify context = {plan, true, true};
	List	   *clauses = NIL;
	ListCell   *lc;

	foreach(lc, rinfos)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		DynClause	clause = {.rinfo = rinfo,.implied = true,.keys_only = true};
		bool		first = false;
		Node	   *bound;

		clauses = list_concat(clauses, divide(classify_once(plan, rinfo)));
		/* add the condition on one column that a keyset condition implies */
		bound = rinfo->pseudoconstant ? NULL
			: dyn_keyset_bound(&context, (Node *) rinfo->clause, rinfos, &first);
		if (bound == NULL)
			continue;
		clause.pred = classify_expr(&context, bound);
		clause.condition = first ? bound : NULL;
		if (clause.pred != NULL)
			clauses = list_concat(clauses, divide(&clause));
	}
	foreach(lc, dyn_implied_equalities(&context, rinfos))
	{
		const DynImplied *implied = lfirst(lc);
		DynClause  *clause = palloc0(sizeof(DynClause));

		clause->rinfo = implied->rinfo;
		clause->pred = classify_expr(&context, implied->equality);
		clause->implied = clause->keys_only = true;
		if (clause->pred != NULL)
			clauses = lappend(clauses, clause);
	}
	return clauses;
}

List *
dyn_classify_lists(DynRelPlan *plan)
{
	List	   *clauses = dyn_quals_classify(plan, plan->lists);
	ListCell   *lc;

	foreach(lc, clauses)
	{
		DynClause  *clause = lfirst(lc);

		clause->implied = clause->keys_only = true;
		clause->exact = false;
		clause->condition = (Node *) clause->rinfo->clause;
	}
	return clauses;
}

List *
dyn_row_clauses(const DynRelation *relation)
{
	List	   *clauses = NIL;

	for (int i = 0; i < relation->ntemplated; i++)
	{
		if (relation->templated[i].base)
			clauses = lappend(clauses, palloc0(sizeof(DynClause)));
	}
	for (int i = 0; i < relation->item_filter.nterms; i++)
	{
		const DynFilterTerm *term = &relation->item_filter.terms[i];
		DynClause  *clause = palloc0(sizeof(DynClause));
		size_t		bytes = 0;

		for (int v = 0; v < term->nvalues; v++)
			bytes += term->values[v].len;
		clause->pred = dyn_make_pred(DYN_PRED_FILTER_TERM, NULL);
		clause->pred->term = i;
		clause->exact = true;
		clause->sized = bytes <= DYN_MAX_SIZED_BYTES;
		clauses = lappend(clauses, clause);
	}
	return clauses;
}
