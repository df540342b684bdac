/*
 * sample.c
 *		Reads the first items of a table.
 *
 * The Scan ends with its first page.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "../base/number.h"
#include "item_scan.h"
#include "sample.h"

/* ---- items ---- */

/* NULL if it contains U+0000. */
static char *
text_of(const DynValue *value)
{
	char	   *text;

	if (value->flags & DYN_VALUE_HAS_NUL)
		return NULL;
	text = palloc(value->len + 1);
	text[dyn_value_text(value, text)] = '\0';
	return text;
}

static char *
number_of(const DynValue *value)
{
	char	   *number = palloc(DYN_NUMBER_BUFSIZE);
	size_t		len;

	if (dyn_number_canonical(value->data, value->len, number, &len) != DYN_NUMBER_OK)
		return NULL;
	return number;
}

static void
keep_tag(DynSampleItem *item, const DynValue *value)
{
	item->tag_type = value->type;
	if (value->type == DYN_TYPE_S)
		item->tag = text_of(value);
	else if (value->type == DYN_TYPE_N)
		item->tag = number_of(value);
	else if (value->type == DYN_TYPE_BOOL)
		item->tag = value->flags & DYN_VALUE_TRUE ? "true" : "false";
}

static DynSampleItem *
read_item(const DynValue *map, const char *tag)
{
	DynSampleItem *item = palloc0(sizeof(DynSampleItem));
	DynWalk		walk;
	DynValue	v;

	dyn_walk_begin(&walk, map);
	(void) dyn_walk_next(&walk, &v);
	while (dyn_walk_next(&walk, &v) == DYN_WALK_NAME)
	{
		DynSampleValue *value = palloc(sizeof(DynSampleValue));

		value->name = text_of(&v);
		(void) dyn_walk_element(&walk, map, &v);
		value->type = v.type;
		item->values = lappend(item->values, value);
		if (tag != NULL && value->name != NULL && strcmp(value->name, tag) == 0)
			keep_tag(item, &v);
	}
	return item;
}

List *
dyn_sample_take(DynStatement *statement, DynConnection *connection,
				const char *table, const DynTableMeta *meta, const char *tag,
				int items)
{
	static const DynPath whole_item = {0};
	DynItemScan *scan = dyn_item_scan_create(connection, table, meta);
	DynFetch   *fetch = dyn_item_scan_start(scan, statement, &whole_item, 1, items);
	const DynValue *item;
	List	   *sample = NIL;

	while ((item = dyn_fetch_next(fetch)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		if (sample == NIL)
			dyn_fetch_drain(fetch);
		sample = lappend(sample, read_item(item, tag));
	}
	dyn_fetch_stop(fetch);
	return sample;
}
