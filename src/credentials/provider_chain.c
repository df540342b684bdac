/*
 * provider_chain.c
 *		Finds the provider chain: the kinds of providers, and their order.
 *
 * The default order is that of AWS's tools: keys in the environment, a profile
 * that assumes a role, web identity in the environment, any other profile, the
 * container, the instance.  The first provider that is configured is used.  If
 * that provider fails, no other is tried, since the credentials of another
 * provider could have different rights.
 *
 * - A profile that is named (by the user mapping or AWS_PROFILE) must exist;
 *   the profile "default" is used if it exists.  A profile without
 *   credentials, such as one that sets only a region, is skipped.
 * - If the user mapping names the profile, the environment's keys and web
 *   identity are skipped.
 */
#include "provider_chain.h"

#include <string.h>

#include "../aws/credentials.h"
#include "../base/buffer.h"
#include "config.h"
#include "machine.h"
#include "files.h"
#include "source_options.h"

typedef struct Builder
{
	const DynSourceOptions *source_options;
	const char *profile;		/* name of the profile */
	bool		is_named;		/* true if the profile is named explicitly */
	DynConfig	config;			/* files, loaded when they are needed */
	bool		is_loaded;
	DynProviderChain *chain;
	const char *words;			/* description for chain->words; NULL for a
								 * profile */
	DynError   *err;
} Builder;

/* ---- one kind of provider --------------------------------------------- */

static bool
load(Builder *builder)
{
	if (builder->source_options->profile == NULL && !dyn_config_names_agree(builder->err))
		return false;
	builder->is_loaded = builder->is_loaded ||
		dyn_config_load(&builder->config, builder->err);
	return builder->is_loaded;
}

static DynFound
find_static(Builder *builder)
{
	const DynCredentials *keys = &builder->source_options->keys;
	const char *bad;

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
	return bad == NULL ? dyn_error_memory(builder->err) :
		dyn_error_set(builder->err, "%s contains a control character", bad);
}

static DynFound find_default(Builder *builder);

/* Finds a provider of one kind; sets its description for chain->words. */
static DynFound
find(Builder *builder, DynSourceKind kind)
{
	static const struct
	{
		DynProviderKind provider;
		const char *words;		/* description; NULL for a profile */
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
			return dyn_environment_keys(&chain->keys, err);
		case DYN_SOURCE_PROFILE:
			return load(builder) ?
				dyn_profile_find(&builder->config, builder->profile, chain,
								 err) : DYN_FOUND_ERROR;
		case DYN_SOURCE_WEB_IDENTITY:
			return dyn_environment_web_identity(&chain->token_file,
												&chain->web_role, err);
		case DYN_SOURCE_CONTAINER:
			if (dyn_container_is_set())
				return DYN_FOUND;
			dyn_error_set(err, "environment variables "
						  "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI and "
						  "AWS_CONTAINER_CREDENTIALS_FULL_URI are not set");
			dyn_error_hint(err, "ECS and EKS set one of them for a container. The environment of the server must contain it.");
			return DYN_FOUND_NOTHING;
		default:
			if (dyn_instance_is_enabled())
				return DYN_FOUND;
			dyn_error_set(err, "the instance metadata service is disabled by environment variable AWS_EC2_METADATA_DISABLED");
			dyn_error_hint(err, "Remove the variable from the environment of the server, or use another credential_provider.");
			return DYN_FOUND_NOTHING;
	}
}

/* ---- the default order ------------------------------------------------ */

/*
 * Finds the provider of the profile, which must exist if it is named.  With
 * `only_role`, returns NOTHING unless the profile assumes a role.
 */
static DynFound
find_profile_if_any(Builder *builder, bool only_role)
{
	if (!load(builder))
		return DYN_FOUND_ERROR;
	if (!dyn_config_has_profile(&builder->config, builder->profile))
	{
		dyn_config_no_profile(&builder->config, builder->profile, builder->err);
		return builder->is_named ? DYN_FOUND_ERROR : DYN_FOUND_NOTHING;
	}
	if (only_role &&
		!dyn_profile_assumes_role(&builder->config, builder->profile))
		return DYN_FOUND_NOTHING;
	return find(builder, DYN_SOURCE_PROFILE);
}

static DynFound
find_default(Builder *builder)
{
	bool		ambient = builder->source_options->profile == NULL;
	const DynConfig *config = &builder->config;
	char		user[64];
	DynFound	found = DYN_FOUND_NOTHING;

	if (ambient)
		found = find(builder, DYN_SOURCE_ENVIRONMENT);
	if (found == DYN_FOUND_NOTHING)
		found = find_profile_if_any(builder, true);
	if (found == DYN_FOUND_NOTHING && ambient)
		found = find(builder, DYN_SOURCE_WEB_IDENTITY);
	if (found == DYN_FOUND_NOTHING)
		found = find_profile_if_any(builder, false);
	if (found == DYN_FOUND_NOTHING)
		found = find(builder, DYN_SOURCE_CONTAINER);
	if (found == DYN_FOUND_NOTHING)
		found = find(builder, DYN_SOURCE_INSTANCE);
	if (found != DYN_FOUND_NOTHING)
		return found;
	/* list the providers that were tried */
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

/*
 * Sets chain->words: the provider, and the roles in the order in which they
 * are assumed.
 */
static bool
describe(Builder *builder)
{
	DynProviderChain *chain = builder->chain;
	DynBuffer	words;

	dyn_buffer_init(&words, 0);
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
	Builder		builder = {.source_options = source_options,.chain = chain,.err = err};
	bool		ok;

	memset(chain, 0, sizeof(*chain));
	builder.profile = dyn_config_profile_name(&builder.is_named);
	if (source_options->profile != NULL)
	{
		builder.profile = source_options->profile;
		builder.is_named = true;
	}
	ok = find(&builder, source_options->kind) == DYN_FOUND;
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
	dyn_secret_free(sso->session);
	dyn_secret_free(sso->start_url);
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
