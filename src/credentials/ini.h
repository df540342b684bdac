/*
 * ini.h
 *		Parses the format of ~/.aws/config and ~/.aws/credentials.
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
	DYN_INI_OTHER				/* any other section; ignored */
} DynIniKind;

/*
 * The start of a section, or a key.  The strings point into DynIni.text.
 */
typedef struct DynIniEntry
{
	DynIniKind	kind;			/* kind of the entry's section */
	const char *section;		/* name of the section */
	const char *key;			/* lower-case key; NULL at a section's start */
	const char *value;			/* value; continuation lines are separated by
								 * line feeds.  A comment in the line of the
								 * key is part of the value only for
								 * credential_process, as in the AWS CLI */
} DynIniEntry;

/* A parsed file.  If zero-initialized, it has no sections. */
typedef struct DynIni
{
	DynBuffer	text;			/* text of the file, modified by parsing */
	DynIniEntry *entries;		/* entries in the order of the file */
	size_t		n;
	size_t		cap;
} DynIni;

/*
 * Parses the text, which moves into *ini and must be followed by a NUL.  If
 * `prefixes` is true, the first of several words between a section's brackets
 * is the section's kind, as in the config file; otherwise all sections are
 * PLAIN, as in the credentials file.  On failure, returns false with *ini
 * empty, and *err naming `file` and the line.
 */
extern bool dyn_ini_parse(DynIni *ini, DynBuffer *text, bool prefixes,
						  const char *file, DynError *err);

/*
 * Returns the position of the last section of this kind and name; later
 * sections have greater positions.  Returns 0 if there is none.
 */
extern size_t dyn_ini_place(const DynIni *ini, DynIniKind kind,
							const char *name);

/*
 * Returns the last value of the key in all sections of this kind and name;
 * NULL if there is none, or the last one is empty.
 */
extern const char *dyn_ini_value(const DynIni *ini, DynIniKind kind,
								 const char *name, const char *key);

/* Frees everything; overwrites the text. */
extern void dyn_ini_clear(DynIni *ini);

#endif
