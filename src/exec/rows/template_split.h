/*
 * template_split.h
 *		The texts of an item's attributes, cut by their templates.
 *
 * Texts are cut one after the other, each in the one way that its template has,
 * those first that others depend on: a part whose column is read from elsewhere
 * must have the encoding of that value, and ends where that ends.
 */
#ifndef DYN_EXEC_TEMPLATE_SPLIT_H
#define DYN_EXEC_TEMPLATE_SPLIT_H

#include "../../dynamodb/template_text.h"
#include "../../model/tables/relation.h"

/* One attribute of the item in hand. */
typedef struct DynParsedAttr
{
	const DynTemplatedAttr *templated;
	bool		decisive;		/* the row test is about it, or depends on it */
	Bitmapset  *circle;			/* of templates that depend on each other, and
								 * are not decisive; NULL: it is in none */
	bool		searched;		/* among those whose ways are searched */
	bool		unresolved;		/* they had none without a guess */
	int			slot;
	bool		busy;			/* what it depends on is cut */
	bool		done;			/* the rest is of the item in hand */
	DynSplit	split;
	bool		impossible;		/* a column has no text for it */
	bool		absent;
	bool		no_text;		/* of another type */
	bool		nul;			/* the text has U+0000 */
	DynText		text;
	char	   *space;			/* for a text without its escapes */
	size_t		capacity;
	DynText		texts[DYN_TEMPLATE_MAX_PARTS];
} DynParsedAttr;

/* A part whose column is read from elsewhere. */
typedef struct DynPlaceholderCheck
{
	int			templated;
	int			part;
	DynColumn  *column;
	int			slot;			/* of the column's value, if it is no part */
} DynPlaceholderCheck;

typedef struct DynCuttings
{
	DynRelation *relation;
	MemoryContext context;
	MemoryContext scratch;		/* of encoded values, until the next item */
	const DynValue *values;		/* of the item in hand */
	DynParsedAttr *cuttings;	/* as relation->spelled */
	int			nagreements;	/* of the templates that are cut */
	DynPlaceholderCheck *checks;
	bool		entangled;		/* decisive texts share columns */
	void		(*break_cycle) (struct DynCuttings *all, const Bitmapset *circle);
	bool		unsure;			/* the item in hand has a value that does not
								 * fit a column of a template */
} DynCuttings;

/* Those of the templates needed[i]; see dyn_parts_create(). */
extern void dyn_cuttings_init(DynCuttings *all, DynRelation *relation,
							  const bool *needed, const DynPath *paths,
							  int npaths);

/* Begins the next item, of which nothing is cut yet. */
extern void dyn_cuttings_begin(DynCuttings *all, const DynValue *values);

/* Cuts the text of template i, and before it those that it depends on. */
extern void dyn_split_attr(DynCuttings *all, int i);

/*
 * Cuts one text; `given`: what is known of columns that are read from
 * elsewhere, or NULL.
 */
extern void dyn_split_text(DynCuttings *all, DynParsedAttr *parsed,
						   const DynText *given);

/*
 * Have parts of key attributes, or of the texts that are searched, the texts of
 * their columns, where these are parts and known by now?
 */
extern bool dyn_cuttings_agree(DynCuttings *all, bool searched);

typedef enum DynExpectation
{
	DYN_EXPECTED_TEXT,
	DYN_EXPECTED_UNKNOWN,		/* the column's value does not fit it */
	DYN_EXPECTED_NOTHING		/* it is NULL, or has no spelling there */
} DynExpectation;

/*
 * The text that the part must have, in CurrentMemoryContext.  A column that is a
 * part of a text that is not cut is not known.
 */
extern DynExpectation dyn_expected_text(DynCuttings *all,
										const DynPlaceholderCheck *check,
										DynText *text);

/* The text of a part, as a value. */
extern void dyn_parsed_attr_value(DynValue *value, const DynParsedAttr *parsed,
								  int part);

static inline bool
dyn_parsed_attr_matches(const DynParsedAttr *parsed)
{
	return parsed->done && parsed->split == DYN_SPLIT_MATCHES;
}

#endif
