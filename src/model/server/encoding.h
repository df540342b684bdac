/*
 * encoding.h
 *		Converts text between the database's encoding and DynamoDB's UTF-8.
 *
 * In a UTF8 database (and in SQL_ASCII, where the encoding is unknown) text is
 * not converted; the functions then return their argument.  Converted text is
 * NUL-terminated, and allocated in CurrentMemoryContext.
 */
#ifndef DYN_MODEL_ENCODING_H
#define DYN_MODEL_ENCODING_H

/* Returns true if text must be converted. */
extern bool dyn_encoding_differs(void);

/*
 * Converts a value to UTF-8, replacing *text and *len.  Returns false if a
 * character has no UTF-8 form, if a value in a SQL_ASCII database is not valid
 * UTF-8, or if the result could exceed MaxAllocSize.
 */
extern bool dyn_value_to_utf8(const char **text, size_t *len);

/* Converts NUL-terminated text from the database's encoding to UTF-8. */
extern const char *dyn_to_utf8(const char *text);

/* Converts *len bytes of text like dyn_to_utf8, and updates *len. */
extern const char *dyn_to_utf8_len(const char *text, size_t *len);

/*
 * Converts UTF-8 to the database's encoding, replacing *text and *len.  The
 * original bytes are not changed, and need not end with NUL.  Returns false,
 * with a reason in *why, if the encoding lacks a character.
 */
extern bool dyn_from_utf8(char **text, size_t *len, const char **why);

/* Converts a message; characters that the encoding lacks become "?". */
extern const char *dyn_from_utf8_lossy(const char *text);

#endif
