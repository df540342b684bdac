/*
 * item_record.c
 *		Writes an item's slots into a bytea, and reads them again.
 */
#include "postgres.h"

#include "../../model/server/pg_compat.h"
#include "item_record.h"

static bool
has_contents(uint8 type)
{
	return type != DYN_TYPE_ABSENT && type != DYN_TYPE_BOOL &&
		type != DYN_TYPE_NULL;
}

Size
dyn_item_record_size(const DynValue *slots, int nslots)
{
	Size		size = VARHDRSZ;

	for (int i = 0; i < nslots; i++)
		size += has_contents(slots[i].type)
			? 2 + sizeof(uint32) + slots[i].len : 2;
	return size;
}

void
dyn_item_record_write(bytea *record, const DynValue *slots, int nslots)
{
	char	   *p = VARDATA(record);

	for (int i = 0; i < nslots; i++)
	{
		*p++ = (char) slots[i].type;
		*p++ = (char) slots[i].flags;
		if (!has_contents(slots[i].type))
			continue;
		memcpy(p, &slots[i].len, sizeof(uint32));
		p += sizeof(uint32);
		memcpy(p, slots[i].data, slots[i].len);
		p += slots[i].len;
	}
	SET_VARSIZE(record, p - (char *) record);
}

void
dyn_item_record_read(const bytea *record, DynValue *slots, int nslots)
{
	const char *p = VARDATA_ANY(record);

	for (int i = 0; i < nslots; i++)
	{
		slots[i].type = (uint8) *p++;
		slots[i].flags = (uint8) *p++;
		slots[i].len = 0;
		if (has_contents(slots[i].type))
		{
			memcpy(&slots[i].len, p, sizeof(uint32));
			p += sizeof(uint32);
		}
		slots[i].data = p;
		p += slots[i].len;
	}
	Assert(p == (const char *) VARDATA_ANY(record) + VARSIZE_ANY_EXHDR(record));
}
