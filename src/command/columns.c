/*
 * columns.c
 *		Infers columns from keys and a sample, and writes CREATE FOREIGN TABLE.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "catalog/heap.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "../model/server/encoding.h"
#include "columns.h"
#include "sql_names.h"

/* ---- attributes ---- */

/* An attribute as the description or one item has it. */
typedef struct Sighting
{
	const char *name;			/* UTF-8 */
	DynType		type;
	int			rank;			/* of a key attribute; else UNRANKED */
} Sighting;

#define UNRANKED	INT_MAX

typedef struct Sightings
{
	int			n;
	int			space;
	Sighting   *all;
	int			nkeys;			/* the first ones are of keys */
	int			nbase;			/* and of these the first of the table's key */
	bool		nul_in_name;
} Sightings;

static void
add_sighting(Sightings *seen, const char *name, DynType type, int rank)
{
	Sighting   *sighting;

	if (seen->n == seen->space)
	{
		seen->space *= 2;
		seen->all = repalloc_huge(seen->all, (Size) seen->space * sizeof(Sighting));
	}
	sighting = &seen->all[seen->n++];
	sighting->name = name;
	sighting->type = type;
	sighting->rank = rank;
}

static void
add_key_attr(Sightings *seen, const DynKeyAttr *attr)
{
	for (int i = 0; i < seen->nkeys; i++)
	{
		if (strcmp(seen->all[i].name, attr->name) == 0)
			return;
	}
	add_sighting(seen, attr->name, attr->type, seen->nkeys);
	seen->nkeys++;
}

static void
add_key(Sightings *seen, const DynKeySchema *key)
{
	for (int i = 0; i < key->nhash; i++)
		add_key_attr(seen, &key->hash[i]);
	for (int i = 0; i < key->nrange; i++)
		add_key_attr(seen, &key->range[i]);
}

static int
rank_of(const Sightings *seen, const char *name)
{
	for (int i = 0; i < seen->nkeys; i++)
	{
		if (strcmp(seen->all[i].name, name) == 0)
			return i;
	}
	return UNRANKED;
}

static void
add_item(Sightings *seen, const DynSampleItem *item)
{
	ListCell   *lc;

	foreach(lc, item->values)
	{
		const DynSampleValue *value = lfirst(lc);

		if (value->name == NULL)
			seen->nul_in_name = true;
		else
			add_sighting(seen, value->name, value->type,
						 rank_of(seen, value->name));
	}
}

static void
gather(Sightings *seen, const DynTableMeta *meta, List *items)
{
	ListCell   *lc;

	memset(seen, 0, sizeof(*seen));
	seen->space = 256;
	seen->all = palloc(seen->space * sizeof(Sighting));
	add_key(seen, &meta->key);
	seen->nbase = seen->nkeys;
	for (int i = 0; i < meta->nindexes; i++)
		add_key(seen, &meta->indexes[i].key);
	foreach(lc, items)
		add_item(seen, lfirst(lc));
}

/* Keys in their order, others by the bytes of their names. */
static int
compare_sightings(const void *a, const void *b)
{
	const Sighting *x = a;
	const Sighting *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* ---- columns ---- */

/* NULL tells nothing of the type. */
static unsigned
type_bit(DynType type)
{
	return type == DYN_TYPE_NULL ? 0 : 1u << type;
}

/* The attribute as an option can name it, or NULL. */
static const char *
local_name(const char *attribute)
{
	char	   *text = unconstify(char *, attribute);
	size_t		len = strlen(attribute);
	const char *why;

	if (len == 0 || !dyn_from_utf8(&text, &len, &why) ||
		strcmp(dyn_to_utf8(text), attribute) != 0)
		return NULL;
	return text;
}

static void
leave_out(DynNewColumns *columns, const char *attribute)
{
	columns->left_out = lappend(columns->left_out,
								pstrdup(dyn_from_utf8_lossy(attribute)));
}

/* The sightings from `first` on that are of the same attribute become a column. */
static int
add_column(DynNewColumns *columns, const Sightings *seen, int first)
{
	const Sighting *sighting = &seen->all[first];
	const char *attribute = local_name(sighting->name);
	unsigned	types = 0;
	int			next = first;

	while (next < seen->n && strcmp(seen->all[next].name, sighting->name) == 0)
		types |= type_bit(seen->all[next++].type);
	if (attribute == NULL || columns->n == MaxHeapAttributeNumber)
		leave_out(columns, sighting->name);
	else
	{
		DynNewColumn *column = &columns->columns[columns->n++];

		column->attribute = attribute;
		column->types = types;
		column->not_null = sighting->rank < seen->nbase;
		column->bytewise = sighting->rank != UNRANKED;
	}
	return next;
}

static void
reserve_system_names(HTAB *taken)
{
	for (AttrNumber attnum = -1; attnum > FirstLowInvalidHeapAttributeNumber;
		 attnum--)
		dyn_names_reserve(taken,
						  NameStr(SystemAttributeDefinition(attnum)->attname));
}

static void
name_columns(DynNewColumns *columns)
{
	HTAB	   *taken = dyn_names_create();
	const char **attributes = palloc(Max(columns->n, 1) * sizeof(char *));
	const char **names;

	reserve_system_names(taken);
	for (int i = 0; i < columns->n; i++)
		attributes[i] = columns->columns[i].attribute;
	names = dyn_names_assign(taken, attributes, columns->n);
	for (int i = 0; i < columns->n; i++)
		columns->columns[i].name = names[i];
}

DynNewColumns *
dyn_columns_infer(const DynTableMeta *meta, List *items)
{
	DynNewColumns *columns = palloc0(sizeof(DynNewColumns));
	Sightings	seen;

	gather(&seen, meta, items);
	columns->columns = palloc0(MaxHeapAttributeNumber * sizeof(DynNewColumn));
	qsort(seen.all, seen.n, sizeof(Sighting), compare_sightings);
	for (int i = 0; i < seen.n;)
		i = add_column(columns, &seen, i);
	if (seen.nul_in_name)
		leave_out(columns, "(a name with U+0000)");
	name_columns(columns);
	return columns;
}

bool
dyn_column_is_mixed(const DynNewColumn *column)
{
	return (column->types & (column->types - 1)) != 0;
}

/* ---- the command ---- */

typedef struct TypeWords
{
	DynType		type;
	const char *sql;
} TypeWords;

static const TypeWords type_words[] = {
	{DYN_TYPE_S, "pg_catalog.text"},
	{DYN_TYPE_N, "pg_catalog.\"numeric\""},
	{DYN_TYPE_B, "pg_catalog.bytea"},
	{DYN_TYPE_BOOL, "pg_catalog.bool"},
	{DYN_TYPE_SS, "pg_catalog.text[]"},
	{DYN_TYPE_NS, "pg_catalog.\"numeric\"[]"},
	{DYN_TYPE_BS, "pg_catalog.bytea[]"},
};

/* Lists, maps, several types, none: jsonb, which accepts everything. */
static const char *
sql_type(const DynNewColumn *column)
{
	for (int i = 0; i < lengthof(type_words); i++)
	{
		if (column->types == type_bit(type_words[i].type))
			return type_words[i].sql;
	}
	return "pg_catalog.jsonb";
}

static void
write_column(StringInfo sql, const DynNewColumn *column)
{
	appendStringInfo(sql, "\n  %s %s", quote_identifier(column->name),
					 sql_type(column));
	if (strcmp(column->name, column->attribute) != 0)
		appendStringInfo(sql, " OPTIONS (attribute %s)",
						 quote_literal_cstr(column->attribute));
	if (column->bytewise && column->types == type_bit(DYN_TYPE_S))
		appendStringInfoString(sql, " COLLATE pg_catalog.\"C\"");
	if (column->not_null)
		appendStringInfoString(sql, " NOT NULL");
}

void
dyn_columns_write(StringInfo sql, const char *name,
				  const DynNewColumns *columns, const char *server,
				  const char *table_name, const char *match)
{
	appendStringInfo(sql, "CREATE FOREIGN TABLE %s (", quote_identifier(name));
	for (int i = 0; i < columns->n; i++)
	{
		if (i > 0)
			appendStringInfoChar(sql, ',');
		write_column(sql, &columns->columns[i]);
	}
	appendStringInfo(sql, "\n) SERVER %s\nOPTIONS (table_name %s",
					 quote_identifier(server), quote_literal_cstr(table_name));
	if (match != NULL)
		appendStringInfo(sql, ", match %s", quote_literal_cstr(match));
	appendStringInfoChar(sql, ')');
}
