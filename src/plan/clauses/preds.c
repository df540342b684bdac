/*
 * preds.c
 *		Creates and examines predicates.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/value.h"

#include "../../model/server/encoding.h"
#include "../../model/values/path.h"
#include "preds.h"

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

DynPred *
dyn_make_connective(DynPredKind kind, List *args)
{
	DynPred    *pred = dyn_make_pred(kind, NULL);

	pred->args = args;
	return pred;
}

DynPred *
dyn_make_templated(int position, List *args)
{
	DynPred    *pred = dyn_make_connective(DYN_PRED_TEMPLATED, args);

	pred->templated = position;
	return pred;
}

DynPred *
dyn_make_given(Node *condition)
{
	return dyn_make_value_pred(DYN_PRED_GIVEN, NULL, condition, BOOLOID);
}

DynPred *
dyn_make_comparison(const DynField *field, const DynOperator *op, Node *value, bool array)
{
	DynPred    *pred = dyn_make_value_pred(DYN_PRED_COMPARE, field, value, op->value_type);

	pred->operator = *op;
	pred->array = array;
	return pred;
}

DynPred *
dyn_make_between(DynPred *lower, DynPred *upper)
{
	return lower == NULL || upper == NULL ? NULL
		: dyn_make_connective(DYN_PRED_AND, list_make2(lower, upper));
}

const DynPath *
dyn_field_path(const DynRelation *relation, const DynField *field)
{
	const DynPath *path = dyn_relation_column(relation, field->attnum)->path;
	ListCell   *lc;

	foreach(lc, field->steps)
		path = dyn_path_extend(path, dyn_to_utf8(strVal(lfirst(lc))));
	return path;
}

const DynPath *
dyn_pred_path(const DynRelation *relation, const DynPred *pred)
{
	if (pred->kind == DYN_PRED_FILTER_TERM)
		return relation->item_filter.terms[pred->term].path;
	if (pred->kind == DYN_PRED_TEMPLATED)
		return relation->templated[pred->templated].path;
	return dyn_field_path(relation, &pred->field);
}

const DynPred *
dyn_only_templated(const List *preds)
{
	const DynPred *pred = list_length(preds) == 1 ? linitial(preds) : NULL;

	return pred != NULL && pred->kind == DYN_PRED_TEMPLATED ? pred : NULL;
}

bool
dyn_column_is_in_key(const DynColumn *column, const DynKeySchema *key)
{
	for (int i = 0; i < key->nhash + key->nrange; i++)
	{
		const DynKeyAttr *attr = dyn_key_attr(key, i);

		if (dyn_path_is_attribute(column->path, attr->name) &&
			column->codec.wire == attr->type)
			return true;
	}
	return false;
}

bool
dyn_pred_is_on(const DynRelation *relation, const DynPred *pred,
			   const DynKeyAttr *attr)
{
	const DynColumn *column;

	if ((pred->kind != DYN_PRED_COMPARE && pred->kind != DYN_PRED_BOOLEAN &&
		 pred->kind != DYN_PRED_LIKE) ||
		pred->field.steps != NIL || !dyn_pred_is_of_attribute(relation, pred))
		return false;
	column = dyn_relation_column(relation, pred->field.attnum);
	return dyn_path_is_attribute(column->path, attr->name) &&
		column->codec.wire == attr->type;
}

bool
dyn_pred_is_of_attribute(const DynRelation *relation, const DynPred *pred)
{
	if (dyn_pred_selects_rows(pred) || pred->kind == DYN_PRED_GIVEN)
		return true;
	if (pred->part_only ||
		dyn_column_is_part(dyn_relation_column(relation, pred->field.attnum)))
		return false;
	return pred->other == 0 ||
		!dyn_column_is_part(dyn_relation_column(relation, pred->other));
}

bool
dyn_pred_visit(DynPred *pred, bool parts, bool (*visit) (DynPred *, void *), void *arg)
{
	bool		is_leaf = !dyn_pred_is_junction(pred);

	check_stack_depth();
	return (is_leaf && visit(pred, arg)) ||
		dyn_preds_visit(is_leaf && !parts ? NIL : pred->args, parts, visit, arg);
}

bool
dyn_preds_visit(const List *preds, bool parts, bool (*visit) (DynPred *, void *), void *arg)
{
	bool		found = false;
	ListCell   *lc;

	foreach(lc, preds)
		found = found || dyn_pred_visit(lfirst(lc), parts, visit, arg);
	return found;
}
