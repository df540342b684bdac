/*
 * template_parts.h
 *		Reads the parts of an item's templated attributes.
 *
 * A part is the text of one placeholder: in ORDER#17, which matches the
 * template ORDER#${id}, the part is 17.  The table's key attributes are split
 * into parts when the item arrives, since they decide whether the item is a
 * row.  Other attributes are usually split when a column needs them.  The
 * parts live until the next item.
 */
#ifndef DYN_EXEC_TEMPLATE_PARTS_H
#define DYN_EXEC_TEMPLATE_PARTS_H

#include "../../dynamodb/names.h"
#include "../../dynamodb/template_text.h"
#include "../../model/tables/relation.h"

typedef struct DynParts DynParts;

/* Result of matching an item to the table's templates. */
typedef enum DynRowMatch
{
	DYN_MATCH_ROW,
	DYN_MATCH_NOT_ROW,			/* usually an item of another entity */
	DYN_MATCH_AMBIGUOUS,		/* a key can be split in several ways */
	DYN_MATCH_MISMATCH			/* a part of a key is not valid for its column,
								 * or its template does not list the part */
} DynRowMatch;

/* Reason for a mismatch with a placeholder such as ${status:open|closed}. */
#define DYN_NOT_LISTED	"it is not among the values listed in the template"

typedef struct DynMismatch
{
	const char *attribute;		/* attribute name (UTF-8) */
	const DynValue *value;		/* value of the attribute */
	const DynColumn *column;	/* column that cannot represent the value */
	const char *why;			/* reason; NULL: DYN_NOT_LISTED */
} DynMismatch;

/*
 * Returns a DynParts, in CurrentMemoryContext.  needed[i] is true if template
 * i will be split.  paths[i] is the path whose value is in slot i of an item.
 * `paths` must contain all paths that dyn_templated_paths() returns.
 */
extern DynParts *dyn_parts_create(DynRelation *relation, const bool *needed,
								  const DynPath *paths, int npaths);

/*
 * Begins the next item, and returns whether it is a row.  If the result is
 * AMBIGUOUS or MISMATCH, *mismatch describes the attribute that causes it.
 * With on_mismatch 'null', an item that mismatches a key column is not a row.
 */
extern DynRowMatch dyn_parts_begin(DynParts *parts, const DynValue *values,
								   const DynMismatch **mismatch);

/*
 * Begins an item for sorting only: stores the text of part `part` of template
 * `i` in *text, valid until the next item.  Returns false if the attribute
 * does not match the template.  needed[i] of dyn_parts_create must be true.
 */
extern bool dyn_parts_text(DynParts *parts, const DynValue *values, int i,
						   int part, DynText *text);

/*
 * Stores the value of a column that is read from a part: the part's text, or
 * ABSENT if the item lacks the attribute.  If the attribute does not match the
 * template, or the text is not one of the values that the template lists,
 * returns false, with the reason in *why.
 */
extern bool dyn_parts_value(DynParts *parts, const DynColumn *column,
							DynValue *value, const char **why);

/* ---- unmapped attributes ---- */

/*
 * Stores in `omitted` the names that a column with document 'rest' omits for
 * the current item.  Such a column omits the names in `usual`, with one
 * exception: an `unasserted` attribute (template_columns.h) is shown if its
 * stored value differs from the text that its template composes.  `omitted`
 * has space for all names in `usual`.
 */
extern void dyn_parts_omitted(DynParts *parts, const DynNames *usual,
							  DynNames *omitted);

#endif
