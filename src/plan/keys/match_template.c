/*
 * match_template.c
 *		Converts clauses on columns into predicates on the text of a templated
 *		attribute.
 *
 * A placeholder (part) can be used if it contains its column's value in every
 * row.  This is the case if
 * - the column's value is read from the part,
 * - the attribute is in the table's key (a row whose key contradicts its
 *   columns is rejected), or
 * - trusted_indexes asserts it.
 */
#include "postgres.h"

#include "../../dynamodb/template_text.h"
#include "match_keys.h"

typedef struct TemplateMatch
{
	const DynRelPlan *plan;
	const DynTemplatedAttr *templated;	/* attribute's template, or NULL */
	const DynKeyAttr *attr;
	List	   *clauses;
	bool		asserted;		/* true if, in every row, the attribute's text
								 * is composed from the row's columns */
	uint64		most_members;	/* maximum of `members`; 0: no enumeration */
	uint64		members;		/* number of combinations of values, over the
								 * parts that were enumerated so far */
	bool		ranged;			/* true if a part with bounds is enumerated */
	List	   *used;
} TemplateMatch;

static TemplateMatch
begin_match(const DynRelPlan *plan, const DynKeyAttr *attr,
			const DynIndexMeta *index, List *clauses, int most_members)
{
	TemplateMatch match = {.plan = plan, .attr = attr, .clauses = clauses,
		.templated = dyn_relation_templated(plan->relation, attr->name),
	.most_members = most_members,.members = 1};

	match.asserted = match.templated != NULL &&
		(match.templated->base ||
		 (index != NULL && dyn_relation_trusts(plan->relation, index->name)));
	return match;
}

static DynPred *
make_templated(const TemplateMatch *match, List *args)
{
	return dyn_make_templated(match->templated - match->plan->relation->templated,
							  args);
}

static bool
part_is_usable(const TemplateMatch *match, int p)
{
	return match->templated->parts[p].source || match->asserted;
}

static DynTarget
target_of(const TemplateMatch *match, int p)
{
	return (DynTarget) {match->plan, match->attr, &match->templated->parts[p],
		&match->templated->tmpl->parts[p]};
}

/*
 * Returns the predicates that the clauses imply for part `p`: with `points`,
 * point predicates (such as =), else ranges.  Adds to match->used each clause
 * that is equivalent to its predicate in the result.
 */
static List *
part_preds(TemplateMatch *match, int p, bool points)
{
	DynTarget	target = target_of(match, p);
	List	   *preds = NIL;
	ListCell   *lc;

	foreach(lc, match->clauses)
	{
		DynClause  *clause = lfirst(lc);
		DynPred    *pred = clause->pred;
		bool		fully_consumed = true;

		if (pred != NULL && points)
			pred = dyn_implied_points(&target, pred, &fully_consumed);
		else if (pred != NULL && !dyn_is_range_pred(&target, pred))
			pred = NULL;
		if (pred == NULL)
			continue;
		preds = lappend(preds, pred);
		if (fully_consumed)
			match->used = list_append_unique_ptr(match->used, clause);
	}
	return preds;
}

/*
 * Returns a predicate with all values that the template enumerates for the
 * part, except those that <> and NOT IN exclude.  Returns NULL if the template
 * does not enumerate values of the part, or enumerates too many.
 */
static DynPred *
part_members(TemplateMatch *match, int p)
{
	uint64		members = dyn_templated_members(match->templated, p);
	DynTarget	target = target_of(match, p);
	DynPred    *each;
	List	   *others = NIL;
	ListCell   *lc;

	if (!match->templated->parts[p].column.traits.members ||
		members == 0 || members > match->most_members / match->members)
		return NULL;
	match->members *= members;
	foreach(lc, match->clauses)
	{
		DynPred    *pred = ((DynClause *) lfirst(lc))->pred;

		if (pred != NULL && dyn_excludes_points(&target, pred))
			others = lappend(others, pred);
	}
	each = dyn_make_each(NULL);
	each->most = (int) members;
	each->expected = members;
	return others == NIL ? each : dyn_make_and(lappend(others, each));
}

/* Returns an enumeration of the values between the part's bounds, or NULL. */
static DynPred *
part_each(TemplateMatch *match, int p)
{
	DynTarget	target = target_of(match, p);
	/* true if another part determines this one, as 2024-05 determines 2024 */
	bool		follows = dyn_templated_determiner(match->templated, p,
												   match->templated->tmpl->nparts) != NULL;
	DynPred    *each = dyn_match_each(&target, match->clauses,
									  match->most_members / (follows ? 1 : match->members),
									  &match->used);

	if (each == NULL)
		return NULL;
	match->members *= follows ? 1 : (uint64) each->expected;
	match->ranged = true;
	return dyn_make_and(list_make1(each));
}

/*
 * Returns point predicates (terms.h) for the leading parts of the template,
 * ending with a part that a clause restricts.  If `points` is false, the final
 * one may be a range; if it is true, values between two bounds are enumerated
 * in a partition key.  If `enumerate` is true, a part that no clause restricts
 * takes the values that the template lists, and may be the final one.  Sets
 * *full to true if every part of the template has a point predicate.
 */
static List *
match_parts(TemplateMatch *match, bool points, bool enumerate, bool *full)
{
	int			nparts = match->templated->tmpl->nparts;
	bool		partition = points && match->most_members == DYN_MAX_MEMBERS;
	List	   *args = NIL;
	int			bound = 0;		/* number of args up to the last one that a
								 * clause restricts */

	*full = false;
	match->members = 1;
	for (int p = 0; p < nparts && part_is_usable(match, p); p++)
	{
		List	   *preds = part_preds(match, p, true);
		DynPred    *arg = NULL;

		if (preds == NIL && !points && (preds = part_preds(match, p, false)) != NIL)
			return lappend(args, dyn_make_and(preds));
		if (preds != NIL)
			arg = dyn_make_and(preds);
		else if (partition)
			arg = part_each(match, p);
		if (arg != NULL)
			bound = p + 1;
		else if (enumerate)
			arg = part_members(match, p);
		if (arg == NULL)
			break;
		args = lappend(args, arg);
	}
	*full = list_length(args) == nparts && (partition || bound == nparts);
	return partition ? args : list_truncate(args, bound);
}

/*
 * Returns a predicate that allows a range of strings.  Returns NULL if each
 * part has a point predicate.  If no part is restricted, the range has all
 * strings that begin with the template's first literal; this requires
 * match->asserted, since otherwise some rows may have other strings.
 */
static DynPred *
match_range(TemplateMatch *match)
{
	bool		full;
	List	   *args = match_parts(match, false, false, &full);

	if (!full && match->most_members > 0)
	{
		List	   *more = match_parts(match, false, true, &full);

		if (list_length(more) > list_length(args))
			args = more;
	}
	if (full || (args == NIL &&
				 (match->templated->tmpl->literals[0].len == 0 || !match->asserted)))
		return NULL;
	return make_templated(match, args);
}

/* Maximum expected number of strings if a part with bounds is enumerated */
#define MOST_COMBINATIONS	(100 * DYN_MAX_MEMBERS)

/*
 * Returns a predicate for the strings that satisfy the clauses, if clauses and
 * template limit them to a finite number that is not too large; else NULL.
 */
static DynPred *
match_points(TemplateMatch *match)
{
	bool		full;
	List	   *args = match_parts(match, true, match->most_members > 0, &full);
	DynPred    *templated = make_templated(match, args);

	if (!full || (args == NIL && !match->asserted) ||
		(match->ranged &&
		 dyn_count(match->plan, templated, false).expected > MOST_COMBINATIONS))
		return NULL;
	return templated;
}

DynPred *
dyn_match_template(const DynRelPlan *plan, const DynKeyAttr *attr,
				   const DynIndexMeta *index, List *clauses, bool points,
				   int most_members, List **used)
{
	TemplateMatch match = begin_match(plan, attr, index, clauses, most_members);
	DynPred    *pred;

	if (match.templated == NULL ||
		(attr->type != DYN_TYPE_S &&
		 !(points && attr->type == DYN_TYPE_N &&
		   dyn_template_is_bare(match.templated->tmpl))))
		return NULL;
	pred = points ? match_points(&match) : match_range(&match);
	if (pred != NULL)
		*used = list_concat(*used, match.used);
	return pred;
}

DynPred *
dyn_template_demands(const DynRelPlan *plan, const DynKeyAttr *attr,
					 List *clauses)
{
	TemplateMatch match = begin_match(plan, attr, NULL, clauses, 0);
	List	   *args = NIL;
	bool		any = false;

	if (match.templated == NULL)
		return NULL;
	for (int p = 0; p < match.templated->tmpl->nparts; p++)
	{
		List	   *preds = NIL;

		if (part_is_usable(&match, p))
			preds = list_concat(part_preds(&match, p, true),
								part_preds(&match, p, false));
		any |= preds != NIL;
		args = lappend(args, dyn_make_and(preds));
	}
	return any ? make_templated(&match, args) : NULL;
}

bool
dyn_part_lacks_values(const DynRelPlan *plan, const DynKeyAttr *attr,
					  const DynIndexMeta *index, List *clauses, int p, bool *usable)
{
	TemplateMatch match = begin_match(plan, attr, index, clauses, DYN_MAX_MEMBERS);

	*usable = part_is_usable(&match, p);
	return !*usable ||
		(part_preds(&match, p, true) == NIL && part_each(&match, p) == NULL && part_members(&match, p) == NULL);
}

bool
dyn_index_lacks_trust(const DynRelPlan *plan, const DynIndexMeta *index,
					  List *clauses)
{
	if (dyn_relation_trusts(plan->relation, index->name))
		return false;
	for (int i = 0; i < index->key.nhash; i++)
	{
		const DynKeyAttr *attr = &index->key.hash[i];
		TemplateMatch match = begin_match(plan, attr, NULL, clauses, 0);

		match.asserted = true;
		if (match.templated == NULL || match.templated->tmpl->nparts == 0 ||
			attr->type != DYN_TYPE_S || match_points(&match) == NULL)
			return false;
	}
	return true;
}
