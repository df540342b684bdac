/*
 * request_log.c
 *		Writes requests to PostgreSQL's log.
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "../server/encoding.h"
#include "errors.h"
#include "guc.h"
#include "request_log.h"

static bool
is_slow(const DynCall *call)
{
	return dyn_guc_log_min_duration >= 0 &&
		call->elapsed_ms >= dyn_guc_log_min_duration;
}

bool
dyn_request_is_logged(const DynCall *call)
{
	return dyn_guc_log_requests || is_slow(call);
}

/* Returns the outcome of a slow request, and its id for AWS support. */
static char *
describe_outcome(const DynCall *call, int attempt)
{
	StringInfoData words;

	initStringInfo(&words);
	if (call->http_status > 0)
		appendStringInfo(&words, ", status %d", call->http_status);
	if (call->failure != DYN_FAIL_NONE)
		appendStringInfo(&words, ", %s", dyn_describe_failure(call));
	appendStringInfo(&words, ", attempt %d", attempt);
	if (call->request_id[0] != '\0')
		appendStringInfo(&words, ", request id %s",
						 dyn_from_utf8_lossy(call->request_id));
	return words.data;
}


static void
write_line(const DynCall *call, const char *line, int attempts)
{
	const char *more = is_slow(call) ? describe_outcome(call, attempts)
		: attempts <= 1 ? "" : psprintf(", %d attempts", attempts);

	ereport(LOG,
			(errmsg_internal("dynamo_fdw: %s (%.1f ms%s)", line,
							 call->elapsed_ms, more),
			 errhidestmt(true), errhidecontext(true)));
}

void
dyn_request_log(const DynCall *call, const char *line)
{
	if (line != NULL)
		write_line(call, line, call->attempts);
}

void
dyn_request_log_attempt(const DynCall *call, const char *line, int n)
{
	if (is_slow(call))
		write_line(call, line, n);
}
