/*
 * types.h
 *		Converts between DynamoDB values and PostgreSQL values.
 *
 * A DynCodec has a column's type and format.  It decodes a DynValue into a
 * Datum, encodes a Datum into a DynScalar for a request, and describes the
 * spelling of values.  Values are never rounded, truncated or replaced: a
 * value that the column's type cannot hold exactly is a mismatch.
 *
 * Only exact.c uses the spelling (test/lint).
 */
#ifndef DYN_MODEL_TYPES_H
#define DYN_MODEL_TYPES_H

#include "datatype/timestamp.h"
#include "fmgr.h"

#include "../../dynamodb/attrvalue.h"
#include "../../dynamodb/names.h"
#include "../../dynamodb/wire.h"
#include "format.h"

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
	DYN_CODEC_INPUT				/* any other type, by its input function */
} DynCodecKind;

/*
 * How DynamoDB sorts spellings; for texts, if collation and encoding sort like
 * the bytes of UTF-8.
 */
typedef enum DynSorting
{
	DYN_UNSORTED,				/* in no order of values */
	DYN_SORTED_ROUGHLY,			/* those of an interval of values are between
								 * two bounds, others too */
	DYN_SORTED					/* as PostgreSQL sorts the values; those of one
								 * value are neighbours */
} DynSorting;

/* Properties of the representation of values in DynamoDB. */
typedef struct DynEncoding
{
	/* each SQL value has one spelling, and each spelling one value */
	bool		canonical;

	DynSorting	sorting;

	/* every value of the DynamoDB type is accepted */
	bool		total;
} DynEncoding;

/* What is known of the values of each kind, whatever their type and format. */
typedef struct DynCodecFacts
{
	DynType		wire;			/* without a format; and its spelling */
	DynEncoding encoding;
	bool		may_be_empty;	/* '' is a value, or the spelling of one */
	bool		instant;		/* dates and times */
	int64		least;			/* an integer: from least to most; else 0, 0 */
	int64		most;
} DynCodecFacts;

extern const DynCodecFacts dyn_codec_facts[];

/* Which members of a map become a document; NULL: these make no difference. */
typedef struct DynMembers
{
	const DynNames *without;	/* not these */
	const DynNames *only;		/* none but these */
} DynMembers;

typedef struct DynCodec DynCodec;

struct DynCodec
{
	DynCodecKind kind;
	Oid			typid;			/* as declared (may be a domain) */
	Oid			basetype;
	int32		typmod;			/* of the base type */
	bool		is_domain;
	DynFormat	format;

	/* the DynamoDB type of values; ABSENT if there are several */
	DynType		wire;
	DynEncoding encoding;

	FmgrInfo	input;			/* INPUT, BPCHAR, JSON_TEXT */
	Oid			ioparam;
	DynMembers	members;		/* JSONB: of a map */
	DynCodec   *element;		/* ARRAY */
	void	   *domain_cache;	/* of domain_check() */
	struct DynDomain *soft_domain;	/* for checks that raise no error */
	MemoryContext context;		/* of the codec */
};

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
 * Sets up a codec in CurrentMemoryContext.  Raises an error if the format does
 * not fit the type.
 */
extern void dyn_codec_init(DynCodec *codec, Oid typid, int32 typmod,
						   const DynFormat *format, const char *column);

/*
 * Decodes a value that is present and not of DynamoDB's NULL type into
 * CurrentMemoryContext.  Returns false if it does not fit, with the reason in
 * *why (palloc'd or static).  With `soft`, errors of an input function are
 * also returned and not raised.
 */
extern bool dyn_codec_decode(DynCodec *codec, const DynValue *value, bool soft,
							 Datum *result, const char **why);

/* Can the value be decoded?  If not, with the reason in *why. */
extern bool dyn_codec_holds(DynCodec *codec, const DynValue *value,
							const char **why);

/* Does the codec, or its element codec, use an input function? */
extern bool dyn_codec_uses_input(const DynCodec *codec);

/*
 * Checks a domain's constraints, also for NULL.  Raises their errors, or with
 * `soft` returns them as above.
 */
extern bool dyn_codec_check_domain(DynCodec *codec, Datum value, bool isnull,
								   bool soft, const char **why);

/* The result of encoding a value for a request. */
typedef enum DynEncoded
{
	DYN_ENCODED,				/* *out holds it */
	DYN_ENCODED_NOTHING,		/* the comparison is true for no value */
	DYN_ENCODED_ANYTHING,		/* ... for every value of the column's type */
	DYN_ENCODED_UNKNOWN			/* bounds: for some values, but no request can
								 * exclude others; never of a total codec */
} DynEncoded;

/* Below, each integer is one value of double precision. */
#define DYN_EXACT_DOUBLES	9007199254740992.0

/*
 * Can values of SQL type `valuetype` be encoded for comparison with this
 * column?  Depends on the type only; used during planning.
 *
 * A double precision value that a bigint or numeric column is converted to may
 * stand for several of its values: there are bounds for it, but no equality.
 */
extern bool dyn_codec_accepts(const DynCodec *codec, Oid valuetype);

/*
 * Is `column = value` a comparison with one stored value, by dyn_codec_encode?
 * If not, it is an interval between two bounds.
 */
extern bool dyn_codec_is_point(const DynCodec *codec);

/*
 * For `column = value`: ENCODED, or NOTHING if the column cannot hold the
 * value (the constraints of its domain are not checked).
 */
extern DynEncoded dyn_codec_encode(const DynCodec *codec, Oid valuetype,
								   Datum value, DynScalar *out);

/*
 * For a range bound: `lower` for column > value or >=, where *inclusive
 * distinguishes the two.  It is changed if the bound is moved to a value that
 * exists.
 */
extern DynEncoded dyn_codec_encode_bound(const DynCodec *codec, Oid valuetype,
										 Datum value, bool lower,
										 bool *inclusive, DynScalar *out);

/*
 * Encodes a prefix or pattern.  Returns false if no stored text can contain
 * it.
 */
extern bool dyn_encode_text(Datum value, DynScalar *out);

/*
 * Can the column's type hold the value: a canonical number, a text in the
 * server's encoding, a time?
 */
extern bool dyn_codec_holds_number(const DynCodec *codec, const char *number);
extern bool dyn_codec_holds_instant(const DynCodec *codec, Timestamp instant);
extern bool dyn_codec_holds_length(const DynCodec *codec, const char *text,
								   size_t len);

/* Are there values of this DynamoDB type that the column's type can hold? */
extern bool dyn_codec_holds_type(const DynCodec *codec, DynType type);

static inline bool
dyn_codec_holds_text(const DynCodec *codec, const char *text, size_t len)
{
	return codec->typmod < (int32) VARHDRSZ ||
		dyn_codec_holds_length(codec, text, len);
}

/*
 * Decodes any value into jsonb, as plain JSON; `encoded` says that the
 * database's encoding differs from UTF-8.  A map has those members, as if it
 * had no others.  Returns false with a reason in *why if it cannot be jsonb.
 */
extern bool dyn_value_to_jsonb(const DynValue *value, const DynMembers *members,
							   bool encoded, Datum *result, const char **why);

#endif
