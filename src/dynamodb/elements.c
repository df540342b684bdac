/*
 * elements.c
 *		Iterates over the elements of a list, set or map.
 *
 * An element is read twice: to find its end, and to read the values below it
 * at the requested paths.
 */
#include "elements.h"

#include <assert.h>
#include <string.h>

#include "path_tree.h"
#include "slice.h"

/* ---- the elements ---- */

void
dyn_elements_begin(DynElements *elements, const DynValue *collection)
{
	memset(&elements->name, 0, sizeof(elements->name));
	elements->collection = *collection;
	elements->given = 0;
	dyn_value_iterator_begin(&elements->iterator, collection);
	(void) dyn_value_iterator_next(&elements->iterator, &elements->value);
}

bool
dyn_elements_next(DynElements *elements)
{
	if (elements->collection.type == DYN_TYPE_M &&
		dyn_value_iterator_next(&elements->iterator, &elements->name) != DYN_VALUE_NAME)
		return false;
	elements->position = elements->given++;
	return dyn_value_iterator_element(&elements->iterator, &elements->collection,
									  &elements->value);
}

/* ---- values below an element ---- */

/* An open list, map or set. */
typedef struct Frame
{
	const DynPathNode *want;	/* its node in the tree, or NULL */
	const DynPathNode *inside;	/* node of its members; NULL for a set */
	const char *start;			/* its opening bracket */
	uint32_t	index;			/* index of the next element */
} Frame;

typedef struct Search
{
	const DynPathTree *tree;
	const DynValue *value;
	DynValue   *slots;
	DynBuffer  *scratch;
	const DynPathNode *want;	/* node of the next value, or NULL */
	int			depth;
	Frame		frames[DYN_MAX_DEPTH + 2];
} Search;

static void
fill_slot(Search *search, const DynPathNode *want, const DynValue *value)
{
	if (want != NULL && want->slot != DYN_PATH_TREE_NO_SLOT)
		search->slots[want->slot] = *value;
}

static void
visit(Search *search, DynValueEvent event, const DynValue *v, bool named)
{
	Frame	   *frame = search->depth > 0 ? &search->frames[search->depth - 1]
		: NULL;

	if (event == DYN_VALUE_NAME)
	{
		const char *name = v->data;
		size_t		len = v->len;

		assert(frame != NULL);
		search->want = NULL;
		if (v->flags & DYN_VALUE_ESCAPED)
		{
			dyn_buffer_reset(search->scratch);
			if (!dyn_buffer_reserve(search->scratch, len + 1))
				return;
			name = search->scratch->data;
			len = dyn_value_text(v, search->scratch->data);
		}
		search->want = dyn_path_tree_member(search->tree, frame->inside, name,
											len);
		return;
	}
	if (event == DYN_VALUE_CLOSE)
	{
		DynValue	full = {.type = v->type};

		assert(frame != NULL);
		full.data = frame->start;
		full.len = (uint32_t) (v->data + 1 - frame->start);
		search->depth--;
		if ((search->value->flags & DYN_VALUE_HAS_NUL) && frame->want != NULL &&
			dyn_slice_has_nul(full.data, full.data + full.len))
			full.flags = DYN_VALUE_HAS_NUL;
		fill_slot(search, frame->want, &full);
		return;
	}
	/* neither the root nor an element of a list has a name before it */
	if (frame == NULL)
		search->want = &search->tree->nodes[0];
	else if (!named)
		search->want = dyn_path_tree_element(search->tree, frame->inside,
											 frame->index++);
	if (event == DYN_VALUE_OPEN)
		search->frames[search->depth++] = (Frame) {
			search->want, v->type >= DYN_TYPE_L ? search->want : NULL,
			v->data, 0
		};
	else
		fill_slot(search, search->want, v);
}

void
dyn_values_below(const DynPathTree *tree, const DynValue *value,
				 DynValue *slots, DynBuffer *scratch)
{
	Search		search;
	bool		named = false;
	DynValueEvent event;
	DynValueIterator		iterator;
	DynValue	v;

	search.tree = tree;
	search.value = value;
	search.slots = slots;
	search.scratch = scratch;
	search.depth = 0;
	memset(slots, 0, tree->nslots * sizeof(*slots));
	if (value->type != DYN_TYPE_M && value->type != DYN_TYPE_L)
		return;
	dyn_value_iterator_begin(&iterator, value);
	while ((event = dyn_value_iterator_next(&iterator, &v)) != DYN_VALUE_END)
	{
		visit(&search, event, &v, named);
		named = (event == DYN_VALUE_NAME);
	}
	for (int i = 0; i < tree->naliases; i++)
		slots[tree->aliases[i].to] = slots[tree->aliases[i].from];
}
