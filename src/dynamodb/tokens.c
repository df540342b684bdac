/*
 * tokens.c
 *		Manages the placeholders of one request: #n0, #n1, ... and :v0, :v1,
 *		...
 *
 * Names and values are two tables of the same kind.  A table stores the JSON
 * of its entries in one buffer, ready to be sent, and the end and hash of each
 * entry.  Entries are found by a linear search for the hash: an expression of
 * 4096 bytes has at most about 700 tokens, so an index is not worth its cost.
 *
 * Entries are only added at the end, so a mark is a number of entries, and a
 * rollback truncates the table.  Names are copied, so a table does not refer
 * to the caller's paths.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/text.h"
#include "expression.h"

#define MAX_NAME_BYTES		65535	/* maximum length of an attribute name
									 * (bytes) */
#define MAX_NAMES_BYTES		(8 * 1024 * 1024)
#define MAX_VALUES_BYTES	(2 * 1024 * 1024)	/* maximum size of a request's
												 * values (bytes) */

typedef struct Entry
{
	size_t		end;			/* offset after the entry's JSON in the
								 * buffer */
	uint64_t	hash;			/* hash of the JSON */
} Entry;

typedef struct Table
{
	DynBuffer	json;			/* JSON of all entries, without separators */
	Entry	   *entries;
	int			count;
	int			space;			/* number of entries allocated */
} Table;

struct DynTokens
{
	Table		names;			/* table of JSON strings */
	Table		values;			/* table of attribute values */
};

/* Returns the offset of entry i, which may be the next entry to be added. */
static size_t
entry_start(const Table *table, int i)
{
	return i > 0 ? table->entries[i - 1].end : 0;
}

/*
 * Truncates the table to `count` entries, and recovers from a failed append.
 */
static void
table_split(Table *table, int count)
{
	table->count = count;
	table->json.len = entry_start(table, count);
	table->json.failed = false;
}

/*
 * Makes an entry of the JSON that was appended after the last entry, or
 * removes this JSON if there is an equal entry.  Returns the number of the
 * entry; -1 if memory runs out or the table is full.
 */
static int
table_enter(Table *table)
{
	size_t		start = entry_start(table, table->count);
	Entry		entry;
	const char *json;
	size_t		len;
	int			i;

	if (!table->json.failed && table->count == table->space)
	{
		int			space = table->space > 0 ? table->space * 2 : 16;
		Entry	   *entries = realloc(table->entries, space * sizeof(Entry));

		table->json.failed = table->json.out_of_memory = entries == NULL;
		if (entries != NULL)
		{
			table->entries = entries;
			table->space = space;
		}
	}
	if (table->json.failed)
	{
		table_split(table, table->count);
		return -1;
	}
	json = table->json.data + start;
	len = table->json.len - start;
	entry.end = table->json.len;
	entry.hash = dyn_hash_bytes(json, len);
	for (i = 0; i < table->count; i++)
	{
		size_t		begin = entry_start(table, i);

		if (table->entries[i].hash == entry.hash &&
			table->entries[i].end - begin == len &&
			memcmp(table->json.data + begin, json, len) == 0)
		{
			table_split(table, table->count);
			return i;
		}
	}
	table->entries[table->count++] = entry;
	return i;
}

int
dyn_tokens_name(DynTokens *tokens, const char *name, size_t len)
{
	if (len == 0 || len > MAX_NAME_BYTES)
		return -1;
	dyn_append_json_string(&tokens->names.json, name, len);
	return table_enter(&tokens->names);
}

int
dyn_tokens_value(DynTokens *tokens, const DynScalar *value)
{
	dyn_wire_scalar(&tokens->values.json, value);
	return table_enter(&tokens->values);
}

DynTokens *
dyn_tokens_create(void)
{
	DynTokens  *tokens = calloc(1, sizeof(*tokens));

	if (tokens != NULL)
	{
		dyn_buffer_init(&tokens->names.json, MAX_NAMES_BYTES);
		dyn_buffer_init(&tokens->values.json, MAX_VALUES_BYTES);
	}
	return tokens;
}

void
dyn_tokens_reset(DynTokens *tokens)
{
	table_split(&tokens->names, 0);
	table_split(&tokens->values, 0);
	tokens->names.json.out_of_memory = false;
	tokens->values.json.out_of_memory = false;
}

bool
dyn_tokens_out_of_memory(const DynTokens *tokens)
{
	return tokens->names.json.out_of_memory ||
		tokens->values.json.out_of_memory;
}

void
dyn_tokens_free(DynTokens *tokens)
{
	if (tokens == NULL)
		return;
	dyn_buffer_free(&tokens->names.json);
	dyn_buffer_free(&tokens->values.json);
	free(tokens->names.entries);
	free(tokens->values.entries);
	free(tokens);
}

DynTokensMark
dyn_tokens_mark(const DynTokens *tokens)
{
	return (DynTokensMark) {tokens->names.count, tokens->values.count};
}

void
dyn_tokens_rollback(DynTokens *tokens, DynTokensMark mark)
{
	table_split(&tokens->names, mark.nnames);
	table_split(&tokens->values, mark.nvalues);
}

/* Writes ,"member":{"#n0":...,"#n1":...}. */
static void
table_write(const Table *table, const char *member, const char *sigil,
			DynBuffer *out)
{
	if (table->count == 0)
		return;
	dyn_append_json_member(out, member);
	for (int i = 0; i < table->count; i++)
	{
		size_t		start = entry_start(table, i);

		dyn_buffer_append_str(out, i > 0 ? ",\"" : "{\"");
		dyn_buffer_append_str(out, sigil);
		dyn_append_number(out, (unsigned long) i);
		dyn_buffer_append_str(out, "\":");
		dyn_buffer_append(out, table->json.data + start,
						  table->entries[i].end - start);
	}
	dyn_buffer_append_char(out, '}');
}

bool
dyn_tokens_write(const DynTokens *tokens, DynBuffer *out)
{
	table_write(&tokens->names, "ExpressionAttributeNames", "#n", out);
	table_write(&tokens->values, "ExpressionAttributeValues", ":v", out);
	return !out->failed;
}
