/*
 * byte_key.h
 *		Hash tables (dynahash) whose keys are strings of bytes, compared in
 *		full.
 *
 * The entry begins with a DynByteKey; the caller that enters it owns what it
 * points to.
 */
#ifndef DYN_EXEC_BYTE_KEY_H
#define DYN_EXEC_BYTE_KEY_H

typedef struct DynByteKey
{
	const char *data;
	Size		len;
} DynByteKey;

/* Creates an empty table in `context`, which it does not make a child of. */
extern struct HTAB *dyn_byte_key_table(const char *name, long nelem,
									   Size entrysize, MemoryContext context);

#endif
