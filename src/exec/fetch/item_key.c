/*
 * item_key.c
 *		Finds the key of the item that has a mismatched value.
 *
 * An error about a value contains the key of its item.  Queries request only
 * the attributes that the statement needs, so the key may be missing.  Then
 * the item's page is requested once more, but with only the key attributes;
 * unless the table has changed, the item has the same position on this page.
 * If the request fails, the error about the value is still raised, without the
 * key.
 */
#include "postgres.h"

#include "../../model/values/path.h"
#include "scandesc.h"

/*
 * Writes the page's request with the key attributes as its projection.  After
 * an error, origin_requests keeps this projection, but is only freed.
 */
static void
write_key_request(DynBuffer *body, const DynScanDesc *scandesc,
				  const DynItemPosition *position, const DynPath *paths)
{
	DynRequests *requests = scandesc->origin_requests;
	const DynPath *projection = requests->projection;
	int			nprojection = requests->nprojection;
	DynReadRequest request = {0};

	requests->projection = paths;
	requests->nprojection = scandesc->access->nbase;
	dyn_requests_prepare(requests, position->stream, &request);
	request.limit = position->limit;
	if (position->start_key_len > 0)
	{
		request.start_key = position->start_key;
		request.start_key_len = position->start_key_len;
	}
	dyn_write_read(body, &request);
	requests->projection = projection;
	requests->nprojection = nprojection;
}

static char *
key_at(const DynScanDesc *scandesc, const DynCall *call, const DynPath *paths,
	   uint64 item)
{
	const DynAccess *access = scandesc->access;
	static const int slots[2] = {0, 1};
	DynPathTree *tree = dyn_path_tree_create(paths, access->nbase);
	DynValue	values[2];
	DynPage		page;
	DynPageError error;
	char	   *key = NULL;

	dyn_page_init(&page);
	if (tree != NULL &&
		dyn_page_parse(&page, DYN_DOCUMENT_RESPONSE, tree, call->response.data,
					   call->response.len, &error) && item < page.nitems)
	{
		DynPageCursor cursor;

		dyn_page_cursor_init(&cursor, &page);
		for (uint64 i = 0; i <= item; i++)
			(void) dyn_page_next(&cursor, values);
		key = dyn_item_key_text(access->base, access->nbase, slots, values);
	}
	dyn_page_free(&page);
	if (tree != NULL)
		dyn_path_tree_free(tree);
	return key;
}

char *
dyn_scandesc_item_key(void *arg, const char **why)
{
	DynScanDesc *scandesc = arg;
	DynPath		paths[2];
	DynItemPosition position;
	DynConnection *connection = scandesc->relation->connection;
	const DynRequests *requests = scandesc->origin_requests;
	DynRequestContext about;
	DynCall    *call;
	char	   *key = NULL;

	if (requests == NULL)
		return NULL;
	if (requests->op == DYN_OP_GET_ITEM)
		return dyn_key_text(requests->keys, requests->nparts, ", ");
	if (requests->op == DYN_OP_BATCH_GET_ITEM ||
		!dyn_fetch_position(scandesc->origin, &position) ||
		(call = dyn_call_create(dyn_session_client())) == NULL)
		return NULL;
	for (int i = 0; i < scandesc->access->nbase; i++)
		paths[i] = *dyn_path_of_attribute(scandesc->access->base[i].name);
	write_key_request(dyn_call_body(call), scandesc, &position, paths);
	about = (DynRequestContext) {dyn_operation_name(requests->op),
		scandesc->relation->table, requests->index, connection->server_name,
	&connection->provider};
	if (dyn_session_try(call, connection, &connection->service, &about))
	{
		key = key_at(scandesc, call, paths, position.item);
		*why = "the response does not have it";
	}
	else
		*why = pstrdup(dyn_describe_failure(call));
	dyn_call_destroy(call);
	return key;
}
