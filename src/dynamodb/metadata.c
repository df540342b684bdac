/*
 * metadata.c
 *		Parses a DescribeTable response into a DynTableMeta.
 *
 * The response is small and rare, so jansson parses it.  The description owns
 * the parsed document, and points to the strings in it.
 *
 * Unknown members are ignored.  A null or empty member counts as absent.
 * The table's own key must be valid.  An index whose key is not understood
 * (maybe of a future kind) is ignored, since the table can be read without it.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/jsonload.h"
#include "../base/macros.h"
#include "../base/text.h"
#include "metadata.h"
#include "names.h"

/* Read units per second of a new on-demand table, and the default quota */
#define ON_DEMAND_UNITS		12000.0
#define ON_DEMAND_QUOTA		40000.0

/* Context for the functions that parse the description */
typedef struct Source
{
	const json_t *table;
	const json_t *types;		/* AttributeDefinitions */
	bool		out_of_memory;
} Source;

/* The two lists of indexes, in the order of DynTableMeta */
static const struct
{
	const char *member;
	bool		global;
}			index_lists[] = {
	{"LocalSecondaryIndexes", false},
	{"GlobalSecondaryIndexes", true},
};

/* Returns the string in a member; "" if the member is not a string. */
static const char *
text_member(const json_t *object, const char *member)
{
	const char *text = json_string_value(json_object_get(object, member));

	return text != NULL ? text : "";
}

static uint64_t
count_member(const json_t *object, const char *member)
{
	json_int_t	n = json_integer_value(json_object_get(object, member));

	return n > 0 ? (uint64_t) n : 0;
}

static bool
read_key(const Source *src, const json_t *owner, int max_attrs,
		 DynKeySchema *key)
{
	const json_t *schema = json_object_get(owner, "KeySchema");

	for (size_t i = 0; i < json_array_size(schema); i++)
	{
		const json_t *element = json_array_get(schema, i);
		const char *kind = text_member(element, "KeyType");
		DynKeyAttr *attr;

		if (strcmp(kind, "HASH") == 0 && key->nhash < max_attrs)
			attr = &key->hash[key->nhash++];
		else if (strcmp(kind, "RANGE") == 0 && key->nrange < max_attrs)
			attr = &key->range[key->nrange++];
		else
			return false;
		attr->name = text_member(element, "AttributeName");
		for (size_t k = 0; k < json_array_size(src->types); k++)
		{
			const json_t *def = json_array_get(src->types, k);
			const char *type = text_member(def, "AttributeType");

			if (strcmp(text_member(def, "AttributeName"), attr->name) != 0)
				continue;
			attr->type = dyn_type_of_name(type, strlen(type));
			break;
		}
		if (attr->name[0] == '\0' || attr->type == DYN_TYPE_ABSENT ||
			attr->type > DYN_TYPE_B)
			return false;
	}
	return key->nhash > 0;
}

static double
number_member(const json_t *object, const char *outer, const char *inner)
{
	return json_number_value(json_object_get(json_object_get(object, outer),
											 inner));
}

/*
 * Sets the throughput.  A table is provisioned if its billing mode is not
 * on-demand and DynamoDB reports units for it.
 */
static void
read_throughput(const Source *src, const json_t *object,
				DynThroughput *throughput)
{
	const json_t *billing = json_object_get(src->table, "BillingModeSummary");
	double		units = number_member(object, "ProvisionedThroughput",
									  "ReadCapacityUnits");
	double		most = number_member(object, "OnDemandThroughput",
									 "MaxReadRequestUnits");
	double		warm = number_member(object, "WarmThroughput",
									 "ReadUnitsPerSecond");

	throughput->provisioned = units > 0 &&
		strcmp(text_member(billing, "BillingMode"), "PAY_PER_REQUEST") != 0;
	if (!throughput->provisioned)
	{
		units = warm > ON_DEMAND_UNITS ? warm : ON_DEMAND_UNITS;
		if (most <= 0)
			most = ON_DEMAND_QUOTA;
		units = units < most ? units : most;
	}
	throughput->read_units = units;
}

/* Reads a projection; an unknown type becomes KEYS_ONLY, the smallest one. */
static void
read_projection(Source *src, const json_t *index, DynIndexMeta *meta)
{
	const json_t *projection = json_object_get(index, "Projection");
	const json_t *names = json_object_get(projection, "NonKeyAttributes");
	const char *type = text_member(projection, "ProjectionType");

	meta->projection = strcmp(type, "ALL") == 0 ? DYN_PROJECT_ALL
		: strcmp(type, "INCLUDE") == 0 ? DYN_PROJECT_INCLUDE
		: DYN_PROJECT_KEYS_ONLY;
	if (meta->projection != DYN_PROJECT_INCLUDE)
		return;
	meta->included = malloc((json_array_size(names) + 1) * sizeof(char *));
	src->out_of_memory |= meta->included == NULL;
	for (size_t i = 0; meta->included != NULL && i < json_array_size(names); i++)
	{
		const char *name = json_string_value(json_array_get(names, i));

		if (name != NULL)
			meta->included[meta->nincluded++] = name;
	}
	dyn_names_sort(&(DynNames) {meta->nincluded, meta->included});
}

/*
 * Reads an index; returns false if it cannot be used.  Without IndexStatus,
 * which some emulators do not send, the index is regarded as active.
 */
static bool
read_index(Source *src, const json_t *index, bool global, DynIndexMeta *meta)
{
	const char *status = text_member(index, "IndexStatus");

	meta->name = text_member(index, "IndexName");
	if (meta->name[0] == '\0' ||
		!read_key(src, index, global ? DYN_MAX_KEY_ATTRS : 1, &meta->key))
		return false;
	meta->global = global;
	/* UPDATING: the capacity is changing, but the index can be read */
	meta->active = !global ||
		((status[0] == '\0' || strcmp(status, "ACTIVE") == 0 ||
		  strcmp(status, "UPDATING") == 0) &&
		 !json_is_true(json_object_get(index, "Backfilling")));
	meta->item_count = count_member(index, "ItemCount");
	meta->size_bytes = count_member(index, "IndexSizeBytes");
	read_throughput(src, global ? index : src->table, &meta->throughput);
	read_projection(src, index, meta);
	return true;
}

static bool
read_table(Source *src, DynTableMeta *meta)
{
	meta->name = text_member(src->table, "TableName");
	if (meta->name[0] == '\0' || !read_key(src, src->table, 1, &meta->key))
		return false;
	meta->id = json_string_value(json_object_get(src->table, "TableId"));
	meta->status = text_member(src->table, "TableStatus");
	meta->item_count = count_member(src->table, "ItemCount");
	meta->size_bytes = count_member(src->table, "TableSizeBytes");
	meta->created = json_number_value(json_object_get(src->table,
													  "CreationDateTime"));
	read_throughput(src, src->table, &meta->throughput);
	for (size_t list = 0; list < LENGTHOF(index_lists); list++)
	{
		const json_t *indexes = json_object_get(src->table,
												index_lists[list].member);

		for (size_t i = 0; i < json_array_size(indexes); i++)
		{
			DynIndexMeta *index = &meta->indexes[meta->nindexes];

			memset(index, 0, sizeof(*index));
			meta->nindexes += read_index(src, json_array_get(indexes, i),
										 index_lists[list].global, index);
		}
	}
	return true;
}

/* ---- schema strings ---- */

/* Appends a name's length and the name, so schema strings are unambiguous. */
static void
append_name(DynBuffer *out, const char *name)
{
	size_t		len = strlen(name);

	dyn_append_number(out, len);
	dyn_buffer_append_char(out, ':');
	dyn_buffer_append(out, name, len);
}

static void
append_key(DynBuffer *out, const DynKeySchema *key)
{
	dyn_buffer_append_str(out, "hash ");
	for (int i = 0; i < key->nhash + key->nrange; i++)
	{
		const DynKeyAttr *attr = dyn_key_attr(key, i);

		if (i == key->nhash)
			dyn_buffer_append_str(out, " range ");
		append_name(out, attr->name);
		dyn_buffer_append_str(out, dyn_type_name(attr->type));
	}
	if (key->nrange == 0)
		dyn_buffer_append_str(out, " range ");
}

static void
append_index(DynBuffer *out, const DynIndexMeta *index)
{
	static const char *const projections[] = {
		[DYN_PROJECT_ALL] = " all",
		[DYN_PROJECT_KEYS_ONLY] = " keys",
		[DYN_PROJECT_INCLUDE] = " include "
	};

	dyn_buffer_append_str(out, index->global ? " global " : " local ");
	append_name(out, index->name);
	append_key(out, &index->key);
	dyn_buffer_append_str(out, index->active ? "" : " inactive");
	dyn_buffer_append_str(out, projections[index->projection]);
	for (int i = 0; i < index->nincluded; i++)
		append_name(out, index->included[i]);
}

static bool
write_schemas(DynTableMeta *meta)
{
	DynBuffer	out = {0};
	const char *text;
	int			i;

	for (i = -1; i < meta->nindexes; i++)
	{
		append_key(&out, &meta->key);
		if (i >= 0)
			append_index(&out, &meta->indexes[i]);
		dyn_buffer_append_char(&out, '\0');
	}
	meta->schema = meta->texts = out.data;
	for (i = 0, text = out.data; !out.failed && i < meta->nindexes; i++)
		meta->indexes[i].schema = text += strlen(text) + 1;
	return !out.failed;
}

/* analyzer: `included` is not leaked: dyn_metadata_free frees it */
DynTableMeta *
dyn_metadata_parse(const char *buf, size_t len, const char **reason)
{
	Source		src = {NULL, NULL, false};
	json_t	   *root = dyn_json_load(buf, len, 0, &src.out_of_memory);
	DynTableMeta *meta = NULL;
	size_t		nindexes = 0;

	src.table = json_object_get(root, "Table");
	src.types = json_object_get(src.table, "AttributeDefinitions");
	for (size_t i = 0; i < LENGTHOF(index_lists); i++)
		nindexes += json_array_size(json_object_get(src.table,
													index_lists[i].member));
	*reason = src.out_of_memory || json_is_object(src.table) ? "out of memory"
		: "not a table description";
	if (json_is_object(src.table))
		meta = calloc(1, sizeof(DynTableMeta) + nindexes * sizeof(DynIndexMeta));
	if (meta == NULL)
	{
		json_decref(root);
		return NULL;
	}
	meta->document = root;
	meta->indexes = (DynIndexMeta *) (meta + 1);
	if (!read_table(&src, meta))
		*reason = "a table description with an unsupported key";
	else if (!src.out_of_memory && write_schemas(meta))
		return meta;
	dyn_metadata_free(meta);
	return NULL;
}

void
dyn_metadata_free(DynTableMeta *meta)
{
	if (meta == NULL)
		return;
	while (meta->nindexes > 0)
		free(meta->indexes[--meta->nindexes].included);
	json_decref(meta->document);
	free(meta->texts);
	free(meta);
}

double
dyn_metadata_item_bytes(const DynTableMeta *meta, const DynIndexMeta *index)
{
	if (index != NULL && index->item_count > 0 && index->size_bytes > 0)
		return (double) index->size_bytes / index->item_count;
	if (meta->item_count > 0)
		return (double) meta->size_bytes / meta->item_count;
	return 0;
}

/* ---- lookups ---- */

const DynIndexMeta *
dyn_metadata_index(const DynTableMeta *meta, const char *name)
{
	for (int i = 0; i < meta->nindexes; i++)
	{
		if (name != NULL && strcmp(meta->indexes[i].name, name) == 0)
			return &meta->indexes[i];
	}
	return NULL;
}

const DynKeyAttr *
dyn_key_find(const DynKeySchema *key, const char *attr)
{
	for (int i = 0; i < key->nhash + key->nrange; i++)
	{
		if (strcmp(dyn_key_attr(key, i)->name, attr) == 0)
			return dyn_key_attr(key, i);
	}
	return NULL;
}

bool
dyn_is_in_hash_key(const DynKeySchema *key, const char *attr)
{
	const DynKeyAttr *found = dyn_key_find(key, attr);

	return found != NULL && found < &key->hash[key->nhash];
}

bool
dyn_is_in_key(const DynKeySchema *key, const char *attr)
{
	return dyn_key_find(key, attr) != NULL;
}

bool
dyn_is_key_attribute(const DynTableMeta *meta, const char *attr)
{
	for (int i = 0; i <= meta->nindexes; i++)
	{
		if (dyn_is_in_key(dyn_key_number(meta, i), attr))
			return true;
	}
	return false;
}

bool
dyn_index_projects(const DynTableMeta *meta, const DynIndexMeta *index,
				   const char *attr)
{
	const DynNames included = {index->nincluded, index->included};

	return index->projection == DYN_PROJECT_ALL ||
		dyn_is_in_key(&index->key, attr) || dyn_is_in_key(&meta->key, attr) ||
		dyn_names_have(&included, attr, strlen(attr));
}

const char *
dyn_metadata_schema(const DynTableMeta *meta, const char *index)
{
	const DynIndexMeta *found = dyn_metadata_index(meta, index);

	return index == NULL ? meta->schema : found != NULL ? found->schema : NULL;
}

bool
dyn_metadata_same_schema(const DynTableMeta *a, const DynTableMeta *b)
{
	if (a->nindexes != b->nindexes || strcmp(a->schema, b->schema) != 0)
		return false;
	for (int i = 0; i < a->nindexes; i++)
	{
		const char *other = dyn_metadata_schema(b, a->indexes[i].name);

		if (other == NULL || strcmp(a->indexes[i].schema, other) != 0)
			return false;
	}
	return true;
}
