/*
 * as_stored.c
 *		Changes the guard of a write to expect the encodings that the item
 *		has, and makes the write create missing maps.
 */
#include "postgres.h"

#include "../../dynamodb/update.h"
#include "../../model/server/encoding.h"
#include "../../model/server/memory.h"
#include "as_stored.h"
#include "modify.h"
#include "reread.h"
#include "row_write.h"

static void
report_hidden_values(DynWrite *write)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot replace attribute \"%s\" of foreign table \"%s\"",
					write->why, write->modify->relation->name),
			 errdetail("It contains sets or binary values, which its column cannot show as such."),
			 errhint("Use columns with the option \"path\" for the values to change.")));
}

static void
report_not_a_map(DynWrite *write)
{
	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
			 errmsg("cannot set a value inside \"%s\" of foreign table \"%s\"",
					write->why, write->modify->relation->name),
			 errdetail("The item has a value of another type than a map there.")));
}

bool
dyn_write_is_unchanged(DynWrite *write)
{
	DynModify  *modify = write->modify;
	int			attnum = -1;

	ExecForceStoreMinimalTuple(write->old_row, modify->old, false);
	slot_getallattrs(modify->old);
	while ((attnum = bms_next_member(write->guarded, attnum)) >= 0)
	{
		if (!dyn_column_same(dyn_relation_column(modify->relation, attnum),
							 attnum, modify->old, modify->scratch))
			return false;
	}
	return true;
}

/*
 * Returns the item's value at a path.  Each value has its own buffer, because
 * a buffer moves as it grows.  A failure of dyn_item_value means that memory
 * has run out: base64 in a B is valid here, because the column has decoded the
 * value.
 */
static DynScalar
stored_value(const DynScalar *item, const DynPath *path)
{
	DynScalar	stored;

	dyn_check_oom(!dyn_item_value(item, path, dyn_buffer_create(), &stored));
	return stored;
}

/* True if the statement sets this path. */
static bool
is_set(const DynWrite *write, const DynPath *path)
{
	for (int i = 0; i < write->nvalues; i++)
	{
		if (dyn_path_equal(write->values[i].path, path))
			return true;
	}
	return false;
}

/*
 * True if an array column with this path was read, with all elements of the
 * stored value.
 */
static bool
shows_elements(const DynModify *modify, const DynPath *path)
{
	const DynRelation *relation = modify->relation;

	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];
		const DynCodec *element = column->codec.element;

		if (!column->dropped && element != NULL && element->kind != DYN_CODEC_JSONB &&
			element->kind != DYN_CODEC_JSON && !modify->old->tts_isnull[i] &&
			dyn_path_equal(column->path, path))
			return true;
	}
	return false;
}

/*
 * Changes the guard to the stored values.  If the statement replaces a stored
 * value in another encoding, its column must represent the full value: a set
 * or binary inside a document would otherwise become a list or a string.
 */
static void
guard_stored_values(DynWrite *write, const DynScalar *item)
{
	for (int i = 0; i < write->nguard; i++)
	{
		DynPathValue *guard = &write->guard[i];
		DynScalar	stored = stored_value(item, guard->path);

		if (dyn_scalar_same(&stored, &guard->value))
			continue;
		if (is_set(write, guard->path) && stored.type >= DYN_TYPE_SS &&
			!shows_elements(write->modify, guard->path))
		{
			dyn_write_fail(write, report_hidden_values, dyn_path_text(guard->path));
			return;
		}
		guard->value = stored;
	}
}

/*
 * Returns the values, but with a missing map in place of the values inside the
 * map.  The map is the last of the returned values; it is ABSENT if it would
 * be empty.
 */
static DynPathValue *
put_map(const DynPathValue *values, int *n, const DynPath *map)
{
	DynPathValue *merged = palloc((*n + 1) * sizeof(DynPathValue));

	for (int i = 0; i < *n; i++)
		merged[i] = values[i];
	merged[*n] = (DynPathValue) {map, {DYN_TYPE_ABSENT, NULL, 0}};
	*n = dyn_path_values_merge(merged, *n + 1, dyn_buffer_create());
	dyn_check_oom(*n < 0);
	return merged;
}

/*
 * Returns the path of the outermost map on `path` that the item lacks, or
 * NULL.  If `path` leads through a value that is not a map, the write fails.
 */
static DynPath *
missing_map(DynWrite *write, const DynPath *path, const DynScalar *item)
{
	DynPath    *map = palloc(sizeof(DynPath));

	*map = *path;
	for (map->nsteps = 1; map->nsteps <= path->nsteps; map->nsteps++)
	{
		DynType		type = stored_value(item, map).type;

		if (type == DYN_TYPE_ABSENT)
			return map;
		if (type != DYN_TYPE_M)
		{
			dyn_write_fail(write, report_not_a_map, dyn_path_text(map));
			return NULL;
		}
	}
	return NULL;
}

/*
 * Changes the update to set each outermost missing map, with the values that
 * belong inside.
 */
static void
create_maps(DynWrite *write, const DynScalar *item)
{
	int			i = 0;

	while (i < write->nvalues && write->state != DYN_WRITE_FAILED)
	{
		const DynPath *path = dyn_write_map_of(write, i);
		const DynPath *map = path != NULL ? missing_map(write, path, item) : NULL;

		if (map == NULL)
		{
			i++;
			continue;
		}
		/* guard_stored_values() will set the map's guard to ABSENT */
		write->guard = put_map(write->guard, &write->nguard, map);
		/* the next value moves to position i */
		write->values = put_map(write->values, &write->nvalues, map);
		if (write->values[write->nvalues - 1].value.type == DYN_TYPE_ABSENT)
			write->nvalues--;
	}
}

bool
dyn_write_require_stored(DynWrite *write, const DynScalar *item)
{
	create_maps(write, item);
	if (write->state != DYN_WRITE_FAILED)
		guard_stored_values(write, item);
	/*
	 * an update that only removes values from missing maps has nothing to
	 * write
	 */
	return write->op != DYN_OP_UPDATE_ITEM || write->nvalues > 0;
}
