/*
 * check_report.c
 *		Reports the results of dynamo_fdw_check_table().
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/tuplestore.h"

#include "../model/server/encoding.h"
#include "../model/values/path.h"
#include "check_table.h"

/*
 * The kinds of results, in the order in which they are emitted: those that
 * cause wrong rows come first.
 */
static const char *const kinds[] = {
	"definition", "missing index key", "ambiguous", "mismatch", "not null",
	"unclaimed", "shared", "expired", "absent"
};

/*
 * Emits a result if its kind is check->emitting; does nothing for other kinds.
 * With `issue`, the result is emitted only if an item has the issue.  Without
 * `issue`, the result does not concern single items.
 */
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
	/* truncate the name, which may come from a template and be too long */
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

/*
 * Emits the columns and attributes that no row has, unless another result
 * gives the reason.  Emits nothing for an empty DynamoDB table.
 */
static void
emit_absent(const DynCheckedTable *table)
{
	const DynCheck *check = table->check;
	const DynRelation *relation = table->relation;
	bool		is_explained = table->mismatches[0].items > 0 ||
		table->ambiguous.items > 0;
	bool		elements = true;

	if (check->item == 0)
		return;
	for (int i = 0; i < table->npaths; i++)
	{
		const DynCheckedPath *path = &table->paths[i];

		elements &= path->seen || !path->unnested;
		if (!path->seen && !is_explained && (path->unnested || table->rows > 0))
			emit(check, "absent", table, NULL, NULL,
				 psprintf(path->unnested
						  ? "no item has a value at \"%s\", the path in option \"unnest\""
						  : "no row has attribute \"%s\", which is in option key_templates",
						  dyn_path_text(path->path)));
	}
	if (table->rows == 0 && elements && !is_explained)
		emit(check, "absent", table, NULL, NULL,
			 "no item is a row of the foreign table");
	for (int i = 1; i <= relation->ncolumns && table->rows > 0; i++)
	{
		const DynColumn *column = &relation->columns[i - 1];

		if (table->seen[i] || table->nulls[i].items > 0)
			continue;
		emit(check, "absent", table, column->name, NULL,
			 !dyn_column_is_of_item(column) ? "no element has a value for the column"
			 : psprintf("no row has a value for the column, which is read from %s \"%s\"",
						column->path->nsteps == 1 ? "attribute" : "path",
						dyn_path_text(column->path)));
	}
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
	emit_absent(table);
}

void
dyn_check_report(DynCheck *check)
{
	ListCell   *lc;

	for (int i = 0; i < lengthof(kinds); i++)
	{
		check->emitting = kinds[i];
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
	foreach(lc, check->tables)
	{
		const DynCheckedTable *table = lfirst(lc);

		if (table->err == NULL && !table->left_out)
			dyn_folded_report(table->folded);
	}
}
