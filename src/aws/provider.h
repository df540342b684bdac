/*
 * provider.h
 *		Obtains credentials on demand, and refreshes them in time.
 *
 * A DynProvider has the credentials of one user of a server.  Static
 * credentials are set once, and are always ready.  All other credentials come
 * from a source (src/credentials), which runs in the client's loop.  While the
 * source is running, calls without credentials wait, and calls that have
 * credentials continue to use them.
 *
 * The lifetime of credentials is computed with the issuer's clock, and then
 * counted in seconds of this machine's uptime, since this machine's clock may
 * be wrong or may be set.  The clock of the service that receives the calls is
 * not used, because an untrusted service could force frequent refreshes by a
 * wrong time.
 *
 * Credentials are refreshed 5 to 15 minutes before they expire, but not in the
 * first half of their lifetime.  The exact time is random, so that sessions do
 * not all refresh at the same time.  A failed source is started again after a
 * pause of 1, 2, 4 ... 60 seconds.  During the pause, calls without
 * credentials fail with the source's error.  The same pauses apply if the
 * service refuses credentials less than a minute old; but the first time, the
 * source is started again immediately.
 *
 * A refresh in progress is stopped when the statement ends.  If all statements
 * were shorter than a refresh, no refresh would complete.  So after a stopped
 * refresh, calls wait for the next one, but for a second at most.
 */
#ifndef DYN_AWS_PROVIDER_H
#define DYN_AWS_PROVIDER_H

#include <stdbool.h>
#include <stdint.h>

#include "credentials.h"
#include "error.h"

struct DynClient;
typedef struct DynProvider DynProvider;

/*
 * A source of credentials.  After start(), the source calls
 * dyn_provider_obtained or dyn_provider_failed once, from within start() or
 * later, unless stop() is called first.  A running source is never freed.
 */
typedef struct DynSource
{
	void		(*start) (void *state, DynProvider *provider,
						  struct DynClient *client);
	void		(*stop) (void *state);
	void		(*free) (void *state);
	void	   *state;
} DynSource;

/* Must be zero-initialized; static credentials are set in `current`. */
struct DynProvider
{
	DynCredentials current;		/* empty if there are no credentials */
	DynCredentials previous;	/* credentials before `current`; requests in
								 * flight may be signed with them */
	unsigned	generation;		/* serial number of the current credentials */
	DynSource	source;			/* has no start() for static credentials */

	/* private to provider.c */
	struct DynClient *client;	/* client while the source is running */
	bool		refreshing;		/* true if the current credentials were valid
								 * when the source started */
	bool		rejected;		/* true if the service refused `current` */
	int64_t		obtained_us;	/* time at which `current` was obtained
								 * (monotonic us) */
	int64_t		issuer_ahead;	/* issuer's clock minus this machine's (s) */
	int64_t		ends_at;		/* expiry of `current` (dyn_loop_uptime_s) */
	int64_t		refresh_at;		/* refresh of `current` (dyn_loop_uptime_s) */
	DynError   *err;			/* latest failure; NULL if none yet */
	int			misses;			/* number of consecutive runs of the source
								 * that failed or were stopped */
	int			refusals;		/* times in a row that the service refused
								 * credentials less than a minute old */
	bool		stopped;		/* true if the source's last run was stopped */
	int64_t		retry_us;		/* end of the source's pause (monotonic us) */
	int64_t		wait_until_us;	/* end of the calls' wait for a refresh
								 * (monotonic us); 0 if they do not wait */
};

typedef enum DynReadiness
{
	DYN_CREDENTIALS_READY,		/* use provider->current */
	DYN_CREDENTIALS_AWAITED,	/* the source is running; request again when it
								 * has ended, or at dyn_provider_due_us */
	DYN_CREDENTIALS_FAILED		/* see dyn_provider_error */
} DynReadiness;

/* Starts the source if credentials are missing or due for a refresh. */
extern DynReadiness dyn_provider_request(DynProvider *provider,
										 struct DynClient *client);

/*
 * Returns the time (monotonic us) at which calls stop waiting for a refresh,
 * and use the credentials they have; DYN_LOOP_NEVER if there is no such wait.
 */
extern int64_t dyn_provider_due_us(const DynProvider *provider);

/* Returns the latest error; the next error overwrites it. */
extern const DynError *dyn_provider_error(const DynProvider *provider);

/*
 * Records that the service reports the credentials of this generation as
 * expired.  The service's time (seconds since the epoch; NULL if unknown) is
 * only for the error message.  Returns false for static credentials, which
 * cannot be renewed; otherwise true: the caller should request them again.
 */
extern bool dyn_provider_reject(DynProvider *provider, unsigned generation,
								const int64_t *service_time);

/*
 * Called by the source.  dyn_provider_obtained takes the credentials and
 * clears *credentials; `now` is the issuer's time (seconds since the epoch).
 */
extern void dyn_provider_obtained(DynProvider *provider,
								  DynCredentials *credentials, int64_t now);
extern void dyn_provider_failed(DynProvider *provider, const DynError *err);

/*
 * Stops the source if it is running.  Must be called when the statement has
 * ended, because nothing drives the client after that.  A source also calls
 * it, to end without an error, if its request may have failed only because
 * nothing drove the client.
 */
extern void dyn_provider_rest(DynProvider *provider);

/* Stops and frees the source, and wipes everything. */
extern void dyn_provider_clear(DynProvider *provider);

#endif
