/*
 * template_split.h
 *		Splits the texts of an item's attributes by their templates.
 *
 * Texts are split one after the other, each in the one way that its template
 * has.  Those that others depend on come first: a part whose column is read
 * from elsewhere must have the encoding of that value, and ends where that
 * ends.
 */
#ifndef DYN_EXEC_TEMPLATE_SPLIT_H
#define DYN_EXEC_TEMPLATE_SPLIT_H

#include "../../dynamodb/template_text.h"
#include "../../model/tables/relation.h"

/* One attribute of the current item. */
typedef struct DynParsedAttr
{
	const DynTemplatedAttr *templated;
	bool		decisive;		/* the item filter tests it, or needs it */
	Bitmapset  *cycle;			/* cycle of templates that depend on each
								 * other, and are not decisive; NULL: in no
								 * cycle */
	bool		searched;		/* true if its ways are searched */
	bool		unresolved;		/* a part must contain its separator */
	int			slot;
	bool		busy;			/* true while its dependencies are split */
	bool		done;			/* fields below are for the current item */
	DynSplit	split;
	bool		impossible;		/* true if a column has no text for it */
	bool		absent;
	bool		no_text;		/* true if the value has another type */
	bool		nul;			/* true if the text has U+0000 */
	DynText		text;
	char	   *space;			/* buffer for a text without its escapes */
	size_t		capacity;
	DynText		texts[DYN_TEMPLATE_MAX_PARTS];
} DynParsedAttr;

/* A part whose column is read from elsewhere; both values must agree. */
typedef struct DynPlaceholderCheck
{
	int			templated;
	int			part;
	DynColumn  *column;
	int			slot;			/* column's slot, if it is not a part */
} DynPlaceholderCheck;

typedef struct DynItemSplit
{
	DynRelation *relation;
	MemoryContext context;
	MemoryContext scratch;		/* encoded values, until the next item */
	const DynValue *values;		/* values of the current item */
	DynParsedAttr *attrs;		/* as relation->templated */
	int			nchecks;		/* number of checks for the needed templates */
	DynPlaceholderCheck *checks;
	bool		entangled;		/* true if decisive texts share columns */
	bool		unsure;			/* true if the current item has a value that
								 * does not match a column of a template */
} DynItemSplit;

/* Initializes the split of the needed templates; see dyn_parts_create(). */
extern void dyn_item_split_init(DynItemSplit *all, DynRelation *relation,
								const bool *needed, const DynPath *paths,
								int npaths);

/* Begins the next item, with all texts unsplit. */
extern void dyn_item_split_begin(DynItemSplit *all, const DynValue *values);

/* Splits the text of template `i`, after those that it depends on. */
extern void dyn_split_attr(DynItemSplit *all, int i);

/*
 * True if parts of key attributes, or of searched texts, have the texts of
 * their columns, where these are parts and already known.
 */
extern bool dyn_item_split_agrees(DynItemSplit *all, bool searched);

typedef enum DynExpectation
{
	DYN_EXPECTED_TEXT,
	DYN_EXPECTED_UNKNOWN,		/* the column's value is mismatched */
	DYN_EXPECTED_NOTHING		/* the column is NULL, or has no encoding
								 * there */
} DynExpectation;

/*
 * Returns the text that the part must have, in CurrentMemoryContext.  A column
 * that is a part of an unsplit text is unknown.
 */
extern DynExpectation dyn_expected_text(DynItemSplit *all,
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
 * A column may occur in several texts, or several times in one:
 * CUSTOMER#${name} in both key attributes.  If a text matches only if a part
 * contains its separator, as CUSTOMER#o#neil does, the part is unknown; but
 * another occurrence of the column may decide it.
 */
typedef enum DynWaysFound
{
	DYN_WAYS_NONE,				/* text does not match, or texts disagree */
	DYN_WAYS_ONE,				/* decisive texts are split in one way */
	DYN_WAYS_SEVERAL,			/* several ways, or one that is not confirmed
								 * elsewhere */
	DYN_WAYS_UNRESOLVED			/* part must contain its separator, but no
								 * value of its column matches in all places */
} DynWaysFound;

/*
 * Searches all ways to split the decisive texts of the current item.  To be
 * called if one of them could not be split, or disagrees with others.  For
 * SEVERAL, *about is a text to name in a message; UNRESOLVED texts are marked.
 * Allocates in CurrentMemoryContext.
 */
extern DynWaysFound dyn_find_ways(DynItemSplit *all, const DynParsedAttr **about);

#endif
