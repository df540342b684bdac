/*
 * index_complete.c
 *		Decides whether an index contains all items that a statement selects.
 *
 * Attributes of the table's own key are in every item.  For others the column
 * must be declared NOT NULL, or some clause must reject NULL.  That is
 * sufficient for numbers, for types without an empty encoding, and for local
 * indexes, which are as old as their table.
 *
 * A text or bytea in the key of a global index may be empty, or too long, in
 * items older than the index.  For these a predicate shows that the attribute
 * is in the index if the index can hold every value that it selects:
 *
 *		= and IN		with such values.  If an attribute has any of them,
 *						one of them must show it: NOT NULL, or a range, is
 *						not enough
 *		>, >=			with such a bound; > also with an empty one
 *		LIKE, prefixes	that do not match an empty text
 *		<>				if compared with the empty value
 *
 * The last three do not limit the length of values, nor does NOT NULL: an old
 * item with a value above the limit is missed (docs/pushdown.md).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"

#include "../../model/server/pg_compat.h"
#include "../../model/values/arrays.h"
#include "../../model/values/path.h"
#include "../clauses/rewrite_equal.h"
#include "index_complete.h"
#include "match_template.h"

/* In ascending order: an OR has the least of its arms, an AND the greatest. */
typedef enum Completeness
{
	NO_POINT,					/* only for points: the attribute has no = or
								 * IN */
	ABSENT,						/* a selected item may be missing from the
								 * index */
	LATER,						/* the value is not known yet */
	PRESENT
} Completeness;

typedef struct AttrCheck
{
	const DynRelation *relation;
	const DynKeyAttr *attr;
	size_t		max_bytes;
	const Datum *values;		/* values by position; NULL while planning */
	const bool *nulls;
	bool		points;			/* true to use only = and IN */
} AttrCheck;

/* ---- values ---- */

typedef struct Operand
{
	bool		known;
	bool		isnull;
	Datum		value;
} Operand;

static Operand
get_operand(const AttrCheck *check, const DynPred *pred)
{
	Operand		operand = {false, false, (Datum) 0};

	if (check->values != NULL)
	{
		Assert(pred->param >= 0);
		operand.known = true;
		operand.isnull = check->nulls[pred->param];
		operand.value = check->values[pred->param];
	}
	else if (IsA(pred->value, Const) && pred->conversion == NULL)
	{
		operand.known = true;
		operand.isnull = ((Const *) pred->value)->constisnull;
		operand.value = ((Const *) pred->value)->constvalue;
	}
	return operand;
}

/* A value that cannot be encoded is not in any item: it selects nothing. */
static bool
matches(const AttrCheck *check, const DynCodec *codec, Oid valuetype, Datum value,
		bool may_be_empty)
{
	DynScalar	scalar;

	if (dyn_codec_encode(codec, valuetype, value, &scalar) != DYN_ENCODED)
		return true;
	return scalar.len <= check->max_bytes && (may_be_empty || scalar.len > 0);
}

static bool
all_match(const AttrCheck *check, const DynCodec *codec, Oid valuetype, Datum array)
{
	DynArrayElements elements = dyn_array_elements(array);

	for (int i = 0; i < elements.n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!elements.nulls[i] &&
			!matches(check, codec, valuetype, elements.values[i], false))
			return false;
	}
	return true;
}

/* Only a pattern that consists of % alone matches the empty text. */
static bool
pattern_matches(const AttrCheck *check, Datum value)
{
	text	   *pattern = DatumGetTextPP(value);
	size_t		len = VARSIZE_ANY_EXHDR(pattern);

	if (len > check->max_bytes)
		return false;
	for (size_t i = 0; i < len; i++)
	{
		if (VARDATA_ANY(pattern)[i] != '%')
			return true;
	}
	return false;
}

/* ---- predicates ---- */

static bool
operand_implies(const AttrCheck *check, const DynPred *pred, Datum value)
{
	const DynCodec *codec =
		&dyn_relation_column(check->relation, pred->field.attnum)->codec;
	DynScalar	scalar;

	switch (pred->kind)
	{
		case DYN_PRED_EQ:
		case DYN_PRED_GE:
		case DYN_PRED_PREFIX:
			return matches(check, codec, pred->valuetype, value, false);
		case DYN_PRED_GT:
			return matches(check, codec, pred->valuetype, value, true);
		case DYN_PRED_IN:
			return all_match(check, codec, pred->valuetype, value);
		case DYN_PRED_LIKE:
			return pattern_matches(check, value);
		case DYN_PRED_NE:
			return dyn_codec_encode(codec, pred->valuetype, value,
									&scalar) == DYN_ENCODED && scalar.len == 0;
		default:
			return false;
	}
}

static Completeness
leaf_completeness(const AttrCheck *check, const DynPred *pred)
{
	Operand		operand;

	if (!dyn_pred_is_on(check->relation, pred, check->attr) ||
		(check->points && !dyn_pred_is_point(pred)))
		return check->points ? NO_POINT : ABSENT;
	if (dyn_pred_is_boolean(pred))
		return PRESENT;			/* both encodings are short, and not empty */
	operand = get_operand(check, pred);
	/* a value of <> that is not known yet is rarely empty: assume it is not */
	if (!operand.known)
		return pred->kind == DYN_PRED_NE || pred->kind == DYN_PRED_NOT_IN ||
			pred->kind == DYN_PRED_LT || pred->kind == DYN_PRED_LE ? ABSENT : LATER;
	if (operand.isnull)
		return PRESENT;
	return operand_implies(check, pred, operand.value) ? PRESENT : ABSENT;
}

static Completeness
pred_completeness(const AttrCheck *check, const DynPred *pred)
{
	Completeness completeness = pred->kind == DYN_PRED_OR ? PRESENT : NO_POINT;
	ListCell   *lc;

	check_stack_depth();
	if (!dyn_pred_is_junction(pred))
		return leaf_completeness(check, pred);
	foreach(lc, pred->args)
	{
		Completeness arg = pred_completeness(check, lfirst(lc));

		completeness = pred->kind == DYN_PRED_OR ? Min(completeness, arg)
			: Max(completeness, arg);
	}
	return completeness;
}

static Completeness
preds_completeness(const AttrCheck *check, List *preds)
{
	Completeness best = NO_POINT;
	ListCell   *lc;

	foreach(lc, preds)
		best = Max(best, pred_completeness(check, lfirst(lc)));
	return best;
}

/* Combines all predicates; `asserted` is true if all items have a value. */
static Completeness
combined_completeness(AttrCheck *check, List *preds, bool asserted)
{
	Completeness points;

	check->points = true;
	points = preds_completeness(check, preds);
	check->points = false;
	if (points != NO_POINT)
		return points;
	return asserted ? PRESENT : Max(ABSENT, preds_completeness(check, preds));
}

/* ---- texts of templates ---- */

/* Maximum length of a part that is not text: no format has a longer one. */
#define MAX_PART_BYTES	128

/*
 * Returns the length of the value; if it cannot be encoded, no item is
 * requested.
 */
static size_t
value_length(const DynCodec *codec, Oid valuetype, Datum value)
{
	DynScalar	scalar;

	return dyn_codec_encode(codec, valuetype, value, &scalar) == DYN_ENCODED
		? scalar.len : 0;
}

static size_t
longest_element(const DynCodec *codec, Oid valuetype, Datum array)
{
	DynArrayElements elements = dyn_array_elements(array);
	size_t		longest = 0;

	for (int i = 0; i < elements.n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!elements.nulls[i])
			longest = Max(longest,
						  value_length(codec, valuetype, elements.values[i]));
	}
	return longest;
}

/*
 * Adds the condition that the predicate puts on a part; false if it is not
 * known yet.
 */
static bool
add_demand(const AttrCheck *check, const DynCodec *codec, const DynPred *pred,
		   size_t *bytes)
{
	Operand		operand;
	size_t		longest = 0;
	ListCell   *lc;

	check_stack_depth();
	foreach(lc, pred->args)
	{
		size_t		arg = 0;

		if (!add_demand(check, codec, lfirst(lc), &arg))
			return false;
		longest = Max(longest, arg);
	}
	*bytes += longest;
	if (pred->kind != DYN_PRED_EQ && pred->kind != DYN_PRED_IN &&
		!dyn_pred_is_pattern(pred))
		return true;
	operand = get_operand(check, pred);
	if (!operand.known)
		return false;
	if (operand.isnull)
		return true;
	if (pred->kind == DYN_PRED_IN)
		*bytes += longest_element(codec, pred->valuetype, operand.value);
	else if (pred->kind == DYN_PRED_EQ)
		*bytes += value_length(codec, pred->valuetype, operand.value);
	else
		*bytes += VARSIZE_ANY_EXHDR(DatumGetTextPP(operand.value));
	return true;
}

/*
 * Decides whether the index can hold every text composed from the parts.
 * Texts that are too long may be older than the index.  Returns LATER if a
 * value is not known yet.
 */
static Completeness
texts_completeness(const AttrCheck *check, const DynPred *pred)
{
	const DynTemplatedAttr *templated = &check->relation->templated[pred->templated];
	size_t		bytes = 0;
	int			p = 0;
	ListCell   *lc;

	for (int i = 0; i <= templated->tmpl->nparts; i++)
		bytes += templated->tmpl->literals[i].len;
	foreach(lc, pred->args)
	{
		const DynCodec *codec = &templated->parts[p++].column.codec;

		if (codec->kind != DYN_CODEC_TEXT)
			bytes += MAX_PART_BYTES;
		else if (!add_demand(check, codec, lfirst(lc), &bytes))
			return LATER;
	}
	return bytes <= check->max_bytes ? PRESENT : ABSENT;
}

/* ---- attributes of an index ---- */

/* A key attribute at its position in an index */
typedef struct Place
{
	const DynRelPlan *plan;
	const DynIndexMeta *index;
	const DynKeyAttr *attr;
	size_t		max_bytes;
	AttrNumber	attnum;			/* column that shows it, or 0 */
	bool		full;			/* true if the entire index is read, not some
								 * keys */
} Place;

/*
 * Returns the size limit of a value in the table's own key; 0 if it is not in
 * the key.
 */
static size_t
own_limit(const Place *place)
{
	const DynKeySchema *key = &place->plan->meta->key;

	if (dyn_key_hash_position(key, place->attr->name) >= 0)
		return DYN_MAX_HASH_BYTES;
	return dyn_key_range_position(key, place->attr->name) >= 0
		? DYN_MAX_RANGE_BYTES : 0;
}

/* Returns true if the stored value of a column can be empty. */
static bool
may_be_empty(const DynCodec *codec)
{
	return dyn_codec_facts[codec->kind].may_be_empty ||
		(codec->format.kind == DYN_FORMAT_BOOL &&
		 (codec->format.true_text[0] == '\0' || codec->format.false_text[0] == '\0'));
}

/*
 * Returns true if completeness depends on the values that predicates select.
 */
static bool
depends_on_values(const Place *place)
{
	size_t		own = own_limit(place);

	if (place->attr->type == DYN_TYPE_N || !place->index->global ||
		place->attnum == 0)
		return false;
	return own > 0 ? own > place->max_bytes
		: may_be_empty(&dyn_relation_column(place->plan->relation,
											place->attnum)->codec);
}

/*
 * Returns true if a row could be missed because the index cannot hold its
 * value.  A request by key does not select such a row.  If the entire index is
 * read, it must be known, or asserted for this index, that no such row exists.
 */
static bool
may_miss_rows(const Place *place)
{
	size_t		own = own_limit(place);

	if (!place->full || place->attr->type == DYN_TYPE_N ||
		!place->index->global ||
		dyn_relation_trusts(place->plan->relation, place->index->name))
		return false;
	return place->attnum == 0 ? own == 0 || own > place->max_bytes
		: depends_on_values(place);
}

/* Returns true if the index can hold every value of the term. */
static bool
holds_term(const Place *place, const DynFilterTerm *term)
{
	for (int i = 0; i < term->nvalues; i++)
	{
		const DynScalar *value = &term->values[i];

		if (value->type != place->attr->type || value->len == 0 ||
			(value->type != DYN_TYPE_N && value->len > place->max_bytes))
			return false;
	}
	return true;
}

/*
 * Returns the completeness that the item filter implies for the attribute:
 * NO_POINT if it has no term on it, ABSENT if it allows a value that the index
 * cannot hold, but an older item may have.
 */
static Completeness
completeness_by_item_filter(const Place *place)
{
	const DynItemFilter *test = &place->plan->relation->item_filter;

	for (int i = 0; i < test->nterms; i++)
	{
		const DynFilterTerm *term = &test->terms[i];

		if (term->ttl || !dyn_path_is_attribute(term->path, place->attr->name))
			continue;
		if (!holds_term(place, term))
			return ABSENT;
		if (!term->or_null)
			return PRESENT;
	}
	return NO_POINT;
}

/*
 * Returns true if all items have the attribute, by declaration or as part of a
 * key.  If an index sorts by the table's partition key, old items with a
 * longer value than the index can hold are missed (docs/pushdown.md).
 */
static bool
is_asserted(const Place *place)
{
	if (may_miss_rows(place))
		return false;
	return own_limit(place) > 0 ||
		(place->attnum != 0 &&
		 dyn_relation_column(place->plan->relation, place->attnum)->not_null);
}

static List *
clause_preds(List *clauses)
{
	List	   *preds = NIL;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		const DynClause *clause = lfirst(lc);

		if (clause->pred != NULL &&
			(!clause->keys_only || clause->pred->kind == DYN_PRED_EQ))
			preds = lappend(preds, clause->pred);
	}
	return preds;
}

/* Returns the state for planning, without values. */
static AttrCheck
make_check(const Place *place)
{
	AttrCheck	check = {place->plan->relation, place->attr, place->max_bytes,
	NULL, NULL, false};

	return check;
}

static Completeness
completeness_by_values(const Place *place, List *preds)
{
	AttrCheck	check = make_check(place);

	return combined_completeness(&check, preds, is_asserted(place));
}

/* Returns the clauses' expressions as one implicit AND. */
static List *
clause_expressions(List *clauses)
{
	List	   *exprs = NIL;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		DynClause  *clause = lfirst(lc);

		if (clause->condition != NULL)
			exprs = lappend(exprs, clause->condition);
		else if (clause->rinfo != NULL && !clause->keys_only &&
				 !clause->rinfo->pseudoconstant)
			exprs = lappend(exprs,
							dyn_plain_clause((Node *) clause->rinfo->clause));
	}
	return exprs;
}

/*
 * Returns true if all selected items have the attribute by its template: a
 * column with a value is read from it, or trusted_indexes asserts it.  Then
 * the row has all columns of the template.
 */
static bool
is_templated(const Place *place, List *exprs)
{
	const DynRelation *relation = place->plan->relation;
	const DynTemplatedAttr *templated = dyn_relation_templated(relation, place->attr->name);
	bool		all = true;

	if (templated == NULL)
		return false;
	for (int p = 0; p < templated->tmpl->nparts; p++)
	{
		AttrNumber	attnum = templated->parts[p].attnum;
		bool		value = dyn_relation_column(relation, attnum)->not_null ||
			dyn_var_is_nonnullable(exprs, place->plan->relid, attnum);

		if (value && templated->parts[p].source && !may_miss_rows(place))
			return true;
		all &= value;
	}
	return all && dyn_relation_trusts(relation, place->index->name);
}

static bool
may_be_present(const Place *place, List *clauses, List *exprs)
{
	Completeness completeness = completeness_by_item_filter(place);

	if (completeness != NO_POINT)
		return completeness == PRESENT;
	if (is_templated(place, exprs))
		return true;
	if (depends_on_values(place))
		return completeness_by_values(place, clause_preds(clauses)) >= LATER;
	return is_asserted(place) ||
		(place->attnum != 0 &&
		 dyn_var_is_nonnullable(exprs, place->plan->relid, place->attnum));
}

/* Returns the i'th attribute of the index's key, hash attributes first. */
static Place
place_of(const DynRelPlan *plan, const DynIndexMeta *index, bool full, int i)
{
	Place		place = {.plan = plan, .index = index, .full = full,
	.attr = dyn_key_attr(&index->key, i)};

	place.max_bytes = i < index->key.nhash ? DYN_MAX_HASH_BYTES : DYN_MAX_RANGE_BYTES;
	place.attnum = dyn_relation_column_of(plan->relation, place.attr);
	return place;
}

bool
dyn_index_is_usable(const DynRelPlan *plan, const DynIndexMeta *index, bool full,
					List *clauses, const char **missing)
{
	List	   *exprs;
	bool		complete = true;

	*missing = NULL;
	if (!index->active || (index->global && plan->relation->consistent))
		return false;
	exprs = clause_expressions(clauses);
	for (int i = 0; i < index->key.nhash + index->key.nrange; i++)
	{
		Place		place = place_of(plan, index, full, i);

		if (may_be_present(&place, clauses, exprs))
			continue;
		complete = false;
		if (place.attnum != 0 && !is_asserted(&place))
			*missing = dyn_relation_column(plan->relation, place.attnum)->name;
	}
	return complete;
}

/* ---- checks at run time ---- */

/*
 * Returns the texts that may be too long for the index, but not for the table;
 * or NULL.
 */
static DynPred *
doubtful_texts(const Place *place, List *clauses)
{
	const DynRelation *relation = place->plan->relation;
	size_t		own = own_limit(place);
	AttrCheck	check = make_check(place);
	DynPred    *pred;

	if (place->attr->type != DYN_TYPE_S || !place->index->global ||
		(own > 0 && own <= place->max_bytes) ||
		dyn_relation_trusts(relation, place->index->name))
		return NULL;
	pred = dyn_template_demands(relation, place->attr, clauses);
	return pred == NULL || texts_completeness(&check, pred) == PRESENT ? NULL : pred;
}

static void
add_index_condition(DynAccess *access, const Place *place, List *preds)
{
	DynIndexCondition *condition = &access->conditions[access->nconditions];

	condition->attr = *place->attr;
	condition->max_bytes = (int) place->max_bytes;
	condition->preds = preds;
	Assert(preds != NIL && access->nconditions < lengthof(access->conditions));
	access->nconditions++;
}

/* Returns the predicates on the attribute, if their values are known. */
static List *
preds_about(const Place *place, List *preds)
{
	AttrCheck	check = make_check(place);
	List	   *about = NIL;
	ListCell   *lc;

	foreach(lc, preds)
	{
		List	   *one = list_make1(lfirst(lc));

		if (combined_completeness(&check, one, false) >= LATER)
			about = lappend(about, lfirst(lc));
	}
	return about;
}

void
dyn_index_conditions_add(const DynRelPlan *plan, const DynIndexMeta *index,
						 List *clauses, DynAccess *access)
{
	bool		full = (access->kind == DYN_ACCESS_SCAN);
	List	   *preds = clause_preds(clauses);
	List	   *exprs = clause_expressions(clauses);

	for (int i = 0; i < index->key.nhash + index->key.nrange; i++)
	{
		Place		place = place_of(plan, index, full, i);
		DynPred    *texts = doubtful_texts(&place, clauses);

		if (texts != NULL)
			add_index_condition(access, &place, list_make1(texts));
		if (!depends_on_values(&place) || is_templated(&place, exprs) ||
			completeness_by_item_filter(&place) != NO_POINT ||
			completeness_by_values(&place, preds) != LATER)
			continue;
		add_index_condition(access, &place, preds_about(&place, preds));
	}
}

bool
dyn_index_conditions_hold(const DynAccess *access, const DynRelation *relation,
						  const Datum *values, const bool *nulls)
{
	for (int i = 0; i < access->nconditions; i++)
	{
		const DynIndexCondition *condition = &access->conditions[i];
		AttrCheck	check = {relation, &condition->attr, condition->max_bytes,
		values, nulls, false};
		const DynPred *texts = dyn_only_templated(condition->preds);

		if ((texts != NULL ? texts_completeness(&check, texts)
			 : combined_completeness(&check, condition->preds, false)) != PRESENT)
			return false;
	}
	return true;
}
