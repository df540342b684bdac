/*
 * connection.h
 *		A server as one user uses it, made from the catalogs.
 *
 * A DynConnection holds the endpoint, the limits and the credentials.  It has a
 * memory context of its own, with which everything is freed; credentials are
 * overwritten first.  session.c keeps connections and counts their users.
 */
#ifndef DYN_MODEL_CONNECTION_H
#define DYN_MODEL_CONNECTION_H

#include "../../aws/client.h"
#include "../../aws/provider.h"
#include "../../credentials/source_options.h"
#include "../definition/options.h"

typedef struct DynConnection
{
	Oid			serverid;
	Oid			mapping;		/* the user mapping... */
	bool		for_public;		/* ...is PUBLIC's */
	Oid			userid;
	char	   *server_name;
	DynSourceKind source;		/* of the credentials */
	DynService	service;
	DynClock	clock;			/* of the service */
	DynProvider provider;		/* likewise */
	const char *table_prefix;
	int			max_concurrency;
	double		max_read_units_per_second; /* per second; 0: no limit */
	double		max_read_units_per_statement;	/* 0: no limit */
	int			throttle_timeout;	/* ms without progress; 0: no limit */
	DynReadOptions reads;		/* for tables without options of their own */

	/* private to connection.c */
	const char *detour;			/* see privilege.h */
	List	   *mapping_options;	/* unless the source is static */
	DynSourceOptions spec;		/* until the provider has it */

	/* private to session.c */
	struct DynDescription *descriptions;
	struct DynTablePace *paces;	/* table_pace.c */
	MemoryContext context;
	uint64		checked;		/* counts invalidations */
	int			pins;
	bool		valid;
} DynConnection;

/* Of the user or else of PUBLIC; raises an error if there is none. */
extern Oid	dyn_connection_mapping(Oid serverid, Oid userid);

/*
 * Makes a connection in a child of the current context.  Raises errors for
 * missing configuration; does not use the network.
 */
extern DynConnection *dyn_connection_make(Oid serverid, Oid userid);

/*
 * Raises an error if the connection, which may have been made long ago, must
 * not be used now: judges it by what the catalogs say now (privilege.h).
 */
extern void dyn_connection_check(const DynConnection *connection);

#endif
