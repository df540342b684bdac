/*
 * check_report.c
 *		The results of dynamo_fdw_check_table().
 */
#include "postgres.h"

#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "../model/server/encoding.h"
#include "check_table.h"

/* In the order of the results: what makes statements wrong comes first. */
static const char *const kinds[] = {
	"definition", "broken promise", "ambiguous", "mismatch", "not null",
	"unclaimed", "shared", "expired", "absent"
};

/* If it is of the kind that is being emitted, and was found. */
static void
emit(const DynCheck *check, const char *kind,
	 const DynCheckReader *reader, const char *column, const DynFinding *finding,
	 const char *detail)
{
	Datum		values[6] = {0};
	bool		nulls[6];
	NameData	name;

	if (strcmp(kind, check->emitting) != 0 ||
		(finding != NULL && finding->items == 0))
		return;
	memset(nulls, true, sizeof(nulls));
	values[0] = CStringGetTextDatum(kind);
	nulls[0] = false;
	values[1] = ObjectIdGetDatum(reader ? reader->relid : InvalidOid);
	nulls[1] = reader == NULL;
	/* a template may name what is no column, and too long for one */
	if (column != NULL)
		namestrcpy(&name, pnstrdup(column, pg_mbcliplen(column, strlen(column),
														NAMEDATALEN - 1)));
	values[2] = NameGetDatum(&name);
	nulls[2] = column == NULL;
	values[3] = Int64GetDatum(finding ? (int64) finding->items : 0);
	nulls[3] = finding == NULL;
	nulls[4] = finding == NULL || finding->example == NULL;
	if (!nulls[4])
		values[4] = DirectFunctionCall1(jsonb_in,
										CStringGetDatum(finding->example));
	if (detail == NULL && finding != NULL)
		detail = finding->detail;
	nulls[5] = detail == NULL;
	if (detail != NULL)
		values[5] = CStringGetTextDatum(detail);
	tuplestore_putvalues(check->rsinfo->setResult, check->rsinfo->setDesc,
						 values, nulls);
}

/* Unless another result says why. */
static void
emit_absence(void *arg, AttrNumber attnum, const char *what)
{
	const DynCheckReader *reader = arg;

	if (attnum > 0 ? reader->nulls[attnum].items > 0
		: reader->mismatches[0].items > 0 || reader->ambiguous.items > 0)
		return;
	emit(reader->check, "absent", reader,
		 attnum > 0 ? reader->relation->columns[attnum - 1].name : NULL, NULL, what);
}

static void
emit_reader(DynCheckReader *reader)
{
	const DynCheck *check = reader->check;
	ListCell   *lc;

	if (reader->fault != NULL)
	{
		emit(check, "definition", reader, reader->fault_column, NULL,
			 reader->fault);
		return;
	}
	emit(check, "ambiguous", reader, NULL, &reader->ambiguous, NULL);
	for (int i = 0; i <= reader->relation->ncolumns; i++)
	{
		const char *column = i > 0 ? reader->relation->columns[i - 1].name : NULL;

		emit(check, "mismatch", reader, column, &reader->mismatches[i], NULL);
		emit(check, "not null", reader, column, &reader->nulls[i],
			 "the item has no value for a column that is declared NOT NULL");
	}
	foreach(lc, reader->promises)
	{
		const DynPromise *promise = lfirst(lc);

		emit(check, "broken promise", reader, NULL, &promise->broken,
			 psprintf("the item lacks the key of trusted index \"%s\" that the templates spell",
					  dyn_from_utf8_lossy(promise->index)));
	}
	dyn_absence_report(reader->absence, emit_absence, reader);
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
		const DynCheckReader *other = list_nth(check->readers, shared->second);

		emit(check, "shared", list_nth(check->readers, shared->first), NULL,
			 &shared->finding, psprintf("the item is also a row of %s",
										quote_identifier(other->name)));
	}
	foreach(lc, check->readers)
	{
		if (!((DynCheckReader *) lfirst(lc))->left_out)
			emit_reader(lfirst(lc));
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
	foreach(lc, check->readers)
	{
		const DynCheckReader *reader = lfirst(lc);

		if (reader->fault == NULL && !reader->left_out)
			dyn_folded_report(reader->folded);
	}
}
