/*
 * request_log.h
 *		The lines of dynamo_fdw.log_requests and log_min_duration.
 *
 * One line for each request, written by the caller: operation, table, index
 * and the size of the response; values of keys and filters only if log_requests
 * is on, never for log_min_duration alone.  What is added here has no secrets.
 */
#ifndef DYN_MODEL_REQUEST_LOG_H
#define DYN_MODEL_REQUEST_LOG_H

#include "../../aws/client.h"

/* Is a finished call logged, by log_requests or because it was slow? */
extern bool dyn_request_is_logged(const DynCall *call);

/*
 * Logs it: its time, and of a slow one how it ended.  Nothing if `line` is
 * NULL.
 */
extern void dyn_request_log(const DynCall *call, const char *line);

/*
 * Logs a call, if it was slow, that is only an attempt of a request: the n-th.
 * For those that are not counted and logged as requests.
 */
extern void dyn_request_log_attempt(const DynCall *call, const char *line,
									int n);

#endif
