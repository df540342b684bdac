/*
 * request_log.h
 *		Writes the lines of dynamo_fdw.log_requests and log_min_duration.
 *
 * The caller composes one line for each request, with the operation and, for
 * example, the table, the index and the size of the response.  The line
 * includes values of keys and filters only if log_requests is on.  These
 * functions add no secrets.
 */
#ifndef DYN_MODEL_REQUEST_LOG_H
#define DYN_MODEL_REQUEST_LOG_H

#include "../../aws/client.h"

/*
 * Returns true if a finished call must be logged, because of log_requests or
 * because it was slow.
 */
extern bool dyn_request_is_logged(const DynCall *call);

/*
 * Logs a finished call with its duration and, if it was slow, its outcome.
 * Does nothing if `line` is NULL.
 */
extern void dyn_request_log(const DynCall *call, const char *line);

/*
 * Logs a call, if it was slow, as attempt `n` of a request that is sent as
 * several calls.
 */
extern void dyn_request_log_attempt(const DynCall *call, const char *line,
									int n);

#endif
