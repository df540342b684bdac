/*
 * template_parts.h
 *		The parts of an item's attributes that templates spell.
 *
 * A DynParts cuts the texts of one item at a time: those of the table's key
 * attributes when the item comes, since they decide whether it is a row, and
 * others when a column needs them.  The texts of parts live until the next
 * item.
 */
#ifndef DYN_EXEC_TEMPLATE_PARTS_H
#define DYN_EXEC_TEMPLATE_PARTS_H

#include "../../dynamodb/template_text.h"
#include "../../model/tables/relation.h"

typedef struct DynParts DynParts;

/* Why an item is a row, or is none. */
typedef enum DynRowMatch
{
	DYN_MATCH_ROW,
	DYN_MATCH_NOT_ROW,			/* its key is that of another entity */
	DYN_MATCH_AMBIGUOUS,		/* a key attribute may be read in several ways */
	DYN_MATCH_MISMATCH			/* a part is no value of its column */
} DynRowMatch;

/* What is wrong with an item; of the item in hand. */
typedef struct DynMismatch
{
	const char *attribute;		/* UTF-8 */
	const DynValue *value;		/* of the attribute */
	const DynColumn *column;	/* of a mismatch */
	const char *why;			/* NULL: it is outside of the enumeration */
} DynMismatch;

/*
 * The parts of the templates needed[i]; `paths` are the slots of an item, among
 * which are those of dyn_templated_paths().  CurrentMemoryContext.
 */
extern DynParts *dyn_parts_create(DynRelation *relation, const bool *needed,
								  const DynPath *paths, int npaths);

/*
 * Begins the next item.  *misfit tells why it is ambiguous or a mismatch.  If the
 * column says on_mismatch 'null', an item that would be a mismatch is no row.
 */
extern DynRowMatch dyn_parts_begin(DynParts *parts, const DynValue *values,
								   const DynMismatch **mismatch);

/*
 * Begins an item to compare it with others: *text is a part of template i, which
 * is needed, as long as this item is in hand.  False if the text does not fit.
 */
extern bool dyn_parts_text(DynParts *parts, const DynValue *values, int i,
						   int part, DynText *text);

/*
 * The value of a column that is read from a part: its text, ABSENT if the item
 * lacks the attribute.  Returns false if the attribute's text does not fit the
 * template, or its enumeration, with a reason in *why.
 */
extern bool dyn_parts_value(DynParts *parts, const DynColumn *column,
							DynValue *value, const char **why);

/*
 * Is the text of the item's attribute what template i gives for the values that
 * the row's columns have?  Of a folded part only ASCII letters are known.
 */
extern bool dyn_parts_reproduce(DynParts *parts, int i);

#endif
