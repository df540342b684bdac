/*
 * template_text.h
 *		Splits and composes strings according to a key template, and finds the
 *		span of strings for a condition.
 *
 * The values of parts are encoded; only the caller's codecs decode them.
 * Arrays of values have one element for each part of the template.  Templates
 * must be resolved.
 *
 * Splitting and joining are inverse.  Joining the values that
 * dyn_template_split() returns yields the string that was split.  Splitting a
 * joined string returns the joined values if dyn_part_holds() is DYN_HOLDS_YES
 * for each of them, and those read from other attributes are given.
 */
#ifndef DYN_DYNAMODB_TEMPLATE_TEXT_H
#define DYN_DYNAMODB_TEMPLATE_TEXT_H

#include "spans.h"
#include "template.h"

/* ---- split ---- */

typedef enum DynSplit
{
	DYN_SPLIT_MATCHES,
	DYN_SPLIT_NO_MATCH,
	DYN_SPLIT_AMBIGUOUS,		/* the string only matches if undecided parts
								 * contain their separators */
	DYN_SPLIT_TYPE_MISMATCH		/* the string matches up to a time, whose width
								 * is not that of its format */
} DynSplit;

/*
 * Splits `text` into the values of the parts, which point into `text`.
 * `values` is undefined unless `text` matches.  The time is linear in `len`.
 *
 * `given` (NULL: none) has the encodings, not folded, of columns that are read
 * from other attributes.  After folding, these values must be equal to the
 * parts of `text`.  A folded part is not compared if its given value is not
 * ASCII, because applications fold other letters in different ways.  A part
 * without a given value is split off as described in template.h.  The caller
 * handles NULLs: an item with a NULL does not match.
 *
 * If the value of the `any` part is given, the result may be AMBIGUOUS
 * although `text` would not match with any values of the undecided parts.
 * This simplifies the search.
 */
extern DynSplit dyn_template_split(const DynTemplate *tmpl, const char *text,
								   size_t len, const DynText *given,
								   DynText *values);

/*
 * Returns true if the string of the part can be compared with this value: the
 * part is not folded, or the value is ASCII.
 */
extern bool dyn_part_compares(const DynTemplatePart *part, DynText value);

/*
 * Returns true if `text`, the string of the part, is equal to the given value
 * after folding, or if the two cannot be compared.
 */
extern bool dyn_part_agrees(const DynTemplatePart *part, DynText text,
							DynText given);

/*
 * Returns true if the part's modifier lists its values, as words or as a
 * range.
 */
extern bool dyn_part_is_enumerated(const DynTemplatePart *part);

/* Returns the number of values of an enumerated part; 0 means 2^64. */
extern uint64_t dyn_part_members(const DynTemplatePart *part);

/*
 * Returns true if `text` is one of the values of an enumerated part, or if the
 * part is not enumerated.
 */
extern bool dyn_part_lists(const DynTemplatePart *part, DynText text);

/* ---- join ---- */

/*
 * Result of dyn_part_holds: whether strings can exist in which the part has
 * the given value.
 */
typedef enum DynHolds
{
	DYN_HOLDS_YES,
	DYN_HOLDS_NEVER,			/* no: a condition with the value is false */
	DYN_HOLDS_UNDECIDED,		/* maybe: the value contains the separator of
								 * an undecided part, so items with the value
								 * must be requested, and are ambiguous */
	DYN_HOLDS_UNKNOWN			/* yes, but how the part is written is unknown,
								 * because the value is folded and not ASCII */
} DynHolds;

/* Returns whether the part can have this value, which is not folded. */
extern DynHolds dyn_part_holds(const DynTemplatePart *part, DynText value);

/*
 * Appends the string composed of these values, after folding the values of
 * folded parts.  Returns false if memory runs out.  The values need not match
 * the template.
 */
extern bool dyn_template_join(const DynTemplate *tmpl, const DynText *values,
							  DynBuffer *out);

/* ---- spans ---- */

/*
 * A span of strings in byte order, with the memory of its limits.  The caller
 * initializes it with zeros.
 */
typedef struct DynTextSpan
{
	bool		empty;			/* true if no string is in the span: the
								 * condition is false */
	DynSpan		span;			/* limits, whose values are in the buffers; a
								 * single value is in `lower` */
	DynBuffer	lower;
	DynBuffer	upper;
} DynTextSpan;

extern void dyn_text_span_free(DynTextSpan *span);

/*
 * Sets *span to a span that contains each matching string whose first
 * `npoints` parts have the values `points` (not folded), and whose next part,
 * if there is one, has a value in `next` (NULL: any value).  Every string in
 * the span begins with the values in `points` that are used, and the literals
 * around them.  The value of an exclusive limit may begin differently, which
 * matters if the caller makes the limit inclusive.
 *
 * The following are not used:
 * - the first value in `points` that is DYN_HOLDS_UNKNOWN, all values after
 *   it, and `next`;
 * - `next` if its part is folded;
 * - the upper limit of `next` if its part is not `ordered`; if facts.text is
 *   true, the common prefix of all strings in `next` is used instead;
 * - the lower limit of `next` if its part is not `ordered`, and facts.text is
 *   false.
 *
 * For an encoding that does not preserve the order of values, the caller
 * passes NULL as `next`.  If a part has a fixed width, values of other widths
 * are ignored.  Returns false if memory runs out.  Resets the buffers first.
 */
extern bool dyn_template_span(const DynTemplate *tmpl, const DynText *points,
							  int npoints, const DynSpan *next, DynTextSpan *span);

/* ---- ways ---- */

/*
 * A callback for each way to split the string, with `values` as from
 * dyn_template_split().  Returns true to end the enumeration.
 */
typedef bool (*DynWayFound) (void *arg, const DynText *values);

typedef struct DynWays
{
	const DynTemplate *tmpl;	/* template (resolved) */
	DynText		text;

	/*
	 * Known values of parts, not folded; `data` is NULL if a part's value is
	 * unknown.  Such a part may have any value that is valid for it; if its
	 * column is read from another attribute, the value may contain the
	 * separator.  Known values that are not ASCII are not compared if the part
	 * is folded.
	 */
	const DynText *known;

	bool		guess;			/* true to also try values of undecided parts
								 * (template.h) that contain the separator */
	DynWayFound found;
	void	   *arg;
	int		   *steps;			/* number of steps left; negative: the
								 * enumeration was given up */

	/* private: values of the parts before the current one */
	DynText		values[DYN_TEMPLATE_MAX_PARTS];
} DynWays;

/*
 * Enumerates all ways to split ways->text; dyn_template_split() finds only one
 * way, but in linear time.  All ways are needed if a column occurs in several
 * attributes, and one of their strings can be split in several ways: then the
 * ways have to be combined.  Returns true if `found` returned true, or no
 * steps are left.
 */
extern bool dyn_template_ways(DynWays *ways);

/* ---- strings ---- */

/* Returns the number of characters in `text`. */
extern size_t dyn_text_chars(DynText text);

/*
 * Reads an integer into *value.  Returns false for any other string, including
 * integers with leading zeros or a plus sign, -0, and integers out of range.
 */
extern bool dyn_text_integer(DynText text, int64_t *value);

/*
 * Returns the first occurrence in `text` of `what`, which is not empty; or
 * NULL.
 */
extern const char *dyn_text_find(DynText text, DynText what);

/* Folds ASCII letters in place. */
extern void dyn_text_fold(char *text, size_t len, DynFolding folding);

#endif
