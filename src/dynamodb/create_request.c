/*
 * create_request.c
 *		The request document of CreateTable.
 */
#include "create_request.h"

#include <string.h>

#include "../base/text.h"

/* ---- keys ---- */

static void
put_key(DynBuffer *buf, const DynKeySchema *key)
{
	int			i;

	dyn_buffer_append_str(buf, "\"KeySchema\":[");
	for (i = 0; i < key->nhash + key->nrange; i++)
	{
		bool		is_hash = i < key->nhash;

		dyn_buffer_append_str(buf, i > 0 ? ",{\"AttributeName\":" :
							  "{\"AttributeName\":");
		dyn_append_json_text(buf, is_hash ? key->hash[i].name
							 : key->range[i - key->nhash].name);
		dyn_buffer_printf(buf, ",\"KeyType\":\"%s\"}",
						  is_hash ? "HASH" : "RANGE");
	}
	dyn_buffer_append_char(buf, ']');
}

/* ---- attribute definitions: each key attribute once ---- */

static const DynKeySchema *
key_number(const DynTableMeta *table, int i)
{
	return i == 0 ? &table->key : &table->indexes[i - 1].key;
}

static void
define(DynBuffer *buf, const DynTableMeta *table, int n, const DynKeyAttr *attr,
	   bool *first)
{
	int			i;

	for (i = 0; i < n; i++)
	{
		if (dyn_is_in_key(key_number(table, i), attr->name))
			return;
	}
	dyn_buffer_append_str(buf, *first ? "{\"AttributeName\":" : ",{\"AttributeName\":");
	dyn_append_json_text(buf, attr->name);
	dyn_buffer_printf(buf, ",\"AttributeType\":\"%s\"}", dyn_type_name(attr->type));
	*first = false;
}

static void
put_definitions(DynBuffer *buf, const DynTableMeta *table)
{
	bool		first = true;
	int			n;
	int			i;

	dyn_buffer_append_str(buf, ",\"AttributeDefinitions\":[");
	for (n = 0; n <= table->nindexes; n++)
	{
		const DynKeySchema *key = key_number(table, n);

		for (i = 0; i < key->nhash; i++)
			define(buf, table, n, &key->hash[i], &first);
		for (i = 0; i < key->nrange; i++)
			define(buf, table, n, &key->range[i], &first);
	}
	dyn_buffer_append_char(buf, ']');
}

/* ---- indexes ---- */

static void
put_projection(DynBuffer *buf, const DynIndexMeta *index)
{
	static const char *const words[] = {
		[DYN_PROJECT_ALL] = "ALL",
		[DYN_PROJECT_KEYS_ONLY] = "KEYS_ONLY",
		[DYN_PROJECT_INCLUDE] = "INCLUDE"
	};
	int			i;

	dyn_buffer_printf(buf, ",\"Projection\":{\"ProjectionType\":\"%s\"",
					  words[index->projection]);
	for (i = 0; i < index->nincluded; i++)
	{
		dyn_buffer_append_str(buf, i == 0 ? ",\"NonKeyAttributes\":[" : ",");
		dyn_append_json_text(buf, index->included[i]);
	}
	dyn_buffer_append_str(buf, index->nincluded > 0 ? "]}" : "}");
}

/* Those of one kind. */
static void
put_indexes(DynBuffer *buf, const DynTableMeta *table, bool global,
			const char *member)
{
	bool		first = true;
	int			i;

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
		put_projection(buf, index);
		dyn_buffer_append_char(buf, '}');
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
