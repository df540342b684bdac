/*
 * classify.c
 *		Functions shared by the files that classify expressions
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/stratnum.h"
#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "optimizer/clauses.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "../../dynamodb/expression.h"
#include "../../model/server/encoding.h"
#include "../../model/tables/relation.h"
#include "../../model/values/steps.h"
#include "classify.h"

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
	return !bms_is_member(context->plan->rel->relid,
						  pull_varnos(context->plan->root, node)) &&
		!contain_volatile_functions(node) && !contain_subplans(node);
}

/* Clears `sized` if the encoded value can be long. */
static void
check_size(DynClassify *context, Node *value, Oid valuetype)
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
		return false;			/* unary operator */
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
 * Returns true if the comparison can restrict a placeholder ("part") of a key
 * template, which may store values in another format than the column's
 * attribute.  For <, <=, > and >=, support of = suffices if the values between
 * the bounds can be enumerated (enumerate.c).
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
				dyn_codec_has_steps(&part->column.codec))
				comparison.comparison = DYN_COMPARE_EQ;
			if (dyn_operator_exactness(&part->column, &comparison) != DYN_LOCAL)
				return true;
		}
	}
	return false;
}

int
dyn_fixed_array_size(Node *array)
{
	if (IsA(array, Const) && !((Const *) array)->constisnull)
	{
		ArrayType  *value = DatumGetArrayTypeP(((Const *) array)->constvalue);

		return ArrayGetNItems(ARR_NDIM(value), ARR_DIMS(value));
	}
	if (IsA(array, ArrayExpr) && !((ArrayExpr *) array)->multidims)
		return list_length(((ArrayExpr *) array)->elements);
	return -1;
}

DynPred *
dyn_classify_comparison(DynClassify *context, const DynOperator *op,
						const DynField *field, Node *value, bool array)
{
	const DynColumn *column = dyn_field_column(context, field);
	DynExactness exactness =
		field->steps != NIL || (array && !column->traits.point) ? DYN_LOCAL
		: dyn_operator_exactness(column, op);
	int			size = array ? dyn_fixed_array_size(value) : 1;
	DynPred    *pred;

	if (exactness == DYN_LOCAL &&
		(field->steps != NIL ||
		 (array && op->comparison == DYN_COMPARE_NE) ||
		 !is_comparable_in_part(context, field, op)))
		return NULL;
	(void) dyn_classify_accept(context, exactness);
	check_size(context, value, op->value_type);
	if (size < 0 || size > DYN_EXPR_MAX_IN)
		context->sized = false;
	pred = dyn_make_comparison(field, op, value, array);
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

/* ---- expressions that cannot fail ---- */

/*
 * Functions that cannot raise an error (LEAKPROOF is stricter).  Lists only
 * those that are typical in key values and in conditions on parameters.
 */
static const Oid harmless[] = {
	F_TEXTCAT, F_LOWER_TEXT, F_UPPER_TEXT, F_INT4_INT2, F_INT8_INT2, F_INT8_INT4,
	F_NUMERIC_INT2, F_NUMERIC_INT4, F_NUMERIC_INT8, F_CARDINALITY, F_ARRAY_LENGTH,
	F_LENGTH_TEXT, F_CHAR_LENGTH_TEXT, F_STRPOS
};

/* Types whose values can be compared without an error */
static const Oid plain[] = {
	BOOLOID, INT2OID, INT4OID, INT8OID, FLOAT4OID, FLOAT8OID, NUMERICOID, TEXTOID,
	BYTEAOID, UUIDOID, DATEOID, TIMESTAMPOID, TIMESTAMPTZOID
};

/* Types of `plain` that can be compared with one another (int4 = float8) */
static const Oid numbers[] = {INT2OID, INT4OID, INT8OID, FLOAT4OID, FLOAT8OID};

/* Types whose casts to text cannot fail */
static const Oid printable[] = {
	BOOLOID, INT2OID, INT4OID, INT8OID, NUMERICOID, UUIDOID, DATEOID
};

static bool
is_in(Oid oid, const Oid *oids, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (oids[i] == oid)
			return true;
	}
	return false;
}

#define IS_IN(oid, oids)	is_in(oid, oids, lengthof(oids))

static bool
is_plain_comparison(Oid opno)
{
	DynOperator op;

	return opno < FirstGenbkiObjectId &&
		dyn_describe_operator(opno, InvalidOid, &op) &&
		IS_IN(op.column_type, plain) && IS_IN(op.value_type, plain) &&
		(op.column_type == op.value_type ||
		 (IS_IN(op.column_type, numbers) && IS_IN(op.value_type, numbers)));
}

/*
 * Returns true if PostgreSQL may raise an error because a collation is missing
 * or, before PostgreSQL 18, because strpos() has a nondeterministic collation.
 */
static bool
lacks_collation(Node *node, Oid funcid, List *args)
{
	Oid			collation = exprInputCollation(node);
	ListCell   *lc;

	if (OidIsValid(collation))
		return funcid == F_STRPOS && collation != DEFAULT_COLLATION_OID &&
			collation != C_COLLATION_OID;
	foreach(lc, args)
	{
		if (type_is_collatable(exprType(lfirst(lc))))
			return true;
	}
	return false;
}

static bool
may_fail(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_List:
		case T_Const:
		case T_Var:
		case T_Param:
		case T_RelabelType:
		case T_BoolExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_CoalesceExpr:
			break;
		case T_ArrayExpr:
			if (((ArrayExpr *) node)->multidims)
				return true;
			break;
		case T_FuncExpr:
			if (!IS_IN(((FuncExpr *) node)->funcid, harmless) ||
				lacks_collation(node, ((FuncExpr *) node)->funcid, ((FuncExpr *) node)->args))
				return true;
			break;
		case T_OpExpr:
			if ((!IS_IN(((OpExpr *) node)->opfuncid, harmless) &&
				 !is_plain_comparison(((OpExpr *) node)->opno)) ||
				lacks_collation(node, InvalidOid, ((OpExpr *) node)->args))
				return true;
			break;
		case T_ScalarArrayOpExpr:
			if (!is_plain_comparison(((ScalarArrayOpExpr *) node)->opno) ||
				lacks_collation(node, InvalidOid, ((ScalarArrayOpExpr *) node)->args))
				return true;
			break;
		case T_CoerceViaIO:
			if (!IS_IN(exprType((Node *) ((CoerceViaIO *) node)->arg), printable) ||
				(((CoerceViaIO *) node)->resulttype != TEXTOID &&
				 ((CoerceViaIO *) node)->resulttype != VARCHAROID))
				return true;
			break;
		default:
			return true;
	}
	return expression_tree_walker(node, may_fail, context);
}

bool
dyn_may_fail(Node *node)
{
	return may_fail(node, NULL);
}

/* ---- locations in the item ---- */

/*
 * Returns true for casts of numbers that can be ignored in a comparison.  A
 * cast to double precision may round the value; quals.c considers this when it
 * classifies a comparison of doubles (is_rounded).
 */
static bool
is_transparent_cast(Oid funcid, DynCodecKind kind)
{
	static const Oid casts[] = {
		F_INT4_INT2, F_INT8_INT2, F_INT8_INT4, F_NUMERIC_INT2, F_NUMERIC_INT4,
		F_NUMERIC_INT8, F_FLOAT8_INT2, F_FLOAT8_INT4, F_FLOAT8_INT8
	};

	return (kind >= DYN_CODEC_INT2 && kind <= DYN_CODEC_INT8 && IS_IN(funcid, casts)) ||
		(kind >= DYN_CODEC_INT2 && kind <= DYN_CODEC_NUMERIC &&
		 funcid == F_FLOAT8_NUMERIC);
}

static const DynCodec *
field_codec(const DynRelPlan *plan, const DynField *field)
{
	return &dyn_relation_column(plan->relation, field->attnum)->codec;
}

bool
dyn_match_any_column(const DynRelPlan *plan, Node *node, DynField *field)
{
	Var		   *var = (Var *) node;

	if (!IsA(node, Var) || var->varno != plan->rel->relid || var->varlevelsup != 0 ||
		var->varattno <= 0)
		return false;
	field->attnum = var->varattno;
	field->steps = NIL;
	return !dyn_relation_column(plan->relation, var->varattno)->dropped;
}

bool
dyn_match_column(const DynRelPlan *plan, Node *node, DynField *field)
{
	return dyn_match_any_column(plan, node, field) &&
		dyn_column_is_of_item(dyn_relation_column(plan->relation, field->attnum));
}

/*
 * Returns the elements of a constant text[], the path of #> or #>>, as names.
 * Returns NIL if an element cannot be sent, or looks like a number (' +1'):
 * in a JSON array, PostgreSQL uses such an element as an index.
 */
static List *
constant_names(Const *array)
{
	DynArrayElements elements = dyn_array_elements(array->constvalue);
	List	   *names = NIL;

	for (int i = 0; i < elements.n; i++)
	{
		char	   *name = elements.nulls[i] ? pstrdup("")
			: TextDatumGetCString(elements.values[i]);
		char	   *end;

		(void) strtol(name, &end, 10);
		if (name[0] == '\0' || (end != name && *end == '\0') ||
			!dyn_name_is_exact(name))
			return NIL;
		names = lappend(names, makeString(name));
	}
	return names;
}

/*
 * Returns the names (String *) of a path operator: one for -> and ->>, several
 * for #> and #>>; sets *as_text if the operator returns text.  Returns NIL for
 * other operators, and for names that cannot be sent.
 */
static List *
path_operator_steps(OpExpr *op, bool *as_text)
{
	Oid			function = get_opcode(op->opno);
	Const	   *right = lsecond(op->args);
	char	   *name;

	if (!IsA(right, Const) || right->constisnull)
		return NIL;
	*as_text = (function == F_JSONB_OBJECT_FIELD_TEXT ||
				function == F_JSONB_EXTRACT_PATH_TEXT);
	switch (function)
	{
		case F_JSONB_OBJECT_FIELD:
		case F_JSONB_OBJECT_FIELD_TEXT:
			name = TextDatumGetCString(right->constvalue);
			return name[0] == '\0' || !dyn_name_is_exact(name) ? NIL
				: list_make1(makeString(name));
		case F_JSONB_EXTRACT_PATH:
		case F_JSONB_EXTRACT_PATH_TEXT:
			return constant_names(right);
		default:
			return NIL;
	}
}

bool
dyn_match_field(const DynRelPlan *plan, Node *node, DynField *field,
				bool *as_text)
{
	bool		inner_text;
	List	   *steps;
	const DynColumn *column;
	const DynNames *without;
	const char *name;

	check_stack_depth();
	*as_text = false;
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	if (!IsA(node, OpExpr) || list_length(((OpExpr *) node)->args) != 2)
		return dyn_match_column(plan, node, field);
	steps = path_operator_steps((OpExpr *) node, as_text);
	if (steps == NIL ||
		!dyn_match_field(plan, linitial(((OpExpr *) node)->args), field,
						 &inner_text) || inner_text ||
		field_codec(plan, field)->kind != DYN_CODEC_JSONB)
		return false;
	field->steps = list_concat_copy(field->steps, steps);
	column = dyn_relation_column(plan->relation, field->attnum);
	without = column->codec.members.without;
	name = dyn_to_utf8(strVal(linitial(field->steps)));
	/* do not send overlong paths, or members that the document column omits */
	return column->path->nsteps + list_length(field->steps) <= DYN_MAX_PATH_STEPS &&
		(without == NULL || !dyn_names_have(without, name, strlen(name)));
}

bool
dyn_match_comparand(const DynRelPlan *plan, Node *node, DynField *field,
					bool *as_text)
{
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	if (IsA(node, FuncExpr) && list_length(((FuncExpr *) node)->args) == 1 &&
		dyn_match_comparand(plan, linitial(((FuncExpr *) node)->args), field,
							as_text))
		return field->steps == NIL &&
			is_transparent_cast(((FuncExpr *) node)->funcid,
								field_codec(plan, field)->kind);
	if (!IsA(node, CoerceViaIO))
		return dyn_match_field(plan, node, field, as_text);
	*as_text = false;
	return ((CoerceViaIO *) node)->resulttype == TEXTOID &&
		dyn_match_column(plan, (Node *) ((CoerceViaIO *) node)->arg, field) &&
		field_codec(plan, field)->kind == DYN_CODEC_UUID;
}
