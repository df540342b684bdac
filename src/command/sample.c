/*
 * sample.c
 *		Reads the description and the first items of a table.
 *
 * The Scan ends after its first page, which may contain 200,000 attributes.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "../base/number.h"
#include "item_scan.h"
#include "sample.h"

/* ---- items ---- */

/* Returns the text, or NULL if it contains U+0000. */
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

static DynSampleItem *
read_item(const DynValue *map, const char *tag)
{
	DynSampleItem *item = palloc0(sizeof(DynSampleItem));
	DynValueIterator		iterator;
	DynValue	v;

	dyn_value_iterator_begin(&iterator, map);
	(void) dyn_value_iterator_next(&iterator, &v);
	while (dyn_value_iterator_next(&iterator, &v) == DYN_VALUE_NAME)
	{
		DynSampleValue *value = palloc(sizeof(DynSampleValue));

		value->name = text_of(&v);
		(void) dyn_value_iterator_element(&iterator, map, &v);
		value->type = v.type;
		item->values = lappend(item->values, value);
		if (tag == NULL || value->name == NULL || strcmp(value->name, tag) != 0)
			continue;
		item->tag_type = v.type;
		if (v.type == DYN_TYPE_S)
			item->tag = text_of(&v);
		else if (v.type == DYN_TYPE_BOOL)
			item->tag = v.flags & DYN_VALUE_TRUE ? "true" : "false";
		else if (v.type == DYN_TYPE_N)
		{
			char	   *number = palloc(DYN_NUMBER_BUFSIZE);
			size_t		len;

			if (dyn_number_canonical(v.data, v.len, number, &len) == DYN_NUMBER_OK)
				item->tag = number;
		}
	}
	return item;
}

/* ---- the steps ---- */

void
dyn_sample_describe(void *arg)
{
	DynSample  *sample = arg;

	if (dyn_session_cached_table(sample->connection, sample->table) != NULL)
		dyn_session_forget_table(sample->connection, sample->table);
	sample->meta = dyn_session_table(sample->connection, sample->table);
}

void
dyn_sample_take(void *arg)
{
	DynSample  *sample = arg;
	DynItemScan *scan = dyn_item_scan_of_table(sample->connection,
											   sample->table, sample->meta);
	DynFetch   *fetch;
	const DynValue *item;
	List	   *items = NIL;

	(void) dyn_item_scan_read(scan, dyn_path_of_item(), 1);
	fetch = dyn_item_scan_start(scan, dyn_statement_get(sample->estate),
								sample->limit);
	while ((item = dyn_fetch_next(fetch)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		if (items == NIL)
			dyn_fetch_drain(fetch);
		items = lappend(items, read_item(item, sample->tag));
	}
	dyn_fetch_stop(fetch);
	sample->items = items;
	sample->taken = true;
}

/* ---- attributes ---- */

/* An attribute in one item. */
typedef struct Occurrence
{
	const char *name;
	bool		has_nul;
	DynType		type;
	int			item;
} Occurrence;

static int
compare_names(const Occurrence *a, const Occurrence *b)
{
	int			order = strcmp(a->name, b->name);

	return order != 0 ? order : a->has_nul - b->has_nul;
}

static int
compare_occurrences(const void *a, const void *b)
{
	const Occurrence *x = a;
	const Occurrence *y = b;
	int			order = compare_names(x, y);

	return order != 0 ? order : x->item - y->item;
}

/* Returns all occurrences, sorted. */
static Occurrence *
list_occurrences(const List *items, int *n)
{
	Occurrence *all;
	ListCell   *lc;
	ListCell   *cell;

	*n = 0;
	foreach(lc, items)
		*n += list_length(((const DynSampleItem *) lfirst(lc))->values);
	all = MemoryContextAllocHuge(CurrentMemoryContext,
								 Max(*n, 1) * sizeof(Occurrence));
	*n = 0;
	foreach(lc, items)
	{
		foreach(cell, ((const DynSampleItem *) lfirst(lc))->values)
		{
			const DynSampleValue *value = lfirst(cell);
			Occurrence *occurrence = &all[(*n)++];

			occurrence->has_nul = value->name == NULL;
			occurrence->name = occurrence->has_nul ? "(a name with U+0000)" : value->name;
			occurrence->type = value->type;
			occurrence->item = foreach_current_index(lc);
		}
	}
	qsort(all, *n, sizeof(Occurrence), compare_occurrences);
	return all;
}

/* Returns the key attribute with this name, or NULL. */
static DynAttribute *
find_key_attribute(DynAttribute *attributes, int nkeys, const char *name)
{
	for (int i = 0; i < nkeys; i++)
	{
		if (strcmp(attributes[i].name, name) == 0)
			return &attributes[i];
	}
	return NULL;
}

static void
add_key(DynAttribute *attributes, int *n, const DynKeySchema *key, bool of_table)
{
	for (int i = 0; i < key->nhash + key->nrange; i++)
	{
		const DynKeyAttr *attr = i < key->nhash ? &key->hash[i]
			: &key->range[i - key->nhash];
		DynAttribute *attribute;

		if (find_key_attribute(attributes, *n, attr->name) != NULL)
			continue;
		attribute = &attributes[(*n)++];
		attribute->name = attr->name;
		attribute->in_key = of_table;
		attribute->in_any_key = true;
		attribute->types = 1u << attr->type;
	}
}

DynAttribute *
dyn_sample_attributes(const DynTableMeta *meta, const List *items, int *n)
{
	int			nseen;
	const Occurrence *seen = list_occurrences(items, &nseen);
	int			space = (meta->nindexes + 1) * 2 * DYN_MAX_KEY_ATTRS + nseen;
	DynAttribute *all = MemoryContextAllocHuge(CurrentMemoryContext,
											   space * sizeof(DynAttribute));
	DynAttribute *attribute = NULL;
	int			nkeys = 0;

	memset(all, 0, space * sizeof(DynAttribute));
	add_key(all, &nkeys, &meta->key, true);
	for (int i = 0; i < meta->nindexes; i++)
		add_key(all, &nkeys, &meta->indexes[i].key, false);
	*n = nkeys;
	for (int i = 0; i < nseen; i++)
	{
		bool		is_new = i == 0 || compare_names(&seen[i - 1], &seen[i]) != 0;

		if (is_new)
			attribute = find_key_attribute(all, nkeys, seen[i].name);
		if (attribute == NULL)
			attribute = &all[(*n)++];
		attribute->name = seen[i].name;
		attribute->has_nul = seen[i].has_nul;
		attribute->types |= 1u << seen[i].type;
		attribute->items += is_new || seen[i].item != seen[i - 1].item;
	}
	return all;
}
