/*
 * metadata.h
 *		The description of a table from DescribeTable: keys, indexes, sizes,
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
	const char *name;			/* NUL-terminated UTF-8 */
	DynType		type;			/* S, N or B */
} DynKeyAttr;

typedef struct DynKeySchema
{
	int			nhash;			/* 1..4 */
	int			nrange;			/* 0..4 */
	DynKeyAttr	hash[DYN_MAX_KEY_ATTRS];
	DynKeyAttr	range[DYN_MAX_KEY_ATTRS];
} DynKeySchema;

/* The i'th attribute, those of the partition key first. */
static inline const DynKeyAttr *
dyn_key_attr(const DynKeySchema *key, int i)
{
	return i < key->nhash ? &key->hash[i] : &key->range[i - key->nhash];
}

/*
 * What a table or a global index can serve.  On demand that is not told: at
 * least the initial capacity of new tables or the warm throughput, at most
 * MaxReadRequestUnits or the default quota (developer guide, "On-demand
 * capacity", "Quotas").
 */
typedef struct DynThroughput
{
	bool		provisioned;	/* false: on demand */
	double		read_units;		/* a second; never 0 */
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
	bool		active;			/* LSI: true; GSI: ACTIVE, not backfilling */
	DynKeySchema key;
	DynProjectionType projection;
	int			nincluded;		/* NonKeyAttributes, by name */
	const char **included;
	uint64_t	item_count;		/* some hours old; 0 may mean unknown */
	uint64_t	size_bytes;
	DynThroughput throughput;	/* LSI: the table's */
	const char *schema;
} DynIndexMeta;

typedef struct DynTableMeta
{
	const char *name;
	const char *status;			/* "ACTIVE", ... */
	DynKeySchema key;			/* nhash 1, nrange 0 or 1 */
	uint64_t	item_count;
	uint64_t	size_bytes;
	DynThroughput throughput;
	double		created;		/* seconds since 1970; 0: not told */
	int			nindexes;
	DynIndexMeta *indexes;		/* LSIs first, then GSIs, as described */
	const char *schema;
	char	   *texts;			/* private: the memory of all schemas */
} DynTableMeta;

/*
 * Parses a DescribeTable response.  Returns NULL on failure, with a static
 * text in *reason ("not a table description", "out of memory", ...).
 */
extern DynTableMeta *dyn_metadata_parse(const char *buf, size_t len,
										const char **reason);
extern void dyn_metadata_free(DynTableMeta *meta);

/*
 * Average bytes of an item of the index (NULL: of the table); the table's if
 * DynamoDB has not counted the index; 0 if it is unknown.
 */
extern double dyn_metadata_item_bytes(const DynTableMeta *meta,
									  const DynIndexMeta *index);

/* The index of that name, or NULL. */
extern const DynIndexMeta *dyn_metadata_index(const DynTableMeta *meta,
											  const char *name);

/*
 * Position of an attribute among a key's hash (range) attributes, from 0; -1
 * if it is not one of them.
 */
extern int	dyn_key_hash_position(const DynKeySchema *key, const char *attr);
extern int	dyn_key_range_position(const DynKeySchema *key, const char *attr);

/* Is the attribute in the key? */
extern bool dyn_is_in_key(const DynKeySchema *key, const char *attr);

/* Is the attribute in the key of the table, or of one of its indexes? */
extern bool dyn_is_key_attribute(const DynTableMeta *meta, const char *attr);

/*
 * Does the index project the top-level attribute (index keys, table keys,
 * NonKeyAttributes, or everything)?
 */
extern bool dyn_index_projects(const DynTableMeta *meta, const DynIndexMeta *index,
							   const char *attr);

/*
 * A text of everything that a plan relies on when it reads the table, or its
 * index of that name (NULL: the table itself): the keys, and of the index also
 * its kind, state and projection.  While the texts are equal, a plan is valid.
 * Lives as long as the description; NULL if there is no such index.
 */
extern const char *dyn_metadata_schema(const DynTableMeta *meta,
									   const char *index);

/* Do both describe the same keys and indexes?  Sizes may differ. */
extern bool dyn_metadata_same_schema(const DynTableMeta *a,
									 const DynTableMeta *b);

#endif
