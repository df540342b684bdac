/*
 * errors.h
 *		Reports failed requests as PostgreSQL errors, and logs requests
 *		(dynamo_fdw.log_requests and log_min_duration).
 *
 * The primary message names the failure in SQL terms; DETAIL has DynamoDB's
 * code, text and request id; HINT has a remedy.
 *
 * Messages do not contain secrets.  Text from a service that is not DynamoDB,
 * such as a gateway's error page, is shown to superusers only, and not while
 * code of another user runs, because this code could catch the error.
 */
#ifndef DYN_MODEL_ERRORS_H
#define DYN_MODEL_ERRORS_H

#include "../../base/macros.h"
#include "../../dynamodb/operation.h"
#include "../../dynamodb/page.h"
#include "connection.h"

typedef struct DynRequestContext
{
	DynOperation op;
	const char *table;			/* DynamoDB table name, or NULL */
	const char *index;			/* index name, or NULL */
	DynConnection *connection;
} DynRequestContext;

/* Returns, for example, `index "by_due" of DynamoDB table "orders"`. */
extern const char *dyn_describe_target(const char *table, const char *index);

DYN_NORETURN extern void dyn_report_call(const DynCall *call,
										 const DynRequestContext *context);

/*
 * Raises the error of a write whose outcome is unknown.  If the call failed,
 * `err` is NULL.  Otherwise the response is unusable, and `err` continues "The
 * response ..." (dynamodb/write.h).  `action` is, for example, "update of an
 * item".  `key` is the item's key as text; NULL if the user may not see it.
 */
DYN_NORETURN extern void dyn_report_unanswered(const DynCall *call, const char *err,
											   const DynRequestContext *context,
											   const char *action, const char *key);

/* Raises the error of a credential provider; `what` begins the message. */
DYN_NORETURN extern void dyn_report_credentials(const DynError *err,
												const char *what);

/*
 * Returns the SQLSTATE that dyn_report_call uses for the failed call;
 * ERRCODE_INSUFFICIENT_PRIVILEGE if IAM does not permit the request.
 */
extern int	dyn_failure_sqlstate(const DynCall *call);

/* Returns a short reason for the failure of a finished call. */
extern const char *dyn_describe_failure(const DynCall *call);

/*
 * Raises the error that reads (or writes) of `resource` (dyn_describe_target)
 * were throttled for `seconds` without any success.  `call` is the last
 * attempt.  `capacity` is the resource's units per second, or 0 if unknown.
 * `units` is the number of units that the statement has used.
 */
DYN_NORETURN extern void dyn_report_throttled(const DynCall *call, bool is_write,
											  const char *resource,
											  double seconds, double capacity,
											  double units);

/* Raises the error of a response that the page parser rejected. */
DYN_NORETURN extern void dyn_report_page(const DynCall *call, const DynPageError *error,
										 const DynRequestContext *context);

/*
 * Raises the error of a response that does not match the request; `err`
 * continues "The response ..." (dynamodb/page_check.h).
 */
DYN_NORETURN extern void dyn_report_no_match(const DynCall *call, const char *err,
											 const DynRequestContext *context);

/* Returns true if an outdated table description may have caused the failure. */
extern bool dyn_failure_is_stale(const DynCall *call);

/* Raises the error that the plan is outdated.  `detail` is a sentence. */
DYN_NORETURN extern void dyn_report_changed_schema(const DynRequestContext *context,
												   const char *detail);

/*
 * Returns true if a finished call must be logged, because of log_requests or
 * because it was slow.  `repeated` is true if another call will send the same
 * request again; log_requests does not log the call then.  The caller composes
 * the log line, with values of keys and filters only if log_requests is on.
 */
extern bool dyn_request_is_logged(const DynCall *call, bool repeated);

/* Logs a call with its duration and attempts and, if it was slow, its outcome. */
extern void dyn_request_log(const DynCall *call, const char *line, int attempts);

#endif
