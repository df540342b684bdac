/*
 * privilege.c
 *		Checks whether a connection may send requests to its endpoint.
 *
 * The checks are repeated whenever a connection is used, since ownership and
 * roles may change after options were set.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "../../credentials/source.h"
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

/*
 * Returns true for names such as eu-west-1 or us-gov-west-1.  Other names
 * could lead to another service: dynamodb.s3.amazonaws.com would be a bucket.
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


void
dyn_check_source(const DynConnection *connection, const ForeignServer *server,
				 const char *allowed)
{
	const char *source = dyn_source_names[connection->source];
	const char *region = connection->service.region;
	const char *url = connection->service.url;
	const char *name = quote_identifier(server->servername);
	const char *user = GetUserNameFromId(connection->userid, true);
	bool		of_superuser = superuser_arg(server->owner);
	const char *reason = NULL;

	user = user ? quote_identifier(user) : "...";
	if (connection->for_public)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("credential provider \"%s\" cannot be used in a user mapping for PUBLIC",
						source),
				 errdetail("The credentials belong to the database server, and every user of server \"%s\" could use them.",
						   server->servername),
				 errhint("A superuser can permit one user to use them with CREATE USER MAPPING FOR %s SERVER %s OPTIONS (credential_provider '%s').",
						 user, name, source)));
	if (!names_region(region))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("credentials of provider \"%s\" cannot be used in region \"%s\"",
						source, region),
				 errdetail("This is not the name of an AWS region."),
				 errhint("Change it with ALTER SERVER %s OPTIONS (SET region 'eu-west-1').",
						 name)));
	if (connection->detour != NULL && !of_superuser)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("credentials of provider \"%s\" cannot be used for server \"%s\"",
						source, server->servername),
				 errdetail("The server has the option \"%s\", and its owner is not a superuser.",
						   connection->detour),
				 errhint("A superuser must own the server, and must set allowed_endpoint_url in the user mapping.")));
	if (allowed != NULL && strcmp(allowed, url) != 0)
		reason = "The user mapping has a different allowed_endpoint_url.";
	else if (allowed == NULL && connection->detour != NULL)
		reason = psprintf("Server \"%s\" has the option \"%s\", and the user mapping has no allowed_endpoint_url.",
						  server->servername, connection->detour);
	else if (allowed == NULL && !of_superuser)
		reason = psprintf("The owner of server \"%s\" can change its region and is not a superuser, and the user mapping has no allowed_endpoint_url.",
						  server->servername);
	if (reason != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("credentials of provider \"%s\" cannot be used for requests to %s",
						source, url),
				 errdetail("%s", reason),
				 errhint("If that endpoint is trustworthy, a superuser can allow it with ALTER USER MAPPING FOR %s SERVER %s OPTIONS (%s allowed_endpoint_url '%s').",
						 user, name, allowed ? "SET" : "ADD", url)));
}
