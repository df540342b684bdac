/*
 * other_case.c
 *		Columns whose attribute exists under a name in other case.
 *
 * Only top-level attributes are compared: those that a column shows, or whose
 * document it reads.  Letters beyond ASCII are compared as they are, as
 * PostgreSQL does not fold them in UTF-8 either.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "../model/server/encoding.h"
#include "other_case.h"

struct DynFolded
{
	const DynRelation *relation;
	bool	   *seen;			/* by attnum - 1; or not sought */
	char	  **other;			/* the name in other case, UTF-8; or NULL */
	int			nsought;
	int		   *sought;			/* attnum - 1, by name in any case */
	MemoryContext context;
};

static const char *
attribute_of(const DynFolded *folded, int i)
{
	return folded->relation->columns[i].path->steps[0].name;
}

/* 0: they differ in the case of ASCII letters, if at all. */
static int
compare_names(const char *a, const char *b)
{
	for (;; a++, b++)
	{
		int			x = pg_ascii_tolower((unsigned char) *a);
		int			y = pg_ascii_tolower((unsigned char) *b);

		if (x != y || x == '\0')
			return x - y;
	}
}

static int
compare_sought(const void *a, const void *b, void *folded)
{
	return compare_names(attribute_of(folded, *(const int *) a),
						 attribute_of(folded, *(const int *) b));
}

/* Items may have many attributes, and tables many columns. */
static int
first_alike(const DynFolded *folded, const char *name)
{
	int			low = 0;
	int			high = folded->nsought;

	while (low < high)
	{
		int			middle = low + (high - low) / 2;

		if (compare_names(attribute_of(folded, folded->sought[middle]), name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

DynFolded *
dyn_folded_create(const DynRelation *relation)
{
	DynFolded  *folded = palloc0(sizeof(DynFolded));
	int			n = Max(relation->ncolumns, 1);

	folded->relation = relation;
	folded->context = CurrentMemoryContext;
	folded->seen = palloc0(n * sizeof(bool));
	folded->other = palloc0(n * sizeof(char *));
	folded->sought = palloc(n * sizeof(int));
	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];

		/* names in templates are not folded, as they are in an option */
		folded->seen[i] = column->dropped || !dyn_column_is_of_item(column) ||
			dyn_column_is_part(column) || dyn_column_is_document(column);
		if (!folded->seen[i])
			folded->sought[folded->nsought++] = i;
	}
	qsort_arg(folded->sought, folded->nsought, sizeof(int), compare_sought,
			  folded);
	return folded;
}

void
dyn_folded_see_attribute(DynFolded *folded, const char *name)
{
	for (int at = first_alike(folded, name); at < folded->nsought; at++)
	{
		int			i = folded->sought[at];

		if (compare_names(attribute_of(folded, i), name) != 0)
			return;
		if (folded->seen[i])
			continue;
		if (strcmp(attribute_of(folded, i), name) == 0)
			folded->seen[i] = true;
		else if (folded->other[i] == NULL)
			folded->other[i] = MemoryContextStrdup(folded->context, name);
	}
}

void
dyn_folded_see_column(DynFolded *folded, AttrNumber attnum)
{
	folded->seen[attnum - 1] = true;
}

void
dyn_folded_see_item(DynFolded *folded, const DynValue *item)
{
	bool		is_open = false;	/* could it change what is reported? */
	DynWalk		walk;
	DynValue	name;
	DynValue	value;

	for (int i = 0; i < folded->nsought; i++)
		is_open |= !folded->seen[folded->sought[i]];
	if (item->type != DYN_TYPE_M || !is_open)
		return;
	dyn_walk_begin(&walk, item);
	(void) dyn_walk_next(&walk, &name);
	while (dyn_walk_next(&walk, &name) == DYN_WALK_NAME)
	{
		char	   *text = palloc(name.len + 1);

		text[dyn_value_text(&name, text)] = '\0';
		(void) dyn_walk_element(&walk, item, &value);
		if (value.type != DYN_TYPE_NULL && !(name.flags & DYN_VALUE_HAS_NUL))
			dyn_folded_see_attribute(folded, text);
		pfree(text);
	}
}

/* ---- the report ---- */

/* How the column is told its attribute. */
static char *
remedy(const DynFolded *folded, const DynColumn *column, const char *other)
{
	const DynRelation *relation = folded->relation;
	const char *schema = NULL;

	if (column->path->nsteps > 1)
		return psprintf("Write \"%s\" in the column's option path.", other);
	/* with its schema where the search path does not lead to it */
	if (!RelationIsVisible(relation->relid))
		schema = get_namespace_name(get_rel_namespace(relation->relid));
	return psprintf("ALTER FOREIGN TABLE %s ALTER COLUMN %s OPTIONS (%s attribute %s);",
					quote_qualified_identifier(schema, relation->name),
					quote_identifier(column->name),
					column->placed ? "SET" : "ADD", quote_literal_cstr(other));
}

void
dyn_folded_report(const DynFolded *folded)
{
	for (int i = 0; i < folded->relation->ncolumns; i++)
	{
		const DynColumn *column = &folded->relation->columns[i];
		const char *other;

		if (folded->seen[i] || folded->other[i] == NULL)
			continue;
		other = dyn_from_utf8_lossy(folded->other[i]);
		ereport(NOTICE,
				(errmsg("column \"%s\" of foreign table \"%s\" is NULL in every item that was read",
						column->name, folded->relation->name),
				 errdetail("The items have no attribute \"%s\", but one named \"%s\". PostgreSQL folds names without double quotes to lower case.",
						   dyn_from_utf8_lossy(attribute_of(folded, i)), other),
				 errhint("%s", remedy(folded, column, other))));
	}
}
