/*
 * quals.c
 *		Classifies clauses: which predicate they mean in DynamoDB, and whether
 *		exactly.
 *
 * One function for each form of expression; each returns a predicate or NULL
 * and reports in the Judgement what it found.  Exactness follows from the
 * column's codec (model/types.h): `canonical` makes equality exact, `ordered`
 * and `total` make ranges exact.  Under on_mismatch 'null' nothing is, since a
 * value that does not fit counts as NULL here but not there.
 *
 * Text: equality under any deterministic collation, since it is equality of
 * bytes; ranges only where the collation sorts by bytes and the database's
 * encoding is UTF8, as DynamoDB sorts by the bytes of UTF-8.
 *
 * NOT is never pushed: the planner has moved it to the leaves, and those that
 * remain are guarded by the attribute's type (DynamoDB counts a missing
 * attribute as unequal).
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/stratnum.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "../dynamodb/expression.h"
#include "../model/encoding.h"
#include "../model/path.h"
#include "../model/pg_compat.h"
#include "quals.h"

typedef struct Judge
{
	PlannerInfo *root;
	Index		relid;
	const DynRelation *relation;

	/* what is found; only ever cleared on the way down */
	bool		exact;
	bool		sized;
} Judge;

static DynPred *judge_expr(Judge *judge, Node *node);

/* ---- fields and values ---- */

/* Can the expression be evaluated once, before any row is read? */
static bool
is_runtime_value(Judge *judge, Node *node)
{
	return !bms_is_member(judge->relid, pull_varnos(judge->root, node)) &&
		!contain_volatile_functions(node) &&
		!contain_subplans(node);
}

/* Casts that keep an integer's value, or spell a uuid as it is stored. */
static bool
is_transparent_cast(Oid funcid, DynCodecKind kind)
{
	switch (funcid)
	{
		case F_INT4_INT2:
		case F_INT8_INT2:
		case F_INT8_INT4:
		case F_NUMERIC_INT2:
		case F_NUMERIC_INT4:
		case F_NUMERIC_INT8:
			return kind >= DYN_CODEC_INT2 && kind <= DYN_CODEC_INT8;
		default:
			return false;
	}
}

static const DynCodec *
field_codec(const DynRelation *relation, const DynField *field)
{
	return &dyn_relation_column(relation, field->attnum)->codec;
}

static bool
match_column(Node *node, Index relid, const DynRelation *relation,
			 DynField *field)
{
	Var		   *var = (Var *) node;

	if (!IsA(node, Var) || var->varno != relid || var->varlevelsup != 0 ||
		var->varattno <= 0)
		return false;
	field->attnum = var->varattno;
	field->steps = NIL;
	return !dyn_relation_column(relation, var->varattno)->dropped;
}

/* The elements of a constant text[] as names; NIL if one is not plain. */
static List *
constant_names(Const *array)
{
	Datum	   *elems;
	bool	   *nulls;
	int			n;
	List	   *names = NIL;

	deconstruct_array(DatumGetArrayTypeP(array->constvalue), TEXTOID, -1, false,
					  TYPALIGN_INT, &elems, &nulls, &n);
	for (int i = 0; i < n; i++)
	{
		char	   *name = nulls[i] ? NULL : TextDatumGetCString(elems[i]);

		/* digits mean an element of a list or a member of a map alike */
		if (name == NULL || name[0] == '\0' ||
			strspn(name + (name[0] == '-'), "0123456789") ==
			strlen(name + (name[0] == '-')))
			return NIL;
		names = lappend(names, makeString(name));
	}
	return names;
}

/* The steps of ->, ->> (one) or #>, #>> (several); NIL if it is none of them. */
static List *
path_operator_steps(OpExpr *op, bool *as_text)
{
	Oid			function = get_opcode(op->opno);
	Const	   *right = lsecond(op->args);
	char	   *name;

	if (!IsA(right, Const) || right->constisnull)
		return NIL;
	*as_text = (function == F_JSONB_OBJECT_FIELD_TEXT ||
			 function == F_JSONB_EXTRACT_PATH_TEXT);
	switch (function)
	{
		case F_JSONB_OBJECT_FIELD:
		case F_JSONB_OBJECT_FIELD_TEXT:
			name = TextDatumGetCString(right->constvalue);
			return name[0] == '\0' ? NIL : list_make1(makeString(name));
		case F_JSONB_EXTRACT_PATH:
		case F_JSONB_EXTRACT_PATH_TEXT:
			return constant_names(right);
		default:
			return NIL;
	}
}

bool
dyn_match_field(Node *node, Index relid, const DynRelation *relation,
				DynField *field, bool *as_text)
{
	bool		inner_text;
	List	   *steps;

	*as_text = false;
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	if (!IsA(node, OpExpr) || list_length(((OpExpr *) node)->args) != 2)
		return match_column(node, relid, relation, field);
	steps = path_operator_steps((OpExpr *) node, as_text);
	if (steps == NIL ||
		!dyn_match_field(linitial(((OpExpr *) node)->args), relid, relation,
						 field, &inner_text) || inner_text ||
		field_codec(relation, field)->kind != DYN_CODEC_JSONB)
		return false;
	field->steps = list_concat_copy(field->steps, steps);
	return true;
}

/*
 * The same, through casts that do not change what is compared.  A field below
 * a jsonb column has no codec of its own, so that only its text can be compared.
 */
static bool
match_comparand(Judge *judge, Node *node, DynField *field, bool *as_text)
{
	for (;;)
	{
		Node	   *arg;

		if (IsA(node, RelabelType))
			node = (Node *) ((RelabelType *) node)->arg;
		else if (IsA(node, FuncExpr) &&
				 list_length(((FuncExpr *) node)->args) == 1 &&
				 match_comparand(judge, linitial(((FuncExpr *) node)->args),
								 field, as_text))
			return field->steps == NIL &&
				is_transparent_cast(((FuncExpr *) node)->funcid,
									field_codec(judge->relation, field)->kind);
		else if (IsA(node, CoerceViaIO))
		{
			arg = (Node *) ((CoerceViaIO *) node)->arg;
			return ((CoerceViaIO *) node)->resulttype == TEXTOID &&
				match_column(arg, judge->relid, judge->relation, field) &&
				field_codec(judge->relation, field)->kind == DYN_CODEC_UUID &&
				!(*as_text = false);
		}
		else
			return dyn_match_field(node, judge->relid, judge->relation, field,
								   as_text);
	}
}

const DynPath *
dyn_field_path(const DynRelation *relation, const DynField *field)
{
	const DynPath *path = dyn_relation_column(relation, field->attnum)->path;
	ListCell   *lc;

	foreach(lc, field->steps)
		path = dyn_path_extend(path, dyn_to_utf8(strVal(lfirst(lc))));
	return path;
}

/* ---- building predicates, and judging them ---- */

static DynPred *
make_pred(DynPredKind kind, const DynField *field)
{
	DynPred    *pred = palloc0(sizeof(DynPred));

	pred->kind = kind;
	pred->param = -1;
	if (field != NULL)
		pred->field = *field;
	return pred;
}

static DynPred *
make_value_pred(DynPredKind kind, const DynField *field, Node *value,
				Oid valuetype)
{
	DynPred    *pred = make_pred(kind, field);

	pred->value = (Expr *) value;
	pred->valuetype = valuetype;
	return pred;
}

/* Values of a filter above this size are not relied upon to fit in a request. */
#define MAX_SIZED_BYTES	4096

/*
 * Is the size of the value, on its way into a filter, bounded now?  Numbers and
 * times always are; texts if they are constants.
 */
static void
judge_size(Judge *judge, Node *value, Oid valuetype)
{
	if (valuetype != TEXTOID && valuetype != VARCHAROID &&
		valuetype != BYTEAOID)
		return;
	if (!IsA(value, Const) ||
		(!((Const *) value)->constisnull &&
		 toast_raw_datum_size(((Const *) value)->constvalue) > MAX_SIZED_BYTES))
		judge->sized = false;
}

/* A predicate over the field is exact only if `same` and mismatches are errors. */
static void
judge_field(Judge *judge, const DynField *field, bool same)
{
	if (!same || field->steps != NIL ||
		dyn_relation_column(judge->relation, field->attnum)->null_on_mismatch)
		judge->exact = false;
}

static bool
collation_is_deterministic(Oid collation)
{
	return !OidIsValid(collation) || get_collation_isdeterministic(collation);
}

static bool
collation_sorts_bytes(Oid collation)
{
	return !OidIsValid(collation) ||
		(dyn_collation_is_bytewise(collation) &&
		 GetDatabaseEncoding() == PG_UTF8);
}

/* EQ, NE, LT ... of a btree operator of its left type's family; -1 if none. */
static int
comparison_kind(Oid opno)
{
	static const DynPredKind kinds[] = {
		[BTLessStrategyNumber] = DYN_PRED_LT,
		[BTLessEqualStrategyNumber] = DYN_PRED_LE,
		[BTEqualStrategyNumber] = DYN_PRED_EQ,
		[BTGreaterEqualStrategyNumber] = DYN_PRED_GE,
		[BTGreaterStrategyNumber] = DYN_PRED_GT,
	};
	Oid			left,
				right,
				negator;
	TypeCacheEntry *type;
	int			strategy;

	op_input_types(opno, &left, &right);
	type = lookup_type_cache(left, TYPECACHE_BTREE_OPFAMILY);
	if (!OidIsValid(type->btree_opf))
		return -1;
	strategy = get_op_opfamily_strategy(opno, type->btree_opf);
	if (strategy != 0)
		return kinds[strategy];
	negator = get_negator(opno);
	if (OidIsValid(negator) &&
		get_op_opfamily_strategy(negator, type->btree_opf) ==
		BTEqualStrategyNumber)
		return DYN_PRED_NE;
	return -1;
}

/* May this comparison with the field be made in DynamoDB at all? */
static bool
comparison_is_pushable(const DynCodec *codec, int kind, Oid collation)
{
	switch (kind)
	{
		case DYN_PRED_EQ:
			return (codec->canonical || codec->ordered) &&
				collation_is_deterministic(collation);
		case DYN_PRED_NE:
			return codec->canonical && collation_is_deterministic(collation);
		default:
			return codec->ordered && collation_sorts_bytes(collation);
	}
}

/* field op value */
static DynPred *
judge_comparison(Judge *judge, int kind, const DynField *field, Node *value,
				 Oid collation)
{
	const DynCodec *codec = field_codec(judge->relation, field);
	Oid			valuetype = getBaseType(exprType(value));

	if (field->steps != NIL || !dyn_codec_accepts(codec, valuetype) ||
		!comparison_is_pushable(codec, kind, collation))
		return NULL;
	judge_field(judge, field,
				kind == DYN_PRED_EQ ? codec->canonical : codec->total);
	judge_size(judge, value, valuetype);
	return make_value_pred(kind, field, value, valuetype);
}

/* info->>'a' = value: the spelling alone decides, so that it stays a superset. */
static DynPred *
judge_text_equality(Judge *judge, int kind, const DynField *field, Node *value,
					Oid collation)
{
	if (kind != DYN_PRED_EQ || getBaseType(exprType(value)) != TEXTOID ||
		!collation_is_deterministic(collation))
		return NULL;
	judge->exact = false;
	return make_value_pred(DYN_PRED_TEXT_EQ, field, value, TEXTOID);
}

static bool
is_plain_number(const DynCodec *codec)
{
	return codec->kind >= DYN_CODEC_INT2 && codec->kind <= DYN_CODEC_NUMERIC &&
		codec->format.kind == DYN_FORMAT_NONE;
}

/* Two columns of one kind, compared in DynamoDB itself. */
static DynPred *
judge_fields(Judge *judge, int kind, const DynField *left,
			 const DynField *right, Oid collation)
{
	const DynCodec *a = field_codec(judge->relation, left);
	const DynCodec *b = field_codec(judge->relation, right);
	DynPred    *pred;

	if (kind == DYN_PRED_NE || left->steps != NIL || right->steps != NIL ||
		!((is_plain_number(a) && is_plain_number(b)) ||
		  (a->kind == DYN_CODEC_TEXT && b->kind == DYN_CODEC_TEXT)) ||
		!comparison_is_pushable(a, kind, collation) ||
		dyn_path_equal(dyn_field_path(judge->relation, left),
					   dyn_field_path(judge->relation, right)))
		return NULL;
	judge_field(judge, left, a->total);
	judge_field(judge, right, b->total);
	pred = make_pred(DYN_PRED_FIELDS, left);
	pred->op = kind;
	pred->other = right->attnum;
	return pred;
}

static int
commuted_kind(int kind)
{
	switch (kind)
	{
		case DYN_PRED_LT:
			return DYN_PRED_GT;
		case DYN_PRED_LE:
			return DYN_PRED_GE;
		case DYN_PRED_GT:
			return DYN_PRED_LT;
		case DYN_PRED_GE:
			return DYN_PRED_LE;
		default:
			return kind;
	}
}

/* ---- forms of expressions ---- */

static DynPred *
judge_prefix(Judge *judge, DynPredKind kind, Node *left, Node *right,
			 Oid collation)
{
	DynField	field;
	bool		text;

	if (!match_comparand(judge, left, &field, &text) || text ||
		field.steps != NIL || !is_runtime_value(judge, right) ||
		field_codec(judge->relation, &field)->kind != DYN_CODEC_TEXT ||
		!collation_is_deterministic(collation))
		return NULL;
	judge->exact = false;
	return make_value_pred(kind, &field, right, TEXTOID);
}

/* array_column @> array */
static DynPred *
judge_contains_all(Judge *judge, Node *left, Node *right)
{
	DynField	field;
	bool		text;
	const DynCodec *codec;
	Oid			elemtype = get_base_element_type(exprType(right));

	if (!match_comparand(judge, left, &field, &text) || text ||
		field.steps != NIL || !is_runtime_value(judge, right))
		return NULL;
	codec = field_codec(judge->relation, &field);
	if (codec->kind != DYN_CODEC_ARRAY || !codec->element->canonical ||
		!dyn_codec_accepts(codec->element, elemtype))
		return NULL;
	judge->exact = false;
	judge->sized = false;
	return make_value_pred(DYN_PRED_CONTAINS_ALL, &field, right, elemtype);
}

static DynPred *
judge_operator(Judge *judge, OpExpr *op)
{
	Node	   *left = linitial(op->args);
	Node	   *right = lsecond(op->args);
	DynField	lfield,
				rfield;
	bool		ltext = false,
				rtext = false;
	bool		lmatch,
				rmatch;
	int			kind;

	switch (get_opcode(op->opno))
	{
		case F_STARTS_WITH:
			return judge_prefix(judge, DYN_PRED_PREFIX, left, right,
								op->inputcollid);
		case F_TEXTLIKE:
			return judge_prefix(judge, DYN_PRED_LIKE, left, right,
								op->inputcollid);
		case F_ARRAYCONTAINS:
			return judge_contains_all(judge, left, right);
	}
	kind = comparison_kind(op->opno);
	if (kind < 0)
		return NULL;
	lmatch = match_comparand(judge, left, &lfield, &ltext);
	rmatch = match_comparand(judge, right, &rfield, &rtext);
	if (lmatch && rmatch)
		return ltext || rtext ? NULL
			: judge_fields(judge, kind, &lfield, &rfield, op->inputcollid);
	if (rmatch)
	{
		lfield = rfield;
		ltext = rtext;
		right = left;
		kind = commuted_kind(kind);
	}
	else if (!lmatch)
		return NULL;
	if (!is_runtime_value(judge, right))
		return NULL;
	if (ltext)
		return judge_text_equality(judge, kind, &lfield, right,
								   op->inputcollid);
	return judge_comparison(judge, kind, &lfield, right, op->inputcollid);
}

/* The number of elements if it is fixed at planning, else -1. */
static int
fixed_array_size(Node *array)
{
	if (IsA(array, Const) && !((Const *) array)->constisnull)
	{
		ArrayType  *value =
			DatumGetArrayTypeP(((Const *) array)->constvalue);

		return ArrayGetNItems(ARR_NDIM(value), ARR_DIMS(value));
	}
	if (IsA(array, ArrayExpr) && !((ArrayExpr *) array)->multidims)
		return list_length(((ArrayExpr *) array)->elements);
	return -1;
}

/* value = ANY (array_column) */
static DynPred *
judge_element(Judge *judge, ScalarArrayOpExpr *op)
{
	Node	   *value = linitial(op->args);
	DynField	field;
	bool		text;
	const DynCodec *codec;
	Oid			valuetype = getBaseType(exprType(value));

	if (!op->useOr || !is_runtime_value(judge, value) ||
		!match_comparand(judge, lsecond(op->args), &field, &text) || text ||
		field.steps != NIL)
		return NULL;
	codec = field_codec(judge->relation, &field);
	if (codec->kind != DYN_CODEC_ARRAY || !codec->element->canonical ||
		!dyn_codec_accepts(codec->element, valuetype) ||
		!collation_is_deterministic(op->inputcollid))
		return NULL;
	judge->exact = false;
	return make_value_pred(DYN_PRED_CONTAINS, &field, value, valuetype);
}

/* field = ANY (array), field <> ALL (array) */
static DynPred *
judge_array_operator(Judge *judge, ScalarArrayOpExpr *op)
{
	Node	   *array = lsecond(op->args);
	int			kind = comparison_kind(op->opno);
	DynField	field;
	bool		text;
	const DynCodec *codec;
	Oid			elemtype;

	if (kind != (op->useOr ? DYN_PRED_EQ : DYN_PRED_NE))
		return NULL;
	if (!match_comparand(judge, linitial(op->args), &field, &text))
		return kind == DYN_PRED_EQ ? judge_element(judge, op) : NULL;
	elemtype = get_base_element_type(exprType(array));
	codec = field_codec(judge->relation, &field);
	if (text || field.steps != NIL || !is_runtime_value(judge, array) ||
		!OidIsValid(elemtype) || !codec->canonical ||
		!dyn_codec_accepts(codec, elemtype) ||
		!collation_is_deterministic(op->inputcollid))
		return NULL;
	judge_field(judge, &field, kind == DYN_PRED_EQ || codec->total);
	judge_size(judge, array, elemtype);
	if (fixed_array_size(array) < 0 ||
		fixed_array_size(array) > DYN_EXPR_MAX_IN)
		judge->sized = false;
	return make_value_pred(kind == DYN_PRED_EQ ? DYN_PRED_IN : DYN_PRED_NOT_IN,
						   &field, array, elemtype);
}

/* AND: what can be pushed of it.  OR: every arm or nothing. */
static DynPred *
judge_bool(Judge *judge, BoolExpr *expr)
{
	DynPred    *pred;
	ListCell   *lc;

	if (expr->boolop == NOT_EXPR)
	{
		DynField	field;

		if (!match_column(linitial(expr->args), judge->relid, judge->relation,
						  &field) ||
			field_codec(judge->relation, &field)->kind != DYN_CODEC_BOOL)
			return NULL;
		judge_field(judge, &field,
					field_codec(judge->relation, &field)->canonical);
		return make_pred(DYN_PRED_FALSE, &field);
	}
	pred = make_pred(expr->boolop == AND_EXPR ? DYN_PRED_AND : DYN_PRED_OR, NULL);
	foreach(lc, expr->args)
	{
		DynPred    *arg = judge_expr(judge, lfirst(lc));

		if (arg != NULL)
			pred->args = lappend(pred->args, arg);
		else if (expr->boolop == OR_EXPR)
			return NULL;
		else
			judge->exact = false;
	}
	return pred->args == NIL ? NULL : pred;
}

/*
 * IS NULL: absent or of type NULL.  IS NOT NULL: present with the column's
 * type.  Under on_mismatch 'null' other types count as NULL too: not pushed.
 */
static DynPred *
judge_null_test(Judge *judge, NullTest *test)
{
	DynField	field;
	bool		text;
	const DynColumn *column;

	if (test->argisrow ||
		!dyn_match_field((Node *) test->arg, judge->relid, judge->relation,
						 &field, &text))
		return NULL;
	column = dyn_relation_column(judge->relation, field.attnum);
	if (column->null_on_mismatch || column->codec.is_domain)
		return NULL;
	judge_field(judge, &field, test->nulltesttype == IS_NULL ||
				column->codec.total);
	return make_pred(test->nulltesttype == IS_NULL ? DYN_PRED_NULL
					 : DYN_PRED_NOT_NULL, &field);
}

/* A boolean column standing alone, or IS TRUE / IS FALSE of one. */
static DynPred *
judge_boolean(Judge *judge, Node *node, DynPredKind kind)
{
	DynField	field;
	const DynCodec *codec;

	if (!match_column(node, judge->relid, judge->relation, &field))
		return NULL;
	codec = field_codec(judge->relation, &field);
	if (codec->kind != DYN_CODEC_BOOL)
		return NULL;
	judge_field(judge, &field, codec->canonical);
	return make_pred(kind, &field);
}

static DynPred *
judge_expr(Judge *judge, Node *node)
{
	switch (nodeTag(node))
	{
		case T_OpExpr:
			return list_length(((OpExpr *) node)->args) == 2
				? judge_operator(judge, (OpExpr *) node) : NULL;
		case T_ScalarArrayOpExpr:
			return judge_array_operator(judge, (ScalarArrayOpExpr *) node);
		case T_BoolExpr:
			return judge_bool(judge, (BoolExpr *) node);
		case T_NullTest:
			return judge_null_test(judge, (NullTest *) node);
		case T_BooleanTest:
			if (((BooleanTest *) node)->booltesttype == IS_TRUE)
				return judge_boolean(judge, (Node *) ((BooleanTest *) node)->arg,
									 DYN_PRED_TRUE);
			if (((BooleanTest *) node)->booltesttype == IS_FALSE)
				return judge_boolean(judge, (Node *) ((BooleanTest *) node)->arg,
									 DYN_PRED_FALSE);
			return NULL;
		case T_FuncExpr:
			if (((FuncExpr *) node)->funcid == F_STARTS_WITH)
				return judge_prefix(judge, DYN_PRED_PREFIX,
									linitial(((FuncExpr *) node)->args),
									lsecond(((FuncExpr *) node)->args),
									((FuncExpr *) node)->inputcollid);
			return NULL;
		case T_Var:
			return judge_boolean(judge, node, DYN_PRED_TRUE);
		default:
			return NULL;
	}
}

List *
dyn_quals_classify(PlannerInfo *root, RelOptInfo *baserel,
				   const DynRelation *relation, List *rinfos)
{
	List	   *clauses = NIL;
	ListCell   *lc;

	foreach(lc, rinfos)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		Judge		judge = {root, baserel->relid, relation, true, true};
		DynClause  *clause = palloc0(sizeof(DynClause));

		clause->rinfo = rinfo;
		if (!rinfo->pseudoconstant)
			clause->pred = judge_expr(&judge, (Node *) rinfo->clause);
		clause->exact = clause->pred != NULL && judge.exact;
		clause->sized = judge.sized;
		clauses = lappend(clauses, clause);
	}
	return clauses;
}

const char *
dyn_pred_attribute(const DynRelation *relation, const DynPred *pred)
{
	const DynPath *path;

	if (pred->kind < DYN_PRED_EQ || pred->kind > DYN_PRED_LIKE ||
		pred->field.steps != NIL)
		return NULL;
	path = dyn_relation_column(relation, pred->field.attnum)->path;
	return path->nsteps == 1 ? path->steps[0].name : NULL;
}

bool
dyn_pred_walk(DynPred *pred, bool (*visit) (DynPred *, void *), void *arg)
{
	ListCell   *lc;

	if (pred->kind != DYN_PRED_AND && pred->kind != DYN_PRED_OR)
		return visit(pred, arg);
	foreach(lc, pred->args)
	{
		if (dyn_pred_walk(lfirst(lc), visit, arg))
			return true;
	}
	return false;
}
