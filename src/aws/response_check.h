/*
 * response_check.h
 *		What an attempt came to: checksum, encoding, error document.
 */
#ifndef DYN_AWS_RESPONSE_CHECK_H
#define DYN_AWS_RESPONSE_CHECK_H

#include <curl/curl.h>

#include "http.h"
#include "retry.h"

/*
 * Fills failure, http_status, code, message, request_id and throttle_reason of
 * the call; adds to bytes_received.  A packed body of status 200 stays packed.
 * Gives the class the retry policy puts the attempt in.  `signed_clock`
 * is the time of our clock as requests are signed with it.
 */
extern DynRetryClass dyn_response_check(DynCall *call, DynHttp *http, CURLcode code,
							   const DynCredentials *credentials,
							   int64_t signed_clock);

/*
 * Unpacks a body into the call's response; what fails then is told in the call's
 * message.
 */
extern DynFailure dyn_judge_unpack(DynCall *call, const DynBuffer *packed);

#endif
