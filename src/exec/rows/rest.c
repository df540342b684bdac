/*
 * rest.c
 *		Decides for each item which attributes the unmapped attributes column
 *		omits.
 *
 * A template's attribute that is not known to be reproducible stays in that
 * column if the row's columns do not reproduce its text.  An example is an
 * index attribute that was written by other rules, or before a column changed.
 */
#include "postgres.h"

#include "rest.h"

struct DynRest
{
	const DynRelation *relation;
	DynParts   *parts;
	const DynNames *all;		/* attributes that may be omitted */
	DynNames	names;			/* names for the current item */
};

static bool
has_unasserted(const DynRelation *relation)
{
	for (int i = 0; i < relation->ntemplated; i++)
	{
		if (relation->templated[i].unasserted)
			return true;
	}
	return false;
}

DynRest *
dyn_rest_create(const DynColumn *column, const DynRelation *relation,
				DynParts *parts)
{
	DynRest    *rest;

	if (!has_unasserted(relation))
		return NULL;
	rest = palloc0(sizeof(DynRest));
	rest->relation = relation;
	rest->parts = parts;
	rest->all = column->codec.members.without;
	rest->names.names = palloc(rest->all->n * sizeof(char *));
	return rest;
}

/* True if the value is visible only in the unmapped attributes. */
static bool
stays(const DynRest *rest, const char *name)
{
	for (int i = 0; i < rest->relation->ntemplated; i++)
	{
		const DynTemplatedAttr *templated = &rest->relation->templated[i];

		if (templated->unasserted && strcmp(dyn_templated_name(templated), name) == 0)
			return !dyn_parts_reproduce(rest->parts, i);
	}
	return false;
}

const DynNames *
dyn_rest_names(DynRest *rest)
{
	rest->names.n = 0;
	for (int i = 0; i < rest->all->n; i++)
	{
		if (!stays(rest, rest->all->names[i]))
			rest->names.names[rest->names.n++] = rest->all->names[i];
	}
	return &rest->names;
}
