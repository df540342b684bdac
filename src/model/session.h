/*
 * session.h
 *		What a backend keeps between statements: the network client, one
 *		connection object for each (server, user), the descriptions of tables.
 *
 * A DynConnection holds the endpoint, the credentials and the limits of a
 * server as one user sees it.  It is found through dyn_session_connection,
 * which pins it until CurrentMemoryContext is reset; so whoever plans or
 * executes may keep the pointer as long as its own memory.  Invalidations
 * (ALTER SERVER, DROP USER MAPPING, ...) take it out of the cache and free it
 * when the last pin is gone.
 *
 * Descriptions (DescribeTable) are cached by connection, since one role's
 * tables are not another's to see, and age (dynamo_fdw.metadata_cache_ttl).
 */
#ifndef DYN_MODEL_SESSION_H
#define DYN_MODEL_SESSION_H

#include "../aws/client.h"
#include "../dynamodb/metadata.h"
#include "../dynamodb/operation.h"
#include "errors.h"

typedef struct DynConnection
{
	Oid			serverid;
	Oid			userid;
	char	   *server_name;
	DynService	service;
	DynClock	clock;			/* of the service */
	char	   *table_prefix;
	int			max_concurrency;
	double		max_read_units; /* a second; 0: no limit */

	/* the read unit limit: no request before this time (ms, monotonic) */
	double		not_before;

	/* private to session.c */
	struct DynDescription *descriptions;
	MemoryContext context;
	int			pins;
	bool		valid;
} DynConnection;

/*
 * The connection of `userid` to the server, made from the catalogs if it is
 * not cached.  Raises errors for missing or forbidden configuration; touches
 * no network.
 */
extern DynConnection *dyn_session_connection(Oid serverid, Oid userid);

/* The client, made at first use. */
extern DynClient *dyn_session_client(void);

/*
 * The description of a table: from the cache if it is young enough, else
 * asked for (two attempts, at most twice connect_timeout).  If the service fails
 * or cannot be reached, an aged one serves.  One that tells other keys or indexes
 * than the aged one resets cached plans.  Pinned like a connection.  Raises an
 * error if there is none to be had.
 */
extern const DynTableMeta *dyn_session_table(DynConnection *connection,
											 const char *table);

/* The description if it is in the cache, of whatever age; else NULL. */
extern const DynTableMeta *dyn_session_cached_table(DynConnection *connection,
													const char *table);

/* Forgets a table's description and the plans that were made from it. */
extern void dyn_session_forget_table(DynConnection *connection, const char *table);

/*
 * Waits until the client has something to do, at most timeout_ms (-1: no
 * bound), and lets it do it.  Handles interrupts: may raise an error.
 */
extern void dyn_session_wait(long timeout_ms);

/* Waits that long, with nothing under way; handles interrupts likewise. */
extern void dyn_session_sleep(double ms);

/*
 * Starts the call, whose body is written, and waits until it is done.  On
 * failure, and on any error while waiting, destroys the call and raises the
 * error; otherwise the caller reads call->response and destroys it.
 */
extern void dyn_session_run(DynCall *call, const DynService *service,
							const DynRequestContext *context);

/* Counts a finished call, and logs it if log_requests is on. */
extern void dyn_session_account(const DynCall *call, const char *line);

/* Milliseconds on a clock that only goes forward. */
extern double dyn_session_now(void);

/* A statement has ended, and none is left: closes connections in excess. */
extern void dyn_session_end_statement(void);

/* Descriptors that the client holds open; 0 if there is none. */
extern int	dyn_session_open_descriptors(void);

/* Registers for invalidations; called once, when the library is loaded. */
extern void dyn_session_init(void);

#endif
