/*
 * fields.c
 *		Collects a statement's fields, and checks whether an index has them.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "nodes/nodeFuncs.h"

#include "../clauses/classify.h"
#include "match_keys.h"

bool
dyn_index_covers(const DynRelPlan *plan, const DynIndexMeta *index)
{
	const DynRelation *relation = plan->relation;
	Bitmapset  *fetched = NULL; /* columns that are fetched in full */
	bool	   *needed;
	ListCell   *lc;

	if (index->projection == DYN_PROJECT_ALL)
		return true;
	foreach(lc, plan->fields)
	{
		const DynField *field = lfirst(lc);
		const DynPath *path = dyn_field_path(relation, field);

		/* a column with the full item (empty path) needs all attributes */
		if (path->nsteps == 0 ||
			!dyn_index_projects(plan->meta, index, path->steps[0].name))
			return false;
		if (field->steps == NIL)
			fetched = bms_add_member(fetched, field->attnum);
	}
	if (plan->relation->unnest != NULL &&
		!dyn_index_projects(plan->meta, index, relation->unnest->steps[0].name))
		return false;
	for (int i = 0; i < plan->relation->item_filter.nterms; i++)
	{
		if (!dyn_index_projects(plan->meta, index,
								dyn_filter_term_attribute(&relation->item_filter.terms[i])))
			return false;
	}
	if (relation->ntemplated == 0)
		return true;
	/* attributes that are read for templates, in addition to the fields */
	needed = palloc(relation->ntemplated * sizeof(bool));
	foreach(lc, dyn_templated_paths(relation->templated, relation->ntemplated,
									relation->columns, fetched, needed))
	{
		if (!dyn_index_projects(plan->meta, index,
								((DynPath *) lfirst(lc))->steps[0].name))
			return false;
	}
	return true;
}

static List *
add_scalar_above(List *names, const DynTableMeta *meta, const DynPath *path)
{
	if (path->nsteps < 2 || !dyn_is_key_attribute(meta, path->steps[0].name))
		return names;
	return list_append_unique(names, makeString(pstrdup(path->steps[0].name)));
}

void
dyn_set_fields(const DynRelPlan *plan, DynAccess *access, List *fields)
{
	const DynRelation *relation = plan->relation;
	List	   *names = NIL;
	ListCell   *lc;

	foreach(lc, fields)
		names = add_scalar_above(names, plan->meta,
								 dyn_field_path(relation, lfirst(lc)));
	for (int i = 0; i < relation->item_filter.nterms; i++)
		names = add_scalar_above(names, plan->meta, relation->item_filter.terms[i].path);
	if (relation->unnest != NULL)
		names = add_scalar_above(names, plan->meta, relation->unnest);
	access->fields = fields;
	access->scalars = names;
}

typedef struct FieldWalkerContext
{
	const DynRelPlan *plan;
	List	  **fields;
} FieldWalkerContext;

static void
add_field(FieldWalkerContext *context, AttrNumber attnum, List *steps)
{
	DynField   *field;
	ListCell   *lc;

	foreach(lc, *context->fields)
	{
		field = lfirst(lc);
		if (field->attnum == attnum && equal(field->steps, steps))
			return;
	}
	field = palloc(sizeof(DynField));
	*field = (DynField) {attnum, steps};
	*context->fields = lappend(*context->fields, field);
}

void
dyn_check_system_column(const DynRelation *relation, AttrNumber attnum)
{
	if (attnum >= 0 || attnum == TableOidAttributeNumber)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot read system columns of foreign table \"%s\"",
					relation->name),
			 errdetail("DynamoDB items have no system columns except tableoid."),
			 attnum != SelfItemPointerAttributeNumber ? 0
			 : relation->segment_column != 0
			 ? errhint("If a tool divides the table by ctid to read it in parallel, turn that off in the tool, or let it divide the table by column \"%s\".",
					   dyn_relation_column(relation, relation->segment_column)->name)
			 : errhint("If a tool divides the table by ctid to read it in parallel, turn that off in the tool, or let it divide the table by a column with option \"segment\".")));
}

static void
add_var(FieldWalkerContext *context, Var *var)
{
	const DynRelation *relation = context->plan->relation;

	if (var->varno != context->plan->rel->relid || var->varlevelsup != 0)
		return;
	if (var->varattno > 0)
		add_field(context, var->varattno, NIL);
	else if (var->varattno == 0)
	{
		for (int i = 0; i < relation->ncolumns && !context->plan->rechecked; i++)
		{
			if (!relation->columns[i].dropped &&
				!(relation->hides_segment && i + 1 == relation->segment_column))
				add_field(context, i + 1, NIL);
		}
	}
	/* dynBeginForeignScan checks child tables, because some may be pruned */
	else if (!IS_OTHER_REL(context->plan->rel))
		dyn_check_system_column(relation, var->varattno);
}

static bool
collect_walker(Node *node, FieldWalkerContext *context)
{
	DynField	field;
	bool		as_text;

	if (node == NULL)
		return false;
	if (IsA(node, Var))
	{
		add_var(context, (Var *) node);
		return false;
	}
	if (IsA(node, OpExpr) &&
		dyn_match_field(context->plan, node, &field, &as_text) &&
		dyn_relation_column(context->plan->relation, field.attnum)->traits.parts)
	{
		add_field(context, field.attnum, field.steps);
		return false;
	}
	return expression_tree_walker(node, collect_walker, context);
}

void
dyn_collect_fields(const DynRelPlan *plan, Node *node, List **fields)
{
	FieldWalkerContext	context = {plan, fields};

	(void) collect_walker(node, &context);
}
