/*
 * privilege.c
 *		Checks who may direct requests to an endpoint.
 *
 * The checks are repeated whenever a connection is used, since ownership and
 * roles may change after options were set.
 *
 * Layer: model.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "privilege.h"

void
dyn_check_endpoint(const ForeignServer *server, const char *url)
{
	if (pg_strncasecmp(url, "http://", 7) != 0 || superuser_arg(server->owner))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("plain http is not allowed for server \"%s\"",
					server->servername),
			 errdetail("The endpoint is not encrypted, and the owner of the server is not a superuser."),
			 errhint("Use an https endpoint, or let a superuser own the server.")));
}

/* Returns the user for hints that name the mapping to create or change. */
static const char *
describe_user(const DynSourceUse *use)
{
	char	   *name = GetUserNameFromId(use->userid, true);

	return name ? quote_identifier(name) : "...";
}

static void
check_mapping(const DynSourceUse *use)
{
	if (!use->for_public)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("credential provider \"%s\" cannot be used in a user mapping for PUBLIC",
					use->source),
			 errdetail("The credentials belong to the database server, and every user of server \"%s\" could use them.",
					   use->server->servername),
			 errhint("A superuser can permit one user to use them with CREATE USER MAPPING FOR %s SERVER %s OPTIONS (credential_provider '%s').",
					 describe_user(use), quote_identifier(use->server->servername),
					 use->source)));
}

/*
 * Returns true for names such as eu-west-1 or us-gov-west-1.  Other names
 * could turn the endpoint into that of another service:
 * dynamodb.s3.amazonaws.com is a bucket.
 */
static bool
names_region(const char *region)
{
	static const char *const letters = "abcdefghijklmnopqrstuvwxyz";
	const char *p = region;
	int			words = 0;

	while (strspn(p, letters) > 0 && p[strspn(p, letters)] == '-')
	{
		p += strspn(p, letters) + 1;
		words++;
	}
	return words >= 2 && *p != '\0' && p[strspn(p, "0123456789")] == '\0';
}

static void
check_region(const DynSourceUse *use)
{
	if (names_region(use->region))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("credentials of provider \"%s\" cannot be used in region \"%s\"",
					use->source, use->region),
			 errdetail("This is not the name of an AWS region."),
			 errhint("Change it with ALTER SERVER %s OPTIONS (SET region 'eu-west-1').",
					 quote_identifier(use->server->servername))));
}

static void
check_owner(const DynSourceUse *use)
{
	if (use->detour == NULL || superuser_arg(use->server->owner))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("credentials of provider \"%s\" cannot be used for server \"%s\"",
					use->source, use->server->servername),
			 errdetail("The server has the option \"%s\", and its owner is not a superuser.",
					   use->detour),
			 errhint("A superuser must own the server, and must set allowed_endpoint_url in the user mapping.")));
}

/* Returns the reason why the superuser's mapping must name the endpoint. */
static const char *
reason_to_allow(const DynSourceUse *use)
{
	const char *server = use->server->servername;

	if (use->detour != NULL)
		return psprintf("Server \"%s\" has the option \"%s\", and the user mapping has no allowed_endpoint_url.",
						server, use->detour);
	if (!superuser_arg(use->server->owner))
		return psprintf("The owner of server \"%s\" can change its region and is not a superuser, and the user mapping has no allowed_endpoint_url.",
						server);
	return NULL;
}

static void
check_allowed(const DynSourceUse *use)
{
	const char *reason = use->allowed == NULL ? reason_to_allow(use)
		: "The user mapping has a different allowed_endpoint_url.";

	if (use->allowed == NULL ? reason == NULL
		: strcmp(use->allowed, use->url) == 0)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("credentials of provider \"%s\" cannot be used for requests to %s",
					use->source, use->url),
			 errdetail("%s", reason),
			 errhint("If that endpoint is trustworthy, a superuser can allow it with ALTER USER MAPPING FOR %s SERVER %s OPTIONS (%s allowed_endpoint_url '%s').",
					 describe_user(use), quote_identifier(use->server->servername),
					 use->allowed ? "SET" : "ADD", use->url)));
}

void
dyn_check_source(const DynSourceUse *use)
{
	check_mapping(use);
	check_region(use);
	check_owner(use);
	check_allowed(use);
}
