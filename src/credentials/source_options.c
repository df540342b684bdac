/*
 * source_options.c
 *		Wipes and frees the credential options of a user mapping.
 *
 * All strings are overwritten, not only the keys: an external id is also a
 * kind of secret, and a proxy may have a password.
 *
 * Layer: credentials.
 */
#include "source_options.h"

#include <string.h>

#include "../aws/credentials.h"

void
dyn_role_clear(DynRole *role)
{
	dyn_secret_free(role->arn);
	dyn_secret_free(role->session_name);
	dyn_secret_free(role->external_id);
	memset(role, 0, sizeof(*role));
}

void
dyn_spec_clear(DynSourceOptions *spec)
{
	dyn_credentials_clear(&spec->keys);
	dyn_role_clear(&spec->role);
	dyn_secret_free(spec->profile);
	dyn_secret_free(spec->region);
	dyn_secret_free(spec->domain);
	dyn_secret_free(spec->sts_endpoint_url);
	dyn_secret_free(spec->ca_bundle);
	dyn_secret_free(spec->proxy);
	memset(spec, 0, sizeof(*spec));
}
