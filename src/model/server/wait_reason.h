/*
 * wait_reason.h
 *		Lists the reasons for which a backend waits; pg_stat_activity shows
 *		them since PostgreSQL 17 (names in pg_compat.c).
 */
#ifndef DYN_MODEL_WAIT_REASON_H
#define DYN_MODEL_WAIT_REASON_H

typedef enum DynWaitReason
{
	DYN_WAITS_FOR_RESPONSE,		/* response, including pauses before retries */
	DYN_WAITS_FOR_CAPACITY,		/* capacity: a request was throttled, or a
								 * budget is used up */
	DYN_WAITS_FOR_TABLE			/* table that is being created */
} DynWaitReason;

#endif
