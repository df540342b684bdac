/*
 * unnested.c
 *		Iterates over the elements of an item, and finds the values of columns
 *		in them.
 */
#include "postgres.h"

#include "../../model/server/memory.h"
#include "utils/memutils.h"

#include "unnested.h"

static void
free_tree(void *tree)
{
	dyn_path_tree_free(tree);
}

static void
make_tree(DynUnnested *unnested, const DynRelation *relation,
		  const AttrNumber *attnums)
{
	DynPath    *paths = palloc((unnested->nvalues + 1) * sizeof(DynPath));
	int			npaths = 0;

	for (int i = 0; i < unnested->nvalues; i++)
	{
		const DynColumn *column = dyn_relation_column(relation, attnums[i]);

		unnested->bases[i] = column->base;
		unnested->below_slots[i] = -1;
		if (column->base != DYN_PATH_ELEMENT || column->below->nsteps == 0)
			continue;
		paths[npaths] = *column->below;
		unnested->below_slots[i] = npaths++;
	}
	if (npaths == 0)
		return;
	unnested->below = palloc0(npaths * sizeof(DynValue));
	unnested->tree = dyn_path_tree_create(paths, npaths);
	dyn_check_oom(unnested->tree == NULL);
	dyn_call_at_reset(CurrentMemoryContext, free_tree, unnested->tree);
}

DynUnnested *
dyn_unnested_create(const DynRelation *relation, const AttrNumber *attnums,
					int ncolumns, int slot)
{
	DynUnnested *unnested = palloc0(sizeof(DynUnnested));
	int			space = Max(ncolumns, 1);

	unnested->slot = slot;
	unnested->nvalues = ncolumns;
	unnested->values = palloc0(space * sizeof(DynValue));
	unnested->below_slots = palloc0(space * sizeof(int));
	unnested->bases = palloc0(space * sizeof(DynPathBase));
	unnested->datums = palloc0(space * sizeof(Datum));
	unnested->nulls = palloc0(space * sizeof(bool));
	unnested->context = AllocSetContextCreate(CurrentMemoryContext,
											  "dynamo_fdw unnested item",
											  ALLOCSET_SMALL_SIZES);
	dyn_buffer_init_in(&unnested->scratch, CurrentMemoryContext);
	make_tree(unnested, relation, attnums);
	return unnested;
}

bool
dyn_unnested_begin(DynUnnested *unnested, const DynValue *collection)
{
	Assert(dyn_is_collection(collection));
	MemoryContextReset(unnested->context);
	unnested->decoded = false;
	dyn_elements_begin(&unnested->elements, collection);
	return dyn_elements_next(&unnested->elements);
}

bool
dyn_unnested_next(DynUnnested *unnested)
{
	return dyn_elements_next(&unnested->elements);
}

void
dyn_unnested_find_values(DynUnnested *unnested)
{
	if (unnested->tree != NULL)
	{
		dyn_values_below(unnested->tree, &unnested->elements.value,
						 unnested->below, &unnested->scratch);
		dyn_check_oom(unnested->scratch.failed);
	}
	for (int i = 0; i < unnested->nvalues; i++)
	{
		switch (unnested->bases[i])
		{
			case DYN_PATH_ITEM:
				break;
			case DYN_PATH_ELEMENT:
				unnested->values[i] = unnested->below_slots[i] >= 0
					? unnested->below[unnested->below_slots[i]]
					: unnested->elements.value;
				break;
			case DYN_PATH_INDEX:
				/* the number as DynamoDB would write it */
				snprintf(unnested->position, sizeof(unnested->position), "%u",
						 unnested->elements.position);
				unnested->values[i] = (DynValue) {.data = unnested->position,
					.len = strlen(unnested->position),
				.type = DYN_TYPE_N};
				break;
			case DYN_PATH_KEY:
				unnested->values[i] = unnested->elements.name;
				break;
		}
	}
}

const char *
dyn_unnested_error(const DynUnnested *unnested, int i)
{
	DynType		type = unnested->elements.collection.type;

	if (unnested->bases[i] == DYN_PATH_INDEX && type != DYN_TYPE_L)
		return type == DYN_TYPE_M ? "the elements of a map have no position"
			: "the elements of a set have no position";
	if (unnested->bases[i] == DYN_PATH_KEY && type != DYN_TYPE_M)
		return type == DYN_TYPE_L ? "the elements of a list have no name"
			: "the elements of a set have no name";
	return NULL;
}
