/*
 * explain.c
 *		Shows an access plan, and its cost, in EXPLAIN.
 *
 * Conditions have DynamoDB's attribute names, and look the same in all formats
 * of EXPLAIN.  Values are printed as SQL expressions, since EXPLAIN without
 * ANALYZE evaluates no expression.
 */
#include "postgres.h"

#include "../../model/server/memory.h"
#include "commands/explain.h"
#include "miscadmin.h"
#include "utils/ruleutils.h"

#include "../../model/server/encoding.h"
#include "../../model/server/pg_compat.h"
#include "../../model/session/budget.h"
#include "../keys/filter.h"
#include "scan.h"

typedef struct Printer
{
	const DynRelation *relation;
	List	   *exprs;			/* fdw_exprs (run-time expressions) */
	List	   *context;		/* context for deparse_expression */
	bool		useprefix;
	const DynTemplatePart *part;	/* placeholder being printed, or NULL */
	StringInfoData buf;
} Printer;

static const char *const comparison_words[] = {
	[DYN_COMPARE_EQ] = "=",
	[DYN_COMPARE_NE] = "<>",
	[DYN_COMPARE_LT] = "<",
	[DYN_COMPARE_LE] = "<=",
	[DYN_COMPARE_GT] = ">",
	[DYN_COMPARE_GE] = ">=",
};

/* Returns the operator, including a fixed operand (IS NULL, = true). */
static const char *
pred_words(const DynPred *pred)
{
	switch (pred->kind)
	{
		case DYN_PRED_LIKE:
			return pred->literal ? "begins_with" : "LIKE";
		case DYN_PRED_CONTAINS:
			return pred->array ? "contains ALL" : "contains";
		case DYN_PRED_NULL:
			return pred->negated ? "IS NOT NULL" : "IS NULL";
		case DYN_PRED_BOOLEAN:
			return pred->negated ? "= false" : "= true";
		default:
			if (pred->array)
				return dyn_pred_is_point(pred) ? "= ANY" : "<> ALL";
			return comparison_words[pred->operator.comparison];
	}
}

static void print_pred(Printer *printer, const DynPred *pred, bool nested);

static void
print_text(Printer *printer, const char *text, size_t len)
{
	appendStringInfoString(&printer->buf, dyn_from_utf8_lossy(pnstrdup(text, len)));
}

/*
 * Prints the left side of a predicate: the path of an attribute, or the name
 * of a column without a path (placeholder, full item, Scan segment).
 */
static void
print_subject(Printer *printer, const DynPred *pred)
{
	const DynColumn *column = dyn_relation_column(printer->relation, pred->field.attnum);
	const DynPath *path = dyn_field_path(printer->relation, &pred->field);

	if (printer->part != NULL)
		print_text(printer, printer->part->column.data, printer->part->column.len);
	else
		appendStringInfoString(&printer->buf, path->nsteps > 0 && column->segments == 0
							   ? dyn_path_text(path) : column->name);
}

static void
print_value(Printer *printer, const DynPred *pred)
{
	const char *value = deparse_expression(list_nth(printer->exprs, pred->param),
										   printer->context,
										   printer->useprefix, false);

	if (pred->bound == DYN_BOUND_LOWER || pred->bound == DYN_BOUND_UPPER)
		appendStringInfo(&printer->buf, "%s(%s)", pred->bound == DYN_BOUND_LOWER
						 ? "first" : "last", value);
	else
		appendStringInfoString(&printer->buf, value);
}

static void
print_list(Printer *printer, List *preds, const char *word, bool nested)
{
	bool		parens = nested && list_length(preds) > 1;
	ListCell   *lc;

	if (parens)
		appendStringInfoChar(&printer->buf, '(');
	foreach(lc, preds)
	{
		if (lc != list_head(preds))
			appendStringInfo(&printer->buf, " %s ", word);
		print_pred(printer, lfirst(lc), true);
	}
	if (parens)
		appendStringInfoChar(&printer->buf, ')');
}

static void
print_term(Printer *printer, const DynFilterTerm *term)
{
	DynBuffer	text;

	dyn_buffer_init(&text, 0);
	if (term->or_null)
		dyn_buffer_append_str(&text, "(");
	if (term->ttl)
	{
		dyn_path_print(term->path, &text);
		dyn_buffer_append_str(&text, " NOT EXPIRED");
	}
	else
		dyn_expr_condition(NULL, dyn_filter_term_cond(term), &text);
	if (term->or_null)
		dyn_buffer_append_str(&text, ")");
	appendStringInfoString(&printer->buf, dyn_take_text(&text));
}

/*
 * Returns the encoded constant that a placeholder must be equal to.  Returns
 * NULL if there is none, or if the value is converted to the column's type
 * only at run time (DynConversion).
 */
static const char *
constant_of_part(const Printer *printer, const DynPart *part, const DynPred *arg)
{
	const DynPred *pred = list_length(arg->args) == 1 ? linitial(arg->args) : arg;
	const Const *value;
	DynScalar	scalar;

	if (!dyn_pred_compares(pred, DYN_COMPARE_EQ) || pred->bound != DYN_BOUND_NONE)
		return NULL;
	value = list_nth(printer->exprs, pred->param);
	if (!IsA(value, Const) || value->constisnull ||
		dyn_codec_encode(&part->column.codec, pred->valuetype, value->constvalue,
						 &scalar) != DYN_ENCODED)
		return NULL;
	return pnstrdup(scalar.data, scalar.len);
}

/* Returns the conditions printed after the template, such as n > 5. */
static List *
conditions_of_part(const DynPred *arg)
{
	const DynPred *last = arg->kind == DYN_PRED_AND ? llast(arg->args) : arg;

	if (arg->kind != DYN_PRED_AND ||
		(list_length(arg->args) == 1 && dyn_pred_compares(last, DYN_COMPARE_EQ)))
		return NIL;
	/*
	 * omit `last` if it is of kind EACH and has no bounds, because then it
	 * excludes none of the values that the template lists
	 */
	return last->kind == DYN_PRED_EACH && last->args == NIL
		? list_copy_head(arg->args, list_length(arg->args) - 1) : arg->args;
}

/*
 * Prints ${column}, or ${column = value} if the column must be equal to a
 * value.  If the value is a constant, and the placeholder does not fold case,
 * prints only the constant, such as 17.
 */
static void
print_part(Printer *printer, const DynTemplatedAttr *templated, int p, const DynPred *arg)
{
	const DynTemplatePart *part = &templated->tmpl->parts[p];
	const char *constant = constant_of_part(printer, &templated->parts[p], arg);

	if (constant != NULL && part->folding == DYN_FOLD_NONE)
	{
		print_text(printer, constant, strlen(constant));
		return;
	}
	appendStringInfoString(&printer->buf, "${");
	printer->part = part;
	if (arg->kind == DYN_PRED_AND && conditions_of_part(arg) == NIL)
		print_list(printer, arg->args, "AND", false);
	else
		print_text(printer, part->column.data, part->column.len);
	printer->part = NULL;
	appendStringInfoChar(&printer->buf, '}');
}

/* Prints text such as "pk = user#a@x" or "sk = order#${n} AND n > 5". */
static void
print_templated(Printer *printer, const DynPred *pred)
{
	const DynTemplatedAttr *templated = &printer->relation->templated[pred->templated];
	const DynTemplate *tmpl = templated->tmpl;
	int			p = 0;
	ListCell   *lc;

	appendStringInfo(&printer->buf, "%s%s", dyn_path_text(templated->path),
					 list_length(pred->args) == tmpl->nparts ? " = " : " begins_with ");
	print_text(printer, tmpl->literals[0].data, tmpl->literals[0].len);
	foreach(lc, pred->args)
	{
		print_part(printer, templated, p++, lfirst(lc));
		print_text(printer, tmpl->literals[p].data, tmpl->literals[p].len);
	}
	foreach(lc, pred->args)
	{
		List	   *conditions = conditions_of_part(lfirst(lc));

		if (conditions == NIL)
			continue;
		appendStringInfoString(&printer->buf, " AND ");
		printer->part = &tmpl->parts[foreach_current_index(lc)];
		print_list(printer, conditions, "AND", false);
	}
	printer->part = NULL;
}

/* Prints the bounds of DYN_PRED_EACH; >= and <= are printed as BETWEEN. */
static void
print_each(Printer *printer, const DynPred *pred)
{
	const DynPred *lower = linitial(pred->args);
	const DynPred *upper = llast(pred->args);

	if (list_length(pred->args) != 2 || !dyn_pred_compares(lower, DYN_COMPARE_GE) ||
		!dyn_pred_compares(upper, DYN_COMPARE_LE))
	{
		print_list(printer, pred->args, "AND", false);
		return;
	}
	print_subject(printer, pred);
	appendStringInfoString(&printer->buf, " BETWEEN ");
	print_value(printer, lower);
	appendStringInfoString(&printer->buf, " AND ");
	print_value(printer, upper);
}

static void
print_comparison(Printer *printer, const DynPred *pred)
{
	print_subject(printer, pred);
	appendStringInfo(&printer->buf, " %s", pred_words(pred));
	if (pred->kind == DYN_PRED_FIELDS)
		appendStringInfo(&printer->buf, " %s",
						 dyn_path_text(dyn_relation_column(printer->relation,
														   pred->other)->path));
	else if (pred->param >= 0)
	{
		appendStringInfoChar(&printer->buf, ' ');
		print_value(printer, pred);
	}
}

static void
print_pred(Printer *printer, const DynPred *pred, bool nested)
{
	check_stack_depth();
	switch (pred->kind)
	{
		case DYN_PRED_AND:
		case DYN_PRED_OR:
			print_list(printer, pred->args, pred->kind == DYN_PRED_AND ? "AND" : "OR", nested);
			break;
		case DYN_PRED_TEMPLATED:
			print_templated(printer, pred);
			break;
		case DYN_PRED_FILTER_TERM:
			print_term(printer, &printer->relation->item_filter.terms[pred->term]);
			break;
		case DYN_PRED_GIVEN:
			print_value(printer, pred);
			break;
		case DYN_PRED_EACH:
			print_each(printer, pred);
			break;
		default:
			print_comparison(printer, pred);
			break;
	}
}

static void
show_preds(Printer *printer, const char *label, List *preds, ExplainState *es)
{
	if (preds == NIL)
		return;
	initStringInfo(&printer->buf);
	print_list(printer, preds, "AND", false);
	ExplainPropertyText(label, printer->buf.data, es);
}

/*
 * Shows the conditions that are checked locally to decide whether an item is a
 * row: the templates of the table's key, and the terms of the item filter that
 * the requests do not contain.
 */
static void
show_item_filter(Printer *printer, const DynAccess *access, ExplainState *es)
{
	const DynItemFilter *test = &printer->relation->item_filter;
	Bitmapset  *sent = NULL;
	ListCell   *lc;

	if (!access->rechecks_item_filter)
		return;
	foreach(lc, access->fetch_base_items ? NIL
			: list_concat(dyn_access_key_preds(access), access->filters))
	{
		const DynPred *pred = lfirst(lc);

		if (pred->kind == DYN_PRED_FILTER_TERM)
			sent = bms_add_member(sent, pred->term);
	}
	initStringInfo(&printer->buf);
	for (int i = 0; i < printer->relation->ntemplated; i++)
	{
		const DynTemplatedAttr *templated = &printer->relation->templated[i];

		if (templated->base)
			appendStringInfo(&printer->buf, "%s%s = %s",
							 printer->buf.len > 0 ? " AND " : "",
							 dyn_path_text(templated->path),
							 dyn_templated_text(templated));
	}
	for (int i = 0; i < test->nterms; i++)
	{
		if (bms_is_member(i, sent))
			continue;
		if (printer->buf.len > 0)
			appendStringInfoString(&printer->buf, " AND ");
		print_term(printer, &test->terms[i]);
	}
	if (printer->buf.len > 0)
		ExplainPropertyText("Item Filter", printer->buf.data, es);
}

/* `batched` is true if a lookup join requests keys of several executions. */
static const char *
operation_word(const DynAccess *access, bool batched)
{
	switch (access->kind)
	{
		case DYN_ACCESS_GET:
			return access->multi_partition || batched ? "BatchGetItem"
				: "GetItem";
		case DYN_ACCESS_QUERY:
			if (access->fetch_base_items)
				return "Query, then BatchGetItem";
			return access->multi_partition ? "Query per key" : "Query";
		case DYN_ACCESS_UNION:
			return "Union";
		default:
			return "Scan";
	}
}

static void
show_counters(const DynCounters *counters, ExplainState *es)
{
	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		appendStringInfoSpaces(es->str, es->indent * 2);
		appendStringInfo(es->str,
						 "Requests: " UINT64_FORMAT "  Pages: " UINT64_FORMAT
						 "  Items Read: " UINT64_FORMAT
						 "  Items Returned: " UINT64_FORMAT
						 "  Read Units: %g  Retries: " UINT64_FORMAT "\n",
						 counters->requests, counters->pages,
						 counters->items_read, counters->items_returned,
						 counters->read_units, counters->retries);
		if (counters->throttles == 0 && counters->waited_ms < 0.5)
			return;
		appendStringInfoSpaces(es->str, es->indent * 2);
		appendStringInfo(es->str, "Throttles: " UINT64_FORMAT "  Throttle Wait: %.0f ms\n",
						 counters->throttles, counters->waited_ms);
		return;
	}
	ExplainPropertyUInteger("Requests", NULL, counters->requests, es);
	ExplainPropertyUInteger("Pages", NULL, counters->pages, es);
	ExplainPropertyUInteger("Items Read", NULL, counters->items_read, es);
	ExplainPropertyUInteger("Items Returned", NULL, counters->items_returned, es);
	ExplainPropertyFloat("Read Units", NULL, counters->read_units, 1, es);
	ExplainPropertyUInteger("Retries", NULL, counters->retries, es);
	ExplainPropertyUInteger("Throttles", NULL, counters->throttles, es);
	ExplainPropertyFloat("Throttle Wait", "ms", counters->waited_ms, 0, es);
	ExplainPropertyUInteger("Bytes", NULL, counters->bytes, es);
}

/* Shows durations, but omits them in text format if no requests were sent. */
static void
show_times(const ForeignScanState *node, const DynScan *scan, ExplainState *es)
{
	const DynCounters *counters = &scan->input.scandesc->counters;
	double		ms = node->ss.ps.instrument ? dyn_instrumented_ms(&node->ss.ps) : 0;

	/*
	 * percentage of the node's execution time in which the node waited for
	 * DynamoDB, or -1 if it is unknown, because the time was not measured, or
	 * another node may have waited for this node's requests
	 */
	double		percent = ms <= 0 || counters->waiting_ms > ms || scan->group != NULL ||
		scan->input.was_member ? -1 : counters->waiting_ms * 100 / ms;

	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		if (counters->request_ms <= 0)
			return;
		appendStringInfoSpaces(es->str, es->indent * 2);
		appendStringInfo(es->str, "Request Time: %.1f ms  Slowest: %.1f ms  Request Wait: %.1f ms",
						 counters->request_ms, counters->slowest_ms,
						 counters->waiting_ms);
		if (percent >= 0)
			appendStringInfo(es->str, " (%.0f%%)", percent);
		appendStringInfoChar(es->str, '\n');
		return;
	}
	ExplainPropertyFloat("Request Time", "ms", counters->request_ms, 3, es);
	ExplainPropertyFloat("Slowest Request", "ms", counters->slowest_ms, 3, es);
	ExplainPropertyFloat("Request Wait", "ms", counters->waiting_ms, 3, es);
	if (percent >= 0)
		ExplainPropertyFloat("Request Wait Percent", "%", percent, 1, es);
}

static void
show_estimate(const DynAccess *access, ExplainState *es)
{
	const DynEstimate *estimate = &access->estimate;
	double		seconds = dyn_reads_wait_ms(&estimate->reads,
											&estimate->prices) / 1000;

	if (estimate->assumed && access->kind == DYN_ACCESS_SCAN)
		return;
	ExplainPropertyFloat("Estimated Read Units", NULL,
						 estimate->reads.units + estimate->reads.base_units, 1,
						 es);
	if (estimate->prices.known &&
		(seconds >= 0.1 || es->format != EXPLAIN_FORMAT_TEXT))
		ExplainPropertyFloat("Minimum Time", "s", seconds, 1, es);
}

static void
show_access(const DynAccess *access, ExplainState *es)
{
	if (access->kind == DYN_ACCESS_QUERY && access->ordered)
		ExplainPropertyText("Order", access->backward ? "descending" : "ascending",
							es);
	if (access->count_only)
		ExplainPropertyText("Select", "COUNT", es);
	if (access->limit_hint > 0)
		ExplainPropertyInteger("First Page Limit", NULL, access->limit_hint, es);
	if (access->advice != NULL)
		ExplainPropertyText("Hint", access->advice, es);
}

/*
 * Shows the guards, such as $1 IS NULL, that select one of several access plans
 * (plan/paths/choice.c), and the access plans that are not used.  Without
 * ANALYZE, guards are not evaluated, but assumed to be false.
 */
static void
show_guards(Printer *printer, const DynScan *scan, ExplainState *es)
{
	const DynAccess *shown = scan->input.scandesc->access;
	List	   *guards = dyn_access_guards(scan->planned);
	ListCell   *lc;

	if (guards == NIL)
		return;
	initStringInfo(&printer->buf);
	print_list(printer, guards, "OR", false);
	ExplainPropertyText(scan->planned == shown ? "Alternative If" : "Alternative Used Because",
						printer->buf.data, es);
	resetStringInfo(&printer->buf);
	foreach(lc, dyn_access_alternatives(scan->planned))
	{
		const DynAccess *alternative = lfirst(lc);
		List	   *keys = dyn_access_key_preds(alternative);

		if (alternative == shown)
			continue;
		appendStringInfo(&printer->buf, "%s%s", printer->buf.len > 0 ? "; " : "",
						 operation_word(alternative, false));
		if (alternative->index != NULL)
			appendStringInfo(&printer->buf, " of %s", alternative->index);
		if (keys == NIL)
			continue;
		appendStringInfoString(&printer->buf, " where ");
		print_list(printer, keys, "AND", false);
	}
	ExplainPropertyText("Alternative", printer->buf.data, es);
}

/* Appends the global indexes whose capacity is used, and "" for the table. */
static List *
add_capacities(List *names, const DynAccess *access)
{
	ListCell   *lc;

	foreach(lc, dyn_access_arms(access))
		names = add_capacities(names, lfirst(lc));
	if (access->kind == DYN_ACCESS_UNION)
		return names;
	if (access->global)
		names = list_append_unique(names, makeString(pstrdup(access->index)));
	if (!access->global || access->fetch_base_items)
		names = list_append_unique(names, makeString(""));
	return names;
}

static void
show_budgets(const DynRelation *relation, const DynAccess *access,
			 ExplainState *es)
{
	const DynTableMeta *meta = dyn_session_cached_table(relation->connection,
														relation->table);
	StringInfoData buf;
	ListCell   *lc;

	initStringInfo(&buf);
	dyn_budget_append_text(&buf, relation->connection->max_read_units_per_second, "the server");
	dyn_budget_append_text(&buf, relation->max_read_units_per_second, "the table");
	foreach(lc, meta ? add_capacities(NIL, access) : NIL)
	{
		const char *name = strVal(lfirst(lc));
		const DynIndexMeta *index = dyn_metadata_index(meta, name);

		dyn_budget_append_text(&buf,
							   dyn_capacity_share(index ? &index->throughput
												  : &meta->throughput,
												  relation->options.read_capacity,
												  relation->options.read_percent),
							   index ? psprintf("the capacity of index %s", name)
							   : "the table's capacity");
	}
	dyn_budget_show("Read Unit Budget", &buf, es);
}

static void
show_target(Printer *printer, const DynAccess *access, ExplainState *es)
{
	if (access->index != NULL)
		ExplainPropertyText("Index", access->index, es);
	if (access->segments > 0)
	{
		ExplainPropertyInteger("Total Segments", NULL, access->segments, es);
		show_preds(printer, "Segment Condition", dyn_access_key_preds(access), es);
	}
	else
		show_preds(printer, "Key Condition", dyn_access_key_preds(access), es);
	show_preds(printer, "Remote Filter", access->filters, es);
	show_item_filter(printer, access, es);
}

static void
show_arms(Printer *printer, const DynAccess *access, ExplainState *es)
{
	bool		text = es->format == EXPLAIN_FORMAT_TEXT;
	ListCell   *lc;

	if (dyn_access_arms(access) == NIL)
		return;
	ExplainOpenGroup("Branches", "Branches", false, es);
	foreach(lc, dyn_access_arms(access))
	{
		const DynAccess *arm = lfirst(lc);

		ExplainOpenGroup("Branch", NULL, true, es);
		ExplainPropertyText(text ? "Branch" : "Remote Operation",
							operation_word(arm, false), es);
		es->indent += text ? 1 : 0;
		show_target(printer, arm, es);
		show_access(arm, es);
		es->indent -= text ? 1 : 0;
		ExplainCloseGroup("Branch", NULL, true, es);
	}
	ExplainCloseGroup("Branches", "Branches", false, es);
}

void
dynExplainForeignScan(ForeignScanState *node, ExplainState *es)
{
	DynScan    *scan = node->fdw_state;
	const DynScanDesc *scandesc = scan->input.scandesc;
	const DynAccess *access = scandesc->access;
	Printer		printer = {
		.relation = scandesc->relation,
		.exprs = ((ForeignScan *) node->ss.ps.plan)->fdw_exprs,
		.context = set_deparse_context_plan(es->deparse_cxt, node->ss.ps.plan, NIL),
		.useprefix = list_length(es->rtable) > 1,
	};
	DynBuffer	text;
	ListCell   *lc;

	/* in structured formats, core's own property is named "Operation" */
	ExplainPropertyText(es->format == EXPLAIN_FORMAT_TEXT ? "Operation"
						: "Remote Operation",
						access->is_presumed ? "none, the write requires that the row exists"
						: operation_word(access, scan->input.has_prefetcher), es);
	ExplainPropertyText("Remote Table", scandesc->relation->table, es);
	show_target(&printer, access, es);
	show_arms(&printer, access, es);
	if (printer.relation->unnest != NULL)
		ExplainPropertyText("Unnest", dyn_path_text(printer.relation->unnest), es);
	if (es->verbose && !access->count_only && !access->is_presumed)
	{
		dyn_buffer_init(&text, 0);
		dyn_expr_projection(NULL, scandesc->rows->projection,
							scandesc->rows->nprojection, &text);
		ExplainPropertyText("Projection", scandesc->rows->full ? "all attributes"
							: dyn_take_text(&text), es);
	}
	if (!access->is_presumed &&
		(scandesc->relation->consistent ||
		 (es->analyze && scandesc->relation->own_writes && !access->global)))
		ExplainPropertyBool("Consistent Read", true, es);
	show_access(access, es);
	show_guards(&printer, scan, es);
	show_budgets(scandesc->relation, access, es);
	if (es->costs && !access->is_presumed)
		show_estimate(access, es);
	if (!es->analyze)
		return;
	show_counters(&scandesc->counters, es);
	if (es->timing)
		show_times(node, scan, es);
	foreach(lc, scan->input.openers)
	{
		const DynOpener *opener = lfirst(lc);

		if (opener->explain != NULL)
			opener->explain(opener->state, es);
	}
	if (scan->input.fallbacks > 0)
		ExplainPropertyUInteger("Table Fallbacks", NULL, scan->input.fallbacks, es);
}
