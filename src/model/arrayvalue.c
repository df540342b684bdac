/*
 * arrayvalue.c
 *		Sets and lists as arrays.
 *
 * Elements are decoded by the element type's codec, which may itself take
 * lists and maps (jsonb).  NULL elements of a list stay NULL.  The order is
 * DynamoDB's: that of the list, any for a set.
 */
#include "postgres.h"

#include "utils/array.h"

#include "pg_compat.h"
#include "types.h"

/* The list or map that was just opened, as one value; moves behind it. */
static void
whole_container(DynWalk *walk, const DynValue *parent, DynValue *v)
{
	const char *start = v->data;
	uint8		type = v->type;
	int			open = 1;
	DynWalkEvent event;

	while (open > 0 && (event = dyn_walk_next(walk, v)) != DYN_WALK_END)
		open += (event == DYN_WALK_OPEN) - (event == DYN_WALK_CLOSE);
	v->len = (uint32) (v->data + 1 - start);
	v->data = start;
	v->type = type;
	v->flags = parent->flags & DYN_VALUE_HAS_NUL;
}

static bool
decode_element(DynCodec *codec, const DynValue *v, bool soft, Datum *element,
			   const char **why)
{
	if (dyn_codec_decode(codec, v, soft, element, why))
		return true;
	*why = psprintf("an element does not fit: %s", *why);
	return false;
}

bool
dyn_value_to_array(DynCodec *codec, const DynValue *value, bool soft,
				   Datum *result, const char **why)
{
	Oid			elemtype = codec->element->typid;
	ArrayBuildState *state = initArrayResult(elemtype, CurrentMemoryContext,
											 false);
	DynWalk		walk;
	DynWalkEvent event;
	DynValue	v;

	dyn_walk_begin(&walk, value);
	dyn_walk_next(&walk, &v);	/* the opening bracket */
	while ((event = dyn_walk_next(&walk, &v)) == DYN_WALK_VALUE ||
		   event == DYN_WALK_OPEN)
	{
		Datum		element = (Datum) 0;
		bool		isnull = (v.type == DYN_TYPE_NULL);

		if (event == DYN_WALK_OPEN)
			whole_container(&walk, value, &v);
		if (!isnull && !decode_element(codec->element, &v, soft, &element, why))
			return false;
		accumArrayResult(state, element, isnull, elemtype, CurrentMemoryContext);
	}
	*result = makeArrayResult(state, CurrentMemoryContext);
	return true;
}
