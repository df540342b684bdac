/*
 * format.h
 *		The column option "format": the representation of a value in DynamoDB.
 *
 *	iso8601				any ISO 8601 text in S (date/time columns)
 *	iso8601(n)			text with exactly n fractional digits and the suffix Z
 *	iso8601(n,suffix)	text with another suffix, which may be empty
 *	epoch, epoch_ms, epoch_us	N, time since 1970 in UTC (date/time columns)
 *	epoch(n)			epoch, with at most n instead of 6 fractional digits
 *	pattern(...)		fields of fixed width in S (datetime.h)
 *	ulid				the time of a ULID in S (timestamptz columns)
 *	epoch_days			N, days since 1970-01-01 (date columns)
 *	string				a number or uuid as text in S
 *	padded(n)			a non-negative integer in S, of exactly n digits
 *	base64				bytea in S
 *	json				jsonb as JSON text in S
 *	bool(t,f)			a boolean stored as t or f, in N if both are numbers,
 *						otherwise in S
 *	set, list			an array, written as a set or list, read from either
 *
 * Placeholders of templates have further formats, which truncate a time to the
 * unit that contains it, in UTC or in a time zone:
 *
 *	year, month, day, hour, each also with a zone: day(Europe/Berlin)
 *	trunc(pattern), trunc(pattern,zone)
 */
#ifndef DYN_MODEL_FORMAT_H
#define DYN_MODEL_FORMAT_H

typedef enum DynFormatKind
{
	DYN_FORMAT_NONE,
	DYN_FORMAT_ISO8601,
	DYN_FORMAT_PATTERN,			/* pattern(...), iso8601(n) */
	DYN_FORMAT_ULID,
	DYN_FORMAT_EPOCH,
	DYN_FORMAT_EPOCH_MS,
	DYN_FORMAT_EPOCH_US,
	DYN_FORMAT_EPOCH_DAYS,
	DYN_FORMAT_STRING,
	DYN_FORMAT_PADDED,
	DYN_FORMAT_DIGITS,			/* integer in S, as SQL prints it; the default
								 * for placeholders of integer columns */
	DYN_FORMAT_TRUNC,			/* year, month, ..., trunc(pattern): only in
								 * templates */
	DYN_FORMAT_BASE64,
	DYN_FORMAT_JSON,
	DYN_FORMAT_BOOL,
	DYN_FORMAT_SET,
	DYN_FORMAT_LIST
} DynFormatKind;

typedef struct DynFormat
{
	DynFormatKind kind;
	const char *text;			/* the option's text, for messages; NULL if the
								 * user has set no format */
	int			digits;			/* number of fractional digits, 0 .. 9 (EPOCH,
								 * iso8601(n)), or of all digits (PADDED) */
	const struct DynPattern *pattern;	/* pattern (PATTERN, TRUNC).  With
										 * NONE, the pattern that a template
										 * uses for a date column; else NULL */
	struct pg_tz *zone;			/* time zone; NULL: UTC (TRUNC) */
	const char *true_text;		/* text of true in UTF-8 (BOOL) */
	const char *false_text;
	bool numeric;				/* BOOL: true if encoded as a number (N) */
} DynFormat;

/*
 * Returns true if decoding truncates times to the microsecond.  Then several
 * encodings, which are adjacent in sort order, represent one time.
 */
static inline bool
dyn_format_truncates(const DynFormat *format)
{
	return (format->kind == DYN_FORMAT_PATTERN ||
			format->kind == DYN_FORMAT_EPOCH) && format->digits > 6;
}

/* Returns true if the text begins with year, month, day, hour or trunc. */
extern bool dyn_format_is_trunc(const char *text);

/*
 * Parses a format into CurrentMemoryContext; returns false with a hint in *why
 * if it is invalid.  `text` and format->text are in the database's encoding,
 * other strings are in UTF-8.  `part` is true for a placeholder's format.
 */
extern bool dyn_format_parse(const char *text, bool part, DynFormat *format,
							 const char **why);

#endif
