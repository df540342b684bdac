/*
 * other_case.c
 *		Finds columns whose attribute exists only in another letter case.
 *
 * For a column with a path, only the top-level attribute is compared.  Only
 * ASCII letters are folded, since PostgreSQL does not fold others in UTF-8.
 */
#include "postgres.h"

#include "foreign/foreign.h"
#include "utils/acl.h"
#include "utils/builtins.h"

#include "../base/text.h"
#include "../dynamodb/elements.h"
#include "../model/server/encoding.h"
#include "remote_table.h"

/* A column whose attribute was absent or NULL in all items so far. */
typedef struct Sought
{
	const DynColumn *column;
	const char *attribute;
	const char *other;			/* its name in another case (UTF-8), or NULL */
} Sought;

struct DynFolded
{
	const DynRelation *relation;
	int			nsought;
	Sought	   *sought;
	MemoryContext context;
};

DynFolded *
dyn_folded_create(const DynRelation *relation, Oid reader)
{
	DynFolded  *folded = palloc0(sizeof(DynFolded));
	bool		all = !OidIsValid(reader) ||
		pg_class_aclcheck(relation->relid, reader, ACL_SELECT) == ACLCHECK_OK;

	folded->relation = relation;
	folded->context = CurrentMemoryContext;
	folded->sought = palloc0((relation->ncolumns + 1) * sizeof(Sought));
	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];

		/* skip columns of templates, whose attribute names are not folded */
		if (column->dropped || !dyn_column_is_of_item(column) ||
			dyn_column_is_part(column) || dyn_column_is_document(column) ||
			(!all && pg_attribute_aclcheck(relation->relid, i + 1, reader,
										   ACL_SELECT) != ACLCHECK_OK))
			continue;
		folded->sought[folded->nsought].column = column;
		folded->sought[folded->nsought++].attribute = column->path->steps[0].name;
	}
	return folded;
}

void
dyn_folded_see_item(DynFolded *folded, const DynValue *item)
{
	DynElements members;

	if (item->type != DYN_TYPE_M || folded->nsought == 0)
		return;
	dyn_elements_begin(&members, item);
	while (dyn_elements_next(&members))
	{
		char	   *name = members.value.type == DYN_TYPE_NULL ? NULL
			: dyn_sample_text(&members.name);
		int			left = 0;

		if (name == NULL)
			continue;
		for (int i = 0; i < folded->nsought; i++)
		{
			Sought	   *sought = &folded->sought[i];

			if (strcmp(sought->attribute, name) == 0)
				continue;
			if (sought->other == NULL && dyn_compare_ignoring_case(sought->attribute, name) == 0)
				sought->other = MemoryContextStrdup(folded->context, name);
			folded->sought[left++] = *sought;
		}
		folded->nsought = left;
		pfree(name);
	}
}

void
dyn_folded_report(const DynFolded *folded)
{
	for (int i = 0; i < folded->nsought; i++)
	{
		const Sought *sought = &folded->sought[i];
		const DynColumn *column = sought->column;
		const char *other;

		if (sought->other == NULL)
			continue;
		other = dyn_from_utf8_lossy(sought->other);
		ereport(NOTICE,
				(errmsg("column \"%s\" of foreign table \"%s\" is NULL in every item that was read",
						column->name, folded->relation->name),
				 errdetail("No item has the attribute \"%s\"; items have the attribute \"%s\" instead. PostgreSQL folds names without double quotes to lower case.",
						   dyn_from_utf8_lossy(sought->attribute), other),
				 dyn_option_text(GetForeignColumnOptions(folded->relation->relid,
														 column - folded->relation->columns + 1),
								 "path") != NULL
				 ? errhint("Write \"%s\" in the column option \"path\".", other)
				 : errhint("Set it with ALTER FOREIGN TABLE %s ALTER COLUMN %s OPTIONS (%s attribute %s).",
						   dyn_relation_quoted_name(folded->relation),
						   quote_identifier(column->name),
						   column->placed ? "SET" : "ADD", quote_literal_cstr(other))));
	}
}
