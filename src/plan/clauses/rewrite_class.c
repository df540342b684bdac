/*
 * rewrite_class.c
 *		Derives a list of values of a column from the list of another column,
 *		if a join requires the columns to be equal.
 *
 *		a.k = b.k AND a.k IN (1, 2)		implies b.k IN (1, 2)
 *
 * PostgreSQL derives b.k = 1 from a.k = b.k AND a.k = 1, but does not derive
 * lists.  The members of an equivalence class are equal in each row of the
 * query level, so a row of b whose key is not in the list joins no row.
 *
 * The derived list is only matched to keys.  The join clause already rejects
 * rows with other values, and is already part of the row estimates.
 */
#include "postgres.h"

#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "utils/lsyscache.h"

#include "../../model/server/pg_compat.h"
#include "classify.h"

/*
 * Returns true if the member is an expression over this relation alone (not
 * over a child relation), and no outer join sets it to NULL.
 */
static bool
is_own_column(const EquivalenceMember *member, const RelOptInfo *rel)
{
	return !member->em_is_child && !dyn_member_is_nullable(member) &&
		bms_equal(member->em_relids, rel->relids);
}

/*
 * Returns the clause if it is member = ANY (array), and the array has the same
 * value in all rows and can be evaluated again; otherwise NULL.
 */
static const ScalarArrayOpExpr *
list_of_member(const RestrictInfo *rinfo, const EquivalenceClass *class,
			   const EquivalenceMember *member)
{
	const ScalarArrayOpExpr *list = (const ScalarArrayOpExpr *) rinfo->clause;
	Node	   *array;

	if (!IsA(list, ScalarArrayOpExpr) || !list->useOr || rinfo->pseudoconstant ||
		list->inputcollid != class->ec_collation ||
		!equal(linitial(list->args), member->em_expr))
		return NULL;
	array = lsecond(list->args);
	return contain_var_clause(array) || contain_subplans(array) ||
		contain_volatile_functions(array) ? NULL : list;
}

/*
 * Returns the clause "member = ANY (array of `list`)".  Returns NULL if the
 * operator is not the equality of the equivalence class, and for a leaky
 * clause that would run before a security barrier clause.
 */
static RestrictInfo *
list_for_member(PlannerInfo *root, const RelOptInfo *rel,
				const EquivalenceClass *class, const EquivalenceMember *member,
				const RestrictInfo *rinfo, const ScalarArrayOpExpr *list)
{
	ScalarArrayOpExpr *copy;

	/*
	 * The list's operator must be in all operator families of the class.  For
	 * example, text = name is not in all families of a class of text.
	 */
	if (list_difference_oid(class->ec_opfamilies, get_mergejoin_opfamilies(list->opno)) != NIL)
		return NULL;
	copy = copyObject((ScalarArrayOpExpr *) list);
	copy->args = list_make2(copyObject(member->em_expr), lsecond(copy->args));
	if (Max(rinfo->security_level, class->ec_max_security) > rel->baserestrict_min_security &&
		contain_leaked_vars((Node *) copy))
		return NULL;
	return make_simple_restrictinfo(root, (Expr *) copy);
}

/*
 * For each clause of `other` that lists the values of a column equal to
 * `member`, adds a clause with the same list for `member` to *lists.
 */
static void
add_lists(PlannerInfo *root, const RelOptInfo *rel, const EquivalenceClass *class,
		  const EquivalenceMember *member, const RelOptInfo *other, List **lists)
{
	List	   *known = extract_actual_clauses(list_concat_copy(rel->baserestrictinfo, *lists),
											   false);
	ListCell   *lc,
			   *clause;

	foreach(lc, class->ec_members)
	{
		const EquivalenceMember *equal_one = lfirst(lc);

		if (!is_own_column(equal_one, other) ||
			equal_one->em_datatype != member->em_datatype)
			continue;
		foreach(clause, other->baserestrictinfo)
		{
			const RestrictInfo *rinfo = lfirst(clause);
			const ScalarArrayOpExpr *list = list_of_member(rinfo, class, equal_one);
			RestrictInfo *derived = list == NULL ? NULL
				: list_for_member(root, rel, class, member, rinfo, list);

			if (derived == NULL || list_member(known, derived->clause))
				continue;
			known = lappend(known, derived->clause);
			*lists = lappend(*lists, derived);
		}
	}
}

List *
dyn_lists_of_equals(PlannerInfo *root, const RelOptInfo *rel)
{
	List	   *lists = NIL;
	int			number = -1;

	if (!rel->has_eclass_joins || rel->reloptkind != RELOPT_BASEREL)
		return NIL;
	while ((number = bms_next_member(rel->eclass_indexes, number)) >= 0)
	{
		const EquivalenceClass *class = list_nth(root->eq_classes, number);
		ListCell   *lc;

		foreach(lc, class->ec_has_const || class->ec_has_volatile ? NIL : class->ec_members)
		{
			const EquivalenceMember *member = lfirst(lc);
			int			relid = -1;

			while (is_own_column(member, rel) &&
				   (relid = bms_next_member(class->ec_relids, relid)) >= 0)
			{
				const RelOptInfo *other = root->simple_rel_array[relid];

				if (other != NULL && other != rel && other->reloptkind == RELOPT_BASEREL)
					add_lists(root, rel, class, member, other, &lists);
			}
		}
	}
	return lists;
}
