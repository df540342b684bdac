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

/* The values of a profile, which are in the files' texts. */
typedef struct Profile
{
	const char *name;
	const char *role_arn;
	const char *source_profile;
	const char *credential_source;
	const char *web_identity_token_file;
	const char *mfa_serial;
	const char *external_id;
	const char *role_session_name;
	const char *duration_seconds;
	const char *sso_session;
	const char *sso_start_url;
	const char *sso_region;
	const char *sso_account_id;
	const char *sso_role_name;
	const char *login_session;
	const char *credential_process;
} Profile;

typedef struct Walk
{
	const DynConfig *config;
	const char *visited[DYN_ROUTE_MOST_ROLES + 1];
	int			nvisited;
	DynRoute   *route;
	DynFault   *fault;
} Walk;

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
refuse_key(Walk *walk, const char *profile, const char *key, const char *what)
{
	dyn_fault_set(walk->fault, "key \"%s\" of profile \"%s\" in file \"%s\" %s",
				  key, profile,
				  dyn_config_path_of(walk->config, profile, key), what);
	return DYN_FOUND_FAULT;
}

/* It has one key, and needs others. */
static DynFound
refuse_without(Walk *walk, const char *profile, const char *key,
			   const char *missing)
{
	dyn_fault_set(walk->fault, "profile \"%s\" in file \"%s\" has \"%s\", but "
				  "not %s", profile,
				  dyn_config_path_of(walk->config, profile, key), key,
				  missing);
	return DYN_FOUND_FAULT;
}

/* Which credentials assume the role is ambiguous. */
static DynFound
refuse_both(Walk *walk, const char *profile, const char *key,
			const char *other)
{
	dyn_fault_set(walk->fault, "profile \"%s\" has both \"%s\" and \"%s\"",
				  profile, key, other);
	return hint(walk, "Remove one of the two.");
}

/* ---- values ----------------------------------------------------------- */

/* Only a command may go on in the next line. */
static DynFound
read_value(Walk *walk, const Profile *profile, const char *key,
		   const char **value)
{
	*value = dyn_config_value(walk->config, profile->name, key);
	if (*value == NULL || strchr(*value, '\n') == NULL)
		return DYN_FOUND;
	refuse_key(walk, profile->name, key, "has several lines");
	return hint(walk, "A line that is indented more than the one before it "
				"continues the value of that line.");
}

static DynFound
read_profile(Walk *walk, const char *name, Profile *profile)
{
	const struct
	{
		const char *key;
		const char **value;
	}			keys[] =
	{
		{"role_arn", &profile->role_arn},
		{"source_profile", &profile->source_profile},
		{"credential_source", &profile->credential_source},
		{"web_identity_token_file", &profile->web_identity_token_file},
		{"mfa_serial", &profile->mfa_serial},
		{"external_id", &profile->external_id},
		{"role_session_name", &profile->role_session_name},
		{"duration_seconds", &profile->duration_seconds},
		{"sso_session", &profile->sso_session},
		{"sso_start_url", &profile->sso_start_url},
		{"sso_region", &profile->sso_region},
		{"sso_account_id", &profile->sso_account_id},
		{"sso_role_name", &profile->sso_role_name},
		{"login_session", &profile->login_session}
	};
	size_t		i;

	memset(profile, 0, sizeof(*profile));
	profile->name = name;
	profile->credential_process = dyn_config_value(walk->config, name,
												   "credential_process");
	for (i = 0; i < LENGTHOF(keys); i++)
		if (read_value(walk, profile, keys[i].key, keys[i].value) != DYN_FOUND)
			return DYN_FOUND_FAULT;
	return DYN_FOUND;
}

/* ---- keys ------------------------------------------------------------- */

static DynFound
refuse_keys(Walk *walk, DynConfigFile file, const char *profile,
			const char *bad)
{
	if (bad == NULL)
		return out_of_memory(walk);
	dyn_fault_set(walk->fault, "key \"aws_%s\" of profile \"%s\" in file "
				  "\"%s\" has several lines or a control character", bad,
				  profile, walk->config->paths[file]);
	return DYN_FOUND_FAULT;
}

/* Key, secret and token are of one file: they belong together. */
static DynFound
find_keys(Walk *walk, DynConfigFile file, const char *profile)
{
	const DynConfig *config = walk->config;
	const char *id = dyn_config_value_of(config, file, profile,
										 "aws_access_key_id");
	const char *secret = dyn_config_value_of(config, file, profile,
											 "aws_secret_access_key");
	const char *token = dyn_config_value_of(config, file, profile,
											"aws_session_token");
	const char *bad;

	if (id == NULL && secret == NULL)
		return DYN_FOUND_NOTHING;
	if (id == NULL || secret == NULL)
	{
		dyn_fault_set(walk->fault, "profile \"%s\" in file \"%s\" has \"%s\", "
					  "but not \"%s\"", profile, config->paths[file],
					  id ? "aws_access_key_id" : "aws_secret_access_key",
					  id ? "aws_secret_access_key" : "aws_access_key_id");
		return DYN_FOUND_FAULT;
	}
	if (token == NULL)
		token = dyn_config_value_of(config, file, profile,
									"aws_security_token");
	walk->route->origin = DYN_ORIGIN_KEYS;
	if (!dyn_credentials_set(&walk->route->keys, id, secret, token, &bad))
		return refuse_keys(walk, file, profile, bad);
	return DYN_FOUND;
}

/* Half a pair counts: it is an error, which find_keys reports. */
static bool
has_keys(const DynConfig *config, const char *profile)
{
	return dyn_config_value(config, profile, "aws_access_key_id") ||
		dyn_config_value(config, profile, "aws_secret_access_key");
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

/*
 * A value that the session's section or the profile has; if both have it, they
 * must agree.
 */
static DynFound
merge_session_value(Walk *walk, const Profile *profile, const char *key,
					const char **value)
{
	const DynIni *ini = &walk->config->files[DYN_CONFIG_CONFIG];
	const char *of_session = dyn_ini_value(ini, DYN_INI_SSO_SESSION,
										   profile->sso_session, key);

	if (of_session == NULL)
		return DYN_FOUND;
	if (*value != NULL && strcmp(*value, of_session) != 0)
	{
		refuse_key(walk, profile->name, key, "differs from the one of its SSO "
				   "session");
		return hint(walk, "Remove it from the profile.");
	}
	*value = of_session;
	return DYN_FOUND;
}

static DynFound
read_session(Walk *walk, Profile *profile)
{
	const DynConfig *config = walk->config;

	if (profile->sso_session == NULL)
		return DYN_FOUND;
	if (!dyn_ini_has(&config->files[DYN_CONFIG_CONFIG], DYN_INI_SSO_SESSION,
					 profile->sso_session))
	{
		dyn_fault_set(walk->fault, "profile \"%s\" names the SSO session "
					  "\"%s\", which has no section in file \"%s\"",
					  profile->name, profile->sso_session,
					  dyn_config_path(config, DYN_CONFIG_CONFIG));
		return hint(walk, "\"aws configure sso-session\" writes one.");
	}
	if (merge_session_value(walk, profile, "sso_start_url",
							&profile->sso_start_url) != DYN_FOUND)
		return DYN_FOUND_FAULT;
	return merge_session_value(walk, profile, "sso_region",
							   &profile->sso_region);
}

/* Everything must be there, and may become a part of a URL or a message. */
static DynFound
check_sso(Walk *walk, const Profile *profile)
{
	const char *missing = !profile->sso_start_url ? "sso_start_url" :
		!profile->sso_region ? "sso_region" :
		!profile->sso_account_id ? "sso_account_id" :
		!profile->sso_role_name ? "sso_role_name" : NULL;

	if (missing != NULL)
	{
		dyn_fault_set(walk->fault, "profile \"%s\" uses SSO, but has no \"%s\"",
					  profile->name, missing);
		return hint(walk, "SSO needs sso_account_id and sso_role_name in the "
					"profile, and sso_start_url and sso_region in the section "
					"that its sso_session names, or in the profile.");
	}
	if (!dyn_role_is_region(profile->sso_region) ||
		strchr(profile->sso_start_url, '\n'))
	{
		dyn_fault_set(walk->fault, "\"%s\" of profile \"%s\" or its SSO session "
					  "is not valid", dyn_role_is_region(profile->sso_region) ?
					  "sso_start_url" : "sso_region", profile->name);
		return DYN_FOUND_FAULT;
	}
	return DYN_FOUND;
}

static DynFound
find_sso(Walk *walk, Profile *profile)
{
	DynSsoProfile *sso = &walk->route->sso;

	if (read_session(walk, profile) != DYN_FOUND ||
		check_sso(walk, profile) != DYN_FOUND)
		return DYN_FOUND_FAULT;
	walk->route->origin = DYN_ORIGIN_SSO;
	if (!dyn_secret_copy(&sso->profile, profile->name) ||
		!dyn_secret_copy(&sso->session, profile->sso_session) ||
		!dyn_secret_copy(&sso->start_url, profile->sso_start_url) ||
		!dyn_secret_copy(&sso->region, profile->sso_region) ||
		!dyn_secret_copy(&sso->account_id, profile->sso_account_id) ||
		!dyn_secret_copy(&sso->role_name, profile->sso_role_name))
		return out_of_memory(walk);
	return find_cache_file(sso->session ? sso->session : sso->start_url,
						   &sso->cache_file, walk->fault) ? DYN_FOUND :
		DYN_FOUND_FAULT;
}

/* ---- roles ------------------------------------------------------------ */

/* Into a zeroed role. */
static DynFound
read_role(Walk *walk, const Profile *profile, DynRole *role)
{
	const char *name = profile->name;

	if (!dyn_role_is_arn(profile->role_arn))
		return refuse_key(walk, name, "role_arn", "is not the ARN of a role");
	if (profile->role_session_name != NULL &&
		!dyn_role_is_session_name(profile->role_session_name))
		return refuse_key(walk, name, "role_session_name",
						  "is not 2 to 64 letters, digits or characters of "
						  "_+=,.@-");
	if (profile->external_id != NULL &&
		!dyn_role_is_external_id(profile->external_id))
		return refuse_key(walk, name, "external_id", "is not 2 to 1224 letters, "
						  "digits or characters of _+=,.@:/-");
	if (profile->duration_seconds != NULL &&
		!dyn_role_read_duration(profile->duration_seconds, &role->duration))
		return refuse_key(walk, name, "duration_seconds",
						  "is not a number from 900 to 43200");
	if (!dyn_secret_copy(&role->arn, profile->role_arn) ||
		!dyn_secret_copy(&role->session_name, profile->role_session_name) ||
		!dyn_secret_copy(&role->external_id, profile->external_id))
		return out_of_memory(walk);
	return DYN_FOUND;
}

static DynFound
find_web_identity(Walk *walk, const Profile *profile)
{
	DynRoute   *route = walk->route;

	if (profile->role_arn == NULL)
		return refuse_without(walk, profile->name, "web_identity_token_file",
							  "\"role_arn\"");
	if (profile->source_profile || profile->credential_source)
		return refuse_both(walk, profile->name, "web_identity_token_file",
						   profile->source_profile ? "source_profile" :
						   "credential_source");
	route->origin = DYN_ORIGIN_WEB_IDENTITY;
	if (!dyn_secret_copy(&route->token_file, profile->web_identity_token_file))
		return out_of_memory(walk);
	return read_role(walk, profile, &route->web_role);
}

static DynFound
add_role(Walk *walk, const Profile *profile)
{
	DynRoute   *route = walk->route;

	if (profile->mfa_serial != NULL)
	{
		refuse_key(walk, profile->name, "mfa_serial", "asks for a code of "
				   "a device, which nobody can enter here");
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
	return read_role(walk, profile, &route->roles[route->nroles++]);
}

/* ---- the walk --------------------------------------------------------- */

static bool
assumes_role(const Profile *profile)
{
	return profile->role_arn && !profile->web_identity_token_file;
}

/* A profile without a role to assume, or a source that has keys. */
static DynFound
find_origin(Walk *walk, Profile *profile)
{
	DynRoute   *route = walk->route;
	DynFound	found;
	char	   *p;

	if (profile->web_identity_token_file)
		return find_web_identity(walk, profile);
	if (profile->sso_account_id || profile->sso_role_name)
		return find_sso(walk, profile);
	found = find_keys(walk, DYN_CONFIG_CREDENTIALS, profile->name);
	if (found != DYN_FOUND_NOTHING)
		return found;
	if (profile->credential_process == NULL)
		return find_keys(walk, DYN_CONFIG_CONFIG, profile->name);
	route->origin = DYN_ORIGIN_PROCESS;
	if (!dyn_secret_copy(&route->command, profile->credential_process))
		return out_of_memory(walk);
	for (p = route->command; *p; p++)
		if (*p == '\n')
			*p = ' ';
	return DYN_FOUND;
}

/* Nothing was found: what is half there, or not supported, is a fault. */
static DynFound
explain_nothing(Walk *walk, Profile *profile)
{
	if (profile->sso_session || profile->sso_start_url)
		return find_sso(walk, profile);
	if (profile->login_session)
	{
		refuse_key(walk, profile->name, "login_session", "is not supported");
		return hint(walk, "Use \"aws configure sso\", or a role.");
	}
	dyn_fault_set(walk->fault, "profile \"%s\" has no credentials",
				  profile->name);
	hint(walk, "It needs aws_access_key_id and aws_secret_access_key, role_arn, "
		 "credential_process, or sso_account_id and sso_role_name.");
	return DYN_FOUND_NOTHING;
}

static DynFound
find_named_source(Walk *walk, const Profile *profile)
{
	const char *source = profile->credential_source;

	if (strcmp(source, "Environment") == 0)
	{
		walk->route->origin = DYN_ORIGIN_KEYS;
		if (dyn_environment_keys(&walk->route->keys, walk->fault) == DYN_FOUND)
			return DYN_FOUND;
		return DYN_FOUND_FAULT;
	}
	if (strcmp(source, "EcsContainer") == 0)
	{
		walk->route->origin = DYN_ORIGIN_CONTAINER;
		if (dyn_container_is_set())
			return DYN_FOUND;
		return refuse_key(walk, profile->name, "credential_source",
						  "is EcsContainer, but the server's environment names "
						  "no container endpoint");
	}
	if (strcmp(source, "Ec2InstanceMetadata") == 0)
	{
		walk->route->origin = DYN_ORIGIN_INSTANCE;
		if (dyn_instance_is_enabled())
			return DYN_FOUND;
		return refuse_key(walk, profile->name, "credential_source",
						  "is Ec2InstanceMetadata, but AWS_EC2_METADATA_DISABLED "
						  "is set in the server's environment");
	}
	refuse_key(walk, profile->name, "credential_source", "is not known");
	return hint(walk, "It is Environment, Ec2InstanceMetadata or "
				"EcsContainer.");
}

static bool
is_visited(const Walk *walk, const char *profile)
{
	int			i;

	for (i = 0; i < walk->nvisited; i++)
		if (strcmp(walk->visited[i], profile) == 0)
			return true;
	return false;
}

static DynFound
refuse_circle(Walk *walk, const char *source)
{
	char		names[300] = "";
	size_t		len = 0;
	int			i;

	for (i = 0; i < walk->nvisited && len < sizeof(names); i++)
		len += (size_t) snprintf(names + len, sizeof(names) - len, "\"%s\", ",
								 walk->visited[i]);
	dyn_fault_set(walk->fault, "the source_profile of profiles is a circle: "
				  "%s\"%s\"", names, source);
	return hint(walk, "The last source needs keys, or another source of "
				"credentials, and no role_arn.");
}

/* May the walk go on to the source of this profile? */
static DynFound
check_source(Walk *walk, const Profile *profile)
{
	const char *source = profile->source_profile;

	if (!dyn_config_has_profile(walk->config, source))
	{
		dyn_fault_set(walk->fault, "profile \"%s\" has source_profile \"%s\", "
					  "which does not exist", profile->name, source);
		dyn_fault_hint(walk->fault, "The files are \"%s\" and \"%s\".",
					   dyn_config_path(walk->config, DYN_CONFIG_CONFIG),
					   dyn_config_path(walk->config, DYN_CONFIG_CREDENTIALS));
		return DYN_FOUND_FAULT;
	}
	if (!is_visited(walk, source))
		return DYN_FOUND;
	if (strcmp(source, profile->name) != 0)
		return refuse_circle(walk, source);
	if (has_keys(walk->config, source))
		return DYN_FOUND;
	return refuse_key(walk, profile->name, "source_profile",
					  "names the profile itself, which has no keys");
}

/* Adds the role of the profile; there must be one source. */
static DynFound
take_role(Walk *walk, const Profile *profile)
{
	if (profile->source_profile && profile->credential_source)
		return refuse_both(walk, profile->name, "source_profile",
						   "credential_source");
	if (!profile->source_profile && !profile->credential_source)
	{
		refuse_without(walk, profile->name, "role_arn", "source_profile, "
					   "credential_source or web_identity_token_file");
		return hint(walk, "If the profile itself has the keys that assume the "
					"role, let its source_profile be its own name.");
	}
	return add_role(walk, profile);
}

/* Follows source profiles to the origin of the first one. */
static DynFound
follow(Walk *walk, const char *name)
{
	Profile		profile;
	DynFound	found;

	for (;;)
	{
		if (read_profile(walk, name, &profile) != DYN_FOUND)
			return DYN_FOUND_FAULT;
		if (!assumes_role(&profile) ||
			(walk->nvisited > 0 && has_keys(walk->config, name)))
			break;
		walk->visited[walk->nvisited++] = name;
		if (take_role(walk, &profile) != DYN_FOUND)
			return DYN_FOUND_FAULT;
		if (profile.credential_source)
			return find_named_source(walk, &profile);
		if (check_source(walk, &profile) != DYN_FOUND)
			return DYN_FOUND_FAULT;
		name = profile.source_profile;
	}
	found = find_origin(walk, &profile);
	return found == DYN_FOUND_NOTHING ? explain_nothing(walk, &profile) : found;
}

/* The last one of the walk is assumed first. */
static void
reverse_roles(DynRoute *route)
{
	int			i;

	for (i = 0; i < route->nroles / 2; i++)
	{
		DynRole		role = route->roles[i];

		route->roles[i] = route->roles[route->nroles - 1 - i];
		route->roles[route->nroles - 1 - i] = role;
	}
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
	Walk		walk = {.config = config,.route = route,.fault = fault};
	DynFound	found;

	if (!dyn_config_has_profile(config, profile))
	{
		dyn_config_no_profile(config, profile, fault);
		return DYN_FOUND_NOTHING;
	}
	found = follow(&walk, profile);
	reverse_roles(route);
	return found == DYN_FOUND_NOTHING && walk.nvisited > 0 ? DYN_FOUND_FAULT :
		found;
}
