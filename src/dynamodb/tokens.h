/*
 * tokens.h
 *		Adds names and values to the tokens of a request.
 *
 * For the renderer (expression.c) only; other files use expression.h.
 */
#ifndef DYN_DYNAMODB_TOKENS_H
#define DYN_DYNAMODB_TOKENS_H

#include <stddef.h>

#include "expression.h"
#include "wire.h"

/*
 * Returns the number n of the new or existing token #n<n> or :v<n>; -1 if
 * memory runs out, the name is empty or too long for DynamoDB, or all values
 * together are too large for a request.
 */
extern int	dyn_tokens_name(DynTokens *tokens, const char *name, size_t len);
extern int	dyn_tokens_value(DynTokens *tokens, const DynScalar *value);

#endif
