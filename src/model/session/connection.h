/*
 * connection.h
 *		The connection of one user to a server, built from the catalogs.
 *
 * Deleting a connection's memory context overwrites the credentials, and frees
 * everything.  session.c caches connections, and counts their pins.
 */
#ifndef DYN_MODEL_CONNECTION_H
#define DYN_MODEL_CONNECTION_H

#include "../../aws/client.h"
#include "../../aws/provider.h"
#include "../../credentials/source.h"
#include "../definition/options.h"

typedef struct DynConnection
{
	Oid			serverid;
	Oid			mapping;		/* OID of the user mapping */
	bool		for_public;		/* true if the mapping is for PUBLIC */
	Oid			userid;
	char	   *server_name;
	DynSourceKind source;		/* provider of the credentials */
	DynService	service;
	DynClock	clock;			/* estimate of the service's clock */
	DynProvider provider;		/* credential provider of `service` */
	const char *table_prefix;
	int			max_concurrency;
	double		max_read_units_per_second;	/* units per second; 0: no limit */
	double		max_write_units_per_second;
	double		max_read_units_per_statement;	/* read units; 0: no limit */
	int			throttle_timeout;	/* maximum ms of uninterrupted throttling;
									 * 0: no limit */
	DynReadOptions reads;		/* read options of the server */

	/* private to connection.c */
	const char *detour;			/* first server option that redirects
								 * requests, or NULL */
	List	   *mapping_options;	/* options of the user mapping; NIL if the
									 * credentials are static */
	DynSourceOptions source_options;	/* settings for dyn_source_open */

	/* private to session.c */
	struct DynDescription *descriptions;
	struct DynUsage *usages;	/* counts of requests (usage.c) */
	MemoryContext context;
	uint64		checked;		/* invalidation count at the last check */
	int			pins;
	bool		valid;
} DynConnection;

/* Returns the user's mapping, or PUBLIC's; raises an error if none exists. */
extern Oid	dyn_connection_mapping(Oid serverid, Oid userid);

/*
 * Returns a new connection, in a child of CurrentMemoryContext.  Raises errors
 * for missing configuration; does not use the network.
 */
extern DynConnection *dyn_connection_make(Oid serverid, Oid userid);

/*
 * Raises an error unless the catalogs, which may have changed since the
 * connection was built, still permit its endpoint and credentials.
 */
extern void dyn_connection_check(const DynConnection *connection);

static inline bool
dyn_connection_same_endpoint(const DynConnection *a, const DynConnection *b)
{
	return strcmp(a->service.url, b->service.url) == 0 &&
		strcmp(a->service.region, b->service.region) == 0;
}

#endif
