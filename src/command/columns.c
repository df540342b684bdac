/*
 * columns.c
 *		Infers columns from keys and a sample, names them, and writes CREATE
 *		FOREIGN TABLE.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "catalog/heap.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "../base/text.h"
#include "../model/server/encoding.h"
#include "columns.h"

#define LONGEST_NAME	(NAMEDATALEN - 1)
#define CHECKSUM_DIGITS	8

/* ---- names ---- */

HTAB *
dyn_names_create(void)
{
	HASHCTL		ctl = {
		.keysize = NAMEDATALEN,
		.entrysize = NAMEDATALEN,
		.hcxt = CurrentMemoryContext
	};

	return hash_create("dynamo_fdw names", 64, &ctl,
					   HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
}

static bool
take_if_unused(HTAB *taken, const char *name)
{
	bool		found;

	(void) hash_search(taken, name, HASH_ENTER, &found);
	return !found;
}

static char *
split(const char *text, int len)
{
	return pnstrdup(text, pg_mbcliplen(text, strlen(text), len));
}

static bool
is_too_long(const char *text)
{
	return strlen(text) > LONGEST_NAME;
}

/*
 * Returns text number i, truncated as in PostgreSQL; NULL if another text is
 * truncated to the same name.
 */
static char *
unique_split(List *texts, int i)
{
	char	   *name = split(list_nth(texts, i), LONGEST_NAME);
	ListCell   *lc;

	foreach(lc, texts)
	{
		if (foreach_current_index(lc) != i && is_too_long(lfirst(lc)) &&
			strcmp(split(lfirst(lc), LONGEST_NAME), name) == 0)
			return NULL;
	}
	return name;
}

List *
dyn_names_assign(HTAB *taken, List *texts)
{
	List	   *names = NIL;
	ListCell   *lc;

	foreach(lc, texts)
	{
		char	   *text = lfirst(lc);

		names = lappend(names, !is_too_long(text) && take_if_unused(taken, text)
						? text : NULL);
	}
	foreach(lc, names)
	{
		const char *text = list_nth(texts, foreach_current_index(lc));
		char	   *name;
		uint32		checksum = 0;

		if (lfirst(lc) != NULL)
			continue;
		name = is_too_long(text) ? unique_split(texts, foreach_current_index(lc)) : NULL;
		while (name == NULL || !take_if_unused(taken, name))
		{
			checksum = dyn_crc32(checksum, text, strlen(text));
			name = psprintf("%s_%08x",
							split(text, LONGEST_NAME - CHECKSUM_DIGITS - 1), checksum);
		}
		lfirst(lc) = name;
	}
	return names;
}

/* ---- columns ---- */

char *
dyn_option_text_of(const char *utf8)
{
	char	   *text = unconstify(char *, utf8);
	size_t		len = strlen(utf8);
	const char *why;

	return dyn_from_utf8(&text, &len, &why) && strcmp(dyn_to_utf8(text), utf8) == 0
		? text : NULL;
}

static void
add_column(DynNewColumns *columns, const DynAttribute *attribute)
{
	char	   *name = attribute->has_nul || attribute->name[0] == '\0' ? NULL
		: dyn_option_text_of(attribute->name);
	DynNewColumn *column;

	if (name == NULL || columns->n == MaxHeapAttributeNumber)
	{
		columns->left_out = lappend(columns->left_out,
									pstrdup(dyn_from_utf8_lossy(attribute->name)));
		return;
	}
	column = &columns->columns[columns->n++];
	column->attribute = name;
	column->types = attribute->types & ~(1u << DYN_TYPE_NULL);
	column->not_null = attribute->in_key;
	column->bytewise = attribute->in_any_key;
}

/* Names the columns.  Names of system columns count as used. */
static void
name_columns(DynNewColumns *columns)
{
	HTAB	   *taken = dyn_names_create();
	List	   *system = NIL;
	List	   *attributes = NIL;
	List	   *names;

	for (int attnum = -1; attnum > FirstLowInvalidHeapAttributeNumber; attnum--)
		system = lappend(system,
						 pstrdup(NameStr(SystemAttributeDefinition(attnum)->attname)));
	(void) dyn_names_assign(taken, system);
	for (int i = 0; i < columns->n; i++)
		attributes = lappend(attributes, columns->columns[i].attribute);
	names = dyn_names_assign(taken, attributes);
	for (int i = 0; i < columns->n; i++)
		columns->columns[i].name = list_nth(names, i);
}

DynNewColumns *
dyn_columns_infer(const DynTableMeta *meta, const List *items)
{
	DynNewColumns *columns = palloc0(sizeof(DynNewColumns));
	const DynAttribute *without_name = NULL;
	int			n;
	const DynAttribute *attributes = dyn_sample_attributes(meta, items, &n);

	columns->columns = palloc0(MaxHeapAttributeNumber * sizeof(DynNewColumn));
	for (int i = 0; i < n; i++)
	{
		if (attributes[i].has_nul)
			without_name = &attributes[i];
		else
			add_column(columns, &attributes[i]);
	}
	if (without_name != NULL)
		add_column(columns, without_name);
	name_columns(columns);
	return columns;
}

/* ---- the command ---- */

/*
 * Returns a column's SQL type.  It is jsonb, which accepts all values, for
 * lists, maps, several types, and unknown types.
 */
static const char *
sql_type(const DynNewColumn *column)
{
	static const char *const names[] = {
		[DYN_TYPE_S] = "pg_catalog.text",
		[DYN_TYPE_N] = "pg_catalog.\"numeric\"",
		[DYN_TYPE_B] = "pg_catalog.bytea",
		[DYN_TYPE_BOOL] = "pg_catalog.bool",
		[DYN_TYPE_SS] = "pg_catalog.text[]",
		[DYN_TYPE_NS] = "pg_catalog.\"numeric\"[]",
		[DYN_TYPE_BS] = "pg_catalog.bytea[]",
	};

	for (int type = 0; type < lengthof(names); type++)
	{
		if (column->types == 1u << type && names[type] != NULL)
			return names[type];
	}
	return "pg_catalog.jsonb";
}

/* Returns true if all values in the sample are sets of the same type. */
static bool
is_set(const DynNewColumn *column)
{
	return column->types == 1u << DYN_TYPE_SS || column->types == 1u << DYN_TYPE_NS ||
		column->types == 1u << DYN_TYPE_BS;
}

void
dyn_columns_write(StringInfo sql, const char *name,
				  const DynNewColumns *columns, const char *server,
				  const char *table_name, const char *match)
{
	appendStringInfo(sql, "CREATE FOREIGN TABLE %s (", quote_identifier(name));
	for (int i = 0; i < columns->n; i++)
	{
		const DynNewColumn *column = &columns->columns[i];
		bool		renamed = strcmp(column->name, column->attribute) != 0;

		if (i > 0)
			appendStringInfoChar(sql, ',');
		appendStringInfo(sql, "\n  %s %s", quote_identifier(column->name),
						 sql_type(column));
		if (renamed || is_set(column))
			appendStringInfo(sql, " OPTIONS (%s%s%s%s)", renamed ? "attribute " : "",
							 renamed ? quote_literal_cstr(column->attribute) : "",
							 renamed && is_set(column) ? ", " : "",
							 is_set(column) ? "format 'set'" : "");
		if (column->bytewise && column->types == 1u << DYN_TYPE_S)
			appendStringInfoString(sql, " COLLATE pg_catalog.\"C\"");
		if (column->not_null)
			appendStringInfoString(sql, " NOT NULL");
	}
	appendStringInfo(sql, "\n) SERVER %s\nOPTIONS (table_name %s",
					 quote_identifier(server), quote_literal_cstr(table_name));
	if (match != NULL)
		appendStringInfo(sql, ", item_filter %s", quote_literal_cstr(match));
	appendStringInfoChar(sql, ')');
}
