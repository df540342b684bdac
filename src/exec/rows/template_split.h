/*
 * template_split.h
 *		Splits an item's templated attributes into the parts of their
 *		templates.
 *
 * Used only by template_parts.c, which decides whether the item is a row.  If
 * a part's column is read from another attribute, the part must be the
 * encoding of the column's value.  So the attribute from which a column is
 * read is split before other attributes that contain the column.  If
 * attributes depend on each other in a cycle, all ways to split them are
 * searched.
 */
#ifndef DYN_EXEC_TEMPLATE_SPLIT_H
#define DYN_EXEC_TEMPLATE_SPLIT_H

#include "template_parts.h"

/* The split of a templated attribute of the current item. */
typedef struct DynParsedAttr
{
	const DynTemplatedAttr *templated;
	Bitmapset  *cycle;			/* templates in its dependency cycle; NULL if
								 * it is in none, or is decisive (DynParts) */
	bool		searched;		/* true if dyn_find_ways splits it */
	bool		unresolved;		/* true if the attribute matches only if a part
								 * contains its own separator */
	int			slot;
	bool		busy;			/* true while the attributes on which this
								 * attribute depends are being split */
	bool		done;			/* true if the members below are valid */
	DynSplit	split;
	bool		impossible;		/* true if a part's column is NULL, or has a
								 * value that the part cannot encode */
	bool		absent;
	bool		no_text;		/* true if the item's attribute has a type that
								 * the template cannot match, such as a map */
	bool		nul;			/* true if `text` contains U+0000 */
	DynText		text;
	char	   *space;			/* buffer for a `text` that had escapes */
	size_t		capacity;
	DynText		texts[DYN_TEMPLATE_MAX_PARTS];
} DynParsedAttr;

/* Check of a part whose column is read from another attribute. */
typedef struct DynPlaceholderCheck
{
	int			templated;		/* number of the template */
	int			part;
	DynColumn  *column;
	int			slot;			/* column's slot; -1 if read from a part */
} DynPlaceholderCheck;

struct DynParts
{
	DynRelation *relation;
	MemoryContext context;
	MemoryContext scratch;		/* encoded values, until the next item */
	const DynValue *values;		/* values of the current item */
	DynParsedAttr *attrs;		/* one for each of relation->templated */
	int			nchecks;
	DynPlaceholderCheck *checks;
	Bitmapset  *decisive;		/* the table's key attributes, and those on
								 * which they depend: they decide whether an
								 * item is a row */
	bool		entangled;		/* true if decisive attributes share columns */
	bool		unsure;			/* true if a part of the current item is
								 * DYN_EXPECTED_UNKNOWN */
	DynMismatch mismatch;		/* mismatch of the current item */
};

/* Begins the next item, with unsplit attributes. */
extern void dyn_parts_reset(DynParts *parts, const DynValue *values);

/* Splits templated attribute `i`, after the attributes on which it depends. */
extern void dyn_split_attr(DynParts *parts, int i);

/*
 * Returns false if two parts have different values for one column.  The value
 * of the part from which the column is read, if known, is compared with parts
 * of the attributes that dyn_find_ways splits if `searched` is true, and
 * otherwise with parts of the table's key attributes.
 */
extern bool dyn_parts_agree(DynParts *parts, bool searched);

typedef enum DynExpectation
{
	DYN_EXPECTED_TEXT,
	DYN_EXPECTED_UNKNOWN,		/* the column has a mismatch, or is read from
								 * an attribute that is not split yet */
	DYN_EXPECTED_NOTHING		/* the column is NULL, or the part cannot
								 * encode the column's value */
} DynExpectation;

/*
 * Returns what is known about the text that the checked part must have.
 * Stores a known text in *text, in CurrentMemoryContext.
 */
extern DynExpectation dyn_expected_text(DynParts *parts,
										const DynPlaceholderCheck *check,
										DynText *text);

/* Stores the text of a part as a value. */
extern void dyn_parsed_attr_value(DynValue *value, const DynParsedAttr *parsed,
								  int part);

static inline bool
dyn_parsed_attr_matches(const DynParsedAttr *parsed)
{
	return parsed->done && parsed->split == DYN_SPLIT_MATCHES;
}

/* ---- search ---- */

/*
 * Result of a search for all ways to split attributes.  A way is a guess if a
 * part contains its own separator: CUSTOMER#o#neil matches CUSTOMER#${name}
 * only if the part, o#neil, contains #.  Another part of the same column, such
 * as one in the other key attribute, can confirm or contradict the guess.
 */
typedef enum DynWaysFound
{
	DYN_WAYS_NONE,				/* attributes do not match or do not agree */
	DYN_WAYS_ONE,				/* one way to split the attributes */
	DYN_WAYS_SEVERAL,			/* several ways, or too many steps, or one way
								 * with a guess that is not confirmed */
	DYN_WAYS_UNRESOLVED			/* attributes do not agree, and one of them
								 * matches only with a guess */
} DynWaysFound;

/*
 * Searches all ways to split the given attributes of the current item.  This
 * is needed if the attributes cannot be split one by one, or do not agree.  If
 * the result is SEVERAL, *about is the attribute that a message should name.
 * Sets `unresolved` of each attribute.  Allocates in CurrentMemoryContext.
 */
extern DynWaysFound dyn_find_ways(DynParts *parts, const Bitmapset *attrs,
								  const DynParsedAttr **about);

#endif
