/*
 * pattern.h
 *		Parses date/time patterns of fixed width, and prints and scans times:
 *		the formats pattern(...) and iso8601(n).
 *
 * A pattern consists of fields, named as in to_char, and of literals.  Fields
 * are YYYY, MM, DD, HH24, MI, SS, and MS or US (the digits after the decimal
 * point of a second).  Letters in literals must be in double quotes; within
 * the quotes, a backslash escapes a double quote or a backslash.
 *
 * Every field has a fixed width.  A pattern contains its smallest field and
 * all larger ones exactly once.  Every string that matches the pattern
 * therefore represents one time: the start of a unit of the smallest field,
 * such as a day.
 *
 * Times are instants as in datetime.h, in UTC.
 */
#ifndef DYN_MODEL_PATTERN_H
#define DYN_MODEL_PATTERN_H

#include "datatype/timestamp.h"

typedef struct DynPattern DynPattern;

/* Parses a pattern in UTF-8; returns NULL with a hint in *why if invalid. */
extern DynPattern *dyn_pattern_parse(const char *text, const char **why);

/* Scanning drops all digits after the sixth. */
extern DynPattern *dyn_pattern_of_iso8601(int digits, const char *suffix);

/* Returns true if printed times sort in the order of the times. */
extern bool dyn_pattern_is_ordered(const DynPattern *pattern);

/* Returns the least length (us) of a unit of the smallest field. */
extern int64 dyn_pattern_unit(const DynPattern *pattern);

/* Scans a time; returns false if `text` does not match the pattern. */
extern bool dyn_pattern_scan(const DynPattern *pattern, const char *text,
							 size_t len, Timestamp *result);

/*
 * Prints the instant into `dst`, which has DYN_INSTANT_BUFSIZE bytes.  If
 * several strings represent the instant, prints the first or (`last`) the last
 * one in sort order.  Returns false if the pattern cannot represent the
 * instant.
 */
extern bool dyn_pattern_print(const DynPattern *pattern, Timestamp instant,
							  bool last, char *dst);

/*
 * Rounds an instant down or (`up`) up to the start of a unit of the smallest
 * field.  The year of the result may be outside the pattern's range.
 */
extern Timestamp dyn_pattern_round(const DynPattern *pattern, Timestamp instant,
								   bool up);

#endif
