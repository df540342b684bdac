/*
 * item_record.h
 *		Stores a received item in one bytea.
 *
 * A slot is stored as its type and its flags, one byte each.  If the type has
 * contents, these follow as received, after their length (four bytes).
 */
#ifndef DYN_EXEC_FETCH_ITEM_RECORD_H
#define DYN_EXEC_FETCH_ITEM_RECORD_H

#include "../../dynamodb/attrvalue.h"

/* Returns the record's size in bytes, including its header. */
extern Size dyn_item_record_size(const DynValue *slots, int nslots);

/* Writes the slots to `record`, which has dyn_item_record_size() bytes. */
extern void dyn_item_record_write(bytea *record, const DynValue *slots, int nslots);

/* Reads the slots from the record; their data points into the record. */
extern void dyn_item_record_read(const bytea *record, DynValue *slots, int nslots);

#endif
