/*
 * judge.h
 *		What an attempt came to: checksum, encoding, error document.
 */
#ifndef DYN_AWS_JUDGE_H
#define DYN_AWS_JUDGE_H

#include <curl/curl.h>

#include "http.h"
#include "retry.h"

/*
 * Fills failure, http_status, code, message, request_id, throttle_reason and,
 * when the body came packed, response of the call; adds to bytes_received.
 * Gives the class the retry policy puts the attempt in.  `signed_clock`
 * is the time of our clock as requests are signed with it.
 */
extern DynRetryClass dyn_judge(DynCall *call, DynHttp *http, CURLcode code,
							   const DynCredentials *credentials,
							   int64_t signed_clock);

#endif
