/*
 * jsonvalue.c
 *		Converts any DynamoDB value to jsonb: plain JSON, not DynamoDB-JSON.
 *
 * S and B become strings (B remains base64), N becomes a number with all its
 * digits, lists and sets become arrays, and maps become objects.  The page
 * parser has checked the syntax of the value.  Conversion fails for U+0000,
 * for numbers beyond DynamoDB's limits, and for characters that the database's
 * encoding lacks.
 *
 * We write the value into one varlena, without PostgreSQL's JsonbValue tree
 * and its copies.  A first pass lists the nodes (elements.h) and the maximum
 * size of the result.  A second pass writes the format of utils/jsonb.h.
 */
#include "postgres.h"

#include "../server/memory.h"
#include "port/pg_bswap.h"
#include "utils/jsonb.h"

#include "../../base/number.h"
#include "../../dynamodb/elements.h"
#include "../server/encoding.h"
#include "textforms.h"
#include "types.h"

static bool
is_text(const DynNode *node)
{
	return node->value.type == DYN_TYPE_S || node->value.type == DYN_TYPE_B;
}

/* Returns the text without JSON escapes, with 8 bytes more for name_key(). */
static char *
plain_text(const DynValue *text, size_t *len)
{
	char	   *plain = palloc(text->len + sizeof(uint64));

	*len = dyn_value_text(text, plain);
	return plain;
}

/* Removes JSON escapes from all names, because names are compared. */
static void
unescape_names(DynNodes *list)
{
	for (uint32 i = 0; i < list->count; i++)
	{
		DynNode    *node = &list->nodes[i];
		DynValue	name = {node->name, node->name_len, DYN_TYPE_S, DYN_VALUE_ESCAPED};
		size_t		len;

		if (node->name == NULL)
			continue;
		node->name = plain_text(&name, &len);
		node->name_len = (uint32) len;
	}
}

/* ---- members left out ----------------------------------------------- */

static void
leave_out(DynNodes *list, const DynMembers *members)
{
	DynNode    *nodes = list->nodes;
	uint32		packed_end = 1;
	uint32		next;

	Assert(nodes[0].value.type == DYN_TYPE_M);
	for (uint32 i = 1; i < list->count; i = next)
	{
		uint32		count = nodes[i].end - i;
		uint32		moved = i - packed_end;

		next = nodes[i].end;
		if ((members->without != NULL &&
			 dyn_names_have(members->without, nodes[i].name, nodes[i].name_len)) ||
			(members->only != NULL &&
			 !dyn_names_have(members->only, nodes[i].name, nodes[i].name_len)))
		{
			nodes[0].value.len--;
			continue;
		}
		if (moved > 0)
		{
			memmove(&nodes[packed_end], &nodes[i], count * sizeof(DynNode));
			for (uint32 k = packed_end; k < packed_end + count; k++)
				nodes[k].end -= moved;
		}
		packed_end += count;
	}
	list->count = nodes[0].end = packed_end;
	list->bytes = list->numbers = 0;
	for (uint32 i = 1; i < list->count; i++)
	{
		const DynNode *node = &list->nodes[i];

		list->bytes += node->name_len +
			(node->value.type < DYN_TYPE_SS ? node->value.len : 0);
		list->numbers += node->value.type == DYN_TYPE_N;
	}
}

/* Returns true if a node that leave_out() has not removed contains U+0000. */
static bool
list_holds_nul(const DynNodes *list)
{
	for (uint32 i = 1; i < list->count; i++)
	{
		const DynNode *node = &list->nodes[i];
		char	   *plain;
		size_t		len;
		bool		found;

		if (node->name != NULL && memchr(node->name, '\0', node->name_len) != NULL)
			return true;
		if (!is_text(node) || !(node->value.flags & DYN_VALUE_ESCAPED))
			continue;
		plain = plain_text(&node->value, &len);
		found = memchr(plain, '\0', len) != NULL;
		pfree(plain);
		if (found)
			return true;
	}
	return false;
}

/* ---- strings in the database's encoding ----------------------------- */

/*
 * Returns a copy of the text in the database's encoding, with 8 bytes more for
 * name_key().  Returns NULL with *why set if the encoding lacks a character.
 */
static char *
convert_text(const DynValue *text, uint32 *len, const char **why)
{
	size_t		size;
	char	   *converted = plain_text(text, &size);
	char	   *copy;

	if (!dyn_from_utf8(&converted, &size, why))
		return NULL;
	copy = palloc(size + sizeof(uint64));
	memcpy(copy, converted, size);
	*len = (uint32) size;
	return copy;
}

static bool
convert_texts(DynNodes *list, const char **why)
{
	for (uint32 i = 0; i < list->count; i++)
	{
		DynNode    *node = &list->nodes[i];

		if (node->name != NULL)
		{
			DynValue	name = {node->name, node->name_len, DYN_TYPE_S, 0};

			node->name = convert_text(&name, &node->name_len, why);
			if (node->name == NULL)
				return false;
			list->bytes += node->name_len;
		}
		if (is_text(node))
		{
			node->value.data = convert_text(&node->value, &node->value.len, why);
			if (node->value.data == NULL)
				return false;
			node->value.flags = 0;
			list->bytes += node->value.len;
		}
	}
	return true;
}

/* ---- the order of names --------------------------------------------- */

/*
 * A member of an object, to be sorted by name.  The key contains the name's
 * length, then its first KEY_BYTES bytes, so keys sort as jsonb sorts names.
 */
typedef struct JsonName
{
	uint64		key;
	uint32		node;
} JsonName;

#define KEY_BYTES		6
#define KEY_MAX_LEN		0xffff

/* Limit for insertion sort, which is faster than qsort for few names. */
#define FEW_NAMES		16

static inline uint64
name_key(const char *name, uint32 len)
{
	uint64		key;

	memcpy(&key, name, sizeof(key));
#ifndef WORDS_BIGENDIAN
	key = pg_bswap64(key);
#endif
	key >>= 8 * (sizeof(key) - KEY_BYTES);
	if (len < KEY_BYTES)
		key &= ~((UINT64CONST(1) << 8 * (KEY_BYTES - len)) - 1);
	return key | (uint64) Min(len, KEY_MAX_LEN) << 8 * KEY_BYTES;
}

static int
compare_rest(const DynNode *left, const DynNode *right)
{
	if (left->name_len != right->name_len)
		return left->name_len < right->name_len ? -1 : 1;
	if (left->name_len <= KEY_BYTES)
		return 0;
	return memcmp(left->name + KEY_BYTES, right->name + KEY_BYTES,
				  left->name_len - KEY_BYTES);
}

/* Compares names; members with equal names keep their order. */
static int
compare_names(const void *a, const void *b, void *arg)
{
	const JsonName *left = a;
	const JsonName *right = b;
	const DynNode *nodes = arg;
	int			order;

	if (left->key != right->key)
		return left->key < right->key ? -1 : 1;
	order = compare_rest(&nodes[left->node], &nodes[right->node]);
	if (order != 0)
		return order;
	return left->node < right->node ? -1 : left->node > right->node;
}

static void
insert_names(JsonName *names, uint32 count, const DynNode *nodes)
{
	for (uint32 i = 1; i < count; i++)
	{
		JsonName	name = names[i];
		uint32		at = i;

		for (; at > 0 && (names[at - 1].key > name.key ||
						  (names[at - 1].key == name.key &&
						   compare_rest(&nodes[names[at - 1].node],
										&nodes[name.node]) > 0)); at--)
			names[at] = names[at - 1];
		names[at] = name;
	}
}

/*
 * Removes all but the last of equal names, as jsonb_in does; returns the new
 * count.  Conversion to the database encoding may make names equal.
 */
static uint32
merge_names(JsonName *names, uint32 count, const DynNode *nodes)
{
	uint32		last = 0;

	for (uint32 i = 1; i < count; i++)
	{
		if (names[i].key != names[last].key ||
			compare_rest(&nodes[names[i].node], &nodes[names[last].node]) != 0)
			last++;
		names[last] = names[i];
	}
	return Min(count, last + 1);
}

/* ---- writing -------------------------------------------------------- */

/*
 * State of the functions below, which write at their argument `p`, and return
 * the end of the output.  A container must begin at a multiple of four bytes.
 */
typedef struct JsonWriter
{
	const DynNode *nodes;
	bool		encoded;		/* true if names were converted, which may make
								 * different names equal */
	const char *why;			/* reason why the conversion failed, or NULL */
} JsonWriter;

static char *write_container(JsonWriter *writer, char *p, uint32 n);

/* Aligns `p` to four bytes; zeroes the padding. */
static inline char *
align(char *p)
{
	memset(p, 0, sizeof(JEntry));
	return (char *) INTALIGN(p);
}

/* Copies bytes; avoids a call of memcpy for the usual lengths, 8 to 16. */
static inline char *
write_bytes(char *p, const char *bytes, uint32 len)
{
	uint64		first,
				last;

	if (len >= sizeof(first) && len <= 2 * sizeof(first))
	{
		memcpy(&first, bytes, sizeof(first));
		memcpy(&last, bytes + len - sizeof(last), sizeof(last));
		memcpy(p, &first, sizeof(first));
		memcpy(p + len - sizeof(last), &last, sizeof(last));
	}
	else
		memcpy(p, bytes, len);
	return p + len;
}

static char *
write_number(JsonWriter *writer, char *p, const DynValue *value)
{
	char		buf[DYN_NUMBER_BUFSIZE];
	size_t		len;
	Numeric		number;
	size_t		size = 0;
	char		last;

	Assert(value->len > 0);
	last = value->data[value->len - 1];
	/* the fast path would keep zeros at the end of a fraction */
	if ((last != '0' && last != '.') ||
		memchr(value->data, '.', value->len) == NULL)
		size = dyn_plain_numeric_write(value->data, value->len, p);
	if (size > 0)
		return p + size;
	if (dyn_number_canonical(value->data, value->len, buf, &len) != DYN_NUMBER_OK)
	{
		writer->why = "it contains a number that is not a valid DynamoDB number";
		return p;
	}
	number = dyn_numeric_from_text(buf, len);
	size = VARSIZE_ANY(number);
	Assert(size <= DYN_NUMERIC_SIZE(value->len));
	memcpy(p, number, size);
	pfree(number);
	return p + size;
}

static pg_attribute_always_inline char *
write_value(JsonWriter *writer, char *p, uint32 n, JEntry *type)
{
	const DynValue *value = &writer->nodes[n].value;

	switch (value->type)
	{
		case DYN_TYPE_S:
		case DYN_TYPE_B:
			*type = JENTRY_ISSTRING;
			return value->flags & DYN_VALUE_ESCAPED ? p + dyn_value_text(value, p)
				: write_bytes(p, value->data, value->len);
		case DYN_TYPE_N:
			*type = JENTRY_ISNUMERIC;
			return write_number(writer, align(p), value);
		case DYN_TYPE_BOOL:
			*type = value->flags & DYN_VALUE_TRUE ? JENTRY_ISBOOL_TRUE
				: JENTRY_ISBOOL_FALSE;
			return p;
		case DYN_TYPE_NULL:
			*type = JENTRY_ISNULL;
			return p;
		default:
			*type = JENTRY_ISCONTAINER;
			return write_container(writer, align(p), n);
	}
}

/*
 * Returns the JEntry of a container's i-th value, which extends from `p` to
 * `end`.  The container's first value begins at `data`.
 */
static inline JEntry
make_entry(JEntry type, uint32 i, const char *data, const char *p,
		   const char *end)
{
	if (i % JB_OFFSET_STRIDE == 0)
		return type | JENTRY_HAS_OFF | (JEntry) (end - data);
	return type | (JEntry) (end - p);
}

static void
check_size(const char *data, const char *end)
{
	if (end - data > JENTRY_OFFLENMASK)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("list or map is too large for jsonb")));
}

static char *
write_members(JsonWriter *writer, JsonbContainer *object,
			  const JsonName *names, uint32 count)
{
	const DynNode *nodes = writer->nodes;
	char	   *data = (char *) &object->children[2 * count];
	char	   *p = data;
	char	   *end;
	JEntry		type;

	object->header = JB_FOBJECT | count;
	for (uint32 i = 0; i < count; i++, p = end)
	{
		const DynNode *node = &nodes[names[i].node];

		end = write_bytes(p, node->name, node->name_len);
		object->children[i] = make_entry(JENTRY_ISSTRING, i, data, p, end);
	}
	for (uint32 i = 0; i < count; i++, p = end)
	{
		end = write_value(writer, p, names[i].node, &type);
		object->children[count + i] = make_entry(type, count + i, data, p, end);
	}
	check_size(data, p);
	return p;
}

static char *
write_object(JsonWriter *writer, char *p, uint32 n)
{
	const DynNode *nodes = writer->nodes;
	uint32		count = nodes[n].value.len;
	uint32		i = 0;
	JsonName	few[FEW_NAMES];
	JsonName   *names = few;

	if (count > FEW_NAMES)
		names = palloc(count * sizeof(JsonName));
	for (uint32 member = n + 1; member < nodes[n].end; member = nodes[member].end)
		names[i++] = (JsonName) {name_key(nodes[member].name,
										  nodes[member].name_len), member};
	if (count <= FEW_NAMES)
		insert_names(names, count, nodes);
	else
		qsort_arg(names, count, sizeof(JsonName), compare_names,
				  unconstify(DynNode *, nodes));
	if (writer->encoded)
		count = merge_names(names, count, nodes);
	p = write_members(writer, (JsonbContainer *) p, names, count);
	if (names != few)
		pfree(names);
	return p;
}

/* Writes a container.  DYN_MAX_DEPTH limits the recursion. */
static char *
write_container(JsonWriter *writer, char *p, uint32 n)
{
	const DynNode *nodes = writer->nodes;
	JsonbContainer *array = (JsonbContainer *) p;
	char	   *data = (char *) &array->children[nodes[n].value.len];
	uint32		i = 0;
	JEntry		type;

	if (nodes[n].value.type == DYN_TYPE_M)
		return write_object(writer, p, n);
	array->header = JB_FARRAY | nodes[n].value.len;
	p = data;
	for (uint32 member = n + 1; member < nodes[n].end; member = nodes[member].end)
	{
		char	   *end = write_value(writer, p, member, &type);

		array->children[i] = make_entry(type, i, data, p, end);
		p = end;
		i++;
	}
	check_size(data, p);
	return p;
}

/*
 * Maximum size of a node without its strings: two entries, the header of a
 * container, and the bytes that align() clears.
 */
#define NODE_SIZE		(2 * sizeof(JEntry) + sizeof(uint32) + sizeof(JEntry))

/* Returns a palloc'd jsonb; NULL with *why set if conversion fails. */
static Jsonb *
write_jsonb(const DynNodes *list, bool encoded, const char **why)
{
	JsonWriter	writer = {list->nodes, encoded, NULL};
	Size		most = VARHDRSZ + sizeof(uint32) + list->bytes +
		list->count * NODE_SIZE + list->numbers * DYN_NUMERIC_SIZE(0);
	char	   *base = palloc(most);
	char	   *end;

	if (list->nodes[0].value.type >= DYN_TYPE_SS)
		end = write_container(&writer, base + VARHDRSZ, 0);
	else
	{
		/* a scalar is the only element of an array with JB_FSCALAR */
		JsonbContainer *array = (JsonbContainer *) (base + VARHDRSZ);
		char	   *data = (char *) &array->children[1];
		JEntry		type;

		array->header = JB_FARRAY | JB_FSCALAR | 1;
		end = write_value(&writer, data, 0, &type);
		array->children[0] = make_entry(type, 0, data, data, end);
		check_size(data, end);
	}
	Assert((Size) (end - base) <= most);
	SET_VARSIZE(base, end - base);
	*why = writer.why;
	return writer.why == NULL ? (Jsonb *) base : NULL;
}

bool
dyn_value_to_jsonb(const DynValue *value, const DynMembers *members,
				   Datum *result, const char **why)
{
	static DynNodes list;		/* static, to reuse its memory */
	bool		nul = (value->flags & DYN_VALUE_HAS_NUL) != 0;
	bool		all = members->without == NULL && members->only == NULL;
	bool		encoded = dyn_encoding_differs();
	Jsonb	   *jsonb = NULL;

	if (!nul || !all)
	{
		dyn_check_oom(!dyn_nodes_list(&list, value));
		if (list.escaped_names)
			unescape_names(&list);
	}
	if (!all)
	{
		leave_out(&list, members);
		nul = nul && list_holds_nul(&list);
	}
	if (nul)
		*why = "it contains the character U+0000, which jsonb cannot represent";
	else if (!encoded || convert_texts(&list, why))
		jsonb = write_jsonb(&list, encoded, why);
	dyn_nodes_trim(&list);
	*result = JsonbPGetDatum(jsonb);
	return jsonb != NULL;
}
