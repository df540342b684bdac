/*
 * attrvalue.h
 *		Attribute values as slices of the response, and functions to read them.
 *
 * The page parser has validated the values, except the base64 of a B and the
 * range of an N.  elements.h reads the values in lists, maps and sets.
 */
#ifndef DYN_DYNAMODB_ATTRVALUE_H
#define DYN_DYNAMODB_ATTRVALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum DynType
{
	DYN_TYPE_ABSENT = 0,		/* the item has no value at the path */
	DYN_TYPE_S,
	DYN_TYPE_N,
	DYN_TYPE_B,
	DYN_TYPE_BOOL,
	DYN_TYPE_NULL,
	DYN_TYPE_SS,
	DYN_TYPE_NS,
	DYN_TYPE_BS,
	DYN_TYPE_L,
	DYN_TYPE_M
} DynType;

#define DYN_TYPE_COUNT 11

#define DYN_VALUE_ESCAPED	0x01	/* S or B whose slice has JSON escapes */
#define DYN_VALUE_HAS_NUL	0x02	/* S, SS, L or M that contains U+0000 */
#define DYN_VALUE_TRUE		0x04	/* BOOL that is true */

/*
 * An attribute value, or a value inside one.  The slice (`data`, `len`) of an
 * S, N or B is the text between the quotes (S still escaped, B in base64).
 * The slice of an SS, NS, BS, L or M is the JSON array or object with its
 * brackets.  All other slices are empty.
 */
typedef struct DynValue
{
	const char *data;
	uint32_t	len;
	uint8_t		type;			/* DynType */
	uint8_t		flags;
} DynValue;

/* Returns the type tag: "S", "N" and so on; "absent" for DYN_TYPE_ABSENT. */
extern const char *dyn_type_name(DynType type);

/* Returns the type with this tag; ABSENT for any other text. */
extern DynType dyn_type_of_name(const char *name, size_t len);

static inline DynType
dyn_element_type(DynType set)
{
	return DYN_TYPE_S + (set - DYN_TYPE_SS);
}

/*
 * Writes an S or a name to `dst`, with JSON escapes decoded.  `dst` needs
 * value->len bytes.  Returns the number of bytes written.
 */
extern size_t dyn_value_text(const DynValue *value, char *dst);

/*
 * Writes the bytes of a B to `dst`, which needs dyn_value_bytes_max(value)
 * bytes.  Returns the number of bytes written, or -1 for invalid base64.
 */
extern size_t dyn_value_bytes_max(const DynValue *value);
extern long dyn_value_bytes(const DynValue *value, unsigned char *dst);

#define DYN_MAX_DEPTH	100		/* maximum depth of nested L and M */

#endif
