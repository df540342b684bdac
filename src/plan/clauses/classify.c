/*
 * classify.c
 *		Functions shared by the files that classify expressions
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "optimizer/clauses.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "../../dynamodb/expression.h"
#include "classify.h"

/*
 * Returns true if the expression can have different values in executions of
 * the scan.
 */
static bool
varies(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var) ||
		(IsA(node, Param) && ((Param *) node)->paramkind != PARAM_EXTERN))
		return true;
	return expression_tree_walker(node, varies, context);
}

bool
dyn_is_fixed(Node *node)
{
	return !varies(node, NULL);
}

bool
dyn_classify_column(const DynClassify *context, Node *node, DynField *field)
{
	bool		text;

	return dyn_match_comparand(context->plan, node, field, &text) && !text &&
		field->steps == NIL;
}

bool
dyn_is_runtime_value(const DynClassify *context, Node *node)
{
	return !bms_is_member(context->plan->relid, pull_varnos(context->root, node)) &&
		!contain_volatile_functions(node) &&
		!contain_subplans(node);
}

void
dyn_classify_size(DynClassify *context, Node *value, Oid valuetype)
{
	if (valuetype != TEXTOID && valuetype != VARCHAROID &&
		valuetype != BYTEAOID)
		return;
	if (!IsA(value, Const) ||
		(!((Const *) value)->constisnull &&
		 toast_raw_datum_size(((Const *) value)->constvalue) > DYN_MAX_SIZED_BYTES))
		context->sized = false;
}

bool
dyn_classify_accept(DynClassify *context, DynExactness exactness)
{
	if (exactness != DYN_EXACT)
		context->exact = false;
	return exactness != DYN_LOCAL;
}

bool
dyn_describe_operator(Oid opno, Oid collation, DynOperator *op)
{
	static const DynComparison comparisons[] = {
		[BTLessStrategyNumber] = DYN_COMPARE_LT,
		[BTLessEqualStrategyNumber] = DYN_COMPARE_LE,
		[BTEqualStrategyNumber] = DYN_COMPARE_EQ,
		[BTGreaterEqualStrategyNumber] = DYN_COMPARE_GE,
		[BTGreaterStrategyNumber] = DYN_COMPARE_GT,
	};
	Oid			opfamily,
				negator;
	int			strategy;

	op_input_types(opno, &op->column_type, &op->value_type);
	op->collation = collation;
	op->comparison = DYN_COMPARE_NE;
	if (!OidIsValid(op->column_type))
		return false;			/* an operand */
	opfamily = lookup_type_cache(op->column_type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
	if (!OidIsValid(opfamily))
		return false;
	strategy = get_op_opfamily_strategy(opno, opfamily);
	if (strategy != 0)
	{
		op->comparison = comparisons[strategy];
		return true;
	}
	negator = get_negator(opno);
	return OidIsValid(negator) &&
		get_op_opfamily_strategy(negator, opfamily) == BTEqualStrategyNumber;
}

/*
 * Returns true if the column can be compared in a part of some template that
 * encodes it differently than its own attribute.  Bounds of integers may leave
 * so few that each can be requested (terms.h).
 */
static bool
is_comparable_in_part(const DynClassify *context, const DynField *field,
					  const DynOperator *op)
{
	const DynRelation *relation = context->plan->relation;

	for (int i = 0; i < relation->ntemplated; i++)
	{
		for (int p = 0; p < relation->templated[i].tmpl->nparts; p++)
		{
			const DynPart *part = &relation->templated[i].parts[p];
			DynOperator comparison = *op;

			if (part->attnum != field->attnum)
				continue;
			if (op->comparison != DYN_COMPARE_NE &&
				dyn_codec_is_integer(&part->column.codec))
				comparison.comparison = DYN_COMPARE_EQ;
			if (dyn_operator_exactness(&part->column, &comparison) != DYN_LOCAL)
				return true;
		}
	}
	return false;
}

DynPred *
dyn_classify_comparison(DynClassify *context, const DynOperator *op,
						const DynField *field, Node *value)
{
	DynExactness exactness = field->steps != NIL ? DYN_LOCAL
		: dyn_operator_exactness(dyn_field_column(context, field), op);
	DynPred    *pred;

	if (exactness == DYN_LOCAL &&
		(field->steps != NIL || !is_comparable_in_part(context, field, op)))
		return NULL;
	(void) dyn_classify_accept(context, exactness);
	dyn_classify_size(context, value, op->value_type);
	pred = dyn_make_value_pred(DYN_PRED_COMPARE, field, value, op->value_type);
	pred->operator = *op;
	pred->part_only = exactness == DYN_LOCAL;
	return pred;
}

int
dyn_fixed_array_size(Node *array)
{
	if (IsA(array, Const) && !((Const *) array)->constisnull)
	{
		ArrayType  *value =
			DatumGetArrayTypeP(((Const *) array)->constvalue);

		return ArrayGetNItems(ARR_NDIM(value), ARR_DIMS(value));
	}
	if (IsA(array, ArrayExpr) && !((ArrayExpr *) array)->multidims)
		return list_length(((ArrayExpr *) array)->elements);
	return -1;
}

DynPred *
dyn_classify_array(DynClassify *context, const DynOperator *op,
				   const DynField *field, Node *array)
{
	const DynColumn *column = dyn_field_column(context, field);
	DynExactness exactness = !column->traits.point ? DYN_LOCAL
		: dyn_operator_exactness(column, op);
	bool		any = op->comparison == DYN_COMPARE_EQ;
	DynPred    *pred;
	int			size = dyn_fixed_array_size(array);

	if (exactness == DYN_LOCAL &&
		(!any || !is_comparable_in_part(context, field, op)))
		return NULL;
	(void) dyn_classify_accept(context, exactness);
	dyn_classify_size(context, array, op->value_type);
	if (size < 0 || size > DYN_EXPR_MAX_IN)
		context->sized = false;
	pred = dyn_make_value_pred(DYN_PRED_IN, field, array, op->value_type);
	pred->negated = !any;
	pred->operator = *op;
	pred->part_only = exactness == DYN_LOCAL;
	return pred;
}

void
dyn_commute(DynOperator *op)
{
	static const DynComparison commuted[] = {
		[DYN_COMPARE_EQ] = DYN_COMPARE_EQ,
		[DYN_COMPARE_NE] = DYN_COMPARE_NE,
		[DYN_COMPARE_LT] = DYN_COMPARE_GT,
		[DYN_COMPARE_LE] = DYN_COMPARE_GE,
		[DYN_COMPARE_GT] = DYN_COMPARE_LT,
		[DYN_COMPARE_GE] = DYN_COMPARE_LE,
	};
	Oid			type = op->column_type;

	op->comparison = commuted[op->comparison];
	op->column_type = op->value_type;
	op->value_type = type;
}

Node *
dyn_compare(Oid opno, Node *left, Node *right, Oid collation)
{
	Expr	   *op = make_opclause(opno, BOOLOID, false, (Expr *) left,
								   (Expr *) right, InvalidOid, collation);

	set_opfuncid((OpExpr *) op);
	return (Node *) op;
}
