/*
 * config.h
 *		The two files of AWS's tools: ~/.aws/config and ~/.aws/credentials.
 */
#ifndef DYN_CREDENTIALS_CONFIG_H
#define DYN_CREDENTIALS_CONFIG_H

#include "ini.h"

typedef enum DynConfigFile
{
	DYN_CONFIG_CREDENTIALS,
	DYN_CONFIG_CONFIG
} DynConfigFile;

/* Zero-initialise it; a file that does not exist has no sections. */
typedef struct DynConfig
{
	char	   *paths[2];		/* in the order of DynConfigFile; NULL if it is
								 * below a home directory that nobody has */
	DynIni		files[2];
} DynConfig;

/*
 * Reads both, from where AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE say.
 * Returns false, with *fault set and *config empty, if one cannot be read or
 * is malformed.
 */
extern bool dyn_config_load(DynConfig *config, DynError *err);

/* AWS_PROFILE, AWS_DEFAULT_PROFILE or "default"; is it one of the former? */
extern const char *dyn_config_profile_name(bool *is_named);

/*
 * AWS's tools disagree about which of both variables wins.  Returns false with
 * *fault set if they name different profiles.
 */
extern bool dyn_config_names_agree(DynError *err);

extern bool dyn_config_has_profile(const DynConfig *config,
								   const char *profile);

/* For a profile that does not exist: sets *fault. */
extern bool dyn_config_no_profile(const DynConfig *config, const char *profile,
								  DynError *err);

/* A value of a profile, or NULL; the credentials file wins over the other. */
extern const char *dyn_config_value(const DynConfig *config,
									const char *profile, const char *key);
extern const char *dyn_config_value_of(const DynConfig *config,
									   DynConfigFile file, const char *profile,
									   const char *key);

/* For messages: its path, or where it would be in a home directory. */
extern const char *dyn_config_path(const DynConfig *config,
								   DynConfigFile file);

/* The same of the file that dyn_config_value finds the key in. */
extern const char *dyn_config_path_of(const DynConfig *config,
									  const char *profile, const char *key);

/* Overwrites and frees everything. */
extern void dyn_config_clear(DynConfig *config);

#endif
