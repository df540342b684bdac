/*
 * machine.c
 *		Obtains the credentials of an ECS task, an EKS pod or an EC2 instance.
 *
 * Containers (ECS, EKS).  The environment contains the endpoint, and the token
 * or the path of the token's file.  The file is read again for each request,
 * since the platform replaces the token.  A relative URI may be secret, so
 * messages contain the name of its environment variable, not its value.
 *
 * Instances.  Only IMDSv2 is used, with three requests: PUT for a token, GET
 * for the name of the role, and GET for the credentials.  The role's name is
 * checked, because it becomes a part of a URL.
 */
#include "providers.h"

#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

#include "files.h"
#include "url.h"

static const DynResponseNames names = {
	.access_key_id = "AccessKeyId",
	.secret_access_key = "SecretAccessKey",
	.session_token = "Token",
	.expires = "Expiration"
};

/* ---- containers ----------------------------------------------------------- */

#define RELATIVE_URI	"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"
#define FULL_URI		"AWS_CONTAINER_CREDENTIALS_FULL_URI"
#define TOKEN			"AWS_CONTAINER_AUTHORIZATION_TOKEN"
#define TOKEN_FILE		"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"

#define RELATIVE_HOST	"http://169.254.170.2"

#define CONTAINER			"the container credentials"

bool
dyn_container_is_set(void)
{
	return dyn_response_environment(RELATIVE_URI) != NULL ||
		dyn_response_environment(FULL_URI) != NULL;
}

/* Rejects a relative URI without a "/" first: it would extend the host. */
static DynExchange *
create_for_container(DynError *err)
{
	const char *relative = dyn_response_environment(RELATIVE_URI);
	const char *uri = relative ? relative : dyn_response_environment(FULL_URI);
	DynBuffer	url = {0};

	if (uri == NULL)
	{
		dyn_error_set(err, "neither %s nor %s is set", RELATIVE_URI, FULL_URI);
		dyn_error_hint(err, "Amazon ECS and EKS Pod Identity set one of them in the environment of a container.");
		return NULL;
	}
	if (relative && *relative != '/')
	{
		dyn_error_set(err, "%s does not begin with a slash", RELATIVE_URI);
		return NULL;
	}
	dyn_buffer_append_str(&url, relative ? RELATIVE_HOST : "");
	dyn_buffer_append_str(&url, uri);
	if (dyn_buffer_terminate(&url) == NULL)
		dyn_error_memory(err);
	else if (dyn_url_parse(url.data, relative ? RELATIVE_URI : FULL_URI, true,
						   NULL, err))
		return dyn_response_exchange("GET", &url, DYN_ADDRESS_LOCAL, err);
	dyn_buffer_free(&url);
	return NULL;
}

static bool
add_container_token(DynExchange *exchange, DynError *err)
{
	const char *path = dyn_response_environment(TOKEN_FILE);
	const char *token = dyn_response_environment(TOKEN);
	DynBuffer	contents;
	bool		ok;

	if (path == NULL)
		return token == NULL ||
			dyn_response_header(exchange, "Authorization", token, TOKEN, err);
	ok = dyn_file_read(path, DYN_FILE_LONGEST_TOKEN, &contents,
					   err) == DYN_FILE_READ;
	if (ok && (contents.len == 0 || strlen(contents.data) < contents.len))
		ok = dyn_error_set(err, "file \"%s\" does not contain a token", path);
	ok = ok && dyn_response_header(exchange, "Authorization", contents.data,
								   "the token in the file that "
								   TOKEN_FILE " names", err);
	dyn_secret_free_buffer(&contents);
	return ok;
}

DynExchange *
dyn_container_request(DynError *err)
{
	DynExchange *exchange = create_for_container(err);

	return dyn_response_request(exchange, exchange != NULL &&
								add_container_token(exchange, err) &&
								dyn_response_header(exchange, "Accept",
													"application/json", "", err));
}

DynProviderResponse
dyn_container_response(const DynExchange *exchange, DynCredentials *credentials,
					   DynError *err)
{
	return dyn_response_read(exchange, &names, CONTAINER, credentials, err);
}

/* ---- instances ------------------------------------------------------------ */

#define ENDPOINT		"AWS_EC2_METADATA_SERVICE_ENDPOINT"
#define ENDPOINT_MODE	"AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"

#define TOKEN_PATH		"/latest/api/token"
#define ROLES_PATH		"/latest/meta-data/iam/security-credentials/"

#define TOKEN_HEADER	"x-aws-ec2-metadata-token"
#define TTL_HEADER		"x-aws-ec2-metadata-token-ttl-seconds"
#define TTL_SECONDS		"21600"

#define LONGEST_ROLE	128

#define INSTANCE			"the credentials of the EC2 instance"

bool
dyn_instance_is_enabled(void)
{
	const char *disabled = dyn_response_environment("AWS_EC2_METADATA_DISABLED");

	return disabled == NULL || !curl_strequal(disabled, "true");
}

void
dyn_instance_clear(DynInstance *instance)
{
	dyn_secret_forget(&instance->token);
	dyn_secret_forget(&instance->role);
	instance->renewed = false;
}

static const char *
find_endpoint(DynError *err)
{
	const char *endpoint = dyn_response_environment(ENDPOINT);
	const char *mode = dyn_response_environment(ENDPOINT_MODE);

	if (endpoint)
		return dyn_url_parse(endpoint, ENDPOINT, false, NULL, err) ?
			endpoint : NULL;
	if (mode == NULL || curl_strequal(mode, "IPv4"))
		return "http://169.254.169.254";
	if (curl_strequal(mode, "IPv6"))
		return "http://[fd00:ec2::254]";
	dyn_error_set(err, ENDPOINT_MODE " is neither IPv4 nor IPv6");
	return NULL;
}

static DynExchange *
create(const char *method, const char *path, const char *role, DynError *err)
{
	const char *endpoint = find_endpoint(err);
	DynBuffer	url = {0};

	if (endpoint == NULL)
		return NULL;
	dyn_url_append_base(&url, endpoint);
	dyn_buffer_append_str(&url, path);
	dyn_url_append_escaped(&url, role);
	return dyn_response_exchange(method, &url, DYN_ADDRESS_LOCAL, err);
}

DynExchange *
dyn_instance_request(const DynInstance *instance, DynError *err)
{
	const char *token = instance->token;
	DynExchange *exchange = create(token ? "GET" : "PUT",
								   token ? ROLES_PATH : TOKEN_PATH,
								   token && instance->role ? instance->role : "",
								   err);

	return dyn_response_request(exchange, exchange != NULL &&
								dyn_response_header(exchange,
													token ? TOKEN_HEADER : TTL_HEADER,
													token ? token : TTL_SECONDS,
													"the token of the instance metadata service",
													err));
}

static DynProviderResponse
has_no_role(DynError *err)
{
	dyn_error_set(err, "the EC2 instance has no IAM role");
	return dyn_error_hint(err, "Attach an IAM role to the instance.");
}

/* Handles a missing reply, or one whose status is not 200. */
static DynProviderResponse
request_failed(DynInstance *instance, const DynExchange *exchange,
			   DynError *err)
{
	bool		replied = exchange->failure == DYN_FAIL_NONE;
	DynProviderResponse reply;

	if (instance->token != NULL && replied && exchange->status == 404)
		return has_no_role(err);
	/* the token may have expired, so try once with a new one */
	if (instance->token != NULL && replied && exchange->status == 401 &&
		!instance->renewed)
	{
		dyn_secret_forget(&instance->token);
		instance->renewed = true;
		return DYN_RESPONSE_NEXT;
	}
	reply = dyn_response_failed(exchange, INSTANCE, err);
	if (instance->token != NULL || err->out_of_memory)
		return reply;
	if (!replied && dyn_response_environment(ENDPOINT) != NULL)
		dyn_error_hint(err, "Check environment variable " ENDPOINT " of the server, which is \"%s\". The address must be a loopback address or one of AWS's metadata services.",
					   dyn_response_environment(ENDPOINT));
	else if (!replied)
		dyn_error_hint(err, "The instance metadata service exists only on EC2 instances. A container can reach it if the hop limit of the instance's metadata options is at least 2.");
	else if (exchange->status < 500)
		dyn_error_hint(err, "Enable version 2 (IMDSv2) of the instance metadata service.");
	return reply;
}

/* Returns the malloc'd first line of the reply; NULL if memory runs out. */
static char *
first_line(const DynBuffer *response)
{
	size_t		len = 0;

	while (len < response->len && response->data[len] != '\n' &&
		   response->data[len] != '\r')
		len++;
	return strndup(len > 0 ? response->data : "", len);
}

static DynProviderResponse
read_role(DynInstance *instance, const DynExchange *exchange, DynError *err)
{
	char	   *role = first_line(&exchange->response);
	DynProviderResponse reply = DYN_RESPONSE_FAILED;
	size_t		len;

	if (role == NULL)
		return dyn_error_memory(err);
	len = strspn(role, "abcdefghijklmnopqrstuvwxyz"
				 "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "0123456789_+=,.@-");
	if (role[0] == '\0')
		reply = has_no_role(err);
	else if (role[len] != '\0' || len > LONGEST_ROLE ||
			 strcmp(role, ".") == 0 || strcmp(role, "..") == 0)
		dyn_error_set(err, "the instance metadata service returned an invalid role name");
	else
	{
		instance->role = role;
		return DYN_RESPONSE_NEXT;
	}
	free(role);
	return reply;
}

/* Returns false with *err set if the reply has a code other than "Success". */
static bool
check_code(const DynInstance *instance, const json_t *document, DynError *err)
{
	const char *code = json_string_value(json_object_get(document, "Code"));
	const char *message = json_string_value(json_object_get(document, "Message"));

	if (code == NULL || strcmp(code, "Success") == 0)
		return true;
	dyn_error_set(err, "the instance metadata service has no credentials for role \"%s\": %s",
				  instance->role,
				  dyn_response_is_code(code) ? code : "unknown code");
	if (strcmp(code, "AssumeRoleUnauthorizedAccess") == 0)
		dyn_error_hint(err, "The role's trust policy must allow ec2.amazonaws.com to assume it.");
	if (message)
		dyn_response_excerpt(err, message, strlen(message));
	return false;
}

DynProviderResponse
dyn_instance_response(DynInstance *instance, const DynExchange *exchange,
					  DynCredentials *credentials, DynError *err)
{
	json_t	   *document;
	bool		ok;

	if (exchange->failure != DYN_FAIL_NONE || exchange->status != 200)
		return request_failed(instance, exchange, err);
	if (instance->token == NULL)
	{
		instance->token = first_line(&exchange->response);
		if (instance->token == NULL)
			dyn_error_memory(err);
		else if (instance->token[0] == '\0' ||
				 !dyn_response_is_visible(instance->token))
		{
			dyn_secret_forget(&instance->token);
			dyn_error_set(err, "the instance metadata service returned an invalid token");
		}
		return instance->token ? DYN_RESPONSE_NEXT : DYN_RESPONSE_FAILED;
	}
	if (instance->role == NULL)
		return read_role(instance, exchange, err);
	document = dyn_secret_json_open(exchange->response.data,
									exchange->response.len, INSTANCE, err);
	if (document == NULL)
		return DYN_RESPONSE_FAILED;
	ok = check_code(instance, document, err) &&
		dyn_response_read_object(document, &names, INSTANCE, credentials, err);
	instance->renewed &= !ok;
	dyn_secret_json_close(document);
	return ok ? DYN_RESPONSE_CREDENTIALS : DYN_RESPONSE_FAILED;
}
