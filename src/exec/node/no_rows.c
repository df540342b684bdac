/*
 * no_rows.c
 *		Tells that items were read, but none of them is a row.
 *
 * The row test is made here, or by DynamoDB, as far as it can be a filter.
 */
#include "postgres.h"

#include "access/xact.h"

#include "../../model/server/encoding.h"
#include "../../model/values/path.h"
#include "no_rows.h"

/* Does the filter say nothing but what rows are? */
static bool
filters_rows_only(const DynAccess *access)
{
	ListCell   *lc;

	foreach(lc, access->filters)
	{
		const DynPred *pred = lfirst(lc);

		if (!dyn_pred_tells_rows(pred) || pred->args != NIL)
			return false;
	}
	return true;
}

/*
 * Items that are no rows; 0 if there was a row, or if the statement asked for
 * certain items: that a key is one of another entity is nothing unusual.
 */
static uint64
items_without_rows(const DynReader *reader)
{
	const DynAccess *access = reader->access;
	const DynRowTally *tally = reader->relation->tally;

	if (tally->any_row || !filters_rows_only(access) ||
		(access->kind != DYN_ACCESS_SCAN && access->kind != DYN_ACCESS_QUERY))
		return 0;
	if (tally->rejected > 0)
		return tally->rejected;
	return access->filters != NIL && reader->counters.items_returned == 0
		? reader->counters.items_read : 0;
}

/* "pk = company#${company} AND sk = user#${email}" */
static char *
row_test_words(const DynRelation *relation)
{
	StringInfoData words;

	initStringInfo(&words);
	for (int i = 0; i < relation->nspelled; i++)
	{
		const DynSpelled *spelled = &relation->spelled[i];

		if (spelled->base)
			appendStringInfo(&words, "%s%s = %s", words.len > 0 ? " AND " : "",
							 dyn_from_utf8_lossy(dyn_spelled_name(spelled)),
							 dyn_spelled_text(spelled));
	}
	if (relation->row_test.nterms > 0)
		appendStringInfo(&words, "%swhat the options item_filter and ttl_attribute demand",
						 words.len > 0 ? ", and " : "");
	return words.data;
}

/* Functions execute statements of their own, maybe many. */
static bool
is_told(void)
{
	static TimestampTz told = 0;
	TimestampTz statement = GetCurrentStatementStartTimestamp();

	if (told == statement)
		return true;
	told = statement;
	return false;
}

void
dyn_tell_no_rows(const DynScan *scan)
{
	const DynReader *reader = scan->input.reader;
	const DynRowTally *tally = reader->relation->tally;
	uint64		items;

	if (!scan->finished || (items = items_without_rows(reader)) == 0 || is_told())
		return;
	ereport(NOTICE,
			(errmsg("no item that was read is a row of foreign table \"%s\"",
					reader->relation->name),
			 errdetail("DynamoDB table \"%s\": " UINT64_FORMAT " item%s%s%s. Rows are items with %s.",
					   reader->relation->table, items, items == 1 ? "" : "s",
					   tally->rejected_key ? ", the first " : "",
					   tally->rejected_key ? tally->rejected_key : "",
					   row_test_words(reader->relation)),
			 errhint("If there should be rows, dynamo_fdw_check_table('%s') compares the options with the items.",
					 reader->relation->name)));
}
