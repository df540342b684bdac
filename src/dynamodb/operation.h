/*
 * operation.h
 *		Names the operations, and writes the requests of reads and of table
 *		operations.
 *
 * Each function that takes a buffer resets it and writes one JSON document; the
 * caller checks buf->failed afterwards.  Empty and default members are omitted.  The
 * names of members are those of the service model DynamoDB 2012-08-10.
 */
#ifndef DYN_DYNAMODB_OPERATION_H
#define DYN_DYNAMODB_OPERATION_H

#include "expression.h"

struct DynTableMeta;

typedef enum DynOperation
{
	DYN_OP_GET_ITEM,
	DYN_OP_BATCH_GET_ITEM,
	DYN_OP_QUERY,
	DYN_OP_SCAN,
	DYN_OP_DESCRIBE_TABLE,
	DYN_OP_LIST_TABLES,
	DYN_OP_PUT_ITEM,
	DYN_OP_UPDATE_ITEM,
	DYN_OP_DELETE_ITEM,
	DYN_OP_TRANSACT_WRITE_ITEMS,
	DYN_OP_CREATE_TABLE
} DynOperation;

/* Returns the name of the operation as in X-Amz-Target, such as "GetItem". */
extern const char *dyn_operation_name(DynOperation op);

#define DYN_BATCH_GET_MAX_KEYS	100

/* Number of bytes that one unit of an eventually consistent read covers */
#define DYN_READ_UNIT_BYTES		8192.0

/*
 * One read request.  key_condition, filter and projection are expressions that
 * were rendered with the same `tokens` (expression.h); NULL or "" means none.
 * A field's comment names the operations that use it, unless all do.
 */
typedef struct DynReadRequest
{
	DynOperation op;			/* GET_ITEM, BATCH_GET_ITEM, QUERY or SCAN */
	const char *table;
	const char *index;			/* Query, Scan: index name; NULL: the table */
	const char *key_condition;	/* Query */
	const char *filter;			/* Query, Scan */
	const char *projection;
	bool		all_attributes; /* true to read all attributes through an LSI,
								 * even those not projected */
	const DynTokens *tokens;	/* tokens; NULL if there is no expression */
	bool		count_only;		/* Query, Scan: Select=COUNT */
	bool		backward;		/* Query: ScanIndexForward=false */
	bool		consistent;
	bool		report_units;	/* ReturnConsumedCapacity=TOTAL */
	long		limit;			/* Query, Scan: items per page; 0: no limit */
	int			segment;		/* Scan */
	int			total_segments; /* Scan; 0 or 1: not segmented */
	const char *start_key;		/* Query, Scan: LastEvaluatedKey of the
								 * previous page, unchanged; NULL at first */
	size_t		start_key_len;

	/* GetItem: 1 key; BatchGetItem: up to 100; key i is at keys[i * nparts] */
	const DynKeyPart *keys;
	int			nkeys;
	int			nparts;
	/* BatchGetItem: indexes of the keys to request; NULL: all keys */
	const uint8_t *picked;
	int			npicked;
} DynReadRequest;

extern void dyn_write_read(DynBuffer *buf, const DynReadRequest *req);
extern void dyn_write_describe_table(DynBuffer *buf, const char *table);

/*
 * Writes a CreateTable request with the name and key of `table`, the name,
 * kind, key and projection of each of its indexes, and on-demand billing.  An
 * attribute must have the same type in all keys.
 */
extern void dyn_write_create_table(DynBuffer *buf, const struct DynTableMeta *table);

/* Writes a request; `start_name` is the previous page's last name, or NULL. */
extern void dyn_write_list_tables(DynBuffer *buf, const char *start_name);

/*
 * Parses a ListTables response: sets *names to all names, each followed by a
 * NUL, and *last to LastEvaluatedTableName (malloc'd; the caller frees it) or
 * NULL.  Returns NULL on success; otherwise a description of the error, like
 * those that dyn_page_check returns.
 */
extern const char *dyn_read_list_tables(const char *buf, size_t len,
										DynBuffer *names, char **last);

#endif
