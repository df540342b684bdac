/*
 * item_record.h
 *		Stores a received item in one bytea.
 *
 * For each value (slot), the bytea has the type and flags, one byte each.  If
 * the type has contents, a length (four bytes) and the received bytes follow.
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
