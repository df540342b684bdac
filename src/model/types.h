/*
 * types.h
 *		Between DynamoDB values and PostgreSQL values.
 *
 * A DynCodec knows one column's type and format: it decodes a DynValue into a
 * Datum, encodes a Datum into a DynScalar for a request, and says how values
 * are spelled.  Nothing is ever rounded, cut or replaced: a value that the
 * column's type cannot hold exactly is a mismatch.
 *
 * The spelling is an ingredient of what exact.c judges; nobody else concludes
 * anything from it (test/lint).
 */
#ifndef DYN_MODEL_TYPES_H
#define DYN_MODEL_TYPES_H

#include "datatype/timestamp.h"
#include "fmgr.h"

#include "../dynamodb/attrvalue.h"
#include "../dynamodb/wire.h"
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
	DYN_CODEC_ARRAY,
	DYN_CODEC_INPUT				/* any other type, by its input function */
} DynCodecKind;

/* How the values of a column are spelled in DynamoDB. */
typedef struct DynSpelling
{
	/* one SQL value has one spelling, and one spelling is one value */
	bool		canonical;

	/* DynamoDB sorts the spellings as PostgreSQL the values; texts: given a
	 * collation and an encoding that sort like UTF-8's bytes */
	bool		ordered;

	/* every value of the DynamoDB type is accepted */
	bool		total;
} DynSpelling;

typedef struct DynCodec DynCodec;

struct DynCodec
{
	DynCodecKind kind;
	Oid			typid;			/* as declared (may be a domain) */
	Oid			basetype;
	int32		typmod;			/* of the base type */
	bool		is_domain;
	DynFormat	format;

	/* the one type that values have in DynamoDB; ABSENT if there are several */
	DynType		wire;
	DynSpelling spelling;

	FmgrInfo	input;			/* INPUT; ARRAY never */
	Oid			ioparam;
	DynCodec   *element;		/* ARRAY */
	int16		elemlen;
	bool		elembyval;
	char		elemalign;
	void	   *domain_cache;	/* of domain_check() */
	struct DynDomain *soft_domain;	/* for checks that raise no error */
	MemoryContext context;		/* where the codec lives */
};

/*
 * Sets up a codec in CurrentMemoryContext.  Raises an error if the format does
 * not fit the type.
 */
extern void dyn_codec_init(DynCodec *codec, Oid typid, int32 typmod,
						   const DynFormat *format, const char *column);

/*
 * Decodes a value that is present and not of DynamoDB's NULL type into
 * CurrentMemoryContext.  False if it does not fit, with the reason in *why
 * (palloc'd or static).  `soft` asks that an input function's errors are
 * returned likewise instead of being raised.
 */
extern bool dyn_codec_decode(DynCodec *codec, const DynValue *value, bool soft,
							 Datum *result, const char **why);

/* Are values, or elements, made by an input function? */
extern bool dyn_codec_uses_input(const DynCodec *codec);

/*
 * Checks a domain's constraints, on NULL too.  Raises their errors, or with
 * `soft` returns them likewise.
 */
extern bool dyn_codec_check_domain(DynCodec *codec, Datum value, bool isnull,
								   bool soft, const char **why);

/* What became of a value on its way into a request. */
typedef enum DynEncoded
{
	DYN_ENCODED,				/* *out holds it */
	DYN_ENCODED_NOTHING,		/* no value that fits satisfies the comparison */
	DYN_ENCODED_ANYTHING,		/* every value of the column's type does */
	DYN_ENCODED_UNKNOWN			/* bounds: some do, and none can be left out;
								 * never of a total codec */
} DynEncoded;

/*
 * Can values of SQL type `valuetype` be encoded for comparison with this
 * column?  Decided by type alone, at planning.
 */
extern bool dyn_codec_accepts(const DynCodec *codec, Oid valuetype);

/*
 * Is `column = value` one stored value, as dyn_codec_encode makes it?  If not,
 * it is the interval between two bounds.
 */
extern bool dyn_codec_is_point(const DynCodec *codec);

/*
 * For `column = value`: ENCODED, or NOTHING, also for a value that the column
 * itself could not hold (but for the constraints of its domain).
 */
extern DynEncoded dyn_codec_encode(const DynCodec *codec, Oid valuetype,
								   Datum value, DynScalar *out);

/*
 * For a range bound: `lower` for column > value or >=, with *inclusive telling
 * which; it is set to true where the bound had to be moved outward to a value
 * that exists.
 */
extern DynEncoded dyn_codec_encode_bound(const DynCodec *codec, Oid valuetype,
										 Datum value, bool lower,
										 bool *inclusive, DynScalar *out);

/* A beginning or pattern of texts.  False if no stored text could hold it. */
extern bool dyn_encode_text(Datum value, DynScalar *out);

/*
 * Can the column's type hold the value: a canonical number, a text in the
 * server's encoding, a time?
 */
extern bool dyn_codec_holds_number(const DynCodec *codec, const char *number);
extern bool dyn_codec_holds_text(const DynCodec *codec, const char *text,
								 size_t len);
extern bool dyn_codec_holds_instant(const DynCodec *codec, Timestamp instant);

/* Decodes any value into jsonb, as plain JSON. */
extern bool dyn_value_to_jsonb(const DynValue *value, Datum *result,
							   const char **why);

#endif
