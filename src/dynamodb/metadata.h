/*
 * metadata.h
 *		Describes a table, as DescribeTable returns it: keys, indexes, sizes,
 *		status.
 *
 * Keys are arrays, as a global secondary index may have up to four attributes
 * on either side (developer guide, multi-attribute keys).
 *
 * A description is malloc'd; it has no reference to the response.
 */
#ifndef DYN_DYNAMODB_METADATA_H
#define DYN_DYNAMODB_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attrvalue.h"

#define DYN_MAX_KEY_ATTRS	4	/* on each side of a key */

typedef struct DynKeyAttr
{
	const char *name;			/* attribute name (NUL-terminated UTF-8) */
	DynType		type;			/* type: S, N or B */
} DynKeyAttr;

typedef struct DynKeySchema
{
	int			nhash;			/* number of partition key attributes, 1..4 */
	int			nrange;			/* number of sort key attributes, 0..4 */
	DynKeyAttr	hash[DYN_MAX_KEY_ATTRS];
	DynKeyAttr	range[DYN_MAX_KEY_ATTRS];
} DynKeySchema;

/* Returns the i'th attribute; those of the partition key come first. */
static inline const DynKeyAttr *
dyn_key_attr(const DynKeySchema *key, int i)
{
	return i < key->nhash ? &key->hash[i] : &key->range[i - key->nhash];
}

/*
 * The throughput that a table or a global index can serve.  DynamoDB does not
 * report it for on-demand tables.  There it is assumed to be at least the
 * initial capacity of new tables or the warm throughput, and at most
 * MaxReadRequestUnits or the default quota (developer guide, "On-demand
 * capacity", "Quotas").
 */
typedef struct DynThroughput
{
	bool		provisioned;	/* false: on demand */
	double		read_units;		/* read units per second; never 0 */
} DynThroughput;

typedef enum DynProjectionType
{
	DYN_PROJECT_ALL,
	DYN_PROJECT_KEYS_ONLY,
	DYN_PROJECT_INCLUDE
} DynProjectionType;

typedef struct DynIndexMeta
{
	const char *name;
	bool		global;			/* GSI; false: LSI */
	bool		active;			/* LSI: true; GSI: true if ACTIVE and not
								 * backfilling */
	DynKeySchema key;
	DynProjectionType projection;
	int			nincluded;		/* NonKeyAttributes, sorted by name */
	const char **included;
	uint64_t	item_count;		/* some hours old; 0 may mean unknown */
	uint64_t	size_bytes;
	DynThroughput throughput;	/* throughput; LSI: the table's */
	const char *schema;
} DynIndexMeta;

typedef struct DynTableMeta
{
	const char *name;
	const char *status;			/* TableStatus: "ACTIVE", ... */
	DynKeySchema key;			/* primary key (nhash 1, nrange 0 or 1) */
	uint64_t	item_count;
	uint64_t	size_bytes;
	DynThroughput throughput;
	double		created;		/* seconds since 1970; 0: not reported */
	int			nindexes;
	DynIndexMeta *indexes;		/* LSIs, then GSIs, in the response's order */
	const char *schema;
	char	   *texts;			/* private: memory of all schemas... */
	struct json_t *document;	/* ...and of all other texts */
} DynTableMeta;

/* Returns the key of the table (0), or that of the i'th index. */
static inline const DynKeySchema *
dyn_key_number(const DynTableMeta *meta, int i)
{
	return i == 0 ? &meta->key : &meta->indexes[i - 1].key;
}

/*
 * Parses a DescribeTable response.  Returns NULL on failure, with a static
 * text in *reason ("not a table description", "out of memory", ...).
 */
extern DynTableMeta *dyn_metadata_parse(const char *buf, size_t len,
										const char **reason);
extern void dyn_metadata_free(DynTableMeta *meta);

/*
 * Returns the average size of an item of the index (NULL: of the table) in
 * bytes.  Returns the average of the table if DynamoDB has not counted the
 * index yet, and 0 if the size is unknown.
 */
extern double dyn_metadata_item_bytes(const DynTableMeta *meta,
									  const DynIndexMeta *index);

/* Returns the index of that name, or NULL. */
extern const DynIndexMeta *dyn_metadata_index(const DynTableMeta *meta,
											  const char *name);

/*
 * Return the position (from 0) of an attribute among the hash or range
 * attributes of a key; -1 if it is not one of them.
 */
extern int	dyn_key_hash_position(const DynKeySchema *key, const char *attr);
extern int	dyn_key_range_position(const DynKeySchema *key, const char *attr);

/* Returns the attribute of that name, or NULL. */
extern const DynKeyAttr *dyn_key_find(const DynKeySchema *key, const char *attr);

/* Returns true if the attribute is in the key. */
extern bool dyn_is_in_key(const DynKeySchema *key, const char *attr);

/*
 * Returns true if the attribute is in the key of the table, or of one of its
 * indexes.
 */
extern bool dyn_is_key_attribute(const DynTableMeta *meta, const char *attr);

/*
 * Returns true if the index projects the top-level attribute (index keys,
 * table keys, NonKeyAttributes, or everything).
 */
extern bool dyn_index_projects(const DynTableMeta *meta, const DynIndexMeta *index,
							   const char *attr);

/*
 * Returns a text that describes everything a plan relies on when it reads the
 * table (`index` NULL), or its index of that name: the keys, and for an index
 * also its kind, state and projection.  A plan is valid while the texts are
 * equal.  The text lives as long as the description; NULL if there is no such
 * index.
 */
extern const char *dyn_metadata_schema(const DynTableMeta *meta,
									   const char *index);

/*
 * Returns true if both describe the same keys and indexes.  Sizes may differ.
 */
extern bool dyn_metadata_same_schema(const DynTableMeta *a,
									 const DynTableMeta *b);

#endif
