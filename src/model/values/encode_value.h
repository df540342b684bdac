/*
 * encode_value.h
 *		Encodes SQL values to be stored.
 *
 * encode.c encodes values for comparisons, where a value that no item can have
 * selects nothing.  Here, a value is rejected unless its encoding is decoded
 * as the same value.
 */
#ifndef DYN_MODEL_ENCODE_VALUE_H
#define DYN_MODEL_ENCODE_VALUE_H

#include "../../dynamodb/expression.h"
#include "types.h"

typedef struct DynStoreError
{
	int			sqlstate;
	const char *why;			/* reason, such as "it is empty" (palloc'd or
								 * static) */
	const char *hint;			/* sentence, or NULL */
} DynStoreError;

/*
 * Encodes a value, which must not be NULL, into CurrentMemoryContext.  Returns
 * false with *err set if the value cannot be stored.
 */
extern bool dyn_codec_store(DynCodec *codec, Datum value, DynScalar *out,
							DynStoreError *err);

/*
 * Encodes the members of a jsonb object as values of attributes, into
 * CurrentMemoryContext.  Returns their number; -1 with *err set if one of them
 * cannot be stored, or `document` is not an object.
 */
extern int	dyn_store_members(Datum document, DynPathValue **out,
							  DynStoreError *err);

/*
 * Returns the SQLSTATE of the error for a value that would be decoded as
 * another value, and sets *hint to a sentence, or NULL.
 */
extern int	dyn_codec_remedy(const DynCodec *codec, const char **hint);

#endif
