/*
 * rewrite_time.c
 *		Classifies conditions on columns of dates and times, if the compared
 *		value does not have the column's type, or if the column is inside an
 *		expression.
 *
 * A timestamptz column can be compared exactly with a date or timestamp, and a
 * timestamp column with a date, after conversion of the value.  All other
 * conditions classified here imply bounds on the column, and are rechecked.
 *
 * An expression is matched as a chain of steps over a column.
 * model/values/time_bounds.c inverts the steps when the value is known.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "classify.h"

typedef struct Chain
{
	DynField	field;
	const DynCodec *codec;		/* codec of the column */
	List	   *steps;			/* DynConversionStep *, outermost first */
} Chain;

static void
add_step(Chain *chain, DynTimeStepKind kind, Node *operand)
{
	DynConversionStep *step = palloc0(sizeof(DynConversionStep));

	step->kind = kind;
	step->operand = (Expr *) operand;
	step->type = operand != NULL ? exprType(operand) : InvalidOid;
	step->param = -1;
	chain->steps = lappend(chain->steps, step);
}

/* ---- functions ---- */

/*
 * A function, and the nested time conversions that are equivalent to it (the
 * outermost first)
 */
typedef struct Form
{
	Oid			function;
	int			argument;		/* position (from 0) of the column */
	int			operand;		/* position of the operand; -1: none */
	int			nsteps;
	DynTimeStepKind steps[2];
} Form;

#define TO_INSTANT		DYN_STEP_TIMESTAMP_TO_INSTANT
#define TO_TIMESTAMP	DYN_STEP_INSTANT_TO_TIMESTAMP
#define TO_DATE			DYN_STEP_TIMESTAMP_TO_DATE
#define FROM_DATE		DYN_STEP_DATE_TO_TIMESTAMP

static const Form rewrite[] = {
	/* casts, which can also be written as function calls */
	{F_DATE_TIMESTAMP, 0, -1, 1, {TO_DATE}},
	{F_DATE_TIMESTAMPTZ, 0, -1, 2, {TO_DATE, TO_TIMESTAMP}},
	{F_TIMESTAMP_DATE, 0, -1, 1, {FROM_DATE}},
	{F_TIMESTAMP_TIMESTAMPTZ, 0, -1, 1, {TO_TIMESTAMP}},
	{F_TIMESTAMPTZ_DATE, 0, -1, 2, {TO_INSTANT, FROM_DATE}},
	{F_TIMESTAMPTZ_TIMESTAMP, 0, -1, 1, {TO_INSTANT}},
	/* AT TIME ZONE */
	{F_TIMEZONE_TEXT_TIMESTAMP, 1, 0, 1, {TO_INSTANT}},
	{F_TIMEZONE_INTERVAL_TIMESTAMP, 1, 0, 1, {TO_INSTANT}},
	{F_TIMEZONE_TEXT_TIMESTAMPTZ, 1, 0, 1, {TO_TIMESTAMP}},
	{F_TIMEZONE_INTERVAL_TIMESTAMPTZ, 1, 0, 1, {TO_TIMESTAMP}},
	/* operators with intervals and numbers of days */
	{F_TIMESTAMP_PL_INTERVAL, 0, 1, 1, {DYN_STEP_ADD}},
	{F_TIMESTAMP_MI_INTERVAL, 0, 1, 1, {DYN_STEP_SUBTRACT}},
	{F_TIMESTAMPTZ_PL_INTERVAL, 0, 1, 1, {DYN_STEP_ADD_TO_INSTANT}},
	{F_TIMESTAMPTZ_MI_INTERVAL, 0, 1, 1, {DYN_STEP_SUBTRACT_FROM_INSTANT}},
	{F_DATE_PL_INTERVAL, 0, 1, 2, {DYN_STEP_ADD, FROM_DATE}},
	{F_DATE_MI_INTERVAL, 0, 1, 2, {DYN_STEP_SUBTRACT, FROM_DATE}},
	{F_DATE_PLI, 0, 1, 1, {DYN_STEP_ADD_DAYS}},
	{F_DATE_MII, 0, 1, 1, {DYN_STEP_SUBTRACT_DAYS}},
	/* differences, with the column on the left, or on the right */
	{F_TIMESTAMP_MI, 0, 1, 1, {DYN_STEP_SINCE}},
	{F_TIMESTAMPTZ_MI, 0, 1, 1, {DYN_STEP_SINCE}},
	{F_DATE_MI, 0, 1, 1, {DYN_STEP_SINCE}},
	{F_TIMESTAMP_MI, 1, 0, 1, {DYN_STEP_UNTIL}},
	{F_TIMESTAMPTZ_MI, 1, 0, 1, {DYN_STEP_UNTIL}},
	{F_DATE_MI, 1, 0, 1, {DYN_STEP_UNTIL}},
};

static bool match_chain(const DynClassify *context, Node *node, Chain *chain);

static bool
match_patterns(const DynClassify *context, Oid function, List *args, Chain *chain)
{
	List	   *steps = chain->steps;

	for (const Form *form = rewrite; form < rewrite + lengthof(rewrite); form++)
	{
		Node	   *operand;

		if (form->function != function)
			continue;
		operand = form->operand < 0 ? NULL : list_nth(args, form->operand);
		if (operand != NULL && !dyn_is_runtime_value(context, operand))
			continue;
		chain->steps = list_copy(steps);
		for (int i = 0; i < form->nsteps; i++)
			add_step(chain, form->steps[i], i == 0 ? operand : NULL);
		if (match_chain(context, list_nth(args, form->argument), chain))
			return true;
		chain->steps = steps;
	}
	return false;
}

/*
 * Matches date_trunc, which truncates a timestamptz in the time zone of its
 * third argument, or, without one, of the session.  In the session's zone,
 * units up to an hour have a fixed length, so one step truncates the
 * timestamptz itself.  In all other cases, local time is truncated, because a
 * zone in an argument may have leap seconds.
 */
static bool
match_trunc(const DynClassify *context, Oid function, List *args, Chain *chain)
{
	Const	   *unit = linitial(args);
	Node	   *zone = list_length(args) > 2 ? lthird(args) : NULL;
	int64		length;

	if (!IsA(unit, Const) || unit->constisnull ||
		(length = dyn_unit_length(unit->constvalue)) == 0 ||
		(zone != NULL && !dyn_is_runtime_value(context, zone)))
		return false;
	if (function == F_DATE_TRUNC_TEXT_TIMESTAMP)
		add_step(chain, DYN_STEP_TRUNC, (Node *) unit);
	else if (length <= USECS_PER_HOUR && zone == NULL)
		add_step(chain, DYN_STEP_TRUNC_INSTANT, (Node *) unit);
	else
	{
		add_step(chain, TO_INSTANT, zone);
		add_step(chain, DYN_STEP_TRUNC, (Node *) unit);
		add_step(chain, TO_TIMESTAMP, zone);
	}
	return match_chain(context, lsecond(args), chain);
}

static bool
match_extract(const DynClassify *context, Oid function, List *args, Chain *chain)
{
	Const	   *name = linitial(args);
	char	   *field;
	bool		epoch;
	bool		instant = function == F_EXTRACT_TEXT_TIMESTAMPTZ ||
		function == F_DATE_PART_TEXT_TIMESTAMPTZ;

	if (!IsA(name, Const) || name->constisnull)
		return false;
	field = TextDatumGetCString(name->constvalue);
	epoch = pg_strcasecmp(field, "epoch") == 0;
	if (!epoch && pg_strcasecmp(field, "year") != 0)
		return false;
	add_step(chain, epoch ? DYN_STEP_EPOCH : DYN_STEP_YEAR, NULL);
	if (instant && !epoch)
		add_step(chain, TO_TIMESTAMP, NULL);
	if (function == F_EXTRACT_TEXT_DATE)
		add_step(chain, FROM_DATE, NULL);
	return match_chain(context, lsecond(args), chain);
}

static bool
match_function(const DynClassify *context, Oid function, List *args, Chain *chain)
{
	switch (function)
	{
		case F_DATE_TRUNC_TEXT_TIMESTAMP:
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
			return match_trunc(context, function, args, chain);
		case F_EXTRACT_TEXT_DATE:
		case F_EXTRACT_TEXT_TIMESTAMP:
		case F_EXTRACT_TEXT_TIMESTAMPTZ:
		case F_DATE_PART_TEXT_TIMESTAMP:
		case F_DATE_PART_TEXT_TIMESTAMPTZ:
			return match_extract(context, function, args, chain);
		default:
			return match_patterns(context, function, args, chain);
	}
}

static bool
match_chain(const DynClassify *context, Node *node, Chain *chain)
{
	check_stack_depth();
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	if (IsA(node, FuncExpr))
		return match_function(context, ((FuncExpr *) node)->funcid,
							  ((FuncExpr *) node)->args, chain);
	if (IsA(node, OpExpr))
		return match_function(context, get_opcode(((OpExpr *) node)->opno),
							  ((OpExpr *) node)->args, chain);
	if (!dyn_match_column(context->plan, node, &chain->field))
		return false;
	chain->codec = &dyn_field_column(context, &chain->field)->codec;
	return dyn_codec_is_instant(chain->codec);
}

/* Returns the rank of a type; comparisons convert to the higher rank. */
static int
time_rank(Oid type)
{
	switch (type)
	{
		case DATEOID:
			return 1;
		case TIMESTAMPOID:
			return 2;
		case TIMESTAMPTZOID:
			return 3;
		default:
			return 0;
	}
}

/* ---- predicates ---- */

static DynPred *
make_bound(DynClassify *context, const Chain *chain, Node *value,
		   const DynConversion *conversion, bool upper, bool strict)
{
	bool		above = upper;
	Oid			type = chain->codec->basetype;
	DynOperator own = {DYN_COMPARE_GE, type, type, InvalidOid};
	DynConversion *copy = memcpy(palloc(sizeof(DynConversion)), conversion,
								 sizeof(DynConversion));
	DynPred    *pred;
	ListCell   *lc;

	foreach(lc, chain->steps)
		above ^= ((DynConversionStep *) lfirst(lc))->kind == DYN_STEP_UNTIL;
	if (above)
		own.comparison = DYN_COMPARE_LE;
	copy->upper = upper;
	copy->strict = strict;
	copy->bound = above ? DYN_BOUND_UPPER : DYN_BOUND_LOWER;
	pred = dyn_classify_comparison(context, &own, &chain->field, value, false);
	if (pred == NULL)
		return NULL;
	pred->conversion = copy;
	pred->bound = copy->bound;
	return pred;
}

/* Returns bounds that "expression op value" implies; rows are rechecked. */
static DynPred *
make_bounds(DynClassify *context, DynComparison comparison, const Chain *chain,
			Node *value, const DynConversion *conversion)
{
	context->exact = false;
	if (comparison == DYN_COMPARE_NE)
		return NULL;
	if (comparison == DYN_COMPARE_EQ)
		return dyn_make_between(make_bound(context, chain, value, conversion, false, false),
								make_bound(context, chain, value, conversion, true, false));
	return make_bound(context, chain, value, conversion,
					  comparison == DYN_COMPARE_LT || comparison == DYN_COMPARE_LE,
					  comparison == DYN_COMPARE_LT || comparison == DYN_COMPARE_GT);
}

/* Classifies "expression op value"; with `array`, = ANY or <> ALL (value). */
static DynPred *
classify_chain(DynClassify *context, const DynOperator *op, Node *node,
			   Node *value, bool array)
{
	Chain		chain = {.steps = NIL};
	Oid			compared = op->column_type;
	DynOperator own = {op->comparison, InvalidOid, InvalidOid, InvalidOid};
	DynConversion *conversion;
	DynPred    *pred;

	if (op->column_type != op->value_type)
	{
		if (time_rank(op->column_type) == 0 || time_rank(op->value_type) == 0)
			return NULL;
		if (time_rank(op->value_type) > time_rank(compared))
			compared = op->value_type;
	}
	/* SQL converts the expression to the type `compared` */
	if (compared == TIMESTAMPTZOID && op->column_type != TIMESTAMPTZOID)
		add_step(&chain, TO_INSTANT, NULL);
	if (op->column_type == DATEOID && compared != DATEOID)
		add_step(&chain, FROM_DATE, NULL);
	if (!match_chain(context, node, &chain) ||
		!dyn_is_runtime_value(context, value) ||
		(chain.steps == NIL && op->value_type == op->column_type))
		return NULL;
	conversion = palloc0(sizeof(DynConversion));
	conversion->bound = DYN_BOUND_EQUAL;
	conversion->array = array;
	conversion->from = op->value_type;
	conversion->compared = compared;
	conversion->to = own.column_type = own.value_type = chain.codec->basetype;
	conversion->steps = chain.steps;
	if (chain.steps != NIL)
		return make_bounds(context, op->comparison, &chain, value, conversion);
	pred = dyn_classify_comparison(context, &own, &chain.field, value, array);
	if (pred != NULL)
	{
		pred->conversion = conversion;
		pred->bound = conversion->bound;
	}
	return pred;
}

/* Returns true for types of times, their differences, and extracted fields. */
static bool
is_of_times(Oid type)
{
	return time_rank(type) > 0 || type == INTERVALOID || type == INT4OID ||
		type == NUMERICOID || type == FLOAT8OID;
}

DynPred *
dyn_classify_times(DynClassify *context, const DynOperator *op, Node *left,
				   Node *right, bool array)
{
	DynOperator commuted = *op;
	DynPred    *pred;

	if (!is_of_times(op->column_type) || !is_of_times(op->value_type))
		return NULL;
	pred = classify_chain(context, op, left, right, array);
	if (pred != NULL || array)
		return pred;
	dyn_commute(&commuted);
	return classify_chain(context, &commuted, right, left, false);
}
