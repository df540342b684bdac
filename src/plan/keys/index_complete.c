/*
 * index_complete.c
 *		Proves that an index contains all items that a statement selects.
 *
 * Attributes of the table's own key are in every item.  For others the column
 * must be declared NOT NULL, or some clause must reject NULL.  That is
 * sufficient for numbers, for types without an empty spelling, and for local
 * indexes, which are as old as their table.
 *
 * A text or bytea in the key of a global index may be empty, or too long, in
 * items older than the index.  For these a predicate proves presence if the
 * index can hold every value that it selects:
 *
 *		= and IN		with such values.  Once there is one of them on an
 *						attribute, some of them must prove it: what NOT NULL
 *						promises, or a range says, is not enough
 *		>, >=			with such a bound; > also with an empty one
 *		LIKE, prefixes	that do not match an empty text
 *		<>				of the empty value
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
#include "../clauses/forms_equal.h"
#include "index_complete.h"
#include "match_template.h"

/*
 * In ascending order: an OR is as good as its worst arm, an AND as its best.
 */
typedef enum Presence
{
	NO_POINT,					/* points: no = or IN on the attribute */
	ABSENT,						/* a selected item may not be in the index */
	LATER,						/* the value is not known yet */
	PRESENT
} Presence;

typedef struct Prover
{
	const DynRelation *relation;
	const DynKeyAttr *attr;
	size_t		max_bytes;
	const Datum *values;		/* by position; NULL while planning */
	const bool *nulls;
	bool		points;			/* ask only = and IN */
} Prover;

/* ---- values ---- */

typedef struct Operand
{
	bool		known;
	bool		isnull;
	Datum		value;
} Operand;

static Operand
get_operand(const Prover *prover, const DynPred *pred)
{
	Operand		operand = {false, false, (Datum) 0};

	if (prover->values != NULL)
	{
		Assert(pred->param >= 0);
		operand.known = true;
		operand.isnull = prover->nulls[pred->param];
		operand.value = prover->values[pred->param];
	}
	else if (IsA(pred->value, Const) && pred->conversion == NULL)
	{
		operand.known = true;
		operand.isnull = ((Const *) pred->value)->constisnull;
		operand.value = ((Const *) pred->value)->constvalue;
	}
	return operand;
}

/* A value that cannot be encoded is in no item: it selects nothing. */
static bool
fits(const Prover *prover, const DynCodec *codec, Oid valuetype, Datum value,
	 bool may_be_empty)
{
	DynScalar	scalar;

	if (dyn_codec_encode(codec, valuetype, value, &scalar) != DYN_ENCODED)
		return true;
	return scalar.len <= prover->max_bytes && (may_be_empty || scalar.len > 0);
}

static bool
all_fit(const Prover *prover, const DynCodec *codec, Oid valuetype, Datum array)
{
	DynArrayElements elements = dyn_array_elements(array);

	for (int i = 0; i < elements.n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!elements.nulls[i] &&
			!fits(prover, codec, valuetype, elements.values[i], false))
			return false;
	}
	return true;
}

/* Only a pattern of nothing but % matches the empty text. */
static bool
pattern_fits(const Prover *prover, Datum value)
{
	text	   *pattern = DatumGetTextPP(value);
	size_t		len = VARSIZE_ANY_EXHDR(pattern);

	if (len > prover->max_bytes)
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
operand_proves(const Prover *prover, const DynPred *pred, Datum value)
{
	const DynCodec *codec =
		&dyn_relation_column(prover->relation, pred->field.attnum)->codec;
	DynScalar	scalar;

	switch (pred->kind)
	{
		case DYN_PRED_EQ:
		case DYN_PRED_GE:
		case DYN_PRED_PREFIX:
			return fits(prover, codec, pred->valuetype, value, false);
		case DYN_PRED_GT:
			return fits(prover, codec, pred->valuetype, value, true);
		case DYN_PRED_IN:
			return all_fit(prover, codec, pred->valuetype, value);
		case DYN_PRED_LIKE:
			return pattern_fits(prover, value);
		case DYN_PRED_NE:
			return dyn_codec_encode(codec, pred->valuetype, value,
									&scalar) == DYN_ENCODED && scalar.len == 0;
		default:
			return false;
	}
}

static Presence
leaf_presence(const Prover *prover, const DynPred *pred)
{
	Operand		operand;

	if (!dyn_pred_is_on(prover->relation, pred, prover->attr) ||
		(prover->points && !dyn_pred_is_point(pred)))
		return prover->points ? NO_POINT : ABSENT;
	if (dyn_pred_is_boolean(pred))
		return PRESENT;			/* both spellings are short, and not empty */
	operand = get_operand(prover, pred);
	/* <> is hardly ever with the empty value, unless it says so */
	if (!operand.known)
		return pred->kind == DYN_PRED_NE || pred->kind == DYN_PRED_NOT_IN ||
			pred->kind == DYN_PRED_LT || pred->kind == DYN_PRED_LE ? ABSENT : LATER;
	if (operand.isnull)
		return PRESENT;
	return operand_proves(prover, pred, operand.value) ? PRESENT : ABSENT;
}

static Presence
pred_presence(const Prover *prover, const DynPred *pred)
{
	Presence	presence = pred->kind == DYN_PRED_OR ? PRESENT : NO_POINT;
	ListCell   *lc;

	check_stack_depth();
	if (!dyn_pred_is_junction(pred))
		return leaf_presence(prover, pred);
	foreach(lc, pred->args)
	{
		Presence	arg = pred_presence(prover, lfirst(lc));

		presence = pred->kind == DYN_PRED_OR ? Min(presence, arg)
			: Max(presence, arg);
	}
	return presence;
}

static Presence
preds_presence(const Prover *prover, List *preds)
{
	Presence	best = NO_POINT;
	ListCell   *lc;

	foreach(lc, preds)
		best = Max(best, pred_presence(prover, lfirst(lc)));
	return best;
}

/* Combines all predicates; `promised`: all items have a value. */
static Presence
combined_presence(Prover *prover, List *preds, bool promised)
{
	Presence	points;

	prover->points = true;
	points = preds_presence(prover, preds);
	prover->points = false;
	if (points != NO_POINT)
		return points;
	return promised ? PRESENT : Max(ABSENT, preds_presence(prover, preds));
}

/* ---- texts of templates ---- */

/* Of a part that is no text: the longest format has no more. */
#define MAX_PART_BYTES	128

/* The length of the value; if there is none, no item is asked for. */
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

/* Adds what the predicate demands of a part; false if it is not known yet. */
static bool
add_demand(const Prover *prover, const DynCodec *codec, const DynPred *pred,
		   size_t *bytes)
{
	Operand		operand;
	size_t		longest = 0;
	ListCell   *lc;

	check_stack_depth();
	foreach(lc, pred->args)
	{
		size_t		arg = 0;

		if (!add_demand(prover, codec, lfirst(lc), &arg))
			return false;
		longest = Max(longest, arg);
	}
	*bytes += longest;
	if (pred->kind != DYN_PRED_EQ && pred->kind != DYN_PRED_IN &&
		!dyn_pred_is_pattern(pred))
		return true;
	operand = get_operand(prover, pred);
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
 * Can the index hold every text that the parts may be joined to?  Texts that are
 * too long may be older than the index.  LATER if a value is not known yet.
 */
static Presence
texts_presence(const Prover *prover, const DynPred *pred)
{
	const DynSpelled *spelled = &prover->relation->spelled[pred->spelled];
	size_t		bytes = 0;
	int			p = 0;
	ListCell   *lc;

	for (int i = 0; i <= spelled->tmpl->nparts; i++)
		bytes += spelled->tmpl->literals[i].len;
	foreach(lc, pred->args)
	{
		const DynCodec *codec = &spelled->parts[p++].column.codec;

		if (codec->kind != DYN_CODEC_TEXT)
			bytes += MAX_PART_BYTES;
		else if (!add_demand(prover, codec, lfirst(lc), &bytes))
			return LATER;
	}
	return bytes <= prover->max_bytes ? PRESENT : ABSENT;
}

/* ---- attributes of an index ---- */

/* A key attribute in its position in an index. */
typedef struct Place
{
	const DynRelPlan *plan;
	const DynIndexMeta *index;
	const DynKeyAttr *attr;
	size_t		max_bytes;
	AttrNumber	attnum;			/* of a column that shows it, or 0 */
	bool		whole;			/* all of the index is read, not some keys */
} Place;

/* The longest value in the table's own key; 0: not in the key. */
static size_t
own_limit(const Place *place)
{
	const DynKeySchema *key = &place->plan->meta->key;

	if (dyn_key_hash_position(key, place->attr->name) >= 0)
		return DYN_MAX_HASH_BYTES;
	return dyn_key_range_position(key, place->attr->name) >= 0
		? DYN_MAX_RANGE_BYTES : 0;
}

/* Can the stored value of a column be empty? */
static bool
may_be_empty(const DynCodec *codec)
{
	return dyn_codec_facts[codec->kind].may_be_empty ||
		(codec->format.kind == DYN_FORMAT_BOOL &&
		 (codec->format.true_text[0] == '\0' || codec->format.false_text[0] == '\0'));
}

/* Does presence depend on the values that predicates select? */
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
 * Could a row be missed that has a value, though not one that the index can hold?
 * Where keys are asked for, such a row is none of those; where the whole index
 * is read, it must be known, or promised for this index, that there is none.
 */
static bool
may_miss_rows(const Place *place)
{
	size_t		own = own_limit(place);

	if (!place->whole || place->attr->type == DYN_TYPE_N ||
		!place->index->global ||
		dyn_relation_trusts(place->plan->relation, place->index->name))
		return false;
	return place->attnum == 0 ? own == 0 || own > place->max_bytes
		: depends_on_values(place);
}

/* Can the index hold every value of the term? */
static bool
holds_term(const Place *place, const DynRowTerm *term)
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
 * What the row test says of the attribute: NO_POINT if nothing, ABSENT if it
 * allows a value that the index cannot hold, but an older item may have.
 */
static Presence
presence_by_row_test(const Place *place)
{
	const DynRowTest *test = &place->plan->relation->row_test;

	for (int i = 0; i < test->nterms; i++)
	{
		const DynRowTerm *term = &test->terms[i];

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
 * Do all items have the attribute, by declaration or as part of a key?  If an
 * index sorts by the table's partition key, old items with a longer one than
 * the index can hold are missed (docs/pushdown.md).
 */
static bool
is_promised(const Place *place)
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

/* While planning. */
static Prover
prover_of(const Place *place)
{
	Prover		prover = {place->plan->relation, place->attr, place->max_bytes,
	NULL, NULL, false};

	return prover;
}

static Presence
presence_by_values(const Place *place, List *preds)
{
	Prover		prover = prover_of(place);

	return combined_presence(&prover, preds, is_promised(place));
}

/* The clauses' expressions as one implicit AND. */
static List *
clause_expressions(List *clauses)
{
	List	   *exprs = NIL;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		DynClause  *clause = lfirst(lc);

		if (clause->proof != NULL)
			exprs = lappend(exprs, clause->proof);
		else if (clause->rinfo != NULL && !clause->keys_only &&
				 !clause->rinfo->pseudoconstant)
			exprs = lappend(exprs,
							dyn_plain_clause((Node *) clause->rinfo->clause));
	}
	return exprs;
}

/*
 * Is the attribute present by its template?  If a column with a value is read
 * from it, or by a promise: the row has all columns of the template.
 */
static bool
is_spelled(const Place *place, List *exprs)
{
	const DynRelation *relation = place->plan->relation;
	const DynSpelled *spelled = dyn_relation_spelled(relation, place->attr->name);
	bool		all = true;

	if (spelled == NULL)
		return false;
	for (int p = 0; p < spelled->tmpl->nparts; p++)
	{
		AttrNumber	attnum = spelled->parts[p].attnum;
		bool		value = dyn_relation_column(relation, attnum)->not_null ||
			dyn_var_is_nonnullable(exprs, place->plan->relid, attnum);

		if (value && spelled->parts[p].source && !may_miss_rows(place))
			return true;
		all &= value;
	}
	return all && dyn_relation_trusts(relation, place->index->name);
}

static bool
may_be_present(const Place *place, List *clauses, List *exprs)
{
	Presence	presence = presence_by_row_test(place);

	if (presence != NO_POINT)
		return presence == PRESENT;
	if (is_spelled(place, exprs))
		return true;
	if (depends_on_values(place))
		return presence_by_values(place, clause_preds(clauses)) >= LATER;
	return is_promised(place) ||
		(place->attnum != 0 &&
		 dyn_var_is_nonnullable(exprs, place->plan->relid, place->attnum));
}

/* The i'th attribute of the index's key, hash attributes first. */
static Place
place_of(const DynRelPlan *plan, const DynIndexMeta *index, bool whole, int i)
{
	Place		place = {.plan = plan, .index = index, .whole = whole,
	.attr = dyn_key_attr(&index->key, i)};

	place.max_bytes = i < index->key.nhash ? DYN_MAX_HASH_BYTES : DYN_MAX_RANGE_BYTES;
	place.attnum = dyn_relation_column_of(plan->relation, place.attr);
	return place;
}

bool
dyn_index_is_usable(const DynRelPlan *plan, const DynIndexMeta *index, bool whole,
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
		Place		place = place_of(plan, index, whole, i);

		if (may_be_present(&place, clauses, exprs))
			continue;
		complete = false;
		if (place.attnum != 0 && !is_promised(&place))
			*missing = dyn_relation_column(plan->relation, place.attnum)->name;
	}
	return complete;
}

/* ---- proofs at run time ---- */

/* The texts that may be too long for the index, but not for the table; or NULL. */
static DynPred *
doubtful_texts(const Place *place, List *clauses)
{
	const DynRelation *relation = place->plan->relation;
	size_t		own = own_limit(place);
	Prover		prover = prover_of(place);
	DynPred    *pred;

	if (place->attr->type != DYN_TYPE_S || !place->index->global ||
		(own > 0 && own <= place->max_bytes) ||
		dyn_relation_trusts(relation, place->index->name))
		return NULL;
	pred = dyn_template_demands(relation, place->attr, clauses);
	return pred == NULL || texts_presence(&prover, pred) == PRESENT ? NULL : pred;
}

static void
add_proof(DynAccess *access, const Place *place, List *preds)
{
	DynProof   *proof = &access->proofs[access->nproofs];

	proof->attr = *place->attr;
	proof->max_bytes = (int) place->max_bytes;
	proof->preds = preds;
	Assert(preds != NIL && access->nproofs < lengthof(access->proofs));
	access->nproofs++;
}

/* Those that say something of the attribute, if their values are known. */
static List *
preds_about(const Place *place, List *preds)
{
	Prover		prover = prover_of(place);
	List	   *about = NIL;
	ListCell   *lc;

	foreach(lc, preds)
	{
		List	   *one = list_make1(lfirst(lc));

		if (combined_presence(&prover, one, false) >= LATER)
			about = lappend(about, lfirst(lc));
	}
	return about;
}

void
dyn_proofs_add(const DynRelPlan *plan, const DynIndexMeta *index,
			   List *clauses, DynAccess *access)
{
	bool		whole = (access->kind == DYN_ACCESS_SCAN);
	List	   *preds = clause_preds(clauses);
	List	   *exprs = clause_expressions(clauses);

	for (int i = 0; i < index->key.nhash + index->key.nrange; i++)
	{
		Place		place = place_of(plan, index, whole, i);
		DynPred    *texts = doubtful_texts(&place, clauses);

		if (texts != NULL)
			add_proof(access, &place, list_make1(texts));
		if (!depends_on_values(&place) || is_spelled(&place, exprs) ||
			presence_by_row_test(&place) != NO_POINT ||
			presence_by_values(&place, preds) != LATER)
			continue;
		add_proof(access, &place, preds_about(&place, preds));
	}
}

bool
dyn_proofs_hold(const DynAccess *access, const DynRelation *relation,
				const Datum *values, const bool *nulls)
{
	for (int i = 0; i < access->nproofs; i++)
	{
		const DynProof *proof = &access->proofs[i];
		Prover		prover = {relation, &proof->attr, proof->max_bytes,
		values, nulls, false};
		const DynPred *texts = dyn_only_spelled(proof->preds);

		if ((texts != NULL ? texts_presence(&prover, texts)
			 : combined_presence(&prover, proof->preds, false)) != PRESENT)
			return false;
	}
	return true;
}
