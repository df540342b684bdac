/*
 * provider_chain.c
 *		Finds the provider chain: the kinds of providers, and their order.
 *
 * The default order is that of AWS's tools: keys in the environment, a profile
 * that assumes a role, web identity in the environment, a profile that does
 * not, the container, the instance.  The first provider that is configured is
 * used.  If it fails, that is an error, and not a reason to use other rights.
 *
 * - A profile that is named (by the user mapping or AWS_PROFILE) must exist;
 *   the one named "default" applies if it exists.  A profile without
 *   credentials, which may only set a region, is skipped.
 * - If the user mapping names the profile, the environment's keys and web
 *   identity are skipped.
 *
 * Layer: credentials.
 */
#include "provider_chain.h"

#include <string.h>

#include "../aws/credentials.h"
#include "../base/buffer.h"
#include "config.h"
#include "container.h"
#include "environment.h"
#include "files.h"
#include "instance.h"
#include "profile.h"
#include "role.h"

typedef struct Builder
{
	const DynSourceOptions *spec;
	const char *profile;		/* name of the profile */
	bool		is_named;		/* true if it was named explicitly, not
								 * "default" */
	DynConfig	config;			/* files, loaded when they are needed */
	bool		is_loaded;
	DynProviderChain *chain;
	const char *words;			/* description for chain->words; NULL for the
								 * profile's */
	DynError   *err;
} Builder;

/* ---- one kind --------------------------------------------------------- */

static DynFound
load(Builder *builder)
{
	if (builder->spec->profile == NULL && !dyn_config_names_agree(builder->err))
		return DYN_FOUND_ERROR;
	if (!builder->is_loaded && !dyn_config_load(&builder->config, builder->err))
		return DYN_FOUND_ERROR;
	builder->is_loaded = true;
	return DYN_FOUND;
}

static DynFound
find_static(Builder *builder)
{
	const DynCredentials *keys = &builder->spec->keys;
	const char *bad;

	builder->words = "static keys";
	builder->chain->provider_kind = DYN_PROVIDER_KEYS;
	if (keys->access_key_id == NULL || keys->secret_access_key == NULL)
	{
		dyn_error_set(builder->err, "the user mapping has no access keys");
		return DYN_FOUND_NOTHING;
	}
	if (dyn_credentials_set(&builder->chain->keys, keys->access_key_id,
							keys->secret_access_key, keys->session_token, &bad))
	{
		builder->chain->keys.expires = keys->expires;
		return DYN_FOUND;
	}
	if (bad != NULL)
		dyn_error_set(builder->err, "%s contains a control character", bad);
	else
		dyn_error_memory(builder->err);
	return DYN_FOUND_ERROR;
}

static DynFound
find_profile(Builder *builder)
{
	builder->words = NULL;
	if (load(builder) != DYN_FOUND)
		return DYN_FOUND_ERROR;
	return dyn_profile_find(&builder->config, builder->profile, builder->chain,
							builder->err);
}

static DynFound
find_environment(Builder *builder)
{
	builder->words = "environment";
	builder->chain->provider_kind = DYN_PROVIDER_KEYS;
	return dyn_environment_keys(&builder->chain->keys, builder->err);
}

static DynFound
find_web_identity(Builder *builder)
{
	DynProviderChain *chain = builder->chain;

	builder->words = "web identity";
	chain->provider_kind = DYN_PROVIDER_WEB_IDENTITY;
	return dyn_environment_web_identity(&chain->token_file, &chain->web_role,
										builder->err);
}

static DynFound
find_container(Builder *builder)
{
	builder->words = "container";
	builder->chain->provider_kind = DYN_PROVIDER_CONTAINER;
	if (dyn_container_is_set())
		return DYN_FOUND;
	dyn_error_set(builder->err, "environment variables "
				  "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI and "
				  "AWS_CONTAINER_CREDENTIALS_FULL_URI are not set");
	dyn_error_hint(builder->err, "ECS and EKS set one of them for a container. The environment of the server must contain it.");
	return DYN_FOUND_NOTHING;
}

static DynFound
find_instance(Builder *builder)
{
	builder->words = "instance";
	builder->chain->provider_kind = DYN_PROVIDER_INSTANCE;
	if (dyn_instance_is_enabled())
		return DYN_FOUND;
	dyn_error_set(builder->err, "the instance metadata service is disabled by environment variable AWS_EC2_METADATA_DISABLED");
	return DYN_FOUND_NOTHING;
}

/* ---- the default order ------------------------------------------------ */

/* Finds the profile.  If it is only the default one, it need not exist. */
static DynFound
find_profile_if_any(Builder *builder, bool only_role)
{
	if (load(builder) != DYN_FOUND)
		return DYN_FOUND_ERROR;
	if (!dyn_config_has_profile(&builder->config, builder->profile))
	{
		dyn_config_no_profile(&builder->config, builder->profile, builder->err);
		return builder->is_named ? DYN_FOUND_ERROR : DYN_FOUND_NOTHING;
	}
	if (only_role &&
		!dyn_profile_assumes_role(&builder->config, builder->profile))
		return DYN_FOUND_NOTHING;
	return find_profile(builder);
}

/* Reports that nothing is configured, and which providers were tried. */
static DynFound
explain_default(Builder *builder)
{
	DynError   *err = builder->err;
	const DynConfig *config = &builder->config;
	char		user[64];

	dyn_file_user(user, sizeof(user));
	dyn_error_set(err, "no credentials were found: %sprofile \"%s\" %s, neither AWS_CONTAINER_CREDENTIALS_RELATIVE_URI nor AWS_CONTAINER_CREDENTIALS_FULL_URI is set, and the instance metadata service is disabled by AWS_EC2_METADATA_DISABLED",
				  builder->spec->profile ? "" : "environment variables "
				  "AWS_ACCESS_KEY_ID and AWS_WEB_IDENTITY_TOKEN_FILE are not "
				  "set, ", builder->profile,
				  dyn_config_has_profile(config, builder->profile) ?
				  "has none" : "does not exist");
	dyn_error_hint(err, "The server runs as the operating-system user \"%s\"; "
				   "the files are \"%s\" and \"%s\".", user,
				   dyn_config_path(config, DYN_CONFIG_CONFIG),
				   dyn_config_path(config, DYN_CONFIG_CREDENTIALS));
	return DYN_FOUND_ERROR;
}

static DynFound
find_default(Builder *builder)
{
	bool		ambient = builder->spec->profile == NULL;
	DynFound	found = DYN_FOUND_NOTHING;

	if (ambient)
		found = find_environment(builder);
	if (found == DYN_FOUND_NOTHING)
		found = find_profile_if_any(builder, true);
	if (found == DYN_FOUND_NOTHING && ambient)
		found = find_web_identity(builder);
	if (found == DYN_FOUND_NOTHING)
		found = find_profile_if_any(builder, false);
	if (found == DYN_FOUND_NOTHING)
		found = find_container(builder);
	if (found == DYN_FOUND_NOTHING)
		found = find_instance(builder);
	return found == DYN_FOUND_NOTHING ? explain_default(builder) : found;
}

/* ---- the chain -------------------------------------------------------- */

/* Appends the role of the user mapping to those of the provider. */
static bool
append_role(Builder *builder)
{
	DynProviderChain *chain = builder->chain;

	if (builder->spec->role.arn == NULL)
		return true;
	if (chain->nroles == DYN_MAX_CHAINED_ROLES)
		return dyn_error_set(builder->err, "profile \"%s\" and the user mapping require a chain of more than %d roles", builder->profile,
							 DYN_MAX_CHAINED_ROLES);
	return dyn_role_copy(&chain->roles[chain->nroles++], &builder->spec->role) ||
		dyn_error_memory(builder->err);
}

/*
 * Describes the provider, and the roles in the order in which they are
 * assumed.
 */
static bool
describe(Builder *builder)
{
	DynProviderChain *chain = builder->chain;
	DynBuffer	words;
	int			i;

	dyn_buffer_init(&words, 0);
	if (builder->words != NULL)
		dyn_buffer_append_str(&words, builder->words);
	else
		dyn_buffer_printf(&words, "profile \"%s\"", builder->profile);
	if (chain->web_role.arn != NULL)
		dyn_buffer_printf(&words, ", role %s", chain->web_role.arn);
	for (i = 0; i < chain->nroles; i++)
		dyn_buffer_printf(&words, ", role %s", chain->roles[i].arn);
	chain->words = (char *) dyn_buffer_terminate(&words);
	if (chain->words != NULL)
		return true;
	dyn_buffer_free(&words);
	return dyn_error_memory(builder->err);
}

static DynFound
find_kind(Builder *builder)
{
	switch (builder->spec->kind)
	{
		case DYN_SOURCE_STATIC:
			return find_static(builder);
		case DYN_SOURCE_ENVIRONMENT:
			return find_environment(builder);
		case DYN_SOURCE_PROFILE:
			return find_profile(builder);
		case DYN_SOURCE_WEB_IDENTITY:
			return find_web_identity(builder);
		case DYN_SOURCE_CONTAINER:
			return find_container(builder);
		case DYN_SOURCE_INSTANCE:
			return find_instance(builder);
		case DYN_SOURCE_DEFAULT:
			return find_default(builder);
	}
	dyn_error_set(builder->err, "the credential provider is not recognized");
	return DYN_FOUND_ERROR;
}

bool
dyn_chain_find(const DynSourceOptions *spec, DynProviderChain *chain, DynError *err)
{
	Builder		builder = {.spec = spec,.chain = chain,.err = err};
	bool		ok;

	memset(chain, 0, sizeof(*chain));
	builder.profile = dyn_config_profile_name(&builder.is_named);
	if (spec->profile != NULL)
	{
		builder.profile = spec->profile;
		builder.is_named = true;
	}
	ok = find_kind(&builder) == DYN_FOUND && append_role(&builder) &&
		describe(&builder);
	dyn_config_clear(&builder.config);
	if (!ok)
		dyn_chain_clear(chain);
	return ok;
}

void
dyn_chain_clear(DynProviderChain *chain)
{
	DynSsoProfile *sso = &chain->sso;
	int			i;

	dyn_secret_free(chain->words);
	dyn_credentials_clear(&chain->keys);
	dyn_secret_free(chain->command);
	dyn_secret_free(sso->profile);
	dyn_secret_free(sso->session);
	dyn_secret_free(sso->start_url);
	dyn_secret_free(sso->region);
	dyn_secret_free(sso->account_id);
	dyn_secret_free(sso->role_name);
	dyn_secret_free(sso->cache_file);
	dyn_secret_free(chain->token_file);
	dyn_role_clear(&chain->web_role);
	for (i = 0; i < chain->nroles; i++)
		dyn_role_clear(&chain->roles[i]);
	memset(chain, 0, sizeof(*chain));
}
