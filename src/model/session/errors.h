/*
 * errors.h
 *		Reports failed requests as PostgreSQL errors.
 *
 * The primary message names the failure in SQL terms, DETAIL has DynamoDB's
 * code, text and request id, HINT a remedy.  One static table maps DynamoDB's
 * codes to SQLSTATEs and hints.  Messages do not contain secrets.  What others
 * than DynamoDB have written, such as the page of a gateway, is shown to
 * superusers only, and not while code of another user runs, which could catch
 * the error.
 */
#ifndef DYN_MODEL_ERRORS_H
#define DYN_MODEL_ERRORS_H

#include "../../aws/client.h"
#include "../../aws/provider.h"
#include "../../base/attributes.h"
#include "../../dynamodb/page.h"

/* The objects of a request, for messages. */
typedef struct DynRequestContext
{
	const char *operation;		/* "Query" */
	const char *table;			/* physical table name, or NULL */
	const char *index;			/* or NULL */
	const char *server;			/* foreign server's name */
	const DynProvider *provider;	/* of the credentials */
} DynRequestContext;

/* DynamoDB table "orders", or: index "by_due" of DynamoDB table "orders" */
extern const char *dyn_target_words(const char *table, const char *index);

/* Raises the error of a finished call that has failed. */
DYN_NORETURN extern void dyn_report_call(const DynCall *call,
										 const DynRequestContext *context);

/* Raises the error of a source that could not obtain credentials. */
DYN_NORETURN extern void dyn_report_credentials(const DynError *err,
												const char *server);

/* In a few words, why a finished call has failed. */
extern const char *dyn_describe_failure(const DynCall *call);

/*
 * Raises the error of a statement that was throttled for so many seconds
 * without a response.  `call` is its last attempt to read `resource`
 * (dyn_target_words), which serves `capacity` read units a second, 0
 * if that is not known; `units` is what the statement has used.
 */
DYN_NORETURN extern void dyn_report_throttled(const DynCall *call,
											  const char *resource,
											  double seconds, double capacity,
											  double units);

/* Raises the error of a response that the page reader rejected. */
DYN_NORETURN extern void dyn_report_page(const DynCall *call, const DynPageError *error,
										 const DynRequestContext *context);

/*
 * Raises the error of a response that does not match the request; `fault`
 * continues "The response ..."  (dynamodb/page_check.h).
 */
DYN_NORETURN extern void dyn_report_no_match(const DynCall *call, const char *err,
											 const DynRequestContext *context);

/* Did the call fail because the table, index or key differs from the plan? */
extern bool dyn_failure_is_stale(const DynCall *call);

/* Did it fail because the access key does not permit it? */
extern bool dyn_failure_is_denied(const DynCall *call);

/*
 * Raises an error: the table or index has changed since the statement was
 * planned.  `detail` is a sentence.
 */
DYN_NORETURN extern void dyn_report_changed_schema(const DynRequestContext *context,
												   const char *detail);

#endif
