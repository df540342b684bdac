/*
 * match_field.c
 *		Determines which location in the item an expression reads.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "../../model/server/encoding.h"
#include "../../model/tables/relation.h"
#include "../../model/values/arrays.h"
#include "match_field.h"

/*
 * Casts that preserve an integer's value.  Casts to double precision may round
 * it; operators show this in their types.
 */
static bool
is_transparent_cast(Oid funcid, DynCodecKind kind)
{
	switch (funcid)
	{
		case F_INT4_INT2:
		case F_INT8_INT2:
		case F_INT8_INT4:
		case F_NUMERIC_INT2:
		case F_NUMERIC_INT4:
		case F_NUMERIC_INT8:
		case F_FLOAT8_INT2:
		case F_FLOAT8_INT4:
		case F_FLOAT8_INT8:
			return kind >= DYN_CODEC_INT2 && kind <= DYN_CODEC_INT8;
		case F_FLOAT8_NUMERIC:
			return kind >= DYN_CODEC_INT2 && kind <= DYN_CODEC_NUMERIC;
		default:
			return false;
	}
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

	if (!IsA(node, Var) || var->varno != plan->relid || var->varlevelsup != 0 ||
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
 * Returns true if the step of #> can also be the index of a list element.
 * PostgreSQL accepts blanks and a sign before the digits.
 */
static bool
is_list_index(const char *step)
{
	char	   *end;

	(void) strtol(step, &end, 10);
	return end != step && *end == '\0';
}

/*
 * Returns the elements of a constant text[] as names; NIL if one is not plain.
 */
static List *
constant_names(Const *array)
{
	DynArrayElements elements = dyn_array_elements(array->constvalue);
	List	   *names = NIL;

	for (int i = 0; i < elements.n; i++)
	{
		char	   *name = elements.nulls[i] ? NULL
			: TextDatumGetCString(elements.values[i]);

		if (name == NULL || name[0] == '\0' || is_list_index(name) ||
			!dyn_name_is_exact(name))
			return NIL;
		names = lappend(names, makeString(name));
	}
	return names;
}

/*
 * Returns the steps of ->, ->> (one) or #>, #>> (several); NIL for other
 * operators.
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
	/* PostgreSQL evaluates the rest of a longer path */
	return column->path->nsteps + list_length(field->steps) <= DYN_MAX_PATH_STEPS &&
		!dyn_document_lacks(column, dyn_to_utf8(strVal(linitial(field->steps))));
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
