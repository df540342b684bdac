/*
 * points.c
 *		Collects the values that predicates allow a key attribute.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"

#include "../../model/values/arrays.h"
#include "points.h"

void
dyn_refuse_too_many(double nkeys)
{
	if (nkeys > DYN_MAX_KEYS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many keys to read: %.0f", nkeys),
				 errhint("Restrict the lists of key values.")));
}

void
dyn_add_point(DynPointSet *set, const DynScalar *point, const DynKeyRoom *room)
{
	if (point->type != DYN_TYPE_N &&
		((point->len == 0 && !room->may_be_empty) || point->len > room->max_bytes))
		return;
	if (set->n == set->space)
	{
		set->space = Max(8, set->space * 2);
		set->points = set->points
			? repalloc_huge(set->points, set->space * sizeof(DynScalar))
			: palloc(set->space * sizeof(DynScalar));
	}
	set->points[set->n++] = *point;
}

static void
add_value(const DynCodec *codec, Oid valuetype, Datum value, DynPointSet *set,
		  const DynKeyRoom *room)
{
	DynScalar	scalar;

	if (dyn_codec_encode(codec, valuetype, value, &scalar) == DYN_ENCODED)
		dyn_add_point(set, &scalar, room);
}

static void
add_array(const DynCodec *codec, Oid valuetype, Datum array, DynPointSet *set,
		  const DynKeyRoom *room)
{
	DynArrayElements elements = dyn_array_elements(array);

	for (int i = 0; i < elements.n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!elements.nulls[i])
			add_value(codec, valuetype, elements.values[i], set, room);
	}
}

/* No key has values of another type. */
static void
add_row_points(const DynRowTerm *term, DynType type, DynPointSet *set,
			   const DynKeyRoom *room)
{
	for (int i = 0; i < term->nvalues; i++)
	{
		if (term->values[i].type == type)
			dyn_add_point(set, &term->values[i], room);
	}
}

/* All members of an enumerated part. */
static void
add_members(const DynTemplatePart *part, DynPointSet *set, const DynKeyRoom *room)
{
	/* a plan enumerates only as many as fit */
	int			members = (int) ((uint64) part->hi - (uint64) part->lo + 1);
	DynScalar	member = {DYN_TYPE_S, NULL, 0};

	for (int i = 0; i < part->nwords; i++)
	{
		member.data = part->words[i].data;
		member.len = part->words[i].len;
		dyn_add_point(set, &member, room);
	}
	for (int i = 0; part->spec == DYN_SPEC_RANGE && i < members; i++)
	{
		CHECK_FOR_INTERRUPTS();
		member.data = psprintf(INT64_FORMAT, part->lo + i);
		member.len = strlen(member.data);
		dyn_add_point(set, &member, room);
	}
}

/* The column as the predicate's attribute or part spells it. */
const DynColumn *
dyn_compared_column(const DynResolveContext *context, const DynPred *pred)
{
	return context->part != NULL ? &context->part->column
		: dyn_relation_column(context->relation, pred->field.attnum);
}

bool
dyn_given_holds(const DynValues *values, const DynPred *pred)
{
	return !values->nulls[pred->param] && DatumGetBool(values->values[pred->param]);
}

void
dyn_collect_points(const DynResolveContext *context, const DynPred *pred,
				   DynType type, DynPointSet *set, const DynKeyRoom *room)
{
	const DynCodec *codec;
	ListCell   *lc;

	check_stack_depth();
	if (pred->kind == DYN_PRED_OR)
	{
		foreach(lc, pred->args)
			dyn_collect_points(context, lfirst(lc), type, set, room);
		return;
	}
	if (pred->kind == DYN_PRED_ROW)
	{
		add_row_points(&context->relation->row_test.terms[pred->term], type, set,
					   room);
		return;
	}
	if (pred->kind == DYN_PRED_MEMBERS)
	{
		add_members(&context->relation->spelled[pred->term].tmpl->parts[pred->other],
					set, room);
		return;
	}
	codec = &dyn_compared_column(context, pred)->codec;
	if (dyn_pred_is_boolean(pred))
	{
		add_value(codec, BOOLOID, BoolGetDatum(pred->kind == DYN_PRED_TRUE), set,
				  room);
		return;
	}
	if (context->values->nulls[pred->param])
		return;
	if (pred->kind == DYN_PRED_EQ)
		add_value(codec, pred->valuetype, context->values->values[pred->param],
				  set, room);
	else
		add_array(codec, pred->valuetype, context->values->values[pred->param],
				  set, room);
}

static int
sort_compare_points(const void *a, const void *b, void *arg)
{
	return dyn_scalar_compare(a, b);
}

void
dyn_sort_points(DynPointSet *set)
{
	int			kept = 0;

	if (set->n <= 1)
		return;
	qsort_interruptible(set->points, set->n, sizeof(DynScalar),
						sort_compare_points, NULL);
	for (int i = 0; i < set->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (kept == 0 ||
			dyn_scalar_compare(&set->points[kept - 1], &set->points[i]) != 0)
			set->points[kept++] = set->points[i];
	}
	set->n = kept;
}
