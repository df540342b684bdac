/*
 * never_seen.c
 *		Finds columns, paths and attributes that no row has.
 */
#include "postgres.h"

#include "../dynamodb/expression.h"
#include "../model/server/encoding.h"
#include "../model/values/path.h"
#include "never_seen.h"

/* An attribute of a template, or what is unnested. */
typedef struct Place
{
	const DynPath *path;
	int			slot;
	bool		unnested;
	bool		seen;
} Place;

struct DynAbsence
{
	const DynRelation *relation;
	bool	   *columns;		/* by attnum: seen, or not sought */
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
add_place(DynAbsence *absence, DynItemScan *scan, const DynPath *path,
		  bool unnested)
{
	Place	   *place = &absence->places[absence->nplaces++];

	place->path = path;
	place->slot = dyn_item_scan_read(scan, path, 1);
	place->unnested = unnested;
}

DynAbsence *
dyn_absence_create(const DynRelation *relation, DynItemScan *scan)
{
	DynAbsence *absence = palloc0(sizeof(DynAbsence));

	absence->relation = relation;
	absence->columns = palloc0((relation->ncolumns + 1) * sizeof(bool));
	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];

		/* positions of elements are not stored, and documents are never NULL */
		absence->columns[i + 1] = column->dropped || dyn_column_is_document(column) ||
			(column->base != DYN_PATH_ITEM && column->base != DYN_PATH_ELEMENT);
	}
	absence->places = palloc0((relation->nspelled + 1) * sizeof(Place));
	if (relation->unnest != NULL)
		add_place(absence, scan, relation->unnest, true);
	for (int i = 0; i < relation->nspelled; i++)
	{
		/* key attributes are in every item */
		if (!relation->spelled[i].base &&
			!is_read(relation, relation->spelled[i].path))
			add_place(absence, scan, relation->spelled[i].path, false);
	}
	return absence;
}

void
dyn_absence_see_item(DynAbsence *absence, const DynValue *values, bool is_row)
{
	absence->items++;
	absence->rows += is_row;
	for (int i = 0; i < absence->nplaces; i++)
	{
		Place	   *place = &absence->places[i];

		place->seen |= (place->unnested || is_row) &&
			values[place->slot].type != DYN_TYPE_ABSENT;
	}
}

void
dyn_absence_see_row(DynAbsence *absence, const TupleTableSlot *slot)
{
	for (int i = 0; i < absence->relation->ncolumns; i++)
		absence->columns[i + 1] |= !slot->tts_isnull[i];
}

void
dyn_absence_see_value(DynAbsence *absence, AttrNumber attnum)
{
	absence->columns[attnum] = true;
}

/* ---- the report ---- */

static const char *
describe_column(const DynColumn *column)
{
	if (!dyn_column_is_of_item(column))
		return "no element has a value there";
	return psprintf("no row has a value there; it is read from %s \"%s\"",
					column->path->nsteps == 1 ? "attribute" : "path",
					dyn_path_text(column->path));
}

void
dyn_absence_report(const DynAbsence *absence,
				   void (*each) (void *arg, AttrNumber attnum, const char *what),
				   void *arg)
{
	const DynRelation *relation = absence->relation;
	bool		elements = true;

	if (absence->items == 0)
		return;
	for (int i = 0; i < absence->nplaces; i++)
	{
		const Place *place = &absence->places[i];

		elements &= place->seen || !place->unnested;
		if (!place->seen && (place->unnested || absence->rows > 0))
			each(arg, 0,
				 psprintf(place->unnested
						  ? "no item has a value at \"%s\", the path of the option unnest"
						  : "no row has attribute \"%s\", which the option key_templates names",
						  dyn_path_text(place->path)));
	}
	if (absence->rows == 0 && elements)
		each(arg, 0, "no item is a row of the foreign table");
	for (int i = 1; i <= relation->ncolumns && absence->rows > 0; i++)
	{
		if (!absence->columns[i])
			each(arg, i, describe_column(&relation->columns[i - 1]));
	}
}
