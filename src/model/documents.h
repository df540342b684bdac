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
 * whole, and those that are compared to tell which items are rows.  What is
 * shown through a path stays.  In CurrentMemoryContext.
 */
extern DynNames *dyn_attributes_shown(const DynRelation *relation);

/* Is the attribute (UTF-8) not in this document, whatever the item? */
extern bool dyn_document_lacks(const DynColumn *column, const char *attribute);

#endif
