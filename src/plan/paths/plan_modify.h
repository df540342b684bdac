/*
 * plan_modify.h
 *		Planning of statements that write.
 *
 * An UPDATE gets the full old row from core.  A DELETE gets junk columns: the
 * columns that identify the row, those that its guard compares, and those that
 * RETURNING reads.  The name of a junk column contains the number and type of
 * the column, since partitions may have different columns with the same name.
 *
 * The guard is the condition of the write: values on which the statement's
 * result depends must still be those that the statement has read.
 *
 * If the statement has the full key of its rows, and depends on no other
 * column, its scan sends no request (exec/source/requested.c).
 */
#ifndef DYN_PLAN_PLAN_MODIFY_H
#define DYN_PLAN_PLAN_MODIFY_H

#include "foreign/fdwapi.h"

extern void dynAddForeignUpdateTargets(PlannerInfo *root, Index rtindex,
									   RangeTblEntry *target_rte,
									   Relation target_relation);
extern List *dynPlanForeignModify(PlannerInfo *root, ModifyTable *plan,
								  Index resultRelation, int subplan_index);
extern int	dynIsForeignRelUpdatable(Relation rel);

/*
 * Returns true if the statement, a constraint or a trigger uses this column of
 * a target.  If none does, the full row of an UPDATE need not have the value
 * of the column.
 */
extern bool dyn_modify_reads_column(PlannerInfo *root, Index rtindex, Oid relid,
									AttrNumber attnum);

/*
 * Return true if the table has row triggers for the operation: BEFORE triggers
 * if `before`, else AFTER triggers; the second function considers both.
 */
extern bool dyn_has_row_trigger(const TriggerDesc *triggers, CmdType operation,
								bool before);
extern bool dyn_has_row_triggers(const TriggerDesc *triggers, CmdType operation);

/* Returns the name of the junk column for a column of a target (palloc'd). */
extern char *dyn_row_identity_name(Relation relation, AttrNumber attnum);

/* The plan of one target, in the fdw_private of a ModifyTable. */
typedef struct DynModifyPlan
{
	Bitmapset  *read;			/* columns that the guard compares */
	Bitmapset  *returned;		/* columns that RETURNING reads */
	bool		derives;		/* true if an assigned value, or the WHERE of
								 * DO UPDATE, depends on the row */
	const char *schema;			/* schema of the table during planning */
} DynModifyPlan;

extern DynModifyPlan dyn_modify_plan_of_list(const List *private);

#endif
