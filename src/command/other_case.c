/*
 * other_case.c
 *		Finds columns whose attribute exists under a name in other case.
 *
 * Only top-level attributes are compared: those that a column shows, or whose
 * document it reads.  Letters beyond ASCII are compared unchanged, as
 * PostgreSQL does not fold them in UTF-8 either.
 *
 * Every user who can create a foreign table on the server influences which
 * tables dyn_report_other_cases opens for a user who requests a description.
 * Therefore it runs no code that others have written, does not wait for their
 * locks, and does not report their errors.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/namespace.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "../model/server/encoding.h"
#include "foreign_tables.h"
#include "other_case.h"
#include "subtransaction.h"

struct DynFolded
{
	const DynRelation *relation;
	bool	   *seen;			/* true if seen, by attnum - 1; or not
								 * searched */
	char	  **other;			/* name in other case (UTF-8); or NULL */
	int			nsought;
	int		   *sought;			/* searched columns: attnum - 1, by name in any
								 * case */
	MemoryContext context;
};

static const char *
attribute_of(const DynFolded *folded, int i)
{
	return folded->relation->columns[i].path->steps[0].name;
}

/* Returns 0 if the names differ at most in the case of ASCII letters. */
static int
compare_names(const char *a, const char *b)
{
	for (;; a++, b++)
	{
		int			x = pg_ascii_tolower((unsigned char) *a);
		int			y = pg_ascii_tolower((unsigned char) *b);

		if (x != y || x == '\0')
			return x - y;
	}
}

static int
compare_sought(const void *a, const void *b, void *folded)
{
	return compare_names(attribute_of(folded, *(const int *) a),
						 attribute_of(folded, *(const int *) b));
}

/*
 * Returns the first match by binary search, as items may have many attributes,
 * and tables many columns.
 */
static int
first_alike(const DynFolded *folded, const char *name)
{
	int			low = 0;
	int			high = folded->nsought;

	while (low < high)
	{
		int			middle = low + (high - low) / 2;

		if (compare_names(attribute_of(folded, folded->sought[middle]), name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

DynFolded *
dyn_folded_create(const DynRelation *relation)
{
	DynFolded  *folded = palloc0(sizeof(DynFolded));
	int			n = Max(relation->ncolumns, 1);

	folded->relation = relation;
	folded->context = CurrentMemoryContext;
	folded->seen = palloc0(n * sizeof(bool));
	folded->other = palloc0(n * sizeof(char *));
	folded->sought = palloc(n * sizeof(int));
	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];

		/* names in templates are not folded, as they are in an option */
		folded->seen[i] = column->dropped || !dyn_column_is_of_item(column) ||
			dyn_column_is_part(column) || dyn_column_is_document(column);
		if (!folded->seen[i])
			folded->sought[folded->nsought++] = i;
	}
	qsort_arg(folded->sought, folded->nsought, sizeof(int), compare_sought,
			  folded);
	return folded;
}

/* Records an attribute of an item by its name in UTF-8. */
static void
see_attribute(DynFolded *folded, const char *name)
{
	for (int at = first_alike(folded, name); at < folded->nsought; at++)
	{
		int			i = folded->sought[at];

		if (compare_names(attribute_of(folded, i), name) != 0)
			return;
		if (folded->seen[i])
			continue;
		if (strcmp(attribute_of(folded, i), name) == 0)
			folded->seen[i] = true;
		else if (folded->other[i] == NULL)
			folded->other[i] = MemoryContextStrdup(folded->context, name);
	}
}

void
dyn_folded_see_item(DynFolded *folded, const DynValue *item)
{
	bool		is_open = false;	/* true if it could change the report */
	DynWalk		walk;
	DynValue	name;
	DynValue	value;

	for (int i = 0; i < folded->nsought; i++)
		is_open |= !folded->seen[folded->sought[i]];
	if (item->type != DYN_TYPE_M || !is_open)
		return;
	dyn_walk_begin(&walk, item);
	(void) dyn_walk_next(&walk, &name);
	while (dyn_walk_next(&walk, &name) == DYN_WALK_NAME)
	{
		char	   *text = palloc(name.len + 1);

		text[dyn_value_text(&name, text)] = '\0';
		(void) dyn_walk_element(&walk, item, &value);
		if (value.type != DYN_TYPE_NULL && !(name.flags & DYN_VALUE_HAS_NUL))
			see_attribute(folded, text);
		pfree(text);
	}
}

/* ---- the report ---- */

/* Returns the SQL that sets the column's attribute. */
static char *
remedy(const DynFolded *folded, const DynColumn *column, const char *other)
{
	const DynRelation *relation = folded->relation;
	const char *schema = NULL;

	if (column->path->nsteps > 1)
		return psprintf("Write \"%s\" in the column option \"path\".", other);
	/* include the schema if the search path does not find the table */
	if (!RelationIsVisible(relation->relid))
		schema = get_namespace_name(get_rel_namespace(relation->relid));
	return psprintf("Set it with ALTER FOREIGN TABLE %s ALTER COLUMN %s OPTIONS (%s attribute %s).",
					quote_qualified_identifier(schema, relation->name),
					quote_identifier(column->name),
					column->placed ? "SET" : "ADD", quote_literal_cstr(other));
}

void
dyn_folded_report(const DynFolded *folded)
{
	for (int i = 0; i < folded->relation->ncolumns; i++)
	{
		const DynColumn *column = &folded->relation->columns[i];
		const char *other;

		if (folded->seen[i] || folded->other[i] == NULL)
			continue;
		other = dyn_from_utf8_lossy(folded->other[i]);
		ereport(NOTICE,
				(errmsg("column \"%s\" of foreign table \"%s\" is NULL in every item that was read",
						column->name, folded->relation->name),
				 errdetail("No item has the attribute \"%s\"; items have the attribute \"%s\" instead. PostgreSQL folds names without double quotes to lower case.",
						   dyn_from_utf8_lossy(attribute_of(folded, i)), other),
				 errhint("%s", remedy(folded, column, other))));
	}
}

/* ---- all foreign tables over a DynamoDB table ---- */

/* A foreign table that may be over the table. */
typedef struct Candidate
{
	const DynSample *sample;
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
 * Compares the items with the foreign table's columns, except those that the
 * user may not read.  A table whose rows are not all items is left out,
 * because the items may be others.
 */
static void
compare_items(const DynRelation *relation, const List *items)
{
	DynFolded  *folded = dyn_folded_create(relation);
	ListCell   *item;
	ListCell   *lc;

	if (relation->item_filter.nterms > 0 || relation->ntemplated > 0 ||
		relation->unnest != NULL)
		return;
	for (int i = 0; i < relation->ncolumns; i++)
	{
		if (!relation->columns[i].dropped && !may_read_table(relation->relid) &&
			pg_attribute_aclcheck(relation->relid, i + 1, GetUserId(),
								  ACL_SELECT) != ACLCHECK_OK)
			folded->seen[i] = true;
	}
	foreach(item, items)
	{
		foreach(lc, ((const DynSampleItem *) lfirst(item))->values)
		{
			const DynSampleValue *value = lfirst(lc);

			if (value->name != NULL && value->type != DYN_TYPE_NULL)
				see_attribute(folded, value->name);
		}
	}
	dyn_folded_report(folded);
}

/*
 * Compares one table.  May raise an error.  The lock is held until the
 * transaction ends.
 */
static void
compare_table(void *arg)
{
	const Candidate *candidate = arg;
	const DynSample *sample = candidate->sample;
	Relation	rel;

	if (!ConditionalLockRelationOid(candidate->relid, AccessShareLock))
		return;
	rel = try_relation_open(candidate->relid, NoLock);
	if (rel == NULL)
		return;					/* dropped in the meantime */
	if (may_read(candidate->relid) &&
		dyn_is_table_over(rel, sample->connection, sample->table))
		compare_items(dyn_relation_open(candidate->relid, GetUserId()),
					  sample->items);
	relation_close(rel, NoLock);
}

void
dyn_report_other_cases(const DynSample *sample)
{
	ListCell   *lc;

	foreach(lc, dyn_tables_of_server(sample->connection->serverid))
	{
		Candidate	candidate = {sample, lfirst_oid(lc)};
		ErrorData  *failure;

		CHECK_FOR_INTERRUPTS();
		if (!may_read(candidate.relid))
			continue;
		failure = dyn_attempt(compare_table, &candidate);
		if (failure != NULL && !dyn_failure_is_of_definition(failure))
			ReThrowError(failure);
	}
}
