/*
 * jsonvalue.c
 *		Converts any DynamoDB value to jsonb: plain JSON, not DynamoDB-JSON.
 *
 * S becomes a string, N a number with all its digits, B a base64 string, BOOL
 * a boolean, NULL null, lists and sets arrays, maps objects.  The walk over a
 * validated slice cannot fail; only U+0000 cannot be represented.
 *
 * The value is written into one varlena, without PostgreSQL's JsonbValue tree
 * and its copies.  A first pass lists the nodes, in the order of the walk;
 * their texts are slices of the response where nothing has to be changed in
 * them, and their size bounds that of the result.  A second pass writes the
 * containers as utils/jsonb.h describes them: names sorted by length, then by
 * bytes, an offset in every JB_OFFSET_STRIDE-th entry, numbers and containers
 * aligned.
 */
#include "postgres.h"

#include "utils/jsonb.h"

#include "../base/number.h"
#include "encoding.h"
#include "numerics.h"
#include "pg_compat.h"
#include "types.h"

/*
 * A scalar, a name or a container.  The members of a container follow it: for
 * an object, each name and its value.
 */
typedef struct JsonNode
{
	uint32		type;			/* JENTRY_IS... */
	uint32		len;			/* bytes; of a container: names or elements */
	const char *bytes;			/* NULL: a container, or nothing */
	uint32		end;			/* first node behind this one and its members */
	bool		object;			/* of a container */
} JsonNode;

typedef struct JsonNodes
{
	JsonNode   *nodes;
	uint32		count;
	uint32		allocated;
	Size		size;			/* bytes of all nodes, at most */
	const char *why;			/* that a value cannot be represented */
	JsonNode	first[64];		/* for which no memory is allocated */
} JsonNodes;

/* ---- listing the nodes ---------------------------------------------- */

/* An entry, the header of a container, and what aligns it. */
#define NODE_OVERHEAD	(sizeof(JEntry) + sizeof(uint32) + sizeof(JEntry) - 1)

static void
add_room(JsonNodes *list)
{
	Size		size = (Size) list->allocated * sizeof(JsonNode);

	if (list->nodes == list->first)
		list->nodes = memcpy(palloc(2 * size), list->first, size);
	else
		list->nodes = repalloc_huge(list->nodes, 2 * size);
	list->allocated *= 2;
}

static JsonNode *
add_node(JsonNodes *list, uint32 type, const char *bytes, Size len)
{
	JsonNode   *node;

	if (list->count == list->allocated)
		add_room(list);
	node = &list->nodes[list->count++];
	*node = (JsonNode) {.type = type, .len = (uint32) len, .bytes = bytes,
	.end = list->count};
	list->size += NODE_OVERHEAD + len;
	return node;
}

static bool
add_text(JsonNodes *list, const DynValue *v)
{
	char	   *text = unconstify(char *, v->data);
	size_t		len = v->len;

	if (v->flags & DYN_VALUE_ESCAPED)
	{
		text = palloc(Max(len, 1));
		len = dyn_value_text(v, text);
	}
	if (!dyn_from_utf8(&text, &len, &list->why))
		return false;
	add_node(list, JENTRY_ISSTRING, text, len);
	return true;
}

/* Whole, short, and spelled as it is in canonical form? */
static bool
is_plain_integer(const DynValue *v)
{
	if (v->len == 0 || v->len > 18 || (v->data[0] == '0' && v->len > 1))
		return false;
	for (uint32 i = 0; i < v->len; i++)
	{
		if (v->data[i] < '0' || v->data[i] > '9')
			return false;
	}
	return true;
}

static bool
add_number(JsonNodes *list, const DynValue *v)
{
	char		buf[DYN_NUMBER_BUFSIZE];
	size_t		len;
	Numeric		number;

	if (!is_plain_integer(v) || !dyn_plain_numeric(v->data, v->len, &number))
	{
		if (dyn_number_canonical(v->data, v->len, buf, &len) != DYN_NUMBER_OK)
		{
			list->why = "it contains a number that is not a valid DynamoDB number";
			return false;
		}
		number = dyn_numeric_from_text(buf, len);
	}
	add_node(list, JENTRY_ISNUMERIC, (char *) number, VARSIZE_ANY(number));
	return true;
}

static bool
add_scalar(JsonNodes *list, const DynValue *v)
{
	switch (v->type)
	{
		case DYN_TYPE_N:
			return add_number(list, v);
		case DYN_TYPE_BOOL:
			add_node(list, v->flags & DYN_VALUE_TRUE ? JENTRY_ISBOOL_TRUE
					 : JENTRY_ISBOOL_FALSE, NULL, 0);
			return true;
		case DYN_TYPE_NULL:
			add_node(list, JENTRY_ISNULL, NULL, 0);
			return true;
		default:
			Assert(v->type == DYN_TYPE_S || v->type == DYN_TYPE_B);
			return add_text(list, v);
	}
}

/* Lists the container and all in it; false if some value has no jsonb. */
static bool
add_container(JsonNodes *list, const DynValue *value)
{
	uint32		open[DYN_MAX_DEPTH + 2];	/* nodes of the open containers */
	int			depth = 0;
	DynWalk		walk;
	DynWalkEvent event;
	DynValue	v;

	dyn_walk_begin(&walk, value);
	while ((event = dyn_walk_next(&walk, &v)) != DYN_WALK_END)
	{
		if (event == DYN_WALK_CLOSE)
		{
			list->nodes[open[--depth]].end = list->count;
			continue;
		}
		if (depth > 0 && (event == DYN_WALK_NAME ||
						  !list->nodes[open[depth - 1]].object))
			list->nodes[open[depth - 1]].len++;
		if (event == DYN_WALK_OPEN)
		{
			Assert(depth < (int) lengthof(open));
			open[depth++] = list->count;
			add_node(list, JENTRY_ISCONTAINER, NULL, 0)->object =
				v.type == DYN_TYPE_M;
		}
		else if (event == DYN_WALK_NAME ? !add_text(list, &v)
				 : !add_scalar(list, &v))
			return false;
	}
	Assert(depth == 0);
	return true;
}

/* ---- writing -------------------------------------------------------- */

/* A container that is being written. */
typedef struct JsonWriter
{
	const JsonNodes *list;
	char	   *base;			/* of the varlena */
	char	   *p;				/* end of what is written */
} JsonWriter;

static void write_container(JsonWriter *writer, uint32 n);

static void
write_bytes(JsonWriter *writer, const void *bytes, Size len)
{
	memcpy(writer->p, bytes, len);
	writer->p += len;
}

/* Numbers and containers begin at a multiple of four bytes. */
static void
align(JsonWriter *writer)
{
	while ((writer->p - writer->base) % sizeof(JEntry) != 0)
		*writer->p++ = '\0';
}

/*
 * Writes node n, and its entry: the i-th of a container whose members begin
 * at `data`.
 */
static void
write_member(JsonWriter *writer, uint32 n, char *entries, uint32 i,
			 const char *data)
{
	const JsonNode *node = &writer->list->nodes[n];
	const char *begin = writer->p;
	JEntry		entry = node->type;

	if (node->type == JENTRY_ISNUMERIC || node->type == JENTRY_ISCONTAINER)
		align(writer);
	if (node->type == JENTRY_ISCONTAINER)
		write_container(writer, n);
	else if (node->len > 0)
		write_bytes(writer, node->bytes, node->len);
	if (writer->p - data > JENTRY_OFFLENMASK)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a list or map is too large for jsonb")));
	if (i % JB_OFFSET_STRIDE == 0)
		entry |= JENTRY_HAS_OFF | (JEntry) (writer->p - data);
	else
		entry |= (JEntry) (writer->p - begin);
	memcpy(entries + i * sizeof(JEntry), &entry, sizeof(JEntry));
}

/* The header of a container, and room for its entries, which is returned. */
static char *
write_header(JsonWriter *writer, uint32 header, uint32 entries)
{
	char	   *room;

	write_bytes(writer, &header, sizeof(header));
	room = writer->p;
	writer->p += entries * sizeof(JEntry);
	return room;
}

static void
write_array(JsonWriter *writer, uint32 n)
{
	const JsonNode *nodes = writer->list->nodes;
	char	   *entries = write_header(writer, JB_FARRAY | nodes[n].len,
									   nodes[n].len);
	const char *data = writer->p;
	uint32		i = 0;

	for (uint32 member = n + 1; member < nodes[n].end; member = nodes[member].end)
		write_member(writer, member, entries, i++, data);
}

/* A name of an object, to be sorted; its value is the node behind it. */
typedef struct JsonName
{
	const char *bytes;
	uint32		len;
	uint32		node;
} JsonName;

static int
compare_names(const void *a, const void *b)
{
	const JsonName *left = a;
	const JsonName *right = b;
	int			order;

	if (left->len != right->len)
		return left->len < right->len ? -1 : 1;
	order = left->len > 0 ? memcmp(left->bytes, right->bytes, left->len) : 0;
	if (order != 0)
		return order;
	return left->node < right->node ? -1 : left->node > right->node;
}

/* Most objects have few names, for which a call of qsort is a long way. */
#define FEW_NAMES		8

static void
insert_names(JsonName *names, uint32 count)
{
	for (uint32 i = 1; i < count; i++)
	{
		JsonName	name = names[i];
		uint32		at = i;

		for (; at > 0 && compare_names(&names[at - 1], &name) > 0; at--)
			names[at] = names[at - 1];
		names[at] = name;
	}
}

/*
 * Sorts the names.  Two that have become equal in the database's encoding are
 * one, with the later value, as jsonb does it.  Returns how many there are.
 */
static uint32
sort_names(JsonName *names, uint32 count)
{
	uint32		last = 0;

	if (count < 2)
		return count;
	if (count <= FEW_NAMES)
		insert_names(names, count);
	else
		qsort(names, count, sizeof(JsonName), compare_names);
	for (uint32 i = 1; i < count; i++)
	{
		if (names[i].len != names[last].len ||
			memcmp(names[i].bytes, names[last].bytes, names[i].len) != 0)
			last++;
		names[last] = names[i];
	}
	return last + 1;
}

static void
write_object(JsonWriter *writer, uint32 n)
{
	const JsonNode *nodes = writer->list->nodes;
	JsonName   *names = palloc(Max(nodes[n].len, 1) * sizeof(JsonName));
	uint32		count = 0;
	char	   *entries;
	const char *data;

	for (uint32 name = n + 1; name < nodes[n].end; name = nodes[name + 1].end)
		names[count++] = (JsonName) {nodes[name].bytes, nodes[name].len, name};
	Assert(count == nodes[n].len);
	count = sort_names(names, count);
	entries = write_header(writer, JB_FOBJECT | count, 2 * count);
	data = writer->p;
	for (uint32 i = 0; i < count; i++)
		write_member(writer, names[i].node, entries, i, data);
	for (uint32 i = 0; i < count; i++)
		write_member(writer, names[i].node + 1, entries, count + i, data);
	pfree(names);
}

/* Depth is bounded by DYN_MAX_DEPTH, so that this may recurse. */
static void
write_container(JsonWriter *writer, uint32 n)
{
	if (writer->list->nodes[n].object)
		write_object(writer, n);
	else
		write_array(writer, n);
}

/* A scalar is the only element of an array that is marked so. */
static void
write_scalar(JsonWriter *writer)
{
	char	   *entry = write_header(writer, JB_FARRAY | JB_FSCALAR | 1, 1);

	write_member(writer, 0, entry, 0, writer->p);
}

static Jsonb *
write_jsonb(const JsonNodes *list)
{
	char	   *base = palloc(VARHDRSZ + sizeof(uint32) + list->size);
	JsonWriter	writer = {list, base, base + VARHDRSZ};

	if (list->nodes[0].type == JENTRY_ISCONTAINER)
		write_container(&writer, 0);
	else
		write_scalar(&writer);
	Assert((Size) (writer.p - base) <= VARHDRSZ + sizeof(uint32) + list->size);
	SET_VARSIZE(base, writer.p - base);
	return (Jsonb *) base;
}

bool
dyn_value_to_jsonb(const DynValue *value, Datum *result, const char **why)
{
	JsonNodes	list;

	if (value->flags & DYN_VALUE_HAS_NUL)
	{
		*why = "it contains the character U+0000, which jsonb cannot represent";
		return false;
	}
	list.nodes = list.first;
	list.allocated = lengthof(list.first);
	list.count = 0;
	list.size = 0;
	if (value->type >= DYN_TYPE_SS ? !add_container(&list, value)
		: !add_scalar(&list, value))
	{
		*why = list.why;
		return false;
	}
	*result = JsonbPGetDatum(write_jsonb(&list));
	return true;
}
