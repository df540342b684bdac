/*
 * template_text.h
 *		Key templates describe how a string attribute is composed of columns.
 *
 *		company#${company}		ORDER#${id:any}#ITEM#${n:padded(5)}
 *
 * A template is a sequence of literals and parts: literal, part, literal, ...,
 * part, literal.  Literals may be empty.  A part is ${column} or
 * ${column:modifier}.  ${$} is a dollar sign, and every other character, such
 * as a single dollar sign or brace, represents itself.  A modifier is one of
 *
 *		any			any string that is not empty; at most once in a template
 *		plain		strings that never contain the part's separator
 *		lower upper	folded to this case (ASCII only); with any: "lower,any"
 *		0..9		the integers of this range
 *		A|B|C		these words
 *		name, name(arguments)	a format, which the caller interprets
 *
 * The parser needs only the template.  How a string is split into parts also
 * depends on the columns: the caller describes the column of each part in a
 * DynPartFacts, and dyn_template_resolve() checks the template and derives how
 * strings are split.  Splitting and joining strings needs a resolved template.
 *
 * Parts before the `any` part (all parts, if there is no `any` part) are split
 * off from the left, and end where the next literal begins.  Parts after the
 * `any` part are split off from the right, and begin where the literal before
 * them ends.
 *
 * The separator of a part split off from the left is the first character of
 * the literal after it; of a part split off from the right, the last character
 * of the literal before it (the # before n in the example).  These parts have
 * no separator:
 * - the `any` part
 * - a part of fixed width whose encodings may contain the character that would
 *   be its separator
 * - a part of fixed width with no literal between it and another part
 *
 * A part at the end of the template that is split off from the left has no
 * literal after it.  Its separator is chosen by separator_of, and the last of
 * these rules does not apply to it.
 *
 * A value that is read from another attribute is known.  When a string is
 * split, other values are assumed not to contain their parts' separators.
 * For a text column, this may be wrong, unless the modifier is `plain` or a
 * list of words; the column's part is called `undecided`.  A string that
 * matches only if an undecided part contains its separator is ambiguous.
 *
 * The values of parts are encoded; only the caller's codecs decode them.
 * Arrays of values have one element for each part.  All strings are valid
 * UTF-8 without NUL.  "Characters" are code points.
 *
 * Splitting and joining are inverse.  Joining the values that
 * dyn_template_split() returns yields the string that was split.  Splitting a
 * joined string returns the joined values if dyn_part_holds() is DYN_HOLDS_YES
 * for each value, and `given` has the values read from other attributes.
 */
#ifndef DYN_DYNAMODB_TEMPLATE_TEXT_H
#define DYN_DYNAMODB_TEMPLATE_TEXT_H

#include "spans.h"

#define DYN_TEMPLATE_MAX_PARTS	16

/* A string, NUL-terminated only if noted; `data` NULL means no string. */
typedef struct DynText
{
	const char *data;
	size_t		len;
} DynText;

typedef enum DynPartModifier
{
	DYN_MODIFIER_NONE,				/* none, or only `any`/`lower`/`upper` */
	DYN_MODIFIER_PLAIN,
	DYN_MODIFIER_RANGE,				/* lo..hi */
	DYN_MODIFIER_WORDS,
	DYN_MODIFIER_FORMAT				/* format; not checked by the parser */
} DynPartModifier;

typedef enum DynFolding
{
	DYN_FOLD_NONE,
	DYN_FOLD_LOWER,
	DYN_FOLD_UPPER
} DynFolding;

/* The caller's description of a part's column */
typedef struct DynPartFacts
{
	/* true for a text or varchar column whose value is stored as it is */
	bool		text;

	/* true if the column is read from another attribute, not from the part */
	bool		elsewhere;

	/* width of all encodings (characters); 0 if it varies */
	uint32_t	width;

	/* characters that encodings may have, NUL-terminated; NULL for any */
	const char *charset;

	/*
	 * true for a time; `width` is then the width of the time's format.  Unless
	 * the part is split off by this width, it ends before the first character
	 * that is not in the charset
	 */
	bool		instant;
} DynPartFacts;

typedef struct DynTemplatePart
{
	DynText		column;			/* column name, NUL-terminated */
	int			position;		/* position of "${" (characters, from 1) */
	int			modifier_position;	/* position of the modifier, or of the
									 * column name if no modifier exists */
	DynPartModifier modifier;
	bool		any;
	DynFolding	folding;
	int64_t		lo;				/* RANGE: limits */
	int64_t		hi;
	const DynText *words;		/* WORDS: words, each NUL-terminated */
	int			nwords;
	DynText		format;			/* FORMAT: NUL-terminated, like "padded(5)" */

	/* Set by dyn_template_resolve(): */

	DynPartFacts facts;
	DynText		separator;		/* one character; `data` NULL: none */
	bool		from_right;		/* true if a part before it has modifier any */
	bool		last;			/* true if the part is what remains after all
								 * other parts have been split off; false for
								 * the `any` part */
	bool		by_width;		/* true if split off by facts.width */

	/*
	 * true if the part has a separator, and its column is not read from
	 * another attribute.  Splitting then assumes that the part's values do not
	 * contain the separator.
	 */
	bool		guarded;

	/*
	 * true if the part is guarded, but its column may have values that contain
	 * the separator; a string that matches only with such a value is ambiguous
	 */
	bool		undecided;

	/* true if strings that are equal up to this part sort by its value */
	bool		ordered;
} DynTemplatePart;

typedef struct DynTemplate
{
	int			nparts;			/* 0: matches only the text of literals[0] */
	DynTemplatePart *parts;
	DynText    *literals;		/* nparts + 1; literals[i] precedes parts[i] */
	int			any;			/* index of the `any` part; -1: none */
	bool		resolved;
} DynTemplate;

typedef struct DynTemplateError
{
	int			position;		/* position (characters, from 1); 0: unknown */
	const char *message;		/* static string; a part of a sentence */
	const char *hint;			/* static string (full sentences), or NULL */
	bool		out_of_memory;
} DynTemplateError;

/*
 * Parses a template.  Returns NULL with *error set if `text` is not a template
 * or memory runs out.  The result is one malloc'd block without references to
 * `text`; the caller frees the block with dyn_template_free().
 */
extern DynTemplate *dyn_template_parse(const char *text, size_t len,
									   DynTemplateError *error);
extern void dyn_template_free(DynTemplate *tmpl);

/*
 * Stores the facts about the columns (one element for each part), and derives
 * how strings are split.  Returns false with *error set if
 * - there is no literal between two parts, and the part that is split off
 *   first does not have a fixed width,
 * - the modifier is `any` or `plain`, but the column is not of type text,
 * - the modifier changes the case of the value, so that the column must be
 *   read from an attribute of its own, but it is not, or
 * - the modifier lists a word that contains the part's separator.
 *
 * May be called again with different facts.  The strings facts[i].charset must
 * outlive the template.
 */
extern bool dyn_template_resolve(DynTemplate *tmpl, const DynPartFacts *facts,
								 DynTemplateError *error);

/* Returns true if the template consists of one part, as type N requires. */
extern bool dyn_template_is_bare(const DynTemplate *tmpl);

/* ---- split ---- */

typedef enum DynSplit
{
	DYN_SPLIT_MATCHES,
	DYN_SPLIT_NO_MATCH,
	DYN_SPLIT_AMBIGUOUS,		/* the string matches only if the value of some
								 * undecided part (see above) contains that
								 * part's own separator */
	DYN_SPLIT_TYPE_MISMATCH		/* no match: a time in the string does not have
								 * the width of its format */
} DynSplit;

/*
 * Splits `text` into the values of its parts, which point into `text`.  If
 * `text` does not match, `values` is undefined.  The time is linear in `len`.
 *
 * `given`, which may be NULL, has the encodings of columns that are read from
 * other attributes, folded by dyn_part_fold().  `text` matches only if its
 * parts are equal to these encodings.  A folded part is not compared if its
 * given value is not ASCII, because applications fold other letters in
 * different ways.
 *
 * The caller handles NULLs: an item with a NULL in a column that is read from
 * another attribute does not match.
 *
 * If the value of a part with modifier `any` is given, the result may be
 * AMBIGUOUS although `text` cannot match.
 */
extern DynSplit dyn_template_split(const DynTemplate *tmpl, const char *text,
								   size_t len, const DynText *given,
								   DynText *values);

/* Folds the ASCII letters of the text, in place, if the part is folded. */
extern void dyn_part_fold(const DynTemplatePart *part, char *text, size_t len);

/*
 * Returns true if a part can be compared with this value.  A folded part cannot
 * be compared with a value that is not ASCII, because the folded form of that
 * value is unknown.
 */
extern bool dyn_part_compares(const DynTemplatePart *part, DynText value);

/*
 * Returns true if `text`, the string of the part, is equal to the given value
 * after folding, or if the two cannot be compared.
 */
extern bool dyn_part_agrees(const DynTemplatePart *part, DynText text,
							DynText given);

/* Returns true if the modifier lists the values: as words or as a range. */
extern bool dyn_part_is_enumerated(const DynTemplatePart *part);

/* Returns the number of values of an enumerated part; 0 means 2^64. */
extern uint64_t dyn_part_members(const DynTemplatePart *part);

/* Returns true if the part is not enumerated, or if it lists `text`. */
extern bool dyn_part_lists(const DynTemplatePart *part, DynText text);

/* ---- join ---- */

typedef enum DynHolds
{
	DYN_HOLDS_YES,
	DYN_HOLDS_NEVER,			/* no: column = value is never true */
	DYN_HOLDS_UNDECIDED,		/* maybe: the value contains the part's
								 * separator, and the definition of the
								 * template does not specify whether that is
								 * allowed; items with the value must be
								 * requested, but may be ambiguous */
	DYN_HOLDS_UNKNOWN			/* yes, but the value is not ASCII, so its
								 * folded form is unknown */
} DynHolds;

/* Returns whether the part can have `value`, which has not been folded yet. */
extern DynHolds dyn_part_holds(const DynTemplatePart *part, DynText value);

/*
 * Appends the string that the template composes of these values.  Folds values
 * of folded parts, but checks no values.  Returns false if memory runs out.
 */
extern bool dyn_template_join(const DynTemplate *tmpl, const DynText *values,
							  DynBuffer *out);

/* ---- spans ---- */

/* A span of strings in byte order, with its memory; zero-initialize it. */
typedef struct DynTextSpan
{
	bool		empty;			/* true if no string is in the span */
	DynSpan		span;			/* limits, whose values point into the buffers;
								 * a single value is in `lower` */
	DynBuffer	lower;
	DynBuffer	upper;
} DynTextSpan;

extern void dyn_text_span_free(DynTextSpan *span);

/*
 * Sets *span to a range of strings.  It contains every matching string whose
 * first `npoints` parts have the values `points` and, if `next` is not NULL,
 * whose next part is in `next`; only strings in which a part of fixed width
 * has another width may be missing.  `points` has the values before folding.
 *
 * Not all values can narrow the range:
 * - If dyn_part_holds() is DYN_HOLDS_UNKNOWN for a value in `points`, this
 *   value, all values after it, and `next` are not used.
 * - If the part of `next` is folded, `next` is not used.
 * - If the part of `next` is not folded, the lower limit of `next` is used if
 *   the part is `ordered` or facts.text is true.  The upper limit is used if
 *   the part is `ordered`.  If the part is not `ordered`, but facts.text is
 *   true, the common prefix of all strings in `next` is used instead of the
 *   upper limit.
 *
 * All strings in the range begin with the values of `points` that are used,
 * and the literals around them; the range's exclusive upper limit need not.
 *
 * If the encoding does not preserve order, the caller passes NULL as `next`.
 * Returns false if memory runs out.  Resets the buffers first.
 */
extern bool dyn_template_span(const DynTemplate *tmpl, const DynText *points,
							  int npoints, const DynSpan *next, DynTextSpan *span);

/* ---- ways ---- */

/*
 * A callback for each way to split the string; `values` are the values of the
 * parts, which point into the string.  Returns true to end the enumeration.
 */
typedef bool (*DynWayFound) (void *arg, const DynText *values);

typedef struct DynWays
{
	const DynTemplate *tmpl;
	DynText		text;

	/*
	 * Known values of parts, not folded; `data` is NULL for a part that may
	 * have any valid value.  A value that is read from another attribute may
	 * contain the separator of its part.
	 */
	const DynText *known;

	bool		guess;			/* true to also try, for each undecided part,
								 * values that contain the part's separator */
	DynWayFound found;
	void	   *arg;
	int		   *steps;			/* remaining steps; negative if they ran out */

	/* private: values of the parts before the current one */
	DynText		values[DYN_TEMPLATE_MAX_PARTS];
} DynWays;

/*
 * Calls ways->found for each way to split ways->text, until `found` returns
 * true or no *ways->steps remain.  Returns true in these two cases.  All ways
 * are needed if a column occurs in several attributes, because the single way
 * that dyn_template_split() finds may contradict the other attributes.
 */
extern bool dyn_template_ways(DynWays *ways);

/* ---- strings ---- */

extern size_t dyn_text_chars(DynText text);

/*
 * Reads an integer into *value.  Returns false if `text` is not an integer, is
 * out of range, is -0, or has leading zeros or a plus sign.
 */
extern bool dyn_text_integer(DynText text, int64_t *value);

/* Returns the first occurrence of `what`, which is not empty; or NULL. */
extern const char *dyn_text_find(DynText text, DynText what);

#endif
