/*
 * provider_chain.c
 *		Finds the provider chain: a provider and the roles to assume.
 *
 * The default order is that of AWS's tools: access keys in the environment, a
 * profile that assumes a role, web identity in the environment, any other
 * profile, the container, the instance.  Only the first configured provider is
 * used, even if it fails: another provider's credentials could have different
 * rights.
 *
 * - If the user mapping or the environment names a profile, it must exist.
 *   Otherwise, the profile "default" is used if it exists.  A profile without
 *   credentials, such as one that sets only a region, is skipped.
 * - If the user mapping names the profile, the environment's access keys and
 *   web identity are skipped.
 *
 * A profile with role_arn names the source of the credentials for assuming the
 * role.  The source is another profile, which may also have role_arn, or a
 * provider that needs no profile.  We follow the profiles and collect the
 * roles; the last role found is assumed first.  The last profile determines
 * the provider.
 *
 * If a profile has several of the following settings, the first one in this
 * list applies, as in AWS's tools:
 *
 *		1. role_arn with source_profile or credential_source
 *		2. web_identity_token_file with role_arn (an error together with 1)
 *		3. sso_account_id and sso_role_name
 *		4. access keys in the credentials file
 *		5. credential_process
 *		6. access keys in the config file
 *
 * As an exception, if a profile with access keys is used as a source, its keys
 * are used, and its own role is not assumed.  So such a profile may be its own
 * source.  Any other cycle is an error.
 *
 * A profile that needs a person's input (mfa_serial) is an error.  So are
 * contradictory and incomplete settings, such as an access key id without its
 * secret: credentials from another source could have different rights.
 */
#include "provider_chain.h"

#include <stdio.h>
#include <string.h>

#include <openssl/evp.h>

#include "../base/macros.h"
#include "config.h"
#include "files.h"
#include "providers.h"

#define HINT \
	"The environment is the one in which the server was started; " \
	"change it there, and restart the server."

/* Settings of a profile whose values must be one line. */
static const char *const line_keys[] = {
	"role_arn", "source_profile", "credential_source",
	"web_identity_token_file", "mfa_serial", "external_id",
	"role_session_name", "duration_seconds", "sso_session", "sso_start_url",
	"sso_region", "sso_account_id", "sso_role_name", "login_session"
};

typedef enum Found
{
	FOUND_ERROR = false,		/* *err is set.  The value is `false`, so that
								 * `return dyn_error_set(...)` is possible */
	FOUND_NOTHING,				/* not configured; *err has the reason */
	FOUND
} Found;

typedef struct Builder
{
	const DynSourceOptions *source_options;
	const char *profile;		/* profile at which the search starts */
	bool		is_named;		/* true if the profile is named explicitly */
	DynConfig	config;			/* files, loaded when they are needed */
	bool		is_loaded;
	const char *at;				/* profile that is being read */
	const char *visited[DYN_MAX_CHAINED_ROLES + 1];
	int			nvisited;
	DynProviderChain *chain;
	const char *words;			/* name of provider, or NULL for a profile */
	DynError   *err;
} Builder;

/* ---- the environment -------------------------------------------------- */

static Found
refuse_variable(DynError *err, const char *name, const char *what)
{
	dyn_error_set(err, "environment variable %s %s", name, what);
	return dyn_error_hint(err, HINT);
}

static Found
refuse_incomplete(DynError *err, const char *name, const char *missing)
{
	dyn_error_set(err, "environment variable %s is set, but %s is not", name, missing);
	return dyn_error_hint(err, HINT);
}

static Found
find_environment_keys(Builder *builder)
{
	DynCredentials *keys = &builder->chain->keys;
	DynError   *err = builder->err;
	const char *id = dyn_response_environment("AWS_ACCESS_KEY_ID");
	const char *secret = dyn_response_environment("AWS_SECRET_ACCESS_KEY");
	const char *token_name = "AWS_SESSION_TOKEN";
	const char *token = dyn_response_environment(token_name);
	const char *expires = dyn_response_environment("AWS_CREDENTIAL_EXPIRATION");
	const char *bad;

	if (id == NULL && secret == NULL)
	{
		dyn_error_set(err, "environment variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set");
		dyn_error_hint(err, HINT);
		return FOUND_NOTHING;
	}
	if (id == NULL)
		return refuse_incomplete(err, "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID");
	if (secret == NULL)
		return refuse_incomplete(err, "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY");
	if (token == NULL)
	{
		token_name = "AWS_SECURITY_TOKEN";
		token = dyn_response_environment(token_name);
	}
	if (!dyn_credentials_set(keys, id, secret, token, &bad))
	{
		if (bad == NULL)
			return dyn_error_memory(err);
		return refuse_variable(err, strcmp(bad, "access_key_id") == 0
							   ? "AWS_ACCESS_KEY_ID"
							   : strcmp(bad, "secret_access_key") == 0
							   ? "AWS_SECRET_ACCESS_KEY" : token_name,
							   "contains a control character");
	}
	if (expires == NULL || dyn_response_read_time(expires, &keys->expires))
		return FOUND;
	dyn_credentials_clear(keys);
	return refuse_variable(err, "AWS_CREDENTIAL_EXPIRATION",
						   "is not a time such as 2030-01-02T03:04:05Z");
}

static Found
find_web_identity(Builder *builder)
{
	DynProviderChain *chain = builder->chain;
	DynError   *err = builder->err;
	const char *file = dyn_response_environment("AWS_WEB_IDENTITY_TOKEN_FILE");
	const char *arn = dyn_response_environment("AWS_ROLE_ARN");
	const char *name = dyn_response_environment("AWS_ROLE_SESSION_NAME");
	DynRole		role = {(char *) arn, (char *) name, NULL, 0};

	if (file == NULL)
	{
		refuse_variable(err, "AWS_WEB_IDENTITY_TOKEN_FILE", "is not set");
		return FOUND_NOTHING;
	}
	if (arn == NULL)
		return refuse_incomplete(err, "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN");
	if (!dyn_role_is_arn(arn))
		return refuse_variable(err, "AWS_ROLE_ARN", "is not the ARN of a role");
	if (name != NULL && !dyn_role_is_session_name(name))
		return refuse_variable(err, "AWS_ROLE_SESSION_NAME",
							   "is not the name of a session");
	return dyn_secret_copy(&chain->token_file, file) &&
		dyn_role_copy(&chain->web_role, &role) ? FOUND :
		dyn_error_memory(err);
}

/* ---- profiles: values and errors -------------------------------------- */

/* Returns the key's value.  The credentials file takes precedence. */
static const char *
value_of(const Builder *builder, const char *key)
{
	const char *value = dyn_config_value_of(&builder->config, DYN_CONFIG_CREDENTIALS,
											builder->at, key);

	return value ? value : dyn_config_value_of(&builder->config, DYN_CONFIG_CONFIG,
											   builder->at, key);
}

/* Returns the path of the file in which value_of finds the key. */
static const char *
path_of(const Builder *builder, const char *key)
{
	return dyn_config_path(&builder->config,
						   dyn_config_value_of(&builder->config,
											   DYN_CONFIG_CREDENTIALS,
											   builder->at, key) ?
						   DYN_CONFIG_CREDENTIALS : DYN_CONFIG_CONFIG);
}

static Found
refuse_key(Builder *builder, const char *key, const char *what)
{
	return dyn_error_set(builder->err, "key \"%s\" of profile \"%s\" in file \"%s\" %s",
						 key, builder->at, path_of(builder, key), what);
}

static Found
refuse_without(Builder *builder, const char *key, const char *missing)
{
	return dyn_error_set(builder->err, "profile \"%s\" in file \"%s\" has \"%s\", but "
						 "not %s", builder->at, path_of(builder, key), key, missing);
}

static Found
refuse_both(Builder *builder, const char *key, const char *other)
{
	dyn_error_set(builder->err, "profile \"%s\" has both \"%s\" and \"%s\"",
				  builder->at, key, other);
	return dyn_error_hint(builder->err, "Remove one of the two.");
}

/* ---- profiles: access keys -------------------------------------------- */

/*
 * Reads the access key id, the secret and the session token from one file,
 * since parts from different files would not belong together.
 */
static Found
find_keys(Builder *builder, DynConfigFile file)
{
	static const char *const keys[] = {
		"aws_access_key_id", "aws_secret_access_key", "aws_session_token",
		"aws_security_token"
	};
	const char *values[LENGTHOF(keys)];
	const char *path = builder->config.paths[file];
	const char *bad;

	for (size_t i = 0; i < LENGTHOF(keys); i++)
		values[i] = dyn_config_value_of(&builder->config, file, builder->at,
										keys[i]);
	if (values[0] == NULL && values[1] == NULL)
		return FOUND_NOTHING;
	if (values[0] == NULL || values[1] == NULL)
		return dyn_error_set(builder->err, "profile \"%s\" in file \"%s\" has \"%s\", "
							 "but not \"%s\"", builder->at, path,
							 keys[values[0] == NULL], keys[values[0] != NULL]);
	builder->chain->provider_kind = DYN_PROVIDER_KEYS;
	if (dyn_credentials_set(&builder->chain->keys, values[0], values[1],
							values[2] ? values[2] : values[3], &bad))
		return FOUND;
	if (bad == NULL)
		return dyn_error_memory(builder->err);
	return dyn_error_set(builder->err, "key \"aws_%s\" of profile \"%s\" in file "
						 "\"%s\" has several lines or a control character",
						 strcmp(bad, "session_token") == 0 && values[2] == NULL
						 ? "security_token" : bad, builder->at, path);
}

/* ---- profiles: SSO ---------------------------------------------------- */

/* Finds the file with the SSO token; its name is the SHA-1 of `hashed`. */
static Found
find_cache_file(Builder *builder, const char *hashed)
{
	char	  **path = &builder->chain->sso.cache_file;
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned	size = 0;
	char		file[sizeof(".aws/sso/cache/.json") + 2 * EVP_MAX_MD_SIZE];
	int			at = snprintf(file, sizeof(file), ".aws/sso/cache/");

	if (!EVP_Digest(hashed, strlen(hashed), digest, &size, EVP_sha1(), NULL))
		return dyn_error_set(builder->err, "OpenSSL does not provide SHA-1, which is required to find the file with the SSO token");
	for (unsigned i = 0; i < size; i++)
		at += snprintf(file + at, sizeof(file) - (size_t) at, "%02x",
					   digest[i]);
	snprintf(file + at, sizeof(file) - (size_t) at, ".json");
	*path = dyn_file_below_home(file, builder->err);
	return *path != NULL ? FOUND : FOUND_ERROR;
}

static Found
find_sso(Builder *builder)
{
	/* the first two may also be in the section of the SSO session */
	static const char *const needed[] = {
		"sso_start_url", "sso_region", "sso_account_id", "sso_role_name"
	};
	const char *session = value_of(builder, "sso_session");
	const char *values[LENGTHOF(needed)];
	DynSsoProfile *sso = &builder->chain->sso;
	bool		has_region;

	if (session != NULL &&
		dyn_ini_place(&builder->config.files[DYN_CONFIG_CONFIG],
					  DYN_INI_SSO_SESSION, session) == 0)
	{
		dyn_error_set(builder->err, "profile \"%s\" names the SSO session "
					  "\"%s\", which has no section in file \"%s\"",
					  builder->at, session,
					  dyn_config_path(&builder->config, DYN_CONFIG_CONFIG));
		return dyn_error_hint(builder->err, "Create the section with \"aws configure sso-session\".");
	}
	for (size_t i = 0; i < LENGTHOF(needed); i++)
	{
		const char *own = value_of(builder, needed[i]);

		values[i] = i < 2 && session != NULL ?
			dyn_ini_value(&builder->config.files[DYN_CONFIG_CONFIG],
						  DYN_INI_SSO_SESSION, session, needed[i]) : NULL;
		if (own != NULL && values[i] != NULL && strcmp(own, values[i]) != 0)
		{
			refuse_key(builder, needed[i], "differs from the value in its SSO session");
			return dyn_error_hint(builder->err, "Remove it from the profile.");
		}
		if (values[i] == NULL)
			values[i] = own;
	}
	for (size_t i = 0; i < LENGTHOF(needed); i++)
	{
		if (values[i] != NULL)
			continue;
		dyn_error_set(builder->err, "profile \"%s\" uses SSO, but has no \"%s\"",
					  builder->at, needed[i]);
		return dyn_error_hint(builder->err, "SSO requires sso_account_id and sso_role_name in the profile, and sso_start_url and sso_region in the section of its sso_session or in the profile.");
	}
	/* check values that become parts of a URL or a message */
	has_region = dyn_role_is_region(values[1]);
	if (!has_region || strchr(values[0], '\n') != NULL)
		return dyn_error_set(builder->err, "invalid value of \"%s\" in profile \"%s\" or its SSO session", needed[!has_region],
							 builder->at);
	builder->chain->provider_kind = DYN_PROVIDER_SSO;
	if (!dyn_secret_copy(&sso->profile, builder->at) ||
		!dyn_secret_copy(&sso->region, values[1]) ||
		!dyn_secret_copy(&sso->account_id, values[2]) ||
		!dyn_secret_copy(&sso->role_name, values[3]))
		return dyn_error_memory(builder->err);
	return find_cache_file(builder, session ? session : values[0]);
}

/* ---- profiles: roles -------------------------------------------------- */

static Found
read_role(Builder *builder, DynRole *role)
{
	const DynRole read = {
		(char *) value_of(builder, "role_arn"),
		(char *) value_of(builder, "role_session_name"),
		(char *) value_of(builder, "external_id"), 0
	};
	const char *duration = value_of(builder, "duration_seconds");

	if (!dyn_role_is_arn(read.arn))
		return refuse_key(builder, "role_arn", "is not the ARN of a role");
	if (read.session_name && !dyn_role_is_session_name(read.session_name))
		return refuse_key(builder, "role_session_name", "is not 2 to 64 letters, "
						  "digits or characters of _+=,.@-");
	if (read.external_id && !dyn_role_is_external_id(read.external_id))
		return refuse_key(builder, "external_id", "is not 2 to 1224 letters, "
						  "digits or characters of _+=,.@:/-");
	if (!dyn_role_copy(role, &read))
		return dyn_error_memory(builder->err);
	if (duration && !dyn_role_read_duration(duration, &role->duration))
		return refuse_key(builder, "duration_seconds",
						  "is not a number from 900 to 43200");
	return FOUND;
}

static Found
take_role(Builder *builder)
{
	DynProviderChain *chain = builder->chain;
	bool		has_profile = value_of(builder, "source_profile") != NULL;
	bool		has_source = value_of(builder, "credential_source") != NULL;

	if (has_profile && has_source)
		return refuse_both(builder, "source_profile", "credential_source");
	if (!has_profile && !has_source)
	{
		refuse_without(builder, "role_arn", "source_profile, "
					   "credential_source or web_identity_token_file");
		return dyn_error_hint(builder->err, "If the profile itself has the keys to assume the role with, set its source_profile to its own name.");
	}
	if (value_of(builder, "mfa_serial") != NULL)
	{
		refuse_key(builder, "mfa_serial", "requires an MFA code, which cannot be entered here");
		return dyn_error_hint(builder->err, "Use a role whose trust policy does not require multi-factor authentication.");
	}
	if (chain->nroles == DYN_MAX_CHAINED_ROLES)
		return dyn_error_set(builder->err, "profile \"%s\" requires a chain of more than %d roles", builder->visited[0],
							 DYN_MAX_CHAINED_ROLES);
	return read_role(builder, &chain->roles[chain->nroles++]);
}

/* ---- following profiles ----------------------------------------------- */

/* Finds the provider of builder->at, the end of the chain of profiles. */
static Found
find_provider(Builder *builder)
{
	DynProviderChain *chain = builder->chain;
	static const char *const sources[] = {"source_profile", "credential_source"};
	const char *token_file = value_of(builder, "web_identity_token_file");
	const char *command = value_of(builder, "credential_process");
	Found		found;

	if (token_file != NULL)
	{
		if (value_of(builder, "role_arn") == NULL)
			return refuse_without(builder, "web_identity_token_file",
								  "\"role_arn\"");
		for (size_t i = 0; i < LENGTHOF(sources); i++)
			if (value_of(builder, sources[i]) != NULL)
				return refuse_both(builder, "web_identity_token_file",
								   sources[i]);
		chain->provider_kind = DYN_PROVIDER_WEB_IDENTITY;
		return dyn_secret_copy(&chain->token_file, token_file) ?
			read_role(builder, &chain->web_role) : dyn_error_memory(builder->err);
	}
	if (value_of(builder, "sso_account_id") || value_of(builder, "sso_role_name"))
		return find_sso(builder);
	found = find_keys(builder, DYN_CONFIG_CREDENTIALS);
	if (found != FOUND_NOTHING)
		return found;
	if (command == NULL)
		return find_keys(builder, DYN_CONFIG_CONFIG);
	chain->provider_kind = DYN_PROVIDER_PROCESS;
	if (!dyn_secret_copy(&chain->command, command))
		return dyn_error_memory(builder->err);
	for (char *p = chain->command; *p; p++)
		if (*p == '\n')
			*p = ' ';
	return FOUND;
}

static Found
find_named_source(Builder *builder, const char *source)
{
	DynProviderChain *chain = builder->chain;

	if (strcmp(source, "Environment") == 0)
	{
		chain->provider_kind = DYN_PROVIDER_KEYS;
		return find_environment_keys(builder) == FOUND ? FOUND : FOUND_ERROR;
	}
	if (strcmp(source, "EcsContainer") == 0)
	{
		chain->provider_kind = DYN_PROVIDER_CONTAINER;
		return dyn_container_is_set() ? FOUND :
			refuse_key(builder, "credential_source",
					   "is EcsContainer, but the server's environment names "
					   "no container endpoint");
	}
	if (strcmp(source, "Ec2InstanceMetadata") == 0)
	{
		chain->provider_kind = DYN_PROVIDER_INSTANCE;
		return dyn_instance_is_enabled() ? FOUND :
			refuse_key(builder, "credential_source",
					   "is Ec2InstanceMetadata, but AWS_EC2_METADATA_DISABLED "
					   "is set in the server's environment");
	}
	refuse_key(builder, "credential_source", "is not recognized");
	return dyn_error_hint(builder->err, "Valid values are Environment, Ec2InstanceMetadata and EcsContainer.");
}

/* Returns true if the profile has access keys, which may be incomplete. */
static bool
has_keys(const Builder *builder)
{
	return value_of(builder, "aws_access_key_id") ||
		value_of(builder, "aws_secret_access_key");
}

/* Checks that the source profile exists and does not close a cycle. */
static Found
check_source(Builder *builder, const char *source)
{
	char		names[300] = "";
	size_t		len = 0;
	int			i = 0;

	if (!dyn_config_has_profile(&builder->config, source))
	{
		dyn_error_set(builder->err, "profile \"%s\" has source_profile \"%s\", "
					  "which does not exist", builder->at, source);
		return dyn_error_hint(builder->err, "The profile was not found in \"%s\" and \"%s\".",
							  dyn_config_path(&builder->config, DYN_CONFIG_CONFIG),
							  dyn_config_path(&builder->config, DYN_CONFIG_CREDENTIALS));
	}
	while (i < builder->nvisited && strcmp(builder->visited[i], source) != 0)
		i++;
	if (i == builder->nvisited)
		return FOUND;
	if (strcmp(source, builder->at) == 0)
		return has_keys(builder) ? FOUND :
			refuse_key(builder, "source_profile",
					   "is the profile itself, which has no keys");
	for (i = 0; i < builder->nvisited && len < sizeof(names); i++)
		len += (size_t) snprintf(names + len, sizeof(names) - len, "\"%s\", ",
								 builder->visited[i]);
	dyn_error_set(builder->err, "the source_profile settings of profiles form a cycle: %s\"%s\"", names, source);
	return dyn_error_hint(builder->err, "The last profile of the chain must have access keys or another credential provider, and no role_arn.");
}

static bool
assumes_role(const Builder *builder)
{
	return value_of(builder, "role_arn") &&
		!value_of(builder, "web_identity_token_file");
}

/* Follows source profiles to the provider of the last profile. */
static Found
follow(Builder *builder)
{
	Found		found;

	for (;;)
	{
		const char *named = value_of(builder, "credential_source");
		const char *source = value_of(builder, "source_profile");

		/* only credential_process may have several lines */
		for (size_t i = 0; i < LENGTHOF(line_keys); i++)
		{
			const char *value = value_of(builder, line_keys[i]);

			if (value == NULL || strchr(value, '\n') == NULL)
				continue;
			refuse_key(builder, line_keys[i], "has several lines");
			return dyn_error_hint(builder->err, "An indented line continues the value of the previous line. Remove the indentation.");
		}
		if (!assumes_role(builder) || (builder->nvisited > 0 && has_keys(builder)))
			break;
		builder->visited[builder->nvisited++] = builder->at;
		if (take_role(builder) != FOUND)
			return FOUND_ERROR;
		if (named)
			return find_named_source(builder, named);
		if (check_source(builder, source) != FOUND)
			return FOUND_ERROR;
		builder->at = source;
	}
	found = find_provider(builder);
	if (found != FOUND_NOTHING)
		return found;
	if (value_of(builder, "sso_session") || value_of(builder, "sso_start_url"))
		return find_sso(builder);
	if (value_of(builder, "login_session"))
	{
		refuse_key(builder, "login_session", "is not supported");
		return dyn_error_hint(builder->err, "Use \"aws configure sso\", or a role.");
	}
	dyn_error_set(builder->err, "profile \"%s\" has no credentials", builder->at);
	dyn_error_hint(builder->err, "Set aws_access_key_id and aws_secret_access_key, or role_arn, or credential_process, or sso_account_id and sso_role_name.");
	return builder->nvisited > 0 ? FOUND_ERROR : FOUND_NOTHING;
}

/* If `only_role` is true, finds only a profile that assumes a role. */
static Found
find_profile(Builder *builder, bool only_role)
{
	DynProviderChain *chain = builder->chain;
	const char *name = dyn_response_environment("AWS_PROFILE");
	const char *other = dyn_response_environment("AWS_DEFAULT_PROFILE");
	Found		found;

	/* AWS's tools disagree about which of the two variables applies */
	if (builder->source_options->profile == NULL && name != NULL &&
		other != NULL && strcmp(name, other) != 0)
	{
		dyn_error_set(builder->err, "environment variables AWS_PROFILE and "
					  "AWS_DEFAULT_PROFILE name different profiles, \"%s\" and "
					  "\"%s\"", name, other);
		return dyn_error_hint(builder->err, "Remove one of them from the environment of the server, or set the profile in the user mapping.");
	}
	if (!builder->is_loaded &&
		!dyn_config_load(&builder->config, builder->err))
		return FOUND_ERROR;
	builder->is_loaded = true;
	builder->words = NULL;
	if (!dyn_config_has_profile(&builder->config, builder->profile))
	{
		dyn_config_no_profile(&builder->config, builder->profile, builder->err);
		return builder->is_named ? FOUND_ERROR : FOUND_NOTHING;
	}
	if (only_role && !assumes_role(builder))
		return FOUND_NOTHING;
	found = follow(builder);
	/* the last role found is assumed first */
	for (int i = 0; i < chain->nroles / 2; i++)
	{
		DynRole		role = chain->roles[i];

		chain->roles[i] = chain->roles[chain->nroles - 1 - i];
		chain->roles[chain->nroles - 1 - i] = role;
	}
	return found;
}

/* ---- one kind of provider --------------------------------------------- */

static Found
find_static(Builder *builder)
{
	const DynCredentials *keys = &builder->source_options->keys;
	const char *bad;

	if (keys->access_key_id == NULL || keys->secret_access_key == NULL)
	{
		dyn_error_set(builder->err, "the user mapping has no access keys");
		return FOUND_NOTHING;
	}
	if (dyn_credentials_set(&builder->chain->keys, keys->access_key_id,
							keys->secret_access_key, keys->session_token, &bad))
	{
		builder->chain->keys.expires = keys->expires;
		return FOUND;
	}
	return bad == NULL ? dyn_error_memory(builder->err) :
		dyn_error_set(builder->err, "%s contains a control character", bad);
}

static Found find_default(Builder *builder);

/* Finds a provider of one kind; sets builder->words to its description. */
static Found
find(Builder *builder, DynSourceKind kind)
{
	static const struct
	{
		DynProviderKind provider;
		const char *words;		/* description, or NULL for a profile */
	}			kinds[] =
	{
		[DYN_SOURCE_STATIC] = {DYN_PROVIDER_KEYS, "static keys"},
		[DYN_SOURCE_ENVIRONMENT] = {DYN_PROVIDER_KEYS, "environment"},
		[DYN_SOURCE_PROFILE] = {DYN_PROVIDER_KEYS, NULL},
		[DYN_SOURCE_WEB_IDENTITY] = {DYN_PROVIDER_WEB_IDENTITY, "web identity"},
		[DYN_SOURCE_CONTAINER] = {DYN_PROVIDER_CONTAINER, "container"},
		[DYN_SOURCE_INSTANCE] = {DYN_PROVIDER_INSTANCE, "instance"}
	};
	DynProviderChain *chain = builder->chain;
	DynError   *err = builder->err;

	if (kind == DYN_SOURCE_DEFAULT)
		return find_default(builder);
	builder->words = kinds[kind].words;
	chain->provider_kind = kinds[kind].provider;
	switch (kind)
	{
		case DYN_SOURCE_STATIC:
			return find_static(builder);
		case DYN_SOURCE_ENVIRONMENT:
			return find_environment_keys(builder);
		case DYN_SOURCE_PROFILE:
			return find_profile(builder, false);
		case DYN_SOURCE_WEB_IDENTITY:
			return find_web_identity(builder);
		case DYN_SOURCE_CONTAINER:
			if (dyn_container_is_set())
				return FOUND;
			dyn_error_set(err, "environment variables "
						  "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI and "
						  "AWS_CONTAINER_CREDENTIALS_FULL_URI are not set");
			dyn_error_hint(err, "ECS and EKS set one of them for a container. The environment of the server must contain it.");
			return FOUND_NOTHING;
		default:
			if (dyn_instance_is_enabled())
				return FOUND;
			dyn_error_set(err, "the instance metadata service is disabled by environment variable AWS_EC2_METADATA_DISABLED");
			dyn_error_hint(err, "Remove the variable from the environment of the server, or use another credential_provider.");
			return FOUND_NOTHING;
	}
}

/* ---- the default order ------------------------------------------------ */

static Found
find_default(Builder *builder)
{
	bool		ambient = builder->source_options->profile == NULL;
	const DynConfig *config = &builder->config;
	char		user[64];
	Found		found = FOUND_NOTHING;

	if (ambient)
		found = find(builder, DYN_SOURCE_ENVIRONMENT);
	if (found == FOUND_NOTHING)
		found = find_profile(builder, true);
	if (found == FOUND_NOTHING && ambient)
		found = find(builder, DYN_SOURCE_WEB_IDENTITY);
	if (found == FOUND_NOTHING)
		found = find_profile(builder, false);
	if (found == FOUND_NOTHING)
		found = find(builder, DYN_SOURCE_CONTAINER);
	if (found == FOUND_NOTHING)
		found = find(builder, DYN_SOURCE_INSTANCE);
	if (found != FOUND_NOTHING)
		return found;
	dyn_file_user(user, sizeof(user));
	dyn_error_set(builder->err, "no credentials were found: %sprofile \"%s\" %s, neither AWS_CONTAINER_CREDENTIALS_RELATIVE_URI nor AWS_CONTAINER_CREDENTIALS_FULL_URI is set, and the instance metadata service is disabled by AWS_EC2_METADATA_DISABLED",
				  ambient ? "environment variables AWS_ACCESS_KEY_ID and "
				  "AWS_WEB_IDENTITY_TOKEN_FILE are not set, " : "",
				  builder->profile,
				  dyn_config_has_profile(config, builder->profile) ?
				  "has none" : "does not exist");
	return dyn_error_hint(builder->err, "The server runs as the operating-system user \"%s\"; "
						  "the files are \"%s\" and \"%s\".", user,
						  dyn_config_path(config, DYN_CONFIG_CONFIG),
						  dyn_config_path(config, DYN_CONFIG_CREDENTIALS));
}

/* ---- the chain -------------------------------------------------------- */

static bool
describe(Builder *builder)
{
	DynProviderChain *chain = builder->chain;
	DynBuffer	words = {0};

	if (builder->words != NULL)
		dyn_buffer_append_str(&words, builder->words);
	else
		dyn_buffer_printf(&words, "profile \"%s\"", builder->profile);
	if (chain->web_role.arn != NULL)
		dyn_buffer_printf(&words, ", role %s", chain->web_role.arn);
	for (int i = 0; i < chain->nroles; i++)
		dyn_buffer_printf(&words, ", role %s", chain->roles[i].arn);
	chain->words = (char *) dyn_buffer_terminate(&words);
	if (chain->words != NULL)
		return true;
	dyn_buffer_free(&words);
	return dyn_error_memory(builder->err);
}

bool
dyn_chain_find(const DynSourceOptions *source_options, DynProviderChain *chain, DynError *err)
{
	Builder		builder = {.source_options = source_options,
		.profile = source_options->profile,.chain = chain,.err = err};
	bool		ok;

	memset(chain, 0, sizeof(*chain));
	if (builder.profile == NULL)
		builder.profile = dyn_response_environment("AWS_PROFILE");
	if (builder.profile == NULL)
		builder.profile = dyn_response_environment("AWS_DEFAULT_PROFILE");
	builder.is_named = builder.profile != NULL;
	if (builder.profile == NULL)
		builder.profile = "default";
	builder.at = builder.profile;
	ok = find(&builder, source_options->kind) == FOUND;
	/* the role of the user mapping is assumed after those of the profile */
	if (ok && source_options->role.arn != NULL)
	{
		if (chain->nroles == DYN_MAX_CHAINED_ROLES)
			ok = dyn_error_set(err, "profile \"%s\" and the user mapping require a chain of more than %d roles", builder.profile,
							   DYN_MAX_CHAINED_ROLES);
		else
			ok = dyn_role_copy(&chain->roles[chain->nroles++], &source_options->role) ||
				dyn_error_memory(err);
	}
	ok = ok && describe(&builder);
	dyn_config_clear(&builder.config);
	if (!ok)
		dyn_chain_clear(chain);
	return ok;
}

void
dyn_chain_clear(DynProviderChain *chain)
{
	DynSsoProfile *sso = &chain->sso;

	dyn_secret_free(chain->words);
	dyn_credentials_clear(&chain->keys);
	dyn_secret_free(chain->command);
	dyn_secret_free(sso->profile);
	dyn_secret_free(sso->region);
	dyn_secret_free(sso->account_id);
	dyn_secret_free(sso->role_name);
	dyn_secret_free(sso->cache_file);
	dyn_secret_free(chain->token_file);
	dyn_role_clear(&chain->web_role);
	for (int i = 0; i < chain->nroles; i++)
		dyn_role_clear(&chain->roles[i]);
	memset(chain, 0, sizeof(*chain));
}
