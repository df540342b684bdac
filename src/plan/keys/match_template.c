/*
 * match_template.c
 *		From clauses on columns to the text of the attribute that they spell.
 *
 * A part may be used if every row has its column's value there: if the column
 * is read from it, if the attribute is in the table's key, whose texts must
 * agree with the columns, or if trusted_indexes promises it.
 */
#include "postgres.h"

#include "../../dynamodb/template_text.h"
#include "../clauses/classify.h"
#include "key_counts.h"
#include "match_template.h"

typedef struct TemplateMatch
{
	const DynRelation *relation;
	const DynSpelled *spelled;
	const DynKeyAttr *attr;
	bool		trusted;
	uint64		most_members;	/* of unbound enumerations; 0: none */
	List	   *clauses;
	List	   *used;
	uint64		members;		/* of unbound enumerations, in product */
} TemplateMatch;

static bool
part_is_usable(const TemplateMatch *match, int p)
{
	return match->spelled->parts[p].source || match->spelled->base ||
		match->trusted;
}

static DynTarget
target_of(const TemplateMatch *match, int p)
{
	DynTarget	target = {match->relation, match->attr, &match->spelled->parts[p],
	&match->spelled->tmpl->parts[p]};

	return target;
}

static DynPred *
make_and(List *preds)
{
	DynPred    *pred = dyn_make_pred(DYN_PRED_AND, NULL);

	pred->args = preds;
	return pred;
}

/* All point predicates on a part, or NULL. */
static DynPred *
part_points(TemplateMatch *match, int p)
{
	DynTarget	target = target_of(match, p);
	List	   *preds = NIL;
	ListCell   *lc;

	if (!part_is_usable(match, p))
		return NULL;
	foreach(lc, match->clauses)
	{
		DynClause  *clause = lfirst(lc);
		bool		pure = true;
		DynPred    *points = clause->pred == NULL ? NULL
			: dyn_implied_points(&target, clause->pred, &pure);

		if (points == NULL)
			continue;
		preds = lappend(preds, points);
		if (pure)
			match->used = list_append_unique_ptr(match->used, clause);
	}
	return preds == NIL ? NULL : make_and(preds);
}

static DynPred *
part_ranges(TemplateMatch *match, int p)
{
	DynTarget	target = target_of(match, p);
	List	   *preds = NIL;
	ListCell   *lc;

	if (!part_is_usable(match, p))
		return NULL;
	foreach(lc, match->clauses)
	{
		DynClause  *clause = lfirst(lc);

		if (clause->pred == NULL || !dyn_is_range_pred(&target, clause->pred))
			continue;
		preds = lappend(preds, clause->pred);
		match->used = list_append_unique_ptr(match->used, clause);
	}
	return preds == NIL ? NULL : make_and(preds);
}

/* All members of an enumerated part, unless there are too many. */
static DynPred *
part_members(TemplateMatch *match, int p)
{
	const DynTemplatePart *part = &match->spelled->tmpl->parts[p];
	DynPred    *pred;
	uint64		members = part->spec == DYN_SPEC_WORDS ? part->nwords
		: (uint64) part->hi - (uint64) part->lo + 1;

	if (!part_is_usable(match, p) ||
		!match->spelled->parts[p].column.traits.members ||
		!dyn_part_is_enumerated(part) ||
		members == 0 || members > match->most_members / match->members)
		return NULL;
	match->members *= members;
	pred = dyn_make_pred(DYN_PRED_MEMBERS, NULL);
	pred->nvalues = (int) members;
	pred->term = match->spelled - match->relation->spelled;
	pred->other = p;
	return pred;
}

/*
 * May the literal before the first part be used alone?  Only rows have it in the
 * table's key, and trusted_indexes promises it.  An item whose text of another
 * attribute is different is a row, too.
 */
static bool
literal_holds(const TemplateMatch *match)
{
	return match->spelled->base || match->trusted;
}

/* A column that shows the attribute's text, for its path; or 0. */
static AttrNumber
source_column(const DynSpelled *spelled)
{
	for (int p = 0; p < spelled->tmpl->nparts; p++)
	{
		if (spelled->parts[p].source)
			return spelled->parts[p].attnum;
	}
	return 0;
}

static DynPred *
make_spelled(const TemplateMatch *match, List *args)
{
	DynPred    *pred = dyn_make_pred(DYN_PRED_SPELLED, NULL);

	pred->field.attnum = source_column(match->spelled);
	pred->term = match->spelled - match->relation->spelled;
	pred->args = args;
	return pred;
}

/*
 * The points of leading parts, and a range of the next; *whole if all parts
 * have points.  With `enumerate`, what nothing binds may be an enumeration, as
 * long as something is known of a part behind it.
 */
static List *
match_parts(TemplateMatch *match, bool enumerate, bool *whole)
{
	int			nparts = match->spelled->tmpl->nparts;
	List	   *args = NIL;
	int			bound = 0;

	*whole = false;
	match->members = 1;
	for (int p = 0; p < nparts; p++)
	{
		DynPred    *arg = part_points(match, p);
		bool		points = arg != NULL;

		if (arg == NULL && (arg = part_ranges(match, p)) != NULL)
			return lappend(args, arg);
		if (arg == NULL && enumerate)
			arg = part_members(match, p);
		if (arg == NULL)
			break;
		args = lappend(args, arg);
		if (points)
			bound = list_length(args);
	}
	*whole = bound == nparts;
	return list_truncate(args, bound);
}

static DynPred *
match_range(TemplateMatch *match)
{
	bool		whole;
	List	   *args = match_parts(match, false, &whole);

	if (!whole && match->most_members > 0)
	{
		bool		all;
		List	   *more = match_parts(match, true, &all);

		if (list_length(more) > list_length(args))
			args = more;
		whole = all;
	}
	if (whole || (args == NIL &&
				  (match->spelled->tmpl->literals[0].len == 0 ||
				   !literal_holds(match))))
		return NULL;
	return make_spelled(match, args);
}

/* The integers between constant bounds on a part, unless there are too many. */
static DynPred *
part_integers(TemplateMatch *match, int p)
{
	DynTarget	target = target_of(match, p);
	uint64		n;
	DynPred    *pred;

	if (!part_is_usable(match, p))
		return NULL;
	pred = dyn_range_points(&target, match->clauses,
							match->most_members / match->members, &n, &match->used);
	if (pred == NULL)
		return NULL;
	match->members *= n;
	return make_and(list_make1(pred));
}

/* More combinations than these are not made of what could be one range. */
#define MOST_COMBINATIONS	(100 * DYN_MAX_MEMBERS)

/*
 * A partition key may be enumerated though no clause says anything of it, or
 * gives a range of a part; a sort key is only if its last part is bound.
 */
static DynPred *
match_points(TemplateMatch *match)
{
	int			nparts = match->spelled->tmpl->nparts;
	bool		bound = true;	/* by a clause: the last part */
	bool		ranged = false;
	List	   *args = NIL;
	DynPred    *spelled;

	for (int p = 0; p < nparts; p++)
	{
		DynPred    *arg = part_points(match, p);

		if (arg == NULL && match->most_members == DYN_MAX_MEMBERS)
		{
			arg = part_integers(match, p);
			ranged |= arg != NULL;
		}
		bound = arg != NULL;
		if (arg == NULL && match->most_members > 0)
			arg = part_members(match, p);
		if (arg == NULL)
			return NULL;
		args = lappend(args, arg);
	}
	if (!bound && match->most_members < DYN_MAX_MEMBERS)
		return NULL;
	if (args == NIL && !literal_holds(match))
		return NULL;
	spelled = make_spelled(match, args);
	if (ranged && dyn_count(NULL, match->relation, spelled).n > MOST_COMBINATIONS)
		return NULL;
	return spelled;
}

DynPred *
dyn_match_template(const DynRelation *relation, const DynKeyAttr *attr,
				   const char *index, List *clauses, bool points,
				   int most_members, List **used)
{
	TemplateMatch match = {relation, dyn_relation_spelled(relation, attr->name),
	attr, false, (uint64) most_members, clauses, NIL, 1};
	DynPred    *pred;

	if (match.spelled == NULL ||
		(attr->type != DYN_TYPE_S &&
		 !(points && attr->type == DYN_TYPE_N &&
		   dyn_template_is_bare(match.spelled->tmpl))))
		return NULL;
	match.trusted = index != NULL && dyn_relation_trusts(relation, index);
	pred = points ? match_points(&match) : match_range(&match);
	if (pred != NULL)
		*used = list_concat(*used, match.used);
	return pred;
}

/* The points and ranges of each part, whatever is known of those before it. */
DynPred *
dyn_template_demands(const DynRelation *relation, const DynKeyAttr *attr,
					 List *clauses)
{
	TemplateMatch match = {.relation = relation, .attr = attr, .clauses = clauses,
	.spelled = dyn_relation_spelled(relation, attr->name)};
	List	   *args = NIL;
	bool		any = false;

	if (match.spelled == NULL)
		return NULL;
	for (int p = 0; p < match.spelled->tmpl->nparts; p++)
	{
		const DynPred *points = part_points(&match, p);
		const DynPred *ranges = part_ranges(&match, p);
		DynPred    *arg = make_and(list_concat_copy(points ? points->args : NIL,
													ranges ? ranges->args : NIL));

		any |= arg->args != NIL;
		args = lappend(args, arg);
	}
	return any ? make_spelled(&match, args) : NULL;
}

bool
dyn_index_lacks_trust(const DynRelation *relation, const DynIndexMeta *index,
					  List *clauses)
{
	if (dyn_relation_trusts(relation, index->name))
		return false;
	for (int i = 0; i < index->key.nhash; i++)
	{
		const DynKeyAttr *attr = &index->key.hash[i];
		TemplateMatch match = {relation, dyn_relation_spelled(relation, attr->name),
		attr, true, 0, clauses, NIL, 1};

		if (match.spelled == NULL || match.spelled->tmpl->nparts == 0 ||
			attr->type != DYN_TYPE_S || match_points(&match) == NULL)
			return false;
	}
	return true;
}
