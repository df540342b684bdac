/*
 * documents.h
 *		The column option document: the item as jsonb, whole or what other
 *		columns leave of it.
 *
 * A document is never NULL; it is {} when nothing is left.
 */
#ifndef DYN_MODEL_DOCUMENTS_H
#define DYN_MODEL_DOCUMENTS_H

#include "relation.h"

/*
 * The attributes that the rest leaves out: those that other columns show
 * whole, those of templates, and those that are compared to tell which items
 * are rows.  What is shown through a path stays.  In CurrentMemoryContext.
 *
 * An unproven template's attribute is left out of an item's rest only if its
 * text is what the template gives for the row's columns, else nothing would
 * show it.  Sets `unproven` of the templates.
 */
extern DynNames *dyn_attributes_shown(DynRelation *relation);

/*
 * Is the attribute (UTF-8) not in this document?  Also true if that depends on
 * the item, so that only the whole document tells.
 */
extern bool dyn_document_lacks(const DynColumn *column, const char *attribute);

#endif
