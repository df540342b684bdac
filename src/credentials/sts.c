/*
 * sts.c
 *		Obtains the credentials of roles from the security token service.
 *
 * A request is a form.  It is signed with the keys that assume the role, or
 * contains a web identity token instead of a signature.  The reply is XML.
 * Our error messages contain the reply's error code.  The reply's message
 * names accounts and principals, so only superusers see it, as an excerpt.
 */
#include "providers.h"

#include <stdio.h>
#include <string.h>

#include "../aws/credentials.h"
#include "../aws/sigv4.h"
#include "../base/macros.h"
#include "files.h"
#include "url.h"
#include "xml.h"

#define ENDPOINT		"AWS_ENDPOINT_URL_STS"
#define API_VERSION		"2011-06-15"
#define CONTENT_TYPE	"application/x-www-form-urlencoded; charset=utf-8"
#define WEB_IDENTITY	"AssumeRoleWithWebIdentity"

/* Maximum session duration, in seconds, if another role assumes the role. */
#define LONGEST_CHAINED	3600

/* Format that truncates an ARN in a message. */
#define SHOWN_ARN		"%.256s"
#define DESCRIPTION_SIZE	320

/* ---- the endpoint ------------------------------------------------------- */

/*
 * Writes the URL of STS, and parses it into *parts.  Environment variables of
 * the PostgreSQL server process are ignored if the user mapping supplies its
 * own access keys.
 */
static bool
find_url(const DynSourceOptions *source_options, DynBuffer *url, DynUrl *parts,
		 DynError *err)
{
	bool		is_own = source_options->sts_endpoint_url != NULL ||
		source_options->kind == DYN_SOURCE_STATIC;
	const char *endpoint = is_own ? source_options->sts_endpoint_url
		: dyn_url_configured(ENDPOINT);

	if (endpoint != NULL)
		dyn_buffer_append_str(url, endpoint);
	else if (dyn_url_check_region(source_options->region, err))
		dyn_buffer_printf(url, "https://sts.%s.%s/", source_options->region,
						  dyn_url_domain(source_options->region));
	else
		return false;
	if (dyn_buffer_terminate(url) == NULL)
		return dyn_error_memory(err);
	return dyn_url_parse(url->data, is_own ? "the STS endpoint" : ENDPOINT,
						 false, parts, err);
}

/* ---- the form ----------------------------------------------------------- */

static void
append_field(DynBuffer *body, const char *name, const char *value)
{
	dyn_buffer_append_char(body, '&');
	dyn_buffer_append_str(body, name);
	dyn_buffer_append_char(body, '=');
	dyn_url_append_escaped(body, value);
}

/* Returns the maximum length of the text that append_field writes. */
static size_t
space_for(const char *value)
{
	return 64 + (value ? 3 * strlen(value) : 0);
}

/*
 * Writes the form.  `external_id` and `token` may be NULL.  The full size is
 * reserved first, since a buffer that grows would leave copies of the token.
 */
static bool
write_form(DynBuffer *body, const char *action, const DynRole *role,
		   int duration, const char *external_id, const char *token,
		   DynError *err)
{
	const char *session_name = role->session_name ? role->session_name :
		DYN_ROLE_SESSION_NAME;

	dyn_buffer_reserve(body, 256 + space_for(role->arn) +
					   space_for(session_name) + space_for(external_id) +
					   space_for(token));
	dyn_buffer_printf(body, "Action=%s&Version=" API_VERSION, action);
	append_field(body, "RoleArn", role->arn);
	append_field(body, "RoleSessionName", session_name);
	if (duration > 0)
		dyn_buffer_printf(body, "&DurationSeconds=%d", duration);
	if (external_id)
		append_field(body, "ExternalId", external_id);
	if (token)
		append_field(body, "WebIdentityToken", token);
	return !body->failed || dyn_error_memory(err);
}

/* Creates a request without a body.  The caller frees *parts in any case. */
static DynExchange *
create(const DynSourceOptions *source_options, const DynRole *role, DynUrl *parts,
	   DynError *err)
{
	DynBuffer	url = {0};

	memset(parts, 0, sizeof(*parts));
	if (!dyn_role_is_arn(role->arn))
		dyn_error_set(err, "invalid ARN of the role");
	else if (find_url(source_options, &url, parts, err))
		return dyn_response_exchange("POST", &url, DYN_ADDRESS_ENDPOINT, err);
	dyn_buffer_free(&url);
	return NULL;
}

/* ---- AssumeRole --------------------------------------------------------- */

/* Signs the request.  Caches no signing key: access keys differ by role. */
static bool
sign(DynExchange *exchange, const DynSourceOptions *source_options, const DynUrl *parts,
	 const DynCredentials *keys, int64_t now, DynError *err)
{
	DynSigScope scope = {source_options->region, "sts", ""};
	DynSigHeader headers[4] = {
		{"Content-Type", CONTENT_TYPE}, {"Host", parts->host},
		{"X-Amz-Date", scope.time}, {"X-Amz-Security-Token", keys->session_token}
	};
	DynSigRequest request = {"POST", parts->path, headers,
	keys->session_token ? 4 : 3, exchange->body.data, exchange->body.len};
	DynSigKeyCache cache = {0};
	DynBuffer	authorization = {0};
	bool		ok;

	dyn_sigv4_set_time(&scope, now);
	ok = (dyn_sigv4_authorization(&cache, &scope, keys, &request,
								  &authorization) &&
		  dyn_buffer_terminate(&authorization) != NULL) ||
		dyn_error_memory(err);
	for (size_t i = 0; ok && i < request.nheaders; i++)
		ok = dyn_response_header(exchange, headers[i].name, headers[i].value,
								 "a header of the request", err);
	ok = ok && dyn_response_header(exchange, "Authorization", authorization.data,
								   "a header of the request", err);
	dyn_sigv4_key_forget(&cache);
	dyn_secret_free_buffer(&authorization);
	return ok;
}

DynExchange *
dyn_sts_assume_role(const DynSourceOptions *source_options, const DynRole *role,
					const DynCredentials *keys, bool chained, int64_t now,
					DynError *err)
{
	DynUrl		parts;
	DynExchange *exchange = create(source_options, role, &parts, err);
	int			duration = chained && role->duration > LONGEST_CHAINED ?
		LONGEST_CHAINED : role->duration;
	bool		ok = exchange != NULL &&
		dyn_url_check_region(source_options->region, err) &&
		write_form(&exchange->body, "AssumeRole", role,
				   duration, role->external_id, NULL, err) &&
		sign(exchange, source_options, &parts, keys, now, err);

	dyn_url_clear(&parts);
	return dyn_response_request(exchange, ok);
}

/* ---- AssumeRoleWithWebIdentity ------------------------------------------ */

/* Ignores white space at the end of the token file. */
DynExchange *
dyn_sts_web_identity(const DynSourceOptions *source_options, const DynRole *role,
					 const char *token_file, DynError *err)
{
	DynUrl		parts;
	DynExchange *exchange = create(source_options, role, &parts, err);
	DynBuffer	token;
	bool		ok;

	dyn_url_clear(&parts);
	if (exchange == NULL)
		return NULL;
	ok = dyn_file_read(token_file, DYN_FILE_LONGEST_TOKEN, &token,
					   err) == DYN_FILE_READ;
	while (ok && token.len > 0 && token.data[token.len - 1] != '\0' &&
		   strchr(" \t\r\n", token.data[token.len - 1]))
		token.data[--token.len] = '\0';
	if (ok && (token.len == 0 || strlen(token.data) < token.len ||
			   !dyn_response_is_visible(token.data)))
		ok = dyn_error_set(err, "file \"%s\" does not contain a token",
						   token_file);
	ok = ok && write_form(&exchange->body, WEB_IDENTITY, role, role->duration,
						  NULL, token.data, err) &&
		dyn_response_header(exchange, "Content-Type", CONTENT_TYPE, "", err);
	dyn_secret_free_buffer(&token);
	return dyn_response_request(exchange, ok);
}

/* ---- errors ------------------------------------------------------------- */

typedef struct ErrorRule
{
	const char *code;			/* error code without "Exception" */
	bool		passing;
	const char *hint;			/* hint, or NULL */
	const char *web_hint;		/* replaces `hint` for web identity, or NULL */
} ErrorRule;

static const ErrorRule error_rules[] = {
	{"AccessDenied", false,
		"The role's trust policy must allow the principal of the keys to assume the role, with this external ID. A policy of the principal must allow sts:AssumeRole on the role.",
		"The role's trust policy must allow sts:AssumeRoleWithWebIdentity to the identity provider, with the subject and the audience of the token."},
	{"ExpiredToken", false,
		"Renew the credentials that the role is assumed with.",
		"The token has expired. Check the process that writes its file."},
	{"IDPCommunicationError", true, NULL, NULL},
	{"IDPRejectedClaim", false, NULL,
		"Renew the token; it might have been revoked."},
	{"InternalFailure", true, NULL, NULL},
	{"InvalidClientTokenId", false,
		"Check that the keys that the role is assumed with exist, are active, and belong to the same AWS partition.",
	NULL},
	{"InvalidIdentityToken", false, NULL,
		"The token's issuer must be an IAM identity provider in the role's account, with the token's audience."},
	{"MalformedPolicyDocument", false,
	"Check the policies of the role.", NULL},
	{"RegionDisabled", false,
		"Activate the security token service for this region in the account's IAM settings, or use another region.",
	NULL},
	{"RequestExpired", false,
	"Check the clock of the database server.", NULL},
	{"RequestLimitExceeded", true, NULL, NULL},
	{"ServiceUnavailable", true, NULL, NULL},
	{"SignatureDoesNotMatch", false,
		"Check the secret access key that the role is assumed with, and the clock of the database server.",
	NULL},
	{"Throttling", true, NULL, NULL},
	{"TooManyRequests", true, NULL, NULL},
	{"ValidationError", false,
		"Check the role's ARN, the session name, the external ID, and the duration, which must not exceed the role's maximum session duration.",
	NULL}
};

static DynProviderResponse
set_error(const DynRole *role, const DynExchange *exchange, const char *code,
		  const DynBuffer *message, DynError *err)
{
	static const char web_action[] = "Action=" WEB_IDENTITY;
	const ErrorRule *rule = NULL;
	const char *hint;
	size_t		shown = message->len;

	for (size_t i = 0; rule == NULL && i < LENGTHOF(error_rules); i++)
	{
		size_t		len = strlen(error_rules[i].code);

		if (strncmp(code, error_rules[i].code, len) == 0 &&
			(code[len] == '\0' || strcmp(code + len, "Exception") == 0))
			rule = &error_rules[i];
	}
	hint = rule ? rule->hint : NULL;

	if (rule && rule->web_hint && exchange->body.len >= strlen(web_action) &&
		memcmp(exchange->body.data, web_action, strlen(web_action)) == 0)
		hint = rule->web_hint;
	dyn_error_set(err, "could not assume role \"" SHOWN_ARN "\": %s",
				  role->arn, code);
	if (hint)
		dyn_error_hint(err, "%s", hint);

	/*
	 * A message about a signature may end with the string that was signed, and
	 * this contains the session token.  Show only the first sentence or line.
	 */
	if (shown > 0 && (strstr(code, "Signature") != NULL ||
					  strstr(code, "AuthenticationToken") != NULL))
	{
		const char *end = strstr(message->data, ". ");

		shown = end ? (size_t) (end - message->data) :
			strcspn(message->data, "\n");
	}
	if (message->len > 0)
		dyn_response_excerpt(err, message->data, shown);
	err->passing = (rule && rule->passing) ||
		exchange->status == 429 || exchange->status >= 500;
	return err->passing ? DYN_RESPONSE_AGAIN : DYN_RESPONSE_FAILED;
}

static const char *
describe(const DynRole *role, char whose[DESCRIPTION_SIZE])
{
	snprintf(whose, DESCRIPTION_SIZE, "the credentials of role \"" SHOWN_ARN "\"",
			 role->arn);
	return whose;
}

/* Reports the error that the document contains, or else the HTTP status. */
static DynProviderResponse
read_error(const DynRole *role, const DynExchange *exchange, DynError *err)
{
	const DynBuffer *response = &exchange->response;
	DynBuffer	code = {0};
	DynBuffer	message = {0};
	DynProviderResponse reply;
	char		whose[DESCRIPTION_SIZE];

	if (dyn_xml_find(response->data, response->len, "ErrorResponse/Error/Code",
					 &code) != DYN_XML_FOUND ||
		!dyn_response_is_code(code.data) ||
		dyn_xml_find(response->data, response->len,
					 "ErrorResponse/Error/Message", &message) ==
		DYN_XML_MEMORY)
		reply = dyn_response_failed(exchange, describe(role, whose), err);
	else
		reply = set_error(role, exchange, code.data, &message, err);
	dyn_buffer_free(&code);
	dyn_secret_free_buffer(&message);
	return reply;
}

/* ---- credentials -------------------------------------------------------- */

enum
{
	ACCESS_KEY_ID,
	SECRET_ACCESS_KEY,
	SESSION_TOKEN,
	EXPIRATION,
	PARTS
};

static bool
read_reply(const DynRole *role, const DynBuffer *response,
		   DynBuffer parts[PARTS], DynCredentials *credentials,
		   DynError *err)
{
	static const char *const actions[] = {"AssumeRole", WEB_IDENTITY};
	static const char *const names[PARTS] = {
		"AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration"
	};
	char		text[DESCRIPTION_SIZE];
	DynXml		found = DYN_XML_MISSING;

	for (size_t action = 0; action < 2 && found == DYN_XML_MISSING; action++)
	{
		found = DYN_XML_FOUND;
		for (int i = 0; i < PARTS && found == DYN_XML_FOUND; i++)
		{
			snprintf(text, sizeof(text), "%sResponse/%sResult/Credentials/%s",
					 actions[action], actions[action], names[i]);
			dyn_secret_free_buffer(&parts[i]);
			found = dyn_xml_find(response->data, response->len, text, &parts[i]);
		}
	}
	switch (found)
	{
		case DYN_XML_FOUND:
			return dyn_response_set(parts[ACCESS_KEY_ID].data,
									parts[SECRET_ACCESS_KEY].data,
									parts[SESSION_TOKEN].data,
									parts[EXPIRATION].data, describe(role, text),
									credentials, err);
		case DYN_XML_MEMORY:
			return dyn_error_memory(err);
		case DYN_XML_MISSING:
			return dyn_error_set(err, "the security token service returned no credentials for role \"" SHOWN_ARN "\"",
								 role->arn);
		case DYN_XML_MALFORMED:
			break;
	}
	return dyn_error_set(err, "the security token service returned invalid XML for role \"" SHOWN_ARN "\"",
						 role->arn);
}

DynProviderResponse
dyn_sts_response(const DynRole *role, const DynExchange *exchange,
				 DynCredentials *credentials, DynError *err)
{
	DynBuffer	parts[PARTS] = {{0}};
	char		whose[DESCRIPTION_SIZE];
	bool		ok;

	if (exchange->failure != DYN_FAIL_NONE)
		return dyn_response_failed(exchange, describe(role, whose), err);
	if (exchange->status != 200)
		return read_error(role, exchange, err);
	ok = read_reply(role, &exchange->response, parts, credentials, err);
	for (int i = 0; i < PARTS; i++)
		dyn_secret_free_buffer(&parts[i]);
	return ok ? DYN_RESPONSE_CREDENTIALS : DYN_RESPONSE_FAILED;
}
