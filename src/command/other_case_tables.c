/*
 * other_case_tables.c
 *		Columns whose attribute exists under a name in other case, of all foreign
 *		tables over a DynamoDB table.
 *
 * Whoever may create a foreign table on the server decides what is opened here,
 * by the user who asks for a description.  So nothing that others have made is
 * run, waited for, or reported as an error.
 */
#include "postgres.h"

#include "access/relation.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/rel.h"

#include "foreign_tables.h"
#include "other_case.h"
#include "other_case_tables.h"
#include "subtransaction.h"

/* A foreign table that may be over the table. */
typedef struct Candidate
{
	const DynConnection *connection;
	const char *table;
	const List *items;
	Oid			relid;
} Candidate;

static bool
may_read_table(Oid relid)
{
	bool		is_missing = false;

	return pg_class_aclcheck_ext(relid, GetUserId(), ACL_SELECT,
								 &is_missing) == ACLCHECK_OK;
}

static bool
may_read(Oid relid)
{
	return may_read_table(relid) ||
		pg_attribute_aclcheck_all(relid, GetUserId(), ACL_SELECT,
								  ACLMASK_ANY) == ACLCHECK_OK;
}

/*
 * Not of a table that has not a row for each item: these may be other items.
 * Columns that the user may not read are not reported.
 */
static void
compare_names(const DynRelation *relation, const List *items)
{
	DynFolded  *folded = dyn_folded_create(relation);
	ListCell   *item;
	ListCell   *lc;

	if (relation->row_test.nterms > 0 || relation->nspelled > 0 ||
		relation->unnest != NULL)
		return;
	for (int i = 0; i < relation->ncolumns; i++)
	{
		if (!relation->columns[i].dropped && !may_read_table(relation->relid) &&
			pg_attribute_aclcheck(relation->relid, i + 1, GetUserId(),
								  ACL_SELECT) != ACLCHECK_OK)
			dyn_folded_see_column(folded, i + 1);
	}
	foreach(item, items)
	{
		foreach(lc, ((const DynSampleItem *) lfirst(item))->values)
		{
			const DynSampleValue *value = lfirst(lc);

			if (value->name != NULL && value->type != DYN_TYPE_NULL)
				dyn_folded_see_attribute(folded, value->name);
		}
	}
	dyn_folded_report(folded);
}

/* May raise an error.  The lock is kept until the transaction ends. */
static void
compare_table(void *arg)
{
	const Candidate *candidate = arg;
	Relation	rel;

	if (!ConditionalLockRelationOid(candidate->relid, AccessShareLock))
		return;
	rel = try_relation_open(candidate->relid, NoLock);
	if (rel == NULL)
		return;					/* dropped meanwhile */
	if (may_read(candidate->relid) &&
		dyn_is_table_over(rel, candidate->connection, candidate->table))
		compare_names(dyn_relation_open(candidate->relid, GetUserId()),
					  candidate->items);
	relation_close(rel, NoLock);
}

void
dyn_report_other_cases(const DynConnection *connection, Oid serverid,
					   const char *table, const List *items)
{
	ListCell   *lc;

	foreach(lc, dyn_tables_of_server(serverid))
	{
		Candidate	candidate = {connection, table, items, lfirst_oid(lc)};
		ErrorData  *failure;

		CHECK_FOR_INTERRUPTS();
		if (!may_read(candidate.relid))
			continue;
		failure = dyn_attempt(compare_table, &candidate);
		if (failure != NULL && !dyn_failure_is_of_definition(failure))
			ReThrowError(failure);
	}
}
