/*
 * session.h
 *		State of a backend that outlives statements: the network client, one
 *		connection per user mapping and user, and table descriptions.
 *
 * dyn_session_connection finds or creates a connection, and pins it until
 * CurrentMemoryContext is reset.  Invalidations (ALTER SERVER, DROP USER
 * MAPPING, ...) remove a connection from the cache.  The connection is freed
 * when its last pin is released.
 *
 * The permission to use a connection is checked when it is pinned.  Because a
 * prepared statement or a cursor may pin it for hours, the permission is checked
 * again before a request if servers, user mappings or roles have changed.
 *
 * Descriptions (DescribeTable) are cached per connection, since users may have
 * different permissions.  They expire after dynamo_fdw.metadata_cache_ttl.
 */
#ifndef DYN_MODEL_SESSION_H
#define DYN_MODEL_SESSION_H

#include "../../aws/client.h"
#include "../../dynamodb/metadata.h"
#include "../../dynamodb/operation.h"
#include "connection.h"
#include "errors.h"

/*
 * Returns the connection of `userid` to the server, created from the catalogs
 * if it is not cached.  Raises errors for missing or forbidden configuration;
 * does not use the network.
 */
extern DynConnection *dyn_session_connection(Oid serverid, Oid userid);

/*
 * Raises an error if the connection must not be used any longer.  Called
 * before a request is started, while an error has no side effects.
 */
extern void dyn_session_check(DynConnection *connection);

extern DynClient *dyn_session_client(void);

extern DynCall *dyn_session_call(void);

/*
 * Returns the description of a table; pins the description and the connection.
 * - If the cached description has not expired, returns it.
 * - Otherwise sends DescribeTable (at most two attempts, each limited by
 *   connect_timeout).  If keys or indexes have changed, resets cached plans.
 * - If the service fails or cannot be reached, returns the expired
 *   description; raises an error if there is none.
 */
extern const DynTableMeta *dyn_session_table(DynConnection *connection,
											 const char *table);

/* Returns and pins the cached description, even an expired one, or NULL. */
extern const DynTableMeta *dyn_session_cached_table(DynConnection *connection,
													const char *table);

/*
 * Returns the TableId from the cached description.  The TableId is the same
 * for all endpoints and names of a table.  If the TableId is unknown, returns
 * endpoint, region and name, which a table of another account may have, too.
 */
extern char *dyn_session_table_id(const DynConnection *connection, const char *table);

/*
 * Compares names and TableIds.  If a TableId is not cached, compares endpoints
 * and regions instead, so tables of two accounts may seem to be the same.
 */
extern bool dyn_session_same_table(const DynConnection *a, const char *table_a,
								   const DynConnection *b, const char *table_b);

/* Removes a description from the cache, and resets all cached plans. */
extern void dyn_session_forget_table(DynConnection *connection, const char *table);

/* Reason for a wait, shown in pg_stat_activity from PostgreSQL 17 on. */
typedef enum DynWaitReason
{
	DYN_WAITS_FOR_RESPONSE,		/* response, including pauses before retries */
	DYN_WAITS_FOR_CAPACITY,		/* capacity (throttling, or a budget) */
	DYN_WAITS_FOR_TABLE			/* table that is being created */
} DynWaitReason;

/*
 * Waits at most timeout_ms (-1: no limit) until the client has work to do, and
 * does that work.  Returns the time waited (ms), and adds it to `usage` unless
 * NULL.  Handles interrupts after that, so it may raise an error.
 */
extern double dyn_session_wait(struct DynUsage *usage, double timeout_ms,
							   DynWaitReason reason);

/* Like dyn_session_wait, but waits only for the latch, at most `ms`. */
extern double dyn_session_sleep(struct DynUsage *usage, double ms, DynWaitReason reason);

/*
 * Starts a call, whose body has been written, and waits until it is done.  On
 * any error while waiting, destroys the call and raises the error.  Otherwise
 * returns true, or false if the request failed (call->failure); the caller
 * then destroys the call.  `service` is the connection's service, or a copy
 * with other limits.
 */
extern bool dyn_session_try(DynCall *call, const DynService *service,
							const DynRequestContext *context);

/* Destroys the call, and raises its error. */
extern void dyn_session_fail(DynCall *call, const DynRequestContext *context);

/* Returns the milliseconds of a monotonic clock. */
extern double dyn_session_now(void);

/* Closes surplus network connections. */
extern void dyn_session_end_statement(void);

/*
 * Closes idle network connections, resets cached plans, and discards the
 * cached DynConnections of a server (InvalidOid: all servers).  Returns true
 * if any were discarded.
 */
extern bool dyn_session_disconnect(Oid serverid);

extern int	dyn_session_open_descriptors(void);

/* Registers for invalidations; called once, when the library is loaded. */
extern void dyn_session_init(void);

#endif
