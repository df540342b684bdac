/*
 * metadata.h
 *		Parses the description of a table that DescribeTable returns: keys,
 *		indexes, sizes, status.
 *
 * Keys are arrays of attributes, because the partition key and the sort key of
 * a GSI may each have up to four (developer guide, multi-attribute keys).
 *
 * A description is malloc'd, and has no references to the response.
 */
#ifndef DYN_DYNAMODB_METADATA_H
#define DYN_DYNAMODB_METADATA_H

#include "attrvalue.h"

#define DYN_MAX_KEY_ATTRS	4	/* attributes in a partition or sort key */

/* Maximum size (bytes) of an item, and of a value in a partition key or sort key */
#define DYN_MAX_ITEM_BYTES	409600
#define DYN_MAX_HASH_BYTES	2048
#define DYN_MAX_RANGE_BYTES	1024

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

/* Returns attribute `i` (from 0); partition key attributes come first. */
static inline const DynKeyAttr *
dyn_key_attr(const DynKeySchema *key, int i)
{
	return i < key->nhash ? &key->hash[i] : &key->range[i - key->nhash];
}

/*
 * The throughput that a table or a global index can serve.  DynamoDB does not
 * report the throughput of on-demand tables.  We assume the throughput of new
 * tables or the warm throughput, whichever is greater, but at most
 * MaxReadRequestUnits or, if that is not set, the default quota (developer
 * guide, "On-demand capacity", "Quotas").
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
	bool		global;			/* true for a GSI, false for an LSI */
	bool		active;			/* true if readable: any LSI, or a GSI that is
								 * ACTIVE or UPDATING, but not backfilling */
	DynKeySchema key;
	DynProjectionType projection;
	int			nincluded;		/* number of NonKeyAttributes */
	const char **included;		/* their names, sorted (names.h) */
	uint64_t	item_count;		/* count, some hours old; 0 may mean unknown */
	uint64_t	size_bytes;
	DynThroughput throughput;	/* for an LSI: throughput of the table */
	const char *schema;
} DynIndexMeta;

typedef struct DynTableMeta
{
	const char *name;
	const char *id;				/* TableId; NULL: not reported */
	const char *status;			/* TableStatus: "ACTIVE", ... */
	DynKeySchema key;			/* primary key; nhash is 1, nrange 0 or 1 */
	uint64_t	item_count;
	uint64_t	size_bytes;
	DynThroughput throughput;
	double		created;		/* seconds since 1970; 0: not reported */
	int			nindexes;
	DynIndexMeta *indexes;		/* LSIs, then GSIs, in the response's order */
	const char *schema;
	char	   *texts;			/* private: memory of all `schema` strings */
	struct json_t *document;	/* private: memory of all other strings */
} DynTableMeta;

/* Returns the key of the table if i is 0, otherwise of indexes[i - 1]. */
static inline const DynKeySchema *
dyn_key_number(const DynTableMeta *meta, int i)
{
	return i == 0 ? &meta->key : &meta->indexes[i - 1].key;
}

/* Returns indexes[i - 1]; NULL for 0, the table. */
static inline const DynIndexMeta *
dyn_index_number(const DynTableMeta *meta, int i)
{
	return i == 0 ? NULL : &meta->indexes[i - 1];
}

/*
 * Parses a DescribeTable response; the caller frees the result.  Returns NULL
 * on failure, with a static string in *reason such as "out of memory".
 */
extern DynTableMeta *dyn_metadata_parse(const char *buf, size_t len,
										const char **reason);
extern void dyn_metadata_free(DynTableMeta *meta);

/*
 * Returns the average size of an item (bytes); 0 if it is unknown.  This is
 * the average of the index.  If `index` is NULL, or DynamoDB has not counted
 * the items of the index yet, it is the average of the table.
 */
extern double dyn_metadata_item_bytes(const DynTableMeta *meta,
									  const DynIndexMeta *index);

/* Returns the index `name`; NULL if it does not exist, or `name` is NULL. */
extern const DynIndexMeta *dyn_metadata_index(const DynTableMeta *meta,
											  const char *name);

/* Returns the key attribute named `attr`, or NULL. */
extern const DynKeyAttr *dyn_key_find(const DynKeySchema *key, const char *attr);

/*
 * The first function returns true if the attribute is in the partition key;
 * the second, if it is in the partition or sort key.
 */
extern bool dyn_is_in_hash_key(const DynKeySchema *key, const char *attr);
extern bool dyn_is_in_key(const DynKeySchema *key, const char *attr);

/* Returns true if the attribute is in the key of the table or of an index. */
extern bool dyn_is_key_attribute(const DynTableMeta *meta, const char *attr);

/*
 * Returns true if the index projects the top-level attribute; every index
 * projects its own key and the key of the table.
 */
extern bool dyn_index_projects(const DynTableMeta *meta, const DynIndexMeta *index,
							   const char *attr);

/*
 * Returns a string with the key of the table and, unless `index` is NULL, the
 * index's name, kind, key, state and projection.  Returns NULL if no index has
 * the name.  The string lives as long as the description.  A plan contains a
 * copy, and is valid as long as this function returns an equal string.
 */
extern const char *dyn_metadata_schema(const DynTableMeta *meta,
									   const char *index);

/* Returns true if both tables have the same keys and indexes. */
extern bool dyn_metadata_same_schema(const DynTableMeta *a,
									 const DynTableMeta *b);

#endif
