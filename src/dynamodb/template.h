/*
 * template.h
 *		Describes how a string attribute is composed of columns: key templates.
 *
 *		company#${company}		ORDER#${id:any}#ITEM#${n:padded(5)}
 *
 * A template is a sequence of literals and parts: literal, part, literal, ...,
 * part, literal.  Literals may be empty.  A part is ${column} or
 * ${column:modifier}.  ${$} is a dollar sign, and every other character,
 * including single dollar signs and braces, represents itself.  A modifier is
 * one of
 *
 *		any			any string that is not empty; at most once in a template
 *		plain		strings that never contain the part's separator
 *		lower upper	ASCII letters are folded; also "lower,any"
 *		0..9		the integers of this range
 *		A|B|C		these words
 *		name, name(arguments)	a format, which the caller interprets
 *
 * The parser needs only the template.  How an attribute's string is split into
 * parts also depends on the columns: the caller describes the column of each
 * part in a DynPartFacts, and dyn_template_resolve() checks the template and
 * derives how strings are split.  The functions of template_text.h need a
 * resolved template.
 *
 * Parts before the `any` part (all parts, if there is no `any` part) are split
 * off from the left, and end where the next literal begins.  Parts after the
 * `any` part are split off from the right, and begin where the literal before
 * them ends.  The character of the literal at this place is the part's
 * separator (for a part at the end of the template, see separator_of).  The
 * `any` part has no separator; neither has a part of fixed width if its
 * encodings may contain this character, or if it adjoins another part and is
 * not at the end.
 *
 * A part must not contain its separator, unless the part's column is read from
 * another attribute.  But the values of a text column without `plain` or a
 * list of words may contain the separator.  Such a part is `undecided`: a
 * string that matches only with such a value is ambiguous.
 *
 * All strings are valid UTF-8 without NUL.  "Characters" are code points.
 */
#ifndef DYN_DYNAMODB_TEMPLATE_H
#define DYN_DYNAMODB_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DYN_TEMPLATE_MAX_PARTS	16

/*
 * A string, not NUL-terminated unless noted; `data` is NULL if there is no
 * string.
 */
typedef struct DynText
{
	const char *data;
	size_t		len;
} DynText;

typedef enum DynPartModifier
{
	DYN_MODIFIER_NONE,				/* none, or only the keywords any, lower
									 * and upper */
	DYN_MODIFIER_PLAIN,
	DYN_MODIFIER_RANGE,				/* lo..hi */
	DYN_MODIFIER_WORDS,
	DYN_MODIFIER_FORMAT				/* format, which the parser does not
									 * check */
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
	/*
	 * true if the column's type is text or varchar, and the part is the
	 * column's value itself
	 */
	bool		text;

	/*
	 * true if the column is read from another attribute; then the part must be
	 * the encoding of the column's value
	 */
	bool		elsewhere;

	/* width of all encodings (characters); 0 if it varies */
	uint32_t	width;

	/*
	 * all characters that encodings may have, NUL-terminated; NULL: any
	 * characters
	 */
	const char *charset;

	/*
	 * true for a time; `width` is that of its format.  A time ends at the
	 * first character that is not in the charset, or earlier if it is split
	 * off by its width
	 */
	bool		instant;
} DynPartFacts;

typedef struct DynTemplatePart
{
	DynText		column;			/* column name, NUL-terminated */
	int			position;		/* position of "${" (characters, from 1) */
	int			modifier_position;	/* position of the modifier; if there is
									 * none, of the column name */
	DynPartModifier modifier;
	bool		any;
	DynFolding	folding;
	int64_t		lo;				/* RANGE: limits */
	int64_t		hi;
	const DynText *words;		/* WORDS: words, each NUL-terminated */
	int			nwords;
	DynText		format;			/* FORMAT: format such as "padded(5)",
								 * NUL-terminated */

	/* Set by dyn_template_resolve(): */

	DynPartFacts facts;
	DynText		separator;		/* one character; `data` NULL: none */
	bool		from_right;		/* true if the part is after the `any` part */
	bool		last;			/* true if the part takes the rest of the
								 * string, because nothing follows the part */
	bool		by_width;		/* true if the part is split off by
								 * facts.width */

	/*
	 * true if the part has a separator, and the column's value is read from
	 * the part, so that the value must not contain the separator
	 */
	bool		guarded;

	/*
	 * true if guarded, but the template does not exclude values that contain
	 * the separator: a string that matches only with such a value is ambiguous
	 */
	bool		undecided;

	/*
	 * true if attributes whose strings are equal before this part sort by the
	 * bytes of this part's encodings
	 */
	bool		ordered;
} DynTemplatePart;

typedef struct DynTemplate
{
	int			nparts;			/* 0: only literals[0] matches */
	DynTemplatePart *parts;
	DynText    *literals;		/* nparts + 1 literals; literals[i] is before
								 * parts[i] */
	int			any;			/* index of the `any` part; -1: none */
	bool		resolved;
} DynTemplate;

typedef struct DynTemplateError
{
	int			position;		/* position (characters, from 1); 0: unknown */
	const char *message;		/* static string; part of a sentence, without a
								 * period */
	const char *hint;			/* static string in sentences, or NULL */
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
 * how strings are split.  Returns false with *error set if the template is not
 * well-formed: adjacent parts have neither a literal between them nor a fixed
 * width; `any` or `plain` is used for a column that is not of type text; a
 * folded column is not read from another attribute; or a word contains its
 * part's separator.  May be called again with different facts.  The strings
 * facts[i].charset must outlive the template.
 */
extern bool dyn_template_resolve(DynTemplate *tmpl, const DynPartFacts *facts,
								 DynTemplateError *error);

/*
 * Returns true if the template is one part without literals, as required for
 * an attribute of type N.
 */
extern bool dyn_template_is_bare(const DynTemplate *tmpl);

#endif
