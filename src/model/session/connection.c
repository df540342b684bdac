/*
 * connection.c
 *		Builds the connection of one user to a server from the catalogs, and
 *		checks whether it may send requests to its endpoint.
 *
 * The owner of a foreign server may set its endpoint.  The requests of all
 * users are then sent to this endpoint, signed with the users' keys.  Plain
 * http makes requests visible to the network, so it requires that a superuser
 * owns the foreign server.
 *
 * Credentials from a provider belong to the database server.  Only a superuser
 * can set a provider, in the user mapping of one user.  The credentials are
 * sent only to AWS, or to the endpoint in the mapping's allowed_endpoint_url.
 * - If the foreign server has endpoint_url, proxy or ca_bundle, which redirect
 *   requests, the mapping must have allowed_endpoint_url, and a superuser must
 *   own the foreign server.
 * - If the owner of the foreign server, who can change its region, is not a
 *   superuser, the mapping must have allowed_endpoint_url.
 *
 * The catalogs do not record who set an option of the foreign server.  So
 * these rules are checked for its current owner when a connection is used.
 */
#include "postgres.h"

#include "../server/memory.h"
#include "catalog/pg_user_mapping.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "../../credentials/source.h"
#include "../../credentials/url.h"
#include "../server/encoding.h"
#include "connection.h"

/*
 * Maximum bytes of a response.  A page of 1 MB is nearly 2 MB of JSON, but an
 * item full of numbers such as 1e125 is up to 26 MB.  If a response is longer,
 * a BatchGetItem is split (stream.c); a Query or Scan needs a lower fetch_size.
 */
#define MAX_RESPONSE	((size_t) 32 * 1024 * 1024)

/* ---- the endpoint ---- */

static char *
normal_url(const char *endpoint)
{
	size_t		len = strlen(endpoint);

	return psprintf("%s%s", endpoint, endpoint[len - 1] == '/' ? "" : "/");
}

static void
set_endpoint(DynConnection *connection, ForeignServer *server)
{
	const char *region = dyn_option_text(server->options, "region");
	const char *endpoint = dyn_option_text(server->options, "endpoint_url");
	const char *default_port;
	char	   *url;
	char	   *host;
	bool		tls;
	size_t		len;

	if (region == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_DYNAMIC_PARAMETER_VALUE_NEEDED),
				 errmsg("server \"%s\" has no region", server->servername),
				 errhint("Set one with ALTER SERVER %s OPTIONS (ADD region 'eu-west-1').",
						 quote_identifier(server->servername))));
	connection->service.region = region;
	url = endpoint ? normal_url(endpoint)
		: psprintf("https://dynamodb.%s.%s/", region, dyn_url_domain(region));
	/* strip the scheme, the slash and the default port for the Host header */
	tls = pg_strncasecmp(url, "https://", 8) == 0;
	default_port = tls ? ":443" : ":80";
	host = pstrdup(url + (tls ? 8 : 7));
	len = strlen(host) - 1;
	if (len > strlen(default_port) &&
		strncmp(host + len - strlen(default_port), default_port, strlen(default_port)) == 0)
		len -= strlen(default_port);
	host[len] = '\0';
	connection->service.url = url;
	connection->service.host = host;
}

/* Stores pointers into `options`, so the connection must own the options. */
static void
set_limits(DynConnection *connection, List *options)
{
	DynService *service = &connection->service;
	const char *prefix = dyn_option_text(options, "table_prefix");

	service->signing_name = "dynamodb";
	service->target_prefix = "DynamoDB_20120810.";
	service->ca_bundle = dyn_option_text(options, "ca_bundle");
	service->proxy = dyn_option_text(options, "proxy");
	service->connect_timeout_ms = dyn_option_int_or_default(options, "connect_timeout");
	service->request_timeout_ms = dyn_option_int_or_default(options, "request_timeout");
	service->max_attempts = dyn_option_int_or_default(options, "max_attempts");
	service->max_response = MAX_RESPONSE;
	service->clock = &connection->clock;
	connection->table_prefix = prefix ? prefix : "";
	connection->max_concurrency = dyn_option_int_or_default(options, "max_concurrency");
	service->max_idle_connections =
		dyn_option_int(options, "max_idle_connections", connection->max_concurrency);
	connection->max_read_units_per_second =
		dyn_option_real(options, "max_read_units_per_second", 0);
	connection->max_write_units_per_second =
		dyn_option_real(options, "max_write_units_per_second", 0);
	connection->max_read_units_per_statement =
		dyn_option_real(options, "max_read_units_per_statement", 0);
	connection->throttle_timeout = dyn_option_int_or_default(options, "throttle_timeout");
	connection->reads = dyn_option_reads(options, &dyn_default_reads);
	connection->detour = dyn_option_text(options, "endpoint_url") ? "endpoint_url"
		: service->proxy ? "proxy" : service->ca_bundle ? "ca_bundle" : NULL;
}

/* ---- the credentials ---- */

static Oid
mapping_of(Oid userid, Oid serverid)
{
	return GetSysCacheOid2(USERMAPPINGUSERSERVER, Anum_pg_user_mapping_oid,
						   ObjectIdGetDatum(userid), ObjectIdGetDatum(serverid));
}

Oid
dyn_connection_mapping(Oid serverid, Oid userid)
{
	Oid			mapping = mapping_of(userid, serverid);

	if (!OidIsValid(mapping))
		mapping = mapping_of(InvalidOid, serverid);
	if (!OidIsValid(mapping))
	{
		char	   *server = GetForeignServer(serverid)->servername;
		char	   *user = GetUserNameFromId(userid, false);

		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("user mapping not found for user \"%s\", server \"%s\"",
						user, server),
				 errhint("Create one with CREATE USER MAPPING FOR %s SERVER %s OPTIONS (access_key_id '...', secret_access_key '...'); for credentials of the database server, a superuser sets credential_provider instead.",
						 quote_identifier(user), quote_identifier(server))));
	}
	return mapping;
}

static UserMapping *
read_mapping(Oid serverid, Oid userid)
{
	(void) dyn_connection_mapping(serverid, userid);
	return GetUserMapping(userid, serverid);
}

static void
set_keys(DynConnection *connection, List *options)
{
	const char *key = dyn_option_text(options, "access_key_id");
	const char *bad = NULL;

	if (key == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_DYNAMIC_PARAMETER_VALUE_NEEDED),
				 errmsg("user mapping for server \"%s\" has no access key",
						connection->server_name),
				 errhint("Set the options access_key_id and secret_access_key with ALTER USER MAPPING; for credentials of the database server, a superuser sets credential_provider instead.")));
	if (!dyn_credentials_set(&connection->source_options.keys, key,
							 dyn_option_text(options, "secret_access_key"),
							 dyn_option_text(options, "session_token"), &bad))
		ereport(ERROR,
				(errcode(bad ? ERRCODE_INVALID_PARAMETER_VALUE
						 : ERRCODE_OUT_OF_MEMORY),
				 bad ? errmsg("invalid character in %s of the user mapping for server \"%s\"",
							  bad, connection->server_name)
				 : errmsg("out of memory")));
}

/* Returns a malloc'd copy of the text in UTF-8; NULL if `text` is NULL. */
static char *
copy_text(const char *text)
{
	char	   *copy = text ? strdup(dyn_to_utf8(text)) : NULL;

	dyn_check_oom(text != NULL && copy == NULL);
	return copy;
}

static void
wipe_options(List *options)
{
	ListCell   *lc;

	foreach(lc, options)
	{
		DefElem    *def = lfirst_node(DefElem, lc);

		if (def->arg != NULL)
			explicit_bzero(strVal(def->arg), strlen(strVal(def->arg)));
	}
}

/* Requires that connection->service is set. */
static void
set_credentials(DynConnection *connection)
{
	DynSourceOptions *source_options = &connection->source_options;
	const DynService *service = &connection->service;
	UserMapping *mapping = read_mapping(connection->serverid, connection->userid);
	List	   *options = mapping->options;
	const char *sts = dyn_option_text(options, "sts_endpoint_url");

	connection->mapping = mapping->umid;
	connection->for_public = mapping_of(connection->userid,
										connection->serverid) != mapping->umid;
	connection->mapping_options = options;
	source_options->kind = connection->source = (DynSourceKind)
		dyn_option_enum(options, "credential_provider", dyn_source_names, DYN_SOURCE_STATIC);
	if (source_options->kind == DYN_SOURCE_STATIC)
		set_keys(connection, options);
	source_options->profile = copy_text(dyn_option_text(options, "profile"));
	source_options->role.arn = copy_text(dyn_option_text(options, "role_arn"));
	source_options->role.session_name = copy_text(dyn_option_text(options, "role_session_name"));
	source_options->role.external_id = copy_text(dyn_option_text(options, "external_id"));
	source_options->role.duration = dyn_option_int(options, "role_duration", 0);
	/* a provider needs these to reach other services, such as STS */
	source_options->region = copy_text(service->region);
	source_options->sts_endpoint_url = sts ? copy_text(normal_url(sts)) : NULL;
	source_options->ca_bundle = copy_text(service->ca_bundle);
	source_options->proxy = copy_text(service->proxy);
	source_options->connect_timeout_ms = service->connect_timeout_ms;
	source_options->request_timeout_ms = service->request_timeout_ms;
	if (source_options->kind == DYN_SOURCE_STATIC)
	{
		wipe_options(options);
		connection->mapping_options = NIL;
	}
	dyn_check_oom(!dyn_source_open(&connection->provider, source_options));
}

/* Runs even after an error in dyn_connection_make. */
static void
release_connection(void *arg)
{
	DynConnection *connection = arg;

	wipe_options(connection->mapping_options);
	dyn_provider_clear(&connection->provider);
	dyn_source_options_clear(&connection->source_options);
}

DynConnection *
dyn_connection_make(Oid serverid, Oid userid)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo_fdw connection",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext oldcontext = MemoryContextSwitchTo(context);
	DynConnection *connection = palloc0(sizeof(DynConnection));
	ForeignServer *server;

	dyn_call_at_reset(context, release_connection, connection);
	server = GetForeignServer(serverid);
	connection->context = context;
	connection->service.provider = &connection->provider;
	connection->serverid = serverid;
	connection->userid = userid;
	connection->server_name = pstrdup(server->servername);
	set_endpoint(connection, server);
	set_limits(connection, server->options);
	set_credentials(connection);
	MemoryContextSwitchTo(oldcontext);
	return connection;
}

/* ---- checking a connection ---- */

/*
 * Returns true for names such as eu-west-1 or us-gov-west-1.  Another name
 * could lead to another service: dynamodb.s3.amazonaws.com is an S3 bucket.
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

/*
 * Raises an error if the connection must not use the credentials of its
 * provider.  `allowed` is the normalized allowed_endpoint_url, or NULL.
 */
static void
check_source(const DynConnection *connection, const ForeignServer *server,
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

void
dyn_connection_check(const DynConnection *connection)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo_fdw check", ALLOCSET_SMALL_SIZES);
	MemoryContext oldcontext = MemoryContextSwitchTo(context);
	ForeignServer *server = GetForeignServerExtended(connection->serverid, FSV_MISSING_OK);

	if (server != NULL && !superuser_arg(server->owner) &&
		pg_strncasecmp(connection->service.url, "http://", 7) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("plain http is not allowed for server \"%s\"",
						server->servername),
				 errdetail("The endpoint is not encrypted, and the owner of the server is not a superuser."),
				 errhint("Use an https endpoint, or let a superuser own the server.")));
	if (connection->source != DYN_SOURCE_STATIC)
	{
		UserMapping *mapping = server ? read_mapping(connection->serverid,
													 connection->userid) : NULL;
		const char *allowed = NULL;
		bool		changed = mapping == NULL ||
			mapping->umid != connection->mapping ||
			!equal(mapping->options, connection->mapping_options);

		if (mapping != NULL)
			allowed = dyn_option_text(mapping->options, "allowed_endpoint_url");
		if (allowed != NULL)
			allowed = normal_url(allowed);
		/* a mapping that has changed may contain access keys now */
		if (mapping != NULL)
			wipe_options(mapping->options);
		if (changed)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("credentials for server \"%s\" changed during the statement",
							connection->server_name),
					 errdetail("The statement can no longer use the credentials it started with."),
					 errhint("Retry the statement.")));
		check_source(connection, server, allowed);
	}
	MemoryContextSwitchTo(oldcontext);
	MemoryContextDelete(context);
}
