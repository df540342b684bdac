/*
 * session.h
 *		State that a backend keeps between statements: the network client, one
 *		connection per user mapping and user, and descriptions of tables.
 *
 * dyn_session_connection finds or makes a connection, and pins it until
 * CurrentMemoryContext is reset; so planner and executor may keep the pointer
 * as long as their own memory.  Invalidations (ALTER SERVER, DROP USER MAPPING,
 * ...) remove it from the cache; it is freed when the last pin is released.
 *
 * Whether a connection may be used is checked when it is pinned, and again
 * before a request, if servers, user mappings or roles have changed since:
 * a prepared statement or a cursor may have it for long.
 *
 * Descriptions (DescribeTable) are cached per connection, since users may have
 * different permissions, and expire (dynamo_fdw.metadata_cache_ttl).
 */
#ifndef DYN_MODEL_SESSION_H
#define DYN_MODEL_SESSION_H

#include "../../aws/client.h"
#include "../../dynamodb/metadata.h"
#include "../../dynamodb/operation.h"
#include "../server/wait_reason.h"
#include "connection.h"
#include "errors.h"

/*
 * The connection of `userid` to the server, created from the catalogs if it is
 * not cached.  Raises errors for missing or forbidden configuration; does not
 * use the network.
 */
extern DynConnection *dyn_session_connection(Oid serverid, Oid userid);

/*
 * To be called before a call is started, while nothing depends on that: raises
 * an error if the connection must not be used any longer.  The functions below
 * call it.
 */
extern void dyn_session_check(DynConnection *connection);

/*
 * Obtains the credentials of the connection, if it has none that are valid.
 * Raises an error if it cannot.
 */
extern const DynCredentials *dyn_session_credentials(DynConnection *connection);

/* The client, created on first use. */
extern DynClient *dyn_session_client(void);

/*
 * The description of a table: from the cache unless it has expired, else by
 * DescribeTable (two attempts, at most twice connect_timeout).  If the service
 * fails or cannot be reached, an expired one is used.  A new one with
 * different keys or indexes resets cached plans.  Pinned like a connection.
 * Raises an error if there is no description.
 */
extern const DynTableMeta *dyn_session_table(DynConnection *connection,
											 const char *table);

/* The description if it is in the cache, expired or not; else NULL. */
extern const DynTableMeta *dyn_session_cached_table(DynConnection *connection,
													const char *table);

/* Removes a table's description from the cache, and resets its plans. */
extern void dyn_session_forget_table(DynConnection *connection, const char *table);

/*
 * Waits until the client has work to do, at most timeout_ms (-1: no bound),
 * and drives it.  Handles interrupts, so it may raise an error.
 */
extern void dyn_session_wait(long timeout_ms, DynWaitReason reason);

/* Sleeps `ms` without driving the client; handles interrupts likewise. */
extern void dyn_session_sleep(double ms, DynWaitReason reason);

/*
 * Starts a call, whose body has been written, and waits until it is done.  On
 * failure, and on any error while waiting, destroys the call and raises the
 * error; otherwise the caller reads call->response and destroys the call.
 */
extern void dyn_session_run(DynCall *call, DynConnection *connection,
							const DynRequestContext *context);

/*
 * The same, but a failure raises no error: returns false, and the caller reads
 * call->failure and destroys the call.  `service` is the connection's, or a
 * copy with other limits.
 */
extern bool dyn_session_try(DynCall *call, DynConnection *connection,
							const DynService *service,
							const DynRequestContext *context);

/* Raises the error of a failed call, and destroys it. */
extern void dyn_session_fail(DynCall *call, const DynRequestContext *context);

/*
 * Counts a finished call, and logs it (request_log.h); `line` is NULL if it is
 * not logged.
 */
extern void dyn_session_account(const DynCall *call, const char *line);

/* Milliseconds of a monotonic clock. */
extern double dyn_session_now(void);

/*
 * To be called when the last statement has ended: closes surplus connections.
 */
extern void dyn_session_end_statement(void);

/*
 * Closes idle connections, and discards what is cached of a server, or of all
 * if it is InvalidOid; returns true if there was anything.
 */
extern bool dyn_session_disconnect(Oid serverid);

/* Descriptors that the client holds open; 0 if there is no client. */
extern int	dyn_session_open_descriptors(void);

/* Registers for invalidations; called once, when the library is loaded. */
extern void dyn_session_init(void);

#endif
