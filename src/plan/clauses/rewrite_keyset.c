/*
 * rewrite_keyset.c
 *		Rewrites conditions for keyset paging: row comparisons, and ORs that
 *		are equivalent to them.
 *
 * (a, b) > (x, y) implies a >= x.  Together with a condition a = v, it implies
 * v > x OR (v = x AND b > y).  In selected rows, a is not NULL, but b may be
 * NULL: (5, NULL) > (4, 1) is true.
 *
 * Row comparisons and ORs are parsed into a list of terms, each of which
 * compares a column with a value.  A term decides the result if all earlier
 * terms' columns are equal to the values they are compared with.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "classify.h"

/* The comparison "column op value" in a btree operator family */
typedef struct Term
{
	Node	   *column;
	Node	   *value;
	StrategyNumber strategy;
	Oid			opfamily;
	Oid			left;
	Oid			right;
	Oid			collation;
} Term;

/* ---- one term ---- */

/*
 * Sets *term to the comparison, with the column on the left.  Returns false
 * unless the operator is in the family, and just one side is a run-time value.
 */
static bool
describe(const DynClassify *context, Oid opno, Oid opfamily, Node *left,
		 Node *right, Oid collation, Term *term)
{
	int			strategy = get_op_opfamily_strategy(opno, opfamily);

	if (strategy == 0)
		return false;
	*term = (Term) {left, right, strategy, opfamily, InvalidOid, InvalidOid, collation};
	op_input_types(opno, &term->left, &term->right);
	if (dyn_is_runtime_value(context, left))
		*term = (Term) {right, left, BTMaxStrategyNumber + 1 - strategy, opfamily,
		term->right, term->left, collation};
	return !dyn_is_runtime_value(context, term->column) &&
		dyn_is_runtime_value(context, term->value);
}

static bool
describe_operator(const DynClassify *context, Node *node, Term *term)
{
	OpExpr	   *op = (OpExpr *) node;
	Oid			left,
				right;
	TypeCacheEntry *type;

	if (!IsA(node, OpExpr) || list_length(op->args) != 2)
		return false;
	op_input_types(op->opno, &left, &right);
	type = lookup_type_cache(left, TYPECACHE_BTREE_OPFAMILY);
	return OidIsValid(type->btree_opf) &&
		describe(context, op->opno, type->btree_opf, linitial(op->args),
				 lsecond(op->args), op->inputcollid, term);
}

/*
 * Returns true, with the node in *equality, if it is column = value, with the
 * column, operator family and collation of the term.
 */
static bool
is_fixed_by(const DynClassify *context, const Term *term, Node *node, Term *equality)
{
	return describe_operator(context, node, equality) &&
		equality->strategy == BTEqualStrategyNumber &&
		equality->opfamily == term->opfamily &&
		equality->collation == term->collation && equal(equality->column, term->column);
}

static StrategyNumber
inclusive(const Term *term)
{
	return term->strategy <= BTLessEqualStrategyNumber
		? BTLessEqualStrategyNumber : BTGreaterEqualStrategyNumber;
}

static StrategyNumber
exclusive(const Term *term)
{
	return term->strategy <= BTLessEqualStrategyNumber
		? BTLessStrategyNumber : BTGreaterStrategyNumber;
}

/* Returns "left op term->value"; NULL if the family lacks that operator. */
static Node *
compare(const Term *term, Node *left, Oid type, StrategyNumber strategy)
{
	Oid			opno = get_opfamily_member(term->opfamily, type, term->right,
										   strategy);

	return !OidIsValid(opno) ? NULL
		: dyn_compare(opno, left, term->value, term->collation);
}

static Node *
compare_column(const Term *term, StrategyNumber strategy)
{
	return compare(term, term->column, term->left, strategy);
}

/* ---- terms of row comparisons and ORs ---- */

static List *
row_terms(const DynClassify *context, RowCompareExpr *row)
{
	List	   *terms = NIL;
	ListCell   *left,
			   *right,
			   *opno,
			   *opfamily,
			   *collation;
	StrategyNumber first = 0;

	forfive(left, row->largs, right, row->rargs, opno, row->opnos,
			opfamily, row->opfamilies, collation, row->inputcollids)
	{
		Term	   *term = palloc(sizeof(Term));

		/* stop at a term that cannot be used, or has a different direction */
		if (!describe(context, lfirst_oid(opno), lfirst_oid(opfamily),
					  lfirst(left), lfirst(right), lfirst_oid(collation), term) ||
			(first != 0 && term->strategy != first))
			break;
		first = term->strategy;
		terms = lappend(terms, term);
	}
	/* omitted terms may select rows that are equal in `terms`: include them */
	if (terms != NIL && list_length(terms) < list_length(row->opnos))
		((Term *) llast(terms))->strategy = inclusive(llast(terms));
	return terms;
}

/*
 * Parses an arm of an OR.  If the arm is column = value AND rest, with the
 * column and value of the term, adds the rest to *rests.  If the arm has no
 * rest, adds the constant true.  Returns false for any other arm.
 */
static bool
rest_of_arm(const DynClassify *context, const Term *term, Node *arm, List **rests)
{
	List	   *rest = NIL;
	bool		found = false;
	ListCell   *lc;

	foreach(lc, make_ands_implicit((Expr *) arm))
	{
		Term		other;

		if (!found && is_fixed_by(context, term, lfirst(lc), &other) &&
			equal(other.value, term->value))
			found = true;
		else
			rest = lappend(rest, lfirst(lc));
	}
	if (found)
		*rests = lappend(*rests, make_ands_explicit(rest));
	return found;
}

/*
 * Returns the terms of a comparison other than =, or of "a > x OR (a = x AND
 * rest)", whose rest is parsed in the same way.  Returns NIL for other nodes.
 */
static List *
or_terms(const DynClassify *context, Node *node)
{
	Term	   *term = palloc(sizeof(Term));
	List	   *rests = NIL;
	List	   *following = NIL;
	List	   *arms;
	int			head = -1;
	ListCell   *lc;

	check_stack_depth();
	if (describe_operator(context, node, term))
		return term->strategy == BTEqualStrategyNumber ? NIL : list_make1(term);
	if (!is_orclause(node))
		return NIL;
	/* one arm must be a comparison other than =, without further conditions */
	arms = ((BoolExpr *) node)->args;
	foreach(lc, arms)
	{
		if (describe_operator(context, lfirst(lc), term) &&
			term->strategy != BTEqualStrategyNumber)
		{
			head = foreach_current_index(lc);
			break;
		}
	}
	foreach(lc, arms)
	{
		if (head < 0 || (foreach_current_index(lc) != head &&
						 !rest_of_arm(context, term, lfirst(lc), &rests)))
			return NIL;
	}
	/* if rest (see above) cannot be parsed, the OR implies only a >= x */
	if (term->strategy == exclusive(term))
		following = or_terms(context, list_length(rests) == 1 ? linitial(rests)
							 : (Node *) make_orclause(rests));
	if (following == NIL)
		term->strategy = inclusive(term);
	return lcons(term, following);
}

static Node *
expand(DynClassify *context, List *terms, int n)
{
	const Term *term = list_nth(terms, n);
	Node	   *strictly = compare_column(term, exclusive(term));
	Node	   *equally = compare_column(term, BTEqualStrategyNumber);
	Node	   *rest;

	if (n == list_length(terms) - 1)
		return compare_column(term, term->strategy);
	if (strictly == NULL || equally == NULL)
		return NULL;
	/*
	 * for (a, b) > (x, y), SQL evaluates y only if a = x, so y is not used if
	 * it might raise an error
	 */
	rest = dyn_may_fail(((Term *) list_nth(terms, n + 1))->value) ? NULL
		: expand(context, terms, n + 1);
	if (rest != NULL)
		equally = (Node *) make_andclause(list_make2(equally, rest));
	else
		context->exact = false;
	return (Node *) make_orclause(list_make2(strictly, equally));
}

Node *
dyn_keyset_expand(DynClassify *context, RowCompareExpr *row)
{
	List	   *terms = row_terms(context, row);

	if (list_length(terms) < list_length(row->opnos))
		context->exact = false;
	return terms == NIL ? NULL : expand(context, terms, 0);
}

/* ---- bounds ---- */

/*
 * Returns the value to which one of the conditions fixes the term's column,
 * and sets *type to the value's type; NULL if the column is not fixed.
 */
static Node *
fixed_value(const DynClassify *context, const Term *term, List *rinfos, Oid *type)
{
	ListCell   *lc;

	foreach(lc, rinfos)
	{
		const RestrictInfo *rinfo = lfirst(lc);
		Term		other;

		if (!rinfo->pseudoconstant &&
			is_fixed_by(context, term, (Node *) rinfo->clause, &other) &&
			!contain_volatile_functions(other.value))
		{
			*type = other.right;
			return other.value;
		}
	}
	return NULL;
}

static Node *bound_from(const DynClassify *context, List *terms, int n,
						List *rinfos);

/*
 * Returns the condition that term `n` (counted from 0) and the later terms
 * imply if the column of term `n` has the value `fixed`.  If term `n` is
 * column > x, this condition is fixed > x OR (fixed = x AND rest), where rest
 * is the condition that the later terms imply (bound_from).  Returns NULL if
 * there is no rest, or if the condition is always true or cannot be built.
 */
static Node *
decided_bound(const DynClassify *context, List *terms, int n, List *rinfos,
			  Node *fixed, Oid type)
{
	const Term *term = list_nth(terms, n);
	Node	   *strictly = compare(term, fixed, type, exclusive(term));
	Node	   *equally = compare(term, fixed, type, BTEqualStrategyNumber);
	Node	   *rest = n == list_length(terms) - 1 ? NULL
		: bound_from(context, terms, n + 1, rinfos);
	Node	   *decided;

	if (rest == NULL || strictly == NULL || equally == NULL ||
		dyn_may_fail(strictly))
		return NULL;
	if (equal(fixed, term->value))
		return rest;
	/* SQL compares these as instants, which may sort unlike local times */
	if (term->left == TIMESTAMPTZOID && type != TIMESTAMPTZOID)
		return NULL;
	decided = (Node *)
		make_orclause(list_make2(strictly,
								 make_andclause(list_make2(equally, rest))));
	decided = eval_const_expressions(context->plan->root, decided);
	if (!IsA(decided, Const))
		return decided;
	/*
	 * if the condition is true for all rows whose column equals `fixed`,
	 * return NULL (no further restriction); if it is false or NULL for them,
	 * return column >= x, where x is the term's own value: this comparison
	 * excludes these rows if `fixed` differs from x
	 */
	return !((Const *) decided)->constisnull &&
		DatumGetBool(((Const *) decided)->constvalue) ? NULL
		: compare_column(term, inclusive(term));
}

/*
 * Returns the condition that term `n` (counted from 0) and the later terms
 * imply for rows whose columns equal the values in all earlier terms; NULL if
 * there is none, or if n > 0 and evaluating the value of term `n` might raise
 * an error: SQL evaluates it only if the earlier terms are equal.
 */
static Node *
bound_from(const DynClassify *context, List *terms, int n, List *rinfos)
{
	const Term *term = list_nth(terms, n);
	Oid			type;
	Node	   *fixed;

	check_stack_depth();
	if (n > 0 && dyn_may_fail(term->value))
		return NULL;
	fixed = fixed_value(context, term, rinfos, &type);
	if (fixed != NULL)
		return decided_bound(context, terms, n, rinfos, fixed, type);
	return compare_column(term, n == list_length(terms) - 1 ? term->strategy
						  : inclusive(term));
}

Node *
dyn_keyset_bound(const DynClassify *context, Node *clause, List *rinfos, bool *first)
{
	List	   *terms = NIL;
	Oid			type;

	if (IsA(clause, RowCompareExpr))
		terms = row_terms(context, (RowCompareExpr *) clause);
	else if (is_orclause(clause))
		terms = or_terms(context, clause);
	if (terms == NIL)
		return NULL;
	*first = fixed_value(context, linitial(terms), rinfos, &type) == NULL;
	return bound_from(context, terms, 0, rinfos);
}
