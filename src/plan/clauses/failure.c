/*
 * failure.c
 *		Lists the functions that cannot fail.
 *
 * Values of keys are usually columns, or expressions typical of single-table
 * designs: an id with a prefix, a number as text.  PostgreSQL has no property
 * for functions that cannot raise an error (leakproof requires more), so the
 * functions that occur in keys are listed here.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"

#include "classify.h"
#include "failure.h"

static bool
is_harmless(Oid function)
{
	switch (function)
	{
		case F_TEXTCAT:
		case F_LOWER_TEXT:
		case F_UPPER_TEXT:
		case F_INT4_INT2:
		case F_INT8_INT2:
		case F_INT8_INT4:
		case F_NUMERIC_INT2:
		case F_NUMERIC_INT4:
		case F_NUMERIC_INT8:
		case F_CARDINALITY:
		case F_ARRAY_LENGTH:
		case F_LENGTH_TEXT:
		case F_CHAR_LENGTH_TEXT:
		case F_STRPOS:
			return true;
		default:
			return false;
	}
}

static bool
is_plain_type(Oid type)
{
	switch (type)
	{
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
		case TEXTOID:
		case BYTEAOID:
		case UUIDOID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return true;
		default:
			return false;
	}
}

static bool
is_number(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID ||
		type == FLOAT4OID || type == FLOAT8OID;
}

/*
 * Returns true for =, <>, < and so on between two values of plain types, which
 * need no conversion.
 */
static bool
is_plain_comparison(Oid opno)
{
	DynOperator op;

	return opno < FirstGenbkiObjectId &&
		dyn_describe_operator(opno, InvalidOid, &op) &&
		is_plain_type(op.column_type) && is_plain_type(op.value_type) &&
		(op.column_type == op.value_type ||
		 (is_number(op.column_type) && is_number(op.value_type)));
}

/* Returns true for a cast to text by the type's output function. */
static bool
is_written(const CoerceViaIO *coercion)
{
	switch (exprType((Node *) coercion->arg))
	{
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case NUMERICOID:
		case UUIDOID:
		case DATEOID:
			return coercion->resulttype == TEXTOID ||
				coercion->resulttype == VARCHAROID;
		default:
			return false;
	}
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
		case T_FuncExpr:
			if (!is_harmless(((FuncExpr *) node)->funcid))
				return true;
			break;
		case T_OpExpr:
			if (!is_harmless(((OpExpr *) node)->opfuncid) &&
				!is_plain_comparison(((OpExpr *) node)->opno))
				return true;
			break;
		case T_ScalarArrayOpExpr:
			if (!is_plain_comparison(((ScalarArrayOpExpr *) node)->opno))
				return true;
			break;
		case T_CoerceViaIO:
			if (!is_written((CoerceViaIO *) node))
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
