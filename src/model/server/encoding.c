/*
 * encoding.c
 *		Converts text between DynamoDB's UTF-8 and the database's encoding.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "mb/pg_wchar.h"
#include "utils/memutils.h"

#include "encoding.h"

bool
dyn_encoding_differs(void)
{
	return GetDatabaseEncoding() != PG_UTF8 &&
		GetDatabaseEncoding() != PG_SQL_ASCII;
}

/*
 * Converts the text up to the first character that `to` lacks.  Returns the
 * number of converted bytes of `text`.  `dst` must have MAX_CONVERSION_GROWTH
 * bytes for each byte of the text, and one for NUL.
 */
static size_t
convert(int from, int to, const char *text, size_t len, char *dst)
{
	Oid			proc = FindDefaultConversionProc(from, to);

	if (!OidIsValid(proc))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("default conversion function for encoding \"%s\" to \"%s\" does not exist",
						pg_encoding_to_char(from), pg_encoding_to_char(to))));
	return pg_do_encoding_conversion_buf(proc, from, to,
										 (unsigned char *) unconstify(char *, text),
										 (int) len, (unsigned char *) dst,
										 (int) (len * MAX_CONVERSION_GROWTH + 1),
										 true);
}

bool
dyn_value_to_utf8(const char **text, size_t *len)
{
	char	   *dst;

	if (GetDatabaseEncoding() == PG_SQL_ASCII)
		return pg_verify_mbstr(PG_UTF8, *text, (int) *len, true);
	if (!dyn_encoding_differs() || *len == 0)
		return true;
	if (*len >= MaxAllocSize / MAX_CONVERSION_GROWTH)
		return false;
	dst = palloc(*len * MAX_CONVERSION_GROWTH + 1);
	if (convert(GetDatabaseEncoding(), PG_UTF8, *text, *len, dst) < *len)
		return false;
	*text = dst;
	*len = strlen(dst);
	return true;
}

const char *
dyn_to_utf8_len(const char *text, size_t *len)
{
	char	   *converted;

	if (!dyn_encoding_differs())
		return text;
	converted = pg_server_to_any(text, *len, PG_UTF8);
	/* the encodings differ, so only an empty text is returned unconverted */
	if (converted == text)
		return text;
	*len = strlen(converted);
	return converted;
}

const char *
dyn_to_utf8(const char *text)
{
	size_t		len = strlen(text);

	return dyn_to_utf8_len(text, &len);
}

bool
dyn_from_utf8(char **text, size_t *len, const char **why)
{
	char	   *dst;

	if (!dyn_encoding_differs() || *len == 0)
		return true;
	dst = palloc(*len * MAX_CONVERSION_GROWTH + 1);
	if (convert(PG_UTF8, GetDatabaseEncoding(), *text, *len, dst) < *len)
	{
		*why = psprintf("it contains a character that the database's encoding %s does not have",
						GetDatabaseEncodingName());
		return false;
	}
	*text = dst;
	*len = strlen(dst);
	return true;
}

const char *
dyn_from_utf8_lossy(const char *text)
{
	size_t		len = strlen(text);
	char	   *dst;
	size_t		at = 0;
	size_t		used = 0;

	if (!dyn_encoding_differs() || len == 0)
		return text;
	dst = palloc(len * MAX_CONVERSION_GROWTH + 1);
	for (;;)
	{
		at += convert(PG_UTF8, GetDatabaseEncoding(), text + at, len - at,
					  dst + used);
		used += strlen(dst + used);
		if (at >= len)
			break;
		dst[used++] = '?';
		at += Min((size_t) pg_utf_mblen((const unsigned char *) text + at), len - at);
	}
	dst[used] = '\0';
	return dst;
}
