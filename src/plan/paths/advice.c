/*
 * advice.c
 *		Explains why a condition on a key attribute does not restrict the key.
 *
 * Such a condition is checked for all items that are read: the statement is
 * correct, but slow.
 *
 * This file explains decisions of other files (quals.c, terms.c,
 * index_complete.c, model/definition/exact.c), and makes none itself.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_collation.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "../../model/server/encoding.h"
#include "../../model/server/pg_compat.h"
#include "../../model/tables/relation.h"
#include "../clauses/classify.h"
#include "../keys/match_keys.h"
#include "planner.h"

/* A key attribute that no clause restricts, and a column that maps to it */
typedef struct Unusable
{
	DynClassify classify;
	const DynKeyAttr *attr;
	bool		hash;
	const char *key;			/* such as 'sort key "sk" of index "i"' */
	AttrNumber	attnum;
	const DynColumn *column;
} Unusable;

static bool
reads_column(const DynRelPlan *plan, Node *node, AttrNumber attnum)
{
	Bitmapset  *attnums = NULL;

	pull_varattnos(node, plan->rel->relid, &attnums);
	return bms_is_member(attnum - FirstLowInvalidHeapAttributeNumber, attnums);
}

static bool
mentions(const Unusable *unusable, Node *node)
{
	return reads_column(unusable->classify.plan, node, unusable->attnum);
}

/* Returns true if the expression reads all columns of some partition key. */
static bool
reads_partition_key(const DynRelPlan *plan, Node *node)
{
	for (int i = 0; i <= plan->meta->nindexes; i++)
	{
		const DynKeySchema *key = dyn_key_number(plan->meta, i);
		int			n = 0;

		while (n < key->nhash &&
			   reads_column(plan, node, dyn_relation_only_column_of(plan->relation, &key->hash[n])))
			n++;
		if (n == key->nhash)
			return true;
	}
	return false;
}

/* Returns advice on an operand that is an expression over the column. */
static const char *
explain_operand(const Unusable *unusable, Node *node)
{
	const FuncExpr *func;
	Oid			cast = InvalidOid;

	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	func = IsA(node, FuncExpr) ? (const FuncExpr *) node : NULL;
	if (IsA(node, CoerceViaIO))
		cast = ((CoerceViaIO *) node)->resulttype;
	else if (func != NULL && (func->funcformat == COERCE_EXPLICIT_CAST ||
							  func->funcformat == COERCE_IMPLICIT_CAST))
		cast = func->funcresulttype;
	if (OidIsValid(cast))
		return psprintf("column \"%s\" is cast to %s, so %s cannot be used; cast the other side instead",
						unusable->column->name, format_type_be(cast), unusable->key);
	if (func != NULL)
		return psprintf(func->funcid == F_UPPER_TEXT || func->funcid == F_LOWER_TEXT
						? "column \"%s\" is wrapped in %s(), so %s, whose values differ by case, cannot be used; use = with the stored case"
						: "column \"%s\" is wrapped in %s(), so %s cannot be used; compare the column directly",
						unusable->column->name, get_func_name(func->funcid),
						unusable->key);
	return psprintf("column \"%s\" is part of an expression, so %s cannot be used; compare the column directly",
					unusable->column->name, unusable->key);
}

static const char *
operator_word(Oid opno)
{
	const char *name = get_opname(opno);

	return strstr(name, "~~") == NULL ? name
		: psprintf(name[0] == '!' ? "NOT %s" : "%s",
				   strchr(name, '*') ? "ILIKE" : "LIKE");
}

static const char *
describe_collation(Oid collation)
{
	return collation == DEFAULT_COLLATION_OID ? "the default collation of the database"
		: psprintf("collation \"%s\"", get_collation_name(collation));
}

/*
 * Returns advice on a comparison (column op value) that DynamoDB cannot
 * evaluate because of its types or its collation.
 */
static const char *
explain_local(const Unusable *unusable, const DynOperator *op)
{
	const DynColumn *column = unusable->column;
	Oid			own = column->codec.basetype;
	DynOperator bytewise = *op;

	bytewise.collation = C_COLLATION_OID;
	if (OidIsValid(op->collation) &&
		dyn_operator_exactness(column, &bytewise) != DYN_LOCAL)
		return psprintf("column \"%s\" is compared by %s, so %s cannot be used; declare the column with COLLATE \"C\"",
						column->name, describe_collation(op->collation), unusable->key);
	if (op->column_type != own || op->value_type != own)
		return psprintf("column \"%s\" is compared as type %s, so %s cannot be used; cast the value to %s",
						column->name, format_type_be(op->value_type != own ? op->value_type : op->column_type),
						unusable->key, format_type_be(own));
	return psprintf("type %s of column \"%s\" cannot use %s",
					format_type_be(column->codec.typid), column->name, unusable->key);
}

static const char *
explain_comparison(Unusable *unusable, Oid opno, Oid collation, bool commuted,
				   Node *value)
{
	const DynColumn *column = unusable->column;
	DynOperator op;

	if (get_opcode(opno) == F_TEXTICLIKE)
		return psprintf("operator ILIKE on column \"%s\" cannot use %s, whose values differ by case; use = with the stored case",
						column->name, unusable->key);
	if (!dyn_describe_operator(opno, collation, &op) || op.comparison == DYN_COMPARE_NE ||
		(unusable->hash && op.comparison != DYN_COMPARE_EQ))
		return psprintf("operator %s on column \"%s\" cannot use %s%s",
						operator_word(opno), column->name, unusable->key,
						unusable->hash ? ", which requires = or IN" : "");
	if (commuted)
		dyn_commute(&op);
	if (!dyn_is_runtime_value(&unusable->classify, value))
		return psprintf("column \"%s\" is compared with a value that is unknown before items are read, so %s cannot be used",
						column->name, unusable->key);
	if (dyn_operator_exactness(column, &op) == DYN_LOCAL)
		return explain_local(unusable, &op);
	if (!column->traits.key)
		return psprintf("type %s of column \"%s\" is rounded, so %s cannot be used; use type numeric",
						format_type_be(column->codec.typid), column->name, unusable->key);
	if (!column->traits.point)
		return psprintf("values of column \"%s\" have several encodings, so %s cannot be used; set the column option \"format\" to the one in use",
						column->name, unusable->key);
	return NULL;
}

static const char *
explain_operator(Unusable *unusable, Oid opno, Oid collation, List *args)
{
	bool		commuted = !mentions(unusable, linitial(args));
	Node	   *operand = commuted ? lsecond(args) : linitial(args);
	DynType		type = unusable->attr->type;
	DynField	field;

	if (!dyn_classify_column(&unusable->classify, operand, &field) ||
		field.attnum != unusable->attnum)
		return explain_operand(unusable, operand);
	if (unusable->column->codec.wire != type)
		return psprintf("column \"%s\" of type %s cannot use %s, which has DynamoDB type %s",
						unusable->column->name, format_type_be(unusable->column->codec.typid),
						unusable->key, dyn_type_name(type));
	return explain_comparison(unusable, opno, collation, commuted,
							  commuted ? linitial(args) : lsecond(args));
}

/*
 * Returns advice on an expression that reads the column, or NULL.  The
 * arguments of an OR may restrict partition keys of different indexes.
 */
static const char *
explain_clause(Unusable *unusable, Node *node)
{
	const BoolExpr *expr = (BoolExpr *) node;
	const char *why = NULL;
	ListCell   *lc;

	check_stack_depth();
	if (IsA(node, OpExpr) && list_length(((OpExpr *) node)->args) == 2)
		return explain_operator(unusable, ((OpExpr *) node)->opno,
								((OpExpr *) node)->inputcollid, ((OpExpr *) node)->args);
	if (IsA(node, ScalarArrayOpExpr) && ((ScalarArrayOpExpr *) node)->useOr)
		return explain_operator(unusable, ((ScalarArrayOpExpr *) node)->opno,
								((ScalarArrayOpExpr *) node)->inputcollid,
								((ScalarArrayOpExpr *) node)->args);
	/* IS NOT NULL does not restrict a key, but may make an index complete */
	if (IsA(node, NullTest) || IsA(node, Var))
		return NULL;
	if (!IsA(node, BoolExpr) || expr->boolop == NOT_EXPR)
		return !contain_subplans(node) ? explain_operand(unusable, node)
			: psprintf("column \"%s\" is compared with a subquery that is not a join (such as one below OR or NOT), so %s cannot be used",
					   unusable->column->name, unusable->key);
	foreach(lc, expr->args)
	{
		if (mentions(unusable, lfirst(lc)))
			why = why ? why : explain_clause(unusable, lfirst(lc));
		else if (expr->boolop == OR_EXPR &&
				 !(unusable->hash &&
				   reads_partition_key(unusable->classify.plan, lfirst(lc))))
			return psprintf("column \"%s\" is compared in only some branches of an OR, so %s cannot be used",
							unusable->column->name, unusable->key);
	}
	return why;
}

static bool
is_restricted(const DynTarget *target, bool hash, List *clauses)
{
	ListCell   *lc;

	foreach(lc, clauses)
	{
		const DynClause *clause = lfirst(lc);
		bool		fully_consumed = true;

		if (clause->pred != NULL &&
			(dyn_implied_points(target, clause->pred, &fully_consumed) != NULL ||
			 (!hash && dyn_is_range_pred(target, clause->pred))))
			return true;
	}
	return false;
}

static const char *
explain_column(Unusable *unusable, AttrNumber attnum, const DynColumn *column,
			   List *clauses)
{
	const char *why = NULL;
	ListCell   *lc;

	unusable->attnum = attnum;
	unusable->column = column;
	foreach(lc, clauses)
	{
		const RestrictInfo *rinfo = ((DynClause *) lfirst(lc))->rinfo;

		if (why == NULL && rinfo != NULL && !rinfo->pseudoconstant &&
			mentions(unusable, (Node *) rinfo->clause))
			why = explain_clause(unusable, (Node *) rinfo->clause);
	}
	return why;
}

/*
 * Returns the reason why no clause restricts the attribute; NULL if a clause
 * does, or if no reason is found.
 */
static const char *
explain_attribute(const DynRelPlan *plan, const DynIndexMeta *index,
				  const DynKeyAttr *attr, bool hash, List *clauses)
{
	Unusable	unusable = {.classify = {plan, true, true},.attr = attr,
	.hash = hash};
	DynTarget	target = {plan, attr, NULL, NULL};
	const DynTemplatedAttr *templated = hash
		? dyn_relation_templated(plan->relation, attr->name) : NULL;
	const DynColumn *folded;
	const char *bound = NULL;	/* first reason of dyn_why_not_each */
	bool		all = true;		/* true if dyn_why_not_each returned a reason
								 * for every part without values so far */
	const char *why;

	if (is_restricted(&target, hash, clauses))
		return NULL;
	unusable.key = psprintf(index == NULL ? "%s \"%s\"" : "%s \"%s\" of index \"%s\"",
							hash ? "partition key" : "sort key",
							dyn_from_utf8_lossy(attr->name),
							index ? index->name : "");
	why = hash ? dyn_why_not_each(&target, clauses, unusable.key) : NULL;
	for (int p = 0; templated != NULL && p < templated->tmpl->nparts; p++)
	{
		const DynPart *part = &templated->parts[p];
		bool		usable;
		const char *each;

		if (why != NULL || !dyn_part_lacks_values(plan, attr, index, clauses, p, &usable))
			continue;
		all &= usable;
		if (!usable)
			continue;
		target.part = part;
		target.modifier = &templated->tmpl->parts[p];
		each = dyn_why_not_each(&target, clauses, unusable.key);
		bound = bound ? bound : each;
		all &= each != NULL;
		why = each ? NULL : explain_column(&unusable, part->attnum, &part->column, clauses);
	}
	why = why == NULL && all ? bound : why;
	for (int i = 1; why == NULL && i <= plan->relation->ncolumns; i++)
	{
		const DynColumn *column = dyn_relation_column(plan->relation, i);

		if (dyn_column_shows(column, attr->name))
			why = explain_column(&unusable, i, column, clauses);
	}
	folded = why ? NULL : dyn_relation_folded_column(plan->relation, attr->name);
	return folded == NULL ? why
		: psprintf("column \"%s\" differs from %s only in case; set its attribute with ALTER FOREIGN TABLE %s ALTER COLUMN %s OPTIONS (ADD attribute %s)",
				   folded->name, unusable.key, dyn_relation_quoted_name(plan->relation),
				   quote_identifier(folded->name),
				   quote_literal_cstr(dyn_from_utf8_lossy(attr->name)));
}

/*
 * Returns the reason why the rows of one partition are sorted, although ORDER
 * BY names the column of this sort key attribute.  Returns NULL if no sort is
 * needed, or if no declaration of the column would avoid the sort.
 */
static const char *
explain_order(const DynRelPlan *plan, const DynKeyAttr *attr)
{
	AttrNumber	attnum = dyn_relation_column_of(plan->relation, attr);
	const DynColumn *column = attnum ? dyn_relation_column(plan->relation, attnum) : NULL;
	const PathKey *first = plan->root->sort_pathkeys != NIL
		? linitial(plan->root->sort_pathkeys) : NULL;

	if (column == NULL || first == NULL ||
		!dyn_ec_has_column(first->pk_eclass, plan->rel, attnum) ||
		dyn_order_is_exact(column, first->pk_opfamily, first->pk_eclass->ec_collation))
		return NULL;
	if (dyn_order_is_exact(column, first->pk_opfamily, C_COLLATION_OID))
		return psprintf("column \"%s\" is sorted by %s, so the order of sort key \"%s\" cannot be used; declare the column with COLLATE \"C\"",
						column->name, describe_collation(first->pk_eclass->ec_collation),
						dyn_from_utf8_lossy(attr->name));
	return column->traits.point ? NULL
		: psprintf("values of column \"%s\" have several encodings, so the order of sort key \"%s\" cannot be used; set the column option \"format\" to the one in use",
				   column->name, dyn_from_utf8_lossy(attr->name));
}

/* Returns advice if clauses restrict only the index's sort key; else NULL. */
static const char *
advise_on_sort_key(const DynRelPlan *plan, const DynIndexMeta *index, List *clauses)
{
	const DynKeySchema *key = &index->key;
	DynTarget	hash = {plan, &key->hash[0], NULL, NULL};
	DynTarget	range = {plan, &key->range[0], NULL, NULL};
	AttrNumber	attnum = dyn_relation_column_of(plan->relation, hash.attr);

	return key->nhash == 1 && key->nrange == 1 && attnum != 0 &&
		!is_restricted(&hash, true, clauses) && is_restricted(&range, false, clauses)
		? psprintf("index \"%s\" could be used with a condition = or IN on column \"%s\"",
				   index->name, dyn_relation_column(plan->relation, attnum)->name)
		: NULL;
}

/* Returns why LIMIT does not bound a Scan refused by scan_policy, or NULL. */
static const char *
explain_limit(const DynRelPlan *plan, const DynAccess *access)
{
	const PlannerInfo *root = plan->root;
	const Query *parse = root->parse;
	bool		known = parse->limitCount && IsA(parse->limitCount, Const);

	if (parse->limitCount == NULL || root->query_level > 1 ||
		dyn_relation_scan_policy(plan->relation) != DYN_SCAN_ERROR ||
		access->is_small || access->preview_rows > 0 ||
		parse->hasAggs || parse->hasWindowFuncs || parse->hasTargetSRFs ||
		parse->groupClause != NIL || parse->distinctClause != NIL ||
		bms_membership(root->all_baserels) != BMS_SINGLETON ||
		(root->limit_tuples > 0 ? !dyn_is_small_read(plan->meta, NULL, root->limit_tuples) : known))
		return NULL;
	return root->sort_pathkeys != NIL
		? "LIMIT does not bound the Scan, because ORDER BY sorts all rows"
		: plan->rel->baserestrictinfo != NIL
		? "LIMIT does not bound the Scan, because the conditions may reject rows"
		: known ? NULL
		: "LIMIT does not bound the Scan, because its value is unknown during planning";
}

void
dyn_advise_on_index(const char **advice, const DynIndexMeta *index,
					const DynIndexLack *lack, const char *how)
{
	if (*advice != NULL)
		return;
	if (lack->nonempty != NULL)
		*advice = psprintf("index \"%s\" could be %s with the condition %s <> '', because an index has no empty values",
						   index->name, how, quote_identifier(lack->nonempty));
	else if (lack->column != NULL)
		*advice = psprintf("index \"%s\" could be %s if column \"%s\" were declared NOT NULL or had a condition",
						   index->name, how, lack->column);
	else if (lack->trust)
		*advice = psprintf("index \"%s\" could be %s if it were in the table option trusted_indexes; add it only if the index contains every row",
						   index->name, how);
}

const char *
dyn_advise(const DynRelPlan *plan, DynAccess *access, bool while_open, List *clauses)
{
	DynTarget	base = {plan, &plan->meta->key.hash[0], NULL, NULL};
	const DynTemplatedAttr *templated;
	bool		usable;
	const char *why = NULL;
	const char *sort = NULL;

	if (access->kind == DYN_ACCESS_QUERY)
	{
		const DynIndexMeta *index = dyn_metadata_index(plan->meta, access->index);
		const DynKeySchema *key = index ? &index->key : &plan->meta->key;

		if (access->nrow_attrs <= key->nhash && access->nrange < key->nrange)
			why = explain_attribute(plan, index, &key->range[access->nrange],
									false, clauses);
		if (why == NULL && key->nrange > 0 && !access->multi_partition)
			why = explain_order(plan, &key->range[0]);
		return why;
	}
	if (access->kind != DYN_ACCESS_SCAN)
		return NULL;
	/*
	 * a Scan that is planned for the case that a guard is true (while_open;
	 * see choice.c) cannot be replaced by keyed requests
	 */
	access->keyed = !while_open && plan->keyed_requests > 0;
	templated = dyn_relation_templated(plan->relation, base.attr->name);
	for (int p = 0; templated != NULL && p < templated->tmpl->nparts; p++)
	{
		if (dyn_part_lacks_values(plan, base.attr, NULL, plan->clauses, p, &usable))
			access->lacking = bms_add_member(access->lacking, templated->parts[p].attnum);
	}
	/* join clauses might also restrict keys */
	clauses = list_concat_copy(clauses, plan->join_clauses);
	for (int target = 0; target <= plan->meta->nindexes; target++)
	{
		const DynIndexMeta *index = dyn_index_number(plan->meta, target);
		const DynKeySchema *key = dyn_key_number(plan->meta, target);

		if (index != NULL && (!index->active || (index->global && plan->relation->consistent)))
			continue;
		for (int i = 0; i < key->nhash && why == NULL; i++)
			why = explain_attribute(plan, index, &key->hash[i], true, clauses);
		if (index != NULL && sort == NULL && !is_restricted(&base, true, clauses))
			sort = advise_on_sort_key(plan, index, clauses);
	}
	if (plan->advice != NULL || plan->segments > 0)
		why = plan->advice;
	else if (why == NULL)
		why = access->keyed
			? psprintf("keys could be used, but a Scan is estimated to cost less than %.0f requests by key%s",
					   plan->keyed_requests, plan->analyzed ? "" : "; ANALYZE may correct the estimate")
			: sort ? sort : plan->join_advice ? plan->join_advice : explain_limit(plan, access);
	/*
	 * A Scan counts as keyed, too, if the clauses select by a key but a Query
	 * is ruled out: the key has too many values, or the segment column is
	 * read.
	 */
	access->keyed |= plan->segments > 0 ? plan->advice != NULL
		: access->lacking == NULL &&
		dyn_template_demands(plan, base.attr, plan->clauses) != NULL;
	return why;
}
