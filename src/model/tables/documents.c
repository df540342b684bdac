/*
 * documents.c
 *		Determines the attributes that a column with the option document 'rest'
 *		excludes.
 *
 * The item filter checks the texts of the table's key, but not the case of
 * folded letters.  Texts of other attributes are not checked.
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
			!dyn_column_is_part(column) && column->path->nsteps == 1)
			add_name(names, column->path->steps[0].name);
	}
}

static bool
has_folded_part(const DynTemplate *tmpl)
{
	for (int p = 0; p < tmpl->nparts; p++)
	{
		if (tmpl->parts[p].folding != DYN_FOLD_NONE)
			return true;
	}
	return false;
}

/*
 * Finds the unasserted templates; `names` are excluded whatever the templates
 * are.
 */
static void
find_unasserted(DynRelation *relation, const DynNames *names)
{
	for (int i = 0; i < relation->ntemplated; i++)
	{
		DynTemplatedAttr *templated = &relation->templated[i];
		const char *name = dyn_templated_name(templated);

		templated->unasserted = (!templated->base || has_folded_part(templated->tmpl)) &&
			!dyn_names_have(names, name, strlen(name));
	}
}

DynNames *
dyn_attributes_shown(DynRelation *relation)
{
	DynNames   *names = palloc0(sizeof(DynNames));

	names->names = palloc((relation->ncolumns + relation->item_filter.nterms +
						   relation->ntemplated + 1) * sizeof(char *));
	add_columns(names, relation);
	/*
	 * ttl_attribute and the unnested attribute stay, unless a column shows
	 * them
	 */
	for (int i = 0; i < relation->item_filter.nterms; i++)
	{
		if (!relation->item_filter.terms[i].ttl)
			add_name(names, dyn_filter_term_attribute(&relation->item_filter.terms[i]));
	}
	dyn_names_sort(names);
	find_unasserted(relation, names);
	for (int i = 0; i < relation->ntemplated; i++)
		add_name(names, dyn_templated_name(&relation->templated[i]));
	dyn_names_sort(names);
	return names;
}

bool
dyn_document_lacks(const DynColumn *column, const char *attribute)
{
	return column->codec.members.without != NULL &&
		dyn_names_have(column->codec.members.without, attribute, strlen(attribute));
}
