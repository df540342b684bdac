/*
 * profile.c
 *		How a profile of AWS's files obtains its credentials.
 *
 * A profile with role_arn names the source of the credentials that assume the
 * role: another profile, which may do the same, or a source outside the files.
 * The walk from profile to profile collects the roles from the last to the
 * first; where it ends is the origin of the route.
 *
 * One profile may say several things.  The order is that of AWS's tools:
 *
 *		1. role_arn with source_profile or credential_source
 *		2. web_identity_token_file with role_arn
 *		3. sso_account_id and sso_role_name
 *		4. keys in the credentials file
 *		5. credential_process
 *		6. keys in the config file
 *
 * except that a source profile with keys does not assume its role.  So a
 * profile may be its own source if it has keys; any other circle is an error.
 *
 * What would need somebody to answer (mfa_serial) is an error, and so is what
 * contradicts itself, or is half there: going on to the next source would use
 * other rights than the file says.
 *
 * Layer: credentials.
 */
#include "profile.h"

#include <stdio.h>
#include <string.h>

#include <openssl/evp.h>

#include "../aws/secret.h"
#include "../base/lengthof.h"
#include "container.h"
#include "files.h"
#include "instance.h"
#include "role.h"

/* A profile's keys whose value must not go on in the next line. */
static const char *const line_keys[] = {
	"role_arn", "source_profile", "credential_source",
	"web_identity_token_file", "mfa_serial", "external_id",
	"role_session_name", "duration_seconds", "sso_session", "sso_start_url",
	"sso_region", "sso_account_id", "sso_role_name", "login_session"
};

typedef struct Walk
{
	const DynConfig *config;
	const char *profile;		/* where it is */
	const char *visited[DYN_ROUTE_MOST_ROLES + 1];
	int			nvisited;
	DynRoute   *route;
	DynFault   *fault;
} Walk;

/* Of the profile; it is in the files' texts. */
static const char *
value_of(const Walk *walk, const char *key)
{
	return dyn_config_value(walk->config, walk->profile, key);
}

/* ---- faults ----------------------------------------------------------- */

static DynFound
out_of_memory(Walk *walk)
{
	dyn_fault_memory(walk->fault);
	return DYN_FOUND_FAULT;
}

static DynFound
hint(Walk *walk, const char *text)
{
	dyn_fault_hint(walk->fault, "%s", text);
	return DYN_FOUND_FAULT;
}

/* `what` goes on after the key, the profile and the file. */
static DynFound
refuse_key(Walk *walk, const char *key, const char *what)
{
	dyn_fault_set(walk->fault, "key \"%s\" of profile \"%s\" in file \"%s\" %s",
				  key, walk->profile,
				  dyn_config_path_of(walk->config, walk->profile, key), what);
	return DYN_FOUND_FAULT;
}

/* It has one key, and needs others. */
static DynFound
refuse_without(Walk *walk, const char *key, const char *missing)
{
	dyn_fault_set(walk->fault, "profile \"%s\" in file \"%s\" has \"%s\", but "
				  "not %s", walk->profile,
				  dyn_config_path_of(walk->config, walk->profile, key), key,
				  missing);
	return DYN_FOUND_FAULT;
}

/* Which credentials assume the role is ambiguous. */
static DynFound
refuse_both(Walk *walk, const char *key, const char *other)
{
	dyn_fault_set(walk->fault, "profile \"%s\" has both \"%s\" and \"%s\"",
				  walk->profile, key, other);
	return hint(walk, "Remove one of the two.");
}

/* Only a command may go on in the next line. */
static DynFound
check_lines(Walk *walk)
{
	size_t		i;

	for (i = 0; i < LENGTHOF(line_keys); i++)
	{
		const char *value = value_of(walk, line_keys[i]);

		if (value == NULL || strchr(value, '\n') == NULL)
			continue;
		refuse_key(walk, line_keys[i], "has several lines");
		return hint(walk, "A line that is indented more than the one before it "
					"continues the value of that line.");
	}
	return DYN_FOUND;
}

/* ---- keys ------------------------------------------------------------- */

/* Key, secret and token are of one file: they belong together. */
static DynFound
find_keys(Walk *walk, DynConfigFile file)
{
	static const char *const keys[] = {
		"aws_access_key_id", "aws_secret_access_key", "aws_session_token",
		"aws_security_token"
	};
	const char *values[LENGTHOF(keys)];
	const char *path = walk->config->paths[file];
	const char *bad;
	size_t		i;

	for (i = 0; i < LENGTHOF(keys); i++)
		values[i] = dyn_config_value_of(walk->config, file, walk->profile,
										keys[i]);
	if (values[0] == NULL && values[1] == NULL)
		return DYN_FOUND_NOTHING;
	if (values[0] == NULL || values[1] == NULL)
	{
		dyn_fault_set(walk->fault, "profile \"%s\" in file \"%s\" has \"%s\", "
					  "but not \"%s\"", walk->profile, path,
					  keys[values[0] == NULL], keys[values[0] != NULL]);
		return DYN_FOUND_FAULT;
	}
	walk->route->origin = DYN_ORIGIN_KEYS;
	if (dyn_credentials_set(&walk->route->keys, values[0], values[1],
							values[2] ? values[2] : values[3], &bad))
		return DYN_FOUND;
	if (bad == NULL)
		return out_of_memory(walk);
	dyn_fault_set(walk->fault, "key \"aws_%s\" of profile \"%s\" in file "
				  "\"%s\" has several lines or a control character", bad,
				  walk->profile, path);
	return DYN_FOUND_FAULT;
}

/* ---- SSO -------------------------------------------------------------- */

/* The name of the file is the SHA-1 of this in hexadecimal digits. */
static bool
find_cache_file(const char *hashed, char **path, DynFault *fault)
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned	size = 0;
	char		file[sizeof(".aws/sso/cache/.json") + 2 * EVP_MAX_MD_SIZE];
	int			at = snprintf(file, sizeof(file), ".aws/sso/cache/");
	unsigned	i;

	if (!EVP_Digest(hashed, strlen(hashed), digest, &size, EVP_sha1(), NULL))
		return dyn_fault_set(fault, "OpenSSL cannot compute SHA-1, which is in "
							 "the name of the file with the SSO token");
	for (i = 0; i < size; i++)
		at += snprintf(file + at, sizeof(file) - (size_t) at, "%02x",
					   digest[i]);
	snprintf(file + at, sizeof(file) - (size_t) at, ".json");
	*path = dyn_file_below_home(file, fault);
	return *path != NULL;
}

/* A value that the session's section or the profile has. */
static const char *
sso_value(const Walk *walk, const char *key)
{
	const char *session = value_of(walk, "sso_session");
	const char *of_session = session ?
		dyn_ini_value(&walk->config->files[DYN_CONFIG_CONFIG],
					  DYN_INI_SSO_SESSION, session, key) : NULL;

	return of_session ? of_session : value_of(walk, key);
}

/* The section must exist, and agree with what the profile has, too. */
static DynFound
check_session(Walk *walk)
{
	static const char *const keys[] = {"sso_start_url", "sso_region"};
	const char *session = value_of(walk, "sso_session");
	size_t		i;

	if (session == NULL)
		return DYN_FOUND;
	if (dyn_ini_place(&walk->config->files[DYN_CONFIG_CONFIG],
					  DYN_INI_SSO_SESSION, session) == 0)
	{
		dyn_fault_set(walk->fault, "profile \"%s\" names the SSO session "
					  "\"%s\", which has no section in file \"%s\"",
					  walk->profile, session,
					  dyn_config_path(walk->config, DYN_CONFIG_CONFIG));
		return hint(walk, "\"aws configure sso-session\" writes one.");
	}
	for (i = 0; i < LENGTHOF(keys); i++)
	{
		const char *own = value_of(walk, keys[i]);

		if (own == NULL || strcmp(own, sso_value(walk, keys[i])) == 0)
			continue;
		refuse_key(walk, keys[i], "differs from the one of its SSO session");
		return hint(walk, "Remove it from the profile.");
	}
	return DYN_FOUND;
}

static DynFound
find_sso(Walk *walk)
{
	/* of these, a session has the first two only */
	static const char *const needed[] = {
		"sso_start_url", "sso_region", "sso_account_id", "sso_role_name"
	};
	const char *values[LENGTHOF(needed)];
	DynSsoProfile *sso = &walk->route->sso;
	bool		has_region;
	size_t		i;

	if (check_session(walk) != DYN_FOUND)
		return DYN_FOUND_FAULT;
	for (i = 0; i < LENGTHOF(needed); i++)
	{
		values[i] = i < 2 ? sso_value(walk, needed[i])
			: value_of(walk, needed[i]);
		if (values[i] != NULL)
			continue;
		dyn_fault_set(walk->fault, "profile \"%s\" uses SSO, but has no \"%s\"",
					  walk->profile, needed[i]);
		return hint(walk, "SSO needs sso_account_id and sso_role_name in the "
					"profile, and sso_start_url and sso_region in the section "
					"that its sso_session names, or in the profile.");
	}
	/* they become parts of a URL or a message */
	has_region = dyn_role_is_region(values[1]);
	if (!has_region || strchr(values[0], '\n') != NULL)
	{
		dyn_fault_set(walk->fault, "\"%s\" of profile \"%s\" or its SSO "
					  "session is not valid", needed[!has_region],
					  walk->profile);
		return DYN_FOUND_FAULT;
	}
	walk->route->origin = DYN_ORIGIN_SSO;
	if (!dyn_secret_copy(&sso->profile, walk->profile) ||
		!dyn_secret_copy(&sso->session, value_of(walk, "sso_session")) ||
		!dyn_secret_copy(&sso->start_url, values[0]) ||
		!dyn_secret_copy(&sso->region, values[1]) ||
		!dyn_secret_copy(&sso->account_id, values[2]) ||
		!dyn_secret_copy(&sso->role_name, values[3]))
		return out_of_memory(walk);
	return find_cache_file(sso->session ? sso->session : sso->start_url,
						   &sso->cache_file, walk->fault) ? DYN_FOUND :
		DYN_FOUND_FAULT;
}

/* ---- roles ------------------------------------------------------------ */

/* Into a zeroed role. */
static DynFound
read_role(Walk *walk, DynRole *role)
{
	const DynRole read = {
		(char *) value_of(walk, "role_arn"),
		(char *) value_of(walk, "role_session_name"),
		(char *) value_of(walk, "external_id"), 0
	};
	const char *duration = value_of(walk, "duration_seconds");

	if (!dyn_role_is_arn(read.arn))
		return refuse_key(walk, "role_arn", "is not the ARN of a role");
	if (read.session_name && !dyn_role_is_session_name(read.session_name))
		return refuse_key(walk, "role_session_name", "is not 2 to 64 letters, "
						  "digits or characters of _+=,.@-");
	if (read.external_id && !dyn_role_is_external_id(read.external_id))
		return refuse_key(walk, "external_id", "is not 2 to 1224 letters, "
						  "digits or characters of _+=,.@:/-");
	if (!dyn_role_copy(role, &read))
		return out_of_memory(walk);
	if (duration && !dyn_role_read_duration(duration, &role->duration))
		return refuse_key(walk, "duration_seconds",
						  "is not a number from 900 to 43200");
	return DYN_FOUND;
}

static DynFound
find_web_identity(Walk *walk)
{
	DynRoute   *route = walk->route;
	bool		has_source = value_of(walk, "source_profile") != NULL;

	if (value_of(walk, "role_arn") == NULL)
		return refuse_without(walk, "web_identity_token_file",
							  "\"role_arn\"");
	if (has_source || value_of(walk, "credential_source"))
		return refuse_both(walk, "web_identity_token_file", has_source ?
						   "source_profile" : "credential_source");
	route->origin = DYN_ORIGIN_WEB_IDENTITY;
	if (!dyn_secret_copy(&route->token_file,
						 value_of(walk, "web_identity_token_file")))
		return out_of_memory(walk);
	return read_role(walk, &route->web_role);
}

/* Adds the role of the profile; there must be one source. */
static DynFound
take_role(Walk *walk)
{
	DynRoute   *route = walk->route;
	bool		has_profile = value_of(walk, "source_profile") != NULL;
	bool		has_source = value_of(walk, "credential_source") != NULL;

	if (has_profile && has_source)
		return refuse_both(walk, "source_profile", "credential_source");
	if (!has_profile && !has_source)
	{
		refuse_without(walk, "role_arn", "source_profile, "
					   "credential_source or web_identity_token_file");
		return hint(walk, "If the profile itself has the keys that assume the "
					"role, let its source_profile be its own name.");
	}
	if (value_of(walk, "mfa_serial") != NULL)
	{
		refuse_key(walk, "mfa_serial", "asks for a code of a device, which "
				   "nobody can enter here");
		return hint(walk, "Use a role whose trust policy does not require "
					"multi-factor authentication.");
	}
	if (route->nroles == DYN_ROUTE_MOST_ROLES)
	{
		dyn_fault_set(walk->fault, "profile \"%s\" needs more than %d roles "
					  "that are assumed one after another", walk->visited[0],
					  DYN_ROUTE_MOST_ROLES);
		return DYN_FOUND_FAULT;
	}
	return read_role(walk, &route->roles[route->nroles++]);
}

/* ---- the walk --------------------------------------------------------- */

/* A profile without a role to assume, or a source that has keys. */
static DynFound
find_origin(Walk *walk)
{
	DynRoute   *route = walk->route;
	const char *command = value_of(walk, "credential_process");
	DynFound	found;
	char	   *p;

	if (value_of(walk, "web_identity_token_file"))
		return find_web_identity(walk);
	if (value_of(walk, "sso_account_id") || value_of(walk, "sso_role_name"))
		return find_sso(walk);
	found = find_keys(walk, DYN_CONFIG_CREDENTIALS);
	if (found != DYN_FOUND_NOTHING)
		return found;
	if (command == NULL)
		return find_keys(walk, DYN_CONFIG_CONFIG);
	route->origin = DYN_ORIGIN_PROCESS;
	if (!dyn_secret_copy(&route->command, command))
		return out_of_memory(walk);
	for (p = route->command; *p; p++)
		if (*p == '\n')
			*p = ' ';
	return DYN_FOUND;
}

static DynFound
find_named_source(Walk *walk, const char *source)
{
	DynRoute   *route = walk->route;

	if (strcmp(source, "Environment") == 0)
	{
		route->origin = DYN_ORIGIN_KEYS;
		return dyn_environment_keys(&route->keys, walk->fault) == DYN_FOUND
			? DYN_FOUND : DYN_FOUND_FAULT;
	}
	if (strcmp(source, "EcsContainer") == 0)
	{
		route->origin = DYN_ORIGIN_CONTAINER;
		return dyn_container_is_set() ? DYN_FOUND :
			refuse_key(walk, "credential_source",
					   "is EcsContainer, but the server's environment names "
					   "no container endpoint");
	}
	if (strcmp(source, "Ec2InstanceMetadata") == 0)
	{
		route->origin = DYN_ORIGIN_INSTANCE;
		return dyn_instance_is_enabled() ? DYN_FOUND :
			refuse_key(walk, "credential_source",
					   "is Ec2InstanceMetadata, but AWS_EC2_METADATA_DISABLED "
					   "is set in the server's environment");
	}
	refuse_key(walk, "credential_source", "is not known");
	return hint(walk, "It is Environment, Ec2InstanceMetadata or "
				"EcsContainer.");
}

/* Half a pair counts: it is an error, which find_keys reports. */
static bool
has_keys(const DynConfig *config, const char *profile)
{
	return dyn_config_value(config, profile, "aws_access_key_id") ||
		dyn_config_value(config, profile, "aws_secret_access_key");
}

/*
 * May the walk go on to the source of this profile?  It must not have been
 * there, except that a profile with keys may be its own source.
 */
static DynFound
check_source(Walk *walk, const char *source)
{
	char		names[300] = "";
	size_t		len = 0;
	int			i = 0;

	if (!dyn_config_has_profile(walk->config, source))
	{
		dyn_fault_set(walk->fault, "profile \"%s\" has source_profile \"%s\", "
					  "which does not exist", walk->profile, source);
		dyn_fault_hint(walk->fault, "The files are \"%s\" and \"%s\".",
					   dyn_config_path(walk->config, DYN_CONFIG_CONFIG),
					   dyn_config_path(walk->config, DYN_CONFIG_CREDENTIALS));
		return DYN_FOUND_FAULT;
	}
	while (i < walk->nvisited && strcmp(walk->visited[i], source) != 0)
		i++;
	if (i == walk->nvisited)
		return DYN_FOUND;
	if (strcmp(source, walk->profile) == 0)
		return has_keys(walk->config, source) ? DYN_FOUND :
			refuse_key(walk, "source_profile",
					   "names the profile itself, which has no keys");
	for (i = 0; i < walk->nvisited && len < sizeof(names); i++)
		len += (size_t) snprintf(names + len, sizeof(names) - len, "\"%s\", ",
								 walk->visited[i]);
	dyn_fault_set(walk->fault, "the source_profile of profiles is a circle: "
				  "%s\"%s\"", names, source);
	return hint(walk, "The last source needs keys, or another source of "
				"credentials, and no role_arn.");
}

/*
 * Follows source profiles to the origin of the first one.  Where nothing is
 * found, what is half there, or not supported, is a fault.
 */
static DynFound
follow(Walk *walk)
{
	DynFound	found;

	for (;;)
	{
		const char *named = value_of(walk, "credential_source");
		const char *source = value_of(walk, "source_profile");

		if (check_lines(walk) != DYN_FOUND)
			return DYN_FOUND_FAULT;
		if (!dyn_profile_assumes_role(walk->config, walk->profile) ||
			(walk->nvisited > 0 && has_keys(walk->config, walk->profile)))
			break;
		walk->visited[walk->nvisited++] = walk->profile;
		if (take_role(walk) != DYN_FOUND)
			return DYN_FOUND_FAULT;
		if (named)
			return find_named_source(walk, named);
		if (check_source(walk, source) != DYN_FOUND)
			return DYN_FOUND_FAULT;
		walk->profile = source;
	}
	found = find_origin(walk);
	if (found != DYN_FOUND_NOTHING)
		return found;
	if (value_of(walk, "sso_session") || value_of(walk, "sso_start_url"))
		return find_sso(walk);
	if (value_of(walk, "login_session"))
	{
		refuse_key(walk, "login_session", "is not supported");
		return hint(walk, "Use \"aws configure sso\", or a role.");
	}
	dyn_fault_set(walk->fault, "profile \"%s\" has no credentials",
				  walk->profile);
	hint(walk, "It needs aws_access_key_id and aws_secret_access_key, role_arn, "
		 "credential_process, or sso_account_id and sso_role_name.");
	return DYN_FOUND_NOTHING;
}

bool
dyn_profile_assumes_role(const DynConfig *config, const char *profile)
{
	return dyn_config_value(config, profile, "role_arn") &&
		!dyn_config_value(config, profile, "web_identity_token_file");
}

DynFound
dyn_profile_find(const DynConfig *config, const char *profile, DynRoute *route,
				 DynFault *fault)
{
	Walk		walk = {.config = config,.profile = profile,.route = route,
	.fault = fault};
	DynFound	found;
	int			i;

	if (!dyn_config_has_profile(config, profile))
	{
		dyn_config_no_profile(config, profile, fault);
		return DYN_FOUND_NOTHING;
	}
	found = follow(&walk);
	/* the last one of the walk is assumed first */
	for (i = 0; i < route->nroles / 2; i++)
	{
		DynRole		role = route->roles[i];

		route->roles[i] = route->roles[route->nroles - 1 - i];
		route->roles[route->nroles - 1 - i] = role;
	}
	return found == DYN_FOUND_NOTHING && walk.nvisited > 0 ? DYN_FOUND_FAULT :
		found;
}
