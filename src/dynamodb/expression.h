/*
 * expression.h
 *		Renders conditions, updates and projections with placeholders, and
 *		evaluates conditions.
 *
 * A condition is a DynCond tree that the caller allocates and frees.
 * Rendering writes the text of a KeyConditionExpression, FilterExpression or
 * ConditionExpression, and adds its names and values to the DynTokens of the
 * request.  Each name and each value is added once, as #n0, #n1, ... and :v0,
 * :v1, .... So a name never conflicts with a reserved word, and injection is
 * impossible.  The tokens become ExpressionAttributeNames and
 * ExpressionAttributeValues; every token is used, as DynamoDB requires.
 */
#ifndef DYN_DYNAMODB_EXPRESSION_H
#define DYN_DYNAMODB_EXPRESSION_H

#include "page.h"
#include "wire.h"

/* The comment of a kind lists the members of DynCond that the kind uses. */
typedef enum DynCondKind
{
	DYN_COND_TRUE,				/* removed by dyn_cond_simplify */
	DYN_COND_FALSE,				/* removed by dyn_cond_simplify */
	DYN_COND_AND,				/* args */
	DYN_COND_OR,				/* args */
	DYN_COND_NOT,				/* args[0] */
	DYN_COND_EQ,				/* EQ to GE: path op path2, or path op
								 * values[0] if path2 is NULL */
	DYN_COND_NE,
	DYN_COND_LT,
	DYN_COND_LE,
	DYN_COND_GT,
	DYN_COND_GE,
	DYN_COND_BETWEEN,			/* path between values[0] and values[1] */
	DYN_COND_IN,				/* path in values[0 .. nvalues-1]; written as
								 * an OR of INs of up to 99 values */
	DYN_COND_BEGINS_WITH,		/* path, values[0] */
	DYN_COND_CONTAINS,			/* path, values[0] */
	DYN_COND_EXISTS,			/* path */
	DYN_COND_NOT_EXISTS,		/* path */
	DYN_COND_IS_TYPE			/* path, type */
} DynCondKind;

typedef struct DynCond DynCond;

struct DynCond
{
	DynCondKind kind;
	const DynPath *path;
	const DynPath *path2;		/* right operand if it is a path, else NULL */
	const DynScalar *values;
	int			nvalues;
	bool		sorted;			/* true if the values of an IN are sorted, and
								 * all have the same type: S, N or B */
	DynType		type;			/* type that IS_TYPE tests for */
	DynCond   **args;
	int			nargs;
	int			slot;			/* slot of the path; set by dyn_cond_bind */
};

/*
 * Removes TRUE and FALSE from the tree, in place, and returns its new root:
 * either a tree without them, or a single TRUE or FALSE node.  Also simplifies
 * NOT NOT x to x, an IN without values to FALSE, and an AND or OR with one
 * argument to this argument.  Conditions are two-valued: callers handle NULLs.
 */
extern DynCond *dyn_cond_simplify(DynCond *cond);

/* Limits of an expression: operators, bytes, values of one IN */
#define DYN_EXPR_MAX_OPERATORS	300
#define DYN_EXPR_MAX_BYTES		4096
#define DYN_EXPR_MAX_IN			99

typedef struct DynTokens DynTokens;

/* Returns an empty set, which the caller frees; NULL if memory runs out. */
extern DynTokens *dyn_tokens_create(void);
extern void dyn_tokens_reset(DynTokens *tokens);
extern void dyn_tokens_free(DynTokens *tokens);

/*
 * Returns true if memory for tokens has run out since the last reset.  If a
 * function below fails, but neither this nor out->out_of_memory is true, then
 * the expression exceeds a limit.
 */
extern bool dyn_tokens_out_of_memory(const DynTokens *tokens);

/*
 * The following functions append an expression.  They return false, and leave
 * *out and *tokens as they were, if memory runs out or if the expression would
 * exceed a limit of DynamoDB: for operators, bytes, the size of all values
 * (2 MB), or the length of a name (1 to 65535 bytes).
 *
 * If `tokens` is NULL, they write text for EXPLAIN and logs.  This text has no
 * placeholders or limits; names are in double quotes unless they are plain
 * words.  On failure, a part of the text stays in *out.  Examples:
 *
 *		year = 2013 AND title BETWEEN "A" AND "M"
 *		SET total = 5, note = "x" REMOVE shipped
 */

/* Appends a condition, which must not be TRUE or FALSE if `tokens` is set. */
extern bool dyn_expr_condition(DynTokens *tokens, const DynCond *cond,
							   DynBuffer *out);

/* A document path, and the value to SET; type ABSENT means REMOVE */
typedef struct DynPathValue
{
	const DynPath *path;
	DynScalar	value;
} DynPathValue;

/*
 * Appends an UpdateExpression: SET for the values, REMOVE for the absent ones.
 * No path may be equal to another path, or a prefix of another path.
 */
extern bool dyn_expr_update(DynTokens *tokens, const DynPathValue *values,
							int n, DynBuffer *out);

/*
 * Appends a ProjectionExpression of the paths.  Each path is truncated before
 * its first list index, because DynamoDB returns a lone tags[2] as if it were
 * tags[0].  Then a path is omitted if it is equal to an earlier path, or
 * inside another path.
 */
extern bool dyn_expr_projection(DynTokens *tokens, const DynPath *paths, int npaths,
								DynBuffer *out);

/*
 * Appends ,"ExpressionAttributeNames":{...},"ExpressionAttributeValues":{...},
 * omitting empty members.
 */
extern bool dyn_tokens_write(const DynTokens *tokens, DynBuffer *out);

/* Appends a path as EXPLAIN shows it. */
extern bool dyn_path_print(const DynPath *path, DynBuffer *out);

/*
 * Appends a fingerprint of the condition.  Two conditions have the same
 * fingerprint only if their trees, names and values are equal.
 */
extern bool dyn_cond_fingerprint(const DynCond *cond, DynBuffer *out);

/*
 * The following functions evaluate a condition on an item as DynamoDB
 * evaluates a filter (developer guide, "Condition and filter expressions").
 * Every condition is true or false.  Values of different types are unequal and
 * have no order; a missing attribute is unequal to everything.
 */

/*
 * Sets the slot of each path in the condition to its position in `paths`.
 * Returns false if `paths` lacks a path of the condition, or if the condition
 * compares two paths (not supported).  A later call replaces the slots.
 */
extern bool dyn_cond_bind(DynCond *cond, const DynPath *paths, int npaths);

/*
 * Returns true if the item with these slots satisfies the condition (after
 * dyn_cond_bind).  Allocates only in the scratch buffer, which must be empty.
 * If memory runs out, scratch->failed is set, and the result is meaningless.
 */
extern bool dyn_item_matches(const DynCond *cond, const DynValue *slots,
							 DynBuffer *scratch);

#endif
