/*
 * match_keys.c
 *		Matches clauses to key conditions and filters.
 *
 * Every hash attribute needs points: predicates such as = and IN, which allow
 * finitely many values (terms.h).  Range attributes are matched from the left;
 * all matched ones except the last need a single value.
 *
 * All clauses are rechecked locally, except exact ones that are sent as
 *
 *		points on a hash attribute
 *		points on a range attribute, in a GetItem
 *		an equality on a range attribute, in a Query
 *		a range that is the only predicate on its attribute
 *		a filter that is always sent (match_filters)
 */
#include "postgres.h"

#include "access/detoast.h"
#include "catalog/pg_type.h"
#include "nodes/value.h"

#include "../../dynamodb/expression.h"
#include "../../model/session/guc.h"
#include "../../model/values/path.h"
#include "../clauses/classify.h"
#include "match_keys.h"

/* The state while clauses are matched to the key of one table or index */
typedef struct KeyMatch
{
	const DynRelPlan *plan;
	const DynRelation *relation;
	const DynIndexMeta *index;
	const DynKeySchema *key;
	List	   *clauses;
	const DynAccess *access;	/* access plan that is being built */
	DynClause  *row_keys;		/* OR from which access->row_keys is made
								 * (match_row_keys), or NULL */
	List	   *enumerated;		/* DynClause *: bounds on the hash attribute,
								 * whose values are enumerated as keys */
	List	   *consumed;		/* DynClause *: used by key conditions */
	List	   *pushed_exactly; /* DynClause *: need no local check */
} KeyMatch;

/* ---- matching attributes ---- */

static void
consume(KeyMatch *match, DynClause *clause, bool exactly)
{
	match->consumed = lappend(match->consumed, clause);
	if (exactly && clause->exact)
		match->pushed_exactly = lappend(match->pushed_exactly, clause);
}

/*
 * Returns the clauses that may restrict an attribute.  The OR from which
 * access->row_keys is made is omitted for the attributes that it matches.
 */
static List *
further_clauses(const KeyMatch *match, const DynKeyAttr *attr)
{
	for (int i = 0; i < match->access->nrow_attrs; i++)
	{
		if (strcmp(match->access->row_attrs[i].name, attr->name) == 0)
			return list_delete_ptr(list_copy(match->clauses), match->row_keys);
	}
	return match->clauses;
}

/*
 * Calls dyn_match_template.  The resulting predicate is never exact: an item
 * that the clauses do not select may have the same text as a selected item.
 */
static DynPred *
match_template(KeyMatch *match, const DynKeyAttr *attr, bool points)
{
	List	   *used = NIL;
	DynPred    *pred;

	if (match->relation->ntemplated == 0)
		return NULL;
	pred = dyn_match_template(match->plan, attr, match->index,
							  further_clauses(match, attr), points,
							  dyn_is_in_hash_key(match->key, attr->name)
							  ? DYN_MAX_MEMBERS : DYN_MAX_SORT_MEMBERS, &used);
	/* several partition key attributes could have too many combinations */
	if (pred != NULL && match->key->nhash > 1 &&
		dyn_count(match->plan, pred, false).each)
		return NULL;
	match->consumed = list_concat(match->consumed, used);
	return pred;
}

/*
 * Collects the attribute's points (terms.h); returns false if it has none.  If
 * `exactly` is true, also records each exact clause that is equivalent to its
 * points, because such a clause needs no local check.
 */
static bool
match_points(KeyMatch *match, const DynKeyAttr *attr, DynKeyMatch *key_match,
			 bool exactly)
{
	DynTarget	target = {match->plan, attr, NULL, NULL};
	DynPred    *templated;
	ListCell   *lc;

	key_match->attr = *attr;
	key_match->preds = NIL;
	foreach(lc, further_clauses(match, attr))
	{
		DynClause  *clause = lfirst(lc);
		bool		fully_consumed = true;
		DynPred    *points;

		if (clause->pred == NULL)
			continue;
		points = dyn_implied_points(&target, clause->pred, &fully_consumed);
		if (points == NULL)
			continue;
		key_match->preds = lappend(key_match->preds, points);
		if (fully_consumed)
			consume(match, clause, exactly);
	}
	templated = match_template(match, attr, true);
	/* enumerate the values between bounds of the only hash attribute */
	if (templated == NULL && key_match->preds == NIL && match->key->nhash == 1 &&
		strcmp(match->key->hash[0].name, attr->name) == 0)
	{
		templated = dyn_match_each(&target, further_clauses(match, attr), DYN_MAX_EACH,
								   &match->enumerated);
		match->consumed = list_concat_unique_ptr(match->consumed, match->enumerated);
	}
	if (templated != NULL)
		key_match->preds = lappend(key_match->preds, templated);
	key_match->values = dyn_count(match->plan, dyn_make_and(key_match->preds), false);
	return key_match->preds != NIL;
}

/*
 * Adds the range predicates on one attribute.  With `exactly`, an exact clause
 * needs no local check if its range is the attribute's only predicate.
 */
static void
match_ranges(KeyMatch *match, const DynKeyAttr *attr, DynKeyMatch *key_match,
			 bool exactly)
{
	DynTarget	target = {match->plan, attr, NULL, NULL};
	List	   *found = NIL;
	DynPred    *templated;
	ListCell   *lc;

	foreach(lc, further_clauses(match, attr))
	{
		DynClause  *clause = lfirst(lc);
		bool		fully_consumed = true;
		DynPred    *range;

		if (clause->pred == NULL || list_member_ptr(match->enumerated, clause))
			continue;
		range = dyn_implied_range(&target, clause->pred, &fully_consumed);
		if (range == NULL)
			continue;
		exactly &= fully_consumed;
		found = lappend(found, clause);
		key_match->preds = lappend(key_match->preds, range);
	}
	/*
	 * if each value between bounds is requested separately (values.each),
	 * match_points has already matched these bounds
	 */
	templated = key_match->values.each ? NULL : match_template(match, attr, false);
	if (templated != NULL)
		key_match->preds = lappend(key_match->preds, templated);
	foreach(lc, found)
		consume(match, lfirst(lc), exactly && list_length(key_match->preds) == 1);
	if (templated != NULL || found != NIL)
		key_match->values = dyn_count(match->plan, dyn_make_and(key_match->preds), false);
}

/*
 * Returns the first point predicate that a clause implies for the target, or
 * NULL.  Sets *fully_consumed to whether predicate and clause are equivalent.
 */
static DynPred *
points_of_clauses(const DynTarget *target, List *clauses, bool *fully_consumed)
{
	DynPred    *points = NULL;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		*fully_consumed = true;
		points = dyn_implied_points(target, ((DynClause *) lfirst(lc))->pred,
									fully_consumed);
		if (points != NULL)
			break;
	}
	return points;
}

/*
 * Returns an AND of one point predicate for each of `attrs`, in their order.
 * The AND must follow from `arm`, an arm of an OR, together with the clauses
 * `others`; otherwise returns NULL.  Sets *fully_consumed to false if the AND
 * may not be equivalent to the arm alone.
 */
static DynPred *
make_row_key(const KeyMatch *match, const DynPred *arm, List *others,
			 const DynKeyAttr *attrs, int nattrs, bool *fully_consumed)
{
	DynPred    *row_key = dyn_make_pred(DYN_PRED_AND, NULL);
	List	   *own = NIL;		/* DynClause * */
	List	   *used = NIL;
	ListCell   *lc;

	if (arm->kind != DYN_PRED_AND)
		return NULL;
	*fully_consumed &= list_length(arm->args) == nattrs;
	foreach(lc, arm->args)
	{
		DynClause  *clause = palloc0(sizeof(DynClause));

		clause->pred = lfirst(lc);
		own = lappend(own, clause);
	}
	for (int i = 0; i < nattrs; i++)
	{
		DynTarget	target = {match->plan, &attrs[i], NULL, NULL};
		bool		alone;
		DynPred    *points = points_of_clauses(&target, own, &alone);

		*fully_consumed &= points != NULL && alone;
		if (points == NULL)
			points = dyn_match_template(match->plan, &attrs[i], match->index,
										list_concat_copy(own, others), true, 0, &used);
		if (points == NULL)
			points = points_of_clauses(&target, others, &alone);
		if (points == NULL)
			return NULL;
		row_key->args = lappend(row_key->args, points);
	}
	return row_key;
}

/* Returns the clauses to combine with each arm of `clause`; omits ORs. */
static List *
other_clauses(const KeyMatch *match, const DynClause *clause)
{
	List	   *others = NIL;
	ListCell   *lc;

	foreach(lc, match->clauses)
	{
		DynClause  *other = lfirst(lc);

		if (other != clause && other->pred != NULL && other->pred->kind != DYN_PRED_OR)
			others = lappend(others, other);
	}
	return others;
}

/*
 * Finds the first OR each of whose arms has a point for every one of `attrs`,
 * such as (pk = 1 AND sk = 'a') OR (pk = 2 AND sk = 'b'), and stores the key
 * of each arm in access->row_keys.  Points stored separately for each
 * attribute, pk IN (1, 2) and sk IN ('a', 'b'), would also select other items.
 * Returns false if there is no such OR.  With `distribute`, the clauses that
 * are not ORs are added to each arm.
 */
static bool
match_row_keys(KeyMatch *match, DynAccess *access, const DynKeyAttr *attrs,
			   int nattrs, bool distribute)
{
	ListCell   *lc;

	foreach(lc, match->clauses)
	{
		DynClause  *clause = lfirst(lc);
		DynPred    *row_keys = dyn_make_pred(DYN_PRED_OR, NULL);
		List	   *others;
		bool		fully_consumed = true;
		ListCell   *arm;

		if (clause->pred == NULL || clause->pred->kind != DYN_PRED_OR)
			continue;
		others = distribute ? other_clauses(match, clause) : NIL;
		foreach(arm, clause->pred->args)
		{
			DynPred    *row_key = make_row_key(match, lfirst(arm), others, attrs, nattrs,
											   &fully_consumed);

			if (row_key == NULL)
				break;
			row_keys->args = lappend(row_keys->args, row_key);
		}
		if (arm != NULL)
			continue;
		access->row_keys = row_keys;
		access->nrow_attrs = nattrs;
		memcpy(access->row_attrs, attrs, nattrs * sizeof(DynKeyAttr));
		match->row_keys = clause;
		consume(match, clause, fully_consumed);
		return true;
	}
	return false;
}

/* Stores the hash attributes and range[0]; returns their number. */
static int
leading_attributes(const DynKeySchema *key, DynKeyAttr *attrs)
{
	memcpy(attrs, key->hash, key->nhash * sizeof(DynKeyAttr));
	if (key->nrange == 0)
		return key->nhash;
	attrs[key->nhash] = key->range[0];
	return key->nhash + 1;
}

static bool
have_several_values(const KeyMatch *match, const DynKeyAttr *attrs, int nattrs)
{
	const DynTemplatedAttr *templated = dyn_relation_templated(match->relation,
															   attrs[0].name);

	return nattrs > 1 || (templated != NULL && templated->tmpl->nparts > 1);
}

static bool
match_full_key(KeyMatch *match, DynAccess *access)
{
	DynKeyAttr	attrs[DYN_MAX_KEY_ATTRS + 1];
	int			n;

	if (match->index != NULL)
		return false;
	n = leading_attributes(match->key, attrs);
	if (have_several_values(match, attrs, n))
		match_row_keys(match, access, attrs, n, true);
	if (match_points(match, &match->key->hash[0], &access->hash[0], true))
	{
		access->nhash = 1;
		match_ranges(match, &match->key->hash[0], &access->hash[0], true);
	}
	if (match->key->nrange == 0)
		return access->nhash == 1 || access->row_keys != NULL;
	if (match_points(match, &match->key->range[0], &access->range[0], true))
		access->nrange = 1;
	if (access->row_keys == NULL && access->nhash + access->nrange < 2)
		return false;
	/* do not combine enumerated values with many values of the sort key */
	if (match->enumerated != NIL && (access->range[0].preds == NIL ||
									 access->range[0].values.most > DYN_MAX_MEMBERS))
		return false;
	/* ranges on the sort key remove some of the points found for it */
	if (access->nrange == 1)
		match_ranges(match, &match->key->range[0], &access->range[0], true);
	return true;
}

/*
 * Exempts a clause from the local check if it restricts a range attribute to a
 * single value, which is sent as an equality.  Skips an attribute with several
 * predicates, because their values are combined.
 */
static void
enforce_single_range(KeyMatch *match, const DynKeyMatch *range)
{
	DynPred    *pred = linitial(range->preds);
	ListCell   *lc;

	if (list_length(range->preds) != 1 || !range->values.single)
		return;
	foreach(lc, match->consumed)
	{
		DynClause  *clause = lfirst(lc);

		if (clause->pred == pred && clause->exact)
			match->pushed_exactly = list_append_unique_ptr(match->pushed_exactly,
														   clause);
	}
}

static List *
clause_rinfos(List *clauses)
{
	List	   *rinfos = NIL;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		const DynClause *clause = lfirst(lc);

		if (clause->rinfo != NULL)
			rinfos = list_append_unique_ptr(rinfos, clause->rinfo);
	}
	return rinfos;
}

/*
 * Returns false if a hash attribute has neither points (such as =) nor values
 * from the arms of an OR (access->row_keys).  Further predicates on an
 * attribute in row_keys only remove some of these keys.  Without `row_wise`,
 * there are no row_keys.
 */
static bool
match_query(KeyMatch *match, DynAccess *access, bool row_wise)
{
	const DynKeySchema *key = match->key;
	DynKeyAttr	attrs[DYN_MAX_KEY_ATTRS + 1];
	int			n = leading_attributes(key, attrs);
	bool		sent = true;	/* false if an earlier attribute may have a
								 * range: then later conditions are not sent */
	bool		has_row_keys = row_wise &&
		((match->index != NULL && n > key->nhash &&
		  match_row_keys(match, access, attrs, n, false)) ||
		 (have_several_values(match, attrs, key->nhash) &&
		  match_row_keys(match, access, attrs, key->nhash, true)));

	for (int i = 0; i < key->nhash; i++)
	{
		if (!match_points(match, &key->hash[i], &access->hash[i], true) &&
			!has_row_keys)
			return false;
		match_ranges(match, &key->hash[i], &access->hash[i], true);
	}
	access->nhash = key->nhash;
	access->hash_rinfos = clause_rinfos(match->consumed);
	for (int i = 0; i < key->nrange; i++)
	{
		DynKeyMatch *key_match = &access->range[i];
		bool		points = match_points(match, &key->range[i], key_match, false);

		match_ranges(match, &key->range[i], key_match, sent);
		if (key_match->preds == NIL)
			break;
		access->nrange = i + 1;
		if (sent)
			enforce_single_range(match, key_match);
		if (!points || !key_match->values.single)
			break;
		sent &= !key_match->values.unsure;
	}
	return true;
}

/*
 * Matches conditions that need not be sent, because their result is the same
 * for all items:
 * - On a key attribute or a document (a jsonb column that shows the item),
 *   IS NOT NULL is true, and IS NULL is false.
 * - On a key attribute, > '' and <> '' are true if an index is read.
 */
static void
match_completeness(KeyMatch *match, DynAccess *access)
{
	ListCell   *lc;

	foreach(lc, match->clauses)
	{
		DynClause  *clause = lfirst(lc);
		const DynPred *pred = clause->pred;
		const DynColumn *column;
		const Const *value;

		if (pred == NULL || pred->field.steps != NIL)
			continue;
		if (pred->kind != DYN_PRED_NULL)
		{
			value = (const Const *) pred->value;
			if (match->index == NULL ||
				(!dyn_pred_compares(pred, DYN_COMPARE_GT) &&
				 !dyn_pred_compares(pred, DYN_COMPARE_NE)) ||
				!IsA(value, Const) || value->constisnull ||
				(pred->valuetype != TEXTOID && pred->valuetype != VARCHAROID &&
				 pred->valuetype != BYTEAOID) ||
				toast_raw_datum_size(value->constvalue) != VARHDRSZ)
				continue;
		}
		column = dyn_relation_column(match->relation, pred->field.attnum);
		if (column->traits.null_test != DYN_EXACT)
			continue;
		/* a document without attributes is {}, not NULL */
		if (!dyn_column_is_document(column) &&
			!dyn_column_is_in_key(column, match->key) &&
			!dyn_column_is_in_key(column, &match->plan->meta->key))
			continue;
		access->contradiction |= pred->kind == DYN_PRED_NULL && !pred->negated;
		match->consumed = lappend(match->consumed, clause);
		if (!clause->implied)
			match->pushed_exactly = lappend(match->pushed_exactly, clause);
	}
}

/* Matches conditions on the number of the Scan segment (segment column). */
static void
match_segments(KeyMatch *match, DynAccess *access)
{
	static const DynKeyAttr segment = {DYN_SEGMENT_NAME, DYN_TYPE_N};
	DynTarget	target = {match->plan, &segment, NULL, NULL};
	ListCell   *lc;

	access->segments = match->plan->segments;
	access->hash[0].attr = segment;
	foreach(lc, access->segments > 0 ? match->clauses : NIL)
	{
		DynClause  *clause = lfirst(lc);
		bool		fully_consumed = true;
		DynPred    *pred = clause->pred == NULL ? NULL
			: dyn_implied_segments(&target, clause->pred, &fully_consumed);

		if (pred == NULL)
			continue;
		access->hash[0].preds = lappend(access->hash[0].preds, pred);
		access->nhash = 1;
		if (fully_consumed)
			consume(match, clause, true);
		else if (clause->rinfo != NULL)
			access->key_rinfos = list_append_unique_ptr(access->key_rinfos, clause->rinfo);
	}
}

/* ---- filters ---- */

typedef struct FilterCheck
{
	const KeyMatch *match;
	int			operators;		/* upper bound for the number of operators in
								 * all enforced filters together */
	int			bytes;			/* upper bound for all enforced filters */
} FilterCheck;

/*
 * Returns true if the path is not allowed in the filter.  The empty path of a
 * column with the full item is allowed, because no condition is sent for it.
 */
static bool
path_is_forbidden(const FilterCheck *check, const DynPath *path)
{
	const KeyMatch *match = check->match;
	const char *attribute;

	if (path->nsteps == 0)
		return false;
	attribute = path->steps[0].name;
	if (strcmp(attribute, DYN_SEGMENT_NAME) == 0)
		return true;
	if (path->nsteps > 1 && dyn_is_key_attribute(match->plan->meta, attribute))
		return true;
	if (match->access->kind == DYN_ACCESS_QUERY && dyn_is_in_key(match->key, attribute))
		return true;
	return match->index != NULL &&
		!dyn_index_projects(match->plan->meta, match->index, attribute);
}

/* Returns the maximum bytes of a path in a filter, such as #n699.#n0[7]. */
static int
path_bytes(const DynPath *path)
{
	int			bytes = 0;

	for (int i = 0; i < path->nsteps; i++)
		bytes += path->steps[i].name != NULL ? 6
			: snprintf(NULL, 0, "[%lu]", (unsigned long) path->steps[i].index);
	return bytes;
}

/*
 * Adds the maximum size of the leaf's condition to the sums in `arg` (a
 * FilterCheck).  Returns true if a filter must not contain the leaf.
 */
static bool
leaf_is_forbidden(DynPred *pred, void *arg)
{
	FilterCheck *check = arg;
	const DynRelation *relation = check->match->relation;
	const DynPath *path;
	const DynPath *other;
	int			nvalues = 0;

	if (!dyn_pred_is_of_attribute(relation, pred))
		return true;
	if (pred->kind == DYN_PRED_GIVEN)
		return false;			/* no condition is sent for it */
	path = dyn_pred_path(relation, pred);
	other = pred->other == 0 ? NULL : dyn_relation_column(relation, pred->other)->path;
	if (pred->kind == DYN_PRED_FILTER_TERM)
		nvalues = relation->item_filter.terms[pred->term].nvalues;
	else if (pred->kind == DYN_PRED_TEMPLATED)
		nvalues = DYN_EXPR_MAX_IN;
	else if (pred->kind == DYN_PRED_COMPARE && pred->array)
	{
		nvalues = IsA(pred->value, Const)
			? dyn_fixed_array_size((Node *) pred->value) : -1;
		if (nvalues < 0)
			nvalues = DYN_EXPR_MAX_IN;
	}
	/*
	 * these constants are upper bounds: apart from a list, a condition has at
	 * most three comparisons
	 */
	check->operators += 12;
	check->bytes += 168 + 4 * path_bytes(path) + 7 * nvalues +
		(other == NULL ? 0 : path_bytes(other));
	/*
	 * The names of n values (":v0,", ":v1,", ...) take at least 6 * (n - 20)
	 * bytes, which alone may be too long for an expression.
	 */
	return 6 * (nvalues - 20) > DYN_EXPR_MAX_BYTES || path_is_forbidden(check, path) ||
		(other != NULL && path_is_forbidden(check, other));
}

/*
 * Adds the filters that clauses imply on attributes with key templates.  They
 * only reduce the number of returned items: the clauses are checked anyway.
 */
static void
add_template_filters(FilterCheck *check, DynAccess *access)
{
	const KeyMatch *match = check->match;

	for (int i = 0; i < match->relation->ntemplated; i++)
	{
		DynKeyAttr	attr = {dyn_templated_name(&match->relation->templated[i]), DYN_TYPE_S};
		List	   *used = NIL;
		DynPred    *pred;

		if (dyn_template_is_bare(match->relation->templated[i].tmpl))
			continue;
		pred = dyn_match_template(match->plan, &attr, NULL, match->clauses, true, 0,
								  &used);
		if (pred == NULL)
			pred = dyn_match_template(match->plan, &attr, NULL, match->clauses,
									  false, 0, &used);
		if (pred == NULL || dyn_pred_visit(pred, false, leaf_is_forbidden, check))
			continue;
		access->filters = lappend(access->filters, pred);
		access->filter_rinfos = list_concat_unique_ptr(access->filter_rinfos,
													   clause_rinfos(used));
	}
}

/*
 * Returns true if a key template truncates the predicate's column, such as to
 * the day.  Then a key condition may also find other times of that day.
 */
static bool
is_on_truncated(const DynRelation *relation, const DynPred *pred)
{
	for (int i = 0; i < relation->ntemplated; i++)
	{
		const DynTemplatedAttr *templated = &relation->templated[i];

		for (int p = 0; p < templated->tmpl->nparts; p++)
		{
			if (templated->parts[p].attnum == pred->field.attnum &&
				dyn_codec_truncates(&templated->parts[p].column.codec))
				return true;
		}
	}
	return false;
}

/*
 * Adds the permitted filters (leaf_is_forbidden) for clauses that no key
 * condition uses, and for clauses on truncated columns (is_on_truncated).  A
 * filter is `enforced` if it replaces the local check of its clause.  If an
 * expression with all filters is too large at run time, only the enforced ones
 * are sent, so one expression must be able to contain all enforced filters.
 */
static void
match_filters(KeyMatch *match, DynAccess *access)
{
	FilterCheck check = {match, 0, 0};
	List	   *sent = NIL;		/* DynClause * */
	List	   *filters = NIL;
	ListCell   *lc;

	if (access->kind == DYN_ACCESS_GET)
		return;
	foreach(lc, match->clauses)
	{
		DynClause  *clause = lfirst(lc);
		DynPred    *filter = clause->pred;
		FilterCheck before = check;

		if (filter == NULL || clause->keys_only ||
			(list_member_ptr(match->consumed, clause) &&
			 !is_on_truncated(match->relation, filter)))
			continue;
		if (!dyn_pred_visit(filter, false, leaf_is_forbidden, &check))
		{
			sent = lappend(sent, clause);
			if (clause->exact && clause->sized &&
				check.operators <= DYN_EXPR_MAX_OPERATORS &&
				check.bytes <= DYN_EXPR_MAX_BYTES)
			{
				filter = memcpy(palloc(sizeof(DynPred)), filter, sizeof(DynPred));
				filter->enforced = true;
				match->pushed_exactly = lappend(match->pushed_exactly, clause);
				before = check;
			}
			filters = lappend(filters, filter);
		}
		check = before;
	}
	access->filter_rinfos = clause_rinfos(sent);
	add_template_filters(&check, access);
	access->filters = list_concat(filters, access->filters);
}

/* ---- access plans ---- */

/* Returns true if a value of the predicate may change between executions. */
static bool
varies(DynPred *pred, void *arg)
{
	ListCell   *lc;

	foreach(lc, pred->conversion != NULL ? pred->conversion->steps : NIL)
	{
		if (!dyn_is_fixed((Node *) ((DynConversionStep *) lfirst(lc))->operand))
			return true;
	}
	return !dyn_is_fixed((Node *) pred->value);
}

static DynAccess *
begin_match(KeyMatch *match, const DynRelPlan *plan, const DynIndexMeta *index,
			List *clauses, DynAccessKind kind)
{
	DynAccess  *access = palloc0(sizeof(DynAccess));
	const DynKeySchema *key = &plan->meta->key;

	*match = (KeyMatch) {.plan = plan, .relation = plan->relation, .index = index,
	.key = index ? &index->key : key, .clauses = clauses, .access = access};
	access->kind = kind;
	access->index = index ? index->name : NULL;
	access->global = index != NULL && index->global;
	access->schema = dyn_metadata_schema(plan->meta, access->index);
	access->text_types = dyn_relation_text_types(plan->relation);
	access->base[access->nbase++] = key->hash[0];
	if (key->nrange > 0)
		access->base[access->nbase++] = key->range[0];
	return access;
}

/* Determines the filters, and the clauses that must be checked locally. */
static void
finish_match(KeyMatch *match, DynAccess *access)
{
	const DynKeySchema *keys[] = {&match->plan->meta->key, match->key};
	List	   *exactly;
	ListCell   *lc;

	for (int k = 0; k < (match->index == NULL ? 1 : 2); k++)
	{
		for (int i = 0; i < keys[k]->nhash + keys[k]->nrange; i++)
			access->key_names =
				list_append_unique(access->key_names,
								   makeString(pstrdup(dyn_key_attr(keys[k], i)->name)));
	}
	match_completeness(match, access);
	if (match->index != NULL)
		dyn_index_conditions_add(match->plan, match->index, match->clauses, access);
	access->key_rinfos = list_concat_unique_ptr(access->key_rinfos,
												clause_rinfos(match->consumed));
	match_filters(match, access);
	/* exec/source/caching.c has the same conditions for caching a read */
	access->same_items = dyn_guc_enable_cached_reads &&
		access->kind == DYN_ACCESS_QUERY && !access->fetch_base_items &&
		!dyn_preds_compare_fields(access->filters) &&
		dyn_preds_visit(access->filters, true, varies, NULL) &&
		!dyn_preds_visit(dyn_access_key_preds(access), true, varies, NULL);
	/* recheck items of the table: they may be newer than the index entries */
	exactly = access->fetch_base_items ? NIL : match->pushed_exactly;
	access->exact_rinfos = clause_rinfos(exactly);
	foreach(lc, match->clauses)
	{
		DynClause  *clause = lfirst(lc);

		if (clause->rinfo == NULL)
			access->rechecks_item_filter |= !list_member_ptr(exactly, clause);
		else if (!clause->rinfo->pseudoconstant &&
				 !list_member_ptr(access->exact_rinfos, clause->rinfo))
			access->local_rinfos = list_append_unique_ptr(access->local_rinfos,
														  clause->rinfo);
	}
}

/*
 * Matches the clauses to the key of an index or, if `index` is NULL, the table.
 * Returns NULL unless they give values for the full key (GET), or for the
 * partition key (QUERY; `row_wise` as in match_query).
 */
static DynAccess *
match_as(const DynRelPlan *plan, const DynIndexMeta *index, List *clauses,
		 DynAccessKind kind, bool row_wise)
{
	KeyMatch	match;
	DynAccess  *access = begin_match(&match, plan, index, clauses, kind);

	if (!(kind == DYN_ACCESS_GET ? match_full_key(&match, access)
		  : match_query(&match, access, row_wise)))
		return NULL;
	Assert(access->nhash == match.key->nhash || access->row_keys != NULL);
	/*
	 * an update may move an LSI entry, so that the Query returns the item
	 * again; fetching base items by key prevents a trigger from firing twice
	 * for it
	 */
	access->fetch_base_items = index != NULL &&
		(index->global ? !dyn_index_covers(plan, index) || plan->relation->target
		 : plan->relation->triggered);
	access->shares_lists = dyn_access_shares_lists(access);
	access->per_value = access->nrange > 0 &&
		dyn_only_templated(access->range[0].preds) != NULL;
	access->keys = dyn_count_keys(plan, access);
	access->multi_partition = !access->keys.single;
	finish_match(&match, access);
	return access;
}

DynAccess *
dyn_match_keys(const DynRelPlan *plan, const DynIndexMeta *index, List *clauses)
{
	DynAccess  *access = match_as(plan, index, clauses, DYN_ACCESS_GET, true);
	DynAccess  *lists;

	if (access == NULL)
		access = match_as(plan, index, clauses, DYN_ACCESS_QUERY, true);
	if (access == NULL || access->kind == DYN_ACCESS_GET || access->row_keys == NULL)
		return access;
	/* an OR may also be a list that the partition key and sort key share */
	lists = match_as(plan, index, clauses, DYN_ACCESS_QUERY, false);
	return lists != NULL && lists->shares_lists &&
		lists->keys.expected < access->keys.expected ? lists : access;
}

DynAccess *
dyn_match_scan(const DynRelPlan *plan, const DynIndexMeta *index, List *clauses)
{
	KeyMatch	match;
	DynAccess  *access = begin_match(&match, plan, index, clauses, DYN_ACCESS_SCAN);

	access->keys = dyn_count_keys(plan, access);
	if (index == NULL)
		match_segments(&match, access);
	access->multi_partition = true;
	finish_match(&match, access);
	return access;
}

DynAccess *
dyn_match_all_columns(DynRelation *relation, const DynTableMeta *meta)
{
	DynRelPlan	plan = {.relation = relation,.meta = meta};
	DynAccess  *access = dyn_match_scan(&plan, NULL, NIL);
	List	   *fields = NIL;

	for (int i = 0; i < relation->ncolumns; i++)
	{
		DynField   *field;

		/*
		 * skip the segment column: it has a value only in a Scan that was
		 * planned to return segments
		 */
		if (relation->columns[i].dropped || relation->columns[i].segments > 0)
			continue;
		field = palloc0(sizeof(DynField));
		field->attnum = i + 1;
		fields = lappend(fields, field);
	}
	dyn_set_fields(&plan, access, fields);
	return access;
}
