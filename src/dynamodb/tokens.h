/*
 * tokens.h
 *		Entering names and values into the tokens of a request.
 *
 * For the renderer (expression.c) alone; everybody else sees DynTokens through
 * expression.h.
 */
#ifndef DYN_DYNAMODB_TOKENS_H
#define DYN_DYNAMODB_TOKENS_H

#include <stddef.h>

#include "expression.h"
#include "wire.h"

/*
 * The number n of the token #n<n> or :v<n>, new or known.  -1 if memory
 * fails, the name is empty or longer than DynamoDB takes, or the values
 * together are too large for a request.
 */
extern int	dyn_tokens_name(DynTokens *tokens, const char *name, size_t len);
extern int	dyn_tokens_value(DynTokens *tokens, const DynScalar *value);

#endif
