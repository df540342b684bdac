/*
 * rows_create.c
 *		Sets up row conversions: finds the paths to read and to request.
 */
#include "postgres.h"

#include "../../model/server/memory.h"
#include "miscadmin.h"
#include "nodes/value.h"
#include "utils/memutils.h"

#include "../../model/values/path.h"
#include "../keys/filter.h"
#include "rows.h"
#include "template_parts.h"

static void
append_path(DynPath **paths, int *n, int *space, const DynPath *path)
{
	if (*n == *space)
	{
		*space = Max(8, *space * 2);
		*paths = dyn_grown(*paths, *space * sizeof(DynPath));
	}
	(*paths)[(*n)++] = *path;
}

static int
add_path(DynRows *rows, const DynPath *path)
{
	append_path(&rows->paths, &rows->npaths, &rows->path_space, path);
	return rows->npaths - 1;
}

int
dyn_rows_slot(const DynRows *rows, const char *name)
{
	for (int i = 0; i < rows->npaths; i++)
	{
		if (dyn_path_is_attribute(&rows->paths[i], name))
			return i;
	}
	return -1;
}

/* Returns the path, or only its attribute if that is in rows->scalars. */
static DynPath
projected_path(const DynRows *rows, const DynPath *path)
{
	DynPath		projected = *path;
	ListCell   *lc;

	foreach(lc, rows->scalars)
	{
		if (path->nsteps > 0 && strcmp(strVal(lfirst(lc)), path->steps[0].name) == 0)
			projected.nsteps = 1;
	}
	return projected;
}

/*
 * Adds a path to the projection; an empty path requests the full item.
 * Ignores the segment number, which no item contains.
 */
static void
project(DynRows *rows, const DynPath *path)
{
	if (dyn_path_is_attribute(path, DYN_SEGMENT_NAME))
		return;
	rows->full |= (path->nsteps == 0);
	if (rows->full)
		rows->nprojection = 0;
	else if (dyn_path_position(path, rows->projection, rows->nprojection) < 0)
		append_path(&rows->projection, &rows->nprojection,
					&rows->projection_space, path);
}

static void
add_columns(DynRows *rows, const DynAccess *access)
{
	ListCell   *lc;

	rows->columns = palloc0(Max(list_length(access->fields), 1) * sizeof(DynRowColumn));
	foreach(lc, access->fields)
	{
		const DynField *field = lfirst(lc);
		DynColumn  *column = dyn_relation_column(rows->relation, field->attnum);
		DynPath		projected = projected_path(rows, dyn_field_path(rows->relation, field));
		DynRowColumn *fetched = rows->columns;

		project(rows, &projected);
		while (fetched < rows->columns + rows->ncolumns && fetched->column != column)
			fetched++;
		if (fetched == rows->columns + rows->ncolumns)
		{
			*fetched = (DynRowColumn) {.column = column,.attnum = field->attnum,
				.partial = true,.position = field->attnum - 1,.below_slot = -1,
				.slot = dyn_column_is_of_item(column) ? add_path(rows, column->path) : -1};
			rows->ncolumns++;
		}
		fetched->partial &= field->steps != NIL;
	}
}

/*
 * Requests the path even if the path has a slot, because add_columns() may
 * have requested only members below it.
 */
static void
read_path(DynRows *rows, const DynPath *path)
{
	DynPath		projected = projected_path(rows, path);

	if (dyn_path_position(path, rows->paths, rows->npaths) < 0)
		(void) add_path(rows, path);
	project(rows, &projected);
}

static void
read_attribute(DynRows *rows, const char *name)
{
	if (dyn_rows_slot(rows, name) < 0)
		read_path(rows, dyn_path_of_attribute(name));
}

/*
 * Requests the attributes that `flags` (DYN_ROWS_*) selects.  If full items
 * are requested, which contain the key, the key gets slots even without
 * DYN_ROWS_KEY.
 */
static void
add_keys(DynRows *rows, const DynAccess *access, int flags)
{
	for (int i = 0; i < access->nsort && (flags & DYN_ROWS_SORT); i++)
	{
		read_attribute(rows, access->sort[i].attr.name);
		rows->sort_slots[i] = dyn_rows_slot(rows, access->sort[i].attr.name);
	}
	for (int i = 0; i < access->nbase && (flags & DYN_ROWS_KEY); i++)
		read_attribute(rows, access->base[i].name);
	for (int i = 0; i < access->nhash && (flags & DYN_ROWS_PARTITION); i++)
		read_attribute(rows, access->hash[i].attr.name);
	rows->nbase = access->nbase;
	rows->base = access->base;
	for (int i = 0; i < rows->nbase; i++)
	{
		rows->base_slots[i] = dyn_rows_slot(rows, rows->base[i].name);
		if (rows->base_slots[i] < 0 && rows->full)
			rows->base_slots[i] =
				add_path(rows, dyn_path_of_attribute(rows->base[i].name));
	}
	/* an empty projection would request all attributes */
	if (rows->nprojection == 0)
		project(rows, dyn_path_of_attribute(rows->base[0].name));
}

static bool
read_leaf(DynPred *pred, void *arg)
{
	DynRows    *rows = arg;

	if (!dyn_pred_is_given(pred))
		read_path(rows, dyn_pred_path(rows->relation, pred));
	return false;
}

/* Adds a DynParts, and requests the attributes that the DynParts needs. */
static void
add_parts(DynRows *rows)
{
	DynRelation *relation = rows->relation;
	bool	   *needed = palloc(relation->ntemplated * sizeof(bool));
	Bitmapset  *attnums = NULL;
	const DynColumn *rest = NULL;
	bool		unasserted = false;
	ListCell   *lc;

	for (int i = 0; i < rows->ncolumns; i++)
	{
		const DynRowColumn *fetched = &rows->columns[i];

		if (fetched->partial)
			continue;
		attnums = bms_add_member(attnums, fetched->attnum);
		if (fetched->column->document == DYN_REST_OF_ITEM)
			rest = fetched->column;
	}
	foreach(lc, dyn_templated_paths(relation->templated, relation->ntemplated,
									relation->columns, attnums, needed))
		read_path(rows, lfirst(lc));
	rows->parts = dyn_parts_create(relation, needed, rows->paths, rows->npaths);
	for (int i = 0; i < relation->ntemplated; i++)
		unasserted |= relation->templated[i].unasserted;
	if (rest != NULL && unasserted)
	{
		rows->omitted = palloc0(sizeof(DynNames));
		rows->omitted->names = palloc(rest->codec.members.without->n * sizeof(char *));
	}
}

static void
free_tree(void *tree)
{
	dyn_path_tree_free(tree);
}

static void
add_elements(DynRows *rows, int slot)
{
	DynUnnested *unnested = palloc0(sizeof(DynUnnested));
	DynPath    *paths = palloc(Max(rows->ncolumns, 1) * sizeof(DynPath));
	int			npaths = 0;

	rows->unnested = unnested;
	unnested->slot = slot;
	unnested->context = AllocSetContextCreate(CurrentMemoryContext,
											  "dynamo_fdw unnested item",
											  ALLOCSET_SMALL_SIZES);
	dyn_buffer_init_in(&unnested->scratch, CurrentMemoryContext);
	for (int i = 0; i < rows->ncolumns; i++)
	{
		DynRowColumn *fetched = &rows->columns[i];

		if (fetched->column->base != DYN_PATH_ELEMENT || fetched->column->below->nsteps == 0)
			continue;
		paths[npaths] = *fetched->column->below;
		fetched->below_slot = npaths++;
	}
	if (npaths == 0)
		return;
	unnested->below = palloc0(npaths * sizeof(DynValue));
	unnested->tree = dyn_path_tree_create(paths, npaths);
	dyn_check_oom(unnested->tree == NULL);
	dyn_call_at_reset(CurrentMemoryContext, free_tree, unnested->tree);
}

static void
add_conversion(DynRows *rows)
{
	const DynItemFilter *test = &rows->relation->item_filter;
	const DynPath *unnest = rows->relation->unnest;

	for (int i = 0; i < test->nterms; i++)
		read_path(rows, test->terms[i].path);
	if (rows->relation->ntemplated > 0)
		add_parts(rows);
	if (test->nterms > 0)
	{
		rows->test = dyn_item_filter_cond(test);
		if (!dyn_cond_bind(rows->test, rows->paths, rows->npaths))
			elog(ERROR, "an attribute of the item filter is not read");
		dyn_buffer_init_in(&rows->scratch, CurrentMemoryContext);
	}
	if (unnest != NULL)
	{
		read_path(rows, unnest);
		add_elements(rows, dyn_path_position(unnest, rows->paths, rows->npaths));
	}
}

DynRows *
dyn_rows_create(DynRelation *relation, const DynAccess *access, int flags,
				const List *filters)
{
	DynRows    *rows = palloc0(sizeof(DynRows));

	rows->relation = relation;
	rows->reader = dyn_relation_is_readable(relation, NULL) ? GetUserId() : InvalidOid;
	rows->scalars = access->scalars;
	add_columns(rows, access);
	add_keys(rows, access, flags);
	(void) dyn_preds_visit(filters, false, read_leaf, rows);
	if (flags & DYN_ROWS_CONVERT)
		add_conversion(rows);
	return rows;
}

/* ---- items that several scans read ---- */

void
dyn_rows_add_rows(DynRows *rows, const DynRows *others, int *slots)
{
	for (int i = 0; i < others->npaths; i++)
	{
		slots[i] = dyn_path_position(&others->paths[i], rows->paths, rows->npaths);
		if (slots[i] < 0)
			slots[i] = add_path(rows, &others->paths[i]);
	}
	rows->full |= others->full;
	if (rows->full)
		rows->nprojection = 0;
	for (int i = 0; i < others->nprojection; i++)
		project(rows, &others->projection[i]);
}

/* Returns true if `rows` requests the full value at the path. */
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

/*
 * Returns the name of the first step of `path` below `document`; NULL if the
 * path ends there, or if this step is not a member.
 */
static const char *
member_of(const DynPath *path, const DynPath *document)
{
	return path->nsteps > document->nsteps ? path->steps[document->nsteps].name
		: NULL;
}

static bool
limit_column(DynRowColumn *fetched, const DynPath *document, const DynRows *own,
			 const DynRows *all)
{
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
	{
		const DynPath *path = &all->projection[p];
		const char *member = member_of(path, document);

		if (is_covered(path, own) ||
			!(dyn_path_is_inside(path, document) || dyn_path_is_inside(document, path)))
			continue;
		more = true;
		/*
		 * Only direct members of a document can be hidden.  If `own` requests
		 * doc.a.x, and `all` doc.a.y, then doc.a.y cannot be hidden.
		 */
		fails |= deep && (member == NULL ||
						  dyn_names_have(members, member, strlen(member)));
	}
	fails |= all->full && deep;
	fetched->only = more ? members : NULL;
	return !more || (!fails && !fetched->column->codec.is_domain);
}

bool
dyn_rows_limit_parts(DynRows *rows, const DynRows *own, const DynRows *all)
{
	for (int i = 0; i < rows->ncolumns; i++)
	{
		DynRowColumn *fetched = &rows->columns[i];

		if (fetched->partial && fetched->slot >= 0 &&
			!is_covered(&rows->paths[fetched->slot], own) &&
			!limit_column(fetched, &rows->paths[fetched->slot], own, all))
			return false;
	}
	return true;
}
