/*
 * template.h
 *		Describes how a string attribute is composed of columns: key templates.
 *
 *		company#${company}		ORDER#${id:any}#ITEM#${n:padded(5)}
 *
 * A template is a sequence of literals and parts: literal, part, literal, ...,
 * part, literal, where literals may be empty.  A part is ${column} or
 * ${column:modifier}; ${$} is a dollar sign, and every other character, single
 * dollar signs and braces included, represents itself.  A modifier is one of
 *
 *		any			anything that is not empty; once in a template
 *		plain		never contains its separator
 *		lower upper	ASCII letters are folded; also "lower,any"
 *		0..9		integers of that range, enumerated
 *		A|B|C		these words
 *		name, name(arguments)	a format, which the caller interprets
 *
 * Parsing needs the text only.  How texts are split depends on the columns as
 * well: the caller describes each part in a DynPartFacts, and
 * dyn_template_resolve() checks the template and derives the rest.  The
 * functions of template_text.h need a resolved template.
 *
 * Parts before the `any` part (all, if there is none) are split off from the
 * left, where the next literal begins; parts after it from the right, where
 * the literal before them ends.  The character there is the part's separator.
 * No part contains its separator, except `any`, parts of fixed width that are
 * split by their width, and parts whose column is read from another attribute.
 *
 * All texts are valid UTF-8 without NUL.  "Characters" are code points.
 */
#ifndef DYN_DYNAMODB_TEMPLATE_H
#define DYN_DYNAMODB_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DYN_TEMPLATE_MAX_PARTS	16

/* A text, not NUL-terminated unless noted; data is NULL for no text. */
typedef struct DynText
{
	const char *data;
	size_t		len;
} DynText;

typedef enum DynPartModifier
{
	DYN_MODIFIER_NONE,				/* none, or only keywords: any, lower, upper */
	DYN_MODIFIER_PLAIN,
	DYN_MODIFIER_RANGE,				/* lo..hi */
	DYN_MODIFIER_WORDS,
	DYN_MODIFIER_FORMAT				/* a format, which the parser does not check */
} DynPartModifier;

typedef enum DynFolding
{
	DYN_FOLD_NONE,
	DYN_FOLD_LOWER,
	DYN_FOLD_UPPER
} DynFolding;

/* The caller's description of a part's column. */
typedef struct DynPartFacts
{
	/*
	 * true if the type is text or varchar, and the key contains the text
	 * itself
	 */
	bool		text;

	/*
	 * true if the column is read from another location; the part must then be
	 * the encoding of that value
	 */
	bool		elsewhere;

	/* width of all encodings in characters; 0 if it varies */
	uint32_t	width;

	/* characters of encodings, NUL-terminated; NULL: any text */
	const char *charset;

	/*
	 * true for a time of this width.  If it is split by its width, or takes
	 * the rest of the text, it ends at the first character that is not in the
	 * charset
	 */
	bool		instant;
} DynPartFacts;

typedef struct DynTemplatePart
{
	DynText		column;			/* column name, NUL-terminated */
	int			position;		/* position of "${", in characters from 1 */
	int			modifier_position;	/* position of the modifier; if there is none, of
								 * the column */
	DynPartModifier modifier;
	bool		any;
	DynFolding	folding;
	int64_t		lo;				/* RANGE: its limits */
	int64_t		hi;
	const DynText *words;		/* WORDS: the words, each NUL-terminated */
	int			nwords;
	DynText		format;			/* FORMAT: NUL-terminated: "padded(5)" */

	/* Set by dyn_template_resolve(): */

	DynPartFacts facts;
	DynText		separator;		/* one character; data NULL: none */
	bool		from_right;		/* true if the part is after the `any` part */
	bool		last;			/* it takes the rest: nothing is after it */
	bool		by_width;		/* it is split off by facts.width */

	/*
	 * true if the column is read from this part, so that a value must not
	 * contain the separator
	 */
	bool		guarded;

	/*
	 * true if guarded, but the template does not exclude values with the
	 * separator: a text that matches only with such a value is ambiguous
	 */
	bool		undecided;

	/*
	 * true if attributes with equal texts before this part are sorted by the
	 * bytes of this part's encodings
	 */
	bool		ordered;
} DynTemplatePart;

typedef struct DynTemplate
{
	int			nparts;			/* 0: the text is literals[0] */
	DynTemplatePart *parts;
	DynText    *literals;		/* (nparts + 1); [i] is before parts[i] */
	int			any;			/* index of the `any` part; -1: none */
	bool		resolved;
} DynTemplate;

typedef struct DynTemplateError
{
	int			position;		/* position in characters from 1; 0: unknown */
	const char *message;		/* static; part of a sentence, no full stop */
	const char *hint;			/* hint (static): sentences; or NULL */
	bool		out_of_memory;
} DynTemplateError;

/*
 * Parses a template.  Returns NULL with *error set if it is not one.  The
 * result is one malloc'd block without references to `text`, which the caller
 * frees with dyn_template_free().
 */
extern DynTemplate *dyn_template_parse(const char *text, size_t len,
									   DynTemplateError *error);
extern void dyn_template_free(DynTemplate *tmpl);

/*
 * Adds the facts about the columns (one element for each part), and derives
 * how texts are split.  Returns false with *error set if the template is not
 * well-formed: adjacent parts have neither a literal between them nor a fixed
 * width; `any` or `plain` is used for a column that is not a text; a folded
 * column is not read from another attribute; or a word contains its part's
 * separator.  May be called again with other facts.  `charset` must outlive
 * the template.
 */
extern bool dyn_template_resolve(DynTemplate *tmpl, const DynPartFacts *facts,
								 DynTemplateError *error);

/*
 * Returns true if the template is one part without literals, as it must be for
 * a number.
 */
extern bool dyn_template_is_bare(const DynTemplate *tmpl);

#endif
