/*
 * sso.h
 *		Obtains credentials from IAM Identity Center, with the token of "aws
 *		sso login".
 *
 * The token is read from its file each time.  It is not refreshed here, but by
 * the person who logs in.
 */
#ifndef DYN_CREDENTIALS_SSO_H
#define DYN_CREDENTIALS_SSO_H

#include "provider_response.h"
#include "provider_chain.h"

/*
 * Returns the request to the URL in AWS_ENDPOINT_URL_SSO or, if this variable
 * is not set, to the portal of sso->region.  Returns NULL with *err set on
 * failure; if the token is missing or has expired at `now` (seconds since the
 * epoch), the hint has the command to log in and the name of the
 * operating-system user.
 */
extern DynExchange *dyn_sso_request(const DynSsoProfile *sso, int64_t now,
									DynError *err);

extern DynProviderResponse dyn_sso_response(const DynSsoProfile *sso,
											const DynExchange *exchange,
											DynCredentials *credentials, DynError *err);

#endif
