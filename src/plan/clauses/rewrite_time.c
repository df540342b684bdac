/*
 * rewrite_time.c
 *		Classifies conditions on dates and times whose values have another
 *		type, or on expressions over dates and times.
 *
 * An expression is matched as a chain of steps over a column, which
 * model/values/time_bounds.c inverts when the value is known.  Functions and
 * operators are identified by their OIDs.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "rewrite_time.h"

typedef struct Chain
{
	DynField	field;
	const DynCodec *codec;		/* codec of the column */
	List	   *steps;			/* DynConversionStep *, outermost first */
} Chain;

/* ---- chains ---- */

static DynConversionStep *
make_step(DynTimeStepKind kind, Node *operand)
{
	DynConversionStep *step = palloc0(sizeof(DynConversionStep));

	step->kind = kind;
	step->operand = (Expr *) operand;
	step->type = operand != NULL ? exprType(operand) : InvalidOid;
	step->param = -1;
	return step;
}

static void
add_step(Chain *chain, DynTimeStepKind kind, Node *operand)
{
	chain->steps = lappend(chain->steps, make_step(kind, operand));
}

static bool
match_column(const DynClassify *context, Node *node, Chain *chain)
{
	if (!dyn_match_column(context->plan, node, &chain->field))
		return false;
	chain->codec = &dyn_field_column(context, &chain->field)->codec;
	return dyn_codec_is_instant(chain->codec);
}

/* ---- functions ---- */

/*
 * A function as at most two steps, the second of which is done first;
 * `operand` is the other argument of the first step.
 */
typedef struct Form
{
	Oid			function;
	int			argument;		/* position (from 0) of the argument that
								 * continues the chain */
	int			operand;		/* position of the operand; -1: none */
	int			nsteps;
	DynTimeStepKind steps[2];
} Form;

#define TO_INSTANT		DYN_STEP_TIMESTAMP_TO_INSTANT
#define TO_TIMESTAMP	DYN_STEP_INSTANT_TO_TIMESTAMP
#define TO_DATE			DYN_STEP_TIMESTAMP_TO_DATE
#define FROM_DATE		DYN_STEP_DATE_TO_TIMESTAMP

static const Form rewrite[] = {
	/* casts, and functions with their names */
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
	/* differences, either side of which may contain the column */
	{F_TIMESTAMP_MI, 0, 1, 1, {DYN_STEP_SINCE}},
	{F_TIMESTAMPTZ_MI, 0, 1, 1, {DYN_STEP_SINCE}},
	{F_DATE_MI, 0, 1, 1, {DYN_STEP_SINCE}},
	{F_TIMESTAMP_MI, 1, 0, 1, {DYN_STEP_UNTIL}},
	{F_TIMESTAMPTZ_MI, 1, 0, 1, {DYN_STEP_UNTIL}},
	{F_DATE_MI, 1, 0, 1, {DYN_STEP_UNTIL}},
};

static bool match_chain(const DynClassify *context, Node *node, Chain *chain);

static bool
match_form(const DynClassify *context, const Form *form, List *args, Chain *chain)
{
	Node	   *operand = form->operand < 0 ? NULL : list_nth(args, form->operand);
	List	   *steps = chain->steps;

	if (operand != NULL && !dyn_is_runtime_value(context, operand))
		return false;
	chain->steps = list_copy(steps);
	for (int i = 0; i < form->nsteps; i++)
		add_step(chain, form->steps[i], i == 0 ? operand : NULL);
	if (match_chain(context, list_nth(args, form->argument), chain))
		return true;
	chain->steps = steps;
	return false;
}

static bool
match_patterns(const DynClassify *context, Oid function, List *args, Chain *chain)
{
	for (int i = 0; i < lengthof(rewrite); i++)
	{
		if (rewrite[i].function == function &&
			match_form(context, &rewrite[i], args, chain))
			return true;
	}
	return false;
}

/* ---- units and fields ---- */

/*
 * date_trunc of an instant, in the zone given by an argument, or the session's
 */
static bool
match_trunc(const DynClassify *context, Oid function, List *args, Chain *chain)
{
	Const	   *unit = linitial(args);
	Node	   *zone = list_length(args) > 2 ? lthird(args) : NULL;
	bool		subday;

	if (!IsA(unit, Const) || unit->constisnull ||
		!dyn_unit_is_known(unit->constvalue, &subday) ||
		(zone != NULL && !dyn_is_runtime_value(context, zone)))
		return false;
	if (function == F_DATE_TRUNC_TEXT_TIMESTAMP)
		add_step(chain, DYN_STEP_TRUNC, (Node *) unit);
	else if (subday)
		add_step(chain, DYN_STEP_TRUNC_INSTANT, (Node *) unit);
	else
	{
		add_step(chain, TO_INSTANT, zone);
		add_step(chain, DYN_STEP_TRUNC, (Node *) unit);
		add_step(chain, TO_TIMESTAMP, zone);
	}
	return match_chain(context, lsecond(args), chain);
}

/* extract and date_part, for a year or an epoch */
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
	return match_column(context, node, chain);
}

/* ---- comparisons ---- */

/*
 * Returns the rank of a date/time type; 0 for others.  A comparison converts
 * both sides to the type of the higher rank.
 */
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

/* Adds the steps that convert an expression's type to the compared type. */
static void
widen_chain(Chain *chain, Oid type, Oid compared)
{
	List	   *steps = NIL;

	if (compared == TIMESTAMPTZOID && type != TIMESTAMPTZOID)
		steps = lappend(steps, make_step(DYN_STEP_TIMESTAMP_TO_INSTANT, NULL));
	if (type == DATEOID && compared != DATEOID)
		steps = lappend(steps, make_step(DYN_STEP_DATE_TO_TIMESTAMP, NULL));
	chain->steps = list_concat(steps, chain->steps);
}

/*
 * Returns the type in which an operator on these compares; InvalidOid if
 * unknown.
 */
static Oid
compared_type(Oid type, Oid valuetype)
{
	if (type == valuetype)
		return type;
	if (time_rank(type) == 0 || time_rank(valuetype) == 0)
		return InvalidOid;
	return time_rank(type) > time_rank(valuetype) ? type : valuetype;
}

/* ---- predicates ---- */

static DynConversion *
make_conversion(const Chain *chain, const DynOperator *op, Oid compared,
				bool array)
{
	DynConversion *conversion = palloc0(sizeof(DynConversion));

	conversion->bound = DYN_BOUND_EQUAL;
	conversion->array = array;
	conversion->from = op->value_type;
	conversion->compared = compared;
	conversion->to = chain->codec->basetype;
	conversion->steps = chain->steps;
	return conversion;
}

static DynPred *
make_equal(DynClassify *context, const DynOperator *op, const Chain *chain,
		   Node *value, DynConversion *conversion)
{
	Oid			type = chain->codec->basetype;
	DynOperator own = {op->comparison, type, type, InvalidOid};
	DynPred    *pred = conversion->array
		? dyn_classify_array(context, &own, &chain->field, value)
		: dyn_classify_comparison(context, &own, &chain->field, value);

	if (pred != NULL)
	{
		pred->conversion = conversion;
		pred->bound = conversion->bound;
	}
	return pred;
}

static bool
descends(const Chain *chain)
{
	bool		result = false;
	ListCell   *lc;

	foreach(lc, chain->steps)
		result ^= dyn_step_descends(((DynConversionStep *) lfirst(lc))->kind);
	return result;
}

static DynPred *
make_bound(DynClassify *context, const Chain *chain, Node *value,
		   const DynConversion *conversion, bool upper, bool strict)
{
	bool		above = upper != descends(chain);
	Oid			type = chain->codec->basetype;
	DynOperator own = {above ? DYN_COMPARE_LE : DYN_COMPARE_GE, type, type,
	InvalidOid};
	DynConversion *copy = palloc(sizeof(DynConversion));
	DynPred    *pred;

	*copy = *conversion;
	copy->upper = upper;
	copy->strict = strict;
	copy->bound = above ? DYN_BOUND_UPPER : DYN_BOUND_LOWER;
	pred = dyn_classify_comparison(context, &own, &chain->field, value);
	if (pred == NULL)
		return NULL;
	pred->conversion = copy;
	pred->bound = copy->bound;
	return pred;
}

/* Returns bounds on the column, which are never exact. */
static DynPred *
make_bounds(DynClassify *context, DynComparison comparison, const Chain *chain,
			Node *value, const DynConversion *conversion)
{
	DynPred    *lower,
			   *upper;

	context->exact = false;
	switch (comparison)
	{
		case DYN_COMPARE_LT:
		case DYN_COMPARE_LE:
			return make_bound(context, chain, value, conversion, true,
							  comparison == DYN_COMPARE_LT);
		case DYN_COMPARE_GT:
		case DYN_COMPARE_GE:
			return make_bound(context, chain, value, conversion, false,
							  comparison == DYN_COMPARE_GT);
		case DYN_COMPARE_EQ:
			break;
		default:
			return NULL;
	}
	lower = make_bound(context, chain, value, conversion, false, false);
	upper = make_bound(context, chain, value, conversion, true, false);
	return dyn_make_between(lower, upper);
}

/* expression op value */
static DynPred *
classify_chain(DynClassify *context, const DynOperator *op, Node *node,
			   Node *value, bool array)
{
	Chain		chain = {.steps = NIL};
	Oid			compared;
	DynConversion *conversion;

	if (!match_chain(context, node, &chain) ||
		!dyn_is_runtime_value(context, value))
		return NULL;
	compared = compared_type(op->column_type, op->value_type);
	if (!OidIsValid(compared))
		return NULL;
	widen_chain(&chain, op->column_type, compared);
	if (chain.steps == NIL && op->value_type == op->column_type)
		return NULL;
	conversion = make_conversion(&chain, op, compared, array);
	return chain.steps == NIL
		? make_equal(context, op, &chain, value, conversion)
		: make_bounds(context, op->comparison, &chain, value, conversion);
}

/* Returns true if this file handles the operator's type. */
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
