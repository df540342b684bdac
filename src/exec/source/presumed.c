/*
 * presumed.c
 *		Source for an UPDATE or DELETE that needs no read: composes one row per
 *		key without sending a request.
 *
 * If the statement has the full key of its rows and needs no other column,
 * the condition of the write alone decides whether a row exists.  The source
 * returns a row for each key, from an item that has only the key and the
 * values that the item filter requires.  All other columns are NULL.
 */
#include "postgres.h"

#include "../../dynamodb/update.h"
#include "../../model/server/memory.h"
#include "../rows/item_reader.h"
#include "items.h"

typedef struct Presumed
{
	DynItems	items;			/* must be first */
	const DynScanDesc *scandesc;
	const DynResolvedAccess *resolved;
	int			next;			/* number of the next row's key */
	DynItemReader *reader;
	DynBuffer	text;
} Presumed;

static void
compose_item(Presumed *presumed, const DynKeyPart *key)
{
	const DynItemFilter *filter = &presumed->scandesc->relation->item_filter;
	int			nparts = presumed->resolved->nparts;
	DynPathValue *values = palloc((nparts + filter->nterms) * sizeof(DynPathValue));
	int			n = 0;

	for (; n < nparts; n++)
		values[n] = (DynPathValue) {dyn_path_of_attribute(key[n].name), key[n].value};
	for (int i = 0; i < filter->nterms; i++)
	{
		const DynFilterTerm *term = &filter->terms[i];
		bool		is_key = false;

		for (int j = 0; j < nparts; j++)
			is_key |= dyn_path_equal(term->path, values[j].path);
		if (!is_key && !term->or_null)
			values[n++] = (DynPathValue) {term->path, term->values[0]};
	}
	dyn_buffer_reset(&presumed->text);
	dyn_check_oom(!dyn_path_values_item(values, n, &presumed->text));
	pfree(values);
}

static const DynValue *
presumed_next(DynItems *items)
{
	Presumed   *presumed = (Presumed *) items;
	const DynResolvedAccess *resolved = presumed->resolved;

	if (presumed->next == resolved->nkeys)
		return NULL;
	compose_item(presumed, &resolved->keys[presumed->next++ * resolved->nparts]);
	return dyn_item_reader_read(presumed->reader, presumed->text.data, presumed->text.len);
}

static bool
presumed_rewind(DynItems *items)
{
	((Presumed *) items)->next = 0;
	return true;
}

static const DynItemsMethods presumed_methods = {
	.next = presumed_next,
	.rewind = presumed_rewind,
};

DynItems *
dyn_items_presume(DynScanDesc *scandesc, const DynResolvedAccess *resolved)
{
	Presumed   *presumed = palloc0(sizeof(Presumed));
	DynRows    *rows = scandesc->rows;

	presumed->items.methods = &presumed_methods;
	presumed->items.rows = rows;
	rows->only_keys = true;
	presumed->scandesc = scandesc;
	presumed->resolved = resolved;
	dyn_buffer_init_in(&presumed->text, CurrentMemoryContext);
	presumed->reader = dyn_item_reader_create(rows);
	return &presumed->items;
}
