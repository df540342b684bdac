/*
 * access.c
 *		Determines the abilities of access plans and the order of their rows,
 *		and converts access plans to plan nodes.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/extensible.h"
#include "nodes/value.h"
#include "optimizer/restrictinfo.h"

#include "../../dynamodb/wire.h"
#include "../../model/server/pg_compat.h"
#include "access.h"
#include "terms.h"

bool
dyn_access_same_index(const DynAccess *a, const DynAccess *b)
{
	return a->index == NULL || b->index == NULL ? a->index == b->index
		: strcmp(a->index, b->index) == 0;
}

List *
dyn_access_key_preds(const DynAccess *access)
{
	List	   *preds = access->row_keys ? list_make1(access->row_keys) : NIL;

	for (int i = 0; i < access->nhash + access->nrange; i++)
		preds = list_concat(preds, dyn_access_match(access, i)->preds);
	return preds;
}

/* ---- abilities ---- */

static bool
compares_fields(DynPred *pred, void *arg)
{
	return pred->other != 0;
}

bool
dyn_preds_compare_fields(const List *preds)
{
	return dyn_preds_visit(preds, false, compares_fields, NULL);
}

bool
dyn_access_can(const DynAccess *access, DynAccessAbility ability)
{
	bool		gets = access->kind == DYN_ACCESS_GET;
	bool		queries = access->kind == DYN_ACCESS_QUERY;
	bool		scans = access->kind == DYN_ACCESS_SCAN;
	/* the rows of several requests are merged by sort key */
	bool		merged = access->ordered && access->multi_partition;

	switch (ability)
	{
		case DYN_CAN_BATCH:
			return (gets || queries) && !access->contradiction && !merged &&
				(!access->same_items || access->unsure);
		case DYN_CAN_CACHE:
			return (queries || scans) && !access->contradiction && !access->unsure;
		case DYN_CAN_SHARE:
			return (gets || queries || scans) && !access->contradiction &&
				!merged && !access->unsure && !access->is_presumed &&
				!dyn_preds_compare_fields(access->filters);
		case DYN_CAN_START_AHEAD:
			return access->one_request || access->one_round;
		case DYN_CAN_USE_ALL:
			return (gets && !access->multi_partition) ||
				(access->limit_hint == 0 &&
				 (!access->may_stop_early || access->one_request));
		case DYN_CAN_READ_TABLE:
			/*
			 * a Scan of the table would also count items that the index lacks,
			 * or return them although they violate unchecked clauses
			 */
			return scans && !access->contradiction &&
				(access->index == NULL || !(access->presumes || access->count_only));
		case DYN_CAN_ORDER:
			return queries && !access->fetch_base_items;
		case DYN_CAN_COUNT:
			return (queries || scans) && !access->fetch_base_items &&
				!access->rechecks_item_filter;
		case DYN_CAN_BE_SMALL:
			return scans && access->filters == NIL && !access->rechecks_item_filter;
		case DYN_CAN_PREVIEW:
			return scans && !access->contradiction && !access->fetch_base_items;
		case DYN_CAN_PRESUME:
			/* run-time values must not decide which access plan is used */
			return gets && access->filters == NIL && !access->count_only &&
				access->fallback == NULL && access->alternative == NULL;
	}
	return false;
}

/* ---- composition ---- */

List *
dyn_access_arms(const DynAccess *access)
{
	return access->arms;
}

DynAccess *
dyn_access_fallback(const DynAccess *access)
{
	return access->fallback;
}

List *
dyn_access_alternatives(const DynAccess *access)
{
	List	   *alternatives = NIL;

	for (; access != NULL; access = access->alternative)
		alternatives = lappend(alternatives, unconstify(DynAccess *, access));
	return alternatives;
}

List *
dyn_access_guards(const DynAccess *access)
{
	return access->guards;
}

DynAccess *
dyn_access_to_end(const DynAccess *access)
{
	DynAccess  *copy = memcpy(palloc(sizeof(DynAccess)), access, sizeof(DynAccess));
	ListCell   *lc;

	copy->may_stop_early = false;
	copy->preview_rows = 0;
	copy->limit_hint = 0;
	copy->arms = NIL;
	foreach(lc, access->arms)
		copy->arms = lappend(copy->arms, dyn_access_to_end(lfirst(lc)));
	if (access->fallback != NULL)
		copy->fallback = dyn_access_to_end(access->fallback);
	if (access->alternative != NULL)
		copy->alternative = dyn_access_to_end(access->alternative);
	return copy;
}

/* ---- order of rows ---- */

/*
 * A Query returns the items of one partition in the order of the sort key.
 * Strings that a key template composes may sort in the order of its columns.
 */

AttrNumber
dyn_sort_column(const DynRelation *relation, const DynSortAttr *sort)
{
	return sort->part == DYN_FULL ? dyn_relation_column_of(relation, &sort->attr)
		: dyn_relation_templated(relation, sort->attr.name)->parts[sort->part].attnum;
}

/* Adds a sort attribute; returns false if the array is full. */
static bool
add_sort(DynAccess *access, const DynKeyAttr *attr, int part, bool by_text)
{
	if (access->nsort == lengthof(access->sort))
		return false;
	access->sort[access->nsort++] = (DynSortAttr) {*attr, part, by_text};
	return true;
}

/*
 * Returns true if the part may contain the separator that follows the part, so
 * that the attribute's text alone does not determine the part.  This is so for
 * a part with the modifier "any", and for an undecided part (template_text.h)
 * whose column is also in another template.
 */
static bool
may_contain_separator(const DynRelation *relation, const DynTemplatedAttr *templated, int part)
{
	if (templated->tmpl->parts[part].any || !templated->tmpl->parts[part].undecided)
		return templated->tmpl->parts[part].any;
	for (int i = 0; i < relation->ntemplated; i++)
	{
		const DynTemplatedAttr *other = &relation->templated[i];

		for (int p = 0; other != templated && p < other->tmpl->nparts; p++)
		{
			if (other->parts[p].attnum == templated->parts[part].attnum)
				return true;
		}
	}
	return false;
}

/*
 * Adds the parts of the attribute's template as sort attributes.  Skips the
 * first `bound` parts, to which key conditions give values.  Returns false at
 * the first part that does not sort like its column, or that may differ from
 * the column in some row.  In a trusted index, parts have the columns' values
 * only if no column of the template is NULL (by NOT NULL or by a clause).
 *
 * If `merged`, rows of several requests will be merged.  With `by_text`, the
 * merge compares the full text of the attribute; the caller passes `by_text`
 * only if the first `bound` parts are the same in all rows.  Without
 * `by_text`, the merge compares the parts; then the function also returns
 * false if the attribute's text cannot be split without other attributes.
 */
static bool
sort_by_parts(const DynRelPlan *plan, const DynIndexMeta *index,
			  const DynTemplatedAttr *templated, const DynKeyAttr *attr, int bound,
			  bool by_text, bool merged, DynAccess *access)
{
	const DynTemplate *tmpl = templated->tmpl;
	bool		asserted = templated->base ||
		(index != NULL && dyn_relation_trusts(plan->relation, index->name));
	List	   *exprs = extract_actual_clauses(plan->rel->baserestrictinfo, false);

	for (int p = 0; p < tmpl->nparts; p++)
	{
		AttrNumber	attnum = templated->parts[p].attnum;

		if (merged && !by_text &&
			(!templated->parts[p].source ||
			 (p < bound && may_contain_separator(plan->relation, templated, p))))
			return false;
		asserted &= templated->base ||
			dyn_relation_column(plan->relation, attnum)->not_null ||
			dyn_var_is_nonnullable(exprs, plan->rel->relid, attnum);
	}
	for (int p = bound; p < tmpl->nparts; p++)
	{
		if (!tmpl->parts[p].ordered || !(templated->parts[p].source || asserted) ||
			!add_sort(access, attr, p, by_text))
			return false;
	}
	return true;
}

/*
 * Sets the attributes that determine the order of the rows; if `merged` is
 * true, several reads are merged by them.
 */
static void
set_sort(const DynRelPlan *plan, const DynAccess *from, bool merged, DynAccess *access)
{
	const DynIndexMeta *index = dyn_metadata_index(plan->meta, from->index);
	const DynKeySchema *key = index ? &index->key : &plan->meta->key;

	access->nsort = 0;
	for (int i = 0; i < key->nrange; i++)
	{
		const DynKeyAttr *attr = &key->range[i];
		const DynTemplatedAttr *templated = dyn_relation_templated(plan->relation, attr->name);

		/* a leading attribute with one value does not affect the order */
		if (access->nsort == 0 && i < from->nrange && from->range[i].values.single)
			continue;
		if (templated != NULL && dyn_relation_column_of(plan->relation, attr) == 0)
		{
			DynCount	values = {0};
			int			bound;

			if (i < from->nrange)
				values = from->range[i].values;
			/* only the first range attribute has a request for each value */
			bound = i == 0 ? values.point_parts : values.one_value_parts;
			if (!sort_by_parts(plan, index, templated, attr, bound,
							   bound <= values.one_value_parts,
							   merged, access))
				return;
		}
		else
			(void) add_sort(access, attr, DYN_FULL, true);
	}
}

void
dyn_sort_attributes(const DynRelPlan *plan, const DynAccess *from, DynAccess *access)
{
	AttrNumber	units = from->multi_partition ? dyn_column_of_units(plan, from) : 0;

	access->in_turn = false;
	if (units != 0)
	{
		set_sort(plan, from, false, access);
		access->in_turn = access->nsort > 0 &&
			dyn_sort_column(plan->relation, &access->sort[0]) == units;
	}
	if (!access->in_turn)
		set_sort(plan, from, from->multi_partition, access);
}

bool
dyn_access_is_valid(const DynAccess *access, const DynTableMeta *meta)
{
	const char *now = dyn_metadata_schema(meta, access->index);

	return now != NULL && strcmp(now, access->schema) == 0;
}

bool
dyn_access_is_valid_key(const DynAccess *access, const char *json, size_t len)
{
	const char *names[2 + 2 * DYN_MAX_KEY_ATTRS] = {NULL};
	ListCell   *lc;
	bool		is_valid;
	bool		out_of_memory;

	Assert(list_length(access->key_names) <= lengthof(names));
	foreach(lc, access->key_names)
		names[foreach_current_index(lc)] = strVal(lfirst(lc));
	is_valid = dyn_wire_key_names(json, len, names, list_length(access->key_names),
								  &out_of_memory);
	if (out_of_memory)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	return is_valid;
}

/* ---- copies ---- */

/*
 * The value expressions to which a copied access plan refers by position.  The
 * functions below add expressions and set positions, unless `values` is NULL.
 */
typedef struct Values
{
	List	   *exprs;			/* expressions for fdw_exprs */
	List	   *conversions;	/* DynConversion of each expression, or NULL */
	bool		closed;			/* true if no value may be added */
	bool		missing;		/* true if a needed value was neither in
								 * `exprs` nor added, because of `closed` */
} Values;

static List *copy_preds(const List *preds, Values *values);
static DynAccess *copy_access(const DynAccess *access, Values *values);

static void *
copy_bytes(const void *bytes, size_t size)
{
	return memcpy(palloc(size), bytes, size);
}

static const char *
copy_text(const char *text)
{
	return text ? pstrdup(text) : NULL;
}

/*
 * Returns the position in `values` of the value with this conversion; -1 if
 * `value` is NULL, or if it is missing and values->closed is true.  Adds a
 * value that is not among the last 100.  But a `list` is never added twice,
 * because the executor finds the parts of a key that share a list by the
 * list's position.
 */
static int
value_position(Expr *value, DynConversion *conversion, bool list, Values *values)
{
	int			nvalues = list_length(values->exprs);

	if (value == NULL)
		return -1;
	CHECK_FOR_INTERRUPTS();
	for (int i = values->closed || list ? 0 : Max(nvalues - 100, 0); i < nvalues; i++)
	{
		if (equal(list_nth(values->exprs, i), value) &&
			list_nth(values->conversions, i) == conversion)
			return i;
	}
	values->missing |= values->closed;
	if (values->closed)
		return -1;
	values->exprs = lappend(values->exprs, value);
	values->conversions = lappend(values->conversions, conversion);
	return nvalues;
}

/*
 * Returns a copy of the conversion without operand expressions.  Unless
 * `values` is NULL, the copy has the operands' positions in `values`.
 */
static DynConversion *
copy_conversion(const DynConversion *conversion, Values *values)
{
	DynConversion *copy = copy_bytes(conversion, sizeof(DynConversion));
	ListCell   *lc;

	copy->steps = NIL;
	foreach(lc, conversion->steps)
	{
		DynConversionStep *step = copy_bytes(lfirst(lc), sizeof(DynConversionStep));

		if (values != NULL)
			step->param = value_position(step->operand, NULL, false, values);
		step->operand = NULL;
		copy->steps = lappend(copy->steps, step);
	}
	return copy;
}

static DynPred *
copy_pred(const DynPred *pred, Values *values)
{
	DynPred    *copy = copy_bytes(pred, sizeof(DynPred));

	check_stack_depth();
	if (values != NULL)
	{
		copy->param = value_position(pred->value, pred->conversion, pred->array,
									 values);
		copy->value = NULL;
		copy->conversion = NULL;
	}
	copy->field.steps = copyObject(pred->field.steps);
	copy->args = copy_preds(pred->args, values);
	return copy;
}

static List *
copy_preds(const List *preds, Values *values)
{
	List	   *copies = NIL;
	ListCell   *lc;

	foreach(lc, preds)
		copies = lappend(copies, copy_pred(lfirst(lc), values));
	return copies;
}

static void
copy_attrs(DynKeyAttr *attrs, int n)
{
	for (int i = 0; i < n; i++)
		attrs[i].name = copy_text(attrs[i].name);
}

/*
 * Copies a fallback.  Omits filters whose values are not in `values`.  If a
 * value of the keys is not in `values`, the copy is a Scan.  The rows remain
 * the same, because all clauses are checked for a fallback's rows.
 */
static DynAccess *
copy_fallback(const DynAccess *fallback, Values *values)
{
	DynAccess	access = *fallback;
	DynAccess  *copy;
	ListCell   *lc;

	Assert(fallback->index == NULL && fallback->conditions == NIL);
	values->closed = true;
	access.filters = NIL;
	foreach(lc, fallback->filters)
	{
		values->missing = false;
		(void) copy_pred(lfirst(lc), values);
		if (!values->missing)
			access.filters = lappend(access.filters, lfirst(lc));
	}
	values->missing = false;
	copy = copy_access(&access, values);
	if (values->missing)
	{
		access.kind = DYN_ACCESS_SCAN;
		access.nhash = access.nrange = access.nrow_attrs = 0;
		access.row_keys = NULL;
		copy = copy_access(&access, values);
	}
	values->closed = false;
	return copy;
}

static DynAccess *
copy_access(const DynAccess *access, Values *values)
{
	DynAccess  *copy = copy_bytes(access, sizeof(DynAccess));
	ListCell   *lc;

	copy->index = copy_text(access->index);
	copy->schema = copy_text(access->schema);
	copy->advice = copy_text(access->advice);
	copy->lacking = bms_copy(access->lacking);
	for (int i = 0; i < copy->nhash + copy->nrange; i++)
	{
		DynKeyMatch *match = unconstify(DynKeyMatch *, dyn_access_match(copy, i));

		copy_attrs(&match->attr, 1);
		match->preds = copy_preds(match->preds, values);
	}
	if (copy->row_keys != NULL)
		copy->row_keys = copy_pred(copy->row_keys, values);
	copy_attrs(copy->row_attrs, copy->nrow_attrs);
	for (int i = 0; i < copy->nsort; i++)
		copy_attrs(&copy->sort[i].attr, 1);
	copy_attrs(copy->base, copy->nbase);
	copy->key_names = copyObject(access->key_names);
	copy->scalars = copyObject(access->scalars);
	copy->filters = copy_preds(access->filters, values);
	copy->fields = NIL;
	foreach(lc, access->fields)
	{
		DynField   *field = copy_bytes(lfirst(lc), sizeof(DynField));

		field->steps = copyObject(field->steps);
		copy->fields = lappend(copy->fields, field);
	}
	copy->text_types = copyObject(access->text_types);
	copy->conversions = NIL;
	foreach(lc, access->conversions)
		copy->conversions = lappend(copy->conversions,
									copy_conversion(lfirst(lc), NULL));
	copy->conditions = NIL;
	foreach(lc, access->conditions)
	{
		DynIndexCondition *condition = copy_bytes(lfirst(lc), sizeof(DynIndexCondition));

		copy_attrs(&condition->attr, 1);
		condition->preds = copy_preds(condition->preds, values);
		copy->conditions = lappend(copy->conditions, condition);
	}
	copy->guards = copy_preds(copy->guards, values);
	copy->arms = NIL;
	foreach(lc, access->arms)
		copy->arms = lappend(copy->arms, copy_access(lfirst(lc), values));
	if (access->alternative != NULL)
		copy->alternative = copy_access(access->alternative, values);
	/* copy the fallback last, because it uses values that the rest has added */
	if (access->fallback != NULL)
		copy->fallback = values ? copy_fallback(access->fallback, values)
			: copy_access(access->fallback, NULL);
	/* used only during planning */
	copy->key_rinfos = copy->hash_rinfos = copy->filter_rinfos = NIL;
	copy->exact_rinfos = copy->local_rinfos = NIL;
	copy->having = copy->checks = NIL;
	return copy;
}

/* ---- plan nodes ---- */

typedef struct AccessNode
{
	ExtensibleNode node;
	DynAccess  *access;
} AccessNode;

static void
copy_node(ExtensibleNode *new, const ExtensibleNode *old)
{
	((AccessNode *) new)->access =
		copy_access(((const AccessNode *) old)->access, NULL);
}

static bool
equal_nodes(const ExtensibleNode *a, const ExtensibleNode *b)
{
	return ((const AccessNode *) a)->access == ((const AccessNode *) b)->access;
}

/* Writes the node for debug_print_plan. */
static void
print_node(struct StringInfoData *text, const ExtensibleNode *node)
{
	const DynAccess *access = ((const AccessNode *) node)->access;

	appendStringInfo(text, " :kind %d :index ", access->kind);
	outToken(text, access->index);
}

/* Never called: our scans are not parallel, and only workers read nodes. */
static void
read_node(ExtensibleNode *node)
{
	elog(ERROR, "access plans cannot be read");
}

static const ExtensibleNodeMethods node_methods = {
	.extnodename = "DynamoAccess",
	.node_size = sizeof(AccessNode),
	.nodeCopy = copy_node,
	.nodeEqual = equal_nodes,
	.nodeOut = print_node,
	.nodeRead = read_node
};

void
dyn_access_init(void)
{
	RegisterExtensibleNodeMethods(&node_methods);
}

Node *
dyn_access_node(const DynAccess *access, List **exprs)
{
	AccessNode *node = (AccessNode *) newNode(sizeof(AccessNode), T_ExtensibleNode);
	Values		values = {.closed = false};
	ListCell   *lc;

	node->node.extnodename = node_methods.extnodename;
	node->access = copy_access(access, &values);
	foreach(lc, values.conversions)
	{
		DynConversion *conversion;

		if (lfirst(lc) == NULL)
			continue;
		conversion = copy_conversion(lfirst(lc), &values);
		conversion->param = foreach_current_index(lc);
		node->access->conversions = lappend(node->access->conversions, conversion);
	}
	*exprs = values.exprs;
	return (Node *) node;
}

const DynAccess *
dyn_access_of_node(const Node *node)
{
	Assert(strcmp(((const ExtensibleNode *) node)->extnodename,
				  node_methods.extnodename) == 0);
	return ((const AccessNode *) node)->access;
}
