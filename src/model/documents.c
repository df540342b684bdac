/*
 * documents.c
 *		Which attributes a column with the option document 'rest' leaves out.
 */
#include "postgres.h"

#include "documents.h"

static void
add_name(DynNames *names, const char *name)
{
	names->names[names->n++] = name;
}

static void
add_columns(DynNames *names, const DynRelation *relation)
{
	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];

		if (!column->dropped && dyn_column_is_of_item(column) &&
			column->path->nsteps == 1)
			add_name(names, column->path->steps[0].name);
	}
}

/* A time to live stays, and what is unnested, unless a column shows it. */
static void
add_row_test(DynNames *names, const DynRowTest *test)
{
	for (int i = 0; i < test->nterms; i++)
	{
		if (!test->terms[i].ttl)
			add_name(names, dyn_row_term_attribute(&test->terms[i]));
	}
}

DynNames *
dyn_attributes_shown(const DynRelation *relation)
{
	DynNames   *names = palloc0(sizeof(DynNames));

	names->names = palloc((relation->ncolumns + relation->row_test.nterms +
						   relation->nspelled + 1) * sizeof(char *));
	add_columns(names, relation);
	for (int i = 0; i < relation->nspelled; i++)
		add_name(names, dyn_spelled_name(&relation->spelled[i]));
	add_row_test(names, &relation->row_test);
	dyn_names_sort(names);
	return names;
}

bool
dyn_document_lacks(const DynColumn *column, const char *attribute)
{
	return column->codec.without != NULL &&
		dyn_names_have(column->codec.without, attribute, strlen(attribute));
}
