/*
 * provider.h
 *		Credentials as requests use them: obtained when they are needed,
 *		refreshed before they expire.
 *
 * A DynProvider has the credentials of one user of a server.  Static ones are
 * set once, and are always ready.  Others come from a source (src/credentials),
 * which works in the client's loop: while it does, calls that have no
 * credentials wait, and calls that have some go on with those.
 *
 * Whether they have expired is decided by one clock: that of who issued them,
 * as it was when they were obtained.  What is left of their life then is
 * counted in the seconds of this machine, whose clock may be set meanwhile or
 * be wrong.  The clock of the service that the calls are sent to has no say: it
 * may be anybody's, and would decide how often the source is asked.
 *
 * One that expires is refreshed 5 to 15 minutes before; which moment, is drawn
 * for each, so that sessions do not ask all at once.  A source that fails is
 * asked again after 1, 2, 4 ... 60 seconds, and until then calls without
 * credentials fail with the same fault.  So is one whose credentials the
 * service refuses within a minute, but for the first time, when it is asked
 * again at once.
 *
 * A refresh that is under way when the statement ends is stopped.  Statements
 * may all be shorter than it: so the next refresh begins after such a pause,
 * too, and calls wait for it, but not for long.
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
 * A source of credentials.  start() begins to obtain some; later, or from
 * within, the source calls dyn_provider_obtained or dyn_provider_failed, once.
 * stop() ends what was begun; the source then calls neither.  free() is only
 * called while nothing has begun.
 */
typedef struct DynSource
{
	void		(*start) (void *state, DynProvider *provider,
						  struct DynClient *client);
	void		(*stop) (void *state);
	void		(*free) (void *state);
	void	   *state;
} DynSource;

/* Zero-initialise it; with current set, that is a provider of static ones. */
struct DynProvider
{
	DynCredentials current;		/* empty while there are none */
	DynCredentials previous;	/* for requests signed with them */
	unsigned	generation;		/* of current: counts what was obtained */
	DynSource	source;			/* start is NULL: static */

	/* private to provider.c */
	struct DynClient *client;	/* while the source works */
	bool		refreshing;		/* current served when it was started */
	bool		rejected;		/* the service has refused current */
	int64_t		obtained_us;	/* monotonic: when current was */
	int64_t		issuer_ahead;	/* its issuer's clock before this machine's */
	int64_t		ends_at;		/* the end of its life (dyn_loop_uptime_s)... */
	int64_t		refresh_at;		/* ...and when to refresh it */
	DynError   *err;			/* of the latest failure; NULL: none yet */
	int			misses;			/* works in succession that gave nothing... */
	int			refusals;		/* ...or what was soon refused */
	bool		stopped;		/* the latest was stopped, and did not fail */
	int64_t		retry_us;		/* monotonic: when to ask again after either */
	int64_t		patience_us;	/* monotonic: until then calls wait for the
								 * refresh; 0: not, or until it ends */
};

typedef enum DynReadiness
{
	DYN_CREDENTIALS_READY,		/* use provider->current */
	DYN_CREDENTIALS_AWAITED,	/* the source works; ask when it has ended, or
								 * at dyn_provider_due_us */
	DYN_CREDENTIALS_FAILED		/* see dyn_provider_error */
} DynReadiness;

/* Asks for credentials; starts the source if they are missing or get old. */
extern DynReadiness dyn_provider_request(DynProvider *provider,
										 struct DynClient *client);

/*
 * When those that are awaited are not worth waiting for any more, as the old
 * ones serve; or DYN_LOOP_NEVER.
 */
extern int64_t dyn_provider_due_us(const DynProvider *provider);

/* Why they could not be obtained; overwritten by the next failure. */
extern const DynError *dyn_provider_error(const DynProvider *provider);

/*
 * The service says that the credentials of this generation have expired.  Its
 * clock (seconds since the epoch) is for the fault only; NULL: it is unknown.
 * Returns whether others may be had: the call asks again then.
 */
extern bool dyn_provider_reject(DynProvider *provider, unsigned generation,
								const int64_t *service_time);

/*
 * By the source: moves the credentials, which are empty afterwards.  `now` is
 * the time (seconds since the epoch) by the clock that `expires` is of.
 */
extern void dyn_provider_obtained(DynProvider *provider,
								  DynCredentials *credentials, int64_t now);
extern void dyn_provider_failed(DynProvider *provider, const DynError *err);

/*
 * The statement has ended: what the source has begun will not be driven, so it
 * is stopped.
 */
extern void dyn_provider_rest(DynProvider *provider);

/* Stops and frees the source, and wipes everything. */
extern void dyn_provider_clear(DynProvider *provider);

#endif
