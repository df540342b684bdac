/*
 * create_request.c
 *		Writes the request document of CreateTable.
 */
#include "create_request.h"

#include <string.h>

#include "../base/text.h"

/* ---- keys ---- */

static const DynKeyAttr *
key_attr(const DynKeySchema *key, int i)
{
	return i < key->nhash ? &key->hash[i] : &key->range[i - key->nhash];
}

static void
put_key(DynBuffer *buf, const DynKeySchema *key)
{
	int			i;

	dyn_buffer_append_str(buf, "\"KeySchema\":[");
	for (i = 0; i < key->nhash + key->nrange; i++)
	{
		dyn_buffer_append_str(buf, i > 0 ? ",{\"AttributeName\":" :
							  "{\"AttributeName\":");
		dyn_append_json_text(buf, key_attr(key, i)->name);
		dyn_buffer_printf(buf, ",\"KeyType\":\"%s\"}",
						  i < key->nhash ? "HASH" : "RANGE");
	}
	dyn_buffer_append_char(buf, ']');
}

/* ---- attribute definitions: each key attribute once ---- */

static const DynKeySchema *
key_number(const DynTableMeta *table, int i)
{
	return i == 0 ? &table->key : &table->indexes[i - 1].key;
}

/* Writes each key attribute once. */
static void
put_definitions(DynBuffer *buf, const DynTableMeta *table)
{
	bool		first = true;
	int			n;
	int			i;
	int			j;

	dyn_buffer_append_str(buf, ",\"AttributeDefinitions\":[");
	for (n = 0; n <= table->nindexes; n++)
	{
		const DynKeySchema *key = key_number(table, n);

		for (i = 0; i < key->nhash + key->nrange; i++)
		{
			const DynKeyAttr *attr = key_attr(key, i);

			for (j = 0; j < n && !dyn_is_in_key(key_number(table, j), attr->name);)
				j++;
			if (j < n)
				continue;
			dyn_buffer_append_str(buf, first ? "{\"AttributeName\":" :
								  ",{\"AttributeName\":");
			dyn_append_json_text(buf, attr->name);
			dyn_buffer_printf(buf, ",\"AttributeType\":\"%s\"}",
							  dyn_type_name(attr->type));
			first = false;
		}
	}
	dyn_buffer_append_char(buf, ']');
}

/* ---- indexes ---- */

/* Writes either the global or the local indexes. */
static void
put_indexes(DynBuffer *buf, const DynTableMeta *table, bool global,
			const char *member)
{
	static const char *const words[] = {
		[DYN_PROJECT_ALL] = "ALL",
		[DYN_PROJECT_KEYS_ONLY] = "KEYS_ONLY",
		[DYN_PROJECT_INCLUDE] = "INCLUDE"
	};
	bool		first = true;
	int			i;
	int			j;

	for (i = 0; i < table->nindexes; i++)
	{
		const DynIndexMeta *index = &table->indexes[i];

		if (index->global != global)
			continue;
		if (first)
			dyn_buffer_printf(buf, ",\"%s\":[", member);
		dyn_buffer_append_str(buf, first ? "{\"IndexName\":" : ",{\"IndexName\":");
		dyn_append_json_text(buf, index->name);
		dyn_buffer_append_char(buf, ',');
		put_key(buf, &index->key);
		dyn_buffer_printf(buf, ",\"Projection\":{\"ProjectionType\":\"%s\"",
						  words[index->projection]);
		for (j = 0; j < index->nincluded; j++)
		{
			dyn_buffer_append_str(buf, j == 0 ? ",\"NonKeyAttributes\":[" : ",");
			dyn_append_json_text(buf, index->included[j]);
		}
		dyn_buffer_append_str(buf, index->nincluded > 0 ? "]}}" : "}}");
		first = false;
	}
	if (!first)
		dyn_buffer_append_char(buf, ']');
}

void
dyn_write_create_table(DynBuffer *buf, const DynTableMeta *table)
{
	dyn_buffer_reset(buf);
	dyn_buffer_append_str(buf, "{\"TableName\":");
	dyn_append_json_text(buf, table->name);
	dyn_buffer_append_str(buf, ",\"BillingMode\":\"PAY_PER_REQUEST\",");
	put_key(buf, &table->key);
	put_definitions(buf, table);
	put_indexes(buf, table, false, "LocalSecondaryIndexes");
	put_indexes(buf, table, true, "GlobalSecondaryIndexes");
	dyn_buffer_append_char(buf, '}');
}
