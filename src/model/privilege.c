/*
 * privilege.c
 *		The checks are repeated whenever a connection is used, since ownership
 *		and roles may change after options were set.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "privilege.h"

void
dyn_check_endpoint(Oid server_owner, const char *server_name, const char *url)
{
	if (pg_strncasecmp(url, "http://", 7) != 0 || superuser_arg(server_owner))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("plain http is not allowed for server \"%s\"", server_name),
			 errdetail("Its endpoint is not encrypted, and its owner is not a superuser."),
			 errhint("Use an https endpoint, or let a superuser own the server.")));
}
