/*
 * unused_columns.c
 *		Finds columns, paths and attributes that no row has.
 */
#include "postgres.h"

#include "../dynamodb/expression.h"
#include "../model/server/encoding.h"
#include "../model/values/path.h"
#include "unused_columns.h"

/* An attribute of a template, or an unnested one. */
typedef struct Place
{
	const DynPath *path;
	int			slot;
	bool		unnested;
	bool		seen;
} Place;

struct DynUnusedColumns
{
	const DynRelation *relation;
	bool	   *columns;		/* true if seen or not searched, by attnum */
	int			nplaces;
	Place	   *places;
	uint64		items;
	uint64		rows;
};

static bool
is_read(const DynRelation *relation, const DynPath *path)
{
	for (int i = 0; i < relation->ncolumns; i++)
	{
		if (!relation->columns[i].dropped &&
			dyn_column_is_of_item(&relation->columns[i]) &&
			dyn_path_equal(relation->columns[i].path, path))
			return true;
	}
	return false;
}

static void
add_place(DynUnusedColumns *unused, DynItemScan *scan, const DynPath *path,
		  bool unnested)
{
	Place	   *place = &unused->places[unused->nplaces++];

	place->path = path;
	place->slot = dyn_item_scan_read(scan, path, 1);
	place->unnested = unnested;
}

DynUnusedColumns *
dyn_unused_create(const DynRelation *relation, DynItemScan *scan)
{
	DynUnusedColumns *unused = palloc0(sizeof(DynUnusedColumns));

	unused->relation = relation;
	unused->columns = palloc0((relation->ncolumns + 1) * sizeof(bool));
	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];

		/* positions of elements are not stored; documents are never NULL */
		unused->columns[i + 1] = column->dropped || dyn_column_is_document(column) ||
			(column->base != DYN_PATH_ITEM && column->base != DYN_PATH_ELEMENT);
	}
	unused->places = palloc0((relation->ntemplated + 1) * sizeof(Place));
	if (relation->unnest != NULL)
		add_place(unused, scan, relation->unnest, true);
	for (int i = 0; i < relation->ntemplated; i++)
	{
		/* key attributes are in every item */
		if (!relation->templated[i].base &&
			!is_read(relation, relation->templated[i].path))
			add_place(unused, scan, relation->templated[i].path, false);
	}
	return unused;
}

void
dyn_unused_see_item(DynUnusedColumns *unused, const DynValue *values, bool is_row)
{
	unused->items++;
	unused->rows += is_row;
	for (int i = 0; i < unused->nplaces; i++)
	{
		Place	   *place = &unused->places[i];

		place->seen |= (place->unnested || is_row) &&
			values[place->slot].type != DYN_TYPE_ABSENT;
	}
}

void
dyn_unused_see_row(DynUnusedColumns *unused, const TupleTableSlot *slot)
{
	for (int i = 0; i < unused->relation->ncolumns; i++)
		unused->columns[i + 1] |= !slot->tts_isnull[i];
}

void
dyn_unused_see_value(DynUnusedColumns *unused, AttrNumber attnum)
{
	unused->columns[attnum] = true;
}

/* ---- the report ---- */

static const char *
describe_column(const DynColumn *column)
{
	if (!dyn_column_is_of_item(column))
		return "no element has a value for the column";
	return psprintf("no row has a value for the column, which is read from %s \"%s\"",
					column->path->nsteps == 1 ? "attribute" : "path",
					dyn_path_text(column->path));
}

void
dyn_unused_report(const DynUnusedColumns *unused,
				  void (*each) (void *arg, AttrNumber attnum, const char *what),
				  void *arg)
{
	const DynRelation *relation = unused->relation;
	bool		elements = true;

	if (unused->items == 0)
		return;
	for (int i = 0; i < unused->nplaces; i++)
	{
		const Place *place = &unused->places[i];

		elements &= place->seen || !place->unnested;
		if (!place->seen && (place->unnested || unused->rows > 0))
			each(arg, 0,
				 psprintf(place->unnested
						  ? "no item has a value at \"%s\", the path in option \"unnest\""
						  : "no row has attribute \"%s\", which is in option key_templates",
						  dyn_path_text(place->path)));
	}
	if (unused->rows == 0 && elements)
		each(arg, 0, "no item is a row of the foreign table");
	for (int i = 1; i <= relation->ncolumns && unused->rows > 0; i++)
	{
		if (!unused->columns[i])
			each(arg, i, describe_column(&relation->columns[i - 1]));
	}
}
