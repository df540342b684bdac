/*
 * capacity.c
 *		Decides which values a column's type can hold, by integer ranges and
 *		typmods.
 *
 * Decoding rejects a value that the type cannot hold, and encoding builds no
 * condition from it.  An item selected by an equality can therefore always be
 * decoded.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "types.h"

/*
 * Agrees with the decoders of these kinds; for types of key attributes only.
 */
bool
dyn_codec_holds_type(const DynCodec *codec, DynType type)
{
	Assert(type == DYN_TYPE_S || type == DYN_TYPE_N || type == DYN_TYPE_B);
	if (codec->wire != DYN_TYPE_ABSENT)
		return codec->wire == type;
	return codec->kind == DYN_CODEC_BOOL ? type != DYN_TYPE_B
		: codec->kind != DYN_CODEC_ARRAY;
}

/* varchar(n), char(n): at most n characters. */
bool
dyn_codec_holds_length(const DynCodec *codec, const char *text, size_t len)
{
	Assert(codec->typmod >= (int32) VARHDRSZ);
	return pg_mbstrlen_with_len(text, len) <= codec->typmod - VARHDRSZ;
}

/* True if the canonical number is in the range of the integer type. */
static bool
is_in_integer_type(const DynCodecFacts *facts, const char *text)
{
	int64		number;

	if (strchr(text, '.') != NULL)
		return false;
	errno = 0;
	number = strtoll(text, NULL, 10);
	return errno == 0 && number >= facts->least && number <= facts->most;
}

/*
 * Returns the number of digits after the decimal point of a canonical number.
 */
static int
fraction_digits(const char *text)
{
	const char *point = strchr(text, '.');

	return point ? (int) strlen(point + 1) : 0;
}

/*
 * Returns the number of digits before the decimal point; for a fraction, minus
 * the number of leading zeros after the point.
 */
static int
leading_digits(const char *text)
{
	text += (*text == '-');
	return *text != '0' ? (int) strcspn(text, ".")
		: -(int) strspn(text + 2, "0");
}

/* Returns the number of trailing zeros of a canonical integer. */
static int
trailing_zeros(const char *text)
{
	int			n = 0;

	for (size_t i = strlen(text); i > 0 && text[i - 1] == '0'; i--)
		n++;
	return n;
}

/* numeric(p,s): without rounding, and with at most p digits. */
bool
dyn_codec_holds_number(const DynCodec *codec, const char *text)
{
	int32		typmod = codec->typmod - VARHDRSZ;
	int			precision = (typmod >> 16) & 0xffff;
	int			scale = ((typmod & 0x7ff) ^ 1024) - 1024;

	if (codec->kind != DYN_CODEC_NUMERIC)
		return is_in_integer_type(&dyn_codec_facts[codec->kind], text);
	if (codec->typmod < 0 || strcmp(text, "0") == 0)
		return true;
	return fraction_digits(text) <= Max(scale, 0) &&
		leading_digits(text) <= precision - scale &&
		(scale >= 0 || trailing_zeros(text) >= -scale);
}

/* timestamp(p): at most p fractional digits. */
bool
dyn_codec_holds_instant(const DynCodec *codec, Timestamp instant)
{
	int64		unit = 1;

	if (codec->kind == DYN_CODEC_DATE || codec->typmod < 0)
		return true;
	for (int i = codec->typmod; i < 6; i++)
		unit *= 10;
	return instant % unit == 0;
}
