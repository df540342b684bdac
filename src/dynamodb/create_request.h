/*
 * create_request.h
 *		Writes the request document of CreateTable.
 */
#ifndef DYN_DYNAMODB_CREATE_REQUEST_H
#define DYN_DYNAMODB_CREATE_REQUEST_H

#include "../base/buffer.h"
#include "metadata.h"

/*
 * Writes the CreateTable request for `table`, of which only the name, the key
 * and the indexes are used (their names, kinds, keys and projections).  The
 * table is billed on demand.  An attribute must have the same type in all
 * keys.  The caller checks buf->failed.
 */
extern void dyn_write_create_table(DynBuffer *buf, const DynTableMeta *table);

#endif
