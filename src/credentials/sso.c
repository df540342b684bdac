/*
 * sso.c
 *		Obtains credentials from IAM Identity Center ("aws sso login").
 *
 * A person must log in as the operating-system user of the server.  So if the
 * token causes a failure, the hint shows the command and this user.
 */
#include "providers.h"

#include <time.h>

#include "files.h"
#include "url.h"

#define ENDPOINT		"AWS_ENDPOINT_URL_SSO"
#define TOKEN_HEADER	"x-amz-sso_bearer_token"

#define WHOSE			"the credentials of IAM Identity Center"

static bool
hint_login(const DynSsoProfile *sso, DynError *err)
{
	char		user[128];

	if (err->out_of_memory)
		return false;
	dyn_file_user(user, sizeof(user));
	return dyn_error_hint(err, "Run \"aws sso login --profile %s\" as operating-system user \"%s\".",
						  sso->profile, user);
}

static DynExchange *
create(const DynSsoProfile *sso, DynError *err)
{
	const char *endpoint = dyn_url_configured(ENDPOINT);
	DynBuffer	url = {0};

	if (!(endpoint ? dyn_url_parse(endpoint, ENDPOINT, false, NULL, err)
		  : dyn_url_check_region(sso->region, err)))
		return NULL;
	if (endpoint)
		dyn_url_append_base(&url, endpoint);
	else
		dyn_buffer_printf(&url, "https://portal.sso.%s.%s", sso->region,
						  dyn_url_domain(sso->region));
	dyn_buffer_append_str(&url, "/federation/credentials?role_name=");
	dyn_url_append_escaped(&url, sso->role_name);
	dyn_buffer_append_str(&url, "&account_id=");
	dyn_url_append_escaped(&url, sso->account_id);
	return dyn_response_exchange("GET", &url, DYN_ADDRESS_ENDPOINT, err);
}

/* Adds the token, unless it has expired by the service's clock and by ours. */
static bool
add_token(DynExchange *exchange, const DynSsoProfile *sso, int64_t now,
		  DynError *err)
{
	DynBuffer	contents;
	DynFileRead read = dyn_file_read(sso->cache_file, DYN_FILE_LONGEST_TOKEN,
									 &contents, err);
	json_t	   *document;
	const char *token;
	const char *expires;
	int64_t		seconds;
	bool		login_helps = true;
	bool		ok = false;

	if (read != DYN_FILE_READ)
		return read == DYN_FILE_MISSING && hint_login(sso, err);
	document = dyn_secret_json_open(contents.data, contents.len, "", err);
	token = json_string_value(json_object_get(document, "accessToken"));
	expires = json_string_value(json_object_get(document, "expiresAt"));
	if (document == NULL && err->out_of_memory)
		login_helps = false;
	else if (document == NULL)
		dyn_error_set(err, "file \"%s\" is not valid JSON", sso->cache_file);
	else if (token == NULL || *token == '\0')
		dyn_error_set(err, "file \"%s\" contains no accessToken",
					  sso->cache_file);
	else if (expires == NULL || !dyn_response_read_time(expires, &seconds))
		dyn_error_set(err, "file \"%s\" contains no valid expiresAt",
					  sso->cache_file);
	else if (seconds <= now && seconds <= time(NULL))
		dyn_error_set(err, "the token in file \"%s\" expired at %.40s",
					  sso->cache_file, expires);
	else
	{
		ok = dyn_response_header(exchange, TOKEN_HEADER, token,
								 "the token of \"aws sso login\"", err);
		login_helps = false;
	}
	if (document != NULL)
		dyn_secret_json_close(document);
	dyn_secret_free_buffer(&contents);
	return ok || (login_helps && hint_login(sso, err));
}

DynExchange *
dyn_sso_request(const DynSsoProfile *sso, int64_t now, DynError *err)
{
	DynExchange *exchange = create(sso, err);

	return dyn_response_request(exchange, exchange != NULL &&
								add_token(exchange, sso, now, err) &&
								dyn_response_header(exchange, "Accept",
													"application/json", "", err));
}

DynProviderResponse
dyn_sso_response(const DynSsoProfile *sso, const DynExchange *exchange,
				 DynCredentials *credentials, DynError *err)
{
	static const DynResponseNames names = {
		.object = "roleCredentials",
		.access_key_id = "accessKeyId",
		.secret_access_key = "secretAccessKey",
		.session_token = "sessionToken",
		.expires = "expiration"
	};
	DynProviderResponse response = dyn_response_read(exchange, &names, WHOSE, credentials,
													 err);

	if (exchange->failure != DYN_FAIL_NONE)
		return response;
	if (exchange->status == 401)
		hint_login(sso, err);
	else if (exchange->status == 403 || exchange->status == 404)
		dyn_error_hint(err, "The user who logged in must be assigned to role \"%.64s\" of account \"%.64s\" in IAM Identity Center.",
					   sso->role_name, sso->account_id);
	return response;
}
