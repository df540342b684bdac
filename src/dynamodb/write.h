/*
 * write.h
 *		Writes the requests of the write operations, and checks the responses.
 *
 * Expressions come from expression.h, and items from update.h.
 */
#ifndef DYN_DYNAMODB_WRITE_H
#define DYN_DYNAMODB_WRITE_H

#include "operation.h"

/* The write of one item */
typedef struct DynWriteRequest
{
	DynOperation op;			/* PUT_ITEM, UPDATE_ITEM or DELETE_ITEM */
	const char *table;
	DynScalar	item;			/* PutItem: item, as a value of type M */
	const DynKeyPart *key;		/* UpdateItem, DeleteItem */
	int			nparts;
	const char *update;			/* UpdateItem: update expression, or NULL */
	const char *condition;		/* condition expression */
	const DynTokens *tokens;	/* tokens of both expressions */
	bool		returning;		/* true to return the updated or deleted item;
								 * ignored in a transaction */
	bool		omits_item;		/* true if the error document of a failed
								 * condition must not contain the item */
} DynWriteRequest;

#define DYN_TRANSACTION_MAX_WRITES	100

/*
 * Resets the buffer and writes the request.  If `member` is true, instead
 * appends the write to a TransactWriteItems request.  The response will report
 * the consumed capacity.  If the condition fails, the error document will have
 * the item, unless req->omits_item is true.  The caller checks buf->failed.
 */
extern void dyn_write_write(DynBuffer *buf, const DynWriteRequest *req,
							bool member);

/*
 * Begin (after resetting the buffer) and end a TransactWriteItems request.
 * `token`, at most 36 characters, is its ClientRequestToken: DynamoDB does not
 * execute a second request with the same token.
 */
extern void dyn_write_begin_transaction(DynBuffer *buf);
extern void dyn_write_end_transaction(DynBuffer *buf, const char *token);

/* The response of a write that was executed */
typedef struct DynWritten
{
	double		units;			/* consumed write units; 0 if not reported */
	DynScalar	attributes;		/* slice of the response (type M), or ABSENT */
} DynWritten;

/*
 * Checks the response to a write, which has a success status.  If it is valid,
 * sets *written and returns NULL.  Otherwise, returns a description of the
 * error as dyn_page_check does.  The response must report the consumed
 * capacity of `table`, because any server could send an empty object.  For a
 * transaction, `table` is one of its tables.  The response must contain the
 * item if and only if `returning` is true.
 */
extern const char *dyn_write_check(const char *buf, size_t len,
								   const char *table, bool returning,
								   DynWritten *written);

/*
 * Returns the item for which a condition failed, as a slice of the error
 * document (type M); ABSENT if the document has none, or parsing fails.
 */
extern DynScalar dyn_write_failed_item(const char *buf, size_t len);

/* DynamoDB's reason for one write of a canceled transaction */
typedef struct DynCancelReason
{
	char		code[64];		/* "None" if this write itself did not fail;
								 * otherwise, e.g. "ConditionalCheckFailed" */
	char		message[256];	/* text of the reason, truncated; may be "" */
	DynScalar	item;			/* item (type M) for which the condition
								 * failed, or ABSENT */
} DynCancelReason;

/*
 * Reads the reasons from the error document of a canceled transaction of `n`
 * writes.  Returns NULL on success; if the document is malformed or does not
 * have one reason for each write, returns a description (see dyn_page_check).
 */
extern const char *dyn_write_cancel_reasons(const char *buf, size_t len,
											DynCancelReason *reasons, int n);

#endif
