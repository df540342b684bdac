/*
 * route.c
 *		How credentials are obtained: the kinds of sources, and their order.
 *
 * The default order is that of AWS's tools: keys in the environment, a profile
 * that assumes a role, web identity in the environment, the profile otherwise,
 * the container, the instance.  The first that is configured is taken: if it
 * does not work, that is a fault, and not a reason to use other rights.
 *
 * - A profile that is named (by the spec, or by AWS_PROFILE) must exist; the
 *   one named "default" counts if it exists.  A profile without credentials,
 *   which may just name a region, is passed over.
 * - If the spec names the profile, the environment's keys and web identity are
 *   passed over.
 *
 * Layer: credentials.
 */
#include "route.h"

#include <string.h>

#include "../aws/secret.h"
#include "../base/buffer.h"
#include "config.h"
#include "container.h"
#include "environment.h"
#include "files.h"
#include "instance.h"
#include "profile.h"
#include "role.h"

typedef struct Finder
{
	const DynSourceSpec *spec;
	const char *profile;		/* its name */
	bool		is_named;		/* by somebody, not "default" */
	DynConfig	config;			/* loaded when it is needed */
	bool		is_loaded;
	DynRoute   *route;
	const char *words;			/* for route->words; NULL: the profile's */
	DynFault   *fault;
} Finder;

/* ---- one kind --------------------------------------------------------- */

static DynFound
load(Finder *finder)
{
	if (finder->spec->profile == NULL && !dyn_config_names_agree(finder->fault))
		return DYN_FOUND_FAULT;
	if (!finder->is_loaded && !dyn_config_load(&finder->config, finder->fault))
		return DYN_FOUND_FAULT;
	finder->is_loaded = true;
	return DYN_FOUND;
}

static DynFound
find_static(Finder *finder)
{
	const DynCredentials *keys = &finder->spec->keys;
	const char *bad;

	finder->words = "static keys";
	finder->route->origin = DYN_ORIGIN_KEYS;
	if (keys->access_key_id == NULL || keys->secret_access_key == NULL)
	{
		dyn_fault_set(finder->fault, "there are no static keys");
		return DYN_FOUND_NOTHING;
	}
	if (dyn_credentials_set(&finder->route->keys, keys->access_key_id,
							keys->secret_access_key, keys->session_token, &bad))
	{
		finder->route->keys.expires = keys->expires;
		return DYN_FOUND;
	}
	if (bad != NULL)
		dyn_fault_set(finder->fault, "%s contains a control character", bad);
	else
		dyn_fault_memory(finder->fault);
	return DYN_FOUND_FAULT;
}

static DynFound
find_profile(Finder *finder)
{
	finder->words = NULL;
	if (load(finder) != DYN_FOUND)
		return DYN_FOUND_FAULT;
	return dyn_profile_find(&finder->config, finder->profile, finder->route,
							finder->fault);
}

static DynFound
find_environment(Finder *finder)
{
	finder->words = "environment";
	finder->route->origin = DYN_ORIGIN_KEYS;
	return dyn_environment_keys(&finder->route->keys, finder->fault);
}

static DynFound
find_web_identity(Finder *finder)
{
	DynRoute   *route = finder->route;

	finder->words = "web identity";
	route->origin = DYN_ORIGIN_WEB_IDENTITY;
	return dyn_environment_web_identity(&route->token_file, &route->web_role,
										finder->fault);
}

static DynFound
find_container(Finder *finder)
{
	finder->words = "container";
	finder->route->origin = DYN_ORIGIN_CONTAINER;
	if (dyn_container_is_set())
		return DYN_FOUND;
	dyn_fault_set(finder->fault, "environment variables "
				  "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI and "
				  "AWS_CONTAINER_CREDENTIALS_FULL_URI are not set");
	dyn_fault_hint(finder->fault, "ECS and EKS set one of them for a container; "
				   "the server must be started with it in its environment.");
	return DYN_FOUND_NOTHING;
}

static DynFound
find_instance(Finder *finder)
{
	finder->words = "instance";
	finder->route->origin = DYN_ORIGIN_INSTANCE;
	if (dyn_instance_is_enabled())
		return DYN_FOUND;
	dyn_fault_set(finder->fault, "the instance metadata service is switched "
				  "off by environment variable AWS_EC2_METADATA_DISABLED");
	return DYN_FOUND_NOTHING;
}

/* ---- the default order ------------------------------------------------ */

/* A profile of which only the name "default" is known need not exist. */
static DynFound
find_profile_if_any(Finder *finder, bool only_role)
{
	if (load(finder) != DYN_FOUND)
		return DYN_FOUND_FAULT;
	if (!dyn_config_has_profile(&finder->config, finder->profile))
	{
		dyn_config_no_profile(&finder->config, finder->profile, finder->fault);
		return finder->is_named ? DYN_FOUND_FAULT : DYN_FOUND_NOTHING;
	}
	if (only_role &&
		!dyn_profile_assumes_role(&finder->config, finder->profile))
		return DYN_FOUND_NOTHING;
	return find_profile(finder);
}

/* Nothing is configured: says where it was looked for. */
static DynFound
explain_default(Finder *finder)
{
	DynFault   *fault = finder->fault;
	const DynConfig *config = &finder->config;
	char		user[64];

	dyn_file_user(user, sizeof(user));
	dyn_fault_set(fault, "there are no credentials: %sprofile \"%s\" %s, "
				  "neither AWS_CONTAINER_CREDENTIALS_RELATIVE_URI nor "
				  "AWS_CONTAINER_CREDENTIALS_FULL_URI is set, and the instance "
				  "metadata service is switched off by "
				  "AWS_EC2_METADATA_DISABLED",
				  finder->spec->profile ? "" : "environment variables "
				  "AWS_ACCESS_KEY_ID and AWS_WEB_IDENTITY_TOKEN_FILE are not "
				  "set, ", finder->profile,
				  dyn_config_has_profile(config, finder->profile) ?
				  "has none" : "does not exist");
	dyn_fault_hint(fault, "The server runs as the operating-system user \"%s\"; "
				   "the files are \"%s\" and \"%s\".", user,
				   dyn_config_path(config, DYN_CONFIG_CONFIG),
				   dyn_config_path(config, DYN_CONFIG_CREDENTIALS));
	return DYN_FOUND_FAULT;
}

static DynFound
find_default(Finder *finder)
{
	bool		ambient = finder->spec->profile == NULL;
	DynFound	found = DYN_FOUND_NOTHING;

	if (ambient)
		found = find_environment(finder);
	if (found == DYN_FOUND_NOTHING)
		found = find_profile_if_any(finder, true);
	if (found == DYN_FOUND_NOTHING && ambient)
		found = find_web_identity(finder);
	if (found == DYN_FOUND_NOTHING)
		found = find_profile_if_any(finder, false);
	if (found == DYN_FOUND_NOTHING)
		found = find_container(finder);
	if (found == DYN_FOUND_NOTHING)
		found = find_instance(finder);
	return found == DYN_FOUND_NOTHING ? explain_default(finder) : found;
}

/* ---- the route -------------------------------------------------------- */

/* Appends the role of the user mapping to those of the origin. */
static bool
append_role(Finder *finder)
{
	DynRoute   *route = finder->route;

	if (finder->spec->role.arn == NULL)
		return true;
	if (route->nroles == DYN_ROUTE_MOST_ROLES)
		return dyn_fault_set(finder->fault, "profile \"%s\" and the user "
							 "mapping need more than %d roles that are assumed "
							 "one after another", finder->profile,
							 DYN_ROUTE_MOST_ROLES);
	return dyn_role_copy(&route->roles[route->nroles++], &finder->spec->role) ||
		dyn_fault_memory(finder->fault);
}

/* The origin, and the roles in the order in which they are assumed. */
static bool
describe(Finder *finder)
{
	DynRoute   *route = finder->route;
	DynBuffer	words;
	int			i;

	dyn_buffer_init(&words, 0);
	if (finder->words != NULL)
		dyn_buffer_append_str(&words, finder->words);
	else
		dyn_buffer_printf(&words, "profile \"%s\"", finder->profile);
	if (route->web_role.arn != NULL)
		dyn_buffer_printf(&words, ", role %s", route->web_role.arn);
	for (i = 0; i < route->nroles; i++)
		dyn_buffer_printf(&words, ", role %s", route->roles[i].arn);
	route->words = (char *) dyn_buffer_terminate(&words);
	if (route->words != NULL)
		return true;
	dyn_buffer_free(&words);
	return dyn_fault_memory(finder->fault);
}

static DynFound
find_kind(Finder *finder)
{
	switch (finder->spec->kind)
	{
		case DYN_SOURCE_STATIC:
			return find_static(finder);
		case DYN_SOURCE_ENVIRONMENT:
			return find_environment(finder);
		case DYN_SOURCE_PROFILE:
			return find_profile(finder);
		case DYN_SOURCE_WEB_IDENTITY:
			return find_web_identity(finder);
		case DYN_SOURCE_CONTAINER:
			return find_container(finder);
		case DYN_SOURCE_INSTANCE:
			return find_instance(finder);
		case DYN_SOURCE_DEFAULT:
			return find_default(finder);
	}
	dyn_fault_set(finder->fault, "the kind of source is not known");
	return DYN_FOUND_FAULT;
}

bool
dyn_route_find(const DynSourceSpec *spec, DynRoute *route, DynFault *fault)
{
	Finder		finder = {.spec = spec,.route = route,.fault = fault};
	bool		ok;

	memset(route, 0, sizeof(*route));
	finder.profile = dyn_config_profile_name(&finder.is_named);
	if (spec->profile != NULL)
	{
		finder.profile = spec->profile;
		finder.is_named = true;
	}
	ok = find_kind(&finder) == DYN_FOUND && append_role(&finder) &&
		describe(&finder);
	dyn_config_clear(&finder.config);
	if (!ok)
		dyn_route_clear(route);
	return ok;
}

void
dyn_route_clear(DynRoute *route)
{
	DynSsoProfile *sso = &route->sso;
	int			i;

	dyn_secret_free(route->words);
	dyn_credentials_clear(&route->keys);
	dyn_secret_free(route->command);
	dyn_secret_free(sso->profile);
	dyn_secret_free(sso->session);
	dyn_secret_free(sso->start_url);
	dyn_secret_free(sso->region);
	dyn_secret_free(sso->account_id);
	dyn_secret_free(sso->role_name);
	dyn_secret_free(sso->cache_file);
	dyn_secret_free(route->token_file);
	dyn_role_clear(&route->web_role);
	for (i = 0; i < route->nroles; i++)
		dyn_role_clear(&route->roles[i]);
	memset(route, 0, sizeof(*route));
}
