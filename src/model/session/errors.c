/*
 * errors.c
 *		Reports failed requests as PostgreSQL errors, and logs requests.
 */
#include "postgres.h"

#include "../server/memory.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"

#include "../../dynamodb/page_check.h"
#include "../server/encoding.h"
#include "errors.h"
#include "guc.h"

typedef struct ErrorEntry
{
	const char *code;
	int			sqlstate;
	const char *hint;
} ErrorEntry;

#define THROTTLED_HINT \
	"Retry the statement later, because DynamoDB limits the rate of such requests."
/* Suggests a retry first: a gateway may send errors for a valid endpoint. */
#define UNAVAILABLE_HINT \
	"Retry the statement later. If this happens for every request, check the server options \"endpoint_url\" and \"region\"."
#define KEY_HINT \
	"Check access_key_id, secret_access_key and session_token of the user mapping."
#define EXPIRED_HINT \
	"Update the user mapping with new temporary credentials."
/* Replaces KEY_HINT and EXPIRED_HINT for credentials of a provider. */
#define SOURCE_HINT \
	"Check the credential provider of the user mapping. dynamo_fdw_credentials() shows its credentials."

#define CHANGED_HINT \
	"Retry the statement, because others have written the same items at the same time."
#define TABLE_NAME_HINT \
	"Check the table option table_name and the server option table_prefix. A name has 3 to 255 letters, digits, underscores, hyphens and dots."

static const ErrorEntry coded_errors[] = {
	{"ResourceNotFoundException", ERRCODE_FDW_TABLE_NOT_FOUND,
	"Check the table option \"table_name\" and the server options \"table_prefix\", \"region\" and \"endpoint_url\". dynamo_fdw_tables() lists the existing tables."},
	{"ResourceInUseException", ERRCODE_DUPLICATE_TABLE,
	"Check whether the table exists already, or is being changed or deleted."},
	/* service_hint() names the IAM actions */
	{"AccessDeniedException", ERRCODE_INSUFFICIENT_PRIVILEGE, NULL},
	{"UnrecognizedClientException", ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION, KEY_HINT},
	{"InvalidSignatureException", ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION, KEY_HINT},
	{"IncompleteSignatureException", ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION, KEY_HINT},
	{"MissingAuthenticationTokenException", ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION, KEY_HINT},
	{"MissingAuthenticationToken", ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION, KEY_HINT},
	{"ExpiredTokenException", ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION, EXPIRED_HINT},
	{"ProvisionedThroughputExceededException", ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
	THROTTLED_HINT},
	{"ThrottlingException", ERRCODE_CONFIGURATION_LIMIT_EXCEEDED, THROTTLED_HINT},
	{"RequestLimitExceeded", ERRCODE_CONFIGURATION_LIMIT_EXCEEDED, THROTTLED_HINT},
	{"LimitExceededException", ERRCODE_CONFIGURATION_LIMIT_EXCEEDED, THROTTLED_HINT},
	{"ConditionalCheckFailedException", ERRCODE_T_R_SERIALIZATION_FAILURE, CHANGED_HINT},
	{"TransactionCanceledException", ERRCODE_T_R_SERIALIZATION_FAILURE, CHANGED_HINT},
	{"TransactionConflictException", ERRCODE_T_R_SERIALIZATION_FAILURE, CHANGED_HINT},
	{"TransactionInProgressException", ERRCODE_T_R_SERIALIZATION_FAILURE,
	"Retry the statement later."},
	{"ReplicatedWriteConflictException", ERRCODE_T_R_SERIALIZATION_FAILURE, CHANGED_HINT},
	{"IdempotentParameterMismatchException", ERRCODE_FDW_ERROR, "Retry the statement."},
	{"ItemCollectionSizeLimitExceededException", ERRCODE_PROGRAM_LIMIT_EXCEEDED,
	"The items with one partition key, and their entries in local secondary indexes, cannot exceed 10 GB."},
	{"ValidationException", ERRCODE_FDW_ERROR,
	"Retry the statement; the table or index might have changed since it was planned."},
	{"SerializationException", ERRCODE_FDW_ERROR, NULL},
	{"UnknownOperationException", ERRCODE_FDW_ERROR,
	"Check the server option endpoint_url, because the service does not support this operation."},
	{"InternalServerError", ERRCODE_FDW_ERROR, "Retry the statement later."},
	{"InternalFailure", ERRCODE_FDW_ERROR, "Retry the statement later."},
	{"ServiceUnavailable", ERRCODE_FDW_ERROR, "Retry the statement later."},
	{"408", ERRCODE_FDW_UNABLE_TO_CREATE_REPLY, UNAVAILABLE_HINT},
	{"429", ERRCODE_CONFIGURATION_LIMIT_EXCEEDED, THROTTLED_HINT},
	{"500", ERRCODE_FDW_UNABLE_TO_CREATE_REPLY, UNAVAILABLE_HINT},
	{"502", ERRCODE_FDW_UNABLE_TO_CREATE_REPLY, UNAVAILABLE_HINT},
	{"503", ERRCODE_FDW_UNABLE_TO_CREATE_REPLY, UNAVAILABLE_HINT},
	{"504", ERRCODE_FDW_UNABLE_TO_CREATE_REPLY, UNAVAILABLE_HINT},
};

static const ErrorEntry other_errors[] = {
	[DYN_FAIL_HTTP] = {NULL, ERRCODE_FDW_UNABLE_TO_CREATE_REPLY,
	"Check the server options \"endpoint_url\" and \"region\", because the service at the endpoint is not DynamoDB."},
	[DYN_FAIL_DNS] = {NULL, ERRCODE_FDW_UNABLE_TO_ESTABLISH_CONNECTION,
	"Check the server options \"endpoint_url\" and \"region\", and the network of the database server."},
	[DYN_FAIL_CONNECT] = {NULL, ERRCODE_FDW_UNABLE_TO_ESTABLISH_CONNECTION,
	"Check the server option endpoint_url, and that the database server can connect to it."},
	[DYN_FAIL_TLS] = {NULL, ERRCODE_FDW_UNABLE_TO_ESTABLISH_CONNECTION,
	"Check the endpoint's certificate, the server option ca_bundle, and that the endpoint uses https."},
	[DYN_FAIL_TIMEOUT] = {NULL, ERRCODE_CONNECTION_FAILURE,
	"Check the network, or increase the server options connect_timeout and request_timeout."},
	[DYN_FAIL_NETWORK] = {NULL, ERRCODE_CONNECTION_FAILURE,
	"If this happens for every request, check the server option endpoint_url."},
	[DYN_FAIL_TOO_LARGE] = {NULL, ERRCODE_FDW_UNABLE_TO_CREATE_REPLY,
	"Set a smaller fetch_size to get smaller responses."},
	[DYN_FAIL_CHECKSUM] = {NULL, ERRCODE_FDW_UNABLE_TO_CREATE_REPLY,
	"Check whether a proxy between the database server and DynamoDB changes the responses."},
	[DYN_FAIL_ENCODING] = {NULL, ERRCODE_FDW_UNABLE_TO_CREATE_REPLY,
	"Check whether a proxy between the database server and DynamoDB changes the responses."},
	[DYN_FAIL_ADDRESS] = {NULL, ERRCODE_FDW_UNABLE_TO_ESTABLISH_CONNECTION,
	"Check the server option endpoint_url. Link-local addresses, such as those of instance metadata, are not allowed."},
	[DYN_FAIL_CONFIG] = {NULL, ERRCODE_FDW_UNABLE_TO_ESTABLISH_CONNECTION,
	"Check the server options \"endpoint_url\", \"ca_bundle\" and \"proxy\"."},
	[DYN_FAIL_MEMORY] = {NULL, ERRCODE_OUT_OF_MEMORY, NULL},
	/* the provider of the credentials supplies the hint */
	[DYN_FAIL_CREDENTIALS] = {NULL, ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION, NULL},
};

static const ErrorEntry *
find_report(const DynCall *call)
{
	const char *code = call->failure == DYN_FAIL_SERVICE ? call->code
		: call->failure == DYN_FAIL_HTTP ? psprintf("%d", call->http_status) : "";

	for (int i = 0; i < lengthof(coded_errors); i++)
		if (strcmp(coded_errors[i].code, code) == 0)
			return &coded_errors[i];
	return call->failure == DYN_FAIL_SERVICE ? NULL : &other_errors[call->failure];
}

static char *
sentence(const char *text)
{
	char	   *copy = psprintf("%s.", dyn_from_utf8_lossy(text));
	size_t		len = strlen(copy);

	if (len < 2)
		return pstrdup("(no text)");
	copy[0] = pg_ascii_toupper((unsigned char) copy[0]);
	if (strchr(".!?", copy[len - 2]) != NULL)
		copy[len - 1] = '\0';
	return copy;
}

const char *
dyn_describe_target(const char *table, const char *index)
{
	return index == NULL ? psprintf("DynamoDB table \"%s\"", table)
		: psprintf("index \"%s\" of DynamoDB table \"%s\"", index, table);
}

static char *
what_failed(const DynRequestContext *context)
{
	return psprintf("%s %s failed", dyn_operation_name(context->op), context->table == NULL
					? psprintf("on server \"%s\"", context->connection->server_name)
					: psprintf("of %s", dyn_describe_target(context->table, context->index)));
}

static char *
describe_request(const DynCall *call)
{
	StringInfoData buf;

	initStringInfo(&buf);
	if (call->request_id[0] != '\0')
		appendStringInfo(&buf, " Request id: %s.", call->request_id);
	if (call->attempts > 1)
		appendStringInfo(&buf, " Attempts: %d.", call->attempts);
	return buf.data;
}

static const char *
service_hint(const ErrorEntry *entry, const DynRequestContext *context)
{
	if (entry == NULL)
		return NULL;
	if (entry->sqlstate == ERRCODE_INSUFFICIENT_PRIVILEGE)
		return psprintf("The IAM policy of the credentials must allow %s on the table and its indexes.",
						context->op == DYN_OP_TRANSACT_WRITE_ITEMS
						? "dynamodb:PutItem, dynamodb:UpdateItem and dynamodb:DeleteItem"
						: psprintf("dynamodb:%s", dyn_operation_name(context->op)));
	/* of DescribeTable's input, only the table name can be invalid */
	if (strcmp(entry->code, "ValidationException") == 0)
		return context->op == DYN_OP_DESCRIBE_TABLE ? TABLE_NAME_HINT
			: context->op == DYN_OP_CREATE_TABLE ? NULL : entry->hint;
	if (entry->sqlstate == ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION &&
		context->connection->provider.source.start != NULL)
		return SOURCE_HINT;
	return entry->hint;
}

static char *
describe_service_error(const DynCall *call)
{
	return psprintf("%s: %s%s%s", call->code, sentence(call->message),
					call->throttle_reason[0]
					? psprintf(" Reason: %s.", call->throttle_reason) : "",
					describe_request(call));
}

/* Returns true for superusers: the text may be a secret of another service. */
static bool
shows_excerpts(void)
{
	Oid			userid;
	int			context;

	GetUserIdAndSecContext(&userid, &context);
	return superuser_arg(userid) && superuser_arg(GetSessionUserId()) &&
		(context & (SECURITY_LOCAL_USERID_CHANGE |
					SECURITY_RESTRICTED_OPERATION)) == 0;
}

void
dyn_report_credentials(const DynError *err, const char *what)
{
	bool		show = err->excerpt[0] != '\0' && shows_excerpts();

	dyn_check_oom(err->out_of_memory);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION),
			 errmsg("%s: %s", what, dyn_failure_phrase(DYN_FAIL_CREDENTIALS)),
			 errdetail("%s%s%s", sentence(err->message), show ? " Excerpt: " : "",
					   show ? dyn_from_utf8_lossy(err->excerpt) : ""),
			 errhint("%s", err->hint[0] ? dyn_from_utf8_lossy(err->hint)
					 : "Check the credential provider of the user mapping, and its settings on the database server.")));
}

static char *
describe_transport_error(const DynCall *call)
{
	bool		show = call->message[0] != '\0' &&
		(call->failure != DYN_FAIL_HTTP || shows_excerpts());

	return psprintf("%s%s%s%s",
					call->http_status > 0
					? psprintf("HTTP status %d.", call->http_status)
					: "No response.",
					show ? " " : "",
					show ? sentence(call->message) : "",
					describe_request(call));
}

int
dyn_failure_sqlstate(const DynCall *call)
{
	const ErrorEntry *entry = find_report(call);

	return entry ? entry->sqlstate : ERRCODE_FDW_ERROR;
}

void
dyn_report_call(const DynCall *call, const DynRequestContext *context)
{
	const ErrorEntry *entry = find_report(call);
	const char *what = what_failed(context);
	bool		is_service = call->failure == DYN_FAIL_SERVICE;
	const char *hint = is_service ? service_hint(entry, context)
		: entry ? entry->hint : NULL;

	Assert(call->state == DYN_CALL_DONE && call->failure != DYN_FAIL_NONE);
	if (call->failure == DYN_FAIL_CREDENTIALS)
		dyn_report_credentials(call->err, what);
	ereport(ERROR,
			(errcode(dyn_failure_sqlstate(call)),
			 is_service ? errmsg("%s", what)
			 : errmsg("%s: %s", what, dyn_failure_phrase(call->failure)),
			 errdetail("%s", is_service ? describe_service_error(call)
					   : describe_transport_error(call)),
			 hint ? errhint("%s", hint) : 0));
}

static char *
describe_unanswered(const DynCall *call, const char *err)
{
	const char *earlier = call->unanswered ? ""
		: "An earlier attempt had no usable response. The last one: ";

	if (err != NULL)
		return psprintf("The response %s.%s", err, describe_request(call));
	if (call->failure == DYN_FAIL_SERVICE)
		return psprintf("%s%s", earlier, describe_service_error(call));
	return psprintf("%s%s%s", earlier, sentence(dyn_failure_phrase(call->failure)),
					describe_request(call));
}

void
dyn_report_unanswered(const DynCall *call, const char *err,
					  const DynRequestContext *context,
					  const char *action, const char *key)
{
	Assert(err != NULL || call->failure != DYN_FAIL_NONE);
	ereport(ERROR,
			(errcode(ERRCODE_TRANSACTION_RESOLUTION_UNKNOWN),
			 errmsg("it is not known whether the %s of DynamoDB table \"%s\" was applied",
					action, context->table),
			 errdetail("%s%s: %s",
					   key ? psprintf("Key %s. ", key) : "",
					   dyn_operation_name(context->op), describe_unanswered(call, err)),
			 errhint("Read what is stored before you repeat the statement.")));
}

const char *
dyn_describe_failure(const DynCall *call)
{
	Assert(call->failure != DYN_FAIL_NONE);
	return call->failure == DYN_FAIL_SERVICE ? dyn_from_utf8_lossy(call->code)
		: dyn_failure_phrase(call->failure);
}

static char *
describe_throttle(const DynCall *call)
{
	if (call->failure == DYN_FAIL_NONE)
		return psprintf("DynamoDB left all keys unprocessed.%s",
						describe_request(call));
	if (call->failure != DYN_FAIL_SERVICE)
		return psprintf("HTTP status %d.%s", call->http_status,
						describe_request(call));
	return describe_service_error(call);
}

void
dyn_report_throttled(const DynCall *call, bool is_write, const char *resource,
					 double seconds, double capacity, double units)
{
	const char *kind = is_write ? "write" : "read";
	int			digits = seconds < 10 ? 1 : 0;

	ereport(ERROR,
			(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
			 is_write
			 ? errmsg("DynamoDB throttled writes of %s for %.*f s without executing any",
					  resource, digits, seconds)
			 : errmsg("DynamoDB throttled reads of %s for %.*f s without returning data",
					  resource, digits, seconds),
			 errdetail("%s The statement has used %g %s units.%s",
					   describe_throttle(call), units, kind,
					   capacity > 0
					   ? psprintf(" The capacity is %g %s units per second.",
								  capacity, kind) : ""),
			 call->hot_partition
			 ? errhint("Retry the statement later, or increase throttle_timeout on the server. More capacity does not help, because the limit of one partition is reached.")
			 : errhint("Increase the %s capacity of the table, retry the statement later, or increase throttle_timeout on the server.", kind)));
}

void
dyn_report_page(const DynCall *call, const DynPageError *error,
				const DynRequestContext *context)
{
	dyn_check_oom(strcmp(error->reason, "out of memory") == 0);
	dyn_call_distrust(call);
	ereport(ERROR,
			(errcode(ERRCODE_FDW_UNABLE_TO_CREATE_REPLY),
			 errmsg("%s: could not parse the response", what_failed(context)),
			 errdetail("At byte %zu: %s.%s", error->offset, error->reason,
					   describe_request(call)),
			 errhint("Check the server option endpoint_url, and whether a proxy changes the responses.")));
}

void
dyn_report_changed_schema(const DynRequestContext *context, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("%s has changed since the statement was planned",
					dyn_describe_target(context->table, context->index)),
			 errdetail("%s", detail),
			 errhint("Retry the statement to plan it again.")));
}

void
dyn_report_no_match(const DynCall *call, const char *err,
					const DynRequestContext *context)
{
	dyn_call_distrust(call);
	dyn_check_oom(err == dyn_check_memory);
	ereport(ERROR,
			(errcode(ERRCODE_FDW_UNABLE_TO_CREATE_REPLY),
			 errmsg("%s: the response does not match the request", what_failed(context)),
			 errdetail("The response %s.%s", err, describe_request(call)),
			 errhint("Check the server option endpoint_url, and whether a proxy changes the responses.")));
}

bool
dyn_failure_is_stale(const DynCall *call)
{
	return call->failure == DYN_FAIL_SERVICE &&
		(strcmp(call->code, "ResourceNotFoundException") == 0 ||
		 strcmp(call->code, "ValidationException") == 0);
}

/* ---- the log ---- */

static bool
is_slow(const DynCall *call)
{
	return dyn_guc_log_min_duration >= 0 &&
		call->elapsed_ms >= dyn_guc_log_min_duration;
}

bool
dyn_request_is_logged(const DynCall *call, bool repeated)
{
	return (dyn_guc_log_requests && !repeated) || is_slow(call);
}

/* Returns a slow request's outcome, and its request id for AWS support. */
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
		appendStringInfo(&words, ", request id %s", dyn_from_utf8_lossy(call->request_id));
	return words.data;
}

void
dyn_request_log(const DynCall *call, const char *line, int attempts)
{
	const char *more = is_slow(call) ? describe_outcome(call, attempts)
		: attempts <= 1 ? "" : psprintf(", %d attempts", attempts);

	/* a cancel here would lose a response that has not been checked yet */
	HOLD_INTERRUPTS();
	ereport(LOG,
			(errmsg_internal("dynamo_fdw: %s (%.1f ms%s)", line, call->elapsed_ms, more),
			 errhidestmt(true), errhidecontext(true)));
	RESUME_INTERRUPTS();
}
