/*
 * response_check.h
 *		Checks the result of an attempt: checksum, encoding, error document.
 */
#ifndef DYN_AWS_RESPONSE_CHECK_H
#define DYN_AWS_RESPONSE_CHECK_H

#include <curl/curl.h>

#include "credentials.h"
#include "http.h"
#include "retry.h"

/*
 * Checks the result of an attempt, and returns the retry class of the attempt.
 * Sets failure, http_status, code, message, request_id and throttle_reason of
 * the call, and adds to bytes_received and lost.  A compressed body of status
 * 200 is not inflated.  `signed_clock` is the current time by the clock that
 * the attempt was signed with.
 */
extern DynRetryClass dyn_response_check(DynCall *call, DynHttp *http,
										CURLcode code,
										const DynCredentials *credentials,
										int64_t signed_clock);

/*
 * Inflates a body into the call's response; sets the call's message on
 * failure.
 */
extern DynFailure dyn_response_inflate(DynCall *call, const DynBuffer *packed);

#endif
