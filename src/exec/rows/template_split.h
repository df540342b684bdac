/*
 * template_split.h
 *		Splits an item's templated attributes into the parts of their
 *		templates.
 *
 * Used only by template_parts.c, which decides whether the item is a row.  A
 * column in a template may be read from another attribute.  Then the other
 * attribute is split first, and the template's part must be the encoding of
 * the column's value.  If attributes depend on each other in a cycle, all ways
 * to split them are searched.
 */
#ifndef DYN_EXEC_TEMPLATE_SPLIT_H
#define DYN_EXEC_TEMPLATE_SPLIT_H

#include "template_parts.h"

/* The split of a templated attribute of the current item. */
typedef struct DynParsedAttr
{
	const DynTemplatedAttr *templated;
	Bitmapset  *cycle;			/* templates of the cycle to which this one
								 * belongs: each has a column that is read from
								 * the next one.  NULL if there is no cycle, or
								 * for a template in DynParts.decisive */
	bool		searched;		/* true if dyn_find_ways splits it */
	bool		unresolved;		/* true if the string cannot be split unless
								 * the value of some part contains the
								 * separator that delimits that part */
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
	Bitmapset  *decisive;		/* attributes that decide whether an item is
								 * a row: the table's key attributes, and
								 * those needed to split them */
	bool		entangled;		/* true if decisive attributes share columns */
	bool		unsure;			/* true if the expected text of some part is
								 * unknown (DYN_EXPECTED_UNKNOWN) */
	DynMismatch mismatch;		/* mismatch of the current item */
};

/* Begins the next item: marks all templated attributes as not yet split. */
extern void dyn_parts_reset(DynParts *parts, const DynValue *values);

/* Splits templated attribute `i`, and first those on which it depends. */
extern void dyn_split_attr(DynParts *parts, int i);

/*
 * Returns false if a part has another value than the part from which its
 * column is read.  Ignores parts whose column has no known value.  Checks the
 * parts of the attributes that dyn_find_ways splits (`searched` is true), or
 * of the table's key attributes (`searched` is false).
 */
extern bool dyn_parts_agree(DynParts *parts, bool searched);

typedef enum DynExpectation
{
	DYN_EXPECTED_TEXT,
	DYN_EXPECTED_UNKNOWN,		/* the column's value is invalid, or the
								 * attribute from which the column is read is
								 * not split yet */
	DYN_EXPECTED_NOTHING		/* the column is NULL, or the part cannot
								 * encode the column's value */
} DynExpectation;

/* Stores the part's expected text in *text, in CurrentMemoryContext. */
extern DynExpectation dyn_expected_text(DynParts *parts,
										const DynPlaceholderCheck *check,
										DynText *text);

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
 * part contains its separator (template_text.h): CUSTOMER#o#neil matches
 * CUSTOMER#${name} only if the name is o#neil, which contains the separator #.
 * Another part of the same column can confirm or contradict the guess.
 */
typedef enum DynWaysFound
{
	DYN_WAYS_NONE,				/* no split is possible in which every column
								 * has the same value at all its places */
	DYN_WAYS_ONE,				/* one way to split the attributes */
	DYN_WAYS_SEVERAL,			/* more than one way, or uncertain: the search
								 * needs too many steps, or the only way uses a
								 * guess that no other part confirms */
	DYN_WAYS_UNRESOLVED			/* no way gives each column a single value, and
								 * some attribute matches its template only
								 * with a guess */
} DynWaysFound;

/*
 * Searches all ways to split the given attributes of the current item, if
 * splitting one by one fails, or gives a column several values.  If the result
 * is SEVERAL, *about is the attribute to name in a message.  Sets `unresolved`
 * of each attribute.  Allocates in CurrentMemoryContext.
 */
extern DynWaysFound dyn_find_ways(DynParts *parts, const Bitmapset *attrs,
								  const DynParsedAttr **about);

#endif
