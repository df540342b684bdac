/*
 * template.h
 *		Key templates: how a string attribute is composed of columns.
 *
 *		company#${company}		ORDER#${id:any}#ITEM#${n:padded(5)}
 *
 * A template is a sequence of literals and parts: literal, part, literal, ...,
 * part, literal, where literals may be empty.  A part is ${column} or
 * ${column:spec}; ${$} is a dollar sign, and every other character, single
 * dollar signs and braces included, stands for itself.  A spec is one of
 *
 *		any			anything that is not empty; once in a template
 *		plain		never contains its separator
 *		lower upper	ASCII letters are folded; also "lower,any"
 *		0..9		integers of that range, enumerated
 *		A|B|C		these words
 *		name, name(arguments)	a format, which the caller interprets
 *
 * Parsing needs the text only.  How texts are cut depends on the columns as
 * well: the caller describes each part in a DynPartFacts, and
 * dyn_template_resolve() checks the template and derives the rest.  The
 * functions of template_text.h need a resolved template.
 *
 * Parts before the `any` part (all, if there is none) are cut from the left,
 * where the next literal begins, parts behind it from the right, where the
 * literal before them ends.  The character there is the part's edge.  No part
 * contains its edge, except `any`, parts of fixed width that are cut by their
 * width, and parts whose column is read from elsewhere.
 *
 * All texts are valid UTF-8 without NUL.  "Characters" are code points.
 */
#ifndef DYN_DYNAMODB_TEMPLATE_H
#define DYN_DYNAMODB_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DYN_TEMPLATE_MAX_PARTS	16

/* Not NUL-terminated unless a comment says so; data is NULL for no text. */
typedef struct DynText
{
	const char *data;
	size_t		len;
} DynText;

typedef enum DynPartSpec
{
	DYN_SPEC_NONE,				/* none, or only any, lower and upper */
	DYN_SPEC_PLAIN,
	DYN_SPEC_RANGE,				/* lo..hi */
	DYN_SPEC_WORDS,
	DYN_SPEC_FORMAT				/* not checked by the parser */
} DynPartSpec;

typedef enum DynFolding
{
	DYN_FOLD_NONE,
	DYN_FOLD_LOWER,
	DYN_FOLD_UPPER
} DynFolding;

/* What the caller knows of a part's column. */
typedef struct DynPartFacts
{
	/* Of type text or varchar, with the text itself in the key. */
	bool		text;

	/* Read from another place: only the encoding of that value may be here. */
	bool		elsewhere;

	/* Characters that every encoding has; 0 if it varies. */
	uint32_t	width;

	/* The characters of encodings, NUL-terminated; NULL: any text. */
	const char *charset;

	/*
	 * A time of this width: where it is cut by the width, or takes the rest,
	 * it ends at the first character outside of the charset.
	 */
	bool		instant;
} DynPartFacts;

typedef struct DynTemplatePart
{
	DynText		column;			/* NUL-terminated */
	int			position;		/* of "${", in characters from 1 */
	int			spec_position;	/* of the spec; the column's if there is none */
	DynPartSpec spec;
	bool		any;
	DynFolding	folding;
	int64_t		lo;				/* RANGE */
	int64_t		hi;
	const DynText *words;		/* WORDS, each NUL-terminated */
	int			nwords;
	DynText		format;			/* FORMAT, NUL-terminated: "padded(5)" */

	/* Set by dyn_template_resolve(): */

	DynPartFacts facts;
	DynText		separator;		/* one character; data NULL: none */
	bool		from_right;		/* behind the `any` part */
	bool		last;			/* takes the rest: nothing is behind it */
	bool		by_width;		/* cut by facts.width */

	/* The column is read from here, so a value must not contain the edge. */
	bool		guarded;

	/*
	 * Guarded, but the template does not say whether values with the edge
	 * exist: a text that fits only with such a value is ambiguous.
	 */
	bool		undecided;

	/*
	 * With equal texts before it, the attribute is in the byte order of this
	 * part's encodings.
	 */
	bool		ordered;
} DynTemplatePart;

typedef struct DynTemplate
{
	int			nparts;			/* 0: the text is literals[0] */
	DynTemplatePart *parts;
	DynText    *literals;		/* nparts + 1: literals[i] is before parts[i] */
	int			any;			/* index of the `any` part, -1: none */
	bool		resolved;
} DynTemplate;

typedef struct DynTemplateError
{
	int			position;		/* in characters from 1; 0: of no place */
	const char *message;		/* static: part of a sentence, no full stop */
	const char *hint;			/* static: sentences; or NULL */
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
 * Adds what is known of the columns, `facts` having one element for each part,
 * and derives how texts are cut.  Returns false with *error set if the
 * template is not well-formed: neighbouring parts without a literal or a fixed
 * width between them; `any`, `plain` on other columns than texts; a folded
 * column without another source; a word that contains its part's edge.  May
 * be called again with other facts.  `charset` must outlive the template.
 */
extern bool dyn_template_resolve(DynTemplate *tmpl, const DynPartFacts *facts,
								 DynTemplateError *error);

/* One part and no literals: what a template of a number may be. */
extern bool dyn_template_is_bare(const DynTemplate *tmpl);

#endif
