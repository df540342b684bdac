/*
 * pattern.h
 *		Dates and times as texts of fixed fields: the format pattern(...).
 *
 * A pattern consists of fields, named as in to_char, and of literals: YYYY, MM,
 * DD, HH24, MI, SS, and MS or US (the digits after the point of a second).
 * Letters of literals stand in double quotes, in which a backslash precedes a
 * double quote or a backslash.  Every field has a fixed width and occurs once,
 * and the larger ones of each field occur, too: so every text means one time,
 * at which the fields that are missing begin.
 *
 * Times are instants of datetime.h, in UTC.
 */
#ifndef DYN_MODEL_PATTERN_H
#define DYN_MODEL_PATTERN_H

#include "datatype/timestamp.h"

typedef struct DynPattern DynPattern;

/*
 * Parses a pattern in UTF-8 into CurrentMemoryContext.  Returns NULL with a
 * hint in *why if it is not one.
 */
extern DynPattern *dyn_pattern_parse(const char *text, const char **why);

/*
 * Do the fields run from the year downwards, so that texts sort like times?
 */
extern bool dyn_pattern_is_ordered(const DynPattern *pattern);

/* Parses a text of the pattern; false for any other. */
extern bool dyn_pattern_scan(const DynPattern *pattern, const char *text,
							 size_t len, Timestamp *result);

/*
 * The reverse, into DYN_INSTANT_BUFSIZE bytes with a NUL.  Returns false if no
 * text of the pattern means that instant.
 */
extern bool dyn_pattern_print(const DynPattern *pattern, Timestamp instant,
							  char *dst);

/* The nearest instant that has a text, except for its year. */
extern Timestamp dyn_pattern_round(const DynPattern *pattern, Timestamp instant,
								   bool up);

#endif
