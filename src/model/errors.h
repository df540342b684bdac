/*
 * errors.h
 *		What went wrong with a request, as a PostgreSQL error.
 *
 * The primary message says what failed in SQL terms, DETAIL holds DynamoDB's
 * code, text and request id, HINT what helps.  One static table maps
 * DynamoDB's codes to SQLSTATEs and hints.  No message holds a secret; bodies
 * that are not DynamoDB's are shown to superusers only.
 */
#ifndef DYN_MODEL_ERRORS_H
#define DYN_MODEL_ERRORS_H

#include "../aws/client.h"
#include "../base/attributes.h"
#include "../dynamodb/page.h"

/* What a request was about. */
typedef struct DynRequestContext
{
	const char *operation;		/* "Query" */
	const char *table;			/* physical table name, or NULL */
	const char *index;			/* or NULL */
	const char *server;			/* foreign server's name */
} DynRequestContext;

/* Raises the error of a call that is done and has failed. */
DYN_NORETURN extern void dyn_report_call(const DynCall *call,
							const DynRequestContext *context);

/* Raises the error of an answer that the page reader refused. */
DYN_NORETURN extern void dyn_report_page(const DynCall *call, const DynPageError *error,
							const DynRequestContext *context);

/*
 * Raises the error of an answer that does not answer what was asked; `fault`
 * continues "The answer ..." (dynamodb/page_check.h).
 */
DYN_NORETURN extern void dyn_report_unfit(const DynCall *call, const char *fault,
							const DynRequestContext *context);

/* Did the call fail because the table, index or key is not what was planned? */
extern bool dyn_failure_is_stale(const DynCall *call);

/*
 * The table or index is not the one that the statement was planned for; `detail`
 * is a sentence.
 */
DYN_NORETURN extern void dyn_report_changed_schema(const DynRequestContext *context,
												   const char *detail);

#endif
