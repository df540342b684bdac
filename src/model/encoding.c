/*
 * encoding.c
 *		Converts text between DynamoDB's UTF-8 and the database's encoding.
 *
 * The server's own conversion raises an error for a character that the
 * encoding lacks; here that is a value which does not fit, or in a message a
 * question mark.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "mb/pg_wchar.h"

#include "encoding.h"

bool
dyn_encoding_differs(void)
{
	return GetDatabaseEncoding() != PG_UTF8 &&
		GetDatabaseEncoding() != PG_SQL_ASCII;
}

const char *
dyn_to_utf8_len(const char *text, size_t *len)
{
	char	   *converted;

	if (!dyn_encoding_differs())
		return text;
	converted = pg_server_to_any(text, *len, PG_UTF8);
	if (converted == text)
		return text;			/* empty: nothing was done */
	*len = strlen(converted);
	return converted;
}

const char *
dyn_to_utf8(const char *text)
{
	size_t		len = strlen(text);

	return dyn_to_utf8_len(text, &len);
}

static Oid
conversion_from_utf8(void)
{
	Oid			proc = FindDefaultConversionProc(PG_UTF8, GetDatabaseEncoding());

	if (!OidIsValid(proc))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("default conversion function for encoding \"UTF8\" to \"%s\" does not exist",
						GetDatabaseEncodingName())));
	return proc;
}

/* Converts as far as it goes; returns the bytes of `text` that were taken. */
static size_t
convert(const char *text, size_t len, char *dst)
{
	return pg_do_encoding_conversion_buf(conversion_from_utf8(), PG_UTF8,
										 GetDatabaseEncoding(),
										 (unsigned char *) unconstify(char *, text),
										 (int) len, (unsigned char *) dst,
										 (int) (len * MAX_CONVERSION_GROWTH + 1),
										 true);
}

bool
dyn_from_utf8(char **text, size_t *len, const char **why)
{
	char	   *dst;

	if (!dyn_encoding_differs() || *len == 0)
		return true;
	dst = palloc(*len * MAX_CONVERSION_GROWTH + 1);
	if (convert(*text, *len, dst) < *len)
	{
		*why = psprintf("it holds a character that the database's encoding %s lacks",
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
		at += convert(text + at, len - at, dst + used);
		used += strlen(dst + used);
		if (at >= len)
			break;
		dst[used++] = '?';
		at += Min((size_t) pg_utf_mblen((const unsigned char *) text + at), len - at);
	}
	dst[used] = '\0';
	return dst;
}
