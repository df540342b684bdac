/*
 * documents.h
 *		The column option document: the item as jsonb, either all attributes
 *		or those that other columns do not show.
 *
 * A document is never NULL; it is {} if all attributes are excluded.
 */
#ifndef DYN_MODEL_DOCUMENTS_H
#define DYN_MODEL_DOCUMENTS_H

#include "relation.h"

/*
 * Returns the attributes that the rest excludes, in CurrentMemoryContext.
 * These are attributes that other columns show completely, those of templates,
 * and those that the item filter compares.  Attributes shown through a path
 * stay.
 *
 * The attribute of an unasserted template is excluded from an item's rest only
 * if its text equals that composed from the row's columns; otherwise it would
 * not be shown at all.  Sets `unasserted` of the templates.
 */
extern DynNames *dyn_attributes_shown(DynRelation *relation);

/*
 * Returns true if the attribute (UTF-8) is not in this document.  Also returns
 * true if that depends on the item, so that only the complete document shows
 * it.
 */
extern bool dyn_document_lacks(const DynColumn *column, const char *attribute);

#endif
