/*
 * conversion.c
 *		Encodes how values are converted, and decodes it.
 */
#include "postgres.h"

#include "nodes/pg_list.h"
#include "nodes/value.h"

#include "conversion.h"

static List *
encode_step(const DynConversionStep *step,
			int (*position) (Node *value, List **values), List **values)
{
	return list_make3(makeInteger(step->kind), makeInteger((int) step->type),
					  makeInteger(step->operand == NULL ? -1
								  : position((Node *) step->operand, values)));
}

Node *
dyn_conversion_encode(const DynConversion *conversion, Expr *value,
					  int (*position) (Node *value, List **values),
					  List **values)
{
	List	   *list = list_make5(makeInteger(conversion->bound),
								  makeInteger(conversion->upper),
								  makeInteger(conversion->strict),
								  makeInteger(conversion->array),
								  makeInteger((int) conversion->from));
	List	   *steps = NIL;
	ListCell   *lc;

	list = lappend(list, makeInteger((int) conversion->compared));
	list = lappend(list, makeInteger((int) conversion->to));
	foreach(lc, conversion->steps)
		steps = lappend(steps, encode_step(lfirst(lc), position, values));
	return (Node *) list_make2(value, lappend(list, steps));
}

List *
dyn_conversions_split(List **values)
{
	List	   *conversions = NIL;
	ListCell   *lc;

	foreach(lc, *values)
	{
		List	   *pair = lfirst(lc);

		if (!IsA(pair, List))
			continue;
		conversions = lappend(conversions,
							  list_make2(makeInteger(foreach_current_index(lc)),
										 lsecond(pair)));
		lfirst(lc) = linitial(pair);
	}
	return conversions;
}

static int
number(const List *list, int n)
{
	return intVal(list_nth(list, n));
}

static DynConversionStep *
decode_step(const List *list)
{
	DynConversionStep *step = palloc0(sizeof(DynConversionStep));

	step->kind = number(list, 0);
	step->type = (Oid) number(list, 1);
	step->param = number(list, 2);
	return step;
}

static DynConversion *
decode(const List *pair)
{
	DynConversion *conversion = palloc0(sizeof(DynConversion));
	const List *list = lsecond(pair);
	ListCell   *lc;

	conversion->param = number(pair, 0);
	conversion->bound = number(list, 0);
	conversion->upper = number(list, 1);
	conversion->strict = number(list, 2);
	conversion->array = number(list, 3);
	conversion->from = (Oid) number(list, 4);
	conversion->compared = (Oid) number(list, 5);
	conversion->to = (Oid) number(list, 6);
	foreach(lc, (List *) list_nth(list, 7))
		conversion->steps = lappend(conversion->steps, decode_step(lfirst(lc)));
	return conversion;
}

List *
dyn_conversions_decode(List *encoded)
{
	List	   *conversions = NIL;
	ListCell   *lc;

	foreach(lc, encoded)
		conversions = lappend(conversions, decode(lfirst(lc)));
	return conversions;
}
