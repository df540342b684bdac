/*
 * item_reader.c
 *		Reads single items that are not in a page of a fetch.
 */
#include "postgres.h"

#include "../../model/server/memory.h"
#include "item_reader.h"

static void
free_reader(void *arg)
{
	DynItemReader *reader = arg;

	dyn_page_free(&reader->page);
	dyn_path_tree_free(reader->tree);
}

DynItemReader *
dyn_item_reader_create(DynRows *rows)
{
	DynItemReader *reader = palloc0(sizeof(DynItemReader));

	reader->rows = rows;
	reader->values = palloc(Max(rows->npaths, 1) * sizeof(DynValue));
	dyn_page_init(&reader->page);
	reader->tree = dyn_path_tree_create(rows->paths, rows->npaths);
	dyn_check_oom(reader->tree == NULL);
	dyn_call_at_reset(CurrentMemoryContext, free_reader, reader);
	return reader;
}

const DynValue *
dyn_item_reader_read(DynItemReader *reader, const char *item, size_t len)
{
	DynPageCursor cursor;
	DynPageError error;

	if (!dyn_page_parse(&reader->page, DYN_DOCUMENT_ITEM, reader->tree, item, len,
						&error))
		ereport(ERROR,
				(errcode(ERRCODE_FDW_UNABLE_TO_CREATE_REPLY),
				 errmsg("could not read an item of DynamoDB table \"%s\"",
						reader->rows->relation->table),
				 errdetail("At byte %zu: %s.", error.offset, error.reason)));
	dyn_page_cursor_init(&cursor, &reader->page);
	(void) dyn_page_next(&cursor, reader->values);
	return reader->values;
}
