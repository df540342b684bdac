/*
 * index_complete.c
 *		Decides whether an index contains all items that a statement selects.
 *
 * An index contains only items with values for all its key attributes, of the
 * key's type, not empty and not too long.  DynamoDB rejects writes of any
 * other values, but items may be older than a global index.  So an index is
 * complete for a statement if each selected item is known to have all its key
 * attributes, with values that the index can hold.
 *
 * Attributes of the table's own key are in every item.  For any other
 * attribute, its column must be declared NOT NULL, or a clause must reject
 * NULL.  This is sufficient for numbers, for types without an empty encoding,
 * and for local indexes, which are as old as their table.
 *
 * A text or bytea in the key of a global index may be empty, or too long, in
 * items older than the index.  For these types, each predicate below ensures
 * that the selected items are in the index, if the condition next to it holds:
 *
 *		= and IN		the index can hold all the values
 *		>, >=			the index can hold the bound; a bound of > may be empty
 *		LIKE, prefixes	an empty text does not match, and the pattern or prefix
 *						is not longer than the limit of the key
 *		<>				the value that it excludes is the empty one
 *
 * If an attribute has a clause with = or IN, one such clause must meet its
 * condition, and nothing else counts.  Otherwise, another predicate that meets
 * its condition is sufficient, and so is a column declared NOT NULL.  Neither
 * these other predicates nor NOT NULL limit the length of a value, so an old
 * item whose value is too long is not found (docs/pushdown.md).
 */
#include "postgres.h"

#include "miscadmin.h"

#include "../../model/server/pg_compat.h"
#include "../../model/values/path.h"
#include "../clauses/classify.h"
#include "match_keys.h"

/*
 * Completeness of an index with regard to the items that a predicate selects,
 * from the weakest guarantee to the strongest.  An OR has the weakest value of
 * its arms, an AND the strongest of its args.
 */
typedef enum Completeness
{
	NO_POINT,					/* no point predicate (such as =) */
	ABSENT,						/* the index may lack a selected item */
	LATER,						/* the run-time value decides */
	PRESENT						/* the index has all selected items */
} Completeness;

/* A key attribute of an index, with the data for deciding completeness */
typedef struct Place
{
	const DynRelation *relation;
	const DynKeyAttr *attr;
	size_t		max_bytes;
	const Datum *values;		/* run-time values; NULL while planning */
	const bool *nulls;

	/* only while planning */
	const DynRelPlan *plan;
	const DynColumn *column;	/* column of the attribute, or NULL */
	bool		trusted;		/* true if the index is in trusted_indexes */
	size_t		own_bytes;		/* maximum size (bytes) that DynamoDB allows
								 * for the attribute as part of the table's
								 * primary key; 0 if it is not part of it */
	bool		depends;		/* true if `column` may have values that the
								 * index cannot hold (empty or too long) */
	bool		may_miss;		/* true for a Scan that could miss rows whose
								 * values the index cannot hold */
	bool		asserted;		/* true if all items have the attribute: it is
								 * in the table's key, or its column is
								 * declared NOT NULL; false if may_miss */
	bool		advising;		/* true if the result is only for advice */
} Place;

/* ---- values ---- */

static bool
get_operand(const Place *place, const DynPred *pred, Datum *value, bool *isnull)
{
	const Const *constant = (const Const *) pred->value;

	if (place->values != NULL)
	{
		Assert(pred->param >= 0);
		*isnull = place->nulls[pred->param];
		*value = place->values[pred->param];
		return true;
	}
	if (!IsA(constant, Const) || pred->conversion != NULL)
		return false;
	*isnull = constant->constisnull;
	*value = constant->constvalue;
	return true;
}

/*
 * Sets *least and *most to the least and greatest length (bytes) of the
 * predicate's value, or of the elements of its array.  Values that cannot be
 * encoded are skipped, because no item has them.
 */
static void
find_lengths(const DynCodec *codec, const DynPred *pred, Datum value,
			 size_t *least, size_t *most)
{
	bool		isnull = false;
	DynArrayElements elements = {.n = 1,.values = &value,.nulls = &isnull};
	DynScalar	scalar;

	if (pred->array)
		elements = dyn_array_elements(value);
	*least = SIZE_MAX;
	*most = 0;
	for (int i = 0; i < elements.n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (elements.nulls[i] ||
			dyn_codec_encode(codec, pred->valuetype, elements.values[i],
							 &scalar) != DYN_ENCODED)
			continue;
		*least = Min(*least, scalar.len);
		*most = Max(*most, scalar.len);
	}
}

/*
 * Returns false if the pattern matches an empty string (it is empty, or %
 * alone), is longer than the key's limit, or cannot be encoded.
 */
static bool
pattern_implies(const Place *place, Datum value)
{
	DynScalar	pattern;

	if (!dyn_encode_text(value, &pattern))
		return false;
	for (size_t i = 0; i < pattern.len; i++)
	{
		if (pattern.data[i] != '%')
			return pattern.len <= place->max_bytes;
	}
	return false;
}

/* ---- predicates ---- */

static Completeness
leaf_completeness(const Place *place, const DynPred *pred, bool points)
{
	bool		unequal = dyn_pred_compares(pred, DYN_COMPARE_NE);
	bool		useless = dyn_pred_compares(pred, DYN_COMPARE_LT) ||
		dyn_pred_compares(pred, DYN_COMPARE_LE) ||
		(pred->array && !dyn_pred_is_point(pred));
	Datum		value;
	bool		isnull;
	size_t		least,
				most;

	/*
	 * the statement looks for items without the attribute (IS NULL), so do not
	 * advise to declare the column NOT NULL
	 */
	if (place->advising && pred->kind == DYN_PRED_NULL && !pred->negated && pred->field.steps == NIL &&
		place->column == dyn_relation_column(place->relation, pred->field.attnum))
		return ABSENT;
	if (!dyn_pred_is_on(place->relation, pred, place->attr) ||
		(points && !dyn_pred_is_point(pred)))
		return points ? NO_POINT : ABSENT;
	if (pred->kind == DYN_PRED_BOOLEAN)
		return PRESENT;			/* booleans are short, and not empty */
	/*
	 * do not wait for the run-time operand of <>: only <> '' implies that the
	 * attribute is not empty
	 */
	if (!get_operand(place, pred, &value, &isnull))
		return unequal || useless ? ABSENT : LATER;
	if (isnull)
		return PRESENT;
	if (useless)
		return ABSENT;
	if (pred->kind == DYN_PRED_LIKE && !pred->literal)
		return pattern_implies(place, value) ? PRESENT : ABSENT;
	find_lengths(&dyn_relation_column(place->relation, pred->field.attnum)->codec,
				 pred, value, &least, &most);
	if (unequal)
		return least == 0 ? PRESENT : ABSENT;
	return most <= place->max_bytes &&
		(least > 0 || dyn_pred_compares(pred, DYN_COMPARE_GT)) ? PRESENT : ABSENT;
}

static Completeness
pred_completeness(const Place *place, const DynPred *pred, bool points)
{
	bool		any = (pred->kind == DYN_PRED_OR);
	Completeness completeness = any ? PRESENT : NO_POINT;
	ListCell   *lc;

	check_stack_depth();
	if (!dyn_pred_is_junction(pred))
		return leaf_completeness(place, pred, points);
	foreach(lc, pred->args)
	{
		Completeness arg = pred_completeness(place, lfirst(lc), points);

		completeness = any ? Min(completeness, arg) : Max(completeness, arg);
	}
	return completeness;
}

/*
 * Returns the completeness that all predicates together imply.  If there are
 * point predicates (= and IN), all others are ignored.
 */
static Completeness
preds_completeness(const Place *place, List *preds, bool asserted)
{
	Completeness points = NO_POINT;
	Completeness all = ABSENT;
	ListCell   *lc;

	foreach(lc, preds)
		points = Max(points, pred_completeness(place, lfirst(lc), true));
	if (points != NO_POINT)
		return points;
	if (asserted)
		return PRESENT;
	foreach(lc, preds)
		all = Max(all, pred_completeness(place, lfirst(lc), false));
	return all;
}

/* ---- strings composed from templates ---- */

/* Maximum length (bytes) of an integer, uuid or time in a composed string */
#define MAX_PART_BYTES	128

/*
 * Adds to *bytes the length of the longest value or pattern in the predicate
 * on a part; adds nothing for a range.  Returns false if this length is
 * unknown before execution, or if a pattern cannot be encoded.
 */
static bool
add_part(const Place *place, const DynCodec *codec, const DynPred *pred,
		 size_t *bytes)
{
	size_t		longest = 0;
	size_t		least;
	Datum		value;
	DynScalar	text;
	bool		isnull;
	ListCell   *lc;

	check_stack_depth();
	foreach(lc, pred->args)
	{
		size_t		arg = 0;

		if (!add_part(place, codec, lfirst(lc), &arg))
			return false;
		longest = Max(longest, arg);
	}
	if (pred->kind != DYN_PRED_BOOLEAN &&
		(dyn_pred_is_point(pred) || pred->kind == DYN_PRED_LIKE))
	{
		if (!get_operand(place, pred, &value, &isnull))
			return false;
		if (isnull)
			return true;
		if (pred->kind != DYN_PRED_LIKE)
			find_lengths(codec, pred, value, &least, &longest);
		else if (dyn_encode_text(value, &text))
			longest = text.len;
		else
			return false;
	}
	*bytes += longest;
	return true;
}

/*
 * Returns PRESENT if all strings that the predicate allows are short enough
 * for the key of the index, LATER if run-time values decide this, else ABSENT.
 * An item that is older than the index is not in it if its string is longer.
 */
static Completeness
texts_completeness(const Place *place, const DynPred *pred)
{
	const DynTemplatedAttr *templated = &place->relation->templated[pred->templated];
	size_t		bytes = 0;
	ListCell   *lc;

	for (int i = 0; i <= templated->tmpl->nparts; i++)
		bytes += templated->tmpl->literals[i].len;
	foreach(lc, pred->args)
	{
		const DynCodec *codec =
			&templated->parts[foreach_current_index(lc)].column.codec;

		if (codec->kind == DYN_CODEC_BOOL)
			bytes += Max(strlen(codec->format.true_text),
						 strlen(codec->format.false_text));
		else if (codec->kind != DYN_CODEC_TEXT && codec->kind != DYN_CODEC_BYTEA)
			bytes += MAX_PART_BYTES;
		else if (!add_part(place, codec, lfirst(lc), &bytes))
			return LATER;
	}
	return bytes <= place->max_bytes ? PRESENT : ABSENT;
}

/* ---- attributes of an index ---- */

/*
 * Describes the i'th attribute (from 0) of the index's key; hash attributes
 * come first.  `full` is true for a Scan of the index.  It replaces a Scan of
 * the table, whose items may have values that the index cannot hold.  Known
 * limitation (docs/pushdown.md): if a partition key of the table is a sort key
 * of the index, where its length limit is lower, requests to the index do not
 * find items that are older than the index and have longer values.
 */
static Place
place_of(const DynRelPlan *plan, const DynIndexMeta *index, bool full, int i)
{
	const DynRelation *relation = plan->relation;
	const DynKeyAttr *attr = dyn_key_attr(&index->key, i);
	AttrNumber	attnum = dyn_relation_column_of(relation, attr);
	Place		place = {.relation = relation,.attr = attr,.plan = plan,
	.trusted = dyn_relation_trusts(relation, index->name)};
	bool		held;			/* true if the index can hold all values */

	place.max_bytes = i < index->key.nhash ? DYN_MAX_HASH_BYTES : DYN_MAX_RANGE_BYTES;
	place.column = attnum == 0 ? NULL : dyn_relation_column(relation, attnum);
	place.own_bytes = dyn_is_in_hash_key(&plan->meta->key, attr->name)
		? DYN_MAX_HASH_BYTES
		: dyn_is_in_key(&plan->meta->key, attr->name) ? DYN_MAX_RANGE_BYTES : 0;
	if (attr->type == DYN_TYPE_N || !index->global)
		held = true;
	else if (place.own_bytes > 0)
		held = place.own_bytes <= place.max_bytes;
	else
		held = place.column != NULL &&
			!dyn_codec_facts[place.column->codec.kind].may_be_empty;
	place.depends = !held && place.column != NULL;
	place.may_miss = full && !held && !place.trusted;
	place.asserted = !place.may_miss &&
		(place.own_bytes > 0 || (place.column != NULL && place.column->not_null));
	return place;
}

/*
 * Returns the completeness that the item filter alone implies for the
 * attribute of `place`; NO_POINT if the filter does not require the attribute.
 */
static Completeness
completeness_by_item_filter(const Place *place)
{
	const DynItemFilter *filter = &place->relation->item_filter;

	for (int i = 0; i < filter->nterms; i++)
	{
		const DynFilterTerm *term = &filter->terms[i];

		if (term->ttl || !dyn_path_is_attribute(term->path, place->attr->name))
			continue;
		for (int v = 0; v < term->nvalues; v++)
		{
			const DynScalar *value = &term->values[v];

			if (value->type != place->attr->type || value->len == 0 ||
				(value->type != DYN_TYPE_N && value->len > place->max_bytes))
				return ABSENT;
		}
		if (!term->or_null)
			return PRESENT;
	}
	return NO_POINT;
}

/*
 * Sets *preds to the predicates (DynPred *) of the clauses, and *exprs to
 * their SQL expressions, except pseudoconstant ones.  Omits keys_only
 * predicates that are not equalities.
 */
static void
collect(List *clauses, List **preds, List **exprs)
{
	ListCell   *lc;

	*preds = *exprs = NIL;
	foreach(lc, clauses)
	{
		const DynClause *clause = lfirst(lc);

		if (clause->pred != NULL &&
			(!clause->keys_only || dyn_pred_compares(clause->pred, DYN_COMPARE_EQ)))
			*preds = lappend(*preds, clause->pred);
		if (clause->condition != NULL)
			*exprs = lappend(*exprs, clause->condition);
		else if (clause->rinfo != NULL && !clause->keys_only &&
				 !clause->rinfo->pseudoconstant)
			*exprs = lappend(*exprs,
							 dyn_plain_clause((Node *) clause->rinfo->clause));
	}
}

/*
 * Returns true if clauses and NOT NULL ensure that all selected items have the
 * attribute: a column that is read from the attribute cannot be NULL (and
 * place->may_miss is false); or, with `trusted`, no column of its template can
 * be NULL (trusted_indexes asserts that such items have the attribute).
 */
static bool
is_templated(const Place *place, List *exprs, bool trusted)
{
	const DynRelation *relation = place->relation;
	const DynTemplatedAttr *templated = dyn_relation_templated(relation, place->attr->name);
	bool		all = true;

	if (templated == NULL)
		return false;
	for (int p = 0; p < templated->tmpl->nparts; p++)
	{
		AttrNumber	attnum = templated->parts[p].attnum;
		bool		value = dyn_relation_column(relation, attnum)->not_null ||
			dyn_var_is_nonnullable(exprs, place->plan->rel->relid, attnum);

		if (value && templated->parts[p].source && !place->may_miss)
			return true;
		all &= value;
	}
	return all && trusted;
}

static bool
is_nonnullable(const Place *place, List *exprs)
{
	return place->column != NULL &&
		dyn_var_is_nonnullable(exprs, place->plan->rel->relid,
							   dyn_relation_column_of(place->relation, place->attr));
}

static Completeness
place_completeness(const Place *place, List *preds, List *exprs)
{
	Completeness completeness = completeness_by_item_filter(place);

	if (completeness != NO_POINT)
		return completeness;
	if (is_templated(place, exprs, place->trusted))
		return PRESENT;
	if (place->depends)
		return preds_completeness(place, preds, place->asserted);
	return place->asserted || is_nonnullable(place, exprs) ? PRESENT : ABSENT;
}

/*
 * Returns true if the condition <> '' on the attribute's column would make the
 * index complete: the clauses reject NULL, but not an empty text or bytea.
 */
static bool
lacks_nonempty(const Place *place, List *preds, List *exprs)
{
	return place->depends && completeness_by_item_filter(place) == NO_POINT &&
		(place->column->codec.kind == DYN_CODEC_TEXT ||
		 place->column->codec.kind == DYN_CODEC_BYTEA) &&
		place->column->traits.inequality != DYN_LOCAL &&
		preds_completeness(place, preds, true) >= LATER &&
		is_nonnullable(place, exprs);
}

bool
dyn_index_is_usable(const DynRelPlan *plan, const DynIndexMeta *index, bool full,
					List *clauses, DynIndexLack *lack)
{
	DynIndexLack found = {NULL, NULL, true};
	int			nlacking = 0;
	List	   *preds,
			   *exprs;

	if (lack != NULL)
		*lack = (DynIndexLack) {NULL, NULL, false};
	if (!index->active || (index->global && plan->relation->consistent))
		return false;
	collect(clauses, &preds, &exprs);
	for (int i = 0; i < index->key.nhash + index->key.nrange; i++)
	{
		Place		place = place_of(plan, index, full, i);

		if (place_completeness(&place, preds, exprs) >= LATER)
			continue;
		nlacking++;
		found.nonempty = nlacking == 1 && lacks_nonempty(&place, preds, exprs)
			? place.column->name : NULL;
		/* recommend NOT NULL only if the index would then have all rows */
		place.advising = true;
		found.column = nlacking == 1 && place.column != NULL && !place.asserted &&
			preds_completeness(&place, preds, true) >= LATER ? place.column->name : NULL;
		found.trust &= is_templated(&place, exprs, true);
	}
	if (lack != NULL && nlacking > 0)
		*lack = found;
	return nlacking == 0;
}

/* ---- checks at run time ---- */

static void
add_index_condition(DynAccess *access, const Place *place, List *preds)
{
	DynIndexCondition *condition = palloc(sizeof(DynIndexCondition));

	Assert(preds != NIL);
	*condition = (DynIndexCondition) {*place->attr, place->max_bytes, preds};
	access->conditions = lappend(access->conditions, condition);
}

void
dyn_index_conditions_add(const DynRelPlan *plan, const DynIndexMeta *index,
						 List *clauses, DynAccess *access)
{
	List	   *preds,
			   *exprs;

	collect(clauses, &preds, &exprs);
	for (int i = 0; i < index->key.nhash + index->key.nrange; i++)
	{
		Place		place = place_of(plan, index, access->kind == DYN_ACCESS_SCAN, i);
		DynPred    *texts = NULL;
		List	   *decisive = NIL;
		ListCell   *lc;

		/* strings that the table accepts may be too long for the index */
		if (place.attr->type == DYN_TYPE_S && index->global && !place.trusted &&
			(place.own_bytes == 0 || place.own_bytes > place.max_bytes))
			texts = dyn_template_demands(plan, place.attr, clauses);
		if (texts != NULL && texts_completeness(&place, texts) != PRESENT)
			add_index_condition(access, &place, list_make1(texts));
		if (place_completeness(&place, preds, exprs) != LATER)
			continue;
		foreach(lc, preds)
		{
			if (preds_completeness(&place, list_make1(lfirst(lc)), false) >= LATER)
				decisive = lappend(decisive, lfirst(lc));
		}
		add_index_condition(access, &place, decisive);
	}
}

bool
dyn_index_conditions_hold(const DynAccess *access, const DynRelation *relation,
						  const Datum *values, const bool *nulls)
{
	ListCell   *lc;

	foreach(lc, access->conditions)
	{
		const DynIndexCondition *condition = lfirst(lc);
		Place		place = {.relation = relation,.attr = &condition->attr,
			.max_bytes = condition->max_bytes,.values = values,
		.nulls = nulls};
		const DynPred *texts = dyn_only_templated(condition->preds);

		if ((texts != NULL ? texts_completeness(&place, texts)
			 : preds_completeness(&place, condition->preds, false)) != PRESENT)
			return false;
	}
	return true;
}
