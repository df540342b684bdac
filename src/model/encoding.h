/*
 * encoding.h
 *		Between the database's encoding and UTF-8, which is DynamoDB's.
 *
 * In a UTF8 database (and in SQL_ASCII, which promises nothing) every function
 * returns the text as it is.  Results are NUL-terminated when they are copies;
 * memory is CurrentMemoryContext's.
 */
#ifndef DYN_MODEL_ENCODING_H
#define DYN_MODEL_ENCODING_H

/* Does text have to be converted at all? */
extern bool dyn_encoding_differs(void);

/*
 * Has every text one form in UTF-8, and every form one text?  Some encodings of
 * several bytes read two characters of Unicode as the same one.
 */
extern bool dyn_encoding_is_one_to_one(void);

/* Do the bytes of texts sort as those of their forms in UTF-8? */
extern bool dyn_encoding_sorts_as_utf8(void);

/*
 * A value's UTF-8, in place of *text and *len.  False if it has none (a byte
 * without a character; in SQL_ASCII, what is not UTF-8) or is far too long for
 * an item.
 */
extern bool dyn_value_to_utf8(const char **text, size_t *len);

/* From the database's encoding; NUL-terminated input. */
extern const char *dyn_to_utf8(const char *text);

/* The same for a text with a length; *len is changed with it. */
extern const char *dyn_to_utf8_len(const char *text, size_t *len);

/*
 * To the database's encoding, in place of *text and *len.  False, with a reason
 * in *why, if it lacks a character.
 */
extern bool dyn_from_utf8(char **text, size_t *len, const char **why);

/* For people: characters that the encoding lacks become question marks. */
extern const char *dyn_from_utf8_lossy(const char *text);

#endif
