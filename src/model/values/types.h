/*
 * types.h
 *		Converts between DynamoDB values and PostgreSQL values.
 *
 * A DynCodec, which has a column's type and format, decodes a DynValue into a
 * Datum and encodes a Datum into a DynScalar.  A value that the column's type
 * cannot hold exactly is a mismatch.  Only real and double precision round, and
 * only a few formats drop digits (dyn_format_truncates, ulid).
 *
 * For a value that no item can have, a condition selects nothing
 * (dyn_codec_encode), and a write raises an error (dyn_codec_store).
 */
#ifndef DYN_MODEL_TYPES_H
#define DYN_MODEL_TYPES_H

#include "datatype/timestamp.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"

#include "../../dynamodb/attrvalue.h"
#include "../../dynamodb/expression.h"
#include "../../dynamodb/names.h"
#include "../../dynamodb/wire.h"
#include "format.h"

/*
 * The order matters: code tests the ranges INT2 to INT8, INT2 to NUMERIC, INT2
 * to FLOAT8, UUID to FLOAT8, and DATE to TIMESTAMPTZ.
 *
 * A new kind needs entries in the tables of types.c, decode.c and
 * encode_value.c, which have no defaults.  If conditions on the kind are sent,
 * it also needs a case in dyn_codec_accepts, dyn_codec_encode and
 * dyn_codec_encode_bound.  Other directories test few kinds (grep DYN_CODEC_).
 */
typedef enum DynCodecKind
{
	DYN_CODEC_TEXT,				/* text, varchar */
	DYN_CODEC_BPCHAR,
	DYN_CODEC_UUID,
	DYN_CODEC_INT2,
	DYN_CODEC_INT4,
	DYN_CODEC_INT8,
	DYN_CODEC_NUMERIC,
	DYN_CODEC_FLOAT4,
	DYN_CODEC_FLOAT8,
	DYN_CODEC_BOOL,
	DYN_CODEC_BYTEA,
	DYN_CODEC_DATE,
	DYN_CODEC_TIMESTAMP,
	DYN_CODEC_TIMESTAMPTZ,
	DYN_CODEC_JSON,
	DYN_CODEC_JSONB,
	DYN_CODEC_JSON_TEXT,		/* jsonb, as JSON text */
	DYN_CODEC_ARRAY,
	DYN_CODEC_INPUT				/* any other type, with its input and output
								 * functions; no condition on it is sent */
} DynCodecKind;

/*
 * Order in which DynamoDB sorts encoded values.  For text types, it holds only
 * if the collation and the database's encoding sort by the bytes of UTF-8.
 */
typedef enum DynSorting
{
	DYN_UNSORTED,				/* DynamoDB does not sort the encodings in the
								 * order of the values */
	DYN_SORTED_ROUGHLY,			/* a range of values can be requested as one
								 * interval of encodings, which may contain
								 * encodings of values outside of the range */
	DYN_SORTED					/* as PostgreSQL sorts the values; the
								 * encodings of one value are adjacent */
} DynSorting;

/*
 * Properties of the representation of values in DynamoDB.  Outside of this
 * directory, only exact.c uses them (test/lint checks this).
 */
typedef struct DynEncoding
{
	bool		canonical;		/* true if a value has only one encoding */
	DynSorting	sorting;
	bool		total;			/* true if every value of the DynamoDB type
								 * can be decoded */
} DynEncoding;

/* Facts about a kind of codec; a format may override `wire` and `encoding`. */
typedef struct DynCodecFacts
{
	DynType		wire;			/* DynamoDB type; ABSENT if there are several */
	DynEncoding encoding;
	bool		may_be_empty;	/* true if a value or its encoding may be '' */
	bool		instant;		/* true for dates and times */
	const char *charset;		/* characters that encodings use, or NULL */
	int			width;			/* length of all encodings; 0 if it varies */
	int64		least;			/* least value of an integer kind, else 0 */
	int64		most;			/* greatest value of an integer kind, else 0 */
} DynCodecFacts;

extern const DynCodecFacts dyn_codec_facts[];

/* The members of a map to decode into jsonb; NULL fields restrict nothing */
typedef struct DynMembers
{
	const DynNames *without;	/* excluded members */
	const DynNames *only;		/* the only included members */
} DynMembers;

typedef struct DynCodec
{
	DynCodecKind kind;
	Oid			typid;			/* type as declared (may be a domain) */
	Oid			basetype;
	int32		typmod;			/* typmod of the base type */
	bool		is_domain;
	DynFormat	format;
	DynType		wire;			/* DynamoDB type; ABSENT if there are several */
	DynEncoding encoding;
	FmgrInfo	input;			/* input function; set for the kinds INPUT,
								 * BPCHAR and JSON_TEXT, and for the format
								 * 'string' */
	FmgrInfo	output;			/* output function; set for the kind INPUT when
								 * a value is first stored */
	Oid			ioparam;
	DynMembers	members;		/* restriction of a map's members (JSONB) */
	struct DynCodec *element;	/* codec of the elements (ARRAY), or NULL */
	void	   *domain_cache;	/* cache of domain_check() */
	struct DynDomain *soft_domain;	/* domain for checks that raise no error */
	MemoryContext context;		/* context that owns the codec */
} DynCodec;

static inline bool
dyn_codec_is_integer(const DynCodec *codec)
{
	return dyn_codec_facts[codec->kind].most > 0;
}

static inline bool
dyn_codec_is_instant(const DynCodec *codec)
{
	return dyn_codec_facts[codec->kind].instant;
}

/*
 * Returns true if the codec's format truncates a time to a unit, such as a day.
 * Such a codec can encode values, but not decode them.
 */
static inline bool
dyn_codec_truncates(const DynCodec *codec)
{
	return codec->format.kind == DYN_FORMAT_TRUNC;
}

/*
 * Sets up a codec in CurrentMemoryContext.  Raises an error, with the name of
 * the column, if the format does not apply to the type.
 */
extern void dyn_codec_init(DynCodec *codec, Oid typid, int32 typmod,
						   const DynFormat *format, const char *column);

/*
 * Sets a configuration parameter for an input or output function.  The caller
 * has called NewGUCNestLevel(), and restores the parameter by AtEOXact_GUC().
 */
extern void dyn_set_parameter(const char *name, const char *value);

/*
 * Decodes a value, which is neither absent nor of DynamoDB's type NULL, into
 * CurrentMemoryContext.  Returns false if the column cannot hold the value,
 * with the reason in *why (palloc'd or static).  Without `soft`, may raise an
 * error instead, if an input function or a domain rejects the value.
 */
extern bool dyn_codec_decode(DynCodec *codec, const DynValue *value, bool soft,
							 Datum *result, const char **why);

/* Returns the Datum of an integer, which must be in the range of the codec. */
extern Datum dyn_codec_integer(const DynCodec *codec, int64 number);

/* Returns true if the value can be decoded; else sets *why to the reason. */
extern bool dyn_codec_holds(DynCodec *codec, const DynValue *value,
							const char **why);

/* Returns true if the column can hold some value of this type: S, N or B. */
extern bool dyn_codec_holds_type(const DynCodec *codec, DynType type);

/*
 * Returns true if the codec, or its element codec, uses an input function whose
 * errors can only be caught in a subtransaction (dyn_input_is_soft).
 */
extern bool dyn_codec_has_hard_input(const DynCodec *codec);

/* Returns true if a conversion could call user-defined functions. */
extern bool dyn_codec_runs_user_code(const DynCodec *codec);

/*
 * Checks a domain's constraints, even for NULL.  If the value violates one,
 * raises an error or, with `soft`, returns false with the reason in *why.
 */
extern bool dyn_codec_check_domain(DynCodec *codec, Datum value, bool isnull,
								   bool soft, const char **why);

typedef enum DynEncoded
{
	DYN_ENCODED,				/* *out is the encoded value */
	DYN_ENCODED_NOTHING,		/* the comparison is true for no value */
	DYN_ENCODED_ANYTHING,		/* the comparison is true for every value of
								 * the column's type */
	DYN_ENCODED_UNKNOWN			/* the comparison is true for some values, but
								 * no request can express its bound; returned
								 * only if the codec is not `total` */
} DynEncoded;

/* Limit below which each integer has its own double precision value. */
#define DYN_EXACT_DOUBLES	9007199254740992.0

/*
 * Returns true if values of SQL type `valuetype` can be encoded for comparison
 * with this column.  For a bigint or numeric column, a double can only be a
 * bound, because the comparison may round several column values to it.
 */
extern bool dyn_codec_accepts(const DynCodec *codec, Oid valuetype);

/*
 * Returns true if `column = value` selects one stored value, which
 * dyn_codec_encode returns.  Otherwise the comparison selects an interval
 * between two bounds.
 */
static inline bool
dyn_codec_is_point(const DynCodec *codec)
{
	return codec->encoding.canonical;
}

/* Encodes a prefix or pattern; returns false if no item can contain it. */
extern bool dyn_encode_text(Datum value, DynScalar *out);

/*
 * Encodes the value of `column = value`.  Returns ENCODED, or NOTHING if the
 * column cannot hold the value.  Does not check the constraints of a domain.
 */
extern DynEncoded dyn_codec_encode(const DynCodec *codec, Oid valuetype,
								   Datum value, DynScalar *out);

/*
 * Encodes a range bound.  `lower` is true for > and >=.  *inclusive is true
 * for >= and <=, and is updated if the bound is replaced by another value.
 */
extern DynEncoded dyn_codec_encode_bound(const DynCodec *codec, Oid valuetype,
										 Datum value, bool lower,
										 bool *inclusive, DynScalar *out);

typedef struct DynStoreError
{
	int			sqlstate;
	const char *why;			/* reason, such as "it is empty" (palloc'd or
								 * static) */
	const char *hint;			/* sentence, or NULL */
} DynStoreError;

/*
 * Encodes a value, which must not be NULL, to be stored.  Returns false with
 * *err set if it cannot be stored, or would be decoded as another value.
 */
extern bool dyn_codec_store(DynCodec *codec, Datum value, DynScalar *out,
							DynStoreError *err);

/*
 * Encodes the members of a jsonb object as values of attributes.  Returns the
 * number of members; -1 with *err set if a member cannot be stored, or
 * `document` is not an object.
 */
extern int	dyn_store_members(Datum document, DynPathValue **out,
							  DynStoreError *err);

/*
 * Returns the SQLSTATE of the error for a value that cannot be stored because
 * it would be decoded as another value.  Sets *hint to a sentence, or NULL.
 */
extern int	dyn_codec_remedy(const DynCodec *codec, const char **hint);

/* ---- elements of arrays ---- */

typedef struct DynArrayElements
{
	int			n;
	Datum	   *values;
	bool	   *nulls;
} DynArrayElements;

/*
 * Returns the elements of an array of any type and dimensions, in storage
 * order.  Allocates in CurrentMemoryContext; values passed by reference point
 * into the array, or into a detoasted copy.
 */
extern DynArrayElements dyn_array_elements(Datum array);

/* Returns a one-dimensional array of elements of `type`. */
extern Datum dyn_array_of_elements(const DynArrayElements *elements, Oid type);

/* ---- for the files of this directory ---- */

/* Returns the decimal text of a number of any type. */
extern char *dyn_number_out(Oid valuetype, Datum value);

/* Returns true for a uuid as PostgreSQL prints it. */
extern bool dyn_is_plain_uuid(const char *text, size_t len);

extern DynScalar dyn_bool_scalar(const DynCodec *codec, bool flag);

/*
 * Computes the instant of a date/time value.  Returns false if it is infinite;
 * dates later than every timestamp count as infinite.
 */
extern bool dyn_value_instant(const DynCodec *codec, Datum value, Timestamp *instant);

/*
 * Prints an encoding of an instant into `dst`, which has DYN_INSTANT_BUFSIZE
 * bytes: the encoding that sorts first or, with `last`, the one that sorts
 * last.  Returns false if the codec's format cannot represent the instant.
 */
extern bool dyn_instant_text(const DynCodec *codec, Timestamp instant, bool last,
							 char *dst);

/* Returns true if stored times may have any ISO 8601 form (SORTED_ROUGHLY). */
extern bool dyn_codec_is_lenient(const DynCodec *codec);

/*
 * These functions return true if the column's type can hold the value: a
 * canonical number, a time, or text in the database's encoding.  The check of
 * text is inline, because it runs for each text that is decoded.
 */
extern bool dyn_codec_holds_number(const DynCodec *codec, const char *number);
extern bool dyn_codec_holds_instant(const DynCodec *codec, Timestamp instant);

static inline bool
dyn_codec_holds_text(const DynCodec *codec, const char *text, size_t len)
{
	return codec->typmod < (int32) VARHDRSZ ||
		pg_mbstrlen_with_len(text, len) <= codec->typmod - VARHDRSZ;
}

/* Decodes a value into jsonb; `members` restricts the members of a map. */
extern bool dyn_value_to_jsonb(const DynValue *value, const DynMembers *members,
							   Datum *result, const char **why);

#endif
