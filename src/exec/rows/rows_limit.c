/*
 * rows_limit.c
 *		Hides parts of documents that a scan did not request.
 *
 * If a fetch serves several scans, or requests more attributes than the
 * columns need, responses contain parts of a document that a scan did not
 * request.  Mismatched values in these parts must not be errors of that scan.
 */
#include "postgres.h"

#include "../../model/values/path.h"
#include "rows.h"

static bool
is_covered(const DynPath *path, const DynRows *rows)
{
	for (int i = 0; i < rows->nprojection; i++)
	{
		if (dyn_path_is_inside(path, &rows->projection[i]))
			return true;
	}
	return rows->full;
}

/* Returns the member of `document` on the path; NULL if there is none. */
static const char *
member_of(const DynPath *path, const DynPath *document)
{
	return path->nsteps > document->nsteps ? path->steps[document->nsteps].name
		: NULL;
}

/*
 * Returns true if a response with this path may have parts of the document
 * that must be hidden.  Sets *fails if a list of visible `members` cannot hide
 * these parts, because some member must be visible only in part.
 */
static bool
adds_parts(const DynPath *path, const DynPath *document, const DynRows *own,
		   const DynNames *members, bool deep, bool *fails)
{
	const char *member;

	if (is_covered(path, own) ||
		!(dyn_path_is_inside(path, document) || dyn_path_is_inside(document, path)))
		return false;
	member = member_of(path, document);
	*fails |= deep && (member == NULL ||
					   dyn_names_have(members, member, strlen(member)));
	return true;
}

static bool
limit_column(DynRows *rows, int i, const DynRows *own, const DynRows *all)
{
	const DynPath *document = &rows->paths[rows->slots[i]];
	DynNames   *members = palloc0(sizeof(DynNames));
	bool		deep = false;
	bool		more = all->full;
	bool		fails = false;

	members->names = palloc(Max(own->nprojection, 1) * sizeof(char *));
	for (int p = 0; p < own->nprojection; p++)
	{
		const DynPath *path = &own->projection[p];
		const char *member = member_of(path, document);

		if (!dyn_path_is_inside(path, document) || member == NULL)
			continue;
		members->names[members->n++] = member;
		deep |= path->nsteps > document->nsteps + 1;
	}
	dyn_names_sort(members);
	for (int p = 0; p < all->nprojection; p++)
		more |= adds_parts(&all->projection[p], document, own, members, deep,
						   &fails);
	fails |= all->full && deep;
	rows->only[i] = more ? members : NULL;
	return !more || (!fails && !dyn_relation_column(rows->relation,
													rows->attnums[i])->codec.is_domain);
}

bool
dyn_rows_limit_parts(DynRows *rows, const DynRows *own, const DynRows *all)
{
	rows->only = palloc0(Max(rows->ncolumns, 1) * sizeof(DynNames *));
	for (int i = 0; i < rows->ncolumns; i++)
	{
		if (rows->partial[i] && rows->slots[i] >= 0 &&
			!is_covered(&rows->paths[rows->slots[i]], own) &&
			!limit_column(rows, i, own, all))
			return false;
	}
	return true;
}
