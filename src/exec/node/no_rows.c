/*
 * no_rows.c
 *		Reports that items were read, but none of them is a row.
 *
 * The item filter is applied here, or by DynamoDB, as far as it can be a
 * filter expression.
 */
#include "postgres.h"

#include "access/xact.h"

#include "../../model/server/encoding.h"
#include "../../model/values/path.h"
#include "no_rows.h"

/* True if all filter conditions come from the item filter. */
static bool
filters_rows_only(const DynAccess *access)
{
	ListCell   *lc;

	foreach(lc, access->filters)
	{
		const DynPred *pred = lfirst(lc);

		if (!dyn_pred_selects_rows(pred) || pred->args != NIL)
			return false;
	}
	return true;
}

/*
 * Returns the number of items that are not rows.  0 if there was a row, or if
 * the statement requested certain items: it is common that such a key belongs
 * to another entity.
 */
static uint64
items_without_rows(const DynScanDesc *scandesc)
{
	const DynAccess *access = scandesc->access;
	const DynRowTally *tally = scandesc->relation->tally;

	if (tally->any_row || !filters_rows_only(access) ||
		(access->kind != DYN_ACCESS_SCAN && access->kind != DYN_ACCESS_QUERY))
		return 0;
	if (tally->rejected > 0)
		return tally->rejected;
	return access->filters != NIL && scandesc->counters.items_returned == 0
		? scandesc->counters.items_read : 0;
}

/* Returns "pk = company#${company} AND sk = user#${email}". */
static char *
describe_rows(const DynRelation *relation)
{
	StringInfoData words;

	initStringInfo(&words);
	for (int i = 0; i < relation->ntemplated; i++)
	{
		const DynTemplatedAttr *templated = &relation->templated[i];

		if (templated->base)
			appendStringInfo(&words, "%s%s = %s", words.len > 0 ? " AND " : "",
							 dyn_from_utf8_lossy(dyn_templated_name(templated)),
							 dyn_templated_text(templated));
	}
	if (relation->item_filter.nterms > 0)
		appendStringInfo(&words, "%sthe values required by item_filter and ttl_attribute",
						 words.len > 0 ? ", and " : "");
	return words.data;
}

/*
 * True if this was reported in the client's statement before: its functions
 * may execute many statements.
 */
static bool
is_reported(void)
{
	static TimestampTz reported = 0;
	TimestampTz statement = GetCurrentStatementStartTimestamp();

	if (reported == statement)
		return true;
	reported = statement;
	return false;
}

void
dyn_notice_no_rows(const DynScan *scan)
{
	const DynScanDesc *scandesc = scan->input.scandesc;
	const DynRowTally *tally = scandesc->relation->tally;
	uint64		items;

	if (!scan->finished || (items = items_without_rows(scandesc)) == 0 || is_reported())
		return;
	ereport(NOTICE,
			(errmsg("none of the items read is a row of foreign table \"%s\"",
					scandesc->relation->name),
			 errdetail_plural("DynamoDB table \"%s\": " UINT64_FORMAT " item%s%s. Rows are items with %s.",
							  "DynamoDB table \"%s\": " UINT64_FORMAT " items%s%s. Rows are items with %s.",
							  items, scandesc->relation->table, items,
							  tally->rejected_key ? ", the first " : "",
							  tally->rejected_key ? tally->rejected_key : "",
							  describe_rows(scandesc->relation)),
			 errhint("To compare the options with the items, use dynamo_fdw_check_table('%s').",
					 scandesc->relation->name)));
}
