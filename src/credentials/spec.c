/*
 * spec.c
 *		Which credentials a user mapping asks for: the end of its strings.
 *
 * All of them are overwritten, not only the keys: an external id is a secret
 * of a kind, and a proxy may have a password.
 *
 * Layer: credentials.
 */
#include "spec.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>

static void
wipe(char *text)
{
	if (text != NULL)
		OPENSSL_cleanse(text, strlen(text));
	free(text);
}

void
dyn_role_clear(DynRole *role)
{
	wipe(role->arn);
	wipe(role->session_name);
	wipe(role->external_id);
	memset(role, 0, sizeof(*role));
}

void
dyn_spec_clear(DynSourceSpec *spec)
{
	dyn_credentials_clear(&spec->keys);
	dyn_role_clear(&spec->role);
	wipe(spec->profile);
	wipe(spec->region);
	wipe(spec->domain);
	wipe(spec->sts_endpoint);
	wipe(spec->ca_file);
	wipe(spec->proxy);
	memset(spec, 0, sizeof(*spec));
}
