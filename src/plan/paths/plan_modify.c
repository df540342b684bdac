/*
 * plan_modify.c
 *		Plans statements that write: finds the columns that identify a row, and
 *		those that the condition of the write compares; permits ON CONFLICT
 *		(key).
 *
 * PostgreSQL locks a row before it computes the new one.  DynamoDB has no
 * locks, so the write has a condition instead, the guard: the columns in the
 * statement's conditions and assigned expressions must be unchanged.  Columns
 * that are only assigned are not compared: the last writer wins.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/appendinfo.h"
#include "optimizer/optimizer.h"
#include "optimizer/prep.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "utils/lsyscache.h"
#include "utils/partcache.h"
#include "utils/rel.h"

#include "../../model/server/pg_compat.h"
#include "../clauses/classify.h"
#include "../keys/match_keys.h"
#include "planner.h"

char *
dyn_row_identity_name(Relation relation, AttrNumber attnum)
{
	Form_pg_attribute attr = TupleDescAttr(RelationGetDescr(relation), attnum - 1);

	return psprintf("dynamo_fdw.%d.%u.%d.%u", attnum, attr->atttypid,
					attr->atttypmod, attr->attcollation);
}

static List *
integers_of(const Bitmapset *members)
{
	List	   *integers = NIL;

	for (int member = -1; (member = bms_next_member(members, member)) >= 0;)
		integers = lappend_int(integers, member);
	return integers;
}

static Bitmapset *
members_of(const List *integers)
{
	Bitmapset  *members = NULL;
	ListCell   *lc;

	foreach(lc, integers)
		members = bms_add_member(members, lfirst_int(lc));
	return members;
}

/* ---- columns that are read ---- */

typedef struct ReadWalkerContext
{
	Index		rtindex;		/* relation whose Vars are collected; 0 for
								 * the Vars of every relation */
	int			level;			/* nesting level of the query being walked */
	Bitmapset  *attnums;		/* columns that are read; the member 0 stands
								 * for all columns */
	Bitmapset  *old;			/* columns of OLD in RETURNING */
	bool		names_old;		/* true if OLD occurs in RETURNING */
	AttrNumber	system;			/* system column other than tableoid, or 0 */
} ReadWalkerContext;

static bool
read_walker(Node *node, ReadWalkerContext *context)
{
	if (node == NULL)
		return false;
	context->names_old |= dyn_is_over_old(node);
	if (IsA(node, Var))
	{
		Var		   *var = (Var *) node;

		if ((context->rtindex == 0 ? IS_SPECIAL_VARNO(var->varno)
			 : var->varno != context->rtindex) || var->varlevelsup != context->level)
			return false;
		if (var->varattno >= 0)
			context->attnums = bms_add_member(context->attnums, var->varattno);
		else if (var->varattno != TableOidAttributeNumber)
			context->system = var->varattno;
		context->names_old |= dyn_var_is_old(var);
		if (var->varattno >= 0 && dyn_var_is_old(var))
			context->old = bms_add_member(context->old, var->varattno);
		return false;
	}
	if (IsA(node, Query))
	{
		bool		result;

		context->level++;
		result = query_tree_walker((Query *) node, read_walker, context, 0);
		context->level--;
		return result;
	}
	return expression_tree_walker(node, read_walker, context);
}

static ReadWalkerContext
find_read(const void *expressions, Index rtindex)
{
	ReadWalkerContext context = {.rtindex = rtindex};

	(void) read_walker(unconstify(void *, expressions), &context);
	return context;
}

static Bitmapset *
read_by_target_list(const Query *parse, Index rtindex)
{
	Bitmapset  *attnums = NULL;
	ListCell   *lc;

	/*
	 * Skip the junk Vars with which core identifies rows.  Other junk entries
	 * are subqueries of SET (a, b) = (SELECT ...), or are for ORDER BY.
	 */
	foreach(lc, parse->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, lc);

		if (!entry->resjunk || !IsA(entry->expr, Var) || entry->ressortgroupref > 0)
			attnums = bms_add_members(attnums, find_read(entry, rtindex).attnums);
	}
	return attnums;
}

/*
 * Returns the columns of the target table that the statement reads outside
 * RETURNING, or that RETURNING reads as OLD.column.
 */
static Bitmapset *
read_by_statement(PlannerInfo *root)
{
	const Query *parse = root->parse;
	ReadWalkerContext context = find_read(parse->jointree, parse->resultRelation);

	(void) read_walker((Node *) parse->withCheckOptions, &context);
	(void) range_table_walker(parse->rtable, read_walker, &context, 0);
	return bms_union(bms_union(context.attnums,
							   read_by_target_list(parse, parse->resultRelation)),
					 find_read(parse->returningList, parse->resultRelation).old);
}

/* Translates columns of the result relation to those of child `rtindex`. */
static Bitmapset *
translate(PlannerInfo *root, Index rtindex, Bitmapset *attnums)
{
	Bitmapset  *translated = NULL;
	AppendRelInfo *child;

	if (rtindex == root->parse->resultRelation || root->append_rel_array == NULL ||
		root->append_rel_array[rtindex] == NULL)
		return attnums;
	child = root->append_rel_array[rtindex];
	attnums = translate(root, child->parent_relid, attnums);
	for (int attnum = -1; (attnum = bms_next_member(attnums, attnum)) >= 0;)
	{
		Node	   *var = attnum == 0 ? NULL : list_nth(child->translated_vars, attnum - 1);

		if (attnum == 0)
			translated = bms_add_member(translated, 0);
		else if (var != NULL && IsA(var, Var))
			translated = bms_add_member(translated, ((Var *) var)->varattno);
	}
	return translated;
}

/* Returns false if the trigger is only for UPDATE OF other columns. */
static bool
is_for_columns(const Trigger *trigger, const Bitmapset *updated)
{
	bool		found = trigger->tgnattr == 0 || updated == NULL;

	for (int i = 0; i < trigger->tgnattr; i++)
		found |= bms_is_member(trigger->tgattr[i] - FirstLowInvalidHeapAttributeNumber, updated);
	return found;
}

bool
dyn_has_trigger(const TriggerDesc *triggers, int mask, int bits, const Bitmapset *updated)
{
	char		mode = SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA
		? TRIGGER_FIRES_ON_REPLICA : TRIGGER_FIRES_ON_ORIGIN;

	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
	{
		const Trigger *trigger = &triggers->triggers[i];

		if ((trigger->tgenabled == mode || trigger->tgenabled == TRIGGER_FIRES_ALWAYS) &&
			(trigger->tgtype & mask) == bits && is_for_columns(trigger, updated))
			return true;
	}
	return false;
}

bool
dyn_has_row_trigger(const TriggerDesc *triggers, CmdType operation, int timing,
					const Bitmapset *updated)
{
	int			bits = TRIGGER_TYPE_ROW | (operation == CMD_INSERT ? TRIGGER_TYPE_INSERT
										   : operation == CMD_UPDATE ? TRIGGER_TYPE_UPDATE
										   : TRIGGER_TYPE_DELETE);

	return timing == DYN_ANY_TIMING ? dyn_has_trigger(triggers, bits, bits, updated)
		: dyn_has_trigger(triggers, bits | TRIGGER_TYPE_BEFORE, bits | timing, updated);
}

Bitmapset *
dyn_with_generated(Bitmapset *updated, TupleDesc desc)
{
	for (AttrNumber n = 1; n <= desc->natts; n++)
	{
		if (TupleDescAttr(desc, n - 1)->attgenerated != '\0')
			updated = bms_add_member(updated, n - FirstLowInvalidHeapAttributeNumber);
	}
	return updated;
}

bool
dyn_fires_row_trigger(PlannerInfo *root, Index rtindex, Relation relation, int timing)
{
	CmdType		operation = root->parse->commandType;
	Bitmapset  *updated = NULL;

	if (operation == CMD_UPDATE)
	{
		Bitmapset  *named = translate(root, rtindex, members_of(root->update_colnos));

		for (int attnum = -1; (attnum = bms_next_member(named, attnum)) >= 0;)
			updated = bms_add_member(updated, attnum - FirstLowInvalidHeapAttributeNumber);
		updated = dyn_with_generated(updated, RelationGetDescr(relation));
	}
	return dyn_has_row_trigger(relation->trigdesc, operation, timing, updated);
}

/*
 * Adds the columns that are read by CHECK constraints, generated columns and
 * the partition constraint, and returns the set.  A virtual column is computed
 * only if it is NOT NULL, or if a constraint or an expression of the statement
 * names it.
 */
static Bitmapset *
add_constraints(Bitmapset *attnums, Relation relation)
{
	TupleDesc	desc = RelationGetDescr(relation);
	ReadWalkerContext context = {.rtindex = 1,.attnums = attnums};

	for (int i = 0; desc->constr != NULL && i < desc->constr->num_check; i++)
	{
		if (dyn_is_enforced(&desc->constr->check[i]))
			(void) read_walker(stringToNode(desc->constr->check[i].ccbin), &context);
	}
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute attr = TupleDescAttr(desc, i);

		if (attr->attgenerated != '\0' && !attr->attisdropped &&
			(!dyn_is_virtual(attr) || attr->attnotnull ||
			 bms_is_member(0, context.attnums) || bms_is_member(i + 1, context.attnums)))
			(void) read_walker(build_column_default(relation, i + 1), &context);
	}
	(void) read_walker((Node *) RelationGetPartitionQual(relation), &context);
	return context.attnums;
}

/*
 * Replaces member 0 (a full-row reference) by all columns.  Removes virtual
 * generated columns, which CHECK constraints may have added.  Returns the set.
 */
static Bitmapset *
expand_whole_row(Bitmapset *attnums, Relation relation)
{
	TupleDesc	desc = RelationGetDescr(relation);
	bool		all = bms_is_member(0, attnums);

	attnums = bms_del_member(attnums, 0);
	for (int i = 0; i < desc->natts; i++)
	{
		if (dyn_is_virtual(TupleDescAttr(desc, i)))
			attnums = bms_del_member(attnums, i + 1);
		else if (all && !TupleDescAttr(desc, i)->attisdropped)
			attnums = bms_add_member(attnums, i + 1);
	}
	return attnums;
}

/*
 * Returns the columns of a target that the result of the statement depends on;
 * all columns if row triggers are fired.
 */
static Bitmapset *
read_columns(PlannerInfo *root, Index rtindex, Relation relation)
{
	CmdType		operation = root->parse->commandType;
	Bitmapset  *attnums = translate(root, rtindex, read_by_statement(root));

	if (operation == CMD_UPDATE)
		attnums = add_constraints(attnums, relation);
	if (dyn_fires_row_trigger(root, rtindex, relation, DYN_ANY_TIMING))
		attnums = bms_add_member(attnums, 0);
	return expand_whole_row(attnums, relation);
}

/* ---- columns of the target ---- */

/* Returns the target's columns that RETURNING reads; member 0 means all. */
static Bitmapset *
returned_columns(PlannerInfo *root, Index rtindex)
{
	const Query *parse = root->parse;

	return translate(root, rtindex,
					 find_read(parse->returningList, parse->resultRelation).attnums);
}

bool
dyn_modify_reads_column(PlannerInfo *root, Index rtindex, Oid relid,
						AttrNumber attnum)
{
	Relation	relation = table_open(relid, NoLock);
	Bitmapset  *read = bms_union(read_columns(root, rtindex, relation),
								 returned_columns(root, rtindex));
	bool		reads;

	read = bms_union(read, translate(root, rtindex, members_of(root->update_colnos)));
	reads = bms_is_member(attnum, read) || bms_is_member(0, read) ||
		TupleDescAttr(RelationGetDescr(relation), attnum - 1)->attnotnull;

	table_close(relation, NoLock);
	return reads;
}

bool
dyn_full_row_is_for_recheck(PlannerInfo *root, Index rtindex)
{
	const PlanRowMark *mark = get_plan_rowmark(root->rowMarks, rtindex);
	const Query *parse = root->parse;
	ReadWalkerContext context;

	if (mark == NULL)
		return false;
	context = find_read(parse->jointree, mark->prti);
	(void) read_walker((Node *) parse->returningList, &context);
	(void) read_walker((Node *) parse->mergeActionList, &context);
	(void) range_table_walker(parse->rtable, read_walker, &context, 0);
	return !bms_is_member(0, context.attnums) &&
		!bms_is_member(0, read_by_target_list(parse, mark->prti));
}

/*
 * Adds junk columns to a DELETE, including those that RETURNING reads, since
 * RETURNING may be evaluated before the row's write request is sent.  For an
 * UPDATE, core adds a full-row Var.
 */
void
dynAddForeignUpdateTargets(PlannerInfo *root, Index rtindex,
						   RangeTblEntry *target_rte, Relation target_relation)
{
	DynWriteMap *map;
	Bitmapset  *attnums;

	/*
	 * Do nothing for a table that is not updatable: dynPlanForeignModify
	 * raises the error, if constraints do not exclude the table from the plan.
	 */
	if (root->parse->commandType != CMD_DELETE ||
		!dyn_relation_is_updatable(RelationGetRelid(target_relation)))
		return;
	map = dyn_write_map_open(RelationGetRelid(target_relation), dyn_result_user(root->parse));
	attnums = bms_union(map->key_columns,
						read_columns(root, rtindex, target_relation));
	attnums = bms_union(attnums, expand_whole_row(returned_columns(root, rtindex),
												  target_relation));
	attnums = bms_del_members(attnums, map->documents);
	/*
	 * Add the segment column, which the response to a write does not contain.
	 * If another session has changed a row, its partition constraint is
	 * checked again.
	 */
	if (dyn_relation_segment_bounds(map->relation, target_relation) != NIL)
		attnums = bms_add_member(attnums, map->relation->segment_column);
	for (int i = 0; i < map->relation->ncolumns; i++)
	{
		const DynColumn *column = &map->relation->columns[i];

		/* the write's condition needs all columns that form the attribute */
		if (bms_is_member(i + 1, attnums) && dyn_column_is_part(column))
			attnums = bms_add_members(attnums,
									  dyn_templated_columns(&map->relation->templated[column->templated]));
	}
	/*
	 * Add tableoid, so that the scan projects.  A scan whose target list is
	 * equal to the columns returns EvalPlanQual's own slot, which core clears.
	 */
	add_row_identity_var(root, makeVar(rtindex, TableOidAttributeNumber, OIDOID, -1,
									   InvalidOid, 0), rtindex, "tableoid");
	for (int attnum = -1; (attnum = bms_next_member(attnums, attnum)) >= 0;)
	{
		Form_pg_attribute attr =
			TupleDescAttr(RelationGetDescr(target_relation), attnum - 1);

		add_row_identity_var(root, makeVar(rtindex, attnum, attr->atttypid,
										   attr->atttypmod, attr->attcollation, 0),
							 rtindex, dyn_row_identity_name(target_relation, attnum));
	}
}

/*
 * Raises an error for a document column, which contains the full item: the
 * write's condition cannot detect attributes that other writers have added.
 */
static void
refuse_documents(const DynWriteMap *map, const Bitmapset *attnums)
{
	int			attnum = bms_next_member(bms_intersect(map->documents, attnums), -1);

	if (attnum >= 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot read document column \"%s\" in a statement that writes foreign table \"%s\"",
						dyn_relation_column(map->relation, attnum)->name,
						map->relation->name),
				 errhint("Use a column with the option \"path\" for the value that the statement reads.")));
}

/* Raises an error for the segment column, whose value only a Scan knows. */
static void
refuse_segment(const DynRelation *relation, const Bitmapset *attnums)
{
	if (relation->segment_column == 0 ||
		!(bms_is_member(relation->segment_column, attnums) || bms_is_member(0, attnums)))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot read column \"%s\" in an INSERT into foreign table \"%s\"",
					dyn_relation_column(relation, relation->segment_column)->name,
					relation->name),
			 errdetail("Only a Scan finds the segment of an item."),
			 errhint("Remove the column from RETURNING, ON CONFLICT, WITH CHECK OPTION and policies, and from the constraints, generated columns and partition bounds of the foreign table.")));
}

void
dyn_modify_check_read(const DynWriteMap *map, CmdType operation, Relation target,
					  const List *returning, const List *checks, Index rtindex,
					  const Bitmapset *read)
{
	ReadWalkerContext context = find_read(returning, rtindex);
	AttrNumber	segment = map->relation->segment_column;

	dyn_check_system_column(map->relation, context.system);
	if (operation != CMD_INSERT)
		refuse_documents(map, read);
	else if (segment != 0)
	{
		(void) read_walker(unconstify(Node *, (const Node *) checks), &context);
		context.attnums = add_constraints(context.attnums, target);
		if (TupleDescAttr(RelationGetDescr(target), segment - 1)->attnotnull)
			context.attnums = bms_add_member(context.attnums, segment);
		refuse_segment(map->relation, context.attnums);
	}
}

/*
 * Returns the columns of the existing row that DO UPDATE depends on; raises an
 * error if one of them is a system, document or segment column.  Sets *derives
 * to true if assigned values, or the WHERE of DO UPDATE, depend on the row.
 */
static Bitmapset *
read_by_upsert(const DynWriteMap *map, Relation relation, const ModifyTable *plan,
			   Index target, bool *derives)
{
	ReadWalkerContext context = find_read(plan->onConflictSet, target);

	(void) read_walker((Node *) plan->onConflictWhere, &context);
	*derives = !bms_is_empty(context.attnums);
	(void) read_walker((Node *) plan->withCheckOptionLists, &context);
	context.attnums = expand_whole_row(add_constraints(context.attnums, relation), relation);
	dyn_check_system_column(map->relation, context.system);
	refuse_documents(map, context.attnums);
	refuse_segment(map->relation, context.attnums);
	/* EXCLUDED has no segment, either */
	refuse_segment(map->relation, find_read(list_make2(plan->onConflictSet, plan->onConflictWhere),
											plan->exclRelRTI).attnums);
	return context.attnums;
}

/* ---- writing without a read ---- */

/* Returns true if the assignments do not need the old row. */
static bool
are_simple_assignments(PlannerInfo *root, const DynWriteMap *map, Relation relation)
{
	ListCell   *lc,
			   *lc2;

	/* the loop ends before the junk entries, which come last */
	forboth(lc, root->parse->targetList, lc2, root->update_colnos)
	{
		const Node *value = (Node *) lfirst_node(TargetEntry, lc)->expr;
		AttrNumber	attnum = lfirst_int(lc2);
		const DynColumn *column = dyn_relation_column(map->relation, attnum);
		bool		is_constant = IsA(value, Const) && !((const Const *) value)->constisnull;

		if (!is_constant &&
			(!(IsA(value, Const) || IsA(value, Param)) ||
			 TupleDescAttr(RelationGetDescr(relation), attnum - 1)->attnotnull))
			return false;
		if (dyn_column_is_document(column) || dyn_column_is_part(column) ||
			column->path == NULL || column->path->nsteps != 1 ||
			column->codec.wire == DYN_TYPE_ABSENT ||
			bms_is_member(attnum, map->key_columns) ||
			bms_is_member(attnum, map->unassignable) ||
			!bms_is_empty(dyn_write_map_rewritten(map, bms_make_singleton(attnum))))
			return false;
	}
	return true;
}

static bool
has_check(const TupleConstr *constr)
{
	for (int i = 0; constr != NULL && i < constr->num_check; i++)
	{
		if (dyn_is_enforced(&constr->check[i]))
			return true;
	}
	return false;
}

/*
 * Returns true if the statement need not read its rows.  `read` are the
 * columns on which the result of the statement depends.
 */
static bool
may_presume(PlannerInfo *root, const ModifyTable *plan, Index target,
			const DynWriteMap *map, Relation relation, const Bitmapset *read)
{
	const ForeignScan *scan = (const ForeignScan *) outerPlan(plan);
	const DynRelation *table = map->relation;
	const TupleConstr *constr = RelationGetDescr(relation)->constr;

	/* the statement must only scan its target, by the full key */
	if ((plan->operation != CMD_UPDATE && plan->operation != CMD_DELETE) ||
		root->parent_root != NULL || root->glob->subplans != NIL ||
		root->parse->cteList != NIL || list_length(plan->resultRelations) != 1 ||
		!IsA(scan, ForeignScan) || scan->scan.scanrelid != target ||
		!dyn_access_can(dyn_access_of_node(linitial(scan->fdw_private)), DYN_CAN_PRESUME))
		return false;
	/*
	 * The write's condition must be able to decide whether the item would be
	 * returned as a row of the foreign table.
	 */
	if (table->unnest != NULL || map->overlaps ||
		dyn_item_filter_ttl(&table->item_filter) != NULL)
		return false;
	/* the statement must use only the key, and do nothing for a missing row */
	if (dyn_may_fail((Node *) scan->scan.plan.qual) ||
		plan->returningLists != NIL || plan->withCheckOptionLists != NIL ||
		dyn_fires_row_trigger(root, target, relation, DYN_ANY_TIMING) ||
		!bms_is_subset(read, map->from_key) ||
		!bms_is_subset(map->key_columns, map->from_key))
		return false;
	return plan->operation == CMD_DELETE ||
		(!relation->rd_rel->relispartition && !has_check(constr) &&
		 (constr == NULL || !constr->has_generated_stored) &&
		 are_simple_assignments(root, map, relation));
}

/*
 * Leaves errors for a partition or child table to create_modify (modify.c),
 * because the execution may prune the table.
 */
List *
dynPlanForeignModify(PlannerInfo *root, ModifyTable *plan, Index resultRelation,
					 int subplan_index)
{
	const Query *parse = root->parse;
	Oid			relid = planner_rt_fetch(resultRelation, root)->relid;
	bool		is_member = (resultRelation != parse->resultRelation);
	Relation	relation;
	DynWriteMap *map;
	bool		derived = plan->operation == CMD_UPDATE &&
		!bms_is_empty(read_by_target_list(parse, parse->resultRelation));
	Bitmapset  *named = translate(root, resultRelation, read_by_statement(root));
	Bitmapset  *returned;
	Bitmapset  *read = NULL;

	root->glob->dependsOnRole |= !OidIsValid(dyn_result_user(parse));
	/* core itself raises the error for a member that is not updatable */
	if (is_member && !dyn_relation_is_updatable(relid))
		return NIL;
	dyn_write_map_permit(relid, plan->operation);
	map = dyn_write_map_open(relid, dyn_result_user(parse));
	relation = table_open(relid, NoLock);
	returned = expand_whole_row(returned_columns(root, resultRelation), relation);
	if (!is_member)
	{
		dyn_write_map_require(map, plan->operation);
		dyn_modify_check_read(map, plan->operation, relation, parse->returningList,
							  plan->withCheckOptionLists, resultRelation,
							  bms_union(named, returned));
	}
	if (plan->onConflictSet != NIL)
	{
		if (find_read(parse->returningList, resultRelation).names_old)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("cannot return OLD of ON CONFLICT DO UPDATE on foreign table \"%s\"",
							map->relation->name)));
		dyn_restore_conflict_action(plan);
		read = read_by_upsert(map, relation, plan, resultRelation, &derived);
	}
	if (plan->operation != CMD_INSERT)
	{
		/*
		 * the write's condition omits document columns that the statement does
		 * not name, even if triggers or full-row Vars read them
		 */
		read = bms_del_members(read_columns(root, resultRelation, relation),
							   bms_difference(map->documents, named));
		/* the write's condition omits the segment, which the key determines */
		if (map->relation->segment_column != 0)
			read = bms_del_member(read, map->relation->segment_column);
	}
	if (may_presume(root, plan, resultRelation, map, relation, read))
	{
		Node	   *node = linitial(((ForeignScan *) outerPlan(plan))->fdw_private);

		/* the plan is still being made, so its access plan may be changed */
		unconstify(DynAccess *, dyn_access_of_node(node))->is_presumed = true;
	}
	table_close(relation, NoLock);
	return list_make4(integers_of(read), integers_of(returned), makeInteger(derived),
					  makeString(pstrdup(dyn_metadata_schema(map->meta, NULL))));
}

DynModifyPlan
dyn_modify_plan_of_list(const List *private)
{
	return (DynModifyPlan) {members_of(linitial(private)), members_of(lsecond(private)),
		intVal(lthird(private)) != 0, strVal(lfourth(private))};
}

/*
 * Reads only options, because queries of information_schema call this function
 * for every foreign table, and must not send requests.
 */
int
dynIsForeignRelUpdatable(Relation rel)
{
	return dyn_relation_is_updatable(RelationGetRelid(rel))
		? (1 << CMD_INSERT) | (1 << CMD_UPDATE) | (1 << CMD_DELETE) : 0;
}

/* ---- ON CONFLICT (key) ---- */

/* Returns ON CONFLICT's columns; NULL if an element is not just a column. */
static Bitmapset *
conflict_columns(const Query *query)
{
	Bitmapset  *attnums = NULL;
	ListCell   *lc;

	foreach(lc, query->onConflict->arbiterElems)
	{
		const InferenceElem *element = lfirst_node(InferenceElem, lc);
		const Var  *var = (const Var *) element->expr;

		if (!IsA(var, Var) || var->varno != query->resultRelation ||
			var->varattno <= 0 || OidIsValid(element->inferopclass))
			return NULL;
		attnums = bms_add_member(attnums, var->varattno);
	}
	return attnums;
}

/*
 * Removes the columns of ON CONFLICT if they are the DynamoDB table's primary
 * key, so that core does not look for a unique index.  Our code for writes
 * (exec/write) resolves the conflict.  Core still checks the privileges for
 * the UPDATE, and plans its expressions.
 */
static void
take_over(Query *query)
{
	OnConflictExpr *conflict = query->onConflict;
	const RangeTblEntry *target;
	Bitmapset  *columns;

	if (conflict == NULL || conflict->arbiterElems == NIL ||
		conflict->arbiterWhere != NULL || OidIsValid(conflict->constraint))
		return;
	target = rt_fetch(query->resultRelation, query->rtable);
	columns = conflict_columns(query);
	if (columns == NULL || get_rel_relkind(target->relid) != RELKIND_FOREIGN_TABLE ||
		GetFdwRoutineByRelId(target->relid)->PlanForeignModify != dynPlanForeignModify ||
		!dyn_relation_is_updatable(target->relid) ||
		!bms_equal(columns, dyn_write_map_open(target->relid,
											   dyn_result_user(query))->key_columns))
		return;
	if (dyn_conflict_selects(conflict))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("foreign table \"%s\" does not allow ON CONFLICT DO SELECT",
						get_rel_name(target->relid)),
				 errhint("Use DO NOTHING, and then SELECT the rows by their keys.")));
	conflict->action = ONCONFLICT_NOTHING;
	conflict->arbiterElems = NIL;
}

static bool
visit_queries(Node *node, void *arg)
{
	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, visit_queries, arg);
	if (((Query *) node)->commandType == CMD_INSERT)
		take_over((Query *) node);
	return query_tree_walker((Query *) node, visit_queries, arg, 0);
}

void
dyn_permit_upserts(Query *query)
{
	if (query->onConflict != NULL || query->hasModifyingCTE)
		(void) visit_queries((Node *) query, NULL);
}
