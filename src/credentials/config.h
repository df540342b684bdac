/*
 * config.h
 *		Reads the two files of AWS's tools: ~/.aws/config and
 *		~/.aws/credentials.
 */
#ifndef DYN_CREDENTIALS_CONFIG_H
#define DYN_CREDENTIALS_CONFIG_H

#include "ini.h"

typedef enum DynConfigFile
{
	DYN_CONFIG_CREDENTIALS,
	DYN_CONFIG_CONFIG
} DynConfigFile;

/*
 * The contents of both files.  Zero-initialize the struct.  A file that does
 * not exist has no sections.
 */
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

/*
 * Returns the value of AWS_PROFILE or, if it is not set, of
 * AWS_DEFAULT_PROFILE, with *is_named true; if neither is set, "default", with
 * *is_named false.
 */
extern const char *dyn_config_profile_name(bool *is_named);

/*
 * Returns false with *err set if AWS_PROFILE and AWS_DEFAULT_PROFILE name
 * different profiles: AWS's tools disagree about which one applies.
 */
extern bool dyn_config_names_agree(DynError *err);

extern bool dyn_config_has_profile(const DynConfig *config,
								   const char *profile);

/* Reports in *err that the profile does not exist, and returns false. */
extern bool dyn_config_no_profile(const DynConfig *config, const char *profile,
								  DynError *err);

/*
 * These functions return a key's value in a profile; NULL if the value is
 * missing or empty.  dyn_config_value searches the credentials file, then the
 * config file; dyn_config_value_of searches one file.
 */
extern const char *dyn_config_value(const DynConfig *config,
									const char *profile, const char *key);
extern const char *dyn_config_value_of(const DynConfig *config,
									   DynConfigFile file, const char *profile,
									   const char *key);

/*
 * Returns the file's path, for messages; the default path relative to a home
 * directory if the operating-system user has none.
 */
extern const char *dyn_config_path(const DynConfig *config,
								   DynConfigFile file);

/*
 * Returns, for messages, the path of the file in which dyn_config_value finds
 * the key.
 */
extern const char *dyn_config_path_of(const DynConfig *config,
									  const char *profile, const char *key);

/* Overwrites the contents of the files in memory, and frees everything. */
extern void dyn_config_clear(DynConfig *config);

#endif
