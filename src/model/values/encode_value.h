/*
 * encode_value.h
 *		Encodes SQL values to be stored.
 *
 * encode.c encodes values for comparisons, where a value that no item can
 * have is simply not found.  Here a value is encoded so that it is decoded as
 * the same value, or it is refused.
 */
#ifndef DYN_MODEL_ENCODE_VALUE_H
#define DYN_MODEL_ENCODE_VALUE_H

#include "../../dynamodb/expression.h"
#include "types.h"

typedef struct DynStoreError
{
	int			sqlstate;
	const char *why;			/* reason, which continues "it " (palloc'd or
								 * static) */
	const char *hint;			/* sentence, or NULL */
} DynStoreError;

/*
 * Encodes a value that is not NULL into CurrentMemoryContext.  Returns false
 * with *err set if it cannot be stored.
 */
extern bool dyn_codec_store(DynCodec *codec, Datum value, DynScalar *out,
							DynStoreError *err);

/*
 * Encodes the members of a jsonb object as values of attributes, into
 * CurrentMemoryContext.  Returns their number; -1 with *err set if one of them
 * cannot be stored.
 */
extern int	dyn_store_members(Datum document, DynPathValue **out,
							  DynStoreError *err);

/*
 * Returns true if a value may be stored in several DynamoDB types, so that it
 * does not determine the bytes in the item.
 */
extern bool dyn_codec_is_ambiguous(const DynCodec *codec);

/*
 * Returns the SQLSTATE of an error for a value that is not decoded as it was
 * encoded, and sets *hint to a sentence, or NULL.
 */
extern int	dyn_codec_remedy(const DynCodec *codec, const char **hint);

#endif
