/*
 * check_report.c
 *		Reports the results of dynamo_fdw_check_table().
 */
#include "postgres.h"

#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "../model/server/encoding.h"
#include "check_table.h"

/*
 * Kinds in the order of the results: those that make statements wrong come
 * first.
 */
static const char *const kinds[] = {
	"definition", "missing index key", "ambiguous", "mismatch", "not null",
	"unclaimed", "shared", "expired", "absent"
};

/* Emits an issue, if it was found and is of the kind that is being emitted. */
static void
emit(const DynCheck *check, const char *kind,
	 const DynCheckedTable *table, const char *column, const DynIssue *issue,
	 const char *detail)
{
	Datum		values[6] = {0};
	bool		nulls[6];
	NameData	name;

	if (strcmp(kind, check->emitting) != 0 ||
		(issue != NULL && issue->items == 0))
		return;
	memset(nulls, true, sizeof(nulls));
	values[0] = CStringGetTextDatum(kind);
	nulls[0] = false;
	values[1] = ObjectIdGetDatum(table ? table->relid : InvalidOid);
	nulls[1] = table == NULL;
	/*
	 * a template may contain a name that is not a column's, and is too long
	 * for one
	 */
	if (column != NULL)
		namestrcpy(&name, pnstrdup(column, pg_mbcliplen(column, strlen(column),
														NAMEDATALEN - 1)));
	values[2] = NameGetDatum(&name);
	nulls[2] = column == NULL;
	values[3] = Int64GetDatum(issue ? (int64) issue->items : 0);
	nulls[3] = issue == NULL;
	nulls[4] = issue == NULL || issue->example == NULL;
	if (!nulls[4])
		values[4] = DirectFunctionCall1(jsonb_in,
										CStringGetDatum(issue->example));
	if (detail == NULL && issue != NULL)
		detail = issue->detail;
	nulls[5] = detail == NULL;
	if (detail != NULL)
		values[5] = CStringGetTextDatum(detail);
	tuplestore_putvalues(check->rsinfo->setResult, check->rsinfo->setDesc,
						 values, nulls);
}

/* Emits an unused column, unless another result gives the reason. */
static void
emit_unused(void *arg, AttrNumber attnum, const char *what)
{
	const DynCheckedTable *table = arg;

	if (attnum > 0 ? table->nulls[attnum].items > 0
		: table->mismatches[0].items > 0 || table->ambiguous.items > 0)
		return;
	emit(table->check, "absent", table,
		 attnum > 0 ? table->relation->columns[attnum - 1].name : NULL, NULL, what);
}

static void
emit_table(DynCheckedTable *table)
{
	const DynCheck *check = table->check;
	ListCell   *lc;

	if (table->err != NULL)
	{
		emit(check, "definition", table, table->error_column, NULL,
			 table->err);
		return;
	}
	emit(check, "ambiguous", table, NULL, &table->ambiguous, NULL);
	for (int i = 0; i <= table->relation->ncolumns; i++)
	{
		const char *column = i > 0 ? table->relation->columns[i - 1].name : NULL;

		emit(check, "mismatch", table, column, &table->mismatches[i], NULL);
		emit(check, "not null", table, column, &table->nulls[i],
			 "the item has no value for a column that is declared NOT NULL");
	}
	foreach(lc, table->assertions)
	{
		const DynAssertion *assertion = lfirst(lc);

		emit(check, "missing index key", table, NULL, &assertion->broken,
			 psprintf("the item lacks the key of trusted index \"%s\" that its columns imply",
					  dyn_from_utf8_lossy(assertion->index)));
	}
	dyn_unused_report(table->unused, emit_unused, table);
}

static void
emit_kind(const DynCheck *check)
{
	ListCell   *lc;

	emit(check, "unclaimed", NULL, NULL, &check->unclaimed,
		 "the item is a row of no foreign table");
	emit(check, "expired", NULL, NULL, &check->expired,
		 "the item has expired, and is a row of no foreign table");
	foreach(lc, check->shared)
	{
		const DynSharedItems *shared = lfirst(lc);
		const DynCheckedTable *other = list_nth(check->tables, shared->second);

		emit(check, "shared", list_nth(check->tables, shared->first), NULL,
			 &shared->issue, psprintf("the item is also a row of %s",
									  quote_identifier(other->name)));
	}
	foreach(lc, check->tables)
	{
		if (!((DynCheckedTable *) lfirst(lc))->left_out)
			emit_table(lfirst(lc));
	}
}

void
dyn_check_report(DynCheck *check)
{
	ListCell   *lc;

	for (int i = 0; i < lengthof(kinds); i++)
	{
		check->emitting = kinds[i];
		emit_kind(check);
	}
	foreach(lc, check->tables)
	{
		const DynCheckedTable *table = lfirst(lc);

		if (table->err == NULL && !table->left_out)
			dyn_folded_report(table->folded);
	}
}
