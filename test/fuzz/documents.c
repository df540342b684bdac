/*
 * documents.c
 *		Fuzzes the readers of error documents, descriptions of tables,
 *		responses to writes, single items and credentials.
 *
 * The first byte selects the reader.  Texts to be shown are printable UTF-8
 * without the secrets of the request; slices are in the document; an item is
 * equal to itself.
 */
#include "aws/client_private.h"
#include "read_json.h"
#include "dynamodb/update.h"
#include "dynamodb/metadata.h"
#include "dynamodb/write.h"
#include "fuzz.h"

#define SECRET	"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
#define TOKEN	"IQoJb3JpZ2luX2VjEXAMPLETOKEN"
#define REASONS	3

static void
is_showable(const char *text)
{
	demand(dyn_utf8_valid(text, strlen(text)));
	for (const char *c = text; *c != '\0'; c++)
		demand((unsigned char) *c >= ' ' && *c != 0x7f);
	demand(strstr(text, SECRET) == NULL && strstr(text, TOKEN) == NULL);
}

static void
read_error(const char *text, size_t len)
{
	DynCredentials credentials = {"AKIAIOSFODNN7EXAMPLE", SECRET, TOKEN, 0};
	DynCall		error = {0};
	char		excerpt[64];

	if (dyn_awserror_parse(text, len, &credentials, &error) == DYN_FAIL_SERVICE)
		demand(error.code[0] != '\0');
	is_showable(error.code);
	is_showable(error.message);
	is_showable(error.throttle_reason);
	dyn_awserror_excerpt(text, len, &credentials, excerpt, sizeof(excerpt));
	is_showable(excerpt);
}

static void
read_description(const char *text, size_t len)
{
	const char *reason = NULL;
	DynTableMeta *meta = dyn_metadata_parse(text, len, &reason);

	if (meta == NULL)
	{
		demand(reason != NULL);
		return;
	}
	demand(meta->key.nhash == 1 && meta->key.nrange <= 1);
	for (int i = 0; i < meta->nindexes; i++)
	{
		const DynIndexMeta *index = &meta->indexes[i];

		demand(index->key.nhash >= 1 && index->key.nhash <= DYN_MAX_KEY_ATTRS);
		demand(index->key.nrange >= 0 && index->key.nrange <= DYN_MAX_KEY_ATTRS);
		demand(dyn_metadata_item_bytes(meta, index) >= 0);
		demand(dyn_index_projects(meta, index, index->key.hash[0].name));
		demand(dyn_metadata_schema(meta, index->name) != NULL);
	}
	demand(dyn_metadata_same_schema(meta, meta));
	dyn_metadata_free(meta);
}

static void
is_within(const char *part, size_t n, const char *text, size_t len)
{
	demand(part == NULL || (part >= text && part + n <= text + len));
}

static void
read_write(const char *text, size_t len)
{
	DynWritten	written = {0};
	DynCancelReason reasons[REASONS];
	DynScalar	item;

	for (int returning = 0; returning <= 1; returning++)
	{
		if (dyn_write_check(text, len, "t", returning, &written) == NULL)
			is_within(written.attributes.data, written.attributes.len, text, len);
	}
	item = dyn_write_failed_item(text, len);
	is_within(item.data, item.len, text, len);
	for (int n = 1; n <= REASONS; n++)
	{
		if (dyn_write_cancel_reasons(text, len, reasons, n) != NULL)
			continue;
		for (int i = 0; i < n; i++)
			is_within(reasons[i].item.data, reasons[i].item.len, text, len);
	}
}

static void
read_item(const char *text, size_t len)
{
	static const DynStep steps[] = {{"a", 1, 0}, {"b", 1, 0}};
	static const DynPath path = {steps, 2};
	static DynPathTree *tree;
	static DynPage page;
	DynPageError error;
	DynScalar	item = {DYN_TYPE_M, text, len};
	DynScalar	value;
	DynBuffer	memory;
	bool		valid;

	if (tree == NULL)
		tree = dyn_path_tree_create(&path, 1);
	valid = dyn_page_parse(&page, DYN_PARSE_ITEM, tree, text, len, &error);
	/* a number out of range and malformed base64 are not equal to anything */
	demand(!valid || dyn_scalar_same(&item, &item) || strstr(text, "\"N") != NULL ||
		   strstr(text, "\"B") != NULL);
	dyn_buffer_init(&memory, 0);
	for (int n = 1; n <= 2; n++)
	{
		DynPath		at = {steps, n};
		bool		read = dyn_item_value(&item, &at, &memory, &value);

		/* the page parser leaves base64 to its readers */
		demand(!read || valid);
		demand(read || !valid || (value.type == DYN_TYPE_B && !memory.failed));
		if (read && (value.type == DYN_TYPE_S || value.type == DYN_TYPE_BOOL))
			demand(dyn_item_has(&item, &(DynPathValue) {&at, value}, 1));
	}
	dyn_buffer_free(&memory);
}

static void
read_credentials(const char *text, size_t len)
{
	static const DynResponseNames names = {
		"AccessKeyId", "SecretAccessKey", "Token", "Expiration", NULL
	};
	DynCredentials credentials = {0};
	DynError	err = {0};

	if (read_json_credentials(text, len, &names, "the reply", &credentials, &err))
	{
		demand(dyn_credentials_suit_header(credentials.access_key_id) &&
			   dyn_credentials_suit_header(credentials.secret_access_key));
		dyn_credentials_clear(&credentials);
	}
	else
		demand(err.message[0] != '\0' && credentials.access_key_id == NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const readers[]) (const char *text, size_t len) = {
		read_error, read_description, read_write, read_item, read_credentials
	};
	Input		input = {(const char *) data, size};
	unsigned	reader = take_number(&input, sizeof(readers) / sizeof(readers[0]));
	size_t		len;
	char	   *text = take_rest(&input, &len);

	readers[reader] (text, len);
	free(text);
	return 0;
}
