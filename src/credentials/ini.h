/*
 * ini.h
 *		The format of ~/.aws/config and ~/.aws/credentials.
 */
#ifndef DYN_CREDENTIALS_INI_H
#define DYN_CREDENTIALS_INI_H

#include "../aws/error.h"
#include "../base/buffer.h"

typedef enum DynIniKind
{
	DYN_INI_PLAIN,				/* [name] */
	DYN_INI_PROFILE,			/* [profile name] */
	DYN_INI_SSO_SESSION,		/* [sso-session name] */
	DYN_INI_OTHER				/* not looked at */
} DynIniKind;

/* The strings are in the text of the file. */
typedef struct DynIniEntry
{
	DynIniKind	kind;			/* of the section that it is in */
	const char *section;		/* the name of that */
	const char *key;			/* in lower case; NULL: the section begins */
	const char *value;			/* with a line feed before each line that
								 * continues it; with a comment only if the key
								 * is credential_process, whose program gets
								 * it, as with the AWS CLI */
} DynIniEntry;

/* A file; zero-initialise it, as one without sections. */
typedef struct DynIni
{
	DynBuffer	text;			/* changed while it is parsed */
	DynIniEntry *entries;		/* in the order of the file, as it has them */
	size_t		n;
	size_t		cap;
} DynIni;

/*
 * Parses the text, which moves into *ini and must be followed by a NUL.  With
 * `prefixes`, the first word of a section's name says what it is, as in the
 * config file; without, all sections are PLAIN, as in the credentials file.
 * Returns false with *fault set, which names `file` and the line, and *ini
 * empty.
 */
extern bool dyn_ini_parse(DynIni *ini, DynBuffer *text, bool prefixes,
						  const char *file, DynError *err);

/* Where the last such section begins: more, the later; 0: there is none. */
extern size_t dyn_ini_place(const DynIni *ini, DynIniKind kind,
							const char *name);

/*
 * The last value of the key in all sections of that kind and name; NULL if
 * there is none, or it is empty.
 */
extern const char *dyn_ini_value(const DynIni *ini, DynIniKind kind,
								 const char *name, const char *key);

/* Overwrites and frees everything. */
extern void dyn_ini_clear(DynIni *ini);

#endif
