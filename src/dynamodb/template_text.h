/*
 * template_text.h
 *		Cuts texts by a key template, joins them, and bounds them.
 *
 * The texts of parts are encoded values, as the caller's codecs read and write
 * them; nothing here decodes.  Where an array of them is passed, it has one
 * element for each part of the template.  All templates are resolved.
 *
 * Cutting and joining are inverse: whatever dyn_template_split() returns joins
 * to the same text, and values that all DYN_HOLDS_YES join to a text that cuts
 * into them, if those of parts read from elsewhere are given.
 */
#ifndef DYN_DYNAMODB_TEMPLATE_TEXT_H
#define DYN_DYNAMODB_TEMPLATE_TEXT_H

#include "spans.h"
#include "template.h"

/* ---- cut ---- */

typedef enum DynSplit
{
	DYN_SPLIT_MATCHES,
	DYN_SPLIT_NO_MATCH,
	DYN_SPLIT_AMBIGUOUS,		/* unfit, but not if undecided parts might
								 * contain their edges */
	DYN_SPLIT_TYPE_MISMATCH		/* up to a time, which has another width */
} DynSplit;

/*
 * Cuts a text into the texts of its parts, which point into it.  `values` is
 * undefined unless the text fits.
 *
 * `given` (NULL: nothing) has the encodings of columns read from elsewhere,
 * not folded; exactly this text, folded, must be at their place.  If the part
 * is folded and the text not ASCII, it is not compared, as mappers fold other
 * letters in their own ways.  If it is not given, the part is cut at its edge
 * like others.  The caller has dealt with NULLs: such an item does not fit.
 *
 * The time is linear in the length of the text.  One simplification: if the
 * text of the `any` part is given, a text that does not fit may be reported as
 * ambiguous although no value of an undecided part makes it fit.
 */
extern DynSplit dyn_template_split(const DynTemplate *tmpl, const char *text,
								   size_t len, const DynText *given,
								   DynText *values);

/*
 * Is that part's text the given value's?  Also true if they are not compared,
 * as above.
 */
extern bool dyn_part_agrees(const DynTemplatePart *part, DynText text,
							DynText given);

/* Are its values listed, as words or as a range? */
extern bool dyn_part_is_enumerated(const DynTemplatePart *part);

/* How many members it has then; 0: 2^64. */
extern uint64_t dyn_part_members(const DynTemplatePart *part);

/* Is the text in the part's enumeration?  True if it has none. */
extern bool dyn_part_lists(const DynTemplatePart *part, DynText text);

/* ---- join ---- */

/* May an attribute with this value in that part exist? */
typedef enum DynHolds
{
	DYN_HOLDS_YES,
	DYN_HOLDS_NEVER,			/* a condition with it is false */
	DYN_HOLDS_UNDECIDED,		/* it contains the edge of an undecided part:
								 * to be asked for, what is found is
								 * ambiguous */
	DYN_HOLDS_UNKNOWN			/* folded and not ASCII: no key is known */
} DynHolds;

/* `value` is not folded yet. */
extern DynHolds dyn_part_holds(const DynTemplatePart *part, DynText value);

/*
 * Appends the text of these values, which are folded where the part says so.
 * Returns false if memory runs out.  The values need not be valid.
 */
extern bool dyn_template_join(const DynTemplate *tmpl, const DynText *values,
							  DynBuffer *out);

/* ---- spans ---- */

/* Texts in byte order, from one to another. */
typedef struct DynTextSpan
{
	bool		empty;			/* no text: the condition is false */
	bool		point;			/* exactly `lower` */
	bool		has_lower;
	bool		has_upper;
	bool		lower_inclusive;
	bool		upper_inclusive;
	DynBuffer	lower;
	DynBuffer	upper;
} DynTextSpan;

extern void dyn_text_span_init(DynTextSpan *span);
extern void dyn_text_span_free(DynTextSpan *span);

/*
 * Finds the texts whose first `npoints` parts have these values, not folded,
 * and whose next part, if there is one, is in `next` (NULL: has any value).  No
 * text that fits and has them is outside of the span, and all within begin
 * with the literals and points before `next`, except the one that is equal to
 * an exclusive limit, where a caller makes it inclusive.
 *
 * Of the span of a part that is not `ordered` only the lower limit is used, and
 * only if it is a text, unless the span is all texts with one beginning; the
 * caller passes none for an encoding that does not keep the order of values.
 * Points from the first one on that is DYN_HOLDS_UNKNOWN are not used, nor is
 * the span of a folded part.  Where a part has a fixed width, values of another
 * width do not count.
 *
 * Returns false if memory runs out.  The buffers are reset first.
 */
extern bool dyn_template_span(const DynTemplate *tmpl, const DynText *points,
							  int npoints, const DynSpan *next, DynTextSpan *span);

/* ---- texts ---- */

extern bool dyn_text_is_ascii(DynText text);

/* Reads an integer without leading zeros, plus, or minus zero. */
extern bool dyn_text_integer(DynText text, int64_t *value);

/* The first occurrence of `what`, which is not empty, or NULL. */
extern const char *dyn_text_find(DynText text, DynText what);

/* Folds ASCII letters in place. */
extern void dyn_text_fold(char *text, size_t len, DynFolding folding);

#endif
