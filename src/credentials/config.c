/*
 * config.c
 *		Reads the two files of AWS's tools: ~/.aws/config and
 *		~/.aws/credentials.
 *
 * A profile consists of the values under its name in both files.  In the
 * config file, a profile's section is [profile name]; the section of the
 * default profile may also be [default].  In the credentials file, a profile's
 * section is [name].
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "provider_response.h"
#include "files.h"

static const struct
{
	const char *variable;
	const char *below_home;
	bool		prefixes;
}			kinds[] =
{
	[DYN_CONFIG_CREDENTIALS] =
	{"AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials", false},
	[DYN_CONFIG_CONFIG] =
	{"AWS_CONFIG_FILE", ".aws/config", true}
};

/*
 * Loads a file.  A file below the home directory is regarded as missing if the
 * operating-system user has no home directory, as in some containers.
 */
static bool
load_file(DynConfig *config, DynConfigFile file, DynError *err)
{
	const char *named = dyn_response_environment(kinds[file].variable);
	DynBuffer	text;
	char	   *path;

	if (named == NULL)
		path = dyn_file_below_home(kinds[file].below_home, err);
	else if (strncmp(named, "~/", 2) == 0)
		path = dyn_file_below_home(named + 2, err);
	else if ((path = strdup(named)) == NULL)
		dyn_error_memory(err);
	config->paths[file] = path;
	if (path == NULL)
		return !err->out_of_memory && !err->passing;
	switch (dyn_file_read(path, DYN_FILE_LONGEST_CONFIG, &text, err))
	{
		case DYN_FILE_READ:
			return dyn_ini_parse(&config->files[file], &text,
								 kinds[file].prefixes, path, err);
		case DYN_FILE_MISSING:
			return true;
		case DYN_FILE_FAILED:
			break;
	}
	return false;
}

bool
dyn_config_load(DynConfig *config, DynError *err)
{
	if (load_file(config, DYN_CONFIG_CREDENTIALS, err) &&
		load_file(config, DYN_CONFIG_CONFIG, err))
		return true;
	dyn_config_clear(config);
	return false;
}

void
dyn_config_clear(DynConfig *config)
{
	for (int i = 0; i < 2; i++)
	{
		dyn_ini_clear(&config->files[i]);
		free(config->paths[i]);
	}
	memset(config, 0, sizeof(*config));
}

const char *
dyn_config_profile_name(bool *is_named)
{
	const char *name = dyn_response_environment("AWS_PROFILE");

	if (name == NULL)
		name = dyn_response_environment("AWS_DEFAULT_PROFILE");
	*is_named = name != NULL;
	return name ? name : "default";
}

bool
dyn_config_names_agree(DynError *err)
{
	const char *name = dyn_response_environment("AWS_PROFILE");
	const char *other = dyn_response_environment("AWS_DEFAULT_PROFILE");

	if (name == NULL || other == NULL || strcmp(name, other) == 0)
		return true;
	dyn_error_set(err, "environment variables AWS_PROFILE and "
				  "AWS_DEFAULT_PROFILE name different profiles, \"%s\" and "
				  "\"%s\"", name, other);
	return dyn_error_hint(err, "Remove one of them from the environment of the server, or set the profile in the user mapping.");
}

/*
 * Returns the kind of the profile's section in the file.  If the config file
 * has both [default] and [profile default], the later one applies, as in the
 * AWS CLI.
 */
static DynIniKind
kind_of(const DynConfig *config, DynConfigFile file, const char *profile)
{
	const DynIni *ini = &config->files[file];

	if (file == DYN_CONFIG_CREDENTIALS ||
		(strcmp(profile, "default") == 0 &&
		 dyn_ini_place(ini, DYN_INI_PLAIN, profile) >=
		 dyn_ini_place(ini, DYN_INI_PROFILE, profile)))
		return DYN_INI_PLAIN;
	return DYN_INI_PROFILE;
}

bool
dyn_config_has_profile(const DynConfig *config, const char *profile)
{
	DynConfigFile file;

	for (file = DYN_CONFIG_CREDENTIALS; file <= DYN_CONFIG_CONFIG; file++)
		if (dyn_ini_place(&config->files[file], kind_of(config, file, profile),
						  profile) > 0)
			return true;
	return false;
}

bool
dyn_config_no_profile(const DynConfig *config, const char *profile,
					  DynError *err)
{
	const char *const *paths = (const char *const *) config->paths;
	char		user[64];

	dyn_file_user(user, sizeof(user));
	if (paths[0] == NULL && paths[1] == NULL)
	{
		dyn_error_set(err, "profile \"%s\" does not exist: the operating-"
					  "system user \"%s\" has no home directory", profile,
					  user);
		return dyn_error_hint(err, "Set AWS_CONFIG_FILE or AWS_SHARED_CREDENTIALS_FILE in the environment of the server.");
	}
	if (paths[0] == NULL || paths[1] == NULL)
		dyn_error_set(err, "profile \"%s\" does not exist in file \"%s\"",
					  profile, paths[0] ? paths[0] : paths[1]);
	else
		dyn_error_set(err, "profile \"%s\" exists neither in file \"%s\" nor "
					  "in file \"%s\"", profile, paths[DYN_CONFIG_CONFIG],
					  paths[DYN_CONFIG_CREDENTIALS]);
	/* a common mistake is [name] in the config file */
	if (dyn_ini_place(&config->files[DYN_CONFIG_CONFIG], DYN_INI_PLAIN,
					  profile) > 0)
		return dyn_error_hint(err, "In file \"%s\", write [profile %s] "
							  "instead of [%s].",
							  paths[DYN_CONFIG_CONFIG], profile, profile);
	return dyn_error_hint(err, "The server reads the files of its operating-system user \"%s\".", user);
}

const char *
dyn_config_value_of(const DynConfig *config, DynConfigFile file,
					const char *profile, const char *key)
{
	return dyn_ini_value(&config->files[file], kind_of(config, file, profile),
						 profile, key);
}

const char *
dyn_config_value(const DynConfig *config, const char *profile, const char *key)
{
	const char *value = dyn_config_value_of(config, DYN_CONFIG_CREDENTIALS,
											profile, key);

	return value ? value :
		dyn_config_value_of(config, DYN_CONFIG_CONFIG, profile, key);
}

const char *
dyn_config_path(const DynConfig *config, DynConfigFile file)
{
	return config->paths[file] ? config->paths[file] : kinds[file].below_home;
}

const char *
dyn_config_path_of(const DynConfig *config, const char *profile,
				   const char *key)
{
	return dyn_config_path(config, dyn_config_value_of(config,
													   DYN_CONFIG_CREDENTIALS,
													   profile, key) ?
						   DYN_CONFIG_CREDENTIALS : DYN_CONFIG_CONFIG);
}
