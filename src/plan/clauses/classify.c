/*
 * classify.c
 *		What the files that classify expressions share.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "optimizer/clauses.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "../../dynamodb/expression.h"
#include "classify.h"

/* Could the expression have another value in another execution of the scan? */
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
dyn_classify_comparand(const DynClassify *context, Node *node, DynField *field,
					   bool *as_text)
{
	return dyn_match_comparand(node, context->relid, context->relation, field,
							   as_text);
}

bool
dyn_is_runtime_value(const DynClassify *context, Node *node)
{
	return !bms_is_member(context->relid, pull_varnos(context->root, node)) &&
		!contain_volatile_functions(node) &&
		!contain_subplans(node);
}

DynPred *
dyn_make_pred(DynPredKind kind, const DynField *field)
{
	DynPred    *pred = palloc0(sizeof(DynPred));

	pred->kind = kind;
	pred->param = -1;
	if (field != NULL)
		pred->field = *field;
	return pred;
}

DynPred *
dyn_make_value_pred(DynPredKind kind, const DynField *field, Node *value,
					Oid valuetype)
{
	DynPred    *pred = dyn_make_pred(kind, field);

	pred->value = (Expr *) value;
	pred->valuetype = valuetype;
	return pred;
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

int
dyn_comparison_kind(Oid opno)
{
	static const DynPredKind kinds[] = {
		[BTLessStrategyNumber] = DYN_PRED_LT,
		[BTLessEqualStrategyNumber] = DYN_PRED_LE,
		[BTEqualStrategyNumber] = DYN_PRED_EQ,
		[BTGreaterEqualStrategyNumber] = DYN_PRED_GE,
		[BTGreaterStrategyNumber] = DYN_PRED_GT,
	};
	Oid			left,
				right,
				negator;
	TypeCacheEntry *type;
	int			strategy;

	op_input_types(opno, &left, &right);
	type = lookup_type_cache(left, TYPECACHE_BTREE_OPFAMILY);
	if (!OidIsValid(type->btree_opf))
		return -1;
	strategy = get_op_opfamily_strategy(opno, type->btree_opf);
	if (strategy != 0)
		return kinds[strategy];
	negator = get_negator(opno);
	if (OidIsValid(negator) &&
		get_op_opfamily_strategy(negator, type->btree_opf) ==
		BTEqualStrategyNumber)
		return DYN_PRED_NE;
	return -1;
}

static DynComparison
comparison_of_kind(int kind)
{
	return kind == DYN_PRED_EQ ? DYN_COMPARE_EQ
		: kind == DYN_PRED_NE ? DYN_COMPARE_NE : DYN_COMPARE_RANGE;
}

DynOperator
dyn_describe_operator(Oid opno, int kind, Oid collation)
{
	DynOperator op;

	op.comparison = comparison_of_kind(kind);
	op.collation = collation;
	op_input_types(opno, &op.column_type, &op.value_type);
	return op;
}

/* Bounds of integers may leave so few that each can be asked for (terms.h). */
static bool
part_is_comparable(const DynColumn *column, const DynOperator *op)
{
	DynOperator equal = *op;

	if (op->comparison == DYN_COMPARE_RANGE &&
		dyn_codec_is_integer(&column->codec))
		equal.comparison = DYN_COMPARE_EQ;
	return dyn_operator_exactness(column, &equal) != DYN_LOCAL;
}

/*
 * Can a part of some template, where the column is spelled in another way than
 * in its own attribute, be compared?
 */
static bool
is_comparable_in_part(const DynClassify *context, const DynField *field,
					  const DynOperator *op)
{
	const DynRelation *relation = context->relation;

	for (int i = 0; i < relation->nspelled; i++)
	{
		for (int p = 0; p < relation->spelled[i].tmpl->nparts; p++)
		{
			const DynPart *part = &relation->spelled[i].parts[p];

			if (part->attnum == field->attnum &&
				part_is_comparable(&part->column, op))
				return true;
		}
	}
	return false;
}

DynPred *
dyn_classify_comparison(DynClassify *context, int kind, const DynOperator *op,
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
	pred = dyn_make_value_pred(kind, field, value, op->value_type);
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
dyn_classify_array(DynClassify *context, int kind, const DynOperator *op,
				   const DynField *field, Node *array)
{
	DynExactness exactness = !dyn_field_column(context, field)->traits.point ? DYN_LOCAL
		: dyn_operator_exactness(dyn_field_column(context, field), op);
	DynPred    *pred;
	int			size = dyn_fixed_array_size(array);

	if (exactness == DYN_LOCAL &&
		(kind != DYN_PRED_EQ || !is_comparable_in_part(context, field, op)))
		return NULL;
	(void) dyn_classify_accept(context, exactness);
	dyn_classify_size(context, array, op->value_type);
	if (size < 0 || size > DYN_EXPR_MAX_IN)
		context->sized = false;
	pred = dyn_make_value_pred(kind == DYN_PRED_EQ ? DYN_PRED_IN
							   : DYN_PRED_NOT_IN,
							   field, array, op->value_type);
	pred->operator = *op;
	pred->part_only = exactness == DYN_LOCAL;
	return pred;
}

int
dyn_commuted_kind(int kind)
{
	switch (kind)
	{
		case DYN_PRED_LT:
			return DYN_PRED_GT;
		case DYN_PRED_LE:
			return DYN_PRED_GE;
		case DYN_PRED_GT:
			return DYN_PRED_LT;
		case DYN_PRED_GE:
			return DYN_PRED_LE;
		default:
			return kind;
	}
}

void
dyn_commute_types(DynOperator *op)
{
	Oid			type = op->column_type;

	op->column_type = op->value_type;
	op->value_type = type;
}
