/*
 * profile.c
 *		Finds the provider chain of a profile in AWS's files.
 *
 * A profile with role_arn names the source of the credentials for assuming the
 * role: another profile, which may also have role_arn, or a source outside the
 * files.  We follow these profiles and collect the roles, of which the last
 * one found is assumed first.  The last profile determines the provider at the
 * start of the chain.
 *
 * If a profile has several of the following settings, the first one in this
 * list applies, as in AWS's tools:
 *
 *		1. role_arn with source_profile or credential_source
 *		2. web_identity_token_file with role_arn
 *		3. sso_account_id and sso_role_name
 *		4. keys in the credentials file
 *		5. credential_process
 *		6. keys in the config file
 *
 * There is one exception: a source profile with keys does not assume its role.
 * So a profile may be its own source if it has keys; any other cycle is an
 * error.
 *
 * A profile that needs a person's input (mfa_serial) is an error.  So are
 * contradictory and incomplete settings, because credentials from another
 * source could have rights other than those that the file specifies.
 */
#include "provider_chain.h"

#include <stdio.h>
#include <string.h>

#include <openssl/evp.h>

#include "../aws/credentials.h"
#include "../base/lengthof.h"
#include "machine.h"
#include "files.h"
#include "source_options.h"

/* Keys of a profile whose values must not have several lines. */
static const char *const line_keys[] = {
	"role_arn", "source_profile", "credential_source",
	"web_identity_token_file", "mfa_serial", "external_id",
	"role_session_name", "duration_seconds", "sso_session", "sso_start_url",
	"sso_region", "sso_account_id", "sso_role_name", "login_session"
};

typedef struct Resolver
{
	const DynConfig *config;
	const char *profile;		/* profile that is being read */
	const char *visited[DYN_MAX_CHAINED_ROLES + 1];
	int			nvisited;
	DynProviderChain *chain;
	DynError   *err;
} Resolver;

/* Returns a value of the profile, as dyn_config_value does. */
static const char *
value_of(const Resolver *resolver, const char *key)
{
	return dyn_config_value(resolver->config, resolver->profile, key);
}

/* ---- errors ----------------------------------------------------------- */

/*
 * Reports an error in a key; in the message, `what` follows the key, the
 * profile and the file.
 */
static DynFound
refuse_key(Resolver *resolver, const char *key, const char *what)
{
	return dyn_error_set(resolver->err, "key \"%s\" of profile \"%s\" in file \"%s\" %s",
						 key, resolver->profile,
						 dyn_config_path_of(resolver->config, resolver->profile, key), what);
}

/*
 * Reports that the profile has `key`, but lacks what `key` requires:
 * `missing`.
 */
static DynFound
refuse_without(Resolver *resolver, const char *key, const char *missing)
{
	return dyn_error_set(resolver->err, "profile \"%s\" in file \"%s\" has \"%s\", but "
						 "not %s", resolver->profile,
						 dyn_config_path_of(resolver->config, resolver->profile, key), key,
						 missing);
}

/* Reports that the profile has two keys of which only one can apply. */
static DynFound
refuse_both(Resolver *resolver, const char *key, const char *other)
{
	dyn_error_set(resolver->err, "profile \"%s\" has both \"%s\" and \"%s\"",
				  resolver->profile, key, other);
	return dyn_error_hint(resolver->err, "Remove one of the two.");
}

/* ---- access keys ------------------------------------------------------ */

/*
 * Reads the access key id, the secret and the session token from one file:
 * parts from different files would not belong together.
 */
static DynFound
find_keys(Resolver *resolver, DynConfigFile file)
{
	static const char *const keys[] = {
		"aws_access_key_id", "aws_secret_access_key", "aws_session_token",
		"aws_security_token"
	};
	const char *values[LENGTHOF(keys)];
	const char *path = resolver->config->paths[file];
	const char *bad;

	for (size_t i = 0; i < LENGTHOF(keys); i++)
		values[i] = dyn_config_value_of(resolver->config, file, resolver->profile,
										keys[i]);
	if (values[0] == NULL && values[1] == NULL)
		return DYN_FOUND_NOTHING;
	if (values[0] == NULL || values[1] == NULL)
		return dyn_error_set(resolver->err, "profile \"%s\" in file \"%s\" has \"%s\", "
							 "but not \"%s\"", resolver->profile, path,
							 keys[values[0] == NULL], keys[values[0] != NULL]);
	resolver->chain->provider_kind = DYN_PROVIDER_KEYS;
	if (dyn_credentials_set(&resolver->chain->keys, values[0], values[1],
							values[2] ? values[2] : values[3], &bad))
		return DYN_FOUND;
	if (bad == NULL)
		return dyn_error_memory(resolver->err);
	return dyn_error_set(resolver->err, "key \"aws_%s\" of profile \"%s\" in file "
						 "\"%s\" has several lines or a control character",
						 strcmp(bad, "session_token") == 0 && values[2] == NULL
						 ? "security_token" : bad, resolver->profile, path);
}

/* ---- SSO -------------------------------------------------------------- */

/*
 * Sets *path to the malloc'd path of the SSO token's file, whose name is the
 * SHA-1 of `hashed` in hexadecimal digits.
 */
static bool
find_cache_file(const char *hashed, char **path, DynError *err)
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned	size = 0;
	char		file[sizeof(".aws/sso/cache/.json") + 2 * EVP_MAX_MD_SIZE];
	int			at = snprintf(file, sizeof(file), ".aws/sso/cache/");
	unsigned	i;

	if (!EVP_Digest(hashed, strlen(hashed), digest, &size, EVP_sha1(), NULL))
		return dyn_error_set(err, "OpenSSL does not provide SHA-1, which is required to find the file with the SSO token");
	for (i = 0; i < size; i++)
		at += snprintf(file + at, sizeof(file) - (size_t) at, "%02x",
					   digest[i]);
	snprintf(file + at, sizeof(file) - (size_t) at, ".json");
	*path = dyn_file_below_home(file, err);
	return *path != NULL;
}

/*
 * Returns a value of the SSO session's section or, if the section does not
 * have the key, of the profile.
 */
static const char *
sso_value(const Resolver *resolver, const char *key)
{
	const char *session = value_of(resolver, "sso_session");
	const char *of_session = session ?
		dyn_ini_value(&resolver->config->files[DYN_CONFIG_CONFIG],
					  DYN_INI_SSO_SESSION, session, key) : NULL;

	return of_session ? of_session : value_of(resolver, key);
}

/*
 * If the profile names an SSO session, checks that the session has a section,
 * which must not contradict the values in the profile.
 */
static DynFound
check_session(Resolver *resolver)
{
	static const char *const keys[] = {"sso_start_url", "sso_region"};
	const char *session = value_of(resolver, "sso_session");

	if (session == NULL)
		return DYN_FOUND;
	if (dyn_ini_place(&resolver->config->files[DYN_CONFIG_CONFIG],
					  DYN_INI_SSO_SESSION, session) == 0)
	{
		dyn_error_set(resolver->err, "profile \"%s\" names the SSO session "
					  "\"%s\", which has no section in file \"%s\"",
					  resolver->profile, session,
					  dyn_config_path(resolver->config, DYN_CONFIG_CONFIG));
		return dyn_error_hint(resolver->err, "Create the section with \"aws configure sso-session\".");
	}
	for (size_t i = 0; i < LENGTHOF(keys); i++)
	{
		const char *own = value_of(resolver, keys[i]);

		if (own == NULL || strcmp(own, sso_value(resolver, keys[i])) == 0)
			continue;
		refuse_key(resolver, keys[i], "differs from the value in its SSO session");
		return dyn_error_hint(resolver->err, "Remove it from the profile.");
	}
	return DYN_FOUND;
}

static DynFound
find_sso(Resolver *resolver)
{
	/* the first two may also be in the session's section */
	static const char *const needed[] = {
		"sso_start_url", "sso_region", "sso_account_id", "sso_role_name"
	};
	const char *values[LENGTHOF(needed)];
	DynSsoProfile *sso = &resolver->chain->sso;
	bool		has_region;

	if (check_session(resolver) != DYN_FOUND)
		return DYN_FOUND_ERROR;
	for (size_t i = 0; i < LENGTHOF(needed); i++)
	{
		values[i] = i < 2 ? sso_value(resolver, needed[i])
			: value_of(resolver, needed[i]);
		if (values[i] != NULL)
			continue;
		dyn_error_set(resolver->err, "profile \"%s\" uses SSO, but has no \"%s\"",
					  resolver->profile, needed[i]);
		return dyn_error_hint(resolver->err, "SSO requires sso_account_id and sso_role_name in the profile, and sso_start_url and sso_region in the section of its sso_session or in the profile.");
	}
	/* check values that become parts of a URL or a message */
	has_region = dyn_role_is_region(values[1]);
	if (!has_region || strchr(values[0], '\n') != NULL)
		return dyn_error_set(resolver->err, "invalid value of \"%s\" in profile \"%s\" or its SSO session", needed[!has_region],
							 resolver->profile);
	resolver->chain->provider_kind = DYN_PROVIDER_SSO;
	if (!dyn_secret_copy(&sso->profile, resolver->profile) ||
		!dyn_secret_copy(&sso->session, value_of(resolver, "sso_session")) ||
		!dyn_secret_copy(&sso->start_url, values[0]) ||
		!dyn_secret_copy(&sso->region, values[1]) ||
		!dyn_secret_copy(&sso->account_id, values[2]) ||
		!dyn_secret_copy(&sso->role_name, values[3]))
		return dyn_error_memory(resolver->err);
	return find_cache_file(sso->session ? sso->session : sso->start_url,
						   &sso->cache_file, resolver->err) ? DYN_FOUND :
		DYN_FOUND_ERROR;
}

/* ---- roles ------------------------------------------------------------ */

/* Reads the profile's role into *role, which must be zeroed. */
static DynFound
read_role(Resolver *resolver, DynRole *role)
{
	const DynRole read = {
		(char *) value_of(resolver, "role_arn"),
		(char *) value_of(resolver, "role_session_name"),
		(char *) value_of(resolver, "external_id"), 0
	};
	const char *duration = value_of(resolver, "duration_seconds");

	if (!dyn_role_is_arn(read.arn))
		return refuse_key(resolver, "role_arn", "is not the ARN of a role");
	if (read.session_name && !dyn_role_is_session_name(read.session_name))
		return refuse_key(resolver, "role_session_name", "is not 2 to 64 letters, "
						  "digits or characters of _+=,.@-");
	if (read.external_id && !dyn_role_is_external_id(read.external_id))
		return refuse_key(resolver, "external_id", "is not 2 to 1224 letters, "
						  "digits or characters of _+=,.@:/-");
	if (!dyn_role_copy(role, &read))
		return dyn_error_memory(resolver->err);
	if (duration && !dyn_role_read_duration(duration, &role->duration))
		return refuse_key(resolver, "duration_seconds",
						  "is not a number from 900 to 43200");
	return DYN_FOUND;
}

/*
 * Adds the profile's role; the profile must have either source_profile or
 * credential_source.
 */
static DynFound
take_role(Resolver *resolver)
{
	DynProviderChain *chain = resolver->chain;
	bool		has_profile = value_of(resolver, "source_profile") != NULL;
	bool		has_source = value_of(resolver, "credential_source") != NULL;

	if (has_profile && has_source)
		return refuse_both(resolver, "source_profile", "credential_source");
	if (!has_profile && !has_source)
	{
		refuse_without(resolver, "role_arn", "source_profile, "
					   "credential_source or web_identity_token_file");
		return dyn_error_hint(resolver->err, "If the profile itself has the keys to assume the role with, set its source_profile to its own name.");
	}
	if (value_of(resolver, "mfa_serial") != NULL)
	{
		refuse_key(resolver, "mfa_serial", "requires an MFA code, which cannot be entered here");
		return dyn_error_hint(resolver->err, "Use a role whose trust policy does not require multi-factor authentication.");
	}
	if (chain->nroles == DYN_MAX_CHAINED_ROLES)
		return dyn_error_set(resolver->err, "profile \"%s\" requires a chain of more than %d roles", resolver->visited[0],
							 DYN_MAX_CHAINED_ROLES);
	return read_role(resolver, &chain->roles[chain->nroles++]);
}

/* ---- following profiles ----------------------------------------------- */

/*
 * Finds the provider of the last profile, which does not assume a role, or is
 * a source profile with keys.
 */
static DynFound
find_provider(Resolver *resolver)
{
	DynProviderChain *chain = resolver->chain;
	static const char *const sources[] = {"source_profile", "credential_source"};
	const char *token_file = value_of(resolver, "web_identity_token_file");
	const char *command = value_of(resolver, "credential_process");
	DynFound	found;

	if (token_file != NULL)
	{
		if (value_of(resolver, "role_arn") == NULL)
			return refuse_without(resolver, "web_identity_token_file",
								  "\"role_arn\"");
		for (size_t i = 0; i < LENGTHOF(sources); i++)
			if (value_of(resolver, sources[i]) != NULL)
				return refuse_both(resolver, "web_identity_token_file",
								   sources[i]);
		chain->provider_kind = DYN_PROVIDER_WEB_IDENTITY;
		return dyn_secret_copy(&chain->token_file, token_file) ?
			read_role(resolver, &chain->web_role) : dyn_error_memory(resolver->err);
	}
	if (value_of(resolver, "sso_account_id") || value_of(resolver, "sso_role_name"))
		return find_sso(resolver);
	found = find_keys(resolver, DYN_CONFIG_CREDENTIALS);
	if (found != DYN_FOUND_NOTHING)
		return found;
	if (command == NULL)
		return find_keys(resolver, DYN_CONFIG_CONFIG);
	chain->provider_kind = DYN_PROVIDER_PROCESS;
	if (!dyn_secret_copy(&chain->command, command))
		return dyn_error_memory(resolver->err);
	for (char *p = chain->command; *p; p++)
		if (*p == '\n')
			*p = ' ';
	return DYN_FOUND;
}

static DynFound
find_named_source(Resolver *resolver, const char *source)
{
	DynProviderChain *chain = resolver->chain;

	if (strcmp(source, "Environment") == 0)
	{
		chain->provider_kind = DYN_PROVIDER_KEYS;
		return dyn_environment_keys(&chain->keys, resolver->err) == DYN_FOUND
			? DYN_FOUND : DYN_FOUND_ERROR;
	}
	if (strcmp(source, "EcsContainer") == 0)
	{
		chain->provider_kind = DYN_PROVIDER_CONTAINER;
		return dyn_container_is_set() ? DYN_FOUND :
			refuse_key(resolver, "credential_source",
					   "is EcsContainer, but the server's environment names "
					   "no container endpoint");
	}
	if (strcmp(source, "Ec2InstanceMetadata") == 0)
	{
		chain->provider_kind = DYN_PROVIDER_INSTANCE;
		return dyn_instance_is_enabled() ? DYN_FOUND :
			refuse_key(resolver, "credential_source",
					   "is Ec2InstanceMetadata, but AWS_EC2_METADATA_DISABLED "
					   "is set in the server's environment");
	}
	refuse_key(resolver, "credential_source", "is not recognized");
	return dyn_error_hint(resolver->err, "Valid values are Environment, Ec2InstanceMetadata and EcsContainer.");
}

/*
 * Returns true if an access key id or a secret is set; find_keys reports an
 * error if only one of the two is set.
 */
static bool
has_keys(const DynConfig *config, const char *profile)
{
	return dyn_config_value(config, profile, "aws_access_key_id") ||
		dyn_config_value(config, profile, "aws_secret_access_key");
}

/*
 * Checks that the source profile exists and may be followed: it must not have
 * been visited, except that a profile with keys may be its own source.
 */
static DynFound
check_source(Resolver *resolver, const char *source)
{
	char		names[300] = "";
	size_t		len = 0;
	int			i = 0;

	if (!dyn_config_has_profile(resolver->config, source))
	{
		dyn_error_set(resolver->err, "profile \"%s\" has source_profile \"%s\", "
					  "which does not exist", resolver->profile, source);
		return dyn_error_hint(resolver->err, "The profile was not found in \"%s\" and \"%s\".",
							  dyn_config_path(resolver->config, DYN_CONFIG_CONFIG),
							  dyn_config_path(resolver->config, DYN_CONFIG_CREDENTIALS));
	}
	while (i < resolver->nvisited && strcmp(resolver->visited[i], source) != 0)
		i++;
	if (i == resolver->nvisited)
		return DYN_FOUND;
	if (strcmp(source, resolver->profile) == 0)
		return has_keys(resolver->config, source) ? DYN_FOUND :
			refuse_key(resolver, "source_profile",
					   "is the profile itself, which has no keys");
	for (i = 0; i < resolver->nvisited && len < sizeof(names); i++)
		len += (size_t) snprintf(names + len, sizeof(names) - len, "\"%s\", ",
								 resolver->visited[i]);
	dyn_error_set(resolver->err, "the source_profile settings of profiles form a cycle: %s\"%s\"", names, source);
	return dyn_error_hint(resolver->err, "The last profile of the chain must have access keys or another credential provider, and no role_arn.");
}

/*
 * Follows source profiles to the provider of the last profile.  If the last
 * profile has no provider, incomplete and unsupported settings in it are an
 * error.
 */
static DynFound
follow(Resolver *resolver)
{
	DynFound	found;

	for (;;)
	{
		const char *named = value_of(resolver, "credential_source");
		const char *source = value_of(resolver, "source_profile");

		/* only credential_process may have several lines */
		for (size_t i = 0; i < LENGTHOF(line_keys); i++)
		{
			const char *value = value_of(resolver, line_keys[i]);

			if (value == NULL || strchr(value, '\n') == NULL)
				continue;
			refuse_key(resolver, line_keys[i], "has several lines");
			return dyn_error_hint(resolver->err, "An indented line continues the value of the previous line. Remove the indentation.");
		}
		if (!dyn_profile_assumes_role(resolver->config, resolver->profile) ||
			(resolver->nvisited > 0 && has_keys(resolver->config, resolver->profile)))
			break;
		resolver->visited[resolver->nvisited++] = resolver->profile;
		if (take_role(resolver) != DYN_FOUND)
			return DYN_FOUND_ERROR;
		if (named)
			return find_named_source(resolver, named);
		if (check_source(resolver, source) != DYN_FOUND)
			return DYN_FOUND_ERROR;
		resolver->profile = source;
	}
	found = find_provider(resolver);
	if (found != DYN_FOUND_NOTHING)
		return found;
	if (value_of(resolver, "sso_session") || value_of(resolver, "sso_start_url"))
		return find_sso(resolver);
	if (value_of(resolver, "login_session"))
	{
		refuse_key(resolver, "login_session", "is not supported");
		return dyn_error_hint(resolver->err, "Use \"aws configure sso\", or a role.");
	}
	dyn_error_set(resolver->err, "profile \"%s\" has no credentials",
				  resolver->profile);
	dyn_error_hint(resolver->err, "Set aws_access_key_id and aws_secret_access_key, or role_arn, or credential_process, or sso_account_id and sso_role_name.");
	return DYN_FOUND_NOTHING;
}

bool
dyn_profile_assumes_role(const DynConfig *config, const char *profile)
{
	return dyn_config_value(config, profile, "role_arn") &&
		!dyn_config_value(config, profile, "web_identity_token_file");
}

DynFound
dyn_profile_find(const DynConfig *config, const char *profile, DynProviderChain *chain,
				 DynError *err)
{
	Resolver	resolver = {.config = config,.profile = profile,.chain = chain,
	.err = err};
	DynFound	found;

	if (!dyn_config_has_profile(config, profile))
	{
		dyn_config_no_profile(config, profile, err);
		return DYN_FOUND_NOTHING;
	}
	found = follow(&resolver);
	/* the last role found is assumed first */
	for (int i = 0; i < chain->nroles / 2; i++)
	{
		DynRole		role = chain->roles[i];

		chain->roles[i] = chain->roles[chain->nroles - 1 - i];
		chain->roles[chain->nroles - 1 - i] = role;
	}
	return found == DYN_FOUND_NOTHING && resolver.nvisited > 0 ? DYN_FOUND_ERROR :
		found;
}
