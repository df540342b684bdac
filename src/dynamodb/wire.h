/*
 * wire.h
 *		Writes values and keys for DynamoDB as JSON, compares and prints them.
 */
#ifndef DYN_DYNAMODB_WIRE_H
#define DYN_DYNAMODB_WIRE_H

#include <string.h>

#include "../base/buffer.h"
#include "attrvalue.h"

/*
 * A value to send:
 * - S: UTF-8 text
 * - N: canonical decimal text (base/number.h)
 * - B: raw bytes
 * - BOOL: data is NULL, len 0 or 1; NULL: data is NULL, len 0
 * - SS, NS, BS, L, M (only in writes): JSON as in DynValue, such as ["a"],
 *   [{"S":"a"}] or {"a":{"N":"1"}}
 */
typedef struct DynScalar
{
	DynType		type;
	const char *data;
	size_t		len;
} DynScalar;

/*
 * Returns true if the value of a response is an S or N with the type and bytes
 * of the scalar.  If not, the two may still be equal, in different encodings.
 */
static inline bool
dyn_value_encodes(const DynValue *value, const DynScalar *scalar)
{
	return value->type == scalar->type && value->len == scalar->len &&
		(value->type == DYN_TYPE_N ||
		 (value->type == DYN_TYPE_S && !(value->flags & DYN_VALUE_ESCAPED))) &&
		memcmp(value->data, scalar->data, scalar->len) == 0;
}

/*
 * Append an attribute value, {"S":"..."}, or only its payload, "...".  The
 * first function returns false if memory runs out.
 */
extern bool dyn_wire_scalar(DynBuffer *buf, const DynScalar *value);
extern void dyn_wire_payload(DynBuffer *buf, const DynScalar *value);

/* One attribute of a key */
typedef struct DynKeyPart
{
	const char *name;			/* attribute name (NUL-terminated UTF-8) */
	DynScalar	value;
} DynKeyPart;

/* Appends a key, {"pk":{"S":"a"}}; returns false if memory runs out. */
extern bool dyn_wire_key(DynBuffer *buf, const DynKeyPart *parts, int nparts);

/*
 * Returns true if the key in JSON has exactly the attributes with these
 * distinct names, whatever their values.  Returns false also for other JSON,
 * and if memory runs out, which sets *out_of_memory.
 */
extern bool dyn_wire_key_names(const char *json, size_t len,
							   const char *const *names, int n,
							   bool *out_of_memory);

/*
 * Decodes a scalar of a response.  A value that cannot be used in place is
 * decoded into `scratch`; later reads into `scratch` may move the value.
 * Returns false if the value is invalid or not a scalar, or if memory runs out
 * (scratch->failed).
 */
extern bool dyn_scalar_read(const DynValue *value, DynBuffer *scratch,
							DynScalar *scalar);

/* Compares type and bytes; equal sets, lists and maps may differ in bytes. */
extern bool dyn_scalar_equal(const DynScalar *a, const DynScalar *b);

/*
 * Compares two scalars in the order in which DynamoDB sorts keys (developer
 * guide, "Query"): S and B by unsigned bytes, N by value.  Returns a number
 * <, = or > 0.  Both scalars must have the same type, S, N or B.
 */
extern int	dyn_scalar_compare(const DynScalar *a, const DynScalar *b);

/* Compares two DynScalars like dyn_scalar_compare, for qsort() and bsearch(). */
extern int	dyn_scalar_order(const void *a, const void *b);

/*
 * Appends a value for logs and EXPLAIN: S in double quotes with JSON escapes,
 * N as digits, B as x'..', BOOL as true or false, NULL as null, others as
 * JSON.  A value is truncated after 64 characters, and "..." is appended.
 */
extern bool dyn_scalar_print(DynBuffer *buf, const DynScalar *value);

#endif
