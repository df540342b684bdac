/*
 * rewrite_equal.c
 *		Rewrites conditions that are equivalent to equalities.
 *
 *		k LIKE 'abc'				a pattern without wildcards
 *		k IS NOT DISTINCT FROM 5	a constant that is not NULL
 *		(k = x) IS TRUE				if it is a clause, not part of another one
 *		k BETWEEN x AND x			two clauses with the same value
 *		k LIKE $1					if $1 has no wildcards (choice.c)
 *		k BETWEEN $1 AND $2			if $1 = $2 (choice.c)
 *
 * Under a deterministic collation, LIKE and = compare bytes.  Under others,
 * the equality is checked locally (model/definition/exact.c).
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "../../model/server/pg_compat.h"
#include "../../model/values/like.h"
#include "../../model/values/path.h"
#include "classify.h"

static bool
is_constant(const Node *node)
{
	return IsA(node, Const) && !((const Const *) node)->constisnull;
}

Node *
dyn_plain_equality(Node *node)
{
	if (IsA(node, OpExpr) && list_length(((OpExpr *) node)->args) == 2 &&
		get_opcode(((OpExpr *) node)->opno) == F_TEXTLIKE)
	{
		OpExpr	   *like = (OpExpr *) node;
		const Const *pattern = lsecond(like->args);
		text	   *t;
		char	   *literal;
		size_t		len;

		if (!is_constant((Node *) pattern))
			return node;
		t = DatumGetTextPP(pattern->constvalue);
		if (dyn_like_pattern(VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t), &literal,
							 &len) != DYN_LIKE_EQUAL)
			return node;
		return dyn_compare(TextEqualOperator, linitial(like->args), (Node *)
						   makeConst(TEXTOID, -1, pattern->constcollid, -1,
									 PointerGetDatum(cstring_to_text_with_len(literal, len)),
									 false, false),
						   like->inputcollid);
	}
	if (IsA(node, BoolExpr) && ((BoolExpr *) node)->boolop == NOT_EXPR &&
		IsA(linitial(((BoolExpr *) node)->args), DistinctExpr))
	{
		DistinctExpr *distinct = linitial(((BoolExpr *) node)->args);

		if (is_constant(linitial(distinct->args)) ||
			is_constant(lsecond(distinct->args)))
			return dyn_compare(distinct->opno, linitial(distinct->args),
							   lsecond(distinct->args), distinct->inputcollid);
	}
	return node;
}

Node *
dyn_plain_clause(Node *clause)
{
	while (IsA(clause, BooleanTest) &&
		   ((BooleanTest *) clause)->booltesttype == IS_TRUE)
		clause = (Node *) ((BooleanTest *) clause)->arg;
	return dyn_plain_equality(clause);
}

DynPred *
dyn_classify_not_distinct(DynClassify *context, const DistinctExpr *expr)
{
	Node	   *left = linitial(expr->args);
	Node	   *right = lsecond(expr->args);
	DynOperator op;
	DynField	field;
	const DynColumn *column;

	if (!dyn_describe_operator(expr->opno, expr->inputcollid, &op) ||
		op.comparison != DYN_COMPARE_EQ)
		return NULL;
	if (!dyn_is_runtime_value(context, right))
	{
		left = right;
		right = linitial(expr->args);
		dyn_commute(&op);
	}
	if (!dyn_is_runtime_value(context, right) ||
		!dyn_classify_column(context, left, &field))
		return NULL;
	column = dyn_field_column(context, &field);
	/*
	 * An attribute of the table's own key is in every item.  So its column is
	 * never NULL if a type mismatch is an error (null_test is DYN_EXACT).
	 */
	return dyn_column_is_part(column) || column->traits.null_test != DYN_EXACT ||
		!dyn_column_is_in_key(column, &context->plan->meta->key)
		? NULL : dyn_classify_comparison(context, &op, &field, right, false);
}

/* ---- inclusive bounds ---- */

/* A clause L >= R or L <= R */
typedef struct Bound
{
	RestrictInfo *rinfo;
	const OpExpr *op;
	bool		lower;			/* true for >= */
} Bound;

static List *
inclusive_bounds(List *rinfos)
{
	List	   *bounds = NIL;
	ListCell   *lc;

	foreach(lc, rinfos)
	{
		RestrictInfo *rinfo = lfirst(lc);
		OpExpr	   *op = (OpExpr *) rinfo->clause;
		DynOperator comparison;
		Bound	   *bound;

		if (rinfo->pseudoconstant || !IsA(op, OpExpr) ||
			list_length(op->args) != 2 ||
			!dyn_describe_operator(op->opno, op->inputcollid, &comparison) ||
			(comparison.comparison != DYN_COMPARE_GE &&
			 comparison.comparison != DYN_COMPARE_LE))
			continue;
		bound = palloc(sizeof(Bound));
		bound->rinfo = rinfo;
		bound->op = op;
		bound->lower = (comparison.comparison == DYN_COMPARE_GE);
		bounds = lappend(bounds, bound);
	}
	return bounds;
}

static Node *
equality_of_bound(const OpExpr *bound)
{
	Oid			left,
				right,
				opno;

	op_input_types(bound->opno, &left, &right);
	opno = get_opfamily_member(lookup_type_cache(left, TYPECACHE_BTREE_OPFAMILY)->btree_opf,
							   left, right, BTEqualStrategyNumber);
	return !OidIsValid(opno) ? NULL
		: dyn_compare(opno, linitial(bound->args), lsecond(bound->args),
					  bound->inputcollid);
}

/* ---- equalities that depend on parameters ---- */

/*
 * Returns true if the expression is not a constant, depends only on
 * parameters, and can be evaluated before the first row, without errors.
 */
static bool
is_parametric(const DynClassify *context, Node *node)
{
	return !IsA(node, Const) && dyn_is_runtime_value(context, node) &&
		dyn_is_fixed(node) && !dyn_may_fail(node);
}

/*
 * Returns true for a column that maps to a partition key.  Only these columns
 * need the rewrite: a sort key is also matched by a range.
 */
static bool
is_partition_key(const DynClassify *context, Node *node)
{
	const DynTableMeta *meta = context->plan->meta;
	const DynPath *path;
	DynField	field;

	if (!dyn_classify_column(context, node, &field))
		return false;
	path = dyn_field_column(context, &field)->path;
	for (int i = 0; i < meta->nindexes; i++)
	{
		if (dyn_path_is_attribute(path, meta->indexes[i].key.hash[0].name))
			return true;
	}
	return dyn_path_is_attribute(path, meta->key.hash[0].name);
}

static Node *
contains(Node *pattern, const char *c)
{
	Const	   *zero = makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
								 Int32GetDatum(0), false, true);
	Const	   *text = makeConst(TEXTOID, -1, C_COLLATION_OID, -1,
								 CStringGetTextDatum(c), false, false);

	return dyn_compare(Int4LessOperator, (Node *) zero, (Node *)
					   makeFuncExpr(F_STRPOS, INT4OID, list_make2(pattern, text),
									InvalidOid, C_COLLATION_OID,
									COERCE_EXPLICIT_CALL),
					   InvalidOid);
}

/*
 * For "column LIKE pattern", returns the clause that it implies: (column =
 * pattern) OR (the pattern contains %, _ or \).  Returns NULL unless the
 * column maps to a partition key, and the pattern satisfies is_parametric.
 */
static Node *
equality_unless_wildcards(const DynClassify *context, const RestrictInfo *rinfo)
{
	OpExpr	   *like = (OpExpr *) rinfo->clause;
	Node	   *pattern;

	if (rinfo->pseudoconstant || !IsA(like, OpExpr) ||
		list_length(like->args) != 2 || get_opcode(like->opno) != F_TEXTLIKE)
		return NULL;
	pattern = lsecond(like->args);
	if (!is_parametric(context, pattern) ||
		!is_partition_key(context, linitial(like->args)))
		return NULL;
	return (Node *)
		make_orclause(list_make4(contains(pattern, "%"), contains(pattern, "_"),
								 contains(pattern, "\\"),
								 dyn_compare(TextEqualOperator, linitial(like->args),
											 pattern, like->inputcollid)));
}

/*
 * For column >= a AND column <= b, returns the implied condition a <> b OR
 * column = a.  Returns NULL unless the column maps to a partition key, and a
 * and b satisfy is_parametric and have the column's type.
 */
static Node *
equality_unless_different(const DynClassify *context, const OpExpr *lower,
						  const OpExpr *upper)
{
	Node	   *column = linitial(lower->args);
	Node	   *low = lsecond(lower->args);
	Node	   *high = lsecond(upper->args);
	Oid			eq;
	Node	   *different;

	if (lower->inputcollid != upper->inputcollid ||
		!equal(column, linitial(upper->args)) || exprType(low) != exprType(column) ||
		exprType(high) != exprType(column) || !is_parametric(context, low) ||
		!is_parametric(context, high) || !is_partition_key(context, column))
		return NULL;
	eq = lookup_type_cache(exprType(column), TYPECACHE_EQ_OPR)->eq_opr;
	if (!OidIsValid(eq) || !OidIsValid(get_negator(eq)))
		return NULL;
	different = dyn_compare(get_negator(eq), low, high, lower->inputcollid);
	return dyn_may_fail(different) ? NULL
		: (Node *) make_orclause(list_make2(different, equality_of_bound(lower)));
}

/*
 * Returns the equality that bounds[position] and another bound imply, or NULL.
 * If a later bound is the opposite one (L <= R for L >= R), this is L = R.
 * Otherwise, tries equality_unless_different with every upper bound.
 */
static Node *
equality_of_two(const DynClassify *context, List *bounds, int position)
{
	const Bound *bound = list_nth(bounds, position);
	List	   *args = bound->op->args;
	ListCell   *lc;

	for_each_from(lc, bounds, position + 1)
	{
		const Bound *other = lfirst(lc);
		List	   *others = other->op->args;
		bool		exchanged = (bound->lower == other->lower);

		/* L >= R and L <= R, or L >= R and R >= L */
		if (bound->op->inputcollid == other->op->inputcollid &&
			equal(linitial(args), exchanged ? lsecond(others) : linitial(others)) &&
			equal(lsecond(args), exchanged ? linitial(others) : lsecond(others)))
			return equality_of_bound(bound->op);
	}
	foreach(lc, bounds)
	{
		const Bound *upper = lfirst(lc);
		Node	   *equality = !bound->lower || upper->lower ? NULL
			: equality_unless_different(context, bound->op, upper->op);

		if (equality != NULL)
			return equality;
	}
	return NULL;
}

static void
add_implied(List **found, RestrictInfo *rinfo, Node *equality)
{
	DynImplied *implied = palloc(sizeof(DynImplied));

	*implied = (DynImplied) {rinfo, equality};
	if (equality != NULL)
		*found = lappend(*found, implied);
}

List *
dyn_implied_equalities(const DynClassify *context, List *rinfos)
{
	List	   *bounds = inclusive_bounds(rinfos);
	List	   *found = NIL;
	ListCell   *lc;

	foreach(lc, rinfos)
		add_implied(&found, lfirst(lc),
					equality_unless_wildcards(context, lfirst(lc)));
	foreach(lc, bounds)
		add_implied(&found, ((Bound *) lfirst(lc))->rinfo,
					equality_of_two(context, bounds, foreach_current_index(lc)));
	return found;
}
