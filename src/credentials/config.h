/*
 * config.h
 *		Reads the files of AWS's tools: ~/.aws/config, ~/.aws/credentials.
 */
#ifndef DYN_CREDENTIALS_CONFIG_H
#define DYN_CREDENTIALS_CONFIG_H

#include "../aws/error.h"
#include "../base/buffer.h"

typedef enum DynIniKind
{
	DYN_INI_PLAIN,				/* [name] */
	DYN_INI_PROFILE,			/* [profile name] */
	DYN_INI_SSO_SESSION,		/* [sso-session name] */
	DYN_INI_OTHER				/* any other section; ignored */
} DynIniKind;

/* A key, or the start of a section.  The strings point into DynIni.text. */
typedef struct DynIniEntry
{
	DynIniKind	kind;			/* kind of the entry's section */
	const char *section;		/* name of the section */
	const char *key;			/* lower-case key; NULL at a section's start */
	const char *value;			/* value, maybe of several lines.  A comment in
								 * the first line is removed, except for
								 * credential_process, as in the AWS CLI */
} DynIniEntry;

/* A parsed file.  A zero-initialized DynIni has no sections. */
typedef struct DynIni
{
	DynBuffer	text;			/* text of the file, modified by parsing */
	DynIniEntry *entries;		/* entries in the order of the file */
	size_t		n;
	size_t		cap;
} DynIni;

/* Returns the position (from 1) of the section's last header, or 0. */
extern size_t dyn_ini_place(const DynIni *ini, DynIniKind kind,
							const char *name);

/*
 * Returns the last value of the key in all sections of this kind and name;
 * NULL if no section has the key, or its last value is empty.
 */
extern const char *dyn_ini_value(const DynIni *ini, DynIniKind kind,
								 const char *name, const char *key);

typedef enum DynConfigFile
{
	DYN_CONFIG_CREDENTIALS,
	DYN_CONFIG_CONFIG
} DynConfigFile;

/* Must be zero-initialized.  A file that does not exist has no sections. */
typedef struct DynConfig
{
	char	   *paths[2];		/* paths in the order of DynConfigFile; NULL if
								 * the user has no home directory */
	DynIni		files[2];
} DynConfig;

/*
 * Reads both files, from the paths in AWS_SHARED_CREDENTIALS_FILE and
 * AWS_CONFIG_FILE if these are set.  Returns false, with *err set and *config
 * empty, if a file cannot be read or is malformed.
 */
extern bool dyn_config_load(DynConfig *config, DynError *err);

extern bool dyn_config_has_profile(const DynConfig *config,
								   const char *profile);

/* Reports in *err that the profile does not exist, and returns false. */
extern bool dyn_config_no_profile(const DynConfig *config, const char *profile,
								  DynError *err);

/* Returns a key's value in a profile; NULL if the key has no value. */
extern const char *dyn_config_value_of(const DynConfig *config,
									   DynConfigFile file, const char *profile,
									   const char *key);

/*
 * Returns the file's path, for messages.  If the operating-system user has no
 * home directory, the default path is relative, such as ".aws/config".
 */
extern const char *dyn_config_path(const DynConfig *config,
								   DynConfigFile file);

extern void dyn_config_clear(DynConfig *config);

#endif
